"""The matrix of a step with both levels as the values of a sparse matrix: four blocks with the pattern of `graph`.

Rows and unknowns of the first level are kinematics and g with u, ω, G; of the second momentum and rates with v1, ψ, Λ.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import Across, columns_of, curve_elements
from visviva.kernels.multibody.ggl_curvature import curve_end_rates, curve_rates, rate_columns_of
from visviva.kernels.multibody.ggl_tables import DV1, KIN_T, Rates
from visviva.kernels.multibody.graph import PER_ROW, curve_joints, first_row, put_blocks, put_row
from visviva.kernels.multibody.rows import slopes_of_rows
from visviva.kernels.multibody.solver import clear
from visviva.kernels.multibody.tables import DU, FORCE, KIND, MEET, PLACE, Conditions, Elements, Int, Machine

from visviva.kernels.multibody.ggl_couplings import (  # isort: skip
    assemble_coupled, curve_coupled_end, curve_coupled_kinematics, curve_coupled_momentum, part_levels,
)  # fmt: skip
from visviva.kernels.multibody.ggl_bodies import (  # isort: skip
    slope_kinematics, slope_kinematics_end, slope_momentum, slope_momentum_end,
)  # fmt: skip


@inner
def assemble_blocks(
    M: Machine, e: Elements, conditions: Conditions | None, rates: Rates, Z: Array, pairs: Int, twist_pairs: Int,
    pad: Array, across: Across, h: float,
) -> int:  # fmt: skip
    """Blocks of and between bodies; returns the number of values of one block of the matrix. pad: scratch of elements.

    The bodies' own blocks and Z are used for one block after the other.
    """
    B, C, X, Y, K, rows, G, size = M.B, rates.B, M.X, rates.X, M.K, M.sizes[1], rates.G, rates.size[0]
    slope_kinematics(B, C, h)
    clear(Z)
    curve_joints(M, G, Z, pairs, h)
    if conditions is not None:
        curve_coupled_kinematics(M, rates, conditions.couplings, Z, pairs, h)
    put_blocks(B, Z, rates.V)
    slope_momentum(B, C, h)
    clear(Z)
    curve_elements(M, e, Z, pairs, twist_pairs, pad, across, h)
    curve_joints(M, M.lam, Z, pairs, h)
    curve_rates(B, C, X, Y, K, 0, rows, G, Z, pairs, h)
    if conditions is not None:
        curve_coupled_momentum(M, rates, conditions.couplings, Z, pairs, h)
    put_blocks(B, Z, rates.V[size:])
    slope_momentum_end(B, C, h)
    clear(Z)
    curve_end_rates(B, X, K, 0, rows, G, Z, pairs, h)
    if conditions is not None:
        curve_coupled_end(M, rates, conditions.couplings, Z, pairs, h)
    put_blocks(B, Z, rates.V[2 * size :])
    slope_kinematics_end(B, C)
    put_blocks(B, Z[:0], rates.V[3 * size :])
    return size


@inner
def assemble_rows(M: Machine, conditions: Conditions | None, rates: Rates, Z: Array, h: float, size: int) -> None:
    """Impulses and slopes of all multipliers; size: of one block of the matrix."""
    B, C, X, Y, K, first, q, end = M.B, rates.B, M.X, rates.X, M.K, first_row(M.B, Z), rates.q[0], rates.q[1]
    one, two, three = rates.V[:size], rates.V[size : 2 * size], rates.V[2 * size : 3 * size]
    for i in range(M.sizes[1]):
        k = K[i, PLACE]
        for part in range(3 if K[i, KIND] == MEET else 1):
            at, active = first + PER_ROW * (k + part), M.active[k + part]
            rate_columns_of(B, C, X, Y, K, i, part, h, q, end)
            put_row(two, at, q, active)
            two[at + 24] = 0.0
            columns_of(B, X, K, i, part, q)
            put_row(one, at, q, active)
            for j in range(12):
                end[j] = q[j]
            put_row(three, at, end, active)
    if conditions is not None:
        at = first + PER_ROW * M.lam.size
        at = assemble_coupled(M, rates, conditions.couplings, one, two, three, first, at, h)
        slopes_of_rows(B, conditions.generated, M.lam, M.active, two, at, h)
        part_levels(conditions.generated, one, two, three, at)


@inner
def load_rates(M: Machine, rates: Rates) -> None:
    """The right-hand side from the residual."""
    n = M.B.shape[0] - 1
    level = 6 * n + M.gap.size
    for b in range(n):
        for j in range(6):
            rates.b[6 * b + j] = rates.B[b, KIN_T + j]
            rates.b[level + 6 * b + j] = M.B[b, FORCE + j]
    for k in range(M.gap.size):
        rates.b[6 * n + k] = M.gap[k] if M.active[k] else 0.0
        rates.b[level + 6 * n + k] = rates.gap[k] if M.active[k] else 0.0


@inner
def unload_rates(M: Machine, rates: Rates) -> None:
    """Increments from the solution."""
    n = M.B.shape[0] - 1
    level = 6 * n + M.gap.size
    for b in range(n):
        for j in range(6):
            M.B[b, DU + j] = -rates.b[6 * b + j]
            rates.B[b, DV1 + j] = -rates.b[level + 6 * b + j]
    for k in range(M.gap.size):
        rates.dG[k] = -rates.b[6 * n + k]
        M.dlam[k] = -rates.b[level + 6 * n + k]
