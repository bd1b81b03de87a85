"""What a drawn mechanism is made of: lines and areas on the page, in points, in the order of painting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.views.mechanism_bodies import hull
from visviva.views.mechanism_solids import CIRCLE, Solid
from visviva.views.mechanism_view import View

INK, QUIET, PAPER, METAL, SHADE = "#1d2433", "#7b8496", "#ffffff", "#e3e6ee", "#c3c9d6"
SPRING, PORT = "#2f7d55", "#c2416b"
CHAIN_DASHES = (7.0, 2.0, 1.5, 2.0)  # of axes


@final
@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points (n, 2), filled where `fill` is a colour. Widths and dashes are in points."""

    points: Array
    edge: str = INK
    width: float = 1.0
    fill: str = "none"
    dash: tuple[float, ...] | None = None


def ring(points: Array) -> Array:
    """Closed: the first point comes again at the end."""
    return np.concatenate([points, points[:1]])


def disc(centre: Array, radius: float, fill: str = PAPER, edge: str = INK, width: float = 1.0) -> Stroke:
    """A circle on the page."""
    return Stroke(centre + radius * CIRCLE, edge, width, fill)


def circle(view: View, at: Array, R: Array, radius: float) -> Array:
    """A circle about z of a frame with axes R, as it is seen around the page point `at`."""
    return at + radius * view.flat(CIRCLE @ R[:, :2].T)


def drum(
    view: View, at: Array, R: Array, radius: float, half: float, fill: str = METAL, width: float = 1.0
) -> list[Stroke]:
    """A short cylinder about z of a frame, as it is seen around the page point `at`; lengths are in points."""
    near = half * view.flat(R[:, 2]) * (1.0 if view.towards @ R[:, 2] >= 0 else -1.0)
    cap = circle(view, at, R, radius)
    side = np.concatenate([cap - near, cap + near])
    return [Stroke(ring(side[hull(side)]), INK, width, SHADE), Stroke(cap + near, INK, width, fill)]


def block(view: View, at: Array, R: Array, half: Array, fill: str = METAL, width: float = 1.0) -> list[Stroke]:
    """A box with axes R, as it is seen around the page point `at`; lengths are in points."""
    faces = Solid("box", half).faces(R.T @ view.towards)
    shades = (fill, SHADE, fill)
    return [Stroke(at + view.flat(face @ R.T), INK, width, shade) for face, shade in zip(faces, shades, strict=False)]


def arrow(tail: Array, tip: Array, colour: str, width: float = 1.2, head: float = 6.0) -> list[Stroke]:
    """A line with a filled head at its end."""
    along = tip - tail
    length = float(np.linalg.norm(along))
    if not length > 0:
        return []
    u = along / length
    side = np.array([-u[1], u[0]])
    size = min(head, length)
    barbs = np.array(
        [tip, tip - size * u + 0.38 * size * side, tip - 0.75 * size * u, tip - size * u - 0.38 * size * side]
    )
    return [Stroke(np.array([tail, tip - 0.7 * size * u]), colour, width), Stroke(ring(barbs), colour, 0.3, colour)]


def outline_of(view: View, solid: Solid, R_WC: Array, r_WC: Array, colour: str) -> list[Stroke]:
    """A solid as it is seen: translucent, with thin edges."""
    if solid.kind == "ball":
        faces = [view.page(r_WC) + view.scale * solid.half[0] * CIRCLE]
    else:
        faces = [view.page(r_WC + face @ R_WC.T) for face in solid.faces(R_WC.T @ view.towards)]
    if solid.kind == "cylinder":
        faces[0] = ring(faces[0][hull(faces[0])])
    return [Stroke(face, colour + "99", 0.6, colour + "33") for face in faces]
