"""The table of what works with what, as the documentation shows it: `python tests/catalogue/readings_page.py`."""

from __future__ import annotations

from pathlib import Path

from parts import BODIES, ELEMENTS, JOINTS
from readings import READINGS
from refusals import REFUSED, WRONG

PAGE = Path(__file__).parents[2] / "docs" / "readings_table.txt"
COLUMNS = {  # what the page shows as one, where readings go together
    "`PHMP`": ("PHMP in NumPy", "PHMP compiled"),
    "`PHMPGGL`": ("PHMPGGL in NumPy", "PHMPGGL compiled"),
    "`LieMidpoint`": ("LieMidpoint in NumPy", "LieMidpoint compiled"),
    "continuation": ("continuation",),
    "directors": ("directors",),
    "minimal velocities": ("minimal velocities", "Hamel's form", "partially Lagrangian", "Kane's velocities"),
    "Kane's momenta": ("Kane's momenta",),
    "symbols": ("symbols",),
    "bond graph": ("bond graph",),
    "composite": ("composite",),
    "composite's run": ("composite's run", "joined composite"),
    "linearisation": ("linearisation",),
    "equilibrium": ("equilibrium",),
    "implicit system": ("implicit system",),
    "kinestatics": ("kinestatics",),
    "interconnection": ("interconnection",),
}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def table() -> str:
    """Tables of joints, elements and bodies, and the reasons that their numbers stand for."""
    assert {reading for group in COLUMNS.values() for reading in group} == {*READINGS}
    notes: dict[str, int] = {}
    parts = {
        "Joints": {name: name.replace("_", " ") for name in JOINTS},
        "Elements": {name: name for name in ELEMENTS},
        "Bodies and loops": {name: name for name in BODIES},
    }
    lines = []
    for title, names in parts.items():
        lines += [
            f"## {title}",
            "",
            "```{table}",
            ":class: readings",
            "",
            row(["", *COLUMNS]),
            "|---" * (len(COLUMNS) + 1) + "|",
        ]
        for name, shown in names.items():
            lines.append(row([shown, *(cell(name, readings, notes) for readings in COLUMNS.values())]))
        lines += ["```", ""]
    lines += ["## Why not", ""]
    lines += [f"{number}. {note}" for note, number in notes.items()]
    return "\n".join(lines) + "\n"


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(part: str, readings: tuple[str, ...], notes: dict[str, int]) -> str:
    """✓ where one of the readings agrees, and the number of what others say."""
    said = []
    for reading in readings:
        if part in REFUSED.get(reading, {}):
            said.append(REFUSED[reading][part].reason)
        if part in WRONG.get(reading, {}):
            said.append(f"Wrong, and known: {WRONG[reading][part][0].lower()}{WRONG[reading][part][1:]}")
    numbers = sorted({notes.setdefault(note, len(notes) + 1) for note in said})
    return ("✓" if len(said) < len(readings) else "") + ",".join(str(n) for n in numbers).translate(RAISED)


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
