"""How the matrix of a mechanism's step is solved: along a tree of joints, a border for loops, or as a sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Mask
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine import JointRows, MachineModel, machine_of
from visviva.compiler.machine_rows import row_pattern
from visviva.model import Model
from visviva.numerics.spanning_trees import spanning_forest

if TYPE_CHECKING:
    from visviva.kernels.lu import Plan
    from visviva.kernels.multibody.border import Border
    from visviva.kernels.multibody.ggl_tables import Rates
    from visviva.kernels.multibody.solver import Elimination, Sparse
    from visviva.kernels.multibody.tables import Conditions

Int = NDArray[np.int64]
BORDER = 18  # rows of loops, at most: beyond, a sparse matrix is less work


@final
@dataclass(frozen=True)
class Hanging:
    """A joint of the tree: the body that it hangs up, the one above (the ground last), and its number."""

    body: int
    above: int
    joint: int


@final
@dataclass(frozen=True)
class TreePlan:
    """Joints of the tree, children first; bodies without one; joints that are outside."""

    hanging: tuple[Hanging, ...]
    roots: tuple[int, ...]
    loops: tuple[int, ...]

    def flipped(self, joints: tuple[JointRows, ...]) -> frozenset[str]:
        """Joints that the tree reads from child to parent."""
        return frozenset(joints[part.joint].name for part in self.hanging if joints[part.joint].ends[1] != part.body)


def eliminated(model: Model, active: Mask, along_tree: bool | None = None) -> tuple[MachineModel, TreePlan | None]:
    """The tables of a mechanism, told as its elimination wants them; without a tree it is a sparse matrix.

    active:     rows of the model that are solved.
    along_tree: ask for one of the two ways; default: the faster one that is possible.
    """
    plain = machine_of(model)
    plan = None if along_tree is False else tree_plan(plain, active)
    if plan is None:
        return plain, None
    flipped = plan.flipped(plain.joints)
    return (machine_of(model, flipped) if flipped else plain), plan


def tree_plan(c: MachineModel, active: Mask) -> TreePlan | None:
    """A tree of joints that hold a point, if everything else fits to it: loops with few rows, elements within the tree.

    Rows that turn with two bodies, and elements, couple their velocities: they must act between neighbours of the tree,
    only on rotations, or against the ground. Conditions couple any of them: with these there is no tree.
    """
    n = len(c.machine.B) - 1
    if c.conditioned:
        return None  # they couple velocities of any bodies
    if (c.machine.B[:n, 0] == 0).any():
        return None  # a body without mass has no block of its own to eliminate
    tree = [k for k, joint in enumerate(c.joints) if joint.holds_point and active[c.w[joint.multipliers]].all()]
    plan = _hang(n, c.joints, tree)
    neighbours = {frozenset((part.body, part.above)) for part in plan.hanging}
    border = 0
    for k in plan.loops:
        joint = c.joints[k]
        rows = active[c.w[joint.multipliers]]
        border += int(rows.sum())
        if n not in joint.ends and _turns_with_both(c, joint, rows):
            return None
    if border > BORDER:
        return None
    first = int(c.machine.sizes[1])
    for _, parent, child, _, _ in c.machine.K[first:]:
        if n not in (parent, child):
            return None
    for turn in c.elements.twists[:, 0]:
        ends = frozenset(c.machine.TK[turn].tolist())
        if n not in ends and ends not in neighbours:
            return None
    return plan


def _turns_with_both(c: MachineModel, joint: JointRows, rows: Mask) -> bool:
    """Whether a row that is solved, other than those of a shared point, is in a joint."""
    from visviva.kernels.multibody.tables import KIND, MEET, PLACE

    for i in joint.functions:
        if c.machine.K[i, KIND] != MEET and rows[c.machine.K[i, PLACE] - joint.multipliers.start]:
            return True
    return False


def _hang(n: int, joints: tuple[JointRows, ...], tree: list[int]) -> TreePlan:
    """Joints in the order of building hang bodies up; one between bodies that are connected already is a loop."""
    found = spanning_forest(n, {k: joints[k].ends for k in tree})
    hanging = [Hanging(k, found.parent[k], found.edge[k]) for k in found.order if found.edge[k] >= 0]
    inside = set(found.edge)
    loops = tuple(k for k, joint in enumerate(joints) if k not in inside and joint.multipliers)
    return TreePlan(tuple(reversed(hanging)), found.roots, loops)


def elimination_of(c: MachineModel, plan: TreePlan | None, active: Mask) -> Elimination:
    """Memory of the elimination, along a tree if there is a plan of one."""
    from visviva.kernels.multibody.solver import Elimination
    from visviva.kernels.multibody.tree import JOINT, Tree

    n, m = len(c.machine.B) - 1, len(c.w)
    pairs, twist_pairs, count = _pairs(c)
    hanging = plan.hanging if plan is not None else ()
    table = np.zeros((len(hanging), 6), dtype=np.int64)
    for k, part in enumerate(hanging):
        joint = c.joints[part.joint]
        first = joint.functions.start
        dots = len(joint.functions) - 1
        table[k] = (part.body, part.above, first, first + 1 if dots else 0, dots, pairs[first + 1] if dots else 0)
    roots = np.array(plan.roots if plan is not None else (), dtype=np.int64)
    loops = [i for k in (plan.loops if plan is not None else ()) for i in c.joints[k].functions]
    return Elimination(
        Z=np.zeros((max(count, 1), 72)),
        pairs=pairs,
        twist_pairs=twist_pairs,
        q=np.zeros((c.widest, 36)),
        loops=np.array(loops, dtype=np.int64),
        tree=Tree(table, roots, np.zeros((len(table), int(JOINT))), np.zeros((8, 6))),
        border=_border(c, loops, active),
        best=np.zeros(6 * n + m),
    )


def _pairs(c: MachineModel) -> tuple[Int, Int, int]:
    """Rows of the blocks between bodies: one per pair of bodies that some function or torque couples.

    A point that two bodies share couples them by its multipliers alone; its row is of no meaning.
    """
    from visviva.kernels.multibody.tables import MEET

    known: dict[tuple[int, int], int] = {}
    M = c.machine

    def row(parent: int, child: int) -> int:
        return known.setdefault((parent, child), len(known))

    pairs = np.array([0 if kind == MEET else row(int(a), int(b)) for kind, a, b, _, _ in M.K], dtype=np.int64)
    twists = []
    for k in c.elements.twists[:, 0]:
        a, b = M.TK[k].tolist()
        turned = (b, a) in known
        twists.append((known[b, a] if turned else row(a, b), int(turned)))
    return pairs, np.array(twists, dtype=np.int64).reshape(-1, 2), len(known)


def _border(c: MachineModel, loops: list[int], active: Mask) -> Border:
    from visviva.kernels.multibody.border import Border
    from visviva.kernels.multibody.tables import KIND, MEET, PLACE

    rows = []
    for i in loops:
        place = int(c.machine.K[i, PLACE])
        for part in range(3 if c.machine.K[i, KIND] == MEET else 1):
            if active[c.w[place + part]]:
                rows.append((i, part, place + part))
    k, n, m = len(rows), len(c.machine.B) - 1, len(c.w)
    return Border(
        np.array(rows, dtype=np.int64).reshape(-1, 3), np.zeros((k, 24)), np.zeros((k, n, 6)), np.zeros((k, m)),
        np.zeros((k, k)), np.zeros((k + 1, k)), np.zeros((n, 6)), np.zeros(m),
    )  # fmt: skip


def sparse_of(c: MachineModel, s: Elimination) -> Sparse:
    """Memory of the sparse matrix, without an order of its elimination."""
    from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR, PER_ROW, Graph
    from visviva.kernels.multibody.solver import Sparse

    n, m = len(c.machine.B) - 1, len(c.w)
    more = 12 * len(c.conditions.couplings.bodies) + len(row_pattern(c.conditions.generated, n)[0])
    values = PER_BODY * n + PER_PAIR * len(s.Z) + PER_ROW * m + more
    graph = Graph(np.zeros(values), np.zeros(0), np.zeros(6 * n + m), np.zeros(6 * n + m), np.zeros(PER_ROW))
    return Sparse(graph, _no_plan())


def _no_plan() -> Plan:
    from visviva.kernels.lu import Plan

    none = np.zeros(0, dtype=np.uint32)
    empty: dict[str, Any] = dict.fromkeys(Plan._fields, none)
    return Plan(**empty | {"scale": np.zeros(0), "runs": none.reshape(0, 3)})


def check_rates(model: Model) -> None:
    """Raises `NotCompilable` where a mechanism has constraints beyond its joints, whose rates have no compiled form."""
    names = [] if model.mechanism is None else [repr(part.name) for part in model.mechanism.conditions]
    if names:
        raise NotCompilable(f"the rates of {', '.join(names)} have no compiled form")


def rates_of(c: MachineModel, s: Elimination) -> Rates:
    """Memory of the second level, where the rates of constraints are kept; raises `NotCompilable`."""
    from visviva.kernels.multibody.ggl_tables import (  # isort: skip
        JOINT_SLOTS, RATE_BODY, RATE_FUNCTION, SCRATCH_SLOTS, RateBorder, Rates, RateTree,
    )  # fmt: skip
    from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR, PER_ROW

    n, m, rows = len(c.machine.B) - 1, len(c.w), int(c.machine.sizes[1])
    check_rates(c.model)
    joints = s.tree.joints
    tree = RateTree(
        joints, s.tree.roots, np.zeros((n, 4, 36)), np.zeros((len(joints) + len(s.tree.roots), JOINT_SLOTS, 36)),
        np.zeros((len(joints), 18)), np.zeros((n, 12)), np.zeros((2, 12)), np.zeros((SCRATCH_SLOTS, 36)),
    )  # fmt: skip
    k = len(s.border.rows)
    border = RateBorder(
        s.border.rows, np.zeros((k, 3, 24)), np.zeros((2 * k, n, 12)), np.zeros((2 * k, 2, m)),
        np.zeros((2 * k, 2 * k)), np.zeros((2 * k + 1, 2 * k)), np.zeros(m),
    )  # fmt: skip
    values = 3 * (PER_BODY * n + PER_PAIR * len(s.Z) + PER_ROW * m) + PER_BODY * n
    return Rates(
        B=np.zeros((n + 1, int(RATE_BODY))), X=np.zeros((rows, int(RATE_FUNCTION))), G=np.zeros(m), dG=np.zeros(m),
        gap=np.zeros(m), V=np.zeros(values), LU=np.zeros(0), b=np.zeros(2 * c.unknowns), pad=np.zeros(2 * c.unknowns),
        q=np.zeros((2, 24)), plan=_no_plan(), best=np.zeros(c.unknowns), tree=tree, border=border,
    )  # fmt: skip


def both_levels(pattern: tuple[Int, Int, Int], c: MachineModel, s: Elimination) -> tuple[Int, Int, Int]:
    """The pattern of a step that keeps the rates of constraints, from that of one that does not.

    Values are those of the blocks (1, 1), (2, 1) and (2, 2), which have that pattern each, and of bodies in (1, 2).
    """
    from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR, PER_ROW

    rows, cols, chosen = pattern
    n, m, k = len(c.machine.B) - 1, len(c.w), c.unknowns
    size = PER_BODY * n + PER_PAIR * len(s.Z) + PER_ROW * m
    own = chosen < PER_BODY * n
    return (
        np.concatenate([rows, rows + k, rows + k, rows[own]]),
        np.concatenate([cols, cols, cols + k, cols[own] + k]),
        np.concatenate([chosen, chosen + size, chosen + 2 * size, chosen[own] + 3 * size]),
    )


def sparse_pattern(c: MachineModel, s: Elimination) -> tuple[Int, Int, Int]:
    """Rows and columns of the values of the sparse matrix that may be other than zero, and their places."""
    from visviva.kernels.multibody.tables import CHILD, DOT, KIND, MEET, PARENT, PLACE

    M, n = c.machine, len(c.machine.B) - 1
    rows: list[Int] = []
    cols: list[Int] = []
    down, across = (grid.ravel() for grid in np.mgrid[:3, :3])
    local_row = np.concatenate([3 * a + down for a in (0, 0, 1, 1)])
    local_col = np.concatenate([3 * b + across for b in (0, 1, 0, 1)])
    keep: list[Mask] = []
    for b in range(n):
        rows.append(6 * b + local_row)
        cols.append(6 * b + local_col)
        keep.append(np.ones(36, dtype=bool))
    ends = np.full((len(s.Z), 2), n, dtype=np.int64)
    translates = np.zeros(len(s.Z), dtype=bool)
    turns = np.zeros(len(s.Z), dtype=bool)
    for i, pair in enumerate(s.pairs):
        if M.K[i, KIND] != MEET:
            ends[pair] = M.K[i, PARENT], M.K[i, CHILD]
            turns[pair] = True
            translates[pair] |= M.K[i, KIND] != DOT
    for k, (pair, turned) in enumerate(s.twist_pairs):
        ends[pair] = M.TK[c.elements.twists[k, 0]][:: -1 if turned else 1]
        turns[pair] = True
    rotation = (local_row >= 3) & (local_col >= 3)
    for pair, (a, b) in enumerate(ends):
        both = a < n and b < n and turns[pair]
        for row, col in ((a, b), (b, a)):
            rows.append(6 * min(int(row), n - 1) + local_row)
            cols.append(6 * min(int(col), n - 1) + local_col)
            keep.append(np.full(36, both) & (translates[pair] | rotation))
    six = np.arange(6)
    for i in range(int(M.sizes[1])):
        for part in range(3 if M.K[i, KIND] == MEET else 1):
            place = 6 * n + int(M.K[i, PLACE]) + part
            moving = [(int(end), end < n) for end in (M.K[i, PARENT], M.K[i, CHILD])]
            free = six >= 3 if M.K[i, KIND] == DOT else six >= 0
            for transpose in (False, True):
                for end, moves in moving:
                    own, other = 6 * min(end, n - 1) + six, np.full(6, place)
                    rows.append(other if transpose else own)
                    cols.append(own if transpose else other)
                    keep.append(free & moves)
            rows.append(np.array([place]))
            cols.append(np.array([place]))
            keep.append(np.ones(1, dtype=bool))
    if c.conditioned:
        _add_couplings(c.conditions, n, rows, cols, keep)
        more_rows, more_cols = row_pattern(c.conditions.generated, n)
        rows.append(more_rows)
        cols.append(more_cols)
        keep.append(np.ones(len(more_rows), dtype=bool))
    chosen = np.flatnonzero(np.concatenate(keep))
    return np.concatenate(rows)[chosen], np.concatenate(cols)[chosen], chosen


def _add_couplings(c: Conditions, n: int, rows: list[Int], cols: list[Int], keep: list[Mask]) -> None:
    """Rows of couplings: the place of each multiplier, of which the diagonal counts, then their own values.

    Generated rows have such places too, of which nothing counts.
    """
    from visviva.kernels.multibody.graph import PER_ROW
    from visviva.kernels.multibody.tables import ROWS

    couplings, six = c.couplings, np.arange(6)
    for place in 6 * n + couplings.rows[:, 0]:
        rows.append(np.full(PER_ROW, place))
        cols.append(np.full(PER_ROW, place))
        keep.append(np.arange(PER_ROW) == PER_ROW - 1)
    unused = PER_ROW * int(c.generated.table[:, ROWS].sum())
    rows.append(np.zeros(unused, dtype=np.int64))
    cols.append(np.zeros(unused, dtype=np.int64))
    keep.append(np.zeros(unused, dtype=bool))
    for row in couplings.rows:
        place = np.full(6, 6 * n + row[0])
        for body in couplings.bodies[row[4] : row[5]]:
            own = 6 * body + six
            rows += [own, place]
            cols += [place, own]
            keep += [np.ones(6, dtype=bool)] * 2
