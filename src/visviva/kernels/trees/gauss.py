"""Gauss-Legendre steps of order 8 of trees, with the four stages in the lanes of one evaluation.

With stages at c and weights A, b of collocation, and δ̇ = T(δ) ξ of the chart,

    ξ_j = ξ0 + h Σ A_jl a_l,   δ_j = h Σ A_jl T(δ_l) ξ_l,   a_j = ξ̇(q0 ∘ δ_j, ξ_j)

is iterated for the accelerations a, from the polynomial of the step before: no derivative is needed as long as springs
and dampers are slow against the step. Source: Hairer, Lubich, Wanner (2006), II.1.3 and VIII.6.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.chart import advance_q, shifting, turned, turning
from visviva.kernels.trees.explicit import begin_row
from visviva.kernels.trees.field import ACTS, DONE, STALLED, Field, accelerate, failed
from visviva.kernels.trees.lanes import WIDTH
from visviva.kernels.trees.tables import AT_Q, AT_V, AXIS, DAMPING, FREE, KIND

from visviva.kernels.multibody.algebra import mul  # isort: skip
from visviva.kernels.trees.algebra import rotation  # isort: skip

ROUNDING = 1e3  # times the tolerance: where an iteration that gets no better is at rounding


class Collocation(NamedTuple):
    """Memory of the four stages, one lane each."""

    A: Array  # (4, 4)
    b: Array  # (4,)
    c: Array  # (4,)
    onwards: Array  # (4, 4) values at the stages of a step from those of the step before
    a: Array  # (n, 4) accelerations
    found: Array  # (n, 4) those of the next iteration
    delta: Array  # (n, 4)
    rate: Array  # (n, 4) δ̇
    xi: Array  # (n, 4)
    q: Array  # (size_q, 4)
    move: Array  # (n,) δ of the step
    end: Array  # (size_q,) where it ends
    last: Array  # (n,) velocities there
    W: Array  # memory without lanes, for energies


@woven
def _velocities(g: Collocation, xi: Array, h: float) -> None:
    """ξ_j = ξ0 + h Σ A a."""
    for k in range(xi.shape[0]):
        a, b, c, d = g.a[k, 0], g.a[k, 1], g.a[k, 2], g.a[k, 3]
        for j in range(WIDTH):
            g.xi[k, j] = xi[k] + h * (g.A[j, 0] * a + g.A[j, 1] * b + g.A[j, 2] * c + g.A[j, 3] * d)


@woven
def _rates(K: Int, g: Collocation) -> None:
    """δ̇_j = T(δ_j) ξ_j."""
    for i in range(K.shape[0]):
        k = K[i, AT_V]
        for j in range(WIDTH):
            if K[i, KIND] <= AXIS:
                g.rate[k, j] = g.xi[k, j]
                continue
            d = (g.delta[k, j], g.delta[k + 1, j], g.delta[k + 2, j])
            w = turning(d, (g.xi[k, j], g.xi[k + 1, j], g.xi[k + 2, j]))
            g.rate[k, j], g.rate[k + 1, j], g.rate[k + 2, j] = w
            if K[i, KIND] == FREE:
                v = shifting(d, (g.xi[k + 3, j], g.xi[k + 4, j], g.xi[k + 5, j]))
                g.rate[k + 3, j], g.rate[k + 4, j], g.rate[k + 5, j] = v


@woven
def _places(K: Int, g: Collocation, q: Array, h: float) -> None:
    """δ_j = h Σ A δ̇, and the coordinates there."""
    for k in range(g.delta.shape[0]):
        a, b, c, d = g.rate[k, 0], g.rate[k, 1], g.rate[k, 2], g.rate[k, 3]
        for j in range(WIDTH):
            g.delta[k, j] = h * (g.A[j, 0] * a + g.A[j, 1] * b + g.A[j, 2] * c + g.A[j, 3] * d)
    for i in range(K.shape[0]):
        k, first = K[i, AT_V], K[i, AT_Q]
        for j in range(WIDTH):
            at = first
            if K[i, KIND] <= AXIS:
                g.q[at, j] = q[at] + g.delta[k, j]
                continue
            if K[i, KIND] == FREE:
                R = rotation(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
                r = mul(R, (g.delta[k + 3, j], g.delta[k + 4, j], g.delta[k + 5, j]))
                g.q[at, j], g.q[at + 1, j], g.q[at + 2, j] = q[at] + r[0], q[at + 1] + r[1], q[at + 2] + r[2]
                at += 3
            d = (g.delta[k, j], g.delta[k + 1, j], g.delta[k + 2, j])
            w = turned((q[at], q[at + 1], q[at + 2], q[at + 3]), d)
            g.q[at, j], g.q[at + 1, j], g.q[at + 2, j], g.q[at + 3, j] = w


@inner
def predict(f: Field, g: Collocation, q: Array, xi: Array, h: float, known: bool, end: Int) -> bool:
    """Accelerations by the polynomial of the step before, if there is one, else that at the start, if there is one.

    δ as at constant velocity, for what is curved.
    """
    if not known:
        singular = _start(f, g, q, xi)
        if singular >= 0:
            failed(singular, g.q, g.xi, end)
        return singular < 0
    for k in range(xi.shape[0]):
        a, b, c, d = g.a[k, 0], g.a[k, 1], g.a[k, 2], g.a[k, 3]
        for j in range(WIDTH):
            X = g.onwards
            g.a[k, j] = X[j, 0] * a + X[j, 1] * b + X[j, 2] * c + X[j, 3] * d
            g.delta[k, j] = h * g.c[j] * xi[k]
    return True


@inner
def drive_stages(f: Field, g: Collocation, step: int, t: float, h: float) -> None:
    """Times, inputs and τ at the four stages of a step from t on."""
    d = f.drive
    for j in range(WIDTH):
        d.t[j] = t + g.c[j] * h
        for p in range(d.ports.shape[0] if d.U.shape[0] > 0 else 0):
            d.u[p, j] = d.U[step, j, p]
    if d.ports.shape[0] == 0 or d.ports[0] < 0:
        return
    for p in range(d.ports.shape[0]):
        for j in range(WIDTH):
            f.tau[d.ports[p], j] = f.constant[d.ports[p]]
    for p in range(d.ports.shape[0]):
        for j in range(WIDTH):
            f.tau[d.ports[p], j] += d.u[p, j]


@inner
def _start(f: Field, g: Collocation, q: Array, xi: Array) -> int:
    """The acceleration at the start in every lane."""
    for j in range(WIDTH):
        for k in range(q.shape[0]):
            g.q[k, j] = q[k]
        for k in range(xi.shape[0]):
            g.xi[k, j] = xi[k]
            g.delta[k, j] = 0.0
    return accelerate(f, g.q, g.xi, g.a)


@woven
def _iterate(f: Field, g: Collocation, q: Array, xi: Array, h: float, theta: float) -> tuple[int, float, float]:
    """One iteration: singular link or -1, the largest change of h a, and the size of velocities."""
    _velocities(g, xi, h)
    _rates(f.K, g)
    _places(f.K, g, q, h)
    singular = accelerate(f, g.q, g.xi, g.found)
    change, size = 0.0, 0.0
    for k in range(xi.shape[0]):
        for j in range(WIDTH):
            g.found[k, j] -= theta * g.xi[k, j]
            gap = abs(g.found[k, j] - g.a[k, j])
            if not gap <= change:  # also where it is not a number
                change = gap
            size = max(size, abs(g.xi[k, j]), abs(h * g.found[k, j]))
            g.a[k, j] = g.found[k, j]
    return singular, abs(h) * change, size


@inner
def solve_stages(
    f: Field, g: Collocation, q: Array, xi: Array, h: float, theta: float, tolerance: float, most: int, end: Int
) -> bool:
    """Whether iterations have found the accelerations, less θ times the velocities; else why not is in `end`.

    They are found when they change by less than tolerance · velocity / h, or change no less than before within rounding
    of that.
    """
    before = 1e300
    for _ in range(most):
        singular, change, size = _iterate(f, g, q, xi, h, theta)
        end[3] += 1
        if singular >= 0:
            failed(singular, g.q, g.xi, end)
            return False
        if change <= tolerance * size or before <= change <= ROUNDING * tolerance * size:
            return True
        before = change
    end[1] = STALLED
    return False


@inner
def arrive(f: Field, g: Collocation, q: Array, xi: Array, h: float) -> float:
    """Where the step ends; what is supplied less what is dissipated in it [J].

    Powers of what acts on bodies are those at the stages as they were evaluated last.
    """
    acting = f.addresses[ACTS] != 0
    _velocities(g, xi, h)
    _rates(f.K, g)
    gained = 0.0
    for k in range(xi.shape[0]):
        move, gain = 0.0, 0.0
        for j in range(WIDTH):
            move += h * g.b[j] * g.rate[k, j]
            gain += h * g.b[j] * g.a[k, j]
            if f.active and not acting:
                gained += h * g.b[j] * g.xi[k, j] * (f.tau[k, j] - f.E[k, DAMPING] * g.xi[k, j])
        g.move[k] = move
        g.last[k] = xi[k] + gain
    for j in range(WIDTH if acting else 0):
        gained += h * g.b[j] * (f.P[0, j] - f.P[1, j])
    advance_q(f.K, q, g.move, g.end)
    return gained


@inner
def keep(f: Field, g: Collocation, q: Array, xi: Array, h: float, work: Array) -> None:
    """Goes to where the step ends, with its accounts, see `explicit`."""
    for k in range(q.shape[0]):
        q[k] = g.end[k]
    for k in range(xi.shape[0]):
        xi[k] = g.last[k]
    m = f.drive.ports.shape[0]
    for j in range(WIDTH if f.active else 0):
        x = h * g.b[j]
        if f.addresses[ACTS] != 0:
            for k in range(work.shape[0]):
                work[k] += x * f.P[k, j]
            continue
        for k in range(xi.shape[0]):
            work[0] += x * f.tau[k, j] * g.xi[k, j]
            work[1] += x * f.E[k, DAMPING] * g.xi[k, j] ** 2
        for p in range(m):
            work[2 + p] += x * f.drive.u[p, j] * g.xi[f.drive.ports[p], j]
            work[2 + m + p] += x * f.drive.u[p, j]


@kernel
def gauss_steps(
    f: Field, g: Collocation, Q: Array, XI: Array, work: Array, t0: float, h: float, every: int, tolerance: float,
    most: int, end: Int,
) -> None:  # fmt: skip
    """Rows `every` steps of length h apart. end: rows filled, how it ended, where, iterations.

    With more than `most` iterations a step is not kept.
    """
    end[0], end[1], end[3] = 0, DONE, 0
    for r in range(1, Q.shape[0]):
        begin_row(Q, XI, work, r)
        for k in range((r - 1) * every, r * every):
            drive_stages(f, g, k, t0 + k * h, h)
            if not (predict(f, g, Q[r], XI[r], h, k > 0, end) and solve_stages(
                f, g, Q[r], XI[r], h, 0.0, tolerance, most, end
            )):  # fmt: skip
                return
            arrive(f, g, Q[r], XI[r], h)
            keep(f, g, Q[r], XI[r], h, work[r])
        end[0] = r
