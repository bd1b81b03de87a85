"""Boxes in a step of a mechanism: composites of the language, solved for given rates of the coordinates they sit on.

All boxes, and the thermal nodes that they heat, are one program of `kernels.program`. Its ports are junctions whose
efforts ẏ are those of the mechanism; of the others, w, the rows are solved in each evaluation of the mechanism's step:

    r_w(w, ẏ) = 0,   effort along a coordinate  r_y(w, ẏ),   its slope  (∂r_y/∂ẏ - ∂r_y/∂w (∂r_w/∂w)⁻¹ ∂r_w/∂ẏ)/h

so that the impulses and the matrix of a step know nothing of what is inside. Slopes of one box by coordinates of
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
ENOUGH = 2e-15  # scaled residual of boxes that is rounding: each evaluation of the mechanism's step solves them anew
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
    ready: Int  # (1,) whether there are factors


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
    fresh, mode, reverted = False, RESIDUAL if b.ready[0] else MATRIX, False
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
            b.ready[0] = 1
        fresh = mode == MATRIX
        for k in range(n):
            w.move[k] = w.r[k]
        solve(b.plan, w.LU, w.move, w.pad)
        for k in range(n):
            w.y[k] -= w.move[k]
        last, mode = r, RESIDUAL
        iteration += 1


@inner
def solve_boxes(b: Boxes, y: Array, effort: Array, numbers: Array, given: Array, u: Array, h: float) -> None:
    """Solve all boxes for the rates of a step, and add their efforts to those of the measures they sit on.

    numbers: of thermal nodes, whose mean temperatures are written.   given: heat that they get from other losses.
    Boxes without a solution give efforts that are no numbers, which no step takes.
    """
    w = b.work
    for k in range(b.inputs.shape[0]):
        b.u[0, b.inputs[k, 0]] = u[b.inputs[k, 1]]
    for p in range(b.ports.shape[0]):
        w.y[b.ports[p, ROW]] = y[2, b.ports[p, MEASURE]]
    solved = _newton(b, numbers, given, h)
    for k in range(b.prog.hot.size):
        solved = solved and w.z[0, b.prog.hot[k]] + b.prog.theta0[0] > 0.0
    if not solved:
        b.ready[0] = 0
        for k in range(w.y.size):
            w.y[k] = b.start[k]
    for k in range(b.nodes.shape[0]):
        y[1, b.nodes[k, NODE_MEASURE]] = w.end[b.nodes[k, NODE_STATE]]
    for p in range(b.ports.shape[0]):
        effort[b.ports[p, MEASURE]] += b.force[p] if solved else math.nan


@inner
def slope_boxes(b: Boxes, slope: Array, numbers: Array, given: Array, h: float) -> None:
    """Add the slopes of the efforts of all boxes, which are solved, by what they sit on at the end of the step."""
    w, n = b.work, b.prog.sizes[SOLVED]
    _residual(b, numbers, given, h, MATRIX)
    if not factor(b.plan, w.V, w.LU, w.pad) > 0.0:
        b.ready[0] = 0
        return
    b.ready[0] = 1
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
        b.start[k] = w.y[k]
        w.y[k] += w.y[k] - last  # start values of the next step follow a line


@inner
def write_boxes(b: Boxes, x: Array) -> None:
    """States of boxes at the start of a step to the state of the mechanism."""
    for k in range(b.states.shape[0]):
        x[b.states[k, 1]] = b.work.x[b.states[k, 0]]
