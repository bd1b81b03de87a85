"""Tables of rows: for the terminal, and for the page about performance."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from benchmarks.row import Row

HEADS = "measured", "visviva", "peer", "peer takes"


def title(module: ModuleType) -> str:
    """The first line of what a module says of itself."""
    return (module.__doc__ or "").splitlines()[0]


def text(rows: list[Row]) -> Iterator[str]:
    """Lines in columns."""
    table = [HEADS, *(row.cells for row in rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(HEADS))]
    for line in table:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def markdown(rows: list[Row]) -> Iterator[str]:
    """A table of a page; columns that would be empty are left out."""
    kept = [k for k in range(len(HEADS)) if any(row.cells[k] for row in rows)]
    for line in (HEADS, ["---"] * len(HEADS), *(row.cells for row in rows)):
        yield "| " + " | ".join(line[k] for k in kept) + " |"
