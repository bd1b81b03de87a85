"""The motion of a rigid system as formulas: numbers of its frames, rows and forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula
from visviva.bonds.kane import AbstractMotion, Closure
from visviva.bonds.numeric_formula import NumericRole, numeric_formula
from visviva.bonds.operations import known_flow
from visviva.errors import ModelError
from visviva.forms.calculus.commutation import commutation
from visviva.forms.kane.autonomous import RATE
from visviva.forms.kane.matrices import KaneMatrices, kane_matrices, lie_poisson
from visviva.forms.kane.system import TIME
from visviva.forms.minimal.constrained import constrained
from visviva.forms.rigid.body_motion import between
from visviva.forms.rigid.constraints import Instant, Rows
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.se3 import SE3
from visviva.numerics.rank import preferred_rows, rank, unit_rows, velocity_units

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

LINEAR = 1e-9  # what a condition may be off from one that is linear in velocities
LATER = (0.37, 1.13)  # times at which it is seen whether conditions depend on time


@final
@dataclass(eq=False)
class RigidPoint:
    """A rigid system at one state.   wide: whether time is a column, with the velocity ṫ = 1."""

    system: RigidSystem
    t: float
    q: Array
    xi: Array  # without ṫ
    wide: bool

    @cached_property
    def at(self) -> Instant:
        """All frames."""
        return self.system.instant(self.q, self.xi, self.t)

    @cached_property
    def inertias(self) -> Array:
        """(b, 6, 6)."""
        return np.array([moments.spatial() for moments in self.system.bodies.values()])

    @cached_property
    def twists(self) -> Array:
        """(b, 6)."""
        return np.array([self.at.frames[name].V for name in self.system.bodies])

    @cached_property
    def S(self) -> Array:
        """(b, 6, n): twists over velocities, the last column that of time."""
        return self._with_time(np.array([self.at.frames[name].J for name in self.system.bodies]), self.twists)

    @cached_property
    def S_dot(self) -> Array:
        """Its rate along the motion. With the bias B = Ṡ ξ and ∂_i S_k - ∂_k S_i = γ_ik^l S_l - ad(S_i) S_k,

            Ṡ_i = ½ (∂B/∂ξⁱ + ad(S_i) V - γ_ik^l ξᵏ S_l),

        where ∂B/∂ξⁱ is exact by a central difference, B being quadratic; what Ṡ ξ leaves of B is the rate of the drift.
        """
        system, names, n = self.system, list(self.system.bodies), self.system.n
        J = np.array([self.at.frames[name].J for name in names])
        B = np.array([self.at.frames[name].B for name in names])
        turned = np.einsum("ikl,k->il", commutation(system.parameterisation, self.q), self.xi)
        found = np.empty_like(J)
        for i, e in enumerate(np.eye(n)):
            more, less = (system.instant(self.q, self.xi + s * e, self.t).frames for s in (1.0, -1.0))
            bend = np.array([more[name].B - less[name].B for name in names]) / 2
            ad = np.array([SE3.ad(J[b, :, i]) @ V for b, V in enumerate(self.twists)])
            found[:, :, i] = (bend + ad - J @ turned[i]) / 2
        return self._with_time(found, B)

    def _with_time(self, columns: Array, total: Array) -> Array:
        """The column of time is what velocities leave of the total."""
        if not self.wide:
            return columns
        return np.concatenate([columns, (total - columns @ self.xi)[..., None]], axis=-1)

    @cached_property
    def kane(self) -> KaneMatrices:
        """A, D, p and the gyration force."""
        return kane_matrices(self.S, self.S_dot, self.twists, self.inertias)

    @property
    def full(self) -> Array:
        """ξ, and the 1 of time."""
        return np.append(self.xi, 1.0) if self.wide else self.xi

    @cached_property
    def forces(self) -> tuple[Array, Array]:
        """Generalised forces of the potential (n,), and others, friction among them; on time they have powers."""
        system, terms = self.system, self.system.terms(self.q, self.xi, None, self.t)
        held, free = -terms.f_K - terms.f_G, terms.f_E - terms.f_D
        if not self.wide:
            return held, free
        drift_held, drift_free = 0.0, 0.0
        for b, name in enumerate(system.bodies):
            weight = self.inertias[b][:, 3:] @ (self.at.frames[name].X.R.T @ system.gravity)
            drift_held += float(self.S[b, :, -1] @ weight)
        for spring in system.springs:
            pair = between(self.at.frames[spring.a], self.at.frames[spring.b])
            drift_held -= float((pair.V - pair.J @ self.xi) @ spring.wrench(pair.X))
        for damper in system.dampers:
            pair = between(self.at.frames[damper.a], self.at.frames[damper.b])
            wrench = damper.moments.spatial() @ pair.V
            wrench = wrench if damper.stream is None else wrench - damper.stream(self.t, pair.X)
            drift_free -= float((pair.V - pair.J @ self.xi) @ wrench)
        return np.append(held, drift_held), np.append(free, drift_free)

    @cached_property
    def rows(self) -> dict[str, Rows]:
        """Of all constraints."""
        return self.system.rows(self.at)

    def Z(self, name: str) -> Array:
        """Rows over all velocities, that of time included."""
        part = self.rows[name]
        assert part.velocity is not None
        return np.column_stack([part.Z, part.velocity - part.Z @ self.xi]) if self.wide else part.Z


@final
class RigidMotion(AbstractMotion):
    """A rigid system in the velocities of its parameterisation; constraints are known flows, zero, and time is one.

    Velocities of masses are twists in the frames of their bodies. All forces but inertia are impressed, those of
    gravity and springs with their potential.
    """

    potential = False
    loaded = True
    impressed: ClassVar = {"output": ("tau", 1), "energy": ("potential", 1), "power": ("supplied", 1)}

    def __init__(self, system: RigidSystem) -> None:
        p = system.parameterisation
        self.system, self.name = system, system.name
        self._last: RigidPoint | None = None
        q, xi = system.consistent(p.q0, np.zeros(p.n)) if system.every_constraint else (p.q0, np.zeros(p.n))
        self.wide = p.timed or self._moves(q)
        self.start = RigidPoint(system, 0.0, q, xi, self.wide)
        self.coordinates = (*p.coordinates, *((TIME,) if self.wide else ()))
        self.velocities = (*p.velocities, *((RATE,) if self.wide else ()))
        heavy = np.array([[M[:3, :3].any()] * 3 + [True] * 3 for M in self.start.inertias]).ravel()
        self._rows = np.flatnonzero(heavy)
        self.masses, self.turns = len(self._rows), bool((self._rows % 6 < 3).any())
        self.kept = self._independent()
        closures = [Closure(name, len(at), False) for name, at in self.kept.items()]
        self.closures = (*closures, *((Closure(TIME, 1, True, "1"),) if self.wide else ()))
        holonomic = all(part.position is not None for part in self.start.rows.values())
        identity = p.size_q == p.n and np.array_equal(p.A(q), np.eye(p.n)) and not p.A_slope(q).any()
        self.holonomic = identity and holonomic

    def _moves(self, q: Array) -> bool:
        """Whether conditions depend on time; an error where they are not linear in velocities."""
        system, moves = self.system, False
        draw = np.random.default_rng(0).normal(size=(2, system.n))
        for t in (0.0, *LATER):
            parts = [system.rows(system.instant(q, each, t)) for each in (0 * draw[0], *draw, draw[0] + draw[1])]
            for name in parts[0]:
                velocities = [part[name].velocity for part in parts]
                if any(velocity is None for velocity in velocities):
                    raise ModelError(
                        f"constraint {name!r} of {self.name!r} is one of accelerations alone: Kane's graphs know flows."
                    )
                rest, a, b, both = (np.asarray(velocity) for velocity in velocities)
                moves = moves or bool(np.abs(rest).max(initial=0.0) > LINEAR)
                if np.abs(a + b - both - rest).max(initial=0.0) > LINEAR * (1 + np.abs(both).max(initial=0.0)):
                    raise ModelError(
                        f"constraint {name!r} of {self.name!r} is not linear in velocities: no flow is known by it."
                    )
        return moves

    def _independent(self) -> dict[str, list[int]]:
        """Rows that do not follow from others, by constraint, as assembled."""
        places = [(name, k) for name, part in self.start.rows.items() for k in range(len(part.z))]
        if not places:
            return {}
        unit = velocity_units(np.diag(self.start.kane.A))
        Z = np.concatenate([self.start.Z(name) for name in self.start.rows]) * unit
        terms = np.concatenate([part.terms for part in self.start.rows.values()])
        length = np.linalg.norm(terms * unit[: self.system.n], axis=1)
        chosen = preferred_rows(unit_rows(Z, length)[0], rank(Z, length))
        kept: dict[str, list[int]] = {}
        for k in sorted(chosen):
            kept.setdefault(places[k][0], []).append(places[k][1])
        return kept

    def initial(self, momentum: bool) -> dict[str, float]:
        """Where the parameterisation is checked, at rest, on all constraints."""
        moving = [f"p_{name}" for name in self.velocities] if momentum else self.velocities
        values = self.start.kane.p if momentum else self.start.full
        place = np.append(self.start.q, 0.0) if self.wide else self.start.q
        return dict(zip((*self.coordinates, *moving), np.concatenate([place, values]).tolist(), strict=True))

    def check_inertia(self) -> None:
        """An error that names what moves without inertia, where known flows leave it."""
        A, Z = self.start.kane.A, self._value("rows", self.start)
        constrained(A, Z, np.zeros(len(A)), np.zeros(len(Z)), self.velocities, repr(self.name))

    def _at(self, t: float, q: Array, xi: Array) -> RigidPoint:
        """The state that was asked for last is kept: several elements ask for the same."""
        n, nu = self.system.n, self.system.size_q
        q, xi, last = q[:nu], xi[:n], self._last
        if last is None or last.t != t or not (np.array_equal(last.q, q) and np.array_equal(last.xi, xi)):
            self._last = last = RigidPoint(self.system, t, q.copy(), xi.copy(), self.wide)
        return last

    def _velocity(self, t: float, q: Array, p: Array, s: Array) -> Array:
        """See `known_flow`."""
        point = self._at(t, q, np.zeros(self.system.n))
        return np.asarray(known_flow(point.kane.A, self._value("rows", point), p, self._value("known", point)))

    def _evaluated(self, role: str, t: float, q: Array, xi: Array, s: Array) -> Any:
        return self._value(role, self._at(t, q, xi))

    def _value(self, role: str, point: RigidPoint) -> Any:
        what, _, name = role.partition(" ")
        n, stacked = len(self.velocities), (self.masses, len(self.velocities))
        match what:
            case "Q":
                Q = np.eye(len(self.coordinates), n, k=n - len(self.coordinates))
                Q[: self.system.size_q, : self.system.n] = point.at.A
                return Q
            case "S":
                return point.S.reshape(-1, n)[self._rows].reshape(stacked)
            case "S_dot":
                return point.S_dot.reshape(-1, n)[self._rows].reshape(stacked)
            case "M":
                return self._diagonal(point.inertias)
            case "gyroscopic":
                return self._diagonal(-lie_poisson((point.inertias @ point.twists[..., None])[..., 0]))
            case "A":
                return point.kane.A
            case "A_dot":
                return point.kane.A_dot
            case "D":
                return point.kane.D @ point.full
            case "gyration" | "T_q":
                return point.kane.gyration
            case "drift":
                return point.kane.D @ point.full + point.kane.gyration
            case "tau":
                return sum(point.forces)
            case "potential":
                terms = self.system.terms(point.q, np.zeros(self.system.n), None, point.t)
                return terms.V_K + terms.V_G
            case "supplied":
                return point.forces[1] @ point.full
            case "Z" | "f" | "f_dot" | "Z_drift":
                return self._closed(what, name, point)
            case "rows":
                return np.concatenate([np.zeros((0, n)), *(self._closed("Z", c.name, point) for c in self.closures)])
            case "known":
                return np.concatenate([np.zeros(0), *(self._closed("f", c.name, point) for c in self.closures)])
            case _:
                return np.eye(n)

    def _closed(self, what: str, name: str, point: RigidPoint) -> Array:
        """Rows of a closure and its flow, and what they change by."""
        if name == TIME:
            return np.eye(len(self.velocities))[-1:] if what == "Z" else np.array([float(what == "f")])
        at = self.kept[name]
        if what == "Z":
            return point.Z(name)[at]
        part = point.rows[name]
        return (part.stabilisation - part.z)[at] if what == "Z_drift" else np.zeros(len(at))

    def _diagonal(self, blocks: Array) -> Array:
        full = np.zeros((6 * len(blocks),) * 2)
        for b, block in enumerate(blocks):
            full[6 * b : 6 * b + 6, 6 * b : 6 * b + 6] = block
        return full[np.ix_(self._rows, self._rows)]

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A function of numbers; velocities are the input of the element where states are momenta."""
        rows = {closure.name: closure.rows for closure in self.closures}
        return numeric_formula(self, NumericRole(role, rows, momentum, sign), laws, self._evaluated, self._velocity)
