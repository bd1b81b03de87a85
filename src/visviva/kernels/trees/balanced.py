"""Gauss-Legendre steps of trees that close the balance of energy: accelerations less θ ξ, one number θ per step.

θ solves E(end) - E(start) = h Σ b_i P_i with the powers at the stages; it is of the order of the error of the step. See
`forms.flows.schemes.BalancedGauss8`.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.explicit import begin_row
from visviva.kernels.trees.field import DONE, Field, energy
from visviva.kernels.trees.gauss import Collocation, arrive, drive_stages, keep, predict, solve_stages

FAR = 0.1  # a step is damped by less
ROUNDED, CLOSED = 4e-16, 1.5e-14  # of the energies: what is not improved, and what counts as closed
TRIES = 12


@inner
def _gap(f: Field, g: Collocation, q: Array, xi: Array, h: float, before: float) -> float:
    """Energy gained in a step less what it was given."""
    gained = arrive(f, g, q, xi, h)
    return energy(f, g.end, g.last, g.W) - before - gained


@inner
def _balance(
    f: Field, g: Collocation, q: Array, xi: Array, h: float, size: float, tolerance: float, most: int, end: Int
) -> tuple[bool, bool]:
    """Whether the stages were found, and whether a θ was; else θ = 0. The step that is found is in `g`."""
    before = energy(f, q, xi, g.W)
    gap = _gap(f, g, q, xi, h, before)
    for k in range(xi.shape[0]):
        g.move[k] = 0.0
    here = energy(f, g.end, g.last, g.W)
    kinetic = here - energy(f, g.end, g.move, g.W)
    size = max(size, abs(here) + kinetic)
    theta, old, g_old, new = 0.0, 0.0, gap, gap / (2.0 * h * kinetic) if kinetic > 0.0 else 0.0
    best, stalled = abs(gap), 0
    for _ in range(TRIES if abs(new * h) < FAR else 0):
        if best <= ROUNDED * size or stalled == 2:
            break
        if not solve_stages(f, g, q, xi, h, new, tolerance, most, end):
            return False, False
        g_new = _gap(f, g, q, xi, h, before)
        if abs(g_new) < best:
            theta, best, stalled = new, abs(g_new), 0
        else:
            stalled += 1
        if g_new == g_old or not abs(g_new) < 1e300:
            break
        old, new, g_old = new, new - g_new * (new - old) / (g_new - g_old), g_new
    closed = best <= CLOSED * size and abs(theta * h) < FAR
    found = solve_stages(f, g, q, xi, h, theta if closed else 0.0, tolerance, most, end)
    arrive(f, g, q, xi, h)
    return found, closed


@kernel
def balanced_steps(
    f: Field, g: Collocation, Q: Array, XI: Array, work: Array, t0: float, h: float, every: int, size: float,
    tolerance: float, most: int, end: Int,
) -> None:  # fmt: skip
    """Rows `every` steps of length h apart. size: of the terms that the energy is made of, at the start.

    end: rows filled, how it ended, where, iterations, steps whose balance is not closed.
    """
    end[0], end[1], end[3], end[4] = 0, DONE, 0, 0
    for r in range(1, Q.shape[0]):
        begin_row(Q, XI, work, r)
        for k in range((r - 1) * every, r * every):
            drive_stages(f, g, k, t0 + k * h, h)
            if not (predict(f, g, Q[r], XI[r], h, k > 0, end) and solve_stages(
                f, g, Q[r], XI[r], h, 0.0, tolerance, most, end
            )):  # fmt: skip
                return
            found, closed = _balance(f, g, Q[r], XI[r], h, size, tolerance, most, end)
            if not found:
                return
            if not closed:
                end[4] += 1
            keep(f, g, Q[r], XI[r], h, work[r])
        end[0] = r
