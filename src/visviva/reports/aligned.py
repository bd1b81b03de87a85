"""The lines of an `aligned` environment."""

from __future__ import annotations

Lines = list[tuple[str, str]]
WHERE = r"\text{where}\quad "


def lines_of(latex: str) -> tuple[Lines, Lines]:
    """Left and right sides of the equations, and of what is said below them."""
    body = latex.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    found: tuple[Lines, Lines] = [], []
    below = False
    for line in body.split(" \\\\\n"):
        below = below or line.startswith(WHERE)
        left, _, right = line.removeprefix(WHERE).partition(" &= ")
        found[below].append((left.strip(), right))
    return found
