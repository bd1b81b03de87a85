"""Long right-hand sides over several lines, broken before signs that nothing encloses."""

from __future__ import annotations

import re

from visviva.forms.symbols.text import visible

LONG = 100  # characters that are shown in a line
_PIECE = re.compile(r"\\left|\\right|\\begin\{\w+\}|\\end\{\w+\}|[{}]| [+-] |.", re.DOTALL)


def broken(latex: str, long: int = LONG) -> list[str]:
    """The lines of a formula; later ones begin with their sign."""
    parts, depth, current = list[str](), 0, ""
    for piece in _PIECE.findall(latex):
        if piece in (" + ", " - ") and depth == 0:
            parts.append(current)
            current = piece.lstrip()
            continue
        depth += (piece == "{" or piece == "\\left" or piece.startswith("\\begin")) - (
            piece == "}" or piece == "\\right" or piece.startswith("\\end")
        )
        current += piece
    lines = [""]
    for part in (*parts, current):
        if lines[-1] and visible(lines[-1] + part) > long:
            lines.append(part)
        else:
            lines[-1] = f"{lines[-1]} {part}".strip()
    return lines
