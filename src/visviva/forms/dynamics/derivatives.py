"""Derivatives of forward dynamics by configuration, velocities and inputs.

Of a tree a = M⁻¹(f - c - g) with the force f = B u - passive, so that

    ∂a = ∂a|_f + M⁻¹ ∂f,

where the first part is analytic, at the force that the accelerations take, and f is linear, or differentiated by
extrapolated differences. With loops a itself is, along independent velocities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.differences import slopes
from visviva.kernels.trees.evaluation import GRAVITY, MOTION

if TYPE_CHECKING:
    from visviva.forms.dynamics.handle import Dynamics


def derivatives(
    d: Dynamics, q: ArrayLike, v: ArrayLike, u: ArrayLike | None, s: ArrayLike | None
) -> tuple[Array, Array, Array]:
    """By q along velocities, by v, and by u."""
    inputs = np.zeros(d.nu) if u is None else u
    if d.tree.forces is not None:
        return d.tree.derivatives(q, v, inputs)
    one = _of_tree if d.loops is None else _of_loops
    found = d.batches.over(one, d, q=q, v=v, s=d.states(q) if s is None else s, u=inputs)
    return found[0], found[1], found[2]


def _of_tree(q: Array, v: Array, s: Array, d: Dynamics, u: Array) -> tuple[Array, Array, Array]:
    a = d.forward(q, v, u, s=s)
    by_q, by_v, inverse = d.tree.dynamics.derivatives(q, v, d.tree.inverse(MOTION | GRAVITY, q, v, a))

    def force(steps: Array) -> Array:
        """B u - passive at some steps (k, 2 n) of q and v."""
        there, rates = d.integrate(q, steps[:, : d.nv]), v + steps[:, d.nv :]
        return np.asarray(d.input_matrix(there) @ u - d.passive(there, rates, s=s))

    slope = _slopes(d, force, np.abs(d.tree.inverse(MOTION | GRAVITY, q, v, a)), "forces")
    return by_q + inverse @ slope[:, : d.nv], by_v + inverse @ slope[:, d.nv :], inverse @ d.input_matrix(q)


def _of_loops(q: Array, v: Array, s: Array, d: Dynamics, u: Array) -> tuple[Array, Array, Array]:
    loops = d.loops
    assert loops is not None
    if loops.independent is None:
        raise ModelError(
            f"mechanism {d.name!r} has constraints beyond a tree of joints: derivatives of accelerations are by\n"
            "independent velocities. Choose them: vv.dynamics(m, independent='rank'), or by name."
        )
    if not loops.holonomic:
        raise ModelError(
            f"mechanism {d.name!r} rolls: its configurations have more dimensions than its {d.nv} velocities, and no\n"
            "derivative by q along velocities says all. Take vv.linearise(m)."
        )
    M, B = d.mass_matrix(q), d.input_matrix(q)

    def accelerations(steps: Array) -> Array:
        return d.forward(d.integrate(q, steps[:, : d.nv]), v + steps[:, d.nv :], u, s=s)

    terms = np.abs(np.linalg.inv(M)) @ (np.abs(d.gravity(q)) + np.abs(d.coriolis(q, v)) + np.abs(B) @ np.abs(u))
    slope = _slopes(d, accelerations, terms, "accelerations")
    return slope[:, : d.nv], slope[:, d.nv :], np.asarray(np.linalg.solve(M, B), dtype=np.float64)


def _slopes(d: Dynamics, f: Callable[[Array], Array], terms: Array, what: str) -> Array:
    """∂f (nv, 2 nv) by steps of q and v, or an error that names a direction in which f has a kink."""
    found = slopes(f, 2 * d.nv, np.tile(d.sizes, 2), terms)
    if found.rough:
        name = d.names[found.rough[0] % d.nv]
        by = "configuration" if found.rough[0] < d.nv else "velocity"
        raise ModelError(
            f"{what} of mechanism {d.name!r} have no derivative here by the {by} along {name!r}: they have a kink, as "
            "at the edge of a stop,\nor change within steps too small to be seen. Ask near by."
        )
    return found.J
