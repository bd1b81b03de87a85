"""Bodies as solids: the ball, cylinder or box of uniform density that has their mass and inertia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.parts import Body

ALIKE = 0.02  # principal moments that differ by less than this part of the largest are drawn as equal
ROOM = 0.1  # what a joint may lie outside of the solid that it belongs to, as a part of its size
SLENDER = 4.0  # length over thickness of a bar
CORNERS = np.linspace(0, 2 * np.pi, 49)
CIRCLE = np.stack([np.cos(CORNERS), np.sin(CORNERS)], axis=-1)


@final
@dataclass(frozen=True, eq=False)
class Solid:
    """A solid about its centre, in principal axes.

    kind:   "ball", "cylinder" or "box".
    half:   half its extents along the principal axes [m].
    axis:   which of them is the axis of a cylinder.
    """

    kind: str
    half: Array  # (3,)
    axis: int = 2

    @property
    def slender(self) -> bool:
        """Whether it is a bar."""
        _, middle, high = np.sort(self.half)
        return bool(high > SLENDER * middle)

    @property
    def stout(self) -> bool:
        """Whether it would hide the joints at its ends: a ball, or a cylinder that is longer than thick, but no bar."""
        along = self.half[self.axis] > self.half[self.axis - 1]
        return self.kind == "ball" or bool(self.kind == "cylinder" and along and not self.slender)

    def holds(self, point: Array) -> bool:
        """Whether a point, in principal axes, lies in it or so near that it seems to."""
        size = self.half + ROOM * self.half.max()
        if self.kind == "ball":
            return bool(np.linalg.norm(point) <= size[0])
        if self.kind == "box":
            return bool((np.abs(point) <= size).all())
        across = np.delete(point, self.axis)
        return bool(abs(point[self.axis]) <= size[self.axis] and np.linalg.norm(across) <= size[self.axis - 1])

    def faces(self, towards: Array) -> list[Array]:
        """Polygons (n, 3) in principal axes of a cylinder or box that a viewer in the direction `towards` sees.

        The side of a cylinder is the hull of its two ends in the picture, and comes first.
        """
        if self.kind == "box":
            return self._sides(towards)
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        ring = np.zeros((len(CIRCLE), 3))
        ring[:, [i, j]] = CIRCLE * self.half[i]
        far, near = ring.copy(), ring.copy()
        front = 1.0 if towards[self.axis] >= 0 else -1.0
        near[:, self.axis], far[:, self.axis] = front * self.half[self.axis], -front * self.half[self.axis]
        return [np.concatenate([far, near]), near]

    def _sides(self, towards: Array) -> list[Array]:
        seen = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            face = np.zeros((5, 3))
            face[:, i] = self.half[i] * np.array([1, 1, -1, -1, 1])
            face[:, j] = self.half[j] * np.array([1, -1, -1, 1, 1])
            face[:, k] = self.half[k] if towards[k] >= 0 else -self.half[k]
            if abs(towards[k]) > 1e-9:
                seen.append(face)
        return seen


def solid_of(body: Body) -> Solid | None:
    """The solid of a body; None for a body without mass.

    ball      r² = 5 J/2m                              three equal moments
    cylinder  r² = 2 J_a/m,  l² = 12 J_t/m - 3 r²      two equal moments J_t
    box       a² = 6 (J_b + J_c - J_a)/m               else
    """
    if not body.mass > 0:
        return None
    J, m = body.J_C, body.mass
    alike = ALIKE * J.max()
    if np.ptp(J) <= alike:
        return Solid("ball", np.full(3, np.sqrt(2.5 * J.mean() / m)))
    for axis in range(3):
        J_a, J_t = J[axis], np.delete(J, axis)
        if np.ptp(J_t) <= alike:
            r = np.sqrt(2 * J_a / m)
            half = np.full(3, r)
            half[axis] = 0.5 * np.sqrt(max(12 * J_t.mean() / m - 3 * r**2, 0.0))
            return Solid("cylinder", half, axis)
    return Solid("box", 0.5 * np.sqrt(np.maximum(6 * (J.sum() - 2 * J) / m, 0.0)))
