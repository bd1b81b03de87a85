"""Equations of a mechanism with loops at one state, over all velocities of its tree or over independent ones.

With ξ = N v and ξ̇ = N a + d (see `loops`), and the equations M ξ̇ + c + g + p = B u of the tree,

    Nᵀ M N a + Nᵀ(c + M d + g + p) = Nᵀ B u .
"""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.evaluator import Evaluator
from visviva.forms.dynamics.frames import PlacedFrame
from visviva.forms.dynamics.loops import Loops, Motion
from visviva.forms.dynamics.model_forces import ModelForces, TreeInputs
from visviva.forms.minimal.constrained import constrained
from visviva.kernels.trees.evaluation import GRAVITY, MOTION, PASSIVE

ROUNDING = 64 * np.finfo(float).eps  # of the terms of a sum


@final
class ClosedEquations:
    """Each quantity of `Dynamics` at one state (q, v, s)."""

    def __init__(self, loops: Loops, tree: Evaluator, forces: ModelForces, inputs: TreeInputs) -> None:
        self.loops, self.tree, self.forces, self._inputs = loops, tree, forces, inputs
        self.form = loops.form

    def at(self, q: Array, v: Array, s: Array) -> Motion:
        """N, d and ξ."""
        return self.loops.at(q, v, s)

    def basis(self, q: Array, v: Array, s: Array) -> Array:
        """N, (n, nv)."""
        return self.at(q, v, s).N

    def velocities(self, q: Array, v: Array, s: Array) -> Array:
        """ξ, (n,)."""
        return self.at(q, v, s).xi.copy()  # those of the motion are kept

    def coriolis(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ(c + M d)."""
        motion = self.at(q, v, s)
        return motion.N.T @ self.tree.inverse(MOTION, q, motion.xi, motion.drift)

    def gravity(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ g."""
        return self.basis(q, v, s).T @ self.tree.inverse(MOTION | GRAVITY, q, None, None)

    def passive(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ p."""
        motion = self.at(q, v, s)
        if self.tree.passive:
            return motion.N.T @ self.tree.inverse(PASSIVE, q, motion.xi, None)
        return motion.N.T @ self.forces.passive(q, motion.xi, s)

    def input_matrix(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ B; where it is rounding beside the fastest velocity an input does not act, and it is zero."""
        N, B, sizes = self.basis(q, v, s), self.inputs(q, s), self.form.lengths
        found = N.T @ B
        fastest = (np.abs(N) / sizes[:, None]).max(axis=0, initial=0.0)
        found[np.abs(found) <= ROUNDING * np.outer(fastest, sizes @ np.abs(B))] = 0.0
        return np.asarray(found)

    def inputs(self, q: Array, s: Array) -> Array:
        """B over all velocities of the tree, (n, nu); by the Model where ports act in joints that the tree lacks."""
        return self.forces.input_matrix(q, s) if self._inputs.beyond else self._inputs.matrix(self.tree, q)

    def inverse(self, q: Array, v: Array, s: Array, a: Array) -> Array:
        """Nᵀ(M ξ̇ + c + g + p)."""
        motion = self.at(q, v, s)
        return motion.N.T @ self._forces(q, motion.xi, motion.N @ a + motion.drift, s)

    def _forces(self, q: Array, xi: Array, xi_dot: Array | None, s: Array) -> Array:
        """M ξ̇ + c + g + p over all velocities of the tree, (n,)."""
        if self.tree.passive:
            return self.tree.inverse(MOTION | GRAVITY | PASSIVE, q, xi, xi_dot)
        found = self.tree.inverse(MOTION | GRAVITY, q, xi, xi_dot) + self.forces.passive(q, xi, s)
        if xi_dot is not None and self.forces.tied:
            found = found + self.forces.tied_inertia(q, xi, s) @ xi_dot
        return found

    def mass_matrix(self, q: Array, s: Array) -> Array:
        """M of all velocities of the tree, (n, n)."""
        M = self.tree.mass_matrix(q)
        return M + self.forces.tied_inertia(q, np.zeros(len(M)), s) if self.forces.tied else M

    def forward(self, q: Array, v: Array, s: Array, u: Array | None = None, tau: Array | None = None) -> Array:
        """a, by the null space of the rows: it holds also where loops depend on each other."""
        motion, form, chosen = self.at(q, v, s), self.form, self.loops.independent
        xi, force = motion.xi, np.zeros(form.n) if u is None else self.inputs(q, s) @ u
        force = force - self._forces(q, xi, None, s)
        if tau is not None:
            force[slice(None) if chosen is None else chosen] += tau
        rows, who = self.loops.rows.at(q, s), f"mechanism {form.name!r}"
        found = constrained(
            self.mass_matrix(q, s), rows.Z, force, motion.row_rates, form.xi_names, who, form.rank, rows.terms,
            lambda: form.rank_at(q), form.lengths,
        ).a  # fmt: skip
        return found if chosen is None else found[chosen]

    def bias_acceleration(self, q: Array, v: Array, s: Array, frame: PlacedFrame, rows: int) -> Array:
        """J̇ ξ + J d."""
        motion, where = self.at(q, v, s), (frame.path, frame.X, rows, q)
        return self.tree.bias_acceleration(*where, motion.xi) + self.tree.jacobian(*where) @ motion.drift
