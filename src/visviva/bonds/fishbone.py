"""Large graphs as fishbones: the longest chain in a row, what hangs on it above and below, in rows of their own.

Annealing, which small drawings are placed by, would take minutes; this takes one pass over a spanning tree. Bonds that
close loops are drawn straight, wherever they lead.
"""

from __future__ import annotations

Cell = tuple[int, int]
Near = dict[str, list[str]]


Cells = dict[str, Cell]


def fishbone(near: Near, first: str) -> Cells:
    """Column and row of each element of a connected graph, given by its neighbours; `first` is rather to the left."""
    order, parent = _tree(near, _tree(near, first)[0][-1])
    start = first if _depth(parent, first) == _depth(parent, order[-1]) else order[-1]
    order, parent = _tree(near, start)
    children: Near = {label: [] for label in near}
    for label in order[1:]:
        children[parent[label]].append(label)
    length: dict[str, int] = {}
    level: dict[str, Cells] = {}  # parts as they go on in a row
    hanging: dict[str, Cells] = {}  # parts below an element, with nothing above the first one
    for label in reversed(order):
        length[label] = 1 + max((length[child] for child in children[label]), default=0)
        longest, *others = sorted(children[label], key=lambda child: -length[child]) or [""]
        on, parts = level.pop(longest, {}), [hanging[child] for child in others]
        level[label] = _joined(label, on, parts, (1, -1))
        hanging[label] = _joined(label, on, parts, (1,))
    return level[start]


def _joined(label: str, on: Cells, parts: list[Cells], sides: tuple[int, ...]) -> Cells:
    """An element with one part that goes on to the right, and others below (1) and above (-1), about its column."""
    cells: Cells = {label: (0, 0)}
    for k, part in enumerate(parts):
        side, turn = sides[k % len(sides)], k // len(sides)
        mirrored = {each: (x, side * y) for each, (x, y) in part.items()}
        rise = 1 - min(side * y for _, y in mirrored.values())
        step = -1 if turn % 2 else 1
        _put(cells, mirrored, step * ((turn + 1) // 2), side * rise, step)
    left = min((x for x, _ in on.values()), default=0)
    right = max(x for x, _ in cells.values())
    _put(cells, on, 1 + right - left, 0, 1)
    return cells


def _put(cells: Cells, part: Cells, x: int, y: int, step: int) -> None:
    """Add a part, moved aside until its rows are clear of those that are there."""
    taken, rows = _rows(cells), _rows(part)
    while any(
        row + y in taken and low + x <= taken[row + y][1] and high + x >= taken[row + y][0]
        for row, (low, high) in rows.items()
    ):
        x += step
    cells |= {label: (u + x, v + y) for label, (u, v) in part.items()}


def _rows(cells: Cells) -> dict[int, tuple[int, int]]:
    """The first and last column of each row."""
    found: dict[int, tuple[int, int]] = {}
    for x, y in cells.values():
        low, high = found.get(y, (x, x))
        found[y] = min(low, x), max(high, x)
    return found


def _tree(near: Near, start: str) -> tuple[list[str], dict[str, str]]:
    """All elements, those close to the start first, and the one from which each was reached."""
    order, parent = [start], {start: start}
    for label in order:  # grows while it is read
        for other in near[label]:
            if other not in parent:
                parent[other] = label
                order.append(other)
    return order, parent


def _depth(parent: dict[str, str], label: str) -> int:
    """The number of bonds to the start."""
    depth = 0
    while parent[label] != label:
        label, depth = parent[label], depth + 1
    return depth
