"""Compiled loops over time for trees: many steps of one scheme in one call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ConvergenceError, ModelError
from visviva.forms.trees.dynamics import TreeDynamics

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.trees.explicit import Stages
    from visviva.kernels.trees.field import Field
    from visviva.kernels.trees.gauss import Collocation

ITERATIONS = 50
SCHEMES = "RK4", "DOP853", "Adaptive", "Gauss8", "Relaxed"


@final
@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Nodes of a motion, an equal time apart.

    work:       what τ has supplied, and what damping has taken, until each node [J], by the weights of the scheme.
    steps:      of an adaptive scheme; refused: steps that it made again.   iterations: of Gauss8, in all steps.
    unrelaxed:  steps of Relaxed that have no balance of energy of their own, as at rest.
    """

    t: Array  # (nodes,)
    q: Array  # (nodes, size_q)
    xi: Array  # (nodes, n)
    work: Array  # (nodes, 2)
    steps: int = 0
    refused: int = 0
    iterations: int = 0
    unrelaxed: int = 0


@final
class TreeLoop:
    """`TreeLoop(dynamics, scheme)(q, xi, h, nodes)` steps a tree under constant τ.

    scheme:    "RK4", "DOP853" (order 8, fixed steps), "Adaptive" (DOP853 with steps by its estimate of the error),
               "Gauss8" (implicit, symmetric, order 8; four stages at once), "Relaxed" (DOP853 that keeps the balance of
               energy to rounding).
    tolerance: of Adaptive: error of a step per 1 + size of the state. Of Gauss8: to what part of the velocities a step
               is solved.

    Balls and free links are stepped in local coordinates of each step: their quaternions stay of length one.
    """

    def __init__(self, dynamics: TreeDynamics, scheme: str = "Adaptive", tolerance: float | None = None) -> None:
        if scheme not in SCHEMES:
            raise ModelError(f"there is no scheme {scheme!r} for trees; there are: {', '.join(SCHEMES)}.")
        usual = 1e-9 if scheme == "Adaptive" else 1e-12
        self.dynamics, self.scheme = dynamics, scheme
        self.tolerance = usual if tolerance is None else finite_number(tolerance, "tolerance", positive=True)
        self._steps: Any = _collocation(dynamics) if scheme == "Gauss8" else _stages(dynamics, scheme)
        self._field = _field(dynamics, scheme)
        self._next = np.array([np.inf, 1.0])  # of Adaptive: next step, and error before it

    def __call__(
        self, q: ArrayLike, xi: ArrayLike, h: float, nodes: int, every: int = 1, tau: ArrayLike | None = None
    ) -> TreeMotion:
        """`nodes` nodes after the start, `every` steps of length h apart.

        Adaptive chooses its own steps between nodes. What cannot be stepped raises, and says how far it came.
        """
        d = self.dynamics
        finite_number(h, "step h", positive=True)
        if nodes < 1 or every < 1:
            raise ModelError(f"a motion has at least one node and one step to it, got nodes={nodes}, every={every}.")
        Q, XI = np.empty((nodes + 1, d.size_q)), np.empty((nodes + 1, d.n))
        Q[0], XI[0] = finite_vector(q, "q of a tree", d.size_q), finite_vector(xi, "xi of a tree", d.n)
        d.check_quaternions(Q[0])
        work, end = np.zeros((nodes + 1, 2)), np.zeros(5, dtype=np.int64)
        force = np.zeros(d.n) if tau is None else np.array(finite_vector(tau, "tau of a tree", d.n))
        self._run(force, Q, XI, work, h, every, end)
        self._refuse(end, h * every)
        t = h * every * np.arange(nodes + 1, dtype=np.float64)
        adaptive, gauss, relaxed = (self.scheme == name for name in ("Adaptive", "Gauss8", "Relaxed"))
        steps, other = int(end[3]), int(end[4])
        return TreeMotion(
            t, Q, XI, work, steps * adaptive, other * adaptive, iterations=steps * gauss, unrelaxed=other * relaxed
        )

    def _run(self, tau: Array, Q: Array, XI: Array, work: Array, h: float, every: int, end: Int) -> None:
        from visviva.kernels.trees.explicit import adaptive_steps, fixed_steps, relaxed_steps
        from visviva.kernels.trees.gauss import gauss_steps

        d, s = self.dynamics, self._steps
        self._field.tau.T[:] = tau
        f = self._field._replace(active=bool(tau.any() or d.parts.tables.E[:, 0].any()))
        if self.scheme == "Gauss8":
            gauss_steps(f, s, Q, XI, work, h, every, self.tolerance, ITERATIONS, end)
        elif self.scheme == "Adaptive":
            _, _, e5, e3 = _dop853()
            self._next[0] = min(self._next[0], h * every)
            adaptive_steps(f, s, e5, e3, Q, XI, work, h * every, self.tolerance, self._next, end)
        elif self.scheme == "Relaxed":
            H = np.full(len(Q), float(d.energy(Q[0], XI[0])))
            x, y = np.empty(d.size_q), np.empty(d.n)
            relaxed_steps(f, s, Q, XI, work, H, x, y, h, every, d.energy_size(Q[0], XI[0]), end)
        else:
            fixed_steps(f, s, Q, XI, work, h, every, end)

    def _refuse(self, end: Int, interval: float) -> None:
        from visviva.kernels.trees.field import SINGULAR, STALLED

        if end[1] == SINGULAR:
            self.dynamics.refuse_singular(int(end[2]))
        if end[1] == STALLED:
            way = "a larger tolerance" if self.scheme == "Adaptive" else "smaller steps"
            raise ConvergenceError(
                f"{self.scheme} could not solve a step after t = {end[0] * interval:g} s; nothing of it was kept.\n"
                f"Accelerations change too fast for it: take {way}, or PHMP on the mechanism if springs are stiff."
            )


def _field(dynamics: TreeDynamics, scheme: str) -> Field:
    from visviva.kernels.trees.addresses import accelerations, accelerations_in_lanes, energies
    from visviva.kernels.trees.field import Field
    from visviva.kernels.trees.lanes import WIDTH
    from visviva.kernels.trees.tables import memory

    T, lanes = dynamics.parts.tables, (WIDTH,) if scheme == "Gauss8" else ()
    forward = accelerations_in_lanes() if lanes else accelerations()
    addresses = np.array([forward, energies() if scheme == "Relaxed" else 0])
    tau, none, W = np.zeros((dynamics.n, *lanes)), np.zeros((0, 6, *lanes)), memory(T, *lanes)
    return Field(addresses, dynamics.sizes(), T.C, T.K, T.E, tau, False, none, W)


def _stages(dynamics: TreeDynamics, scheme: str) -> Stages:
    from visviva.kernels.trees.explicit import Stages

    n = dynamics.n
    A, b = _rk4() if scheme == "RK4" else _dop853()[:2]
    s = len(b)
    D, V, P = np.empty((s, n)), np.empty((s, n)), np.empty((s, 2))
    return Stages(A, b, D, V, P, np.empty(n), np.empty(n), np.empty(dynamics.size_q), np.empty(n))


def _rk4() -> tuple[Array, Array]:
    A = np.zeros((4, 4))
    A[1, 0] = A[2, 1] = 0.5
    A[3, 2] = 1.0
    return A, np.array([1.0, 2.0, 2.0, 1.0]) / 6.0


@cache
def _dop853() -> tuple[Array, Array, Array, Array]:
    """A, b and the weights of two estimates of the error, as SciPy has them (Hairer, Nørsett, Wanner (1993))."""
    from scipy.integrate import DOP853

    A, b = np.ascontiguousarray(DOP853.A[:12, :12]), np.array(DOP853.B)
    return A, b, np.array(DOP853.E5[:12]), np.array(DOP853.E3[:12])


def _collocation(dynamics: TreeDynamics) -> Collocation:
    """The points of Gauss and Legendre; values go on from step to step by their polynomial."""
    from visviva.kernels.trees.gauss import Collocation

    x, w = np.polynomial.legendre.leggauss(4)
    c, b = 0.5 * (x + 1.0), 0.5 * w
    powers = np.arange(4)
    inverse = np.linalg.inv(c[:, None] ** powers)
    A = c[:, None] ** (powers + 1) / (powers + 1) @ inverse
    onwards = (1.0 + c[:, None]) ** powers @ inverse
    n, size = dynamics.n, dynamics.size_q
    a, found, delta, rate, xi = np.zeros((5, n, 4))
    return Collocation(A, b, c, onwards, a, found, delta, rate, xi, np.empty((size, 4)), np.empty(n), np.empty(size))
