"""What a tracking law did in a run: errors, energies and inputs at the nodes, and the balance of the template's energy.

Whatever accelerations a a motion has, Ẇ̄ = drift + slope · a. From the template's own accelerations to those of the run,

    -M̄⁻¹ b̄  →  M⁻¹(B u0 - b)  →  M⁻¹(B u - b)  →  that of the last tick  →  that of the inputs which act,

each difference has its power: of the matching force, of saturation, of inputs that are held between ticks, of their
delay. Before them there are damping and, where a template has no Lyapunov function (particles with a moving reference,
bodies of a chain), what the motion of the reference supplies. Powers are integrated by the trapezoidal rule over each
step, with the inputs of that step: the balance closes to the second order of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva.control.allocation import limited, redundancy, unlimited
from visviva.control.kinematics import inverse
from visviva.control.pair_template import PairTemplate, TemplatePoint
from visviva.control.templates import EnergyRate, Template
from visviva.geometry import SO3
from visviva.model.control_law import Clock
from visviva.numerics.rank import rank as rank_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.control.controller import Controller
    from visviva.control.tracking import TrackingLaw
    from visviva.results import Run

TERMS = ("damping", "reference", "matching force", "saturation", "hold", "delay")
NEAR = 1e-6  # of a period
ROUNDING = 1e-13  # of the scale: a term that is not told


@final
@dataclass(frozen=True, eq=False)
class TrackingRecord:
    """A tracking law over the N + 1 nodes of a run.

    errors:   by pair "a → b" (N+1, 6), rotation vector [rad] and place [m] of the moving frame as seen from where it
              should be; by coordinate (N+1,), q - q_R.
    W, V, T:  W̄ = V̄ + T̄, energies of the errors [J].
    u, u0:    inputs of the law with and without limits, (N+1, nu), in the order of law.input_names.
    lam, b_tilde: λ (N+1, n - rank B) and the matching force b̃ (N+1, n).
    active:   (N+1, m) which limits act.
    work:     by term (N+1,), since the start of the run [J]: `TERMS`.
    """

    law: TrackingLaw
    t: Array
    q: Array
    v: Array
    q_R: Array
    v_R: Array
    a_R: Array
    errors: dict[str, Array]
    W: Array
    V: Array
    T: Array
    u: Array
    u0: Array
    lam: Array
    b_tilde: Array
    active: Array
    work: dict[str, Array]
    clock: Clock | None

    @property
    def balance(self) -> dict[str, float]:
        """Terms of ΔW̄ over the whole run [J]."""
        return {name: float(work[-1]) for name, work in self.work.items()}

    @property
    def change(self) -> float:
        """ΔW̄ [J]."""
        return float(self.W[-1] - self.W[0])

    @property
    def defect(self) -> float:
        """ΔW̄ less the sum of its terms [J]: errors of the motion and of quadrature, and what the law does not know."""
        return self.change - sum(self.balance.values())

    @property
    def scale(self) -> float:
        """Σ|terms| and the largest W̄ [J], which a defect is small against."""
        return max(float(self.W.max()), sum(float(np.abs(work).max()) for work in self.work.values()), 1e-300)

    @cached_property
    def limited(self) -> float:
        """Part of the nodes at which limits act."""
        return float(self.active.any(-1).mean()) if self.active.shape[1] else 0.0

    def plot(self) -> Figure:
        """Errors, W̄ with its terms, and inputs with their limits over time."""
        from visviva.control.plot_tracking import plot_tracking

        return plot_tracking(self)

    def __str__(self) -> str:
        who, ticks = f"tracking of {self.law.d.name!r}: {self.law.template.title}", ""
        if self.clock is not None:
            late = f", {self.clock.delay:g} s late" if self.clock.delay else ""
            ticks = f", asked every {self.clock.period:g} s{late}"
        rows = [(f"  {name}", value) for name, value in self.balance.items() if abs(value) > ROUNDING * self.scale]
        rows += [("  sum", sum(self.balance.values())), ("ΔW̄", self.change)]
        lines = [f"{who}{ticks}"]
        lines += [f"{name:<20}{value:>18.9g}  J" for name, value in rows]
        lines.append(f"{'defect':<20}{self.defect:>18.3g}  J, {abs(self.defect) / self.scale:.1e} of W̄ and its terms")
        for name, error in self.errors.items():
            if error.ndim == 1:
                lines.append(
                    f"{f'{name}':<20}{np.abs(error).max():>18.4g}  largest error, {abs(error[-1]):.4g} at the end"
                )
                continue
            (turn, way), (last_turn, last) = _sizes(error, None), _sizes(error, -1)
            lines.append(
                f"{name:<20}{turn:>18.4g}  rad, {way:.4g} m largest error; {last_turn:.4g} rad, {last:.4g} m at the end"
            )
        if self.active.shape[1]:
            lines.append(f"{'limits act':<20}{100 * self.limited:>18.3g}  % of the nodes")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<record of {self.law!r}: {len(self.t)} nodes, ΔW̄ = {self.change:.4g} J>"


def _sizes(error: Array, node: int | None) -> tuple[float, float]:
    own = error if node is None else error[[node]]
    return float(np.linalg.norm(own[:, :3], axis=1).max()), float(np.linalg.norm(own[:, 3:], axis=1).max())


class LawAtNodes(NamedTuple):
    """A tracking law at N + 1 nodes of a motion."""

    q: Array
    v: Array
    goal: tuple[Array, Array, Array]  # q_R, v_R, a_R
    M: Array
    B: Array
    template: Template
    slope: Array  # (N+1, n) ∂Ẇ̄/∂a
    u0: Array
    u: Array
    active: Array
    lam: Array
    b_tilde: Array
    powers: dict[str, Array]  # of terms that do not depend on what acts [W]


def law_at_nodes(law: TrackingLaw, t: Array, q: Array, v: Array, goals: Any, M: Array, b: Array) -> LawAtNodes:
    """The law at states of a plant M a + b = B u, which need not be the one that it is made for.

    goals: of its reference at times, see `Controller.goals`.
    """
    B = _each(law.actuation.matrix, q)
    q_R, v_R, a_R = goals(t)
    point = _points(law, q, v, q_R, v_R, a_R)
    found, rate = point.template, point.energy_rate
    u0, u, active = _inputs(law, M, b, B, found)
    a_T = -_solve(found.M_bar, found.b_bar)
    a0, a1 = (_solve(M, _apply(B, own) - b) for own in (u0, u))
    lam, b_tilde = _matching(M, b, B, found)
    powers = {
        "damping": -rate.dissipation,
        "reference": rate(np.asarray(a_T, dtype=np.float64)) + rate.dissipation,
        "matching force": np.einsum("ti,ti->t", rate.slope, a0 - a_T),
        "saturation": np.einsum("ti,ti->t", rate.slope, a1 - a0),
    }
    return LawAtNodes(q, v, (q_R, v_R, a_R), M, B, found, rate.slope, u0, u, active, lam, b_tilde, powers)


def record_of(
    law: TrackingLaw, t: Array, own: LawAtNodes, work: dict[str, Array], clock: Clock | None
) -> TrackingRecord:
    """A law at nodes with the works [J] of what acted; those of its own are trapezoidal sums."""
    h, T = np.diff(t), own.template
    whole = {name: trapezoidal_sum(h, power[:-1], power[1:]) for name, power in own.powers.items()} | work
    return TrackingRecord(
        law, t, own.q, own.v, *own.goal, _errors(law, own.q, own.goal[0]), np.array(T.W), np.array(T.V), np.array(T.T),
        own.u, own.u0, own.lam, own.b_tilde, own.active, whole, clock,
    )  # fmt: skip


def tracking_record(controller: Controller, run: Run, clock: Clock | None) -> TrackingRecord | None:
    """The record of a run that the controller was asked in; None where the run has not all of its nodes."""
    if run.recorded is not None or run.record.steps == 0 or (run.record.count > 1).any():
        return None
    law, d, t = controller.law, controller.law.d, run.record.t
    q, v = controller.reading.over({name: run[name] for name in controller.reads}, len(t))
    own = law_at_nodes(law, t, q, v, controller.goals, d.mass_matrix(q), d.bias(q, v))
    if clock is None:
        return record_of(law, t, own, {name: np.zeros(len(t)) for name in ("hold", "delay")}, clock)
    return record_of(law, t, own, _of_ticks(controller, run, clock, own), clock)


def _of_ticks(controller: Controller, run: Run, clock: Clock, at: LawAtNodes) -> dict[str, Array]:
    """Work of holding the inputs of the last tick, and of their delay, by the inputs of each step."""
    law, d, t = controller.law, controller.law.d, run.record.t
    q, u = at.q, at.u
    columns, acting = d.form.model.port_columns, np.zeros((run.record.steps, d.nu))
    for name, places in columns.items():
        acting[:, places] = run.record.u_mid[:, run.model.port_columns[name]]
    wanted = acting.copy()
    if not clock.jitter:
        number = np.floor((t[:-1] - clock.start) / clock.period + NEAR)
        node = np.searchsorted(t, clock.start + number * clock.period - NEAR * clock.period)
        for k in np.unique(node[number >= 0]):
            given = law.actuation.port_values(q[k], u[k])
            for name, value in given.items():
                wanted[np.ix_((node == k) & (number >= 0), np.arange(d.nu)[columns[name]])] = value
    ports = d.input_matrix(q)
    force = _solve(at.M, at.slope)  # M⁻¹ slope
    found = {}
    law_power = np.einsum("ti,ti->t", force, _apply(at.B, u))
    ends = [(slice(None, -1)), (slice(1, None))]
    for name, own in (("hold", wanted), ("delay", acting - wanted)):
        powers = [np.einsum("ti,tij,tj->t", force[end], ports[end], own) for end in ends]
        if name == "hold":
            powers = [power - law_power[end] for power, end in zip(powers, ends, strict=True)]
        found[name] = trapezoidal_sum(run.record.h, *powers)
    return found


def _points(law: TrackingLaw, *states: Array) -> TemplatePoint:
    """The template at all nodes."""
    if isinstance(law.template, PairTemplate):
        return law.template.at(*states)
    each = [law.template.at(*state) for state in zip(*states, strict=True)]
    rates = [point.energy_rate for point in each]
    return TemplatePoint(
        Template(*(np.array(part) for part in zip(*(point.template for point in each), strict=True))),
        EnergyRate(*(np.array(part) for part in zip(*rates, strict=True))),
    )


def _inputs(law: TrackingLaw, M: Array, b: Array, B: Array, found: Template) -> tuple[Array, Array, Array]:
    """u0, u and which limits act."""
    u0 = np.empty((len(M), B.shape[-1]))
    H = np.empty((len(M), B.shape[-1], B.shape[-1]))
    for k in range(len(M)):
        u0[k], H[k] = unlimited(M[k], b[k], B[k], found.M_bar[k], found.b_bar[k], law.weight)
    if law.limits is None:
        return u0, u0, np.zeros((len(M), 0), dtype=bool)
    W, l = law.limits
    u, active = u0.copy(), np.zeros((len(M), len(l)), dtype=bool)
    last: Any = None
    for k in np.flatnonzero((u0 @ W.T > l).any(-1)).tolist():
        one = limited(H[k], u0[k], law.limits, last, redundancy(B[k], law.weight))
        u[k], last = one.u, one.active
        active[k, one.active] = True
    return u0, u, active


def _matching(M: Array, b: Array, B: Array, found: Template) -> tuple[Array, Array]:
    """λ and b̃ with bases B⊥ that turn as little as they can from node to node."""
    U, rank = np.linalg.svd(B)[0], rank_of(B[0].T)
    free = U.shape[-1] - rank
    if not free:
        return np.zeros((len(M), 0)), np.zeros(b.shape)
    first, own = U[0][:, rank:], U[..., rank:]
    left, _, right = np.linalg.svd(own @ (np.swapaxes(own, -1, -2) @ first), full_matrices=False)
    N = left @ right
    pulled = _apply(M, _solve(found.M_bar, found.b_bar)) - b
    lam = np.einsum("tij,ti->tj", N, pulled)
    M_N = M @ N
    S = np.swapaxes(M_N, -1, -2) @ np.linalg.solve(found.M_bar, M_N)
    return lam, _apply(M_N, _solve(S, lam))


def _errors(law: TrackingLaw, q: Array, q_R: Array) -> dict[str, Array]:
    template = law.template
    if not isinstance(template, PairTemplate):
        e = law.d.difference(q_R, q)
        return {name: e[:, k] for k, name in enumerate(law.d.names)}
    found = dict[str, Array]()
    G, G_R = template.motion(q).G, template.motion(q_R).G
    G_E = inverse(G_R) @ G
    for k, (a, b) in enumerate(template.pairs):
        turn = SO3(G_E[:, k, :3, :3]).log()
        found[f"{a} → {b}"] = np.concatenate([turn, G_E[:, k, :3, 3]], axis=-1)
    for k, name in enumerate(template.joints):
        found[name] = (q - q_R)[:, template.places_q[k]]
    return found


def trapezoidal_sum(h: Array, first: Array, last: Array) -> Array:
    """∫ by the trapezoidal rule, from zero at the first node."""
    return np.concatenate([[0.0], np.cumsum(h * (first + last) / 2)])


def _each(f: Any, q: Array) -> Array:
    return np.array([f(one) for one in q])


def _apply(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _solve(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.solve(A, b[..., None])[..., 0], dtype=np.float64)
