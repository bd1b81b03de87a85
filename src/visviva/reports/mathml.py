"""The LaTeX that this package writes, as MathML: browsers show it without a script or a font from elsewhere."""

from __future__ import annotations

import html
import re
from typing import final

from visviva.errors import ModelError

LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "varphi": "φ", "vartheta": "ϑ",
    "varepsilon": "ε", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "varsigma": "ς", "partial": "∂", "nabla": "∇",
}  # fmt: skip
SYMBOLS = {
    "cdot": "⋅", "times": "×", "otimes": "⊗", "top": "⊤", "infty": "∞", "in": "∈",
    "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "to": "→", "wedge": "∧", "ldots": "…", "pm": "±", "le": "≤",
    "ge": "≥", "circ": "∘",
}  # fmt: skip
SPACES = {"quad": "1em", "qquad": "2em", ",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.3em", "!": "0"}
NAMED = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "exp", "max", "min", "arg", "det", "ln"}
NAMED |= {"asin", "acos", "atan", "arcsin", "arccos", "arctan"}
ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "overline": "\u0304"}
FENCES = {"(": "(", ")": ")", "[": "[", "]": "]", "|": "|", "\\{": "{", "\\}": "}", ".": ""}
WORDS = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^"}
WORD = re.compile(r"\\text(\w+)\{\}|\$\\?(\w+)\$|\\(.)")  # what is escaped among words
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\d+(?:\.\d+)?|\s+|.", re.DOTALL)


def mathml(latex: str, *, large: bool = False, goes_on: bool = False) -> str:
    """A `math` element; large: with fractions as in displayed formulas.   goes_on: its first sign is between terms."""
    style = ' displaystyle="true"' if large else ""
    inner = _Reader(latex).everything()
    if goes_on:
        inner = f'<mrow><mspace width="0"/>{inner.removeprefix("<mrow>").removesuffix("</mrow>")}</mrow>'
    return f"<math{style}>{inner}</math>"


@final
class _Reader:
    """Reads tokens from left to right; each piece becomes one element."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        found = [match for match in TOKEN.finditer(latex) if not match.group().isspace()]
        self.tokens = [match.group() for match in found]
        self.starts = [match.start() for match in found]
        self.at = 0

    def everything(self) -> str:
        """All of it."""
        return self.row(frozenset())

    def row(self, ends: frozenset[str]) -> str:
        """Pieces up to a token that ends them, as one element."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ends:
            parts.append(self.scripted())
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """A piece with what is below and above it."""
        base, below, above = self.piece(), "", ""
        while self._peek() in ("_", "^"):
            script = self._take()
            inner = self.argument()
            below, above = (inner, above) if script == "_" else (below, inner)
        if below and above:
            return f"<msubsup>{base}{below}{above}</msubsup>"
        if below:
            return f"<msub>{base}{below}</msub>"
        return f"<msup>{base}{above}</msup>" if above else base

    def argument(self) -> str:
        """What stands in braces, or one token."""
        if self._peek() != "{":
            return self.piece()
        self._take()
        inner = self.row(frozenset("}"))
        self._expect("}")
        return inner

    def text(self) -> str:
        """Words in braces as they stand there, blanks and all."""
        self._expect("{")
        start, depth = self.starts[self.at - 1] + 1, 1
        while depth:
            token = self._take()
            depth += (token == "{") - (token == "}")
        return self.latex[start : self.starts[self.at - 1]]

    def piece(self) -> str:
        """One element."""
        token = self._take()
        if token == "{":
            inner = self.row(frozenset("}"))
            self._expect("}")
            return inner
        if token in ("}", "&", "_", "^"):
            raise ModelError(f"a formula has {token!r} where nothing opens it: {self.latex!r}.")
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{html.escape(token)}</mi>"
        return f"<mo>{html.escape({'-': '−', '*': '⋅'}.get(token, token))}</mo>"

    def command(self, name: str) -> str:
        """What a command stands for."""
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SYMBOLS:
            return f"<mo>{SYMBOLS[name]}</mo>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in NAMED:
            return self.function(name)
        if name in ACCENTS:
            return self.accented(ACCENTS[name])
        match name:
            case "mathrm" | "operatorname" | "mathbf" | "mathit":
                return f'<mi mathvariant="normal">{html.escape(self.words())}</mi>'
            case "text":
                return f"<mtext>{html.escape(self.words())}</mtext>"
            case "frac" | "tfrac" | "dfrac":
                return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
            case "sqrt":
                return self.root()
            case "left":
                return self.fenced()
            case "begin":
                return self.environment(self.text())
            case "{" | "}":
                return f"<mo>{name}</mo>"
        return self._unknown(name)

    def function(self, name: str) -> str:
        """The name of a function, apart from what is before it, and from an argument without brackets."""
        after = self.at
        if self._peek() == "^":  # a power stands between them
            depth, after = 1, self.at + 2
            while depth and after < len(self.tokens):
                depth += (self.tokens[after] == "{") - (self.tokens[after] == "}")
                after += 1
        bracketed = self.tokens[after : after + 1] in (["\\left"], ["("], ["{"])
        return f'<mo lspace="0.17em" rspace="{"0" if bracketed else "0.17em"}">{name}</mo>'

    def _unknown(self, name: str) -> str:
        raise ModelError(f"a formula has the command \\{name}, which has no MathML here: {self.latex!r}.")

    def accented(self, mark: str) -> str:
        """A letter with a mark that combines with it: every font has these, unlike marks that are placed above."""
        base = self.argument()
        letter = re.match(r"(<msub>|<msup>|<msubsup>|)<mi>([^<]+)</mi>", base)
        if letter:
            return f'{letter[1]}<mi class="marked">{letter[2]}{mark}</mi>{base[letter.end() :]}'
        return f'<mover accent="true">{base}<mo>&#160;{mark}</mo></mover>'

    def words(self) -> str:
        """Words in braces as they are read."""

        def read(match: re.Match[str]) -> str:
            word, letter, escaped = match.groups()
            return escaped or WORDS.get(word) or LETTERS.get(letter, letter) or self._unknown(f"text{word}")

        return WORD.sub(read, self.text())

    def root(self) -> str:
        """√, or a root of higher degree."""
        if self._peek() != "[":
            return f"<msqrt>{self.argument()}</msqrt>"
        self._take()
        degree = self.row(frozenset("]"))
        self._expect("]")
        return f"<mroot>{self.argument()}{degree}</mroot>"

    def fenced(self) -> str:
        """From \\left to \\right."""
        opening = self.fence()
        inner = self.row(frozenset({"\\right"}))
        self._expect("\\right")
        closing = self.fence()
        if inner.startswith("<mtable>") and opening == "[":
            return inner.replace("<mtable>", '<mtable class="bracketed">', 1)  # drawn: few fonts have tall brackets
        return f"<mrow><mo>{html.escape(opening)}</mo>{inner}<mo>{html.escape(closing)}</mo></mrow>"

    def fence(self) -> str:
        """What stands after \\left or \\right."""
        token = self._take()
        return FENCES[token] if token in FENCES else self._unknown(token)

    def environment(self, name: str) -> str:
        """A matrix, cases, or aligned lines."""
        if name == "array":
            self.text()
        rows, cells = list[str](), list[str]()
        ends = frozenset({"&", "\\\\", "\\end"})
        while True:
            cells.append(f"<mtd>{self.row(ends)}</mtd>")
            token = self._take()
            if token == "&":
                continue
            rows.append(f"<mtr>{''.join(cells)}</mtr>")
            cells = []
            if token == "\\end":
                break
        self.text()
        left = ' columnalign="left"' if name == "cases" else ""
        table = f"<mtable{left}>{''.join(rows)}</mtable>"
        return f"<mrow><mo>{{</mo>{table}</mrow>" if name == "cases" else table

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        if self.at >= len(self.tokens):
            raise ModelError(f"a formula ends too early: {self.latex!r}.")
        self.at += 1
        return self.tokens[self.at - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise ModelError(f"a formula lacks {token!r}: {self.latex!r}.")
