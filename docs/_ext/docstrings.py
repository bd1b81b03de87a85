"""Our docstrings on the reference page: prose, formulas and labelled lines, without markup of their own.

They are written to be read in an editor. Blank lines separate blocks; the look of a block says what it is:

    indented lines          a formula or code, kept as it stands
    ``` … ```               code
    `label: text` lines     a list of definitions (parameters, laws, limits)
    `- ` or `1. `           a list
    anything else           prose; `name` is code, every other sign stands for itself
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

LABEL = re.compile(r"([A-Za-z_][\w*, ]{0,24}):\s+(\S.*)")
ITEM = re.compile(r"(?:[-*]|\d+[.)])\s+")
CODE = re.compile(r"(`+)(.+?)\1")


def to_rst(lines: Iterable[str]) -> Iterator[str]:
    """reStructuredText that shows `lines` as their author laid them out."""
    for number, block in enumerate(blocks(lines)):
        if block[0].startswith("```"):
            yield from literal(block[1:], block[0].strip("`") or "python")
        elif block[0].startswith(">>>"):
            yield from block
        elif number > 0 and is_labelled(block):
            yield from definitions(block)
        elif ITEM.match(block[0]):
            yield from items(block)
        else:
            yield from prose_and_formulas(block)
        yield ""


def blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Runs of lines between blank ones; a fence is one block, blank lines included."""
    block: list[str] = []
    fenced = False
    for line in lines:
        if line.startswith("```"):
            if not fenced and block:
                yield block
                block = []
            fenced = not fenced
            if not fenced:
                yield block
                block = []
                continue
        if line.strip() or fenced:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def is_labelled(block: list[str]) -> bool:
    """Whether every line is `label: text` or continues the one above by its indent."""
    return LABEL.match(block[0]) is not None and all(line[0] == " " or LABEL.match(line) for line in block)


def definitions(block: list[str]) -> Iterator[str]:
    """`label: text` lines as a definition list."""
    for line in block:
        if label := LABEL.match(line):
            yield f"{inline(label[1])}"
            yield f"   {inline(label[2])}"
        else:
            yield f"   {inline(line.strip())}"


def items(block: list[str]) -> Iterator[str]:
    """A list; lines without a sign of their own continue the item above."""
    for line in block:
        sign = ITEM.match(line)
        yield sign[0] + inline(line[sign.end() :]) if sign else "   " + inline(line.strip())


def prose_and_formulas(block: list[str]) -> Iterator[str]:
    """Prose, with the indented lines inside it kept as they stand."""
    for indented, run in groupby(block, key=lambda line: line.startswith(" ")):
        yield ""
        if indented:
            yield from literal(list(run), "default")
        else:
            for line in run:
                text = inline(line)
                # a line of prose may begin like a list or a directive, which escaping its first sign prevents
                yield "\\" + text if re.match(r"\w{1,4}[.)]\s|[-+.:=>]", text) else text
    yield ""


def literal(lines: list[str], language: str) -> Iterator[str]:
    """A block kept as it stands."""
    yield f".. code-block:: {language}"
    yield ""
    yield from ("   " + line for line in lines)
    yield ""


def inline(text: str) -> str:
    """Prose in which only backticks mean something."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [escape(text[end : code.start()]), f"\\ ``{code[2]}``\\ "]
        end = code.end()
    return "".join([*parts, escape(text[end:])])


def escape(text: str) -> str:
    """Every sign stands for itself."""
    return re.sub(r"([\\*|_`]|:(?=:))", r"\\\1", text)


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Replace a docstring by its reStructuredText, in place as autodoc wants it."""
    lines[:] = list(to_rst(list(lines)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Take over the docstrings that autodoc finds."""
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
