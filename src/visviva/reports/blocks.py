"""What a report is made of: headings, paragraphs, tables, formulas and figures, without regard to how they are shown.

Text may hold formulas between dollar signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva.views.picture import AbstractPicture


@final
@dataclass(frozen=True)
class Paragraph:
    """Words."""

    text: str


@final
@dataclass(frozen=True)
class Table:
    """Columns with heads; numbers are those columns that are aligned to the right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


@final
@dataclass(frozen=True)
class Formulas:
    """Equations: left and right sides in LaTeX.   numbered: whether they get numbers.   folded: opened on demand."""

    lines: tuple[tuple[str, str], ...]
    numbered: bool = False
    folded: str = ""


@final
@dataclass(frozen=True, eq=False)
class Figure:
    """A picture with a caption."""

    picture: AbstractPicture
    caption: str


Block = Paragraph | Table | Formulas | Figure


@final
@dataclass(frozen=True)
class Section:
    """A heading and what is below it."""

    title: str
    blocks: tuple[Block, ...]
