"""Reads the single-joint cases of MSC ADAMS: the model (.adm) and its histories. The files are not part of the project.

They are looked for in the folder that the environment variable VISVIVA_ADAMS names, else beside the project, in
shared/data/adams.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(os.environ.get("VISVIVA_ADAMS", Path(__file__).parents[3] / "shared" / "data" / "adams"))
HISTORIES = ("Pos", "Vel", "Acc", "Quat", "Avel", "Aacc", "Rforce", "Rtorque")


@dataclass(frozen=True)
class Marker:
    """A frame: part it sits on, origin and axes in the world at the start."""

    part: int
    at: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Case:
    """The second part, the joint between the ground (marker I) and it (marker J), and gravity along z."""

    mass: float
    moments: np.ndarray
    centre: Marker
    kind: str | None
    I: Marker | None
    J: Marker | None
    gravity: float


def read_case(name):
    """The model of a case, from its statements KEYWORD/number, key = values, ..."""
    text = (ROOT / f"test_{name}_Case01.adm").read_text(encoding="latin-1")
    lines = [line.strip() for line in text.splitlines() if not line.startswith("!")]
    joined = re.sub(r"\n\s*,", ",", "\n".join(lines))
    statements = {}
    for line in joined.splitlines():
        if found := re.match(r"(\w+)/\s*(\d*)\s*,?\s*(.*)", line):
            keyword, number, rest = found.groups()
            statements[keyword, int(number or 0)] = rest
    markers = {number: _marker(rest) for (keyword, number), rest in statements.items() if keyword == "MARKER"}
    part = statements["PART", 2]
    joint = statements.get(("JOINT", 1))
    kind = None if joint is None else re.match(r"\w+", joint).group().lower()
    ends = [None if joint is None else markers[int(_numbers(joint, key)[0])] for key in ("I", "J")]
    return Case(
        mass=_numbers(part, "MASS")[0],
        moments=_numbers(part, "IP"),
        centre=markers[int(_numbers(part, "CM")[0])],
        kind=kind,
        I=ends[0],
        J=ends[1],
        gravity=_numbers(statements["ACCGRAV", 0], "KGRAV")[0],
    )


def read_histories(folder, stem):
    """By name, the columns after time; and the times."""
    tables = {what: np.loadtxt(ROOT / folder / f"{stem}_Case01_ADAMS_{what}.txt", skiprows=3) for what in HISTORIES}
    return tables["Pos"][:, 0], {what: table[:, 1:] for what, table in tables.items()}


def _marker(rest):
    angles = np.radians(_numbers(rest, "REULER", (0, 0, 0)))
    return Marker(int(_numbers(rest, "PART")[0]), _numbers(rest, "QP", (0, 0, 0)), _euler_313(*angles))


def _numbers(rest, key, default=None):
    found = re.search(rf"(?:^|[,\s]){key}\s*=\s*((?:[-+.\dE]+D?\s*,?\s*)+)", rest)
    if found is None:
        if default is None:
            raise ValueError(f"{key} is missing in: {rest}")
        return np.array(default, float)
    return np.array([float(number.rstrip("D")) for number in re.findall(r"[-+.\dE]+D?", found.group(1))])


def _euler_313(a, b, c):
    def about_z(t):
        return np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]])

    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return about_z(a) @ about_x @ about_z(c)
