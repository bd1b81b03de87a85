"""Screws in the picture of a mechanism: axes of motion with their pitch, forces on lines, shifts and couples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.projective.lines import foot
from visviva.geometry.screws import Screw, System
from visviva.mechanism import Definition
from visviva.mechanism.freedoms import Freedom
from visviva.mechanism.motions import carrier_of
from visviva.mechanism.network import kinestatics_of
from visviva.views.mechanism_labels import Label
from visviva.views.mechanism_placement import Placement, at_rest
from visviva.views.mechanism_strokes import CHAIN_DASHES, PAPER, Stroke, arrow, disc
from visviva.views.mechanism_view import View

TWIST, WRENCH = "#7a3fb0", "#b5651d"
END_ON = 0.08  # part of a direction that is left on the page, below which a line is seen as a point
REACH = 0.35  # of the picture: how far beyond it a point of an axis is still shown
FREE = 30.0  # length of the arrow of a shift or couple [pt]

Shown = Freedom | System | str | tuple[str, str]


@final
@dataclass(frozen=True, eq=False)
class DrawnScrews:
    """A system of screws about a point of the world, as motions or as wrenches, with what its name says."""

    system: System
    at: Array  # (3,)
    wrench: bool
    name: str


def screws_of(m: Definition, place: Placement, asked: Shown | Sequence[Shown]) -> list[DrawnScrews]:
    """What `draw(m, screws=...)` asks for: freedoms, systems, names of bodies, or pairs of names."""
    single = isinstance(asked, str | Freedom | System) or _is_pair(asked)
    listed: list[Any] = list(asked) if isinstance(asked, list | tuple) and not single else [asked]
    found: list[DrawnScrews] = []
    for one in listed:
        if isinstance(one, System):
            centre = np.mean([q[:3] for q in place.q.values()], axis=0)
            found.append(DrawnScrews(one, centre, False, ""))
        elif isinstance(one, str) or _is_pair(one):
            free = kinestatics_of(m, at_rest(m, place)).freedom(*((one,) if isinstance(one, str) else one))
            found.append(DrawnScrews(free.twists, free.at, False, f"{free.body}/{free.against}"))
        elif isinstance(one, Freedom):  # motions last: their dashed lines show above those of forces
            for name in (one.body, one.against):
                carrier_of(m, name, "freedom")
            found.append(DrawnScrews(one.wrenches, one.at, True, ""))
            found.append(DrawnScrews(one.twists, one.at, False, f"{one.body}/{one.against}"))
        else:
            raise ModelError(
                f"screws={one!r} cannot be drawn in {m.name!r}. Give the name of a body, a pair of names, a freedom\n"
                "from m.kinestatics().freedom(...), a vv.screws.System, or a list of these."
            )
    return found


def screw_strokes(
    drawn: Sequence[DrawnScrews], view: View, points: Array, size: float
) -> tuple[list[Stroke], list[Label]]:
    """Lines of all screws, and labels with pitches; points: world points that the picture shows, (n, 3)."""
    strokes: list[Stroke] = []
    labels: list[Label] = []
    page = view.page(points.reshape(-1, 3))
    low, high = page.min(0), page.max(0)
    room = np.maximum(high - low, 40.0)
    frame = low - 0.12 * room - 12.0, high + 0.12 * room + 12.0
    for part in drawn:
        colour = WRENCH if part.wrench else TWIST
        free, named = 0, len(labels)
        here = SE3(np.eye(3), part.at)  # what the principal screws leave open is chosen near the body
        near = part.system.moved(here.inverse()).principal().screws if part.system.rank < 6 else ()
        for screw in (one.moved(here) for one in near):
            shape = screw.geometric()
            if not shape.line[:3].any():
                strokes += _free(view, part, shape.line[3:], free, size, colour)
                if part.name and len(labels) == named:  # several shifts of one body have its name once
                    labels.append(Label(part.name, strokes[-1].points.mean(axis=0), colour, clear=9.0))
                free += 1
                continue
            line, label = _axis(view, part, screw, frame, size, colour)
            strokes += line
            labels += label
    return strokes, labels


def _axis(
    view: View, part: DrawnScrews, screw: Screw, frame: tuple[Array, Array], size: float, colour: str
) -> tuple[list[Stroke], list[Label]]:
    """A line with the sense of turning round it, or of the force along it, and its pitch where it has one."""
    shape = screw.geometric()
    u, r = shape.line[:3], foot(shape.line)
    nearest = r + ((part.at - r) @ u) * u
    at, along = view.page(nearest), view.flat(u)
    width = max(0.8, 1.3 * size)
    has_pitch = abs(shape.pitch) > 1e-9 * part.system.length
    text = part.name + (f"  h = {shape.pitch:.3g} m/rad" if has_pitch else "")
    room = REACH * (frame[1] - frame[0])
    if (at < frame[0] - room).any() or (at > frame[1] + room).any():  # seen end-on and far away: no room on the page
        clipped = _clipped(at, along, frame) if np.hypot(*along) > END_ON else None
        if clipped is None:
            edge = np.clip(at, frame[0], frame[1])
            away = f"{text}: axis {np.linalg.norm(nearest - part.at):.3g} m from here"
            return arrow(edge - 24 * _unit(at - edge), edge, colour, width), [Label(away, edge, colour, clear=6.0)]
    marks: list[Stroke] = []
    if np.hypot(*along) > END_ON:
        ends = _clipped(at, along, frame)
        if ends is None:
            return [], []
        at = np.clip(at, np.minimum(*ends), np.maximum(*ends))
        if part.wrench:
            marks = [Stroke(ends, colour, width), arrow(at, at + 26 * _unit(along), colour, width)[-1]]
        else:
            marks = [Stroke(ends, colour, width, dash=CHAIN_DASHES)]
    if not part.wrench:
        marks += _turning(view, at, u, float(shape.pitch) if has_pitch else 0.0, size, colour)
    elif np.hypot(*along) <= END_ON:
        marks = [disc(at, 4.0, PAPER, colour, width), disc(at, 1.4, colour, colour, 0.2)]
    return marks, [Label(text, at, colour, clear=13.0)] if text and not part.wrench else []


def _turning(view: View, at: Array, u: Array, pitch: float, size: float, colour: str) -> list[Stroke]:
    """An arc with an arrow about an axis, drawn out along it where it has a pitch: right-handed for a positive one."""
    e = np.eye(3)[np.abs(u).argmin()]
    x = np.cross(u, e) / np.linalg.norm(np.cross(u, e))
    R = np.stack([x, np.cross(u, x)], axis=-1)
    angle = np.linspace(0.0, 1.6 * np.pi if pitch == 0 else 4.0 * np.pi, 90)
    rise = np.outer(np.sign(pitch) * (angle / angle[-1] - 0.5), 22.0 * view.flat(u))
    arc = at + 9.0 * view.flat(np.stack([np.cos(angle), np.sin(angle)], axis=-1) @ R.T) + rise
    dot = [disc(at, 1.8, colour, colour, 0.2)] if np.hypot(*view.flat(u)) <= END_ON else []
    return [*dot, Stroke(arc[:-3], colour, max(0.8, 1.2 * size)), arrow(arc[-10], arc[-1], colour, 1.2, 6.0)[-1]]


def _free(view: View, part: DrawnScrews, u: Array, number: int, size: float, colour: str) -> list[Stroke]:
    """A shift as an arrow from a point, a couple as one with two heads; several beside each other."""
    width, along = max(0.8, 1.6 * size), view.flat(u / np.linalg.norm(u))
    at = view.page(part.at) + 5.0 * number * np.array([0.3, 1.0]) * part.wrench
    if np.hypot(*along) <= END_ON:
        return [disc(at, 5.5, "none", colour, width), disc(at, 1.6, colour, colour, 0.2)]
    tip = at + FREE * along
    strokes = arrow(at, tip, colour, width, 7.0)
    return [*strokes, arrow(at, tip + 5.0 * _unit(along), colour, width, 7.0)[-1]] if part.wrench else strokes


def _clipped(at: Array, along: Array, frame: tuple[Array, Array]) -> Array | None:
    """The part of a line on the page within a frame, (2, 2), None if it passes by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = ((side - at) / along for side in frame)
    low, high = np.fmin(a, b).max(), np.fmax(a, b).min()
    return at + np.outer((low, high), along) if low < high else None


def _unit(x: Array) -> Array:
    return np.asarray(x / max(float(np.hypot(*x)), 1e-300))


def _is_pair(one: object) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and all(isinstance(name, str) for name in one)
