"""Small errors of a tracking loop: plant, feedback, poles, margins at the inputs, and the same sampled and late.

About a reference q_R, v_R, a_R with q = q_R exp(ε), v = v_R + ν and inputs u_R + δu, ε̇ = ν - ad(v_R) ε and

    ν̇ = A_ε ε + A_ν ν + M⁻¹B δu,     δu = F_ε ε + F_ν ν,     hence in x = (ε; ε̇)     ẋ = A x + B δu,     δu = F x,

with the loop L(s) = -F (s - A)⁻¹ B at the inputs. ε and ε̇ see the same equation wherever the error has one of its own.

Coefficients are those of the instant: poles tell of stability where they do not change along the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np
import scipy.linalg
import scipy.optimize
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_number, finite_vector
from visviva.control.allocation import unlimited
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.kernels.trees.tables import AT_V, BALL, FREE, KIND

if TYPE_CHECKING:
    from visviva.control.tracking import TrackingLaw

Complex = NDArray[np.complex128]
STEP = 1e-3  # of differences, in typical sizes
GRID = 4000  # frequencies of a search for crossings
NEARLY = 1e-9


class Margins(NamedTuple):
    """Of the loop opened at one input, others closed.

    gain:  by which factors its gain may be multiplied: between both it is stable.
    phase: [rad] by how much it may lag.   frequency: where [rad/s].   delay: phase/frequency [s].
    """

    gain: tuple[float, float]
    phase: float
    frequency: float
    delay: float


@final
@dataclass(frozen=True, eq=False)
class SampledLoop:
    """x(k+1) = A x(k) of a loop that is asked every period and holds its inputs; exact at the ticks.

    x: errors (ε; ε̇), and inputs that are on their way.
    """

    A: Array
    period: float
    delay: float

    @cached_property
    def poles(self) -> Complex:
        """Eigenvalues of A, largest first; stable within the unit circle."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        return found[np.lexsort((found.imag, -np.abs(found).round(9)))]

    @property
    def rates(self) -> Complex:
        """log(poles)/period [1/s], to be compared with poles in continuous time."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.poles) / self.period)

    @property
    def stable(self) -> bool:
        """Whether all errors die out."""
        return bool((np.abs(self.poles) < 1.0).all())


@final
@dataclass(frozen=True, eq=False)
class LinearLoop:
    """A loop of small errors x = (ε; ε̇), (2 n,): ẋ = A x + B δu, δu = F x.

    inputs: names of δu.   held: the same where values of ports are held that are in axes of the world (thrusters).
    """

    A: Array  # (2 n, 2 n)
    B: Array  # (2 n, nu)
    F: Array  # (nu, 2 n)
    inputs: tuple[str, ...]
    held: tuple[Array, Array, Array] | None = None

    @property
    def closed_loop(self) -> Array:
        """A + B F."""
        return np.asarray(self.A + self.B @ self.F)

    @cached_property
    def poles(self) -> Complex:
        """Of the closed loop [1/s], sorted by their real parts."""
        found = np.linalg.eigvals(self.closed_loop).astype(np.complex128)
        return found[np.lexsort((found.imag, found.real.round(9)))]

    @property
    def stable(self) -> bool:
        """Whether small errors die out."""
        return bool((self.poles.real < 0).all())

    def loop(self, w: ArrayLike) -> Complex:
        """L(iω) (..., nu, nu) at angular frequencies [rad/s]: what comes back at the inputs, with its sign changed."""
        s, n = 1j * np.asarray(w, dtype=np.float64)[..., None, None], len(self.A)
        return np.asarray(
            -self.F @ np.linalg.solve(s * np.eye(n) - self.A, np.broadcast_to(self.B, (*s.shape[:-2], *self.B.shape)))
        )

    def distance(self, w: ArrayLike | None = None) -> float:
        """Least singular value of 1 + L(iω) over frequencies: all inputs together may err by so much of themselves."""
        own = self._frequencies() if w is None else np.asarray(w, dtype=np.float64)
        return float(np.linalg.svd(np.eye(len(self.F)) + self.loop(own), compute_uv=False)[..., -1].min())

    def margins(self) -> dict[str, Margins]:
        """Gain, phase and delay margins by input."""
        return {name: self._margins(k) for k, name in enumerate(self.inputs)}

    def sampled(self, period: float, delay: float = 0.0) -> SampledLoop:
        """The loop asked every period [s], with inputs that act a delay [s] later and are held."""
        T = finite_number(period, "period of a sampled loop [s]", positive=True)
        late = finite_number(delay, "delay of a sampled loop [s]")
        A, B, F = self.held or (self.A, self.B, self.F)
        n, nu = B.shape
        whole = int(np.floor(late / T + NEARLY))
        rest = max(late - whole * T, 0.0)
        rest = 0.0 if rest < NEARLY * T else rest
        Phi, Gamma = _zero_order_hold(A, B, T)
        _, Gamma0 = _zero_order_hold(A, B, T - rest)  # of the inputs that arrive within the period
        older = Gamma - Gamma0
        if not whole and not rest:
            return SampledLoop(Phi + Gamma @ F, T, late)
        waiting = whole + (rest > 0)  # inputs of so many ticks are on their way: the newest first
        out = np.zeros((n + waiting * nu, n + waiting * nu))
        out[:n, :n] = Phi
        for age, part in ((whole, Gamma0), (whole + 1, older)):
            if age == 0:
                out[:n, :n] += part @ F
            elif age <= waiting:
                out[:n, n + (age - 1) * nu : n + age * nu] += part
        out[n : n + nu, :n] = F
        for age in range(1, waiting):
            out[n + age * nu : n + (age + 1) * nu, n + (age - 1) * nu : n + age * nu] = np.eye(nu)
        return SampledLoop(out, T, late)

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _frequencies(self) -> Array:
        sizes = np.abs(np.concatenate([self.poles, np.linalg.eigvals(self.A)]))
        sizes = sizes[sizes > NEARLY * max(1e-300, sizes.max())]
        low, high = (sizes.min(), sizes.max()) if len(sizes) else (1.0, 1.0)
        return np.geomspace(1e-3 * low, 1e3 * high, GRID)

    def _margins(self, k: int) -> Margins:
        """By crossings of L(iω) with the negative real axis and with the unit circle."""
        others = np.delete(np.arange(len(self.F)), k)
        A, b, f = self.A + self.B[:, others] @ self.F[others], self.B[:, k], self.F[k]
        eye = np.eye(len(A))

        def L(w: float) -> complex:
            return complex(-f @ np.linalg.solve(1j * w * eye - A, b))

        w = self._frequencies()
        values = -np.linalg.solve(1j * w[:, None, None] * eye - A, np.broadcast_to(b[:, None], (len(w), len(b), 1)))
        values = np.einsum("i,wi->w", f, values[..., 0])
        low, high = 0.0, np.inf
        still = np.linalg.cond(A) < 1 / NEARLY  # else L has a pole at zero
        for x in [*([0.0] if still else []), *_crossings(w, values.imag, lambda w: L(w).imag)]:
            real = L(x).real
            if real < 0 and abs(real + 1) > NEARLY:
                low, high = (max(low, -1 / real), high) if real < -1 else (low, min(high, -1 / real))
        phase, at = np.inf, np.nan
        for x in _crossings(w, np.log(np.abs(values)), lambda w: np.log(abs(L(w)))):
            lag = float(np.angle(-L(x))) % (2 * np.pi)
            if lag < phase:
                phase, at = lag, x
        return Margins((low, high), phase, at, phase / at if np.isfinite(phase) else np.inf)


def linear_loop(law: TrackingLaw, q_R: ArrayLike | None, v_R: ArrayLike | None, a_R: ArrayLike | None) -> LinearLoop:
    """Small errors of a law about a reference, without limits; see `TrackingLaw.linear`."""
    d = law.d
    q0 = np.array(d.q_built) if q_R is None else finite_vector(q_R, f"q_R of {d.name!r}", d.nq)
    v0, a0 = (
        np.zeros(d.nv) if x is None else finite_vector(x, f"{name} of {d.name!r}", d.nv)
        for name, x in (("v_R", v_R), ("a_R", a_R))
    )

    def inputs(q: Array, v: Array) -> Array:
        point = law.template.at(q, v, q0, v0, a0).template
        return unlimited(d.mass_matrix(q), d.bias(q, v), law.actuation.matrix(q), point.M_bar, point.b_bar, law.weight)[
            0
        ]

    def values(q: Array, v: Array) -> Array:
        given = law.actuation.port_values(q, inputs(q, v))
        return np.concatenate([np.atleast_1d(given[port]) for port in law.actuation.ports])

    def loop(B: Callable[[Array], Array], u: Callable[[Array, Array], Array]) -> tuple[Array, Array, Array]:
        u0, n = u(q0, v0), d.nv

        def rate(q: Array, v: Array) -> Array:
            return scipy.linalg.solve(d.mass_matrix(q), B(q) @ u0 - d.bias(q, v), assume_a="pos")

        turning = np.block([[np.eye(n), np.zeros((n, n))], [_adjoint(law, v0), np.eye(n)]])  # (ε; ν) of (ε; ε̇)
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:] = _slopes(law, rate, q0, v0) @ turning - np.hstack([_adjoint(law, a0), _adjoint(law, v0)])
        own = np.concatenate([np.zeros((n, len(u0))), scipy.linalg.solve(d.mass_matrix(q0), B(q0), assume_a="pos")])
        return A, own, _slopes(law, u, q0, v0) @ turning

    held = loop(d.input_matrix, values) if law.actuation.is_turning else None
    return LinearLoop(*loop(law.actuation.matrix, inputs), law.input_names, held)


def _slopes(law: TrackingLaw, f: Callable[[Array, Array], Array], q: Array, v: Array) -> Array:
    """∂f/∂(ε, ν), by differences of sixth order."""
    d, columns = law.d, list[Array]()
    for moved in (True, False):
        for k in range(d.nv):
            size = STEP * d.sizes[k]
            step = size * np.eye(d.nv)[k]

            def at(s: float, step: Array = step, moved: bool = moved) -> Array:
                return f(d.integrate(q, s * step), v) if moved else f(q, v + s * step)

            terms = ((45.0, 1.0), (-9.0, 2.0), (1.0, 3.0))
            columns.append(sum(c * (at(s) - at(-s)) for c, s in terms) / (60 * size))
    return np.stack(columns, axis=1)


def _adjoint(law: TrackingLaw, v: Array) -> Array:
    """ad(v) of balls and of what flies; coordinates of joints have none."""
    out = np.zeros((law.d.nv, law.d.nv))
    if law.d.loops is not None:
        return out
    for row in law.d.tree.dynamics.parts.tables.K:
        j = row[AT_V]
        if row[KIND] == BALL:
            out[j : j + 3, j : j + 3] = skew(v[j : j + 3])
        elif row[KIND] == FREE:
            out[j : j + 6, j : j + 6] = SE3.ad(v[j : j + 6])
    return out


def _zero_order_hold(A: Array, B: Array, T: float) -> tuple[Array, Array]:
    """exp(A T) and ∫ exp(A s) ds B."""
    n, nu = B.shape
    both = np.zeros((n + nu, n + nu))
    both[:n, :n], both[:n, n:] = A, B
    found = scipy.linalg.expm(both * T)
    return found[:n, :n], found[:n, n:]


def _crossings(w: Array, values: Array, f: Callable[[float], float]) -> list[float]:
    """Zeros of f, each between two frequencies of different signs."""
    found = []
    for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0):
        found.append(float(scipy.optimize.brentq(f, w[k], w[k + 1], xtol=1e-14 * w[k], rtol=1e-12)))
    return found
