"""Names and words in LaTeX: what is special there is escaped, and Greek letters are commands."""

from __future__ import annotations

import re
import unicodedata

TEXT = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
LATIN = {
    "ALPHA": "A", "BETA": "B", "EPSILON": "E", "ZETA": "Z", "ETA": "H", "IOTA": "I", "KAPPA": "K", "MU": "M",
    "NU": "N", "OMICRON": "O", "RHO": "P", "TAU": "T", "CHI": "X",
}  # fmt: skip  # capitals that LaTeX has no commands for


def greek(letter: str) -> str | None:
    r"""The command of a Greek letter, `\theta` of θ; None of others."""
    match = re.fullmatch(
        r"GREEK (SMALL|CAPITAL) LETTER (\w+|FINAL SIGMA)", unicodedata.name(letter, "") if len(letter) == 1 else ""
    )
    if match is None:
        return None
    size, word = match[1], match[2]
    if word == "OMICRON" or (size == "CAPITAL" and word in LATIN):
        return LATIN[word] if size == "CAPITAL" else "o"
    command = {"LAMDA": "lambda", "FINAL SIGMA": "varsigma"}.get(word, word.lower())
    return rf"\{command.capitalize() if size == 'CAPITAL' else command}"


def words(text: str, others: dict[str, str] | None = None) -> str:
    """Words as they stand in running text; others: further characters and what is written for them."""
    known = TEXT | (others or {})
    return "".join(known.get(letter) or _in_text(letter) for letter in text)


def name(text: str) -> str:
    """A name in a formula: a letter as it is, that of the Greek alphabet by its name too, words upright."""
    letter = text if len(text) == 1 else _called(text)
    if command := greek(letter):
        return command
    if re.fullmatch(r"[A-Za-z0-9]", text):
        return text
    if re.fullmatch(r"[A-Za-z0-9 ]+", text):
        return rf"\mathrm{{{text.replace(' ', chr(92) + ' ')}}}"
    return rf"\text{{{words(text)}}}"


def _called(text: str) -> str:
    """θ for theta, Θ for Theta, else nothing."""
    if text not in (text.lower(), text.capitalize()):
        return ""
    size, word = "CAPITAL" if text[:1].isupper() else "SMALL", text.upper()
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if word == 'LAMBDA' else word}")
    except KeyError:
        return ""


def _in_text(letter: str) -> str:
    command = greek(letter)
    return f"${command}$" if command else letter
