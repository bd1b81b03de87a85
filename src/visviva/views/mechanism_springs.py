"""Springs, dampers and input ports as they are drawn."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.library.joints import Shift, Turn
from visviva.mechanism.elements import Element, JointElement
from visviva.mechanism.parts import Force, JointCoordinate, Port, WrenchPort
from visviva.views.mechanism_joints import SIDE_ON, SQUARE
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import CHAIN_DASHES, PAPER, PORT, SPRING, Stroke, arrow, disc
from visviva.views.mechanism_view import View

COILS = 7
FROM = np.array([-20.0, 15.0])  # where the arrow of a wrench comes from; its direction is the input's [pt]
NEAR = 14.0  # ends that are nearer than this on the page have no room for a zig-zag [pt]


def element_marks(element: Element, place: Placement, view: View, size: float) -> list[Stroke]:
    """A zig-zag from end to end; a dashpot beside it where it damps; a block of rubber where the ends meet."""
    a, b = (view.page(place.frame(element, end)[1]) for end in (element.parent, element.child))
    if np.linalg.norm(b - a) < NEAR * size:
        return _rubber(0.5 * (a + b), size)
    u = (b - a) / np.linalg.norm(b - a)
    side = np.array([-u[1], u[0]]) * 5.5 * size
    both = element.energy is not None and element.damping is not None
    strokes = [] if element.energy is None else [zigzag(a, b, size, side if both else 0 * side)]
    if element.damping is not None:
        strokes += _dashpot(a, b, size, -side if both else 0 * side)
    return [*strokes, *(disc(end, 1.8 * size, SPRING, SPRING, 0.2) for end in (a, b))]


def zigzag(a: Array, b: Array, size: float, offset: Array) -> Stroke:
    """A spring between two page points; its coils are moved aside by `offset`."""
    along = b - a
    side = np.array([-along[1], along[0]]) / np.linalg.norm(along) * 4.2 * size
    s = np.concatenate([[0, 0.12, 0.18], np.linspace(0.18, 0.82, 2 * COILS + 2)[1:-1], [0.82, 0.88, 1]])
    swing = np.zeros(len(s))
    swing[3:-3] = np.tile((1, -1), COILS)
    lift = np.where((s > 0) & (s < 1), 1.0, 0.0)
    points = a + np.outer(s, along) + np.outer(swing, side) + np.outer(lift, offset)
    return Stroke(points, SPRING, max(0.5, 1.3 * size))


def _dashpot(a: Array, b: Array, size: float, offset: Array) -> list[Stroke]:
    u = (b - a) / np.linalg.norm(b - a)
    side, width = np.array([-u[1], u[0]]) * 3.4 * size, max(0.5, 1.3 * size)
    start, end = a + 0.12 * (b - a) + offset, b - 0.12 * (b - a) + offset
    middle, half = 0.5 * (start + end), 7.0 * size * u
    cup = np.array([middle + half + side, middle - half + side, middle - half - side, middle + half - side])
    plate = np.array([middle + 0.8 * side, middle - 0.8 * side])
    lines = [np.array([a, start, middle - half]), np.array([middle, end, b]), cup, plate]
    return [Stroke(points, SPRING, width) for points in lines]


def _rubber(at: Array, size: float) -> list[Stroke]:
    """A bushing: the block between two frames that nearly coincide."""
    waves = [np.array([(x, 6), (x - 3, 2), (x + 3, -2), (x, -6)]) * size for x in (-2.5, 2.5)]
    return [
        Stroke(at + 6.0 * size * SQUARE, SPRING, 1.1 * size, PAPER),
        *(Stroke(at + wave, SPRING, max(0.5, size)) for wave in waves),
    ]


def joint_element_marks(part: JointElement, place: Placement, view: View, size: float) -> list[Stroke]:
    """A spiral about the axis of an angle, a coil along a displacement, and a thin line between several joints."""
    strokes = [stroke for one in part.coordinates for stroke in _coordinate_marks(one, place, view, size)]
    ends = [_coordinate_frame(one, place, view)[0] for one in part.coordinates]
    if any(np.hypot(*(end - ends[0])) > size for end in ends):
        strokes.append(Stroke(np.array(ends), SPRING, 0.8 * size, dash=CHAIN_DASHES))
    return strokes


def _coordinate_marks(one: JointCoordinate, place: Placement, view: View, size: float) -> list[Stroke]:
    at, R = _coordinate_frame(one, place, view)
    if not one.turns:
        z = view.flat(R[:, 2])
        if np.hypot(*z) < SIDE_ON:
            return []
        return [zigzag(at - 4 * size * z, at + 26 * size * z, size, np.zeros(2))]
    s = np.linspace(0.0, 1.0, 120)
    angle, radius = 5 * np.pi * s, (5.5 + 7.0 * s) * size
    spiral = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return [Stroke(at + view.flat(spiral @ R[:, :2].T), SPRING, max(0.5, 1.1 * size))]


def port_marks(port: Port, place: Placement, view: View, size: float) -> list[Stroke]:
    """Where the outside acts: round the axis of a torque or motor, along that of a force, at a body for a wrench."""
    width = 1.5 * size
    if isinstance(port, WrenchPort):
        at = view.page(place.q[port.carrier.name][:3])
        return arrow(at + size * FROM, at, PORT, width, 7 * size)
    at, R = _coordinate_frame(port.at, place, view)
    if isinstance(port, Force):
        z = size * view.flat(R[:, 2])
        return arrow(at + 13 * z, at + 36 * z, PORT, width, 7 * size)
    x, y = R[:, :2].T @ view.towards  # the arrow ends in front, where its direction is seen best
    angle = np.arctan2(y, x) + np.linspace(-1.5 * np.pi, 0.15, 60)
    arc = at + 13 * size * view.flat(np.stack([np.cos(angle), np.sin(angle)], axis=-1) @ R[:, :2].T)
    return [Stroke(arc[:-4], PORT, width), arrow(arc[-7], arc[-1], PORT, width, 7 * size)[-1]]


def port_anchor(port: Port, place: Placement, view: View, size: float) -> tuple[Array, float]:
    """The page point that the name of a port belongs to, and how far away from it the name stays."""
    if isinstance(port, WrenchPort):
        return view.page(place.q[port.carrier.name][:3]) + size * FROM, 2.0
    at, R = _coordinate_frame(port.at, place, view)
    return (at + 26 * size * view.flat(R[:, 2]), 4.0) if isinstance(port, Force) else (at, 14.0 * size)


def _coordinate_frame(one: JointCoordinate, place: Placement, view: View) -> tuple[Array, Array]:
    """Where the joint is on the page, and axes of which z is that of the coordinate."""
    joint, kind = one.joint, one.joint.joint
    (R_P, _), (R_C, r) = (place.frame(joint, end) for end in (joint.parent, joint.child))
    motion = next(move for move in kind.chain if move.coordinates.start == one.number)
    assert isinstance(motion, Turn | Shift)
    R = R_C if one.number in kind.of_child else R_P
    return view.page(r), np.roll(R, 2 - motion.axis, axis=1)
