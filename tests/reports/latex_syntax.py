"""A careful reading of LaTeX source, in place of a compiler: what is not in amsmath or the preamble is an error."""

from __future__ import annotations

import re

MATH = {
    "!", ",", ":", ";", "Delta", "Gamma", "Lambda", "Omega", "Phi", "Pi", "Psi", "Sigma", "Theta", "Upsilon",
    "Xi", "\\", "alpha", "arccos", "arcsin", "arctan", "begin", "beta", "cdot", "chi", "cos", "cosh", "ddot",
    "delta", "dot", "end", "epsilon", "eta", "exp", "frac", "gamma", "geq", "in", "infty", "iota", "kappa",
    "lambda", "ldots", "left", "leq", "log", "mathrm", "max", "min", "mu", "nabla", "neq", "nonumber", "nu",
    "omega", "operatorname", "otimes", "partial", "phi", "pi", "psi", "qquad", "quad", "rho", "right", "sigma",
    "sin", "sinh", "sqrt", "tan", "tanh", "tau", "text", "tfrac", "theta", "times", "top", "upsilon",
    "varsigma", "wedge", "xi", "zeta", "{", "}",
}  # fmt: skip
TEXT = {
    "#", "$", "%", "&", "\\", "_", "allowdisplaybreaks", "begin", "bottomrule", "caption", "cdot", "centering",
    "date", "documentclass", "end", "endhead", "includegraphics", "ldots", "linewidth", "maketitle", "midrule",
    "noindent", "section", "textasciicircum", "textasciitilde", "textbackslash", "textsuperscript", "title",
    "toprule", "usepackage", "{", "}",
}  # fmt: skip
ENVIRONMENTS = {"document", "align", "align*", "aligned", "matrix", "cases", "longtable", "figure", "array"}
DISPLAYED = {"align", "align*"}
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def check_document(source: str) -> None:
    """A whole document: preamble, environments, text and formulas."""
    assert source.startswith("\\documentclass")
    source.encode("latin-1")  # what pdflatex knows without further packages
    _Reader(source, math=False).document()


def check_formula(source: str) -> None:
    """What stands between dollars or in an environment."""
    _Reader(source, math=True).document()


class _Reader:
    def __init__(self, source: str, *, math: bool) -> None:
        self.tokens = TOKEN.findall(source)
        self.at = 0
        self.open: list[str] = []  # braces, environments, \left, dollars, words
        self.math = [math]
        self.left: list[int] = []

    def fail(self, why: str) -> None:
        near = "".join(self.tokens[max(0, self.at - 12) : self.at + 3])
        raise AssertionError(f"{why} near {near!r}")

    def take(self) -> str:
        if self.at >= len(self.tokens):
            self.fail("the source ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def argument(self) -> str:
        if self.take() != "{":
            self.fail("an argument is missing")
        words = ""
        while (token := self.take()) != "}":
            words += token
        return words

    def close(self, what: str) -> None:
        if not self.open or self.open[-1] != what:
            self.fail(f"{what} closes {self.open[-1] if self.open else 'nothing'}")
        self.open.pop()

    def document(self) -> None:
        while self.at < len(self.tokens):
            self.token(self.take())
        if self.open:
            self.fail(f"{self.open} stay open")

    def token(self, token: str) -> None:
        if token.startswith("\\"):
            self.command(token[1:])
        elif token == "{":
            self.open.append("brace")
            self.math.append(self.math[-1])
        elif token == "}":
            self.close("words" if self.open and self.open[-1] == "words" else "brace")
            self.math.pop()
        elif token == "$":
            self.dollar()
        elif token in "#%~":
            self.fail(f"{token} is not escaped")
        elif token in "_^" and not self.math[-1]:
            self.fail(f"{token} stands among words")
        elif token in "_^":
            self.script()
        elif token == "&" and not any(name in self.open for name in ENVIRONMENTS - {"document", "figure"}):
            self.fail("& stands outside of a table")
        elif self.math[-1] and not token.isascii():
            self.fail(f"{token} stands in a formula")

    def script(self) -> None:
        """A base before it and an argument after it; no two of a kind in a row."""
        before = "".join(self.tokens[: self.at - 1]).rstrip()
        if not before or before[-1] in "{_^&" or before.endswith("\\left("):
            self.fail("a script has nothing below it")
        k = self.at + 1
        if self.tokens[self.at] == "{":
            depth = 1
            while depth:
                depth += (self.tokens[k] == "{") - (self.tokens[k] == "}")
                k += 1
            if k - self.at == 2:
                self.fail("a script is empty")
        elif not re.fullmatch(r"[A-Za-z0-9]|\\[a-z]+", self.tokens[self.at]):
            self.fail("a script is not in braces")
        if k < len(self.tokens) and self.tokens[k] == self.tokens[self.at - 1]:
            self.fail("two scripts of a kind follow each other")

    def dollar(self) -> None:
        if self.open and self.open[-1] == "dollar":
            self.close("dollar")
            self.math.pop()
        elif self.math[-1]:
            self.fail("a dollar stands in a formula")
        else:
            self.open.append("dollar")
            self.math.append(True)

    def command(self, name: str) -> None:
        known = MATH if self.math[-1] else TEXT
        if name not in known and name != " ":
            self.fail(f"\\{name} is no command {'in formulas' if self.math[-1] else 'of text'}")
        if name in ("begin", "end"):
            self.environment(name)
        elif name in ("left", "right"):
            if name == "left":
                self.open.append("left")
            else:
                self.close("left")
            if self.take() not in ("(", ")", "[", "]", "|", ".", "\\{", "\\}"):
                self.fail(f"\\{name} has no fence")
        elif name in ("text", "mathrm", "operatorname"):
            if self.take() != "{":
                self.fail(f"\\{name} has no argument")
            self.open.append("words")
            self.math.append(name != "text")
        elif name in ("frac", "tfrac", "dot", "ddot") and self.tokens[self.at] != "{":
            self.fail(f"\\{name} has no argument")

    def environment(self, which: str) -> None:
        name = self.argument()
        if name not in ENVIRONMENTS:
            self.fail(f"there is no environment {name}")
        if which == "begin":
            if name in DISPLAYED and self.math[-1]:
                self.fail(f"{name} stands in a formula")
            self.open.append(name)
            self.math.append(self.math[-1] or name in DISPLAYED | {"aligned", "matrix", "cases"})
            if name in ("longtable", "array"):
                columns = self.argument()
                if not re.fullmatch(r"[lrcp@{}.0-9\\a-z]+", columns):
                    self.fail(f"columns {columns!r}")
        else:
            self.close(name)
            self.math.pop()
