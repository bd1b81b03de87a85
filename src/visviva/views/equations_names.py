"""Names of symbols: short where they can be, with the path of nesting as subscript where they must."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, final

from visviva.views.latex_words import name as latex_name


@final
@dataclass(frozen=True)
class Label:
    """A name with subscripts, e.g. p_r of joint j: "p_r_j" as text, p_{r,j} in LaTeX; `suffix` is that of p.f, p.e."""

    name: str
    subscripts: tuple[str, ...] = ()
    suffix: str = ""

    @property
    def text(self) -> str:
        """The name of the SymPy symbol."""
        return "_".join((self.name + self.suffix, *self.subscripts))

    @property
    def latex(self) -> str:
        """In LaTeX, with Greek letters and upright words."""
        letter, own = split(self.name)
        if self.suffix:
            return latex_name(letter) + _indices(own) + rf"\text{{{self.suffix}}}" + _indices(self.subscripts)
        return latex_name(letter) + _indices((*own, *self.subscripts))

    @property
    def dotted(self) -> str:
        """The rate in LaTeX: a dot on the letter."""
        return self.with_dots(1)

    def with_dots(self, dots: int) -> str:
        """The same, or the second rate with two dots."""
        letter, own = split(self.name)
        base = latex_name(letter)
        return (rf"\{'d' * dots}ot{{{base}}}" if dots else base) + _indices((*own, *self.subscripts))

    @property
    def rate(self) -> Label:
        """The name of the rate as a symbol, which SymPy prints with a dot."""
        letter, own = split(self.name)
        return replace(self, name="_".join((f"{letter}dot", *own)))

    def at(self, *subscripts: str) -> Label:
        """The same name with further subscripts."""
        return replace(self, subscripts=(*self.subscripts, *subscripts))

    def components(self, n: int) -> list[Label]:
        """Names of the components of a vector; a number keeps the name itself."""
        return [self] if n == 1 else [self.at(str(k + 1)) for k in range(n)]


class Names:
    """Hands out symbols so that no two look alike, as text or in LaTeX; `spelling` is the LaTeX of each."""

    def __init__(self) -> None:
        self.spelling: dict[Any, str] = {}
        self._taken: set[str] = set()

    def take(self, options: Iterable[Label], parts: Callable[[Label], list[Label]]) -> tuple[Label, tuple[Any, ...]]:
        """The first option whose parts are all free, with their symbols; when none is, the last one with a number."""
        import sympy

        tried = list(options)
        numbered = (tried[-1].at(str(k)) for k in count(2))
        label = next(option for option in chain(tried, numbered) if not self._spellings(parts(option)) & self._taken)
        self._taken |= self._spellings(parts(label))
        symbols = tuple(sympy.Symbol(part.text, real=True) for part in parts(label))
        self.spelling.update(zip(symbols, (part.latex for part in parts(label)), strict=True))
        return label, symbols

    @staticmethod
    def _spellings(labels: list[Label]) -> set[str]:
        return {spelling for label in labels for spelling in (label.text, label.latex)}


def candidates(
    paths: Iterable[str], rename: Callable[[str, str], str] = lambda path, name: name
) -> dict[str, list[Label]]:
    """Labels for dotted paths, best first: as few of the boxes around a name in its subscripts as tell it from others.

    Tried are none, the outermost, the innermost and all of them.
    rename: the name for a path and its last part.
    """
    parts = {path: (rename(path, path.rpartition(".")[2]), path.split(".")[:-1]) for path in paths}
    options = {path: [Label(name, kept) for kept in _subscripts(boxes)] for path, (name, boxes) in parts.items()}
    alike: dict[str, list[str]] = {}
    for path, (name, _) in parts.items():
        alike.setdefault(name, []).append(path)
    for group in alike.values():
        first = next(k for k in range(4) if k == 3 or len({options[path][k] for path in group}) == len(group))
        options |= {path: options[path][first:] for path in group}
    return options


def _subscripts(boxes: list[str]) -> list[tuple[str, ...]]:
    return [(), tuple(boxes[:1]), tuple(boxes[-1:]), tuple(boxes)]


def split(name: str) -> tuple[str, list[str]]:
    """Letter and subscripts of a name: "p_r" and "p1" have the letter p; one that begins or ends with _ is a word."""
    head, *rest = name.split("_")
    if not head or not all(rest):
        return name, []
    match = re.fullmatch(r"([^\W\d]+)(\d+)", head)
    return (match[1], [match[2], *rest]) if match else (head, rest)


def relettered(name: str, letter: str, by: str) -> str:
    """The name with another letter, u_r for p_r; a name with a letter of its own becomes a subscript, u_mom for mom."""
    if split(name)[0] == letter:
        return by + name.removeprefix(letter)
    return f"{by}_{name}"


def _indices(parts: Iterable[str]) -> str:
    shown = [part if re.fullmatch(r"[A-Za-z]?\d*", part) else Label(part).latex for part in parts if part]
    return f"_{{{','.join(shown)}}}" if shown else ""
