"""Boxes in a step of a mechanism: composites of the language, solved for given rates of the coordinates they sit on.

All boxes, and the thermal nodes that they heat, are one program of `kernels.program`. Its ports are junctions whose
efforts ẏ are those of the mechanism; the others, w, are eliminated from the mechanism's step:

    r_w(w, ẏ) = 0,   effort along a coordinate  r_y(w, ẏ),   its slope  (∂r_y/∂ẏ - ∂r_y/∂w (∂r_w/∂w)⁻¹ ∂r_w/∂ẏ)/h

so that the impulses and the matrix of a step know nothing of what is inside. Newton's method of the mechanism goes on
with that of its boxes: each evaluation moves w along with ẏ, and counts in its efforts what r_w ≠ 0 still changes,

    w ← w - δ + (dw/dẏ) Δẏ,   effort  r_y - ∂r_y/∂w δ,   δ = (∂r_w/∂w)⁻¹ r_w

Where that leads astray, the rows of boxes are solved for given rates alone. Slopes of one box by coordinates of
another, with which it shares a thermal node, are left to the iteration: they are of the order of what h warms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.lu import Plan, factor, solve
from visviva.kernels.multibody.tables import Int
from visviva.kernels.newton import ACCEPT, MOST, ROUNDED, SLOW, STAGNANT
from visviva.kernels.program import DIM, SOLVED, Idle, Program, Work
from visviva.kernels.residual import MATRIX, POWERS, RESIDUAL, evaluate

ROW, MEASURE, AT, BOX = range(4)  # columns of `ports`
ENOUGH = 2e-15  # scaled residual of boxes that is rounding
NEAR = 1e-2  # scaled residual of boxes from which they converge together with the mechanism
NONE, OLD, OWN = range(3)  # factors of the rows of boxes: none, those of an iterate before, those of this one
NODE, NODE_ROW, NODE_GAIN, NODE_VALUE, NODE_MEASURE, NODE_STATE = range(6)  # columns of `nodes`


class Boxes(NamedTuple):
    """Boxes of a mechanism as one program, and where its parts are in the mechanism."""

    prog: Program
    plan: Plan
    none: Idle  # no rows: those of ports are replaced here
    work: Work
    settings: Array  # of Newton's method
    ports: Int  # (ports, 4) row, measure and place among the coordinates of its box; box
    slopes: Int  # (boxes, 2) first slope, number of coordinates
    entries: Int  # (k, 3) values in rows of ports: place, port, column
    kept: Array  # (k,) these values
    diagonal: Int  # (ports,) place of the diagonal in its row
    nodes: Int  # (nodes, 6) number, row, places of its gain and of its diagonal; measure and state of its entropy
    inputs: Int  # (k, 2) column here and in the mechanism
    u: Array  # (1, inputs)
    states: Int  # (k, 2) place here and in the state of the mechanism
    algebraic: Int  # (k, 2) the same for algebraic unknowns
    heats: Int  # (k, 2) component, column of the dissipation
    works: Int  # (k, 2) component, column of the port
    takers: Int  # (reservoirs,) column of each
    force: Array  # (ports,) efforts along the coordinates
    start: Array  # (unknowns,) those of the last step that was made
    due: Array  # (unknowns,) δ, by which the next evaluation moves them
    factors: Int  # (1,) NONE, OLD or OWN


@woven
def _heat_nodes(b: Boxes, numbers: Array, given: Array, h: float, mode: int) -> None:
    """What the mechanism's own losses give to nodes: the flow of entropy Q/(h θ)."""
    w = b.work
    for k in range(b.nodes.shape[0]):
        j, row = b.nodes[k, NODE], b.nodes[k, NODE_ROW]
        theta = b.prog.theta0[0] + w.z[0, row]
        flow = given[j] / (h * theta)
        numbers[j, 3] = theta
        w.r[row] -= flow
        if mode == MATRIX:
            w.V[b.nodes[k, NODE_VALUE]] += flow / theta * w.dE[0, b.nodes[k, NODE_GAIN]]
            group = b.prog.group[row]
            w.size[group] = max(w.size[group], abs(flow))


@woven
def _residual(b: Boxes, numbers: Array, given: Array, h: float, mode: int) -> float:
    """Evaluate all rows; those of ports give efforts and are replaced by "unknown = rate". The largest scaled row."""
    w = b.work
    evaluate(b.prog, b.none, w, b.u, 0.0, h, mode)
    _heat_nodes(b, numbers, given, h, mode)
    for p in range(b.ports.shape[0]):
        b.force[p] = w.r[b.ports[p, ROW]]
        w.r[b.ports[p, ROW]] = 0.0
    if mode == MATRIX:
        for k in range(b.entries.shape[0]):
            b.kept[k] = w.V[b.entries[k, 0]]
            w.V[b.entries[k, 0]] = 0.0
        for p in range(b.ports.shape[0]):
            w.V[b.diagonal[p]] = 1.0
    largest, total = 0.0, 0.0
    for k in range(b.prog.sizes[SOLVED]):
        value = abs(w.r[k]) / w.size[b.prog.group[k]]
        total += value
        largest = max(largest, value)
    for p in range(b.ports.shape[0]):
        total += b.force[p] - b.force[p]
    return largest + (total - total)  # a maximum forgets nan, a sum does not


@woven
def _newton(b: Boxes, numbers: Array, given: Array, h: float) -> bool:
    """Solve the rows of all boxes for the rates that are in the unknowns; whether that went well."""
    w, n, settings = b.work, b.prog.sizes[SOLVED], b.settings
    best, last, iteration = math.inf, math.inf, 0
    fresh, mode, reverted = False, MATRIX if b.factors[0] == NONE else RESIDUAL, False
    while True:
        r = _residual(b, numbers, given, h, mode)
        if not math.isfinite(r):
            return False
        if r <= ENOUGH or reverted:
            return True
        if r < best or mode == MATRIX:
            best = r
            for k in range(n):
                w.best[k] = w.y[k]
        slow = mode == RESIDUAL and r > STAGNANT * last
        if slow and (best <= settings[ROUNDED] or (fresh and best <= settings[ACCEPT])):
            if r == best:
                return True
            reverted = True  # evaluated once more: all must belong to the best iterate
            for k in range(n):
                w.y[k] = w.best[k]
            continue
        if iteration >= settings[MOST]:
            return False
        if mode == RESIDUAL and r > settings[SLOW] * last:
            mode = MATRIX
            continue
        if mode == MATRIX:
            if not factor(b.plan, w.V, w.LU, w.pad) > 0.0:
                return False
            b.factors[0] = OLD
        fresh = mode == MATRIX
        for k in range(n):
            w.move[k] = w.r[k]
        solve(b.plan, w.LU, w.move, w.pad)
        for k in range(n):
            w.y[k] -= w.move[k]
        last, mode = r, RESIDUAL
        iteration += 1


@woven
def _follow(b: Boxes, y: Array) -> None:
    """Move all unknowns by what is due, and along with the rates of the coordinates they sit on."""
    w, n = b.work, b.prog.sizes[SOLVED]
    for k in range(n):
        w.move[k] = 0.0
    for p in range(b.ports.shape[0]):
        w.move[b.ports[p, ROW]] = y[2, b.ports[p, MEASURE]] - w.y[b.ports[p, ROW]]
    solve(b.plan, w.LU, w.move, w.pad)
    for k in range(n):
        w.y[k] += w.move[k] - b.due[k]


@woven
def _rates(b: Boxes, y: Array) -> None:
    """The rates of a step are those of the ports."""
    for p in range(b.ports.shape[0]):
        b.work.y[b.ports[p, ROW]] = y[2, b.ports[p, MEASURE]]


@woven
def _expect(b: Boxes) -> None:
    """δ of the residual, and what it changes in the efforts."""
    w, n = b.work, b.prog.sizes[SOLVED]
    for k in range(n):
        b.due[k] = w.r[k]
    solve(b.plan, w.LU, b.due, w.pad)
    for k in range(b.entries.shape[0]):
        b.force[b.entries[k, 1]] -= b.kept[k] * b.due[b.entries[k, 2]]


@inner
def solve_boxes(
    b: Boxes, y: Array, effort: Array, numbers: Array, given: Array, u: Array, h: float, first: bool, alone: bool
) -> float:
    """Go on with the rows of all boxes for the rates of a step, and add the efforts to the measures they sit on.

    numbers: of thermal nodes, whose mean temperatures are written.   given: heat that they get from other losses.
    first:   whether factors of this iterate will be needed.   alone: solve the rows, whatever the mechanism is at.

    Returns the largest scaled row that is left, zero where that is rounding. Boxes without a solution give efforts
    that are no numbers, which no step takes.
    """
    w, r, solved = b.work, math.inf, True
    for k in range(b.inputs.shape[0]):
        b.u[0, b.inputs[k, 0]] = u[b.inputs[k, 1]]
    if not alone and b.factors[0] != NONE:
        _follow(b, y)
        _rates(b, y)
        r = _residual(b, numbers, given, h, MATRIX if first else RESIDUAL)
        b.factors[0] = OLD
        if r <= NEAR and first:
            b.factors[0] = OWN if factor(b.plan, w.V, w.LU, w.pad) > 0.0 else NONE
    for k in range(w.y.size):
        b.due[k] = 0.0
        if not math.isfinite(r) and not alone:
            w.y[k] = b.start[k]
    if r <= ENOUGH:
        r = 0.0
    elif r <= NEAR and b.factors[0] != NONE:
        _expect(b)
    else:
        _rates(b, y)
        solved, r = _newton(b, numbers, given, h), 0.0
    for k in range(b.prog.hot.size):
        solved = solved and w.z[0, b.prog.hot[k]] + b.prog.theta0[0] > 0.0
    if not solved:
        b.factors[0] = NONE
        for k in range(w.y.size):
            w.y[k] = b.start[k]
    for k in range(b.nodes.shape[0]):
        y[1, b.nodes[k, NODE_MEASURE]] = w.end[b.nodes[k, NODE_STATE]]
    for p in range(b.ports.shape[0]):
        effort[b.ports[p, MEASURE]] += b.force[p] if solved else math.nan
    return r


@inner
def slope_boxes(b: Boxes, slope: Array, numbers: Array, given: Array, h: float) -> None:
    """Add the slopes of the efforts of all boxes by what they sit on at the end of the step."""
    w, n = b.work, b.prog.sizes[SOLVED]
    if b.factors[0] != OWN:
        _residual(b, numbers, given, h, MATRIX)
        b.factors[0] = OWN if factor(b.plan, w.V, w.LU, w.pad) > 0.0 else NONE
    if b.factors[0] == NONE:
        return
    for p in range(b.ports.shape[0]):
        for k in range(n):
            w.move[k] = 0.0
        w.move[b.ports[p, ROW]] = 1.0
        solve(b.plan, w.LU, w.move, w.pad)
        box = b.ports[p, BOX]
        first, width = b.slopes[box, 0], b.slopes[box, 1]
        for k in range(b.entries.shape[0]):
            other = b.entries[k, 1]
            if b.ports[other, BOX] == box:
                at = first + width * b.ports[other, AT] + b.ports[p, AT]
                slope[at] += b.kept[k] * w.move[b.entries[k, 2]] / h


@inner
def carry_boxes(b: Boxes, heat: Array, work: Array, lam: Array, taken: Array, share: float, h: float) -> None:
    """Account for a part of a step that was accepted, and go on from its end; share: its length over the step's."""
    w, first, dim = b.work, b.prog.sizes[SOLVED], b.prog.sizes[DIM]
    evaluate(b.prog, b.none, w, b.u, 0.0, h, POWERS)
    for k in range(b.heats.shape[0]):
        heat[b.heats[k, 1]] -= h * w.out[0, b.heats[k, 0]]
    for k in range(b.works.shape[0]):
        work[b.works[k, 1]] += h * w.out[0, b.works[k, 0]]
    for k in range(b.takers.size):
        taken[b.takers[k]] -= h * w.r[first + k]
    for k in range(b.algebraic.shape[0]):
        lam[b.algebraic[k, 1]] += share * w.y[dim + b.algebraic[k, 0]]
    for k in range(w.x.size):
        w.x[k] = w.end[k]
    for k in range(w.y.size):
        last = b.start[k]
        b.start[k], b.due[k] = w.y[k], 0.0
        w.y[k] += w.y[k] - last  # start values of the next step follow a line


@inner
def write_boxes(b: Boxes, x: Array) -> None:
    """States of boxes at the start of a step to the state of the mechanism."""
    for k in range(b.states.shape[0]):
        x[b.states[k, 1]] = b.work.x[b.states[k, 0]]
