"""States of self-stress of a mechanism: wrenches that its joints carry without any load.

Those that a single loop carries come first, with the principal screws of its wrenches; then what only several loops can
carry together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.screws import Screw, System
from visviva.mechanism.freedoms import WRENCHES, phrase
from visviva.numerics.rank import TOLERANCE
from visviva.structure.subspace import range_and_complement

if TYPE_CHECKING:
    from visviva.mechanism.network import MechanismNetwork

State = dict[str, Screw | Array]  # wrenches on joints as screws (f; m), multipliers of conditions


def stresses_of(network: MechanismNetwork, loops: Sequence[tuple[Sequence[str], System]]) -> tuple[State, ...]:
    """All states, as a basis. loops: the joints of each, and the wrenches that can run round it."""
    kinestatics, Y = network.kinestatics, network.kinestatics.self_stresses()
    where, states = kinestatics.rows(), np.zeros((len(Y), 0))
    for joints, stress in loops:
        outside = [Y[rows] for name, rows in where.items() if name not in joints]
        silent = range_and_complement(np.vstack([Y[:0], *outside]).T, scale=1.0, tolerance=TOLERANCE)[1]
        states = np.hstack([states, _principal(network, Y @ silent, joints[0], stress)])
    beside = range_and_complement(Y.T @ states, scale=1.0, tolerance=TOLERANCE)[1]
    return tuple(_state(network, y) for y in np.hstack([states, Y @ beside]).T)


def _principal(network: MechanismNetwork, Y: Array, joint: str, stress: System) -> Array:
    """The states of one loop that have the principal screws of its wrenches at a joint, as far as Y is all of them."""
    if Y.shape[1] != stress.rank:
        return Y
    wanted = np.array([screw.as_wrench() for screw in stress.principal().screws]).reshape(-1, 6)
    wrenches = network.kinestatics.pairs[joint].A.T @ Y[network.kinestatics.rows()[joint]]
    return np.asarray(Y @ np.linalg.lstsq(wrenches, wanted.T, rcond=None)[0])


def _state(network: MechanismNetwork, y: Array) -> State:
    """One state by joint and condition, without those that have no part in it; the largest force or couple is 1."""
    state: State = {}
    for name, rows in network.kinestatics.rows().items():
        share = np.where(np.abs(y[rows]) > TOLERANCE * np.abs(y).max(), y[rows], 0.0)
        if share.any():
            pair = network.kinestatics.pairs.get(name)
            state[name] = share if pair is None else Screw.of_wrench(pair.A.T @ share)
    sizes = [part.magnitude if isinstance(part, Screw) else float(np.abs(part).max()) for part in state.values()]
    return {name: part * (1 / max(sizes)) for name, part in state.items()}


def lines_of_state(state: State) -> list[tuple[str, str]]:
    """Joints with one wrench on one line, '-' before those with its opposite."""
    groups: list[tuple[Screw, list[str]]] = []
    lines: list[tuple[str, str]] = []
    for name, part in state.items():
        if not isinstance(part, Screw):
            lines.append((name, "multiplier " + ", ".join(f"{value:.6g}" for value in part)))
            continue
        for other, names in groups:
            for sign, mark in ((1.0, ""), (-1.0, "-")):
                if np.allclose(part.vector, sign * other.vector, rtol=0, atol=1e-9 * np.abs(other.vector).max()):
                    names.append(mark + name)
                    break
            else:
                continue
            break
        else:
            groups.append((part, [name]))
    shown = [(", ".join(names), f"{part.magnitude:.6g} × {phrase(part, WRENCHES)}") for part, names in groups]
    return shown + lines
