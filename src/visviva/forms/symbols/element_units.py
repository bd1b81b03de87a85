"""Units of the parameters of springs and dampers."""

from __future__ import annotations

from collections.abc import Iterable

LINE = {"k": "N/m", "length": "m", "low": "m", "high": "m", "width": "m"}
TURN_UNITS = {"k": "N m/rad", "rest": "rad", "low": "rad", "high": "rad", "width": "rad"}
STIFF = {0: "N m", 1: "N", 2: "N/m"}  # of an energy over turns and shifts, by how many of both are shifts
VISCOUS = {0: "N m s", 1: "N s", 2: "N s/m"}


def pose_units(names: Iterable[str]) -> dict[str, str]:
    """Of the numbers of energies of a pose, see `mechanism.energies`: K, G, B by row and column, c by entries of y."""
    return {name: _of_entry(name[1:]) if name[0] == "c" else STIFF[_shifts(name[0], name[1:])] for name in names}


def _of_entry(place: str) -> str:
    """c of the constant, of ½ d·d, of Pᵀd and Cᵀd, and of PᵀC."""
    return "J" if not place else "N/m" if place == "0" else "N" if int(place) < 7 else "N m"


def _shifts(letter: str, places: str) -> int:
    """How many of row and column are shifts: of (ω; v) for K, of rows (R, p) for B; G is of turns alone."""
    if letter == "G":
        return 0
    return sum(k >= 3 if letter == "K" else k % 4 == 3 for k in _row_and_column(places))


def _row_and_column(places: str) -> tuple[int, int]:
    """Of an upper triangle: "110" is row 1, column 10."""
    options = [(places[:k], places[k:]) for k in range(1, len(places))]
    return next((int(i), int(j)) for i, j in options if j == str(int(j)) and int(i) <= int(j))


def damping_unit(n: int, i: int, j: int) -> str:
    """Of an entry of a damper's matrix over the rates of a length, of p, of (R, p) or of (½ d·d, p, Cᵀd, R)."""
    shifts = {12: range(9, 12), 16: range(1, 7)}.get(n, range(n))
    return VISCOUS[(i in shifts) + (j in shifts)]
