"""What touches without slipping: blades, and discs with a sharp edge that roll on a plane.

A row t·(ẋ_C - ẋ_P) = 0 of the point x where child and parent touch: its velocity as a point of the child, less that as
a point of the parent, has no part along t. Over the twist (ω; v) of a body it is ((x - r) x t; t), r: centre of mass.

A disc of radius ρ about the centre c, with the unit axis a, on a plane with the unit normal n: it touches at
x = c + ρ e1 x a with e1 = n x a/|n x a|, the direction in which it rolls, and has no velocity along e1 and e2 = n x e1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.language.trace import Pose

HEIGHT_NUMBERS = 19  # of the functions below for heights


def blade_on_ground(child: Pose, numbers: Any) -> Any:
    """numbers: normal of the blade and its point, in the child."""
    return [_row(child, child.r + child.R @ numbers[3:6], child.R @ numbers[:3])]


def blade_on_body(parent: Pose, child: Pose, numbers: Any) -> Any:
    """The same against the parent."""
    x, t = child.r + child.R @ numbers[3:6], child.R @ numbers[:3]
    return [_between(parent, child, x, t)]


def disc_on_ground(child: Pose, numbers: Any) -> Any:
    """numbers: axis and centre in the child, radius, normal of the plane."""
    x, directions = _contact(child, numbers, numbers[7:])
    return [_row(child, x, t) for t in directions]


def disc_on_body(parent: Pose, child: Pose, numbers: Any) -> Any:
    """The same on a plane of the parent; the normal is given there."""
    x, directions = _contact(child, numbers, parent.R @ numbers[7:])
    return [_between(parent, child, x, t) for t in directions]


def height_on_ground(start: list[Pose], end: list[Pose], numbers: Any) -> Any:
    """Row of the height of a disc's edge between the ends of a step, and its value at the end, see `contact_height`.

    numbers: axis and centre in the child, radius, axes of the plane one after the other, a point of it.
    """
    plane = [numbers[7:10], numbers[10:13], numbers[13:16], numbers[16:19]]
    return _height([plane] * 2, [start[0], end[0]], numbers)[6:]


def height_on_body(start: list[Pose], end: list[Pose], numbers: Any) -> Any:
    """The same for a plane of the parent."""
    axes = [numbers[7:10], numbers[10:13], numbers[13:16]]
    planes = [[*(P.R @ axis for axis in axes), P.r + P.R @ numbers[16:19]] for P in (start[0], end[0])]
    return _height(planes, [start[1], end[1]], numbers, (start[0].r + end[0].r) / 2)


def _height(planes: list[Any], discs: list[Pose], numbers: Any, r: Any = 0) -> Any:
    """Rows over the twists of the parent, whose centre of mass is at r in the middle, and of the child; then g."""
    rho = numbers[6]
    a = [disc.R @ numbers[:3] for disc in discs]
    u = [(plane[0] @ axis, plane[1] @ axis) for plane, axis in zip(planes, a, strict=True)]
    s = [np.sqrt(one[0] ** 2 + one[1] ** 2) for one in u]
    slope = [(u[0][k] + u[1][k]) / (s[0] + s[1]) for k in range(2)]
    x, y, n, _ = ((one + other) / 2 for one, other in zip(*planes, strict=True))
    arm, axis = (discs[0].R + discs[1].R) @ numbers[3:6] / 2, (a[0] + a[1]) / 2
    turn = rho * np.cross(slope[0] * x + slope[1] * y, axis)
    centre = (discs[0].r + discs[1].r) / 2 + arm
    g = planes[1][2] @ (discs[1].r + discs[1].R @ numbers[3:6] - planes[1][3]) - rho * s[1]
    return np.concatenate([-np.cross(centre - r, n) - turn, -n, np.cross(arm, n) + turn, n, [g]])


def _contact(child: Pose, numbers: Any, normal: Any) -> tuple[Any, tuple[Any, Any]]:
    """The point x, and e1 and e2."""
    n, a = _unit(normal), _unit(child.R @ numbers[:3])
    e1 = _unit(np.cross(n, a))
    return child.r + child.R @ numbers[3:6] + numbers[6] * np.cross(e1, a), (e1, np.cross(n, e1))


def _row(body: Pose, x: Any, t: Any) -> Any:
    return np.concatenate([np.cross(x - body.r, t), t])


def _between(parent: Pose, child: Pose, x: Any, t: Any) -> Any:
    return np.concatenate([-_row(parent, x, t), _row(child, x, t)])


def _unit(vector: Any) -> Any:
    return vector / np.sqrt(vector @ vector)
