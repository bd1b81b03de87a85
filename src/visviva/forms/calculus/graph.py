"""The graph of frames: a spanning tree from the ground, and the edges that close loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from visviva.errors import ModelError
from visviva.forms.calculus.edges import AbstractEdge, InverseEdge

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
    frames, tree, left = [GROUND], list[AbstractEdge](), list(edges)
    for frame in frames:  # grows while it is read
        for edge in list(left):
            if frame not in (edge.a, edge.b):
                continue
            outward = edge if edge.a == frame else InverseEdge(edge.b, edge.a, edge)
            if outward.b not in frames:
                frames.append(outward.b)
                tree.append(outward)
                left.remove(edge)
    lost = sorted({frame for edge in edges for frame in (edge.a, edge.b)} - set(frames))
    if lost:
        raise ModelError(
            f"no edges lead from {GROUND!r} to {', '.join(map(repr, lost))}.\n"
            f"The graph of frames must be connected: give a pose from a frame that is ({', '.join(frames)})."
        )
    return FrameGraph(tuple(frames), tuple(tree), tuple(left))
