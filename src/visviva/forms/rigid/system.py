"""Rigid bodies, springs and dampers over the frames of a parameterisation, and their equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva.errors import AssemblyError, ModelError
from visviva.forms.calculus.function_map import FunctionMap
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.kinds import all_of_kind, by_name, function, of_kind
from visviva.forms.rigid.body_motion import Frame, between, frames_of
from visviva.forms.rigid.checks import body_moments_of, check_configuration, check_frames, check_names
from visviva.forms.rigid.consistency import consistent
from visviva.forms.rigid.constraints import AbstractConstraint, Instant, Rows
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.gauss import Method, checked_method, least_constraint
from visviva.forms.rigid.inertia_forms import InertiaForms, inertia_forms
from visviva.forms.rigid.loops import Closure
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.redundant import agreeing
from visviva.forms.rigid.sizes import Level, length_at, sizes_at
from visviva.forms.rigid.small_motions import SmallMotions, small_motions
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.terms import Solution, Terms
from visviva.forms.springs.spring import Spring
from visviva.geometry.inertia import Inertia
from visviva.geometry.se3 import SE3

ALLOWED = 1e-6  # what a start may leave of a constraint, in the size of its terms
LEVELS: dict[Level, str] = {"position": "positions", "velocity": "velocities"}
Force = Callable[..., ArrayLike]


@final
class RigidSystem(Flow):
    """Bodies, springs and dampers on a graph of frames, in the coordinates and velocities of a parameterisation.

    bodies:      by frame, its `Inertia` (com and tensor in that frame), which is checked to be that of some body; or
                 its `Moments`, of which only T ⪰ 0 is asked, so that a rotor seen through a gear is one too.
                 Other frames have no mass.
    springs:     `Stiffness`, or a `Spring` of any energy, between any two frames.
    dampers:     `Damping`, between any ordered two.
    gravity:     acceleration (3,) in the ground's axes [m/s²].
    force:       forces from outside, a function of any of t, q and xi with n values, power f·ξ; none by default.
    constraints: beyond those of the coordinates, see `constrain`. Edges of the parameterisation that close loops
                 are among them by themselves.
    method:      how accelerations are found under constraints, see `least_constraint`.

    Poses may depend on time; time is then the last state of a run, and the drives that move frames supply power.

    It is a flow: `vv.simulate(system, integrator=vv.DOP853(), initial=(q, xi), ...)` runs it.

    Source:  Konz, dissertation, 3.4 and 3.5, (3.120)-(3.132).
    """

    def __init__(
        self,
        parameterisation: Parameterisation,
        *,
        bodies: Mapping[str, Inertia | Moments | ArrayLike],
        springs: Iterable[Stiffness | Spring] = (),
        dampers: Iterable[Damping] = (),
        gravity: ArrayLike = (0.0, 0.0, 0.0),
        force: Force | None = None,
        constraints: Iterable[AbstractConstraint] = (),
        method: Method = "auto",
    ) -> None:
        p = self.parameterisation = of_kind(
            parameterisation, Parameterisation, "the first argument", "a Parameterisation"
        )
        self.n, self.size_q = p.n, p.size_q
        self.name, self.has_clock, self.extra = "rigid system", p.timed, int(p.timed)
        self.names = (*p.coordinates, *p.velocities, *(("t",) if p.timed else ()))
        given = by_name(bodies, "bodies", "{'arm': Inertia(...)}")
        self.bodies = {frame: body_moments_of(frame, body) for frame, body in given.items()}
        self.springs: tuple[Stiffness | Spring, ...] = all_of_kind(
            springs, (Stiffness, Spring), "a spring", "a Stiffness or a Spring"
        )
        self.dampers = all_of_kind(dampers, Damping, "a damper", "a Damping")
        self.gravity = frozen(finite_vector(gravity, "gravity", 3))
        self.force = None if force is None else function(force, "force", "t, q, xi")
        self._force = None if self.force is None else FunctionMap(self.force, p.motion, "force", (p.n,))
        self.method = checked_method(method)
        self.closures = tuple(Closure(f"{edge.a} - {edge.b}", edge) for edge in p.graph.loops)
        kinds = "a Geometric, Pfaffian, Kinematic, Acceleration or Loop"
        self.constraints = all_of_kind(constraints, AbstractConstraint, "a constraint", kinds)
        for what, frames in (
            ("body", self.bodies),
            ("spring", [frame for spring in self.springs for frame in (spring.a, spring.b)]),
            ("damper", [frame for damper in self.dampers for frame in (damper.a, damper.b)]),
        ):
            check_frames(p, what, frames)
        check_names([constraint.name for constraint in self.every_constraint])
        self._laws = {constraint.name: constraint.stabilised(p) for constraint in self.every_constraint}
        self.inertias = {frame: moments.spatial() for frame, moments in self.bodies.items()}

    @property
    def every_constraint(self) -> tuple[AbstractConstraint, ...]:
        """Loops of the graph, then what was given."""
        return (*self.closures, *self.constraints)

    @cached_property
    def built_length(self) -> float:
        """See `length_at`, as built."""
        return length_at(self, self.instant(self.parameterisation.q0, np.zeros(self.n)))

    def constrain(self, *constraints: AbstractConstraint, method: Method | None = None) -> RigidSystem:
        """The same system with more constraints: `Geometric`, `Pfaffian`, `Kinematic`, `Acceleration` or `Loop`."""
        return RigidSystem(
            self.parameterisation,
            bodies=self.bodies,
            springs=self.springs,
            dampers=self.dampers,
            gravity=self.gravity,
            force=self.force,
            constraints=(*self.constraints, *constraints),
            method=method or self.method,
        )

    def instant(self, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> Instant:
        """Coordinates, velocities and the motion of all frames."""
        p, t = self.parameterisation, finite_number(t, "t")
        q, xi = finite_vector(q, "q", p.size_q), finite_vector(xi, "xi", p.n)
        check_configuration(p, q)
        A = p.A(q)
        q_dot = A @ xi
        A_dot = p.A_map.along(q, q_dot, np.zeros_like(q))[1]
        return Instant(t, q, xi, q_dot, A_dot @ xi, A, frames_of(p.graph, q, xi, t))

    def frames(self, q: ArrayLike, t: float = 0.0) -> dict[str, SE3]:
        """The pose of every frame."""
        return {name: frame.X for name, frame in self.instant(q, np.zeros(self.n), t).frames.items()}

    def terms(self, q: ArrayLike, xi: ArrayLike, f: ArrayLike | None = None, t: float = 0.0) -> Terms:
        """All terms of the equations of motion.  f: forces from outside besides those of the system (n,).

        M = Σ Jᵀ 𝓘 J,   c = Σ Jᵀ (𝓘 J̇ ξ - ad(V)ᵀ 𝓘 V),   f^G = -Σ Jᵀ 𝓘 Ad(X)⁻¹ (0; a_G)        over bodies,
        D = Σ J_abᵀ Vee(D') J_ab,   f^K = Σ J_abᵀ vee2((I - X_ab⁻¹ X_R) K')                      over pairs.

        Source:  Konz (3.123), with the dots of J̇ that the print of (3.123b) lacks.
        """
        return self._terms(self.instant(q, xi, t), f)

    def accelerations(self, q: ArrayLike, xi: ArrayLike, f: ArrayLike | None = None, t: float = 0.0) -> Array:
        """ξ̇ (n,): M⁻¹ b, or under constraints that of Gauss' principle; off redundant ones see `agreeing`."""
        return self.solve(q, xi, f, t).xi_dot

    def solve(self, q: ArrayLike, xi: ArrayLike, f: ArrayLike | None = None, t: float = 0.0) -> Solution:
        """Accelerations, multipliers and reactions.  Source: Konz (3.124), (3.126)-(3.132)."""
        at = self.instant(q, xi, t)
        terms, rows = self._terms(at, f), agreeing(self, at, self.rows(at))
        Z, z, sizes, names = self._stacked(rows)
        found = least_constraint(terms.M, terms.b, Z, z, self.method, names, self.parameterisation.velocities, sizes)
        ends = np.cumsum([len(part.z) for part in rows.values()])[:-1]
        multipliers = dict(zip(rows, np.split(found.lam, ends), strict=True)) if rows else {}
        reactions = {name: -rows[name].Z.T @ lam for name, lam in multipliers.items()}
        return Solution(found.xi_dot, multipliers, reactions)

    def inverse_dynamics(self, q: ArrayLike, xi: ArrayLike, xi_dot: ArrayLike, t: float = 0.0) -> Array:
        """The forces (n,) besides those of the system that make ξ̇, without regard to constraints: M ξ̇ - b."""
        terms = self.terms(q, xi, None, t)
        return terms.M @ finite_vector(xi_dot, "xi_dot", self.n) - terms.b

    def generalised(self, q: ArrayLike, wrenches: Mapping[str, ArrayLike], t: float = 0.0) -> Array:
        """Σ Jᵀ F (n,) of wrenches (m; f) on frames, each about the origin and in the axes of its frame."""
        check_frames(self.parameterisation, "wrench", wrenches)
        frames = self.instant(q, np.zeros(self.n), t).frames
        total = np.zeros(self.n)
        for name, wrench in wrenches.items():
            total += frames[name].J.T @ finite_vector(wrench, f"wrench on '{name}'", 6)
        return total

    def rhs(self, t: float, y: Array) -> Array:
        """ẏ of y = (q, ξ), for SciPy's solvers."""
        q, xi = y[: self.size_q], y[self.size_q :]
        return np.concatenate([self.parameterisation.A(q) @ xi, self.accelerations(q, xi, None, t)])

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """(ξ̇, ṡ), with no other state but time where poses depend on it; under constraints those of the nearest state
        that satisfies them.

        Why:     stages of a step lie off the constraints, where redundant rows are not redundant. Both are the same
                 vector field on the constraints, so that no scheme loses its order.
        """
        if self.every_constraint:
            q, xi = consistent(self, q, xi, t)
        return self.accelerations(q, xi, None, t), np.ones(self.extra)

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `local_coordinates`."""
        return self.parameterisation.local.advance(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """See `local_coordinates`."""
        return self.parameterisation.local.rate(q, delta, xi)

    def energy(self, q: Array, xi: Array, s: Array | None = None) -> float:
        """T + V [J]."""
        return self.terms(q, xi, None, 0.0 if s is None or not len(s) else float(s[-1])).H

    def power(self, t: float, q: Array, xi: Array, s: Array | None = None) -> float:
        """ξ·(f^E - f^D) [W], what reactions add where their constraints move or are not linear in ξ; `drive_power`."""
        terms = self.terms(q, xi, None, t)
        supplied = float(xi @ (terms.f_E - terms.f_D))
        if not self.every_constraint and not self.has_clock:
            return supplied
        found = self.solve(q, xi, None, t)
        supplied += sum(float(xi @ reaction) for reaction in found.reactions.values())
        return supplied + (self.drive_power(q, xi, found.xi_dot, t) if self.has_clock else 0.0)

    def drive_power(self, q: Array, xi: Array, xi_dot: Array, t: float) -> float:
        """Power [W] that frames take up whose poses depend on time, less what dampers there take from it.

        Σ W·(𝓘 V̇ - ad(V)ᵀ 𝓘 V - F^G) over bodies  +  Σ W_ab·F^K over springs,    V = J ξ + W
        """
        at, total = self.instant(q, xi, t), 0.0
        for name, inertia in self.inertias.items():
            body = at.frames[name]
            wrench = inertia @ (body.J @ xi_dot + body.B) - SE3.ad(body.V).T @ (inertia @ body.V)
            wrench -= inertia[:, 3:] @ (body.X.R.T @ self.gravity)
            total += float((body.V - body.J @ at.xi) @ wrench)
        for spring in self.springs:
            pair = between(at.frames[spring.a], at.frames[spring.b])
            total += float((pair.V - pair.J @ at.xi) @ spring.wrench(pair.X))
        return total

    def projected(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array, Array]:
        """The nearest state that satisfies the constraints."""
        return (*consistent(self, q, xi, t), s) if self.every_constraint else (q, xi, s)

    def checked(self, initial: Any) -> FlowState:
        """Where a run starts, or an error that names the constraint it violates; (q, xi, [t]) where time is a state."""
        state = Flow.checked(self, initial)
        if self.has_clock and not isinstance(initial, FlowState):
            state = replace(state, t=float(state.s[-1]))
        at = self.instant(state.q, state.xi, state.t)
        sizes = sizes_at(self, at)
        for name, part in self.rows(at).items():
            for level, called in LEVELS.items():
                residual = getattr(part, level)
                if residual is not None and sizes.off(part, level).max(initial=0.0) > ALLOWED:
                    raise AssemblyError(
                        f"the {called} of the start do not satisfy '{name}', by {np.abs(residual).max():.2e}.\n"
                        "system.consistent(q, xi) gives the nearest state that satisfies all constraints."
                    )
        self._check(at)
        return state

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """Of φ and of all constraints, relative to the sizes of their terms: see `Sizes`."""
        found, at = self.parameterisation.violation(state.q), self.instant(state.q, state.xi, state.t)
        sizes = sizes_at(self, at)
        for part in self.rows(at).values():
            for name, level in zip(("g", "g_v"), LEVELS, strict=True):
                if getattr(part, level) is not None:
                    found[name] = max(found.get(name) or 0.0, float(sizes.off(part, level).max(initial=0.0)))
        if "g_v" in found and "g" not in found:
            found["g"] = None
        return found

    def consistent(self, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> tuple[Array, Array]:
        """The nearest coordinates and velocities that satisfy the constraints, in the metric of kinetic energy."""
        found = consistent(self, q, xi, t)
        self._check(self.instant(*found, t))
        return found

    def small_motions(self, q: ArrayLike) -> SmallMotions:
        """M, D and K of the linear equations about an equilibrium."""
        self._check_still("small motions are about a rest, which it has not; vv.linearise takes any of its instants")
        return small_motions(self, q)

    def forms(self, q: ArrayLike) -> InertiaForms:
        """The inertia force by Gibbs and Appell, Hamel, Levi-Civita and Hamilton, to compare with."""
        self._check_still("inertia forces are not quadratic in its velocities, as these forms have them")
        return inertia_forms(self, q)

    def _check_still(self, why: str) -> None:
        if self.has_clock:
            raise ModelError(f"poses of frames of {self.name!r} depend on time: {why}.")

    def rows(self, at: Instant) -> dict[str, Rows]:
        """By constraint, what it asks of the accelerations."""
        return {name: law(at) for name, law in self._laws.items()}

    def _check(self, at: Instant) -> None:
        for constraint in self.every_constraint:
            constraint.check(at)

    def _stacked(self, rows: Mapping[str, Rows]) -> tuple[Array, Array, Array, list[str]]:
        if not rows:
            return np.zeros((0, self.n)), np.zeros(0), np.zeros((0, self.n)), []
        names = [name for name, part in rows.items() for _ in part.z]
        parts = list(rows.values())
        Z, z, terms = (np.concatenate([getattr(part, name) for part in parts]) for name in ("Z", "z", "terms"))
        return Z, z, terms, names

    def _terms(self, at: Instant, f: ArrayLike | None) -> Terms:
        n, frames, xi = self.n, at.frames, at.xi
        M, c, f_G, T, V_G = np.zeros((n, n)), np.zeros(n), np.zeros(n), 0.0, 0.0
        for name, moments in self.bodies.items():
            body, inertia = frames[name], self.inertias[name]
            momentum = inertia @ body.V
            M += body.J.T @ inertia @ body.J
            c += body.J.T @ (inertia @ body.B - SE3.ad(body.V).T @ momentum)
            T += float(body.V @ momentum) / 2
            f_G -= body.J.T @ (inertia[:, 3:] @ (body.X.R.T @ self.gravity))
            V_G -= float(self.gravity @ (moments.total * body.X.r + body.X.R @ moments.first))
        D, f_D = self._damping(at)
        f_K, V_K = np.zeros(n), 0.0
        for spring in self.springs:
            pair = between(frames[spring.a], frames[spring.b])
            f_K += pair.J.T @ spring.wrench(pair.X)
            V_K += spring.energy(pair.X)
        f_E = np.zeros(n) if f is None else finite_vector(f, "f", n)
        if self._force is not None:
            f_E = f_E + self._force.value(np.concatenate([at.q, xi, [at.t]]))
        return Terms(M, c, D, f_D, f_K, f_G, f_E, T, V_K, V_G)

    def _damping(self, at: Instant) -> tuple[Array, Array]:
        D, f_D = np.zeros((self.n, self.n)), np.zeros(self.n)
        for damper in self.dampers:
            pair: Frame = between(at.frames[damper.a], at.frames[damper.b])
            coefficients = damper.moments.spatial()
            D += pair.J.T @ coefficients @ pair.J
            f_D += pair.J.T @ (coefficients @ pair.V)
            if damper.stream is not None:
                f_D -= pair.J.T @ damper.stream(at.t, pair.X)
        return D, f_D
