"""The graph of frames: a spanning tree from the ground, and the edges that close loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from visviva.errors import ModelError
from visviva.forms.calculus.edges import AbstractEdge, InverseEdge
from visviva.numerics.spanning_trees import grow

GROUND = "ground"


@final
@dataclass(frozen=True, eq=False)
class FrameGraph:
    """frames: "ground" first, each after the one it hangs on.   tree: for each frame but the ground, the edge to it.

    loops: edges that are not in the tree; each is a second path between two frames.
    """

    frames: tuple[str, ...]
    tree: tuple[AbstractEdge, ...]
    loops: tuple[AbstractEdge, ...]


def frame_graph(edges: Sequence[AbstractEdge]) -> FrameGraph:
    """The graph of some edges, breadth first; edges against the direction of the tree are inverted."""
    for edge in edges:
        if edge.a == edge.b:
            raise ModelError(f"the edge {edge.name} joins a frame with itself: an edge needs two frames.")
    near: dict[str, list[tuple[str, int]]] = {GROUND: []}
    for k, edge in enumerate(edges):
        near.setdefault(edge.a, []).append((edge.b, k))
        near.setdefault(edge.b, []).append((edge.a, k))
    frames, tree, used = [GROUND], list[AbstractEdge](), set[int]()
    for number, _, frame in grow([GROUND], near):
        if number is not None:
            edge = edges[number]
            frames.append(frame)
            tree.append(edge if edge.b == frame else InverseEdge(edge.b, edge.a, edge))
            used.add(number)
    lost = sorted(near.keys() - set(frames))
    if lost:
        raise ModelError(
            f"no edges lead from {GROUND!r} to {', '.join(map(repr, lost))}.\n"
            f"The graph of frames must be connected: give a pose from a frame that is ({', '.join(frames)})."
        )
    loops = tuple(edge for k, edge in enumerate(edges) if k not in used)
    return FrameGraph(tuple(frames), tuple(tree), loops)
