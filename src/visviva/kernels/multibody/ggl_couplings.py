"""Couplings and generated rows in a step that keeps the rates of constraints as well.

The rate of a coupling is Σ a q̇ over its coordinates: displacements, or angles with θ̇ = c ṡ - s ċ, which is quadratic
in (c, s, ċ, ṡ), so that with means of both ends (see `geometry.turning`)

    Δθ̇ = c̄ Δṡ - s̄ Δċ + ṡ̄ Δc - ċ̄ Δs

A multiplier G of the rate acts with the weights κ = G a (-s̄, c̄) of the rates of both functions, and with the efforts
G a (-ṡ̄, ċ̄) along them. Generated rows without a g have no rate that is kept, and no G.
"""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner
from visviva.kernels.multibody.accounts import rate_at_node
from visviva.kernels.multibody.algebra import exceeds
from visviva.kernels.multibody.curvature import FIRST, columns_of, curve, rank_one
from visviva.kernels.multibody.ggl_curvature import curve_end_rates, curve_rates, rate_columns_of
from visviva.kernels.multibody.ggl_rows import CALM, push_rate, rate_with_size
from visviva.kernels.multibody.ggl_tables import Rates
from visviva.kernels.multibody.graph import PER_ROW

from visviva.kernels.multibody.tables import (  # isort: skip
    BODIES, CHILD, FIRST as FIRST_ROW, PARENT, PLACE, ROWS, Couplings, G, GeneratedRows, Int, Machine,
)  # fmt: skip

# Rows of `Couplings.rate`, per function: its rate at the start and at the end of a step, weight of its rate and of
# itself per unit of G, and the former times G.
RATE_START, RATE_END, BY_RATE, BY_VALUE, WEIGHT, COUPLED_RATES = range(6)
VALUE, MOMENTUM, END = range(3)  # columns of a function: see `columns_of`, and both of `rate_columns_of`


@inner
def begin_coupling_rates(B: Array, X: Array, K: Int, c: Couplings) -> None:
    """Rates at the start of a step."""
    for r in range(c.rows.shape[0]):
        total = 0.0
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            k, i = c.terms[t, 0], c.terms[t, 3]
            speed, _, _ = rate_at_node(B, X, K, 0, i)
            c.rate[RATE_START, k] = speed
            if c.terms[t, 2] >= 0:
                sine, _, _ = rate_at_node(B, X, K, 0, i + 1)
                c.rate[RATE_START, k + 1] = sine
                speed = X[i, G] * sine - X[i + 1, G] * speed
            total += c.coefficients[t] * speed
        c.speed[r, 0] = total


@inner
def couple_rates(
    M: Machine, level: Rates, c: Couplings, y: Array, effort: Array, u: Array, h: float
) -> tuple[float, int]:
    """Rates of all couplings at the end of a step, and what their G do; the largest scaled rate, and its place.

    It follows `couple`, and adds to the efforts that are there. u: inputs at the end of the step.
    """
    B, C, X, Y, K, worst, at = M.B, level.B, M.X, level.X, M.K, 0.0, -1
    for r in range(c.rows.shape[0]):
        k, s, value, size = c.rows[r, 0], c.rows[r, 3], 0.0, 0.0
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, f, a = c.terms[t, 0], c.terms[t, 3], c.coefficients[t]
            rate, terms = rate_with_size(B, C, X, Y, K, f)
            c.rate[RATE_END, i], c.rate[BY_RATE, i], c.rate[BY_VALUE, i] = rate, a, 0.0
            value += c.end[i] * rate
            if c.terms[t, 2] >= 0:
                sine, more = rate_with_size(B, C, X, Y, K, f + 1)
                c.rate[RATE_END, i + 1] = sine
                value += c.end[i + 1] * sine
                terms = max(terms, more)
                c.rate[BY_RATE, i], c.rate[BY_RATE, i + 1] = (
                    -0.5 * a * (y[0, i + 1] + y[1, i + 1]),
                    0.5 * a * (y[0, i] + y[1, i]),
                )
                c.rate[BY_VALUE, i] = -0.5 * a * (c.rate[RATE_START, i + 1] + sine)
                c.rate[BY_VALUE, i + 1] = 0.5 * a * (c.rate[RATE_START, i] + rate)
            size += abs(a) * terms
            for part in range(1 if c.terms[t, 2] < 0 else 2):
                effort[i + part] += level.G[k] * c.rate[BY_VALUE, i + part]
                c.rate[WEIGHT, i + part] = level.G[k] * c.rate[BY_RATE, i + part]
                push_rate(B, C, X, Y, K, f + part, c.rate[WEIGHT, i + part], h)
        c.speed[r, 1] = value
        if s >= 0 and c.shifts[s, 1] >= 0:
            value -= u[c.shifts[s, 1]]
            size += abs(u[c.shifts[s, 1]])
        level.gap[k] = value
        scaled = abs(value) / (size + CALM * c.size[r] / abs(h)) if M.active[k] else 0.0
        if exceeds(scaled, worst):
            worst, at = scaled, k
    return worst, at


@inner
def rate_work(c: Couplings, r: int, G_: Array) -> float:
    """Work of what drives a coupling on its rate, -γ Δṡ."""
    return G_[c.rows[r, 0]] * (c.speed[r, 1] - c.speed[r, 0])


@inner
def _columns(M: Machine, level: Rates, i: int, h: float, q: Array) -> None:
    """All columns of a function, (3, 24)."""
    columns_of(M.B, M.X, M.K, i, FIRST, q[VALUE])
    rate_columns_of(M.B, level.B, M.X, level.X, M.K, i, 0, h, q[MOMENTUM], q[END])


@inner
def _add(M: Machine, Z: Array, pair: int, i: int, force: Array, form: Array, s: float, t: Array) -> None:
    """Add s times the product of impulses and slopes of two functions of one pair of bodies; t: scratch."""
    for j in range(12):
        t[j] = s * form[12 + j]
    rank_one(M.B, Z, pair, M.K[i, PARENT], M.K[i, CHILD], force, t)


@inner
def curve_coupled_kinematics(M: Machine, level: Rates, c: Couplings, Z: Array, pairs: Int, h: float) -> None:
    """Derivatives of the kinematics by u and ω, as far as they have a G of a coupling as a factor."""
    for i in range(M.sizes[1], M.X.shape[0]):
        weight = c.rate[WEIGHT, M.K[i, PLACE]]
        if weight != 0.0:
            curve(M.B, M.X, M.K, Z, pairs[i], i, weight, h)
    for r in range(c.rows.shape[0]):
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, half = c.terms[t, 3], 0.5 * h * level.G[c.rows[r, 0]] * c.coefficients[t]
            if c.terms[t, 2] >= 0 and half != 0.0:
                cos, sin, form = c.pad[0, VALUE], c.pad[1, VALUE], c.pad[0, END]
                columns_of(M.B, M.X, M.K, i, FIRST, cos)
                columns_of(M.B, M.X, M.K, i + 1, FIRST, sin)
                _add(M, Z, pairs[i], i, sin, cos, half, form)
                _add(M, Z, pairs[i], i, cos, sin, -half, form)


@inner
def curve_coupled_momentum(M: Machine, level: Rates, c: Couplings, Z: Array, pairs: Int, h: float) -> None:
    """Derivatives of the momentum rows by u and ω."""
    curve_rates(
        M.B, level.B, M.X, level.X, M.K, M.sizes[1], M.X.shape[0], c.rate[WEIGHT], Z, pairs, h,
    )  # fmt: skip
    for r in range(c.rows.shape[0]):
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, half = c.terms[t, 3], 0.5 * h * level.G[c.rows[r, 0]] * c.coefficients[t]
            if c.terms[t, 2] >= 0 and half != 0.0:
                cos, sin, form = c.pad[0], c.pad[1], c.pad[0, END]
                _columns(M, level, i, h, cos)
                _columns(M, level, i + 1, h, sin)
                _add(M, Z, pairs[i], i, sin[MOMENTUM], cos[VALUE], half, form)
                _add(M, Z, pairs[i], i, cos[MOMENTUM], sin[VALUE], -half, form)
                _add(M, Z, pairs[i], i, sin[VALUE], cos[MOMENTUM], half, form)
                _add(M, Z, pairs[i], i, cos[VALUE], sin[MOMENTUM], -half, form)


@inner
def curve_coupled_end(M: Machine, level: Rates, c: Couplings, Z: Array, pairs: Int, h: float) -> None:
    """Derivatives of the momentum rows by v1 and ψ."""
    curve_end_rates(M.B, M.X, M.K, M.sizes[1], M.X.shape[0], c.rate[WEIGHT], Z, pairs, h)
    for r in range(c.rows.shape[0]):
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, half = c.terms[t, 3], 0.5 * h * level.G[c.rows[r, 0]] * c.coefficients[t]
            if c.terms[t, 2] >= 0 and half != 0.0:
                cos, sin, form = c.pad[0], c.pad[1], c.pad[0, MOMENTUM]
                _columns(M, level, i, h, cos)
                _columns(M, level, i + 1, h, sin)
                _add(M, Z, pairs[i], i, sin[VALUE], cos[END], half, form)
                _add(M, Z, pairs[i], i, cos[VALUE], sin[END], -half, form)


@inner
def coupling_rate_columns(
    M: Machine, level: Rates, c: Couplings, r: int, one: Array, two: Array, three: Array, first: int, h: float
) -> None:
    """Impulses and slopes of one row on all of its bodies, 12 numbers each, from `first` on; see `RateBorder.V`."""
    n, begin, stop = M.B.shape[0] - 1, c.rows[r, 4], c.rows[r, 5]
    for j in range(first, first + 12 * (stop - begin)):
        one[j] = two[j] = three[j] = 0.0
    for t in range(c.rows[r, 1], c.rows[r, 2]):
        parts, a = 1 if c.terms[t, 2] < 0 else 2, c.coefficients[t]
        for part in range(parts):
            i, k = c.terms[t, 3] + part, c.terms[t, 0] + part
            q = c.pad[part]
            _columns(M, level, i, h, q)
            by_rate, by_value, end = c.rate[BY_RATE, k], h * c.rate[BY_VALUE, k], c.end[k]
            turned = 0.0  # how the end's weights of both rates change with this function
            if parts == 2:
                turned = a * h * (c.rate[RATE_END, k + 1] if part == 0 else -c.rate[RATE_END, k - 1])
            for side in range(2):
                b = M.K[i, PARENT + side]
                if b == n:
                    continue
                at = first
                while c.bodies[begin + (at - first) // 12] != b:
                    at += 12
                for j in range(6):
                    l = 6 * side + j
                    one[at + j] += by_rate * q[VALUE, l]
                    two[at + j] += by_value * q[VALUE, l] + by_rate * q[MOMENTUM, l]
                    three[at + j] += c.secant[k] * q[VALUE, l]
                    one[at + 6 + j] += end * q[VALUE, 12 + l]
                    two[at + 6 + j] += end * q[MOMENTUM, 12 + l] + turned * q[VALUE, 12 + l]
                    three[at + 6 + j] += end * q[END, 12 + l]


@inner
def assemble_coupled(
    M: Machine, level: Rates, c: Couplings, one: Array, two: Array, three: Array, first: int, at: int, h: float
) -> int:
    """The values of couplings in the three blocks, from a place on; returns that of generated rows.

    first: place of the first value that belongs to a multiplier.
    """
    for r in range(c.rows.shape[0]):
        k, width = c.rows[r, 0], 12 * (c.rows[r, 5] - c.rows[r, 4])
        coupling_rate_columns(M, level, c, r, one, two, three, at, h)
        if not M.active[k]:
            for j in range(at, at + width):
                one[j] = two[j] = three[j] = 0.0
        diagonal = first + PER_ROW * k + 24
        one[diagonal] = three[diagonal] = 0.0 if M.active[k] else 1.0
        two[diagonal] = 0.0
        at += width
    return at


@inner
def part_levels(c: GeneratedRows, one: Array, two: Array, three: Array, at: int) -> None:
    """Values of generated rows, which `slopes_of_rows` has written to the second block, to those where they belong.

    How impulses change stays; impulses are those of Λ, slopes those of values. The rate's row says that G is zero.
    """
    for i in range(c.table.shape[0]):
        n, m = c.table[i, BODIES], c.table[i, ROWS]
        columns = at + 36 * n * n
        slopes = columns + 6 * n * m
        diagonal = slopes + 6 * n * m
        for j in range(at, columns):
            one[j] = three[j] = 0.0
        for j in range(columns, slopes):
            three[j], one[j], two[j] = two[j], 0.0, 0.0
        for j in range(slopes, diagonal):
            one[j], two[j], three[j] = two[j], 0.0, 0.0
        for j in range(diagonal, diagonal + m):
            one[j] = three[j] = two[j]
            two[j] = 1.0 - two[j]
        at = diagonal + m


@inner
def no_generated_rates(c: GeneratedRows, G_: Array, gap: Array, active: Mask) -> None:
    """Rates of generated rows are not kept: their G stays zero."""
    for i in range(c.table.shape[0]):
        for r in range(c.table[i, ROWS]):
            k = c.table[i, FIRST_ROW] + r
            gap[k] = G_[k] if active[k] else 0.0
