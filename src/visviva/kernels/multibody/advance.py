"""Steps of a mechanism, many at a time: start values, Newton, and what is recorded."""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner, kernel
from visviva.kernels.lu import factor, solve
from visviva.kernels.multibody.algebra import exceeds
from visviva.kernels.multibody.border import factor_border, solve_border
from visviva.kernels.multibody.boxes import Boxes, carry_boxes, predict_boxes, slope_boxes, solve_boxes, write_boxes
from visviva.kernels.multibody.curvature import curve_elements
from visviva.kernels.multibody.elements import efforts, push_elements, read_inputs
from visviva.kernels.multibody.feedback import Feedback, close_loop, feed
from visviva.kernels.multibody.ggl_bodies import begin_rates, end_rates, open_balances
from visviva.kernels.multibody.ggl_border import factor_rate_border, solve_rate_border
from visviva.kernels.multibody.ggl_couplings import begin_coupling_rates, couple_rates, no_generated_rates, rate_work
from visviva.kernels.multibody.ggl_graph import assemble_blocks, assemble_rows, load_rates, unload_rates
from visviva.kernels.multibody.ggl_tables import KIN_T, Rates
from visviva.kernels.multibody.ggl_tree import factor_rate_tree
from visviva.kernels.multibody.graph import assemble_couplings, assemble_graph, load_graph, unload_graph
from visviva.kernels.multibody.heats import give_heat, heat_of, taken_of, warm_nodes
from visviva.kernels.multibody.losses import carry
from visviva.kernels.multibody.residual import EXACT, balances, joints, reach
from visviva.kernels.multibody.rows import broken_row, hold, rows_at_node, slopes_of_rows
from visviva.kernels.multibody.solver import Elimination, Sparse, clear, curve_loops, keep, restore
from visviva.kernels.multibody.states import Places, place, write_state
from visviva.kernels.multibody.tree import factor_tree, solve_tree

from visviva.kernels.multibody.ggl_step import (  # isort: skip
    keep_rates, move_rates, predict_rates, rate_residual, remember_rates, restore_rates,
)  # fmt: skip

from visviva.kernels.multibody.accounts import (  # isort: skip
    BY_COUPLING, coupling_rates, energies, rates, terms_of_rows, work_of, worst_gap,
)  # fmt: skip
from visviva.kernels.multibody.couplings import (  # isort: skip
    couple, coupling_gap, move_shifts, worst_coupling, write_shifts,
)  # fmt: skip
from visviva.kernels.multibody.bodies import (  # isort: skip
    balance_bodies, begin_bodies, end_bodies, move_bodies, slope_bodies,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, FORCE, KIND, MEET, PLACE, SIZE_G, Conditions, Elements, G, Int, Losses, Machine, U,
)  # fmt: skip
from visviva.kernels.newton import (  # isort: skip
    ACCEPT, BROKEN_ROW, FLOOR, MOST, NOT_CONVERGED, NOT_FINITE, ROUNDED, SINGULAR, SLOW, SOLVED_STEP,
)  # fmt: skip

BROKEN = 1e-9  # |g| of a row that was left out, relative to the size of its terms
SHORTEST = 5  # place of the smallest part of an increment that is taken; 1: always all of it
STAGNANT = 0.25  # a residual that falls by less has come to its end
TOGETHER = 6  # iterations after which boxes are solved for given rates
LOOKS = 2  # times that a residual above rounding may rise before that is its end: bodies at rest have small scales
FALLING = 0.9  # the same for one above rounding: the matrix leaves out how axes turn, and the iteration may be slow


class Log(NamedTuple):
    """What n steps leave, one row each; x has the start as well."""

    x: Array
    rate: Array  # velocities in the middle and multipliers of the last part
    before: Array  # (n, 2, unknowns) those of the two parts before
    lam: Array  # multipliers of the model's rows, mean over the parts
    gam: Array  # those of the rates of constraints, in the last part; no columns where these are not kept
    rows: Int  # (multipliers,) the model's row of each
    signs: Array  # and its sign there
    heat: Array
    work: Array
    taken: Array  # (n, reservoirs) entropy that the environment takes up first; (n, 0) where nothing accounts for it
    angles: Array
    energy: Array  # (n + 1, 4) see `energies`
    g: Array
    g_v: Array  # (n, constraints, 3)
    report: Array  # (n, 4) see `newton`


@inner
def _predict(
    B: Array, lam: Array, level: Rates | None, active: Mask, history: Array, weights: Array, along: bool, h: float
) -> None:
    """Start values: the last solutions continued by their weights, or the last one as it is."""
    n = B.shape[0] - 1
    c0, c1, c2, c3, l0, l1, l2, l3 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    if along:
        c0, c1, c2, c3 = weights[0], weights[1], weights[2], weights[3]
        l0, l1, l2, l3 = weights[4], weights[5], weights[6], weights[7]
    for b in range(n):
        for j in range(6):
            k = 6 * b + j
            B[b, U + j] = c0 * history[0, k] + c1 * history[1, k] + c2 * history[2, k] + c3 * history[3, k]
    for k in range(lam.size):
        l = 6 * n + k
        y = l0 * history[0, l] + l1 * history[1, l] + l2 * history[2, l] + l3 * history[3, l]
        lam[k] = h * y if active[k] else 0.0
    if level is not None:
        predict_rates(B, level, active, history, weights, along, h)


@inner
def _broken(X: Array, K: Int, rows: int, gap: Array, active: Mask, h: float) -> tuple[int, float]:
    """The row that was left out and holds worst, if that is too bad, else -1; and what it misses of its size."""
    worst, most = -1, BROKEN
    for i in range(rows):
        k = K[i, PLACE]
        for j in range(3 if K[i, KIND] == MEET else 1):
            missing = abs(h * gap[k + j]) / X[i, SIZE_G]
            if not active[k + j] and exceeds(missing, most):
                worst, most = k + j, missing
    return worst, most


@kernel
def trial(
    M: Machine, e: Elements, losses: Losses | None, conditions: Conditions | None, boxes: Boxes | None, s: Elimination,
    sparse: Sparse, level: Rates | None, u: Array, h: float, y: Array,
) -> None:  # fmt: skip
    """The values of the sparse matrix of a step from the state in the tables, at the unknowns y."""
    if level is None:
        begin_bodies(M.B, M.sizes[0], h)
    else:
        begin_rates(M.B, level.B)
    read_inputs(M.B, e.loads, e.axes, u)
    n = M.B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            M.B[b, U + j] = y[6 * b + j]
    for k in range(M.lam.size):
        M.lam[k] = h * y[6 * n + k] if M.active[k] else 0.0
    if level is None:
        balance_bodies(M.B, M.sizes[0], M.gravity, h)
    else:
        restore_rates(level, y[6 * n + M.lam.size :])
        open_balances(M.B, level.B, M.gravity, h)
    joints(M.B, M.X, M.K, M.sizes[1], M.lam, M.gap, M.active, h)
    efforts(M, e, losses, u, h, 1)
    if boxes is not None and losses is not None:
        give_heat(M.X, e, losses, h)
        solve_boxes(boxes, e.y, e.effort, losses.node_numbers, losses.given, u, h, False, True)
        slope_boxes(boxes, e.slope, losses.node_numbers, losses.given, h)
    if conditions is not None:
        hold(M.B, conditions.generated, M.lam, M.gap, M.active, h)
        couple(conditions.couplings, M.T, e.y, e.effort, e.slope, M.lam, M.gap, M.X, u, h)
        if level is not None:
            begin_coupling_rates(M.B, M.X, M.K, conditions.couplings)
            couple_rates(M, level, conditions.couplings, e.y, e.effort, u, h)
    push_elements(M, e, h)
    if level is None:
        slope_bodies(M.B, M.sizes[0], h)
        clear(s.Z)
        curve_elements(M, e, s.Z, s.pairs, s.twist_pairs, s.q, s.across, h)
        first = assemble_graph(M, sparse.graph, s.Z, s.pairs, h)
        if conditions is not None:
            first = assemble_couplings(M, sparse.graph, conditions.couplings, s.Z, first)
            slopes_of_rows(M.B, conditions.generated, M.lam, M.active, sparse.graph.V, first, h)
    else:
        rate_residual(M.B, M.X, M.K, M.sizes[1], M.active, level, h)
        size = assemble_blocks(M, e, conditions, level, s.Z, s.pairs, s.twist_pairs, s.q, s.across, h)
        assemble_rows(M, conditions, level, s.Z, h, size)


@kernel
def advance(
    M: Machine, e: Elements, losses: Losses | None, conditions: Conditions | None, boxes: Boxes | None, s: Elimination,
    sparse: Sparse | None, level: Rates | None, at: Places, settings: Array, parts: Array, u: Array, h: float,
    history: Array, known: int, offset: int, n: int, log: Log, feedback: Feedback | None,
) -> tuple[int, int]:  # fmt: skip
    """Up to n steps of length h; returns how many, and why there are no more.

    losses, conditions, boxes, sparse, level, feedback: what a mechanism or a scheme does not have is None, and its code
             left out; with boxes there are losses;
             sparse: how the matrix is solved, None: along a tree; level: the unknowns of the second level, where the
             rates of constraints are kept.
    parts:   (13, k) lengths of the parts of a step as fractions of it; weights of the last four solutions in the start
             values of each, for velocities, for multipliers, and for velocities at the ends of parts.
    u:       (n, k, inputs), one for each part, and where rates are driven those at the ends of all parts behind them;
             those that follow laws are written to it. Where a law is so steep that it rounds by more
             than the balances do, its inputs are held at last, so that these close to rounding.
    history: (4, unknowns) the last solutions: velocities in the middle, multipliers, then those of the second level;
             known of them.
    offset:  row of u and of the log where these steps begin.

    Newton's method is written out here, so that the tuples are taken apart once and not at every call; it goes to
    stagnation, see `visviva.integrate.newton` for the reasons.
    """
    B, lam, dlam, gap, active, lie = M.B, M.lam, M.dlam, M.gap, M.active, M.sizes[0]
    X, K, T, TK, rows, gravity = M.X, M.K, M.T, M.TK, M.sizes[1], M.gravity
    bodies, m, accept = B.shape[0] - 1, lam.size, settings[ACCEPT]
    loops, border, best_y, Z = s.loops.size > 0, s.border.rows.shape[0] > 0, s.best, s.Z
    tree_joints, tree_Y, roots, six = s.tree.joints, s.tree.Y, s.tree.roots, s.tree.six
    acting = X.shape[0] > rows or e.twists.shape[0] > 0 or boxes is not None
    past = 4 if parts.shape[1] == 1 else 3
    elastic, twists, at_bodies, at_y = e.y, e.twists, at.bodies, at.y
    write_state(B, elastic, at_bodies, at_y, log.x[offset])
    if conditions is not None:
        write_shifts(conditions.couplings, T, log.x[offset])
    if boxes is not None:
        write_boxes(boxes, log.x[offset])
    energies(B, lie, gravity, log.energy[offset])
    for step in range(offset, offset + n):
        report = log.report[step]
        for k in range(log.lam.shape[1]):
            log.lam[step, k] = 0.0
        for k in range(log.heat.shape[1]):
            log.heat[step, k] = 0.0
        for k in range(log.work.shape[1]):
            log.work[step, k] = 0.0
        for k in range(log.taken.shape[1]):
            log.taken[step, k] = 0.0
        iterations, residual = 0, 0.0
        for part in range(parts.shape[1]):
            share, inputs = parts[0, part], u[step, part]
            length, status, begin = share * h, SOLVED_STEP, True
            best, last, pivot, iteration, fresh, fell, taken = math.inf, math.inf, 1.0, 0, False, False, 1.0
            along, stalls, held, unsolved = known >= past, 0, False, 0.0
            if level is None:
                begin_bodies(B, lie, length)
            else:
                begin_rates(B, level.B)
                if conditions is not None:
                    begin_coupling_rates(B, X, K, conditions.couplings)
            read_inputs(B, e.loads, e.axes, inputs)
            if feedback is not None:
                middle = feedback.clock[0] + (feedback.clock[1] + step - offset + feedback.nodes[part]) * h
            while True:
                if status != SOLVED_STEP:
                    if not along:
                        return step - offset, status
                    along, status, begin = False, SOLVED_STEP, True  # what went before leads astray: the last one alone
                if begin:
                    _predict(B, lam, level, active, history, parts[1:, part], along, length)
                    if boxes is not None:
                        predict_boxes(boxes, parts[1:, part], along)
                    best, last, pivot, iteration, fresh, fell, taken = math.inf, math.inf, 1.0, 0, False, False, 1.0
                    begin, stalls, held = False, 0, False
                if feedback is not None and not held:
                    feed(M, feedback, middle, inputs, length)
                    read_inputs(B, e.loads, e.axes, inputs)
                if level is None:
                    balance_bodies(B, lie, gravity, length)
                else:
                    open_balances(B, level.B, gravity, length)
                row, at_row = joints(B, X, K, rows, lam, gap, active, length)
                if acting:
                    efforts(M, e, losses, inputs, length, 1)
                if boxes is not None and losses is not None:
                    give_heat(X, e, losses, length)
                    unsolved = solve_boxes(
                        boxes, elastic, e.effort, losses.node_numbers, losses.given, inputs, length, iteration == 0,
                        fell or iteration > TOGETHER,
                    )  # fmt: skip
                if conditions is not None:
                    other, at_other = hold(B, conditions.generated, lam, gap, active, length)
                    if exceeds(other, row):
                        row, at_row = other, at_other
                    couple(conditions.couplings, T, elastic, e.effort, e.slope, lam, gap, X, inputs, length)
                    most, at_most = worst_coupling(conditions.couplings, gap, active, length, True)
                    if exceeds(EXACT * most, row):
                        row, at_row = EXACT * most, at_most
                    if level is not None:
                        ends = u[step, parts.shape[1] + part] if u.shape[1] > parts.shape[1] else inputs
                        rate, at_rate = couple_rates(M, level, conditions.couplings, elastic, e.effort, ends, length)
                        if exceeds(rate, row):
                            row, at_row = rate, at_rate
                        no_generated_rates(conditions.generated, level.G, level.gap, active)
                if acting:
                    push_elements(M, e, length)
                if level is not None:
                    rate, at_rate = rate_residual(B, X, K, rows, active, level, length)
                    if exceeds(rate, row):
                        row, at_row = rate, at_rate
                reach(B)
                r, worst = balances(B, B, FORCE)
                if level is not None:
                    moved, at_moved = balances(B, level.B, KIN_T)
                    if exceeds(moved, r):
                        r, worst = moved, at_moved
                if exceeds(row, r):
                    r, worst = row, 2 * bodies + at_row
                r = unsolved if exceeds(unsolved, r) else r
                if not r <= last and last > accept and taken > settings[SHORTEST]:
                    taken *= 0.5  # the full increment overshoots: half of it is taken back
                    move_bodies(B, -taken)
                    for k in range(m):
                        lam[k] -= taken * dlam[k] if active[k] else 0.0
                    if level is not None:
                        move_rates(level, active, -taken)
                    continue
                taken = 1.0
                if r < best:
                    best = r
                    report[2] = worst
                    if r > settings[FLOOR]:
                        keep(B, lam, best_y)
                        if level is not None:
                            keep_rates(level, level.best)
                report[1], report[3] = best, pivot
                if not math.isfinite(r):
                    status = NOT_FINITE
                    continue
                if r <= settings[FLOOR] or fell:
                    break
                rounded = best <= settings[ROUNDED]
                stagnant = r > (STAGNANT if rounded else FALLING) * last and (fresh or rounded) and best <= accept
                stalls += 1 if stagnant else 0
                if feedback is not None and stagnant and not rounded and not held and stalls > LOOKS:
                    held, best, last, stalls = True, math.inf, math.inf, 0  # laws that are steep round by more
                elif stagnant and (rounded or stalls > LOOKS):
                    if r == best and unsolved == 0.0:
                        break
                    restore(B, lam, best_y)  # evaluated once more: everything must belong to the best iterate
                    if level is not None:
                        restore_rates(level, level.best)
                    fell = True
                    continue
                if iteration >= settings[MOST]:
                    status = NOT_CONVERGED
                    continue
                fresh = iteration == 0 or r > settings[SLOW] * last
                if fresh and boxes is not None and losses is not None:
                    slope_boxes(boxes, e.slope, losses.node_numbers, losses.given, length)
                if fresh and level is not None:
                    size = assemble_blocks(M, e, conditions, level, Z, s.pairs, s.twist_pairs, s.q, s.across, length)
                    if sparse is None:
                        pivot = 1.0 + factor_rate_tree(M, level.tree, level.B, level.X, level.V, size, length)
                        factor_rate_border(M, e, conditions, level, s.across, length)
                    else:
                        assemble_rows(M, conditions, level, Z, length, size)
                        pivot = factor(level.plan, level.V, level.LU, level.pad)
                elif fresh:
                    slope_bodies(B, lie, length)
                    clear(Z)
                    if acting:
                        curve_elements(M, e, Z, s.pairs, s.twist_pairs, s.q, s.across, length)
                    if sparse is None:
                        if loops:
                            curve_loops(B, X, K, lam, s.loops, Z, s.pairs, length)
                        pivot = 1.0 + factor_tree(B, X, K, lam, tree_joints, tree_Y, Z, length)
                        if border:
                            factor_border(M, e, conditions, s.tree, s.across, s.border, length)
                    else:
                        first = assemble_graph(M, sparse.graph, Z, s.pairs, length)
                        if conditions is not None:
                            first = assemble_couplings(M, sparse.graph, conditions.couplings, Z, first)
                            slopes_of_rows(B, conditions.generated, lam, active, sparse.graph.V, first, length)
                        pivot = factor(sparse.plan, sparse.graph.V, sparse.graph.LU, sparse.graph.pad)
                if not pivot > 0.0:
                    status = SINGULAR
                    continue
                if level is not None:
                    if sparse is None:
                        solve_rate_border(M, level)
                    else:
                        load_rates(M, level)
                        solve(level.plan, level.LU, level.b, level.pad)
                        unload_rates(M, level)
                elif sparse is not None:
                    load_graph(M, sparse.graph)
                    solve(sparse.plan, sparse.graph.LU, sparse.graph.b, sparse.graph.pad)
                    unload_graph(M, sparse.graph)
                elif border:
                    solve_border(M, s.tree, s.border)
                else:
                    solve_tree(B, K, gap, dlam, tree_joints, tree_Y, roots, six, False)
                if feedback is not None and not held:
                    close_loop(M, e, losses, s, sparse, level, feedback, middle, inputs, length, fresh)
                if level is not None:
                    move_rates(level, active, 1.0)
                move_bodies(B, 1.0)
                for k in range(m):
                    lam[k] += dlam[k] if active[k] else 0.0
                iteration += 1
                last = r
            iterations += iteration
            residual = max(residual, best)
            row, missing = _broken(X, K, rows, gap, active, length)
            if conditions is not None:
                most, at_most = worst_coupling(conditions.couplings, gap, active, length, False)
                if exceeds(most, missing):
                    row, missing = at_most, most
                other, worse = broken_row(conditions.generated, gap, active, length, missing)
                row, missing = (other, worse) if other >= 0 else (row, missing)
            if row >= 0:
                report[1], report[2] = missing, 2 * bodies + row
                return step - offset, BROKEN_ROW
            if losses is not None:
                warm_nodes(X, e, losses, length)
                if log.taken.shape[1] > 0:
                    log.taken[step, 0] += taken_of(X, e, losses, length)
            for k in range(log.heat.shape[1]):
                log.heat[step, k] += heat_of(X, e, losses, k, length)
            for k in range(log.work.shape[1]):
                log.work[step, k] += work_of(M, e, losses, conditions, k, inputs, length)
                if level is not None and conditions is not None and e.works[k, 0] == BY_COUPLING:
                    log.work[step, k] += rate_work(conditions.couplings, e.works[k, 1], level.G)
            if boxes is not None:
                carry_boxes(boxes, log.heat[step], log.work[step], log.lam[step], log.taken[step], share, length)
            for k in range(history.shape[1]):
                history[3, k] = history[2, k]
                history[2, k] = history[1, k]
                history[1, k] = history[0, k]
            keep(B, lam, history[0])
            if level is not None:
                remember_rates(B, level, history[0, 6 * bodies + m :])
            for k in range(m):
                history[0, 6 * bodies + k] /= length
                log.lam[step, log.rows[k]] += log.signs[k] * (share * lam[k] / length)
            known = min(known + 1, past)
            if level is None:
                end_bodies(B, lie, length)
            else:
                end_rates(B, level.B, length)
            if losses is not None:
                carry(elastic, losses)
            if conditions is not None:
                move_shifts(conditions.couplings, inputs, length)
            for k in range(twists.shape[0]):
                elastic[0, twists[k, 1]] = elastic[1, twists[k, 1]]
            place(B, X, K, T, TK)
        for i in range(rows, X.shape[0]):
            elastic[0, K[i, PLACE]] = X[i, G]
        write_state(B, elastic, at_bodies, at_y, log.x[step + 1])
        if boxes is not None:
            write_boxes(boxes, log.x[step + 1])
        energies(B, lie, gravity, log.energy[step + 1])
        log.energy[step + 1, 3] += terms_of_rows(X, K, rows, lam, e, conditions, parts[0, parts.shape[1] - 1] * h)
        log.g[step] = worst_gap(X, K, rows)
        rates(B, X, K, rows, lie, at.owner, at.directors, log.g_v[step])
        if conditions is not None:
            write_shifts(conditions.couplings, T, log.x[step + 1])
            log.g[step] = max(log.g[step], rows_at_node(B, conditions.generated, lie, log.g_v[step]))
            log.g[step] = max(log.g[step], coupling_gap(conditions.couplings, T, X))
            coupling_rates(B, X, K, lie, conditions.couplings, log.g_v[step])
        for k in range(T.shape[0]):
            log.angles[step, k] = T[k, ANGLE]
        report[0], report[1] = iterations, residual
        if log.gam.shape[1] > 0:
            for k in range(log.gam.shape[1]):
                log.gam[step, k] = 0.0
            for k in range(m):
                log.gam[step, log.rows[k]] = log.signs[k] * history[0, history.shape[1] - m + k]
        for k in range(history.shape[1]):
            log.rate[step, k] = history[0, k]
        if parts.shape[1] > 1:
            for k in range(history.shape[1]):
                log.before[step, 0, k] = history[1, k]
                log.before[step, 1, k] = history[2, k]
    return n, SOLVED_STEP
