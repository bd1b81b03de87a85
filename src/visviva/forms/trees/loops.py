"""Compiled loops over time for trees: many steps of one scheme in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ConvergenceError, ModelError
from visviva.forms.flows.collocation import gauss_table
from visviva.forms.flows.explicit import RK4_TABLE, dop853_table
from visviva.forms.trees.acting import TreeActing
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.time_inputs import TreeInputs, no_inputs, unchanged

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.packed import PackedCall
    from visviva.kernels.trees.explicit import Stages
    from visviva.kernels.trees.field import Field
    from visviva.kernels.trees.gauss import Collocation

ITERATIONS = 50
ROUNDED = 1e-15  # of the velocities: what no iteration improves
SCHEMES = "RK4", "DOP853", "Adaptive", "Gauss8", "BalancedGauss8", "Relaxed"
EXPLICIT = "RK4", "DOP853"
FIXED = "RK4", "DOP853", "Gauss8", "BalancedGauss8"  # steps of one length


@final
@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Nodes of a motion, an equal time apart.

    work:       what was supplied, and what was dissipated, until each node [J], by the weights of the scheme.
    given:      what each input over time, or each port, has supplied until each node [J].
    impulse:    integral of each input over time.   heat: what each damper has taken, of those that act on bodies [J].
    steps:      of an adaptive scheme; refused: steps that it made again.   iterations: of Gauss schemes, in all steps.
    unrelaxed:  steps of Relaxed and BalancedGauss8 that have no balance of energy of their own, as at rest.
    """

    t: Array  # (nodes,)
    q: Array  # (nodes, size_q)
    xi: Array  # (nodes, n)
    work: Array  # (nodes, 2)
    given: Array  # (nodes, inputs)
    impulse: Array  # (nodes, inputs)
    heat: Array  # (nodes, dissipations)
    steps: int = 0
    refused: int = 0
    iterations: int = 0
    unrelaxed: int = 0


@final
@dataclass(frozen=True, eq=False)
class HeldSteps:
    """A packed call of explicit steps with inputs u that are held, see `held_steps`; its nodes, and sums of powers.

    parts: where the columns of work are those of `TreeMotion`: given, impulse, heat.
    """

    call: PackedCall
    u: Array
    Q: Array
    XI: Array
    work: Array
    parts: tuple[int, int, int]


@final
class TreeLoop:
    """`TreeLoop(dynamics, scheme)(q, xi, h, nodes)` steps a tree under constant τ, and inputs over time.

    scheme:    "RK4", "DOP853" (order 8, fixed steps), "Adaptive" (DOP853 with steps by its estimate of the error),
               "Gauss8" (implicit, symmetric, order 8; four stages at once), "Relaxed" and "BalancedGauss8" (DOP853 and
               Gauss8 that keep the balance of energy to rounding).
    tolerance: of Adaptive: largest local error of a step, as of `DOP853`. Of Gauss8: to what part of the velocities a
               step is solved; BalancedGauss8 solves it to rounding.
    sizes:     (n,) of Adaptive: units of the local coordinates; by default radians, and for shifts the mean distance of
               joints and centres of mass along the tree.
    acting:    what acts on its bodies. Inputs are then all of its inputs.

    Balls and free links are stepped in local coordinates of each step: their quaternions stay of length one.
    """

    def __init__(
        self,
        dynamics: TreeDynamics,
        scheme: str = "Adaptive",
        tolerance: float | None = None,
        acting: TreeActing | None = None,
        sizes: ArrayLike | None = None,
    ) -> None:
        if scheme not in SCHEMES:
            raise ModelError(f"there is no scheme {scheme!r} for trees; there are: {', '.join(SCHEMES)}.")
        usual = 1e-9 if scheme == "Adaptive" else 1e-12
        self.dynamics, self.scheme = dynamics, scheme
        self.tolerance = usual if tolerance is None else finite_number(tolerance, "tolerance", positive=True)
        self._lanes = 4 if scheme in ("Gauss8", "BalancedGauss8") else 0
        self._steps: Any = _collocation(dynamics) if self._lanes else _stages(dynamics, scheme)
        self.acting = acting
        self._units = _units(dynamics) if sizes is None else finite_vector(sizes, "sizes of a tree", dynamics.n)
        counts = scheme in ("Relaxed", "BalancedGauss8")
        self._field = field_of(dynamics, acting, lanes=bool(self._lanes), counts=counts)
        self._next = np.array([np.inf, 1.0])  # of Adaptive: next step, and error before it

    def restart(self) -> None:
        """Forget the last motion: Adaptive begins with steps as if made anew."""
        self._next[:] = np.inf, 1.0

    @property
    def c(self) -> Array:
        """Where in a step its stages are, as parts of it."""
        return np.asarray(self._steps.c)

    def __call__(
        self,
        q: ArrayLike,
        xi: ArrayLike,
        h: float,
        nodes: int,
        every: int = 1,
        tau: ArrayLike | None = None,
        inputs: TreeInputs | None = None,
        t0: float = 0.0,
    ) -> TreeMotion:
        """`nodes` nodes after the start at t0, `every` steps of length h apart.

        inputs: forces that are added to tau; `sampled` at the stages of fixed steps, for others `interpolated` between
        the nodes. Adaptive chooses its own steps between nodes. What cannot be stepped raises and says how far it came.
        """
        d = self.dynamics
        finite_number(h, "step h", positive=True)
        if nodes < 1 or every < 1:
            raise ModelError(f"a motion has at least one node and one step to it, got nodes={nodes}, every={every}.")
        Q, XI = np.empty((nodes + 1, d.size_q)), np.empty((nodes + 1, d.n))
        Q[0], XI[0] = finite_vector(q, "q of a tree", d.size_q), finite_vector(xi, "xi of a tree", d.n)
        d.check_quaternions(Q[0])
        given = no_inputs() if inputs is None else inputs
        self._check(given, nodes * every, t0, nodes * every * h)
        m, a = len(given.ports), self.acting
        ports, powers = (m, 2 + 2 * m) if a is None else (a.ports, a.powers)
        work, end = np.zeros((nodes + 1, powers)), np.zeros(5, dtype=np.int64)
        force = np.zeros(d.n) if tau is None else finite_vector(tau, "tau of a tree", d.n)
        self._field.tau.T[:] = force
        active = bool(m or a is not None or force.any() or d.parts.tables.E[:, 0].any())
        f = self._field._replace(constant=force, drive=given.drive(self._lanes), active=active)
        self._run(f, Q, XI, work, t0, h, every, end)
        self._refuse(end, t0, h * every)
        t = t0 + h * every * np.arange(nodes + 1, dtype=np.float64)
        adaptive, steps, other = self.scheme == "Adaptive", int(end[3]), int(end[4])
        first, last = 2 + ports, 2 + ports + m
        return TreeMotion(
            t, Q, XI, work[:, :2], work[:, 2:first], work[:, first:last], work[:, last:], steps * adaptive,
            other * adaptive, iterations=steps * bool(self._lanes), unrelaxed=other * (not adaptive),
        )  # fmt: skip

    def held(self, ports: Int, room: int) -> HeldSteps:
        """Explicit steps with inputs that are held, for other compiled code; room: how many at a time."""
        from visviva.kernels.packed import PackedCall
        from visviva.kernels.trees.explicit import held_steps

        d, m, a = self.dynamics, len(ports), self.acting
        given, powers = (m, 2 + 2 * m) if a is None else (a.ports, a.powers)
        drive = unchanged(ports, np.zeros(m)).drive(self._lanes)
        f = self._field._replace(constant=np.zeros(d.n), drive=drive, active=True)
        s = self._steps._replace(P=np.empty((len(self._steps.b), powers)))
        Q, XI, work = np.zeros((room + 1, d.size_q)), np.zeros((room + 1, d.n)), np.zeros((room + 1, powers))
        call = PackedCall(held_steps, (f, s, Q, XI, work, 0.0, 1.0, 0, 1), 2)
        return HeldSteps(call, drive.u, Q, XI, work, (2, 2 + given, 2 + given + m))

    def _run(self, f: Field, Q: Array, XI: Array, work: Array, t0: float, h: float, every: int, end: Int) -> None:
        from visviva.kernels.trees.balanced import balanced_steps
        from visviva.kernels.trees.explicit import adaptive_steps, fixed_steps, relaxed_steps
        from visviva.kernels.trees.gauss import gauss_steps

        d, s = self.dynamics, self._steps
        if not self._lanes:
            s = s._replace(P=np.empty((len(s.b), work.shape[1])))
        if self.scheme == "Gauss8":
            gauss_steps(f, s, Q, XI, work, t0, h, every, self.tolerance, ITERATIONS, end)
        elif self.scheme == "BalancedGauss8":
            size = self._energy_size(Q[0], XI[0])
            balanced_steps(f, s, Q, XI, work, t0, h, every, size, ROUNDED, ITERATIONS, end)
        elif self.scheme == "Adaptive":
            table = dop853_table()
            assert table.E5 is not None
            assert table.E3 is not None
            self._next[0] = min(self._next[0], h * every)
            adaptive_steps(
                f, s, table.E5, table.E3, self._units, Q, XI, work, t0, h * every, self.tolerance, self._next, end
            )
        elif self.scheme == "Relaxed":
            H = np.full(len(Q), self._energy(Q[0], XI[0]))
            x, y = np.empty(d.size_q), np.empty(d.n)
            relaxed_steps(f, s, Q, XI, work, H, x, y, t0, h, every, self._energy_size(Q[0], XI[0]), end)
        else:
            fixed_steps(f, s, Q, XI, work, t0, h, every, end)

    def _energy(self, q: Array, xi: Array) -> float:
        """Stored energy [J]."""
        found = float(self.dynamics.energy(q, xi))
        if self.acting is None or self.acting.pushes is not None:
            return found
        from visviva.kernels.trees.acting import stored_at, stores

        return found + stored_at(stores(), self._field.acting, q)

    def _energy_size(self, q: Array, xi: Array) -> float:
        """Size of its terms [J]."""
        return self.dynamics.energy_size(q, xi) if self.acting is None else self.acting.size(q, xi)

    def _check(self, given: TreeInputs, steps: int, t0: float, length: float) -> None:
        """An error where inputs are not there at all stages of a run."""
        if not len(given.ports) or given.constant is not None:
            return
        if self.scheme in FIXED and given.U.shape[:2] != (steps, len(self.c)):
            raise ModelError(
                f"{self.scheme} needs its inputs sampled at {steps} steps with {len(self.c)} stages each, got "
                f"{given.U.shape[:2]}: use visviva.forms.trees.time_inputs.sampled."
            )
        near = 1e-9 * length
        if self.scheme not in FIXED and not (given.breaks[0] <= t0 + near and given.breaks[-1] >= t0 + length - near):
            raise ModelError(
                f"{self.scheme} needs its inputs interpolated from {t0:g} s to {t0 + length:g} s: use "
                "visviva.forms.trees.time_inputs.interpolated."
            )

    def _refuse(self, end: Int, t0: float, interval: float) -> None:
        from visviva.kernels.trees.field import SINGULAR, STALLED

        if end[1] == SINGULAR:
            self.dynamics.refuse_singular(int(end[2]))
        if end[1] == STALLED:
            way = "a larger tolerance" if self.scheme == "Adaptive" else "smaller steps"
            reached = t0 + end[0] * interval
            raise ConvergenceError(
                f"{self.scheme} could not solve a step after t = {reached:g} s; nothing of it was kept.\n"
                f"Accelerations change too fast for it: take {way}, or PHMP on the mechanism if springs are stiff."
            )


def _units(dynamics: TreeDynamics) -> Array:
    """Radians, and lengths relative to those of the tree."""
    links = dynamics.tree.links
    arms = np.linalg.norm([r for link in links for r in (link.X_PJ[:3, 3], link.com)], axis=-1)
    length = float(arms[arms > 0].mean()) if (arms > 0).any() else 1.0
    each = {"hinge": [1.0], "slider": [length], "ball": [1.0] * 3, "free": [1.0] * 3 + [length] * 3, "fixed": []}
    return np.array([unit for link in links for unit in each[link.kind]])


def field_of(
    dynamics: TreeDynamics, acting: TreeActing | None = None, *, lanes: bool = False, counts: bool = False
) -> Field:
    """Its tables and addresses. lanes: of four evaluations at once.   counts: with energies."""
    from visviva.kernels.trees.addresses import accelerations, accelerations_in_lanes, energies
    from visviva.kernels.trees.field import Field
    from visviva.kernels.trees.lanes import WIDTH
    from visviva.kernels.trees.tables import memory

    T, n, wide = dynamics.parts.tables, dynamics.n, (WIDTH,) if lanes else ()
    forward = accelerations_in_lanes() if lanes else accelerations()
    addresses = np.array([forward, energies() if counts else 0, 0, 0])
    tau, none, W = np.zeros((n, *wide)), np.zeros((0, 6, *wide)), memory(T, *wide)
    drive, row, P = no_inputs().drive(*wide), np.zeros(0, dtype=np.int64), np.zeros((0, *wide))
    f = Field(addresses, dynamics.sizes(), T.C, T.K, T.E, np.zeros(n), drive, tau, False, none, W, row, P)
    if acting is None:
        return f
    addresses[2:] = acting.addresses(counts=counts)
    L, P = acting.wrenches(wide), np.zeros((acting.powers, *wide))
    return f._replace(sizes=dynamics.sizes(len(L)), L=L, acting=acting.row(*wide or (1,)), P=P)


def _stages(dynamics: TreeDynamics, scheme: str) -> Stages:
    from visviva.kernels.trees.explicit import Stages

    n, table = dynamics.n, RK4_TABLE if scheme == "RK4" else dop853_table()
    s = len(table.b)
    D, V, P = np.empty((s, n)), np.empty((s, n)), np.empty((s, 2))
    return Stages(
        np.ascontiguousarray(table.A), table.b, table.c, D, V, P, np.empty(n), np.empty(n), np.empty(dynamics.size_q),
        np.empty(n),
    )  # fmt: skip


def _collocation(dynamics: TreeDynamics) -> Collocation:
    """The points of Gauss and Legendre; values go on from step to step by their polynomial."""
    from visviva.kernels.trees.gauss import Collocation
    from visviva.kernels.trees.tables import memory

    table, n, size = gauss_table(), dynamics.n, dynamics.size_q
    a, found, delta, rate, xi = np.zeros((5, n, 4))
    onwards = np.ascontiguousarray(table.continued(1.0))
    return Collocation(
        np.ascontiguousarray(table.A), table.b, table.c, onwards, a, found, delta, rate, xi, np.empty((size, 4)),
        np.empty(n), np.empty(size), np.empty(n), memory(dynamics.parts.tables),
    )  # fmt: skip
