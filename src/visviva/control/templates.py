"""Closed-loop templates M̄ v̇ + b̄ = 0: what a loop of errors should look like, by particles, by bodies, by energy.

Source: Konz, dissertation, (4.66), with the printed indices corrected; twists are (ω; v) here and (v; ω) there. With
G_E = G_R⁻¹ G, A = Ad(G_E)⁻¹, the error twist V_E = V - A V_R of each pair, and sums over the pairs that are given,

    M̄ = Σ Jᵀ Vee(M') J,    f̄K = Σ Jᵀ vee2((I - G_E⁻¹) K') = ∇V̄,    V̄ = Σ ½ tr((G - G_R) K' (G - G_R)ᵀ)    (4.66a,b)

    particle   f̄D = Σ Jᵀ vee2((V^ - G_E⁻¹ V_R^) D')                                                           (4.66c,d)
               c̄  = Σ Jᵀ vee2(((J̇v)^ + V^² - G_E⁻¹((J_R a_R + J̇_R v_R)^ + V_R^²)) M')
    body       f̄D = Σ Jᵀ D V_E,    c̄ = Σ Jᵀ(M (J̇v - A(J_R a_R + J̇_R v_R) + ad(V_E) A V_R) - ad(V_E)ᵀ M V_E)  (4.66e,f)
    energy     f̄D = D̄ v_E,  v_E = v - Q v_R,    c̄ = C̄ v_E - M̄ (Q a_R + Q̇ v_R)                                (4.66g-i)

Coordinates of joints add their own terms: ½ k e² where they slide, Π (1 - cos e) where they turn (4.69-4.79).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.kinematics import Ad, PairMotion, inverse
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.geometry.moments import moment_wrench

APPROACHES = ("particle", "body", "energy")


class Parameters(NamedTuple):
    """Gains of p pairs as moment matrices and as matrices on twists, and of c coordinates of joints."""

    M_: Array  # (p, 4, 4)
    D_: Array
    K_: Array
    M: Array  # (p, 6, 6)
    D: Array
    K: Array
    m: Array  # (c,)
    d: Array
    k: Array
    turning: NDArray[np.bool_]  # (c,)
    rows: NDArray[np.intp]  # (c,) their places in v


class Reference(NamedTuple):
    """Pairs, velocities and accelerations of the reference, and errors of the coordinates of joints."""

    pairs: PairMotion
    v: Array  # (n,)
    a: Array  # (n,)


class Errors(NamedTuple):
    """Errors of pairs at a state, and of coordinates."""

    G_E_inv: Array  # (p, 4, 4)
    A: Array  # (p, 6, 6) Ad(G_E)⁻¹
    V_E: Array  # (p, 6)
    V_R_dot: Array  # (p, 6) J_R a_R + J̇_R v_R
    drift: Array  # (p, 6) V̇_E = J v̇ + drift
    e: Array  # (c,) errors of coordinates


class Template(NamedTuple):
    """M̄ v̇ + c̄ + f̄D + f̄K = 0 at a state, with its energies; all have the leading axes of the states."""

    M_bar: Array  # (n, n)
    D_bar: Array  # (n, n)
    c_bar: Array  # (n,)
    f_D: Array  # (n,)
    f_K: Array  # (n,)
    V: Any  # energy of the error's springs [J], a number, or one for each state
    T: Any  # kinetic energy of the error [J]
    v_E: Array  # (n,) v - Q v_R; of pairs without a transport map the least-squares one

    @property
    def b_bar(self) -> Array:
        """c̄ + f̄D + f̄K."""
        return np.asarray(self.c_bar + self.f_D + self.f_K)

    @property
    def W(self) -> Any:
        """T̄ + V̄ [J]."""
        return self.T + self.V


class Transport(NamedTuple):
    """Q (n, n) of v_E = v - Q v_R, and its rate."""

    Q: Array
    Q_dot: Array


def errors(x: PairMotion, R: Reference, v: Array, e: Array) -> Errors:
    """Errors of pairs; e: those of coordinates, q - q_R."""
    G_E_inv = inverse(x.G) @ R.pairs.G
    A = Ad(G_E_inv)
    A_V_R = _apply(A, R.pairs.V)
    V_E = x.V - A_V_R
    V_R_dot = _times(R.pairs.J, R.a) + _times(R.pairs.J_dot, R.v)
    drift = _times(x.J_dot, v) - _apply(A, V_R_dot) + _apply(SE3.ad(V_E), A_V_R)
    return Errors(G_E_inv, A, V_E, V_R_dot, drift, e)


def template(
    approach: str, P: Parameters, x: PairMotion, R: Reference, v: Array, E: Errors, transport: Transport | None
) -> Template:
    """The template of one of the three approaches."""
    M_bar, D_bar = _sum(x.J, P.M), _sum(x.J, P.D)
    M_bar[..., P.rows, P.rows] += P.m
    D_bar[..., P.rows, P.rows] += P.d
    f_K = _pull(x.J, moment_wrench((np.eye(4) - E.G_E_inv) @ P.K_))
    f_K[..., P.rows] += P.k * np.where(P.turning, np.sin(E.e), E.e)
    V = potential(P, x.G, R.pairs.G, E.e)
    if approach == "energy":
        assert transport is not None
        v_E = v - _apply(transport.Q, R.v)
        wanted = _apply(transport.Q, R.a) + _apply(transport.Q_dot, R.v)
        c = _apply(coriolis(P, x), v_E) - _apply(M_bar, wanted)
        return Template(M_bar, D_bar, c, _apply(D_bar, v_E), f_K, V, _dot(v_E, _apply(M_bar, v_E)) / 2, v_E)
    if approach == "body":
        inertial = _apply(P.M, E.drift) - _apply(_t(SE3.ad(E.V_E)), _apply(P.M, E.V_E))
        c, f_D = _pull(x.J, inertial), _pull(x.J, _apply(P.D, E.V_E))
        rate = (v - R.v)[..., P.rows]
        c[..., P.rows] -= P.m * R.a[..., P.rows]
        f_D[..., P.rows] += P.d * rate
        T = (_quadratic(E.V_E, P.M, E.V_E) + _dot(P.m, rate**2)) / 2
        return Template(M_bar, D_bar, c, f_D, f_K, V, T, _least_error(x, E, v, R.v, P.rows))
    hat, hat_R = SE3.hat(x.V), SE3.hat(R.pairs.V)
    f_D = _pull(x.J, moment_wrench((hat - E.G_E_inv @ hat_R) @ P.D_))
    G_ddot = SE3.hat(_times(x.J_dot, v)) + hat @ hat - E.G_E_inv @ (SE3.hat(E.V_R_dot) + hat_R @ hat_R)
    c = _pull(x.J, moment_wrench(G_ddot @ P.M_))
    own, own_R, a_R = v[..., P.rows], R.v[..., P.rows], R.a[..., P.rows]
    cos, sin = np.where(P.turning, np.cos(E.e), 1.0), np.where(P.turning, np.sin(E.e), 0.0)
    c[..., P.rows] -= P.m * (a_R * cos + own_R**2 * sin)
    f_D[..., P.rows] += P.d * (own - own_R * cos)
    gap = x.G @ hat - R.pairs.G @ hat_R
    T = (_trace(gap, P.M_, gap) + _dot(P.m, own**2 - 2 * own * own_R * cos + own_R**2)) / 2
    return Template(M_bar, D_bar, c, f_D, f_K, V, T, _least_error(x, E, v, R.v, P.rows))


def potential(P: Parameters, G: Array, G_R: Array, e: Array) -> Any:
    """V̄ (4.66b), and of coordinates ½ k e² or Π (1 - cos e)."""
    own = np.where(P.turning, 2 * np.sin(e / 2) ** 2, e**2 / 2)
    return _trace(G - G_R, P.K_, G - G_R) / 2 + _dot(P.k, own)


def coriolis(P: Parameters, x: PairMotion) -> Array:
    """C̄ = Σ Jᵀ(M J̇ + C(V) J), (..., n, n), with C̄ + C̄ᵀ the rate of M̄; Konz (4.66h)."""
    inner = P.M @ x.J_dot + body_coriolis(P.M_, x.V) @ x.J
    return np.einsum("...pik,...pil->...kl", x.J, inner)


def body_coriolis(M_: Array, V: Array) -> Array:
    """C(V) = [[(Wed(Θ) ω)^, m ŝ ω̂], [-m ω̂ ŝ, m ω̂]], (..., 6, 6), skew, with C(V) V = -ad(V)ᵀ M V; Konz (4.44)."""
    w, ms = skew(V[..., :3]), skew(M_[..., :3, 3])
    C = np.empty((*V.shape, 6))
    C[..., :3, :3] = skew(_apply(M_[..., :3, :3], V[..., :3]))
    C[..., :3, 3:], C[..., 3:, :3], C[..., 3:, 3:] = ms @ w, -w @ ms, M_[..., 3, 3, None, None] * w
    return C


class EnergyRate(NamedTuple):
    """d/dt (T̄ + V̄) = drift + slope · a, exact for every approach whatever accelerations a inputs make.

    dissipation: what the dampers of the template take [W], ≥ 0.
    """

    slope: Array  # (..., n)
    drift: Any
    dissipation: Any

    def __call__(self, a: Array) -> Any:
        """At accelerations a [W]."""
        return self.drift + _dot(self.slope, a)


def energy_rate(
    approach: str,
    P: Parameters,
    x: PairMotion,
    R: Reference,
    v: Array,
    E: Errors,
    found: Template,
    transport: Transport | None,
) -> EnergyRate:
    """The rate of T̄ + V̄ as a function of the accelerations."""
    G_dot = x.G @ SE3.hat(x.V) - R.pairs.G @ SE3.hat(R.pairs.V)
    rate = (v - R.v)[..., P.rows]
    V_dot = _trace(G_dot, P.K_, x.G - R.pairs.G) + _dot(P.k * np.where(P.turning, np.sin(E.e), E.e), rate)
    if approach == "energy":
        assert transport is not None
        v_E, slope = found.v_E, _apply(found.M_bar, found.v_E)
        reference = _apply(transport.Q, R.a) + _apply(transport.Q_dot, R.v)
        drift = V_dot + _dot(v_E, _apply(coriolis(P, x), v_E)) - _dot(slope, reference)
        return EnergyRate(slope, drift, _dot(v_E, found.f_D))
    if approach == "body":
        momentum = _apply(P.M, E.V_E)
        slope, own = _pull(x.J, momentum), P.m * rate
        slope[..., P.rows] += own
        drift = V_dot + _dot(momentum, E.drift).sum(-1) - _dot(own, R.a[..., P.rows])
        return EnergyRate(slope, drift, _quadratic(E.V_E, P.D, E.V_E) + _dot(P.d, rate**2))
    hat, hat_R = SE3.hat(x.V), SE3.hat(R.pairs.V)
    G_ddot = x.G @ (SE3.hat(_times(x.J_dot, v)) + hat @ hat) - R.pairs.G @ (SE3.hat(E.V_R_dot) + hat_R @ hat_R)
    slope = _pull(x.J, moment_wrench(inverse_linear(x.G) @ G_dot @ P.M_))
    own, own_R, a_R = v[..., P.rows], R.v[..., P.rows], R.a[..., P.rows]
    cos, sin = np.where(P.turning, np.cos(E.e), 1.0), np.where(P.turning, np.sin(E.e), 0.0)
    slope[..., P.rows] += P.m * (own - own_R * cos)
    drift = V_dot + _trace(G_ddot, P.M_, G_dot) + _dot(P.m, own_R * a_R - own * a_R * cos + own * own_R * sin * rate)
    lost = _trace(G_dot, P.D_, G_dot) + _dot(P.d, own**2 - 2 * own * own_R * cos + own_R**2)
    return EnergyRate(slope, drift, lost)


def inverse_linear(G: Array) -> Array:
    """[[Rᵀ, 0], [0, 1]]: rates of poses in axes of the moving frame."""
    out = np.zeros_like(G)
    out[..., :3, :3], out[..., 3, 3] = _t(G[..., :3, :3]), 1.0
    return out


def _least_error(x: PairMotion, E: Errors, v: Array, v_R: Array, rows: NDArray[np.intp]) -> Array:
    """v_E with J v_E = V_E as near as can be: exact where pairs determine each other, as on a single body."""
    n, shape = v.shape[-1], v.shape[:-1]
    unit = np.broadcast_to(np.eye(n)[rows], (*shape, len(rows), n))
    A = np.concatenate([x.J.reshape(*shape, -1, n), unit], axis=-2)
    wanted = np.concatenate([E.V_E.reshape(*shape, -1), (v - v_R)[..., rows]], axis=-1)
    if not shape:
        return np.linalg.lstsq(A, wanted, rcond=None)[0]
    return _apply(np.linalg.pinv(A), wanted)


def _sum(J: Array, P: Array) -> Array:
    """Σ JᵀP J, symmetric."""
    found = np.einsum("...pik,...pil->...kl", J, P @ J)
    return np.asarray((found + _t(found)) / 2)


def _pull(J: Array, wrenches: Array) -> Array:
    """Σ Jᵀ F."""
    return np.einsum("...pik,...pi->...k", J, wrenches)


def _times(J: Array, v: Array) -> Array:
    """J v of all pairs."""
    return np.einsum("...pik,...k->...pi", J, v)


def _apply(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _dot(a: Array, b: Array) -> Any:
    return np.einsum("...i,...i->...", a, b)


def _quadratic(a: Array, P: Array, b: Array) -> Any:
    """Σ aᵀP b over the pairs."""
    return np.einsum("...pi,pij,...pj->...", a, P, b)


def _trace(A: Array, P: Array, B: Array) -> Any:
    """Σ tr(A P Bᵀ) over the pairs, of the first three rows."""
    return np.einsum("...pij,pjk,...pik->...", A[..., :3, :], P, B[..., :3, :])


def _t(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)
