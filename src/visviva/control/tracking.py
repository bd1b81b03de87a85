"""Tracking control of mechanisms: inputs by which errors follow a closed-loop template as nearly as inputs allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_vector
from visviva._suggestions import helpful, suggesting
from visviva.control.actuators import Actuation, Thrusters, limits_of
from visviva.control.allocation import annihilator, factor, limited, matching_force, redundancy, unlimited
from visviva.control.baselines import BASELINES, baseline
from visviva.control.controller import Controller
from visviva.control.discrete_law import DiscreteLaw
from visviva.control.pair_template import AbstractTemplate, PairTemplate
from visviva.control.templates import APPROACHES
from visviva.errors import ModelError
from visviva.forms.dynamics.handle import Dynamics, dynamics
from visviva.integrate.integrator import AbstractIntegrator
from visviva.mechanism import Definition, Mechanism
from visviva.model.control_law import AbstractHoldingLaw
from visviva.numerics.rank import rank as rank_of

if TYPE_CHECKING:
    from visviva.control.linear_loop import LinearLoop


class Evaluation(NamedTuple):
    """A law at one state and reference: inputs, the template, and what of it inputs cannot follow."""

    u: Array  # (nu,) inputs, within their limits
    u0: Array  # (nu,) without limits
    H: Array  # (nu, nu) metric of inputs
    M_bar: Array  # (n, n)
    b_bar: Array  # (n,)
    lam: Array  # (n - rank B,) λ
    b_tilde: Array  # (n,) matching force without limits
    G0: float  # 𝒢0
    V: float  # [J]
    T: float  # [J]
    W: float  # T̄ + V̄ [J]
    W_dot: float  # its rate at the accelerations that u makes [W]
    W_dot_template: float  # -v_Eᵀ D̄ v_E, what it would be if the template were followed
    v_E: Array  # (n,)
    a: Array  # (n,) accelerations under u
    active: NDArray[np.intp]  # indices of limits that act
    status: str


class Matching(NamedTuple):
    """Small errors about a reference at rest: what of the template inputs cannot follow, and the poles of the loop."""

    Lambda_D: Array  # (n - rank B, n) B⊥ᵀ(M M̄⁻¹ D̄ - D), Konz (4.62)
    Lambda_K: Array  # (n - rank B, n)
    infeasible: Array  # (n - rank B,) B⊥ᵀ b(q_R): forces that no input makes, (4.60)
    u_R: Array  # (nu,) inputs that hold the reference
    poles: NDArray[np.complex128]  # (2 n,) of the loop that inputs make
    template_poles: NDArray[np.complex128]  # (2 n,) of M̄ λ² + D̄ λ + K̄


@helpful
def tracking(
    m: Mechanism | Definition | Dynamics,
    gains: Mapping[Any, Any],
    approach: str = "body",
    *,
    transport: Any = None,
    limits: Any = None,
    weight: ArrayLike | None = None,
    actuators: Mapping[Any, Thrusters] | None = None,
    inputs: str | Sequence[Any] | None = None,
    independent: str | Sequence[Any] | None = None,
) -> TrackingLaw:
    """A tracking law by gains of pairs of frames and of joints.

        law = vv.control.tracking(m, {("ground", "tool"): vv.control.gains(mass=1, damping=4, stiffness=4)})
        run = vv.simulate(m, t_end=5, h=1e-3, sampled=vv.Sampled(law.at(goal), period=5e-3))

    gains:     by ordered pair (a, b), b as seen from a, and by joint: `vv.control.gains`. For a baseline by joint.
    approach:  "body": errors of a free body obey a system of their own; "energy": T̄ + V̄ decreases along every
               reference, also of several bodies; "particle": error forces of points in space. Or a baseline: "computed
               torque", "augmented PD", "PD with gravity compensation", "operational space".
    transport: of "energy": "twist", "centre", "point", "rotation", "free", by pair or for all, or a function
               (q, v, q_R, v_R) -> (Q, Q_dot); by default "point" where gains are those of a point, else "twist", and
               where these do not go together as little as the stiffness of each pair asks for.
    limits:    of inputs, {"motor": (lo, hi)}, or (W, l) for W u ≤ l.
    weight:    (nu,) or (nu, nu), of ½ uᵀ weight u: which of the inputs are taken where they are more than needed.
    actuators: thrusters that act by wrench ports, {"port": vv.control.thrusters(...)}.
    inputs:    ports that the law drives, by default all; others are left to the user, such as gusts.
    independent: velocities, for mechanisms with loops: as `vv.dynamics` takes them.

    Source: Konz, dissertation, chapter 4.
    """
    d = m if isinstance(m, Dynamics) else dynamics(m, independent=independent)
    check_approach(approach)
    if approach in BASELINES:
        return TrackingLaw(d, baseline(d, gains, approach), limits, weight, actuators, inputs)
    return TrackingLaw(d, PairTemplate(d, gains, approach, transport), limits, weight, actuators, inputs)


def check_approach(approach: str) -> None:
    """ModelError where an approach is none of a tracking law."""
    if approach not in (*APPROACHES, *BASELINES):
        from visviva._suggestions import hint_of

        raise ModelError(f"approach={approach!r} is no law. {hint_of(str(approach), (*APPROACHES, *BASELINES))}")


@final
@suggesting
class TrackingLaw(AbstractHoldingLaw):
    """Inputs u(q, v, q_R, v_R, a_R) of a mechanism, see `tracking`. q, v: coordinates of `vv.dynamics(m)`.

    input_names: of u.   template: what the loop aims at.   limits: (W, l) or None.
    """

    def __init__(
        self,
        d: Dynamics,
        template: AbstractTemplate,
        limits: Any = None,
        weight: ArrayLike | None = None,
        actuators: Mapping[Any, Thrusters] | None = None,
        inputs: str | Sequence[Any] | None = None,
    ) -> None:
        self.d, self.template = d, template
        self.actuation = Actuation(d, actuators, inputs)
        self.input_names = self.actuation.names
        self.limits = limits_of(limits, self.input_names)
        self.weight = self._weight(weight)

    # -- the law ----------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        q_R: ArrayLike,
        v_R: ArrayLike,
        a_R: ArrayLike,
        *,
        active: NDArray[np.intp] | None = None,
    ) -> Evaluation:
        """Inputs at a state (q, v) and a reference (q_R, v_R, a_R); active: limits that are likely to act."""
        d, who = self.d, repr(self.d.name)
        q, q_R = finite_vector(q, f"q of {who}", d.nq), finite_vector(q_R, f"q_R of {who}", d.nq)
        v, v_R, a_R = (finite_vector(x, f"{name} of {who}", d.nv) for name, x in (("v", v), ("v_R", v_R), ("a_R", a_R)))
        M, b, B = d.mass_matrix(q), d.bias(q, v), self.actuation.matrix(q)
        point = self.template.at(q, v, q_R, v_R, a_R)
        t = point.template
        factored = factor(t.M_bar, who)
        u0, H = unlimited(M, b, B, t.M_bar, t.b_bar, self.weight)
        found = limited(H, u0, self.limits, active, redundancy(B, self.weight))
        match = matching_force(M, b, t.M_bar, t.b_bar, annihilator(B), factored)
        a = scipy.linalg.solve(M, B @ found.u - b, assume_a="pos")
        return Evaluation(
            found.u, u0, H, t.M_bar, t.b_bar, match.lam, match.b_tilde, match.G0, float(t.V), float(t.T), float(t.W),
            float(point.energy_rate(a)), -float(t.f_D @ t.v_E), t.v_E, a, found.active, found.status,
        )  # fmt: skip

    def at(self, goal: Any, *, period: float | None = None, record: bool = False, compiled: bool = True) -> Controller:
        """The law on a reference, for `inputs=` (inside of steps) and `vv.Sampled` (at ticks).

        goal:   goal(t) -> (q_R, v_R, a_R), or a configuration q_R to hold. Compiled laws ask it ahead, some tenths of a
                second at a time, as long as polynomials between 10 ms give it; `goal.breaks` may name times at which it
                is not smooth.

        period: of the law, where it is asked more often than that: thrusts that it holds turn with their body.
        record: keep evaluations and times, in `controller.evaluations` and `controller.times`.
        compiled: False: it is always asked in Python, where goals are asked at the very instants. Laws with a period or
                a record are, too. Others that have no compiled form are asked in Python with a warning that says why.
        """
        return Controller(self, goal, period, record, compiled)

    def holding(self, motion: Any) -> Controller:
        """The law on the configuration of a state."""
        return self.at(self.d.form.coordinates(motion).q)

    def discrete(
        self,
        goal: Any,
        h: float,
        integrator: AbstractIntegrator | None = None,
        *,
        velocities: str | None = None,
    ) -> DiscreteLaw:
        """The law over steps of length h [s] of the plant's own scheme, `vv.PHMP()` by default.

            over_steps = law.discrete(goal, h=0.01)
            vv.simulate(m, t_end=5, h=0.01, sampled=vv.Sampled(over_steps, period=0.01))
            over_steps.balance()

        Inputs are held over a step and are those with which it ends where the template over a step wants it, as nearly
        as inputs and their limits allow; see `discrete_template`. Then T̄ + V̄ falls by h ξ̄ᵀ D̄ ξ̄ - h ξ̄ᵀ b̃ in each of
        them to rounding: on references at rest, and on moving ones in the energy approach, and in the body approach
        where the pairs determine all velocities once, as on a free body.

        goal:       goal(t) -> (q_R, v_R, a_R), or a configuration q_R to hold.
        velocities: of T̄. "nodes": those of the state, by default where a configuration is held; the balance is exact
                    where the reference rests. "increments": those that follow from increments of the errors by the
                    midpoint rule, by default on a reference; the balance is exact on moving ones as well, and
                    velocities of the state differ by O(h²), with a part that alternates from step to step.
        """
        return DiscreteLaw(self, goal, h, integrator, velocities)

    # -- what it does -----------------------------------------------------------------------------------------------

    def matching(self, q_R: ArrayLike | None = None) -> Matching:
        """Λ_D, Λ_K, feasibility and poles about a reference at rest, as built by default; Konz (4.48), (4.62)."""
        d = self.d
        q = np.array(d.q_built) if q_R is None else finite_vector(q_R, f"q_R of {d.name!r}", d.nq)
        still = np.zeros(d.nv)
        M, b, B = d.mass_matrix(q), d.bias(q, still), self.actuation.matrix(q)
        B_perp = annihilator(B)
        u_R = np.asarray(np.linalg.lstsq(B, b, rcond=None)[0], dtype=np.float64)
        K0, D0 = self._model_slopes(q, u_R, M)
        M_bar, D_bar, K_bar = self.template.linear(q)
        inverse = np.linalg.inv(M_bar) if factor(M_bar, repr(d.name)) else M_bar
        Lambda_D, Lambda_K = (B_perp.T @ (M @ inverse @ bar - own) for bar, own in ((D_bar, D0), (K_bar, K0)))
        return Matching(
            Lambda_D, Lambda_K, B_perp.T @ b, u_R, self._poles(M, D0, K0, B, M_bar, D_bar, K_bar),
            poles_of(M_bar, D_bar, K_bar),
        )  # fmt: skip

    def linear(
        self, q_R: ArrayLike | None = None, v_R: ArrayLike | None = None, a_R: ArrayLike | None = None
    ) -> LinearLoop:
        """Small errors about a reference, as built and at rest by default: A, poles, margins, and the loop sampled.

        law.linear(q_R).poles, law.linear(q_R).margins(), law.linear(q_R).sampled(period=1e-3, delay=2e-3).poles
        """
        from visviva.control.linear_loop import linear_loop

        return linear_loop(self, q_R, v_R, a_R)

    def feasibility(self, q_R: ArrayLike, v_R: ArrayLike, a_R: ArrayLike) -> Array:
        """B⊥ᵀ(M a_R + b), (n - rank B,): forces along a reference that no input makes; zero where it can be followed.

        Konz (4.60), corrected.
        """
        q = finite_vector(q_R, f"q_R of {self.d.name!r}", self.d.nq)
        return annihilator(self.actuation.matrix(q)).T @ self.d.inverse(q, v_R, a_R)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<tracking of {self.d.name!r}: {self.template.title}, {len(self.input_names)} inputs>"

    @cached_property
    def _text(self) -> str:
        from visviva.control.law_text import law_text

        return law_text(self)

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _weight(self, given: ArrayLike | None) -> Array | None:
        """The secondary weight where B has dependent columns; an error where it is missing there."""
        d, nu = self.d, self.actuation.nu
        rng = np.random.default_rng(0)
        q = d.integrate(np.array(d.q_built), 0.1 * d.sizes * rng.normal(size=d.nv))
        rank = rank_of(self.actuation.matrix(q).T)
        if given is None:
            if rank < nu:
                raise ModelError(
                    f"mechanism {d.name!r} has {nu} inputs, of which {rank} act differently "
                    f"({', '.join(self.input_names)}).\nSay which ports the law drives, inputs=(...), or which of "
                    "them should work where several can: "
                    f"weight=(...) of ½ uᵀ weight u, e.g. weight=np.ones({nu})."
                )
            return None
        weight = finite_array(given, "weight of the inputs")
        weight = np.diag(weight) if weight.shape == (nu,) else weight
        if weight.shape != (nu, nu) or np.linalg.eigvalsh((weight + weight.T) / 2)[0] <= 0:
            raise ModelError(
                f"weight of {nu} inputs is {nu} positive numbers, or a positive definite matrix ({nu}, {nu})."
            )
        return None if rank == nu else (weight + weight.T) / 2

    def _model_slopes(self, q: Array, u: Array, M: Array) -> tuple[Array, Array]:
        """K0 = ∂(b - B u)/∂q and D0 = ∂b/∂v at rest, by extrapolated differences along the velocities."""
        d = self.d
        still = np.zeros(d.nv)

        def force(q: Array, v: Array) -> Array:
            return d.bias(q, v) - self.actuation.matrix(q) @ u

        K, D = np.empty((d.nv, d.nv)), np.empty((d.nv, d.nv))
        for k in range(d.nv):
            step = 1e-3 * d.sizes[k] * np.eye(d.nv)[k]
            K[:, k] = _slope(lambda s, step=step: force(d.integrate(q, s * step), still)) / (1e-3 * d.sizes[k])
            D[:, k] = _slope(lambda s, step=step: force(q, s * step)) / (1e-3 * d.sizes[k])
        return K, D

    def _poles(
        self, M: Array, D: Array, K: Array, B: Array, M_bar: Array, D_bar: Array, K_bar: Array
    ) -> NDArray[np.complex128]:
        """Of M ε̈ + D ε̇ + K ε = B δu with δu = u0 of small errors."""
        n, nothing = len(M), np.zeros(len(M))
        K_cl, D_cl = np.empty((n, n)), np.empty((n, n))
        for out, own, bar in ((K_cl, K, K_bar), (D_cl, D, D_bar)):
            for k in range(n):
                u, _ = unlimited(M, nothing + own[:, k], B, M_bar, bar[:, k], self.weight)
                out[:, k] = own[:, k] - B @ u
        return poles_of(M, D_cl, K_cl)


def poles_of(M: Array, D: Array, K: Array) -> NDArray[np.complex128]:
    """Roots of det(M λ² + D λ + K), (2 n,), sorted by their real parts."""
    n = len(M)
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    A[n:, :n], A[n:, n:] = -np.linalg.solve(M, K), -np.linalg.solve(M, D)
    found = np.asarray(np.linalg.eigvals(A), dtype=np.complex128)
    return found[np.lexsort((found.imag, found.real.round(9)))]


def _slope(f: Any) -> Array:
    """f'(0) by differences of sixth order."""
    terms = [(45.0, 1.0), (-9.0, 2.0), (1.0, 3.0)]
    return np.asarray(sum(c * (f(s) - f(-s)) for c, s in terms) / 60)
