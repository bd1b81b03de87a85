"""Small motions in momenta in place of velocities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from visviva._arrays import Array
from visviva.linear.system import LinearSystem


def in_momenta(system: LinearSystem, momenta: Mapping[str, str], M: Array, outputs: Iterable[str]) -> LinearSystem:
    """The same system at rest with p = M η in place of the velocities η.

    momenta: names of p by those of η, which are states, in the order of M.   outputs: those of η that are p instead.
    """
    at = np.array([system.states.index(name) for name in momenta], dtype=np.intp)
    T, back = np.eye(system.n), np.eye(system.n)
    T[np.ix_(at, at)], back[np.ix_(at, at)] = M, np.linalg.inv(M)
    C, shown = system.C @ back, list(system.outputs)
    for name in outputs:
        k = shown.index(name)
        C[k], shown[k] = np.eye(system.n)[system.states.index(name)], momenta[name]
    return replace(
        system,
        A=T @ system.A @ back,
        B=T @ system.B,
        C=C,
        states=tuple(momenta.get(name, name) for name in system.states),
        outputs=tuple(shown),
        units=dict(system.units) | dict.fromkeys(momenta.values(), ""),
        mechanics=None,
        shapes=None,
    )
