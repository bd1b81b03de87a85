"""Quantities by name that the record of a run does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.errors import UntoldError
from visviva.results.port_names import power_readers

if TYPE_CHECKING:
    from visviva.results.run import Run

REACTIONS = tuple(f".reaction{axes}{at}" for axes in ("", "_world") for at in ("", "_mid"))  # ends of their names


def untold(run: Run, names: list[str]) -> set[str]:
    """Those of some names that cannot be read.

    Powers of ports, where steps of the scheme are no midpoints; reactions at the nodes, where boxes hold inertias: the
    force that turns a rotor is no function of the state.
    """
    if run.recorded is not None:
        return set()
    powers = sorted(set(names) & set(power_readers(run)))
    left = set(powers) if powers and not _told(run, powers[0]) else set()  # all of them, or none
    return left | {name for name in names if name.endswith(REACTIONS) and not _told(run, name)}


def _told(run: Run, name: str) -> bool:
    try:
        run[name]
    except UntoldError:
        return False
    return True
