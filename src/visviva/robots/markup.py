"""XML as plain data: elements with their line numbers, from a file that is not trusted.

The parser is Expat, that of `xml.etree`, fed by hand: it knows the lines, and a document type declaration ends it where
it begins. So no entity is ever declared, and none is expanded or fetched.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, final
from xml.parsers import expat

from visviva.errors import ModelError

LARGEST = 32 * 2**20  # bytes of a file
MOST = 1_000_000  # elements and attributes of a file
DEEPEST = 100  # elements within each other


@final
@dataclass(frozen=True, eq=False)
class Element:
    """An element of XML.   line: where it begins, in the file or text called `source`."""

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    children: list[Element] = field(default_factory=list)

    def __str__(self) -> str:
        """How errors call it: <joint name="elbow"> in line 7 of 'arm.urdf'."""
        name = self.attributes.get("name")
        shown = "" if name is None else f' name="{shortened(name)}"'
        return f"<{shortened(self.tag)}{shown}> in line {self.line} of {self.source}"

    def all(self, tag: str) -> list[Element]:
        """Its children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Element | None:
        """The child with a tag; None if there is none, an error if there are several."""
        found = self.all(tag)
        if len(found) > 1:
            raise ModelError(
                f"{self} has {len(found)} elements <{tag}>, the second one in line {found[1].line}.\n"
                "At most one is allowed: remove the others."
            )
        return found[0] if found else None


def shortened(text: str, most: int = 60) -> str:
    """Text of a file as errors quote it."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def read_markup(source: str | os.PathLike[str]) -> Element:
    """The root element of a file, or of text that begins with "<"."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        data, called, encoding = source.lstrip("\ufeff \t\r\n").encode(errors="replace"), "the text given", "utf-8"
        _check_size(len(data), called)
        return _parsed(data, called, encoding)
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"a URDF is given by the path of its file, or by its text, got {source!r}.")
    path = Path(source)
    return _parsed(_bytes_of(path), repr(path.name), None)


def _bytes_of(path: Path) -> bytes:
    """The contents of a plain file of bounded size."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ModelError(f"'{path}' is no file. Give the path of one, such as \"arm.urdf\".")
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as cause:
        if isinstance(cause, ModelError):
            raise
        reason = getattr(cause, "strerror", None) or cause
        raise ModelError(f"'{path}' cannot be read: {reason}. Give the path of a URDF file.") from cause
    _check_size(len(data), repr(path.name))
    return data


def _check_size(size: int, source: str) -> None:
    if size > LARGEST:
        raise ModelError(
            f"{source} is larger than {LARGEST >> 20} MB. A URDF names its meshes and does not hold them: "
            "look for what fills it."
        )


def _parsed(data: bytes, source: str, encoding: str | None) -> Element:
    parser = expat.ParserCreate(encoding)
    open_elements: list[Element] = []
    root: list[Element] = []
    count = 0

    def refuse(what: str, rule: str) -> NoReturn:
        raise ModelError(f"{source} has {what} in line {parser.CurrentLineNumber}. {rule}")

    def doctype(*_: object) -> NoReturn:
        refuse(
            "a document type declaration",
            "It could declare entities that expand\nwithout end or read other files; a URDF needs none: remove it.",
        )

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1 + len(attributes)
        if count > MOST:
            refuse(f"more than {MOST} elements and attributes", "No robot has as many.")
        if len(open_elements) >= DEEPEST:
            refuse(f"more than {DEEPEST} elements within each other", "Those of a URDF are not so deep.")
        element = Element(tag, attributes, parser.CurrentLineNumber, source)
        (open_elements[-1].children if open_elements else root).append(element)
        open_elements.append(element)

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: open_elements.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError as cause:
        found = expat.errors.messages[cause.code]
        raise ModelError(
            f"{source} is no XML: {found} in line {cause.lineno}, column {cause.offset + 1}.\n"
            "Correct it there; `xmllint` or an editor shows the place."
        ) from cause
    except (LookupError, ValueError) as cause:  # an encoding that there is not; errors of ours are both
        if isinstance(cause, ModelError):
            raise
        raise ModelError(f"{source} is no XML that can be read: {cause}. Save it in UTF-8.") from cause
    return root[0]
