"""Which components of the wrench (m; f) rotors are asked for: all that they reach, or those that are chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva._arrays import Array
from visviva.copter.vehicles.vehicle import RANK_RTOL, Vehicle
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name

COMPONENTS = ("tau_x", "tau_y", "tau_z", "F_x", "F_y", "F_z")  # of a wrench (m; f)


def wrench_rows(vehicle: Vehicle, chosen: Sequence[str] | None = None) -> tuple[str, ...]:
    """Components that can be asked for one by one, each with any sign for small changes.

    chosen: by name. Without, all that any rotor contributes to, as long as they do not depend on each other.
    """
    B = _scaled(vehicle)
    if chosen is None:
        reached = np.abs(B).max(axis=1) > RANK_RTOL * np.abs(B).max()
        names = tuple(name for name, some in zip(COMPONENTS, reached, strict=True) if some)
        way = f"Choose as many as there are inputs, {vehicle.split_allocation.shape[1]} at most: components=[...]."
    else:
        for name in chosen:
            if name not in COMPONENTS:
                raise unknown_name(name, COMPONENTS, f"the wrench on vehicle {vehicle.name!r}")
        if isinstance(chosen, str) or len(set(chosen)) < len(chosen) or not chosen:
            raise ModelError(f"components are a list of different names, some of {', '.join(COMPONENTS)}: {chosen!r}.")
        names, way = tuple(chosen), "Leave out one of those that are tied to each other."
    rows = B[[COMPONENTS.index(name) for name in names]]
    U, s, _ = np.linalg.svd(rows)
    rank = int((s > RANK_RTOL * s[0]).sum()) if s[0] > 0 else 0
    if rank < len(names):
        tied = [name for name, part in zip(names, np.abs(U[:, rank:]).max(axis=1), strict=True) if part > RANK_RTOL]
        raise ModelError(
            f"the rotors of vehicle {vehicle.name!r} do not choose {', '.join(tied)} independently of each other: "
            f"of {len(names)} components they reach {rank}.\n{way}"
        )
    return names


def row_numbers(names: Sequence[str]) -> list[int]:
    """Of components in a wrench (m; f)."""
    return [COMPONENTS.index(name) for name in names]


def _scaled(vehicle: Vehicle) -> Array:
    """Allocation with moments in units of the vehicle's size."""
    size = max(float(np.linalg.norm(rotor.position)) for rotor in vehicle.rotors)
    scale = np.array([size, size, size, 1.0, 1.0, 1.0])
    return np.asarray(vehicle.split_allocation / scale[:, None])
