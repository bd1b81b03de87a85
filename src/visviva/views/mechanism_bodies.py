"""Bodies as lines: what joins the joints of a body, as built."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism import Definition
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Body, Ground, Joint, Particle
from visviva.views.mechanism_solids import Solid, solid_of

SAME = 1e-9  # points that are nearer than this part of their distance from the origin coincide
FEW = 16  # bodies that have colours of their own
COLOURS = ("#2f4bc4", "#e08a1e", "#2a9d74", "#c2416b", "#7a5bd0", "#0f8aa8", "#8a6d3b", "#5b6275")
MANY = 3  # points of a module on one body, from which on they meet in their middle
STRAIGHT = 0.1  # points within this part of their span are drawn on one line, or in one plane


@final
@dataclass(frozen=True, eq=False)
class Shape:
    """How a body is drawn.

    corners: a line through these world points as built, (n, 3); a ring where `closed`.
    solid:   the solid to show as well, None where it would not show the body as it is.
    """

    body: Body
    corners: Array
    closed: bool
    solid: Solid | None


@final
@dataclass(frozen=True, eq=False)
class Looks:
    """A solid that its mechanism was given to look like; axes and centre in the world as built."""

    carrier: Body | Ground
    solid: Solid
    R_W: Array  # (3, 3)
    r_W: Array  # (3,)


@final
class Scene:
    """What is to be drawn of a mechanism, worked out once for many instants."""

    def __init__(self, mechanism: Definition) -> None:
        self.definition = mechanism
        self.elements, self.joint_elements = mechanism.elements, mechanism.joint_elements
        self.particles = [part for part in mechanism.bodies if isinstance(part, Particle)]
        self.looks = self._looks()
        self.shapes = self._shapes()

    @property
    def links(self) -> list[Joint | Element]:
        """What holds two carriers together: joints but those that leave all free, and springs."""
        return [*(joint for joint in self.definition.joints if joint.joint.glyph != "nothing"), *self.elements]

    @property
    def few(self) -> bool:
        """Whether each body can have a colour of its own."""
        return len(self.definition.bodies) <= FEW

    @cached_property
    def colours(self) -> dict[str, str]:
        """One for each of a few bodies; many get shades that follow their order."""
        names = [part.name for part in self.definition.bodies]
        if self.few:
            return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        shades = colormaps["viridis"](np.linspace(0.05, 0.8, len(names)))
        return {name: to_hex(shade) for name, shade in zip(names, shades, strict=True)}

    def _shapes(self) -> list[Shape]:
        bodies = [part for part in self.definition.bodies if isinstance(part, Body)]
        held: dict[str, list[Array]] = {body.name: [] for body in bodies}
        shown: dict[str, list[Array]] = {body.name: [] for body in bodies}
        mounts: dict[str, dict[str, list[Array]]] = {body.name: {} for body in bodies}
        frames = {frame.name: frame for frame in self.definition.frames}
        mounted = {name: frames[f"{name}.ground"].carrier for name in self.definition.inclusions}
        for link in self.links:
            module = link.name.rpartition(".")[0]
            for end in (link.parent, link.child):
                if end.name in held:
                    held[end.name].append(link.frame_on(end)[1])
                    if module in mounted and mounted[module] is end:
                        mounts[end.name].setdefault(module, []).append(link.frame_on(end)[1])
        for frame in self.definition.frames:
            if frame.carrier.name in shown and frame.name.removesuffix(".ground") not in mounted:
                shown[frame.carrier.name].append(frame.r_WF)
        dressed = {looks.carrier.name for looks in self.looks}
        shapes = [_shape(body, held[body.name], shown[body.name], [*mounts[body.name].values()]) for body in bodies]
        return [replace(shape, solid=None) if shape.body.name in dressed else shape for shape in shapes]

    def _looks(self) -> list[Looks]:
        """Balls, cylinders and boxes that bodies and the ground were given; meshes are not drawn."""
        m, kinds = self.definition, {"sphere": "ball", "cylinder": "cylinder", "box": "box"}
        carriers = {part.name: part for part in (m.ground, *m.bodies) if isinstance(part, Body | Ground)}
        return [
            Looks(carriers[name], Solid(kinds[shape.kind], shape.half), shape.R_WS, shape.r_WS)
            for name, shapes in m.shapes.items()
            for shape in shapes
            if shape.kind in kinds and name in carriers
        ]


def _shape(body: Body, held: list[Array], shown: list[Array], mounts: list[list[Array]]) -> Shape:
    """How one body is drawn that is held at some points and has named frames at others.

    mounts: those points among them that belong to one module each; where they are many they meet in their middle.
    """
    solid = solid_of(body)
    away = [r for r in (*held, *shown) if np.linalg.norm(r - body.r_WC) > SAME * np.abs(r).max()]
    points = _distinct(away)
    if solid is not None and len(_distinct(held)) > 1:
        inside = all(solid.holds(body.to_principal(r)) for r in points)
        solid = solid if inside and not solid.stout else None
    if len(points) == 1:
        bar = solid is not None and solid.slender and not shown
        points = _distinct([points[0], 2 * body.r_WC - points[0] if bar else body.r_WC])
    groups = [group for group in map(_distinct, mounts) if len(group) >= MANY]
    if groups:
        apart = [r for r in points if not any(np.array_equal(r, other) for group in groups for other in group)]
        corners, closed = outline(_distinct([*apart, *(group.mean(0) for group in groups)]), body.r_WC)
        return Shape(body, _with_spokes(corners, groups), closed, solid)
    corners, closed = outline(points, body.r_WC)
    return Shape(body, corners, closed, solid)


def _with_spokes(corners: Array, groups: list[Array]) -> Array:
    """A line that goes to the points of a group and back from wherever it comes to their middle."""
    found: list[Array] = []
    for corner in corners:
        found.append(corner)
        for group in groups:
            if np.array_equal(group.mean(0), corner):
                found += [r for point in group for r in (point, corner)]
    return np.array(found)


def outline(points: Array, centre: Array) -> tuple[Array, bool]:
    """A line or a ring through points (n, 3) of a body with its centre of mass: the least ink that shows them all.

    On one line: from end to end. In one plane: the ring around them. Else, or where the centre of mass is off the
    line: from each by way of the centre.
    """
    if len(points) < 2:
        return np.zeros((0, 3)), False
    middle = points.mean(0)
    _, sizes, directions = np.linalg.svd(np.concatenate([points, [centre]]) - middle, full_matrices=False)
    if sizes[1] <= STRAIGHT * sizes[0]:
        order = np.argsort((points - middle) @ directions[0])
        return points[order[[0, -1]]], False
    _, sizes, directions = np.linalg.svd(points - middle, full_matrices=False)
    if len(points) > 2 and sizes[1] > STRAIGHT * sizes[0] and (len(sizes) < 3 or sizes[2] <= STRAIGHT * sizes[0]):
        return points[hull((points - middle) @ directions[:2].T)], True
    through = np.repeat(points, 2, axis=0)[:-1]
    through[1::2] = centre
    return through, False


def hull(points: Array) -> list[int]:
    """Corners of the convex hull of plane points (n, 2), counter-clockwise, by the monotone chain of Andrew (1979)."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    rows = points.tolist()

    def chain(indices: list[int]) -> list[int]:
        kept: list[int] = []
        for i in indices:
            x, y = rows[i]
            while len(kept) > 1:
                (ax, ay), (bx, by) = rows[kept[-2]], rows[kept[-1]]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append(i)
        return kept[:-1]

    return chain(order) + chain(order[::-1])


def _distinct(points: list[Array]) -> Array:
    """Points without those that coincide with an earlier one."""
    kept: list[Array] = []
    scale = max((float(np.abs(r).max()) for r in points), default=0.0)
    for r in points:
        if all(np.linalg.norm(r - other) > SAME * scale for other in kept):
            kept.append(r)
    return np.array(kept).reshape(-1, 3)
