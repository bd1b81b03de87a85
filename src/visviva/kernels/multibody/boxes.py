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
from visviva.kernels.residual import MATRIX, RESIDUAL, evaluate, powers, rows

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
    past: Array  # (4, unknowns) the last solutions
    known: Int  # (1,) how many of them there are
    columns: Array  # (ports, unknowns) dw/dẏ of the iterate whose slopes were asked for
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
def _told(b: Boxes, numbers: Array, given: Array, h: float, mode: int) -> float:
    """Of rows that are evaluated, those of ports give efforts and become "unknown = rate". The largest scaled one."""
    w = b.work
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
        b.factors[0] = OWN if factor(b.plan, w.V, w.LU, w.pad) > 0.0 else NONE
    else:
        b.factors[0] = min(b.factors[0], OLD)
    largest, total = 0.0, 0.0
    for k in range(b.prog.sizes[SOLVED]):
        value = abs(w.r[k]) / w.size[b.prog.group[k]]
        total += value
        largest = max(largest, value)
    for p in range(b.ports.shape[0]):
        total += b.force[p] - b.force[p]
    return largest + (total - total)  # a maximum forgets nan, a sum does not


@woven
def _rates(b: Boxes, y: Array) -> None:
    """The rates of a step are those of the ports."""
    for p in range(b.ports.shape[0]):
        b.work.y[b.ports[p, ROW]] = y[2, b.ports[p, MEASURE]]


@woven
def _follow(b: Boxes, y: Array) -> None:
    """Move all unknowns by what is due, and along with the rates of the coordinates they sit on."""
    w, n = b.work, b.prog.sizes[SOLVED]
    for p in range(b.ports.shape[0]):
        change = y[2, b.ports[p, MEASURE]] - w.y[b.ports[p, ROW]]
        for k in range(n):
            b.due[k] -= b.columns[p, k] * change
    for k in range(n):
        w.y[k] -= b.due[k]


@woven
def _expect(b: Boxes) -> None:
    """δ of the residual, and what it changes in the efforts."""
    w = b.work
    for k in range(b.prog.sizes[SOLVED]):
        b.due[k] = w.r[k]
    solve(b.plan, w.LU, b.due, w.pad)
    for k in range(b.entries.shape[0]):
        b.force[b.entries[k, 1]] -= b.kept[k] * b.due[b.entries[k, 2]]


@woven
def predict_boxes(b: Boxes, weights: Array, along: bool) -> None:
    """Start values: the last solutions continued by their weights, or the last one as it is."""
    along = along and b.known[0] >= (3 if weights[3] == 0.0 else 4)
    for k in range(b.due.size):
        y, b.due[k] = b.past[0, k], 0.0
        if along:
            y = weights[0] * y + weights[1] * b.past[1, k] + weights[2] * b.past[2, k] + weights[3] * b.past[3, k]
        b.work.y[k] = y


@woven
def solve_boxes(
    b: Boxes, y: Array, effort: Array, numbers: Array, given: Array, u: Array, h: float, first: bool, alone: bool
) -> float:
    """Go on with the rows of all boxes for the rates of a step, and add the efforts to the measures they sit on.

    numbers: of thermal nodes, whose mean temperatures are written.   given: heat that they get from other losses.
    first:   whether factors of this iterate will be needed.   alone: solve the rows, whatever the mechanism is at.

    Returns the largest scaled row that is left, zero where that is rounding. Boxes without a solution give efforts
    that are no numbers, which no step takes. Rows are evaluated at one place: each is written out anew.
    """
    w, n, settings = b.work, b.prog.sizes[SOLVED], b.settings
    together, solved, left = not alone and b.factors[0] != NONE, True, 0.0
    best, last, iteration, fresh, reverted = math.inf, math.inf, 0, False, False
    mode = MATRIX if b.factors[0] == NONE or (together and first) else RESIDUAL
    for k in range(b.inputs.shape[0]):
        b.u[0, b.inputs[k, 0]] = u[b.inputs[k, 1]]
    if together:
        _follow(b, y)
    _rates(b, y)
    for k in range(n):
        b.due[k] = 0.0
    while True:
        rows(b.prog, b.none, w, b.u, 0.0, h, mode)
        r = _told(b, numbers, given, h, mode)
        if r <= ENOUGH or reverted:
            break
        if together and r <= NEAR and b.factors[0] != NONE:
            left = r
            _expect(b)
            break
        if together and not math.isfinite(r):
            for k in range(n):
                w.y[k] = b.past[0, k]
            _rates(b, y)
            together, mode = False, MATRIX
            continue
        together = False
        if not math.isfinite(r) or b.factors[0] == NONE:
            solved = False
            break
        if r < best or mode == MATRIX:
            best = r
            for k in range(n):
                w.best[k] = w.y[k]
        slow = mode == RESIDUAL and r > STAGNANT * last
        if slow and (best <= settings[ROUNDED] or (fresh and best <= settings[ACCEPT])):
            if r == best:
                break
            reverted = True  # evaluated once more: all must belong to the best iterate
            for k in range(n):
                w.y[k] = w.best[k]
            continue
        if iteration >= settings[MOST]:
            solved = False
            break
        if mode == RESIDUAL and r > settings[SLOW] * last:
            mode = MATRIX
            continue
        fresh = mode == MATRIX
        for k in range(n):
            w.move[k] = w.r[k]
        solve(b.plan, w.LU, w.move, w.pad)
        for k in range(n):
            w.y[k] -= w.move[k]
        last, mode = r, RESIDUAL
        iteration += 1
    for k in range(b.prog.hot.size):
        solved = solved and w.z[0, b.prog.hot[k]] + b.prog.theta0[0] > 0.0
    if not solved:
        b.factors[0] = NONE
        for k in range(n):
            w.y[k] = b.past[0, k]
    for k in range(b.nodes.shape[0]):
        y[1, b.nodes[k, NODE_MEASURE]] = w.end[b.nodes[k, NODE_STATE]]
    for p in range(b.ports.shape[0]):
        effort[b.ports[p, MEASURE]] += b.force[p] if solved else math.nan
    return left


@woven
def slope_boxes(b: Boxes, slope: Array, numbers: Array, given: Array, h: float) -> None:
    """Add the slopes of the efforts of all boxes by what they sit on at the end of the step."""
    w, n = b.work, b.prog.sizes[SOLVED]
    if b.factors[0] != OWN:
        evaluate(b.prog, b.none, w, b.u, 0.0, h, MATRIX)
        _told(b, numbers, given, h, MATRIX)
    if b.factors[0] == NONE:
        return
    for p in range(b.ports.shape[0]):
        column = b.columns[p]
        for k in range(n):
            column[k] = 0.0
        column[b.ports[p, ROW]] = 1.0
        solve(b.plan, w.LU, column, w.pad)
    for k in range(b.entries.shape[0]):
        other = b.entries[k, 1]
        box, at = b.ports[other, BOX], b.ports[other, AT]
        for p in range(b.ports.shape[0]):
            if b.ports[p, BOX] == box:
                place = b.slopes[box, 0] + b.slopes[box, 1] * at + b.ports[p, AT]
                slope[place] += b.kept[k] * b.columns[p, b.entries[k, 2]] / h


@woven
def carry_boxes(b: Boxes, heat: Array, work: Array, lam: Array, taken: Array, share: float, h: float) -> None:
    """Account for a part of a step that was accepted, and go on from its end; share: its length over the step's."""
    w, first, dim = b.work, b.prog.sizes[SOLVED], b.prog.sizes[DIM]
    powers(b.prog, w, b.u, 0.0, h)
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
        b.past[3, k], b.past[2, k], b.past[1, k], b.past[0, k] = b.past[2, k], b.past[1, k], b.past[0, k], w.y[k]
    b.known[0] = min(b.known[0] + 1, 4)


@inner
def write_boxes(b: Boxes, x: Array) -> None:
    """States of boxes at the start of a step to the state of the mechanism."""
    for k in range(b.states.shape[0]):
        x[b.states[k, 1]] = b.work.x[b.states[k, 0]]
