"""Explicit Runge-Kutta steps of trees: fixed, by the estimated error, and relaxed to the balance of energy.

Rows of Q and XI are nodes of the motion: row 0 is given at time t0, and a call fills the others, an equal time apart.
`work` has integrals of `field.powers` until each row by the weights of the method: what τ has supplied, damping has
taken and each input has given [J], the inputs, and what each damper has taken. Nothing is allocated.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.step_control import FAILED, LEAST, MEMORY, MOST, SAFETY, SHORTEST
from visviva.kernels.trees.chart import advance_q, chart
from visviva.kernels.trees.field import DONE, STALLED, Field, accelerate, bounded, drive_at, energy, failed, powers

CLOSE = 1e-14  # of the energy: what its balance is solved to
FAR = 0.1  # relaxation by more than this part of a step is none


class Stages(NamedTuple):
    """Memory of a method with s stages."""

    A: Array  # (s, s)
    b: Array  # (s,)
    c: Array  # (s,)
    D: Array  # (s, n) δ̇
    V: Array  # (s, n) ξ̇
    P: Array  # (s, powers)
    delta: Array  # (n,)
    gain: Array  # (n,)
    q: Array  # (size_q,)
    xi: Array  # (n,)


@woven
def _stages(f: Field, s: Stages, q0: Array, xi0: Array, t: float, h: float, step: int) -> int:
    """Rates of all stages; δ and the gain of ξ at the end; a link whose joint has no inertia, or -1."""
    n = xi0.shape[0]
    for j in range(s.b.shape[0]):
        _sum(s, s.A[j], j, h)
        for k in range(n):
            s.xi[k] = xi0[k] + s.gain[k]
        chart(f.K, q0, s.delta, s.xi, s.q, s.D[j])
        drive_at(f, t + s.c[j] * h, step, j)
        singular = accelerate(f, s.q, s.xi, s.V[j])
        if singular >= 0:
            return singular
        if f.active:
            powers(f, s.xi, s.P[j])
    _sum(s, s.b, s.b.shape[0], h)
    return -1


@woven
def _sum(s: Stages, a: Array, count: int, h: float) -> None:
    """δ and the gain of ξ from the first stages, by the weights a."""
    n, first = s.delta.shape[0], True
    for l in range(count):
        x = h * a[l]
        if x != 0.0 and first:
            first = False
            for k in range(n):
                s.delta[k] = x * s.D[l, k]
                s.gain[k] = x * s.V[l, k]
        elif x != 0.0:
            for k in range(n):
                s.delta[k] += x * s.D[l, k]
                s.gain[k] += x * s.V[l, k]
    if first:
        for k in range(n):
            s.delta[k] = 0.0
            s.gain[k] = 0.0


@woven
def _finish(f: Field, s: Stages, q: Array, xi: Array, h: float, part: float, work: Array) -> None:
    """Goes to the end of the step, or a part of it."""
    n = xi.shape[0]
    for k in range(n):
        s.delta[k] *= part
        xi[k] += part * s.gain[k]
    advance_q(f.K, q, s.delta, s.q)
    for k in range(q.shape[0]):
        q[k] = s.q[k]
    for j in range(s.b.shape[0] if f.active else 0):
        for k in range(work.shape[0]):
            work[k] += part * h * s.b[j] * s.P[j, k]


@inner
def begin_row(Q: Array, XI: Array, work: Array, r: int) -> None:
    """A row begins where the last one ended."""
    for k in range(Q.shape[1]):
        Q[r, k] = Q[r - 1, k]
    for k in range(XI.shape[1]):
        XI[r, k] = XI[r - 1, k]
    for k in range(work.shape[1]):
        work[r, k] = work[r - 1, k]


@kernel
def fixed_steps(
    f: Field, s: Stages, Q: Array, XI: Array, work: Array, t0: float, h: float, every: int, end: Int
) -> None:
    """Rows `every` steps of length h apart. end: rows filled, how it ended, and where."""
    end[0], end[1] = 0, DONE
    for r in range(1, Q.shape[0]):
        begin_row(Q, XI, work, r)
        for k in range((r - 1) * every, r * every):
            singular = _stages(f, s, Q[r], XI[r], t0 + k * h, h, k)
            if singular >= 0:
                failed(singular, s.q, s.xi, end)
                return
            _finish(f, s, Q[r], XI[r], h, 1.0, work[r])
        if not (bounded(Q[r]) and bounded(XI[r])):
            end[1] = STALLED
            return
        end[0] = r


@kernel
def held_steps(
    f: Field, s: Stages, Q: Array, XI: Array, work: Array, t0: float, h: float, first: int, n: int
) -> tuple[int, int]:
    """Rows after `first`, a step of length h apart, with inputs that are held; how many, and 0 where that is all."""
    for r in range(first + 1, first + n + 1):
        begin_row(Q, XI, work, r)
        if _stages(f, s, Q[r], XI[r], t0 + (r - first - 1) * h, h, 0) >= 0:
            return r - first - 1, 1
        _finish(f, s, Q[r], XI[r], h, 1.0, work[r])
        if not (bounded(Q[r]) and bounded(XI[r])):
            return r - first - 1, 1
    return n, 0


@woven
def _error(s: Stages, xi0: Array, e5: Array, e3: Array, units: Array, tolerance: float, h: float) -> float:
    """Estimated error of a step in units of the tolerance, by two embedded formulas; see `forms.flows.explicit`.

    units: (n,) L of the local coordinates; velocities count in L S, S² = max((ξ/L)², |ξ̇|/L): see `forms.flows.local`.
    Source: Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.10.
    """
    n, five, three, fastest, fall = xi0.shape[0], 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        fastest = max(fastest, abs(xi0[k]) / units[k])
        fall = max(fall, abs(s.V[0, k]) / units[k])
    speed = max(fastest, fall**0.5)
    slow = 1.0 / speed if speed > 0.0 else 1.0
    for k in range(n):
        d5, d3, v5, v3 = 0.0, 0.0, 0.0, 0.0
        for l in range(e5.shape[0]):
            d5 += e5[l] * s.D[l, k]
            d3 += e3[l] * s.D[l, k]
            v5 += e5[l] * s.V[l, k]
            v3 += e3[l] * s.V[l, k]
        place = 1.0 / units[k]
        rate = slow * place
        five += (place * d5) ** 2 + (rate * v5) ** 2
        three += (place * d3) ** 2 + (rate * v3) ** 2
    below = five + 0.01 * three
    if below == 0.0:
        return 0.0
    return abs(h) * five / (below * 2 * n) ** 0.5 / tolerance


@kernel
def adaptive_steps(
    f: Field, s: Stages, e5: Array, e3: Array, units: Array, Q: Array, XI: Array, work: Array, t0: float, h: float,
    tolerance: float, memory: Array, end: Int,
) -> None:  # fmt: skip
    """Rows h apart, with steps of their own between, that end at each row. memory: next step, and error before it.

    The error of each step in the units of `_error` is kept below the tolerance; lengths of steps by `step_control`, as
    in `forms.flows.pacing`. The last two steps before a row are of one length.
    end: rows filled, how it ended, where, steps, steps refused.
    """
    end[0], end[1], end[3], end[4] = 0, DONE, 0, 0
    for r in range(1, Q.shape[0]):
        begin_row(Q, XI, work, r)
        t, refused = 0.0, False
        while t < h:
            wanted, left = min(memory[0], h), h - t
            last = left <= wanted * (1.0 + 1e-9)
            step = left if last else 0.5 * left if left <= 2.0 * wanted else wanted
            singular = _stages(f, s, Q[r], XI[r], t0 + (r - 1) * h + t, step, 0)
            if singular >= 0:
                failed(singular, s.q, s.xi, end)
                return
            error = _error(s, XI[r], e5, e3, units, tolerance, step)
            if error <= 1.0:
                _finish(f, s, Q[r], XI[r], step, 1.0, work[r])
                t = h if last else t + step
                size = max(error, 1e-10)
                factor = SAFETY * size ** (0.75 * MEMORY - 1.0 / 8.0) * memory[1] ** MEMORY
                grown = step * min(1.0 if refused else MOST, max(LEAST, factor))
                memory[0] = min(max(grown, wanted) if step < wanted else grown, h)
                memory[1] = max(size, 1e-4)
                refused = False
                end[3] += 1
            else:  # also where it is not a number
                memory[0] = step * (max(LEAST, SAFETY * error**-0.125) if error < 1e300 else FAILED)
                refused = True
                end[4] += 1
                if not memory[0] > SHORTEST * h:
                    end[1] = STALLED
                    return
        if not (bounded(Q[r]) and bounded(XI[r])):
            end[1] = STALLED
            return
        end[0] = r


@kernel
def relaxed_steps(
    f: Field, s: Stages, Q: Array, XI: Array, work: Array, H: Array, x: Array, y: Array, t0: float, h: float,
    every: int, size: float, end: Int,
) -> None:  # fmt: skip
    """Rows `every` steps of length h apart, each a part γ of an explicit step, 1 to its order, such that

        E(y0 + γ h Σ b k) = E0 + γ h Σ b_i P_i .

    Source: Ketcheson (2019), SIAM J. Numer. Anal. 57, 2850-2870. At rest the equation says nothing of γ: the step
    stays as it is, and is counted. Each row is reached by one short step that is not relaxed: it is so short that its
    error in energy is far below rounding.
    H: (rows,) the energy that the balance asks for, H[0] is given.   x, y: (size_q,), (n,) scratch.
    size: of the terms that the energy is made of, which is that of its rounding.
    end: rows filled, how it ended, where, -, steps that were not relaxed.
    """
    end[0], end[1], end[4] = 0, DONE, 0
    for r in range(1, Q.shape[0]):
        begin_row(Q, XI, work, r)
        H[r] = H[r - 1]
        t, total = 0.0, every * h
        for k in range(every + 1):
            step = (total - t) / (every - k) if k < every else total - t
            if step == 0.0:
                break
            singular = _stages(f, s, Q[r], XI[r], t0 + (r - 1) * total + t, step, 0)
            if singular >= 0:
                failed(singular, s.q, s.xi, end)
                return
            part, supplied = 1.0, 0.0
            for j in range(s.b.shape[0] if f.active else 0):
                supplied += step * s.b[j] * (s.P[j, 0] - s.P[j, 1])
            if k < every:
                part, found = _relaxed(f, s, Q[r], XI[r], H[r], supplied, size, x, y)
                if not found:
                    end[4] += 1
            H[r] += part * supplied
            _finish(f, s, Q[r], XI[r], step, part, work[r])
            t += part * step
        if not (bounded(Q[r]) and bounded(XI[r])):
            end[1] = STALLED
            return
        end[0] = r


@woven
def _imbalance(
    f: Field, s: Stages, q0: Array, xi0: Array, wanted: float, supplied: float, part: float, x: Array, y: Array
) -> float:
    for k in range(xi0.shape[0]):
        s.xi[k] = part * s.delta[k]
        y[k] = xi0[k] + part * s.gain[k]
    advance_q(f.K, q0, s.xi, x)
    return energy(f, x, y, f.W) - wanted - part * supplied


@woven
def _relaxed(
    f: Field, s: Stages, q0: Array, xi0: Array, wanted: float, supplied: float, size: float, x: Array, y: Array
) -> tuple[float, bool]:
    """γ by secants, and whether there is one; 1 where the balance holds to rounding."""
    close = CLOSE * max(size, abs(wanted))
    before, e_before = 1.0, _imbalance(f, s, q0, xi0, wanted, supplied, 1.0, x, y)
    if abs(e_before) <= close:
        return 1.0, True
    part = 1.0 + 1e-4
    best, e_best = 1.0, abs(e_before)
    for _ in range(8):
        e = _imbalance(f, s, q0, xi0, wanted, supplied, part, x, y)
        if abs(e) < e_best:
            best, e_best = part, abs(e)
        if e_best <= close or e == e_before:
            break
        before, e_before, part = part, e, part - e * (part - before) / (e - e_before)
        if not abs(part - 1.0) < FAR:
            return 1.0, False
    return (best, True) if e_best <= 100.0 * close else (1.0, False)
