"""How the matrix of a mechanism's step is solved: along a tree of joints, a border for loops, or as a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Mask
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine import JointRows, MachineModel, machine_of
from visviva.compiler.machine_rows import row_pattern
from visviva.mechanism.coupling import Coupling
from visviva.model import Model
from visviva.numerics.spanning_trees import spanning_forest

if TYPE_CHECKING:
    from visviva.kernels.lu import Plan
    from visviva.kernels.multibody.border import Border
    from visviva.kernels.multibody.curvature import Across
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
    """A tree of joints that hold a point, if everything else fits to it: few rows beside it, elements within the tree.

    Rows that turn with two bodies, and elements, couple their velocities: they must act between neighbours of the tree,
    only on rotations, or against the ground. Couplings, and coordinates that act together, are sums of such parts, and
    are solved after the tree as loops are. Generated rows couple any bodies: with these there is no tree.
    """
    from visviva.kernels.multibody.tables import DOT

    n = len(c.machine.B) - 1
    if len(c.conditions.generated.table):
        return None
    if (c.machine.B[:n, 0] == 0).any():
        return None  # a body without mass has no block of its own to eliminate
    tree = [k for k, joint in enumerate(c.joints) if joint.holds_point and active[c.w[joint.multipliers]].all()]
    plan = _hang(n, c.joints, tree)
    if _beside(c, plan, active) > BORDER:
        return None
    for k in plan.loops:
        joint = c.joints[k]
        if n not in joint.ends and _turns_with_both(c, joint, active[c.w[joint.multipliers]]):
            return None
    turning = {c.joints[part.joint].ends for part in plan.hanging if len(c.joints[part.joint].functions) > 1}
    for kind, parent, child, _, _ in c.machine.K[int(c.machine.sizes[1]) :].tolist():
        if n not in (parent, child) and not (kind == DOT and (parent, child) in turning):
            return None
    neighbours = {frozenset((part.body, part.above)) for part in plan.hanging}
    for turn in c.elements.twists[:, 0]:
        ends = frozenset(c.machine.TK[turn].tolist())
        if n not in ends and ends not in neighbours:
            return None
    return plan


def _beside(c: MachineModel, plan: TreePlan, active: Mask) -> int:
    """Number of rows that are solved after a tree."""
    loops = sum(int(active[c.w[c.joints[k].multipliers]].sum()) for k in plan.loops)
    couplings = int(active[c.w[c.conditions.couplings.rows[:, 0]]].sum())
    return loops + couplings + sum(c.elements.stacks[k, 1] for k in _stacks_beside(c, plan))


def _stacks_beside(c: MachineModel, plan: TreePlan) -> list[int]:
    """Coordinates that act together, which a tree has no blocks for: those of more than one of its joints."""
    from visviva.kernels.multibody.tables import DOT, KIND

    turning = {frozenset(c.joints[part.joint].ends) for part in plan.hanging if len(c.joints[part.joint].functions) > 1}
    n, found = len(c.machine.B) - 1, []
    for k in range(len(c.elements.stacks)):
        own = _members(c, k)
        bodies = {b for member in own for b in _ends(c, member)} - {n}
        rotations = all(c.members[j, 0] >= 0 or c.machine.K[c.members[j, 1], KIND] == DOT for j in own)
        if len(bodies) > 1 and not (frozenset(bodies) in turning and rotations):
            found.append(k)
    return found


def _members(c: MachineModel, stack: int) -> range:
    """Coordinates of a stack."""
    first = int(c.elements.stacks[:stack, 1].sum())
    return range(first, first + int(c.elements.stacks[stack, 1]))


def _ends(c: MachineModel, member: int) -> tuple[int, int]:
    """Both bodies of a coordinate, in the order of its columns."""
    from visviva.kernels.multibody.tables import CHILD, PARENT

    turn, function, _ = c.members[member]
    first, second = c.machine.TK[turn] if turn >= 0 else c.machine.K[function, [PARENT, CHILD]]
    return int(first), int(second)


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
    beside = _stacks_beside(c, plan) if plan is not None else []
    inside = [k for k in range(len(c.elements.stacks)) if k not in beside]
    pairs, twist_pairs, across, count = _pairs(c, inside)
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
        across=across,
        loops=np.array(loops, dtype=np.int64),
        tree=Tree(table, roots, np.zeros((len(table), int(JOINT))), np.zeros((8, 6))),
        border=_border(c, loops, beside if plan is not None else None, active),
        best=np.zeros(6 * n + m),
    )


def _pairs(c: MachineModel, stacks: list[int]) -> tuple[Int, Int, Across, int]:
    """Rows of the blocks between bodies: one per pair of bodies that some function, torque or stack couples.

    A point that two bodies share couples them by its multipliers alone; its row is of no meaning.
    """
    from visviva.kernels.multibody.curvature import Across
    from visviva.kernels.multibody.tables import MEET

    known: dict[tuple[int, int], int] = {}
    M = c.machine

    def row(parent: int, child: int) -> int:
        return known.setdefault((parent, child), len(known))

    def either(a: int, b: int) -> tuple[int, int]:
        return (known[b, a], 1) if (b, a) in known else (row(a, b), 0)

    pairs = np.array([0 if kind == MEET else row(int(a), int(b)) for kind, a, b, _, _ in M.K], dtype=np.int64)
    twists = [either(*M.TK[k].tolist()) for k in c.elements.twists[:, 0]]
    blocks = []
    for k in stacks:
        n, slope, own = int(c.elements.stacks[k, 1]), int(c.elements.stacks[k, 2]), _members(c, k)
        for i, a in enumerate(own):
            for j, b in enumerate(own):
                for side, first in enumerate(_ends(c, a)):
                    for other, second in enumerate(_ends(c, b)):
                        if i != j and len(M.B) - 1 not in (first, second):
                            same = first == second
                            place = (first, 0, 0) if same else (-1, *either(first, second))
                            blocks.append((slope + n * i + j, a, b, side, other, *place))
    across = Across(c.members, np.zeros((len(c.members), 24)), np.array(blocks, dtype=np.int64).reshape(-1, 8))
    return pairs, np.array(twists, dtype=np.int64).reshape(-1, 2), across, len(known)


def _border(c: MachineModel, loops: list[int], stacks: list[int] | None, active: Mask) -> Border:
    """Rows beside a tree: loops, couplings, and coordinates that act together; none where there is no tree."""
    from visviva.kernels.multibody.border import BORDER_ROW, OF_COUPLING, OF_LOOP, OF_STACK, Border
    from visviva.kernels.multibody.tables import CHILD, KIND, MEET, PARENT, PLACE

    n, m = len(c.machine.B) - 1, len(c.w)
    rows: list[tuple[int, ...]] = []
    bodies: list[int] = []
    diagonal: list[float] = []

    def add(kind: int, number: int, part: int, place: int, touched: Iterable[int]) -> None:
        first = len(bodies)
        bodies.extend(sorted({int(b) for b in touched} - {n}))
        rows.append((kind, number, part, place, first, len(bodies)))
        diagonal.append(-1.0 if kind == OF_STACK else 0.0)

    for i in loops:
        place = int(c.machine.K[i, PLACE])
        for part in range(3 if c.machine.K[i, KIND] == MEET else 1):
            if active[c.w[place + part]]:
                add(OF_LOOP, i, part, place + part, c.machine.K[i, [PARENT, CHILD]])
    couplings = c.conditions.couplings
    for r, (place, _, _, _, first, last, _) in enumerate(couplings.rows if stacks is not None else ()):
        if active[c.w[place]]:
            begin = len(bodies)
            bodies.extend(couplings.bodies[first:last].tolist())
            rows.append((OF_COUPLING, r, 0, int(place), begin, len(bodies)))
            diagonal.append(0.0)
    for k in stacks or ():
        for member in _members(c, k):
            add(OF_STACK, member, k, -1, {b for other in _members(c, k) for b in _ends(c, other)})
    k = len(rows)
    return Border(
        np.array(rows, dtype=np.int64).reshape(-1, BORDER_ROW), np.array(bodies, dtype=np.int64),
        np.zeros(12 * len(bodies)), np.array(diagonal), np.zeros((k, n, 6)), np.zeros((k, m)), np.zeros((k, k)),
        np.zeros((k + 1, k)), np.zeros((n, 6)), np.zeros(m), np.zeros(24),
    )  # fmt: skip


def sparse_of(c: MachineModel, s: Elimination) -> Sparse:
    """Memory of the sparse matrix, without an order of its elimination."""
    from visviva.kernels.multibody.graph import PER_ROW, Graph
    from visviva.kernels.multibody.solver import Sparse

    n, k = _size_of(c, s), c.unknowns
    return Sparse(Graph(np.zeros(n), np.zeros(0), np.zeros(k), np.zeros(k), np.zeros(PER_ROW)), _no_plan())


def _size_of(c: MachineModel, s: Elimination) -> int:
    """Number of values of the sparse matrix, or of one of its blocks where the rates of constraints are kept."""
    from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR, PER_ROW

    n, m = len(c.machine.B) - 1, len(c.w)
    more = 12 * len(c.conditions.couplings.bodies) + len(row_pattern(c.conditions.generated, n)[0])
    return PER_BODY * n + PER_PAIR * len(s.Z) + PER_ROW * m + more


def _no_plan() -> Plan:
    from visviva.kernels.lu import Plan

    none = np.zeros(0, dtype=np.uint32)
    empty: dict[str, Any] = dict.fromkeys(Plan._fields, none)
    return Plan(**empty | {"scale": np.zeros(0), "runs": none.reshape(0, 3)})


def check_rates(model: Model) -> None:
    """Raises `NotCompilable` where a mechanism has constraints g(q) = 0 whose rates have no compiled form."""
    conditions = () if model.definition is None else model.definition.conditions
    names = [repr(part.name) for part in conditions if not isinstance(part, Coupling) and part.kind != "nonholonomic"]
    if names:
        raise NotCompilable(f"the rates of {', '.join(names)} have no compiled form")


def rates_of(c: MachineModel, s: Elimination) -> Rates:
    """Memory of the second level, where the rates of constraints are kept; raises `NotCompilable`."""
    from visviva.kernels.multibody.ggl_tables import (  # isort: skip
        JOINT_SLOTS, RATE_BODY, RATE_FUNCTION, SCRATCH_SLOTS, RateBorder, Rates, RateTree,
    )  # fmt: skip
    from visviva.kernels.multibody.graph import PER_BODY

    n, m = len(c.machine.B) - 1, len(c.w)
    check_rates(c.model)
    joints = s.tree.joints
    tree = RateTree(
        joints, s.tree.roots, np.zeros((n, 4, 36)), np.zeros((len(joints) + len(s.tree.roots), JOINT_SLOTS, 36)),
        np.zeros((len(joints), 18)), np.zeros((n, 12)), np.zeros((2, 12)), np.zeros((SCRATCH_SLOTS, 36)),
    )  # fmt: skip
    k = len(s.border.rows)
    border = RateBorder(
        s.border.rows, s.border.bodies, np.zeros((3, 12 * len(s.border.bodies))),
        np.concatenate([-s.border.diagonal, s.border.diagonal]), np.zeros((3, 24)), np.zeros((2 * k, n, 12)),
        np.zeros((2 * k, 2, m)), np.zeros((2 * k, 2 * k)), np.zeros((2 * k + 1, 2 * k)), np.zeros(m),
    )  # fmt: skip
    size, functions = _size_of(c, s), len(c.machine.X)
    return Rates(
        B=np.zeros((n + 1, int(RATE_BODY))), X=np.zeros((functions, int(RATE_FUNCTION))), G=np.zeros(m),
        dG=np.zeros(m), gap=np.zeros(m), V=np.zeros(3 * size + PER_BODY * n), size=np.array([size]), LU=np.zeros(0),
        b=np.zeros(2 * c.unknowns), pad=np.zeros(2 * c.unknowns),
        q=np.zeros((2, 24)), plan=_no_plan(), best=np.zeros(c.unknowns), tree=tree, border=border,
    )  # fmt: skip


def both_levels(pattern: tuple[Int, Int, Int], c: MachineModel, s: Elimination) -> tuple[Int, Int, Int]:
    """The pattern of a step that keeps the rates of constraints, from that of one that does not.

    Values are those of the blocks (1, 1), (2, 1) and (2, 2), which have that pattern each, and of bodies in (1, 2).
    """
    from visviva.kernels.multibody.graph import PER_BODY

    rows, cols, chosen = pattern
    n, k, size = len(c.machine.B) - 1, c.unknowns, _size_of(c, s)
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
    for _, a, b, side, other, body, pair, turned in s.across.blocks:
        if body < 0:
            ends[pair] = (_ends(c, a)[side], _ends(c, b)[other])[:: -1 if turned else 1]
            turns[pair] = True
            translates[pair] |= any(c.members[k, 0] < 0 and M.K[c.members[k, 1], KIND] != DOT for k in (a, b))
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
