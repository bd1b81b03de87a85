"""Springs, dampers, friction and inputs in a step: efforts along functions of two frames and along angles.

An effort τ between the ends of a step acts with the impulse h τ along the exact derivative of its function y, or of its
angle, see `turns`; its work is τ (y1 - y0). Energies give τ = (discrete gradient of U), damping and friction
D (y1 - y0)/h, inputs τ = -u. A coefficient that depends on y itself, that of a damper along a line, is taken in the
middle of the step.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.calls import call_energy
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import add_to, dot, matrix, mul, put, times, vector
from visviva.kernels.multibody.damping import damp, damp_spin, reciprocal
from visviva.kernels.multibody.functions import middle, push, push_moment
from visviva.kernels.multibody.heats import warm_nodes
from visviva.kernels.multibody.losses import act, rub
from visviva.kernels.multibody.tables import (
    DM,
    LINE,
    LOAD_F,
    LOAD_M,
    OWN_F,
    OWN_M,
    PLACE,
    SECANT,
    SPIN_OF_PAIR,
    Elements,
    G,
    Int,
    Losses,
    Machine,
)
from visviva.kernels.multibody.turns import turn_middle


@inner
def read_inputs(B: Array, loads: Int, axes: Array, u: Array) -> None:
    """Wrenches of a step, added up per body: those in world axes, and those that turn with it."""
    for k in range(loads.shape[0]):
        put(B, loads[k, 0], LOAD_F, (0.0, 0.0, 0.0))
        put(B, loads[k, 0], LOAD_M, (0.0, 0.0, 0.0))
        put(B, loads[k, 0], OWN_F, (0.0, 0.0, 0.0))
        put(B, loads[k, 0], OWN_M, (0.0, 0.0, 0.0))
    for k in range(loads.shape[0]):
        b, i, own = loads[k, 0], loads[k, 1], loads[k, 3]
        if own >= 0:
            R = matrix(axes, own, 0)
            add_to(B, b, OWN_M, mul(R, (u[i], u[i + 1], u[i + 2])))
            add_to(B, b, OWN_F, mul(R, (u[i + 3], u[i + 4], u[i + 5])))
            continue
        if loads[k, 2] == 6:
            add_to(B, b, LOAD_M, (u[i], u[i + 1], u[i + 2]))
            i += 3
        add_to(B, b, LOAD_F, (u[i], u[i + 1], u[i + 2]))


@woven
def efforts(M: Machine, e: Elements, losses: Losses | None, u: Array, h: float, slopes: int) -> None:
    """Values of all functions of elements at the end of the step, and the efforts that belong to it.

    slopes: 1 where those of energies are wanted, else 0. With h = 0 efforts are those of an instant, without slopes.
    """
    first = M.sizes[1]
    for i in range(first, M.X.shape[0]):
        k = M.K[i, PLACE]
        e.y[0, k] = M.X[i, G]
        e.y[2, k] = middle(M.B, M.X, M.K, i, h)
        e.y[1, k] = e.y[0, k] + h * e.y[2, k]
        e.effort[k] = 0.0
    for k in range(e.slope.size):
        e.slope[k] = 0.0
    for k in range(e.twists.shape[0]):
        y, d, rate = e.twists[k, 1], e.friction[k], turn_middle(M.B, M.T, M.TK, e.twists[k, 0])
        e.y[1, y], e.y[2, y] = e.y[0, y] + h * rate, rate
        e.effort[y] = d * rate
        if d > 0.0:
            e.slope[e.twists[k, 2]] = d / h
    for k in range(e.law.shape[0]):
        address, n, at = e.law[k, 0], e.law[k, 1], e.law[k, 2]
        call_energy(
            address,
            (
                n, e.law_rows[at:].ctypes.data, e.law_numbers.ctypes.data, e.y[0].ctypes.data, e.y[1].ctypes.data,
                e.effort.ctypes.data, e.slope.ctypes.data, 1.0, slopes,
            ),
        )  # fmt: skip
    for i in range(e.element.shape[0]):
        at, n, s, d = e.element[i, 0], e.element[i, 1], e.element[i, 2], e.element[i, 3]
        if d >= 0 and e.element[i, 4] == SPIN_OF_PAIR:
            damp_spin(M.X, e.element[i, 5], e.y, e.effort, e.slope, e.damping, at, s, d, h)
        elif d >= 0:
            unit = 1.0
            if e.element[i, 4] == LINE:
                v = vector(M.X, e.element[i, 5], DM)
                unit = reciprocal(dot(v, v))
            damp(e.y, e.effort, e.slope, e.damping, at, n, s, d, unit, h)
    for i in range(e.stacks.shape[0]):
        if e.stacks[i, 3] >= 0:
            damp(
                e.y, e.effort, e.slope, e.damping, e.stacks[i, 0], e.stacks[i, 1], e.stacks[i, 2], e.stacks[i, 3],
                1.0, h,
            )  # fmt: skip
    if losses is not None:
        act(e.y, e.effort, e.slope, losses, u, h)
        if losses.feels[0]:
            warm_nodes(M.X, e, losses, h)
        rub(e.y, e.effort, e.slope, losses, h)
    for k in range(e.pushed.shape[0]):
        e.effort[e.pushed[k, 0]] -= u[e.pushed[k, 1]]


@woven
def push_elements(M: Machine, e: Elements, h: float) -> None:
    """Add the impulses of all elements to the balances of momentum."""
    for i in range(M.sizes[1], M.X.shape[0]):
        push(M.B, M.X, M.K, i, h * e.effort[M.K[i, PLACE]])
    for k in range(e.twists.shape[0]):
        t = e.twists[k, 0]
        push_moment(M.B, M.TK[t, 0], M.TK[t, 1], times(-h * e.effort[e.twists[k, 1]], vector(M.T, t, SECANT)))
