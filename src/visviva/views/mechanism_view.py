"""How a mechanism is looked at: an orthographic projection onto the page, whose unit is the point, 1/72 inch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.mechanism import Definition
from visviva.views.mechanism_placement import Placement

AZIMUTHS, ELEVATION = (-60.0, -30.0, -120.0, -150.0, 30.0, 60.0), 20.0  # [degrees], the usual one first
BETTER = 1.25  # spread that another view must win to be taken
WIDTH, HEIGHT = 420.0, 270.0  # largest size of the mechanism on the page [pt]
PARALLEL = 1e-6
TURNING, SLIDING, STIFF = {"hinge", "table"}, {"slide"}, {"weld", "rod"}  # glyphs of joints; others are spatial


@final
@dataclass(frozen=True, eq=False)
class View:
    """Rows of `axes` are the directions right, up and towards the viewer in the world; `scale` is in pt/m."""

    axes: Array  # (3, 3)
    scale: float = 1.0

    @property
    def towards(self) -> Array:
        """Unit vector to the viewer."""
        return self.axes[2]

    def page(self, r_W: Array) -> Array:
        """World points on the page, (..., 2) [pt]."""
        return self.scale * (r_W @ self.axes[:2].T)

    def flat(self, direction: Array) -> Array:
        """Directions on the page, not scaled, (..., 2)."""
        return direction @ self.axes[:2].T

    def depth(self, r_W: Array) -> Array:
        """How near to the viewer, (...)."""
        return r_W @ self.towards

    def fitted(self, r_W: Array) -> View:
        """The same with the scale at which all these world points fit on the page."""
        span = np.ptp(self.flat(r_W.reshape(-1, 3)), axis=0)
        if not span.max() > 0:
            return View(self.axes, 0.3 * HEIGHT)
        return View(
            self.axes, float(min(size / max(part, 1e-12) for size, part in zip((WIDTH, HEIGHT), span, strict=True)))
        )


def look(m: Definition, place: Placement, points: Array, view: tuple[float, float] | None = None) -> View:
    """Axes of the picture: by azimuth and elevation [degrees] of the viewer, or chosen for the mechanism.

    Up is against gravity, z without it. Azimuth is counted from x about it (from y, where up is along x). A mechanism
    that moves in one plane is seen along the normal of that plane.
    """
    up = np.array([0.0, 0.0, 1.0])
    if np.linalg.norm(m.gravity) > 0:
        up = -m.gravity / np.linalg.norm(m.gravity)
    normal = _normal(m, place, points) if view is None else None
    if normal is not None:
        if abs(normal @ up) > 1 - PARALLEL:
            up = np.eye(3)[1] if abs(normal[1]) < 0.9 else np.eye(3)[2]
        up = up - (up @ normal) * normal
        return _axes(up, normal)
    if view is not None:
        return _seen_from(up, *_checked(view))
    usual, *others = (_seen_from(up, azimuth, ELEVATION) for azimuth in AZIMUTHS)
    best = max(others, key=lambda other: _breadth(other, points))
    return best if _breadth(best, points) > BETTER * _breadth(usual, points) else usual


def _seen_from(up: Array, azimuth: float, elevation: float) -> View:
    """The axes of a viewer at these angles [degrees]."""
    a, b = np.deg2rad((azimuth, elevation))
    first = next(e for e in np.eye(3) if abs(e @ up) < 0.9)
    first = first - (first @ up) * up
    first /= np.linalg.norm(first)
    level = np.cos(a) * first + np.sin(a) * np.cross(up, first)
    towards, side = np.cos(b) * level + np.sin(b) * up, np.cross(up, level)
    return View(np.stack([side, np.cross(towards, side), towards]))


def _breadth(view: View, points: Array) -> float:
    """How far points on the page are from lying on one line: the smaller of their two spreads."""
    flat = view.flat(points.reshape(-1, 3))
    spread = flat - flat.mean(0)
    return float(np.sqrt(max(np.linalg.eigvalsh(spread.T @ spread)[0], 0.0)))


def _axes(up: Array, normal: Array) -> View:
    """Seen along the normal, from the side where the world's axes point to the right."""
    up = up / np.linalg.norm(up)
    right = np.cross(up, normal)
    if right[np.abs(right).argmax()] < 0:
        right = -right
    return View(np.stack([right, up, np.cross(right, up)]))


def _normal(m: Definition, place: Placement, points: Array) -> Array | None:
    """The common normal of a mechanism that lies and moves in one plane, None for a spatial one."""
    glyphs = [joint.joint.glyph for joint in m.joints]
    axes = [np.reshape(place.frame(joint, joint.parent)[0][..., 2], (-1, 3)) for joint in m.joints]
    turning, sliding = (
        np.concatenate([np.zeros((0, 3)), *(axis for axis, glyph in zip(axes, glyphs, strict=True) if glyph in wanted)])
        for wanted in (TURNING, SLIDING)
    )
    spread = points.reshape(-1, 3) - points.reshape(-1, 3).mean(0)
    moments, directions = np.linalg.eigh(spread.T @ spread)
    sizes = np.sqrt(np.maximum(moments, 0.0))
    if sizes[1] > PARALLEL * sizes[2]:
        normal = directions[:, 0] if sizes[0] <= PARALLEL * sizes[2] else None
    else:
        normal = turning[0] if len(turning) and {*glyphs} <= TURNING | SLIDING | STIFF else None
    if normal is None or np.abs(spread @ normal).max() > PARALLEL * sizes[2]:
        return None
    same = (np.abs(turning @ normal) > 1 - PARALLEL).all() and (np.abs(sliding @ normal) < PARALLEL).all()
    return normal if same else None


def _checked(view: tuple[float, float]) -> tuple[float, float]:
    try:
        azimuth, elevation = (float(angle) for angle in view)
    except (TypeError, ValueError):
        azimuth, elevation = np.nan, np.nan
    if not (np.isfinite(azimuth) and abs(elevation) <= 90):
        raise ModelError(
            f"view is (azimuth, elevation) of the viewer in degrees, e.g. view=(-60, 20), got {view!r}.\n"
            "The elevation is between -90 (from below) and 90 (from above)."
        )
    return azimuth, elevation
