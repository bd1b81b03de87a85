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
from visviva.forms.dynamics.model_forces import ModelForces
from visviva.kernels.trees.evaluation import GRAVITY, MOTION


@final
class ClosedEquations:
    """Each quantity of `Dynamics` at one state (q, v, s)."""

    def __init__(self, loops: Loops, tree: Evaluator, forces: ModelForces) -> None:
        self.loops, self.tree, self.forces = loops, tree, forces
        self.form = loops.form

    def at(self, q: Array, v: Array, s: Array) -> Motion:
        """N, d and ξ."""
        return self.loops.at(q, v, s)

    def basis(self, q: Array, v: Array, s: Array) -> Array:
        """N, (n, nv)."""
        return self.at(q, v, s).N

    def velocities(self, q: Array, v: Array, s: Array) -> Array:
        """ξ, (n,)."""
        return self.at(q, v, s).point.xi

    def coriolis(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ(c + M d)."""
        motion = self.at(q, v, s)
        return motion.N.T @ self.tree.inverse(MOTION, q, motion.point.xi, motion.drift)

    def gravity(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ g."""
        return self.basis(q, v, s).T @ self.tree.inverse(MOTION | GRAVITY, q, None, None)

    def passive(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ p."""
        motion = self.at(q, v, s)
        return motion.N.T @ self.forces.passive(q, motion.point.xi, s)

    def input_matrix(self, q: Array, v: Array, s: Array) -> Array:
        """Nᵀ B."""
        return self.basis(q, v, s).T @ self.forces.input_matrix(q, s)

    def inverse(self, q: Array, v: Array, s: Array, a: Array) -> Array:
        """Nᵀ(M ξ̇ + c + g + p)."""
        motion = self.at(q, v, s)
        xi = motion.point.xi
        force = self.tree.inverse(MOTION | GRAVITY, q, xi, motion.N @ a + motion.drift)
        return motion.N.T @ (force + self.forces.passive(q, xi, s))

    def forward(self, q: Array, v: Array, s: Array, u: Array | None = None, tau: Array | None = None) -> Array:
        """a, by the null space of the rows: it holds also where loops depend on each other."""
        motion, form, chosen = self.at(q, v, s), self.form, self.loops.independent
        xi, force = motion.point.xi, np.zeros(form.n) if u is None else self.forces.input_matrix(q, s) @ u
        force = force - self.tree.inverse(MOTION | GRAVITY, q, xi, None) - self.forces.passive(q, xi, s)
        if tau is not None:
            force[slice(None) if chosen is None else chosen] += tau
        found = form.constrained(motion.point, force, motion.point.row_rates(np.zeros(len(form.inputs.base)))).a
        return found if chosen is None else found[chosen]

    def bias_acceleration(self, q: Array, v: Array, s: Array, frame: PlacedFrame, rows: int) -> Array:
        """J̇ ξ + J d."""
        motion, where = self.at(q, v, s), (frame.path, frame.X, rows, q)
        return self.tree.bias_acceleration(*where, motion.point.xi) + self.tree.jacobian(*where) @ motion.drift
