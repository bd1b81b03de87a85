"""Templates over a step: forces b̃ of which the work is the change of T̄ + V̄ and what is damped, to rounding.

A template of pairs and coordinates is a sum of errors that each have a velocity, a force, and constant inertia, damping
and stiffness. Over a step of length h, with Δ between its ends and bars for their means, every error has the velocity
of its own increment, and its momentum follows the midpoint rule:

    twists       η̂ = 2 (G_E0 + G_E1)⁻¹ (G_E1 - G_E0)/h,          Y1 = 2 η - Y0,      T̄ = ½ Yᵀ M Y
                 F  = M (Y1 - Y0)/h + Γ η + D η + φ,             φ = vee2(Ḡ_Eᵀ (Ḡ_E - I) K')
    points       Ė  = (E1 - E0)/h,  E = G - G_R,                 Z1 = 2 Ė - Z0,      T̄ = ½ tr(Z M' Zᵀ)
                 F  = vee2(Ḡᵀ S),   S = (Z1 - Z0) M'/h + Ė D' + Ē K'
    coordinates  ε  = (e1 - e0)/h,                               y1 = 2 ε - y0,      T̄ = ½ m y²
                 F  = m (y1 - y0)/h + d ε + k ē,                 where they turn k sin ē sin(Δe/2)/(Δe/2) for k ē

Γ is skew: Γ η = -ad(η)ᵀ M η in the body approach, C(V) η in the energy approach. V̄ is quadratic in G, so that
h ηᵀφ = ΔV̄ whatever h is, and h ηᵀF = ΔT̄ + ΔV̄ + h ηᵀD η. The mechanism sees these forces by its Jacobians over the step,
J̃ ξ̄ = η, and b̃ = Σ J̃ᵀF is what is left of its template:

    ΔW̄ = -h ξ̄ᵀ D̄ ξ̄ + h ξ̄ᵀ b̃ .

It needs one ξ̄ for all errors. There is one where the reference rests; in the energy approach by the transport map,
which over a step is the solution ξ̄ of A ξ̄ = (increments of the errors that it names)/h; in the body approach where the
pairs determine all velocities once. The particle approach has none on a moving reference: S works on Ġ_R as well.

J̃ is the Jacobian in the middle with Gonzalez' correction in the metric M̄: increments of poses that are made by joints
are those of no configuration in between.   Sources: Gonzalez (1996); Konz, dissertation, (4.66).
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import scipy.linalg

from visviva._arrays import Array
from visviva._suggestions import hint_of
from visviva.control.allocation import factor
from visviva.control.kinematics import inverse
from visviva.control.pair_template import PairTemplate
from visviva.control.templates import body_coriolis, potential
from visviva.control.transport import MAPS, SingularTemplateError, TransportMaps
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.geometry.moments import moment_wrench

VELOCITIES = ("nodes", "increments")
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of poses, which a correction would amplify


class TemplateNode(NamedTuple):
    """Poses, coordinates and own velocities of the errors of a template at a node."""

    q: Array  # (nq,)
    q_R: Array  # (nq,)
    G: Array  # (p, 4, 4)
    G_R: Array
    Y: Array  # (p, 6) twists of the errors; points: (p, 3, 4)
    y: Array  # (c,) rates of the errors of coordinates; points: complex, of exp(iq) - exp(iq_R) where they turn


class TemplateStep(NamedTuple):
    """A template between two nodes."""

    end: TemplateNode
    b_tilde: Array  # (n,) what is left of it
    xi: Array  # (n,) mean velocity of the error ξ̄
    M_bar: Array  # (n, n) J̃ᵀ M J̃, metric of b̃
    W0: float  # T̄ + V̄ [J]
    W1: float
    damping: float  # h ξ̄ᵀ D̄ ξ̄ [J]
    matching: float  # h ξ̄ᵀ b̃ [J]

    @property
    def defect(self) -> float:
        """W1 - W0 + damping - matching [J]: rounding where one ξ̄ belongs to all errors."""
        return self.W1 - self.W0 + self.damping - self.matching


class _Forces(NamedTuple):
    """Forces on rows of velocities: all, those that damp, those of inertia, and own velocities at the end."""

    total: Array
    damping: Array
    inertia: Array
    Y: Array
    y: Array


@final
class DiscreteTemplate:
    """The template of an approach over steps of length h [s].

    velocities: "increments": own velocities of errors follow from increments, as above; "nodes": they are those of the
                state at nodes, and T̄ + V̄ is that of the law there.
    """

    def __init__(self, template: PairTemplate, h: float, velocities: str = "increments") -> None:
        if velocities not in VELOCITIES:
            raise ModelError(f"velocities={velocities!r} of a law over steps. {hint_of(str(velocities), VELOCITIES)}")
        if template.approach == "energy" and not isinstance(template.transport, TransportMaps):
            raise ModelError(
                "a transport map that is given as a function has no increments: for a law over steps name one of the "
                f"maps, {', '.join(map(repr, MAPS))}."
            )
        own = template.transport if isinstance(template.transport, TransportMaps) else None
        self.maps = () if own is None else own.kinds
        self.tied = np.ones(len(template.joints), dtype=bool) if own is None else own.tied
        self.template, self.h, self.nodal = template, h, velocities == "nodes"
        P = template.parameters
        p, c = len(P.M), len(P.m)
        self.points = template.approach == "particle"
        self._M = np.zeros((6 * p + c, 6 * p + c))
        for k in range(p):
            self._M[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = P.M[k]
        self._M[6 * p :, 6 * p :] = np.diag(P.m)
        plain = all(kind == "twist" for kind in self.maps) and bool(self.tied.all())
        self._plain = template.approach != "energy" or plain

    # -- nodes ------------------------------------------------------------------------------------------------------

    def start(self, q: Array, v: Array, q_R: Array, v_R: Array) -> TemplateNode:
        """A node of which the own velocities are those of the state."""
        t, P = self.template, self.template.parameters
        x, R = t.motion(q, v), t.motion(q_R, v_R)
        if self.points:
            Y = (x.G @ SE3.hat(x.V) - R.G @ SE3.hat(R.V))[:, :3]
            y = v[P.rows] * self._embedding_rate(q) - v_R[P.rows] * self._embedding_rate(q_R)
            return TemplateNode(q, q_R, x.G, R.G, Y, y)
        v_E = t.at(q, v, q_R, v_R, np.zeros(len(v))).template.v_E
        if self._plain:
            A = SE3(*_parts(inverse(x.G) @ R.G)).Ad()
            return TemplateNode(q, q_R, x.G, R.G, x.V - np.einsum("pij,pj->pi", A, R.V), v[P.rows] - v_R[P.rows])
        return TemplateNode(q, q_R, x.G, R.G, x.J @ v_E, v_E[P.rows])

    def energy(self, node: TemplateNode) -> float:
        """T̄ + V̄ of a node [J]."""
        e = self._errors(node.q, node.q_R)
        return self._kinetic(node) + potential(self.template.parameters, node.G, node.G_R, e)

    def _kinetic(self, node: TemplateNode) -> float:
        P = self.template.parameters
        metric, Y = (P.M_, node.Y) if self.points else (P.M, node.Y[:, None])
        return float(np.einsum("pij,pjk,pik->", Y, metric, Y) + P.m @ (node.y * node.y.conj()).real) / 2

    # -- steps ------------------------------------------------------------------------------------------------------

    def step(self, node: TemplateNode, q1: Array, v1: Array, q_R1: Array, v_R1: Array) -> TemplateStep:
        """From a node to a state and a reference at the end of a step; velocities count where they are nodal."""
        t, d, h = self.template, self.template.d, self.h
        end = self._end(node, q1, v1, q_R1, v_R1)
        middle = t.motion(d.integrate(node.q, d.difference(node.q, q1) / 2))
        rates = (self._coordinates(q1) - self._coordinates(node.q)) / h
        moved = np.concatenate([_increment(node.G, end.G, h).reshape(-1), rates])
        J = self._jacobian(middle.J, moved)
        M_bar = J.T @ self._M @ J
        M_bar = (M_bar + M_bar.T) / 2
        G_E0, G_E1 = (inverse(x.G_R) @ x.G for x in (node, end))
        errors = (self._errors(q1, q_R1) - self._errors(node.q, node.q_R)) / h
        eta = np.concatenate([_increment(G_E0, G_E1, h).reshape(-1), errors])
        if self._plain:
            xi = np.linalg.solve(M_bar, J.T @ (self._M @ eta))
            f = self._point_forces(node, end) if self.points else self._forces(node, end, eta, moved)
            b, f_D = J.T @ f.total, J.T @ f.damping
        else:
            xi, spring = self._transport_increments(node, end, eta, middle.G, J)
            f = self._forces(node, end, J @ xi, moved, sprung=False)
            b, f_D = J.T @ f.total + spring, J.T @ f.damping
        end = end._replace(Y=f.Y, y=f.y)
        if self.nodal and np.array_equal(node.q_R, q_R1) and not v_R1.any():
            b = b + self._closing(node, end, xi, J.T @ f.inertia, M_bar)
        W0, W1 = self.energy(node), self.energy(end)
        return TemplateStep(end, b, xi, M_bar, W0, W1, h * float(xi @ f_D), h * float(xi @ b))

    def _end(self, node: TemplateNode, q: Array, v: Array, q_R: Array, v_R: Array) -> TemplateNode:
        if self.nodal:
            return self.start(q, v, q_R, v_R)
        return TemplateNode(q, q_R, self.template.motion(q).G, self.template.motion(q_R).G, node.Y, node.y)

    def _closing(self, node: TemplateNode, end: TemplateNode, xi: Array, inertia: Array, M_bar: Array) -> Array:
        """What inertia lacks along M̄ ξ̄, so that its work is ΔT̄ of nodal velocities, whose mean is near ξ̄."""
        T0, T1, momentum = self._kinetic(node), self._kinetic(end), M_bar @ xi
        gap = T1 - T0 - self.h * float(xi @ inertia)
        if abs(gap) <= ROUNDING / 8 * max(T0, T1):
            return np.zeros_like(xi)
        return np.asarray(gap / (self.h * float(xi @ momentum)) * momentum)

    def _jacobian(self, J_pairs: Array, moved: Array) -> Array:
        """J̃ of all pairs and coordinates, with J̃ δ = moved for some δ (n,)."""
        P, n = self.template.parameters, self.template.d.nv
        J = np.concatenate([J_pairs.reshape(-1, n), np.eye(n)[P.rows]])
        weighted = J.T @ self._M
        M_bar = weighted @ J
        delta = scipy.linalg.cho_solve(factor(M_bar, repr(self.template.d.name)), weighted @ moved)
        gap, momentum = moved - J @ delta, M_bar @ delta
        if np.abs(gap).max(initial=0.0) <= ROUNDING * (1 / self.h + np.abs(moved).max(initial=0.0)):
            return J
        return np.asarray(J + np.outer(gap, momentum / (momentum @ delta)))

    def _forces(
        self, node: TemplateNode, end: TemplateNode, eta: Array, moved: Array, *, sprung: bool = True
    ) -> _Forces:
        """Forces on twists of errors and on rates of coordinates that move with eta."""
        P, h = self.template.parameters, self.h
        p = len(P.M)
        twists, rates, V = eta[: 6 * p].reshape(p, 6), eta[6 * p :], moved[: 6 * p].reshape(p, 6)
        Y, y = (end.Y, end.y) if self.nodal else (2 * twists - node.Y, 2 * rates - node.y)
        damping = np.concatenate([np.einsum("pij,pj->pi", P.D, twists).reshape(-1), P.d * rates])
        inertia = np.concatenate([np.einsum("pij,pj->pi", P.M, Y - node.Y).reshape(-1), P.m * (y - node.y)]) / h
        wrenches = np.zeros((p, 6))
        for k in range(p):
            if self.template.approach == "energy":
                wrenches[k] += body_coriolis(P.M_[k], V[k]) @ twists[k]
            else:
                wrenches[k] -= SE3.ad(twists[k]).T @ (P.M[k] @ twists[k])
        total = inertia + np.concatenate([wrenches.reshape(-1), self._mean_torque(node, end)])
        if sprung:
            mean = (inverse(node.G_R) @ node.G + inverse(end.G_R) @ end.G) / 2
            total[: 6 * p] += _mean_wrench(mean, P.K_).reshape(-1)
        return _Forces(total + damping, damping, inertia, Y, y)

    def _point_forces(self, node: TemplateNode, end: TemplateNode) -> _Forces:
        """The same of errors of points in space."""
        P, h = self.template.parameters, self.h
        E0, E1 = ((x.G - x.G_R)[:, :3] for x in (node, end))
        e0, e1 = (self._embedding(x.q) - self._embedding(x.q_R) for x in (node, end))
        E_dot, e_dot = (E1 - E0) / h, (e1 - e0) / h
        Y, y = (end.Y, end.y) if self.nodal else (2 * E_dot - node.Y, 2 * e_dot - node.y)
        G = np.swapaxes((node.G + end.G)[:, :3] / 2, -1, -2)  # (p, 4, 3)
        q0, q1 = self._coordinates(node.q), self._coordinates(end.q)
        secant = np.where(P.turning, 1j * np.exp(0.5j * (q0 + q1)) * _sinc((q1 - q0) / 2), 1.0)
        parts = (
            ((Y - node.Y) @ P.M_ / h, P.m * (y - node.y) / h),
            (E_dot @ P.D_, P.d * e_dot),
            ((E0 + E1) / 2 @ P.K_, P.k * (e0 + e1) / 2),
        )
        inertia, damping, springs = (
            np.concatenate([moment_wrench(G @ S).reshape(-1), (secant.conj() * s).real]) for S, s in parts
        )
        return _Forces(inertia + damping + springs, damping, inertia, Y, y)

    def _transport_increments(
        self, node: TemplateNode, end: TemplateNode, eta: Array, G_middle: Array, J: Array
    ) -> tuple[Array, Array]:
        """ξ̄ of the errors that a transport map names, and the forces of their springs."""
        t, P, h = self.template, self.template.parameters, self.h
        p = len(P.M)
        parts = [(J[6 * p :][self.tied], eta[6 * p :][self.tied], np.zeros(int(self.tied.sum())))]
        # velocities, increments, forces
        mean = (inverse(node.G_R) @ node.G + inverse(end.G_R) @ end.G) / 2
        for k, kind in enumerate(self.maps):
            own, moved, centre = J[6 * k : 6 * k + 6], eta[6 * k : 6 * k + 6], t.centres[k]
            if kind == "free":
                continue
            if kind == "rotation":
                parts.append((own[:3], moved[:3], _mean_wrench(mean[k], P.K_[k])[:3]))
                continue
            if kind == "twist":
                parts.append((own, moved, _mean_wrench(mean[k], P.K_[k])))
                continue
            point, stiffness = np.append(centre, 1.0), P.K_[k, 3, 3]
            r0, r1 = (((x.G[k] - x.G_R[k]) @ point)[:3] for x in (node, end))
            rows = G_middle[k, :3, :3] @ (own[3:] - skew(centre) @ own[:3])
            parts.append((rows, (r1 - r0) / h, stiffness * (r0 + r1) / 2))
            if kind == "centre":
                turning = _mean_wrench(mean[k], P.K_[k] - stiffness * np.outer(point, point))
                parts.append((own[:3], moved[:3], turning[:3]))
        A, increments, forces = (np.concatenate(group) for group in zip(*parts, strict=True))
        return np.asarray(np.linalg.lstsq(A, increments, rcond=None)[0]), A.T @ forces

    # -- coordinates ------------------------------------------------------------------------------------------------

    def _coordinates(self, q: Array) -> Array:
        return q[self.template.places_q]

    def _errors(self, q: Array, q_R: Array) -> Array:
        return (q - q_R)[self.template.places_q]

    def _embedding(self, q: Array) -> Array:
        """exp(iq) of coordinates that turn, q of those that slide."""
        own = self._coordinates(q)
        return np.where(self.template.parameters.turning, np.exp(1j * own), own)

    def _embedding_rate(self, q: Array) -> Array:
        return np.where(self.template.parameters.turning, 1j * np.exp(1j * self._coordinates(q)), 1.0)

    def _mean_torque(self, node: TemplateNode, end: TemplateNode) -> Array:
        """ΔV̄/Δe of coordinates."""
        P = self.template.parameters
        e0, e1 = self._errors(node.q, node.q_R), self._errors(end.q, end.q_R)
        mean = (e0 + e1) / 2
        return np.asarray(P.k * np.where(P.turning, np.sin(mean) * _sinc((e1 - e0) / 2), mean))


def _increment(G0: Array, G1: Array, h: float) -> Array:
    """η with G1 - G0 = h Ḡ η̂ of poses (p, 4, 4), by Cayley's map."""
    if not len(G0):
        return np.zeros((0, 6))
    X, unit = inverse(G0) @ G1, np.eye(4)
    try:
        return SE3.vee(2 / h * np.linalg.solve(X + unit, X - unit))
    except np.linalg.LinAlgError:
        raise SingularTemplateError(
            f"a pair with gains turns by half a turn in a step of {h:g} s: its increment has no velocity.\n"
            "Take a smaller h, and keep away from singular configurations."
        ) from None


def _mean_wrench(G: Array, K_: Array) -> Array:
    """φ with h ηᵀφ = ΔV̄, at the mean G of two errors of poses."""
    top = G[..., :3, :]
    return moment_wrench(np.swapaxes(top, -1, -2) @ (top - np.eye(4)[:3]) @ K_)


def _sinc(x: Array) -> Array:
    """sin(x)/x."""
    return np.sinc(x / np.pi)


def _parts(G: Array) -> tuple[Array, Array]:
    return G[..., :3, :3], G[..., :3, 3]
