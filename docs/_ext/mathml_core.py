"""From the MathML 3 that latex2mathml writes to MathML Core, the part that browsers implement.

What differs: alphabets are letters and no longer an attribute, columns are aligned by CSS, and the spacing of
names, fences and signs, which TeX knows from the command, has to be said.
"""

from __future__ import annotations

import unicodedata
from html import unescape
from xml.etree import ElementTree as ET

THIN = "0.167em"
ACCENTS = set("^˙¨~¯―")
FENCES = set("|‖∣∥")
ORDINARY = set("∂∇∞∅∀∃⊤⊥")  # mathematical signs that stand for themselves, with no space around
SIGNS = set("−+±-")
CLOSING = set(")]}|‖!")
LIMITS = {"max", "min", "sup", "inf", "lim", "argmin", "argmax"}
SCRIPTS = {"msub", "msup", "msubsup", "munder"}
# where the capital, small, Greek capital and Greek small letters and the digits of an alphabet begin
ALPHABETS = {
    "bold": {"A": 0x1D400, "a": 0x1D41A, "Α": 0x1D6A8, "α": 0x1D6C2, "0": 0x1D7CE},
    "bold-italic": {"A": 0x1D468, "a": 0x1D482, "Α": 0x1D71C, "α": 0x1D736},
    "double-struck": {"A": 0x1D538, "a": 0x1D552, "0": 0x1D7D8},
    "fraktur": {"A": 0x1D504, "a": 0x1D51E},
}
LENGTHS = {"A": 26, "a": 26, "Α": 25, "α": 25, "0": 10}
# letters that Unicode had before it had these alphabets
EARLIER = {
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}


def to_core(math: ET.Element) -> None:
    """Rewrite a `<math>` element in place."""
    for element in math.iter():
        element.text = unescape(element.text or "")  # latex2mathml writes character references as text
        _write_alphabet(element)
        _align_column(element)
        _set_kind(element)
    for element in list(math.iter()):
        _put_limits_below(element)
        _space_row(element)


def _write_alphabet(element: ET.Element) -> None:
    variant = element.get("mathvariant", "normal")
    if variant == "normal":  # the one value that MathML Core keeps
        return
    del element.attrib["mathvariant"]
    element.text = "".join(letter(c, variant) for c in element.text or "")


def letter(c: str, variant: str) -> str:
    """`c` in another alphabet, or itself where that alphabet has no such letter."""
    if c in EARLIER.get(variant, {}):
        return EARLIER[variant][c]
    for first, code in ALPHABETS.get(variant, {}).items():
        if 0 <= ord(c) - ord(first) < LENGTHS[first]:
            return chr(code + ord(c) - ord(first))
    return c


def _align_column(element: ET.Element) -> None:
    align = element.attrib.pop("columnalign", None)
    if element.tag == "mtd" and align:
        element.set("class", align)


def _set_kind(element: ET.Element) -> None:
    """Which signs are operators, names, fences or accents."""
    text = element.text or ""
    if element.tag == "mo" and (text in ORDINARY or (len(text) > 1 and text.isalpha())):
        element.tag = "mi"
    elif element.tag == "mo" and text in FENCES:
        element.attrib.update(stretchy="false", lspace="0", rspace="0")
    elif element.tag == "mi" and len(text) == 1 and unicodedata.category(text) == "Sm" and text not in ORDINARY:
        element.tag = "mo"
    elif element.tag == "mover" and element[1].text in ACCENTS:
        element.set("accent", "true")  # else the mark shrinks like an exponent


def _put_limits_below(element: ET.Element) -> None:
    if element.tag == "msub" and element[0].text in LIMITS:
        element.tag = "munder"
        element[0].tag = "mo"
        element[0].attrib.update(movablelimits="true", lspace="0", rspace="0")


def _space_row(row: ET.Element) -> None:
    """A thin space between a name (log, Ad) and a symbol, none between a sign and what it belongs to."""
    if row.tag not in {"mrow", "math", "mtd"}:
        return
    for i in range(len(row) - 1, 0, -1):
        before, after = row[i - 1], row[i]
        if (_is_name(before) and not _is_operator(after)) or (_is_name(after) and not _is_operator(before)):
            row.insert(i, ET.Element("mspace", width=THIN))
        elif after.text in SIGNS and _is_operator(before) and _base(before).text not in CLOSING:
            after.set("form", "prefix")


def _base(element: ET.Element) -> ET.Element:
    return element[0] if element.tag in SCRIPTS else element


def _is_name(element: ET.Element) -> bool:
    base = _base(element)
    text = base.text or ""
    return base.tag in {"mi", "mo"} and len(text) > 1 and text.isalpha() and text.isascii()


def _is_operator(element: ET.Element) -> bool:
    return _base(element).tag in {"mo", "mspace", "mtext"} and not _is_name(element)
