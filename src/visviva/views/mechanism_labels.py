"""Names beside what they name: each where it covers least."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.views.mechanism_strokes import Stroke

SIZE = 8.0  # of the type [pt]
ADVANCE, BOLD = 0.58, 0.68  # of a letter, as a part of the size
SPACING = 3.0  # of the points that stand for lines [pt]
COMPASS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)], dtype=np.float64)
REACHES = (1.0, 1.8, 3.0, 5.0)  # times the clear distance, one after the other
OVERLAP = 30.0  # what covering another name costs, in points of lines covered


@final
@dataclass(frozen=True, eq=False)
class Label:
    """A text whose middle is at a page point.

    clear: how far the text stays from the point that it names, as it is placed [pt].
    """

    text: str
    at: Array
    colour: str
    clear: float = 0.0
    bold: bool = False

    @property
    def half(self) -> Array:
        """Half its width and height [pt]."""
        return np.array([0.5 * (BOLD if self.bold else ADVANCE) * SIZE * len(self.text) + 1.0, 0.6 * SIZE])


def placed(labels: list[Label], strokes: list[Stroke]) -> list[Label]:
    """The labels, each moved from the point that it names to the free side of it."""
    near = _near(labels, strokes)
    lines = np.concatenate([np.zeros((0, 2)), *(_samples(stroke.points) for stroke in near)])
    done: list[Label] = []
    for label in labels:
        best = min(_candidates(label), key=lambda place: _cost(place, lines, done))
        done.append(best)
    return done


def _near(labels: list[Label], strokes: list[Stroke]) -> list[Stroke]:
    """Strokes that some label might cover."""
    if not labels or not strokes:
        return []
    starts = np.cumsum([0, *(len(stroke.points) for stroke in strokes)])[:-1]
    points = np.concatenate([stroke.points for stroke in strokes])
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    covered = np.zeros(len(strokes), dtype=bool)
    for label in labels:
        room = 2 * label.half + REACHES[-1] * label.clear + 1.0
        covered |= ((high > label.at - room) & (low < label.at + room)).all(-1)
    return [stroke for stroke, near in zip(strokes, covered.tolist(), strict=True) if near]


def _candidates(label: Label) -> list[Label]:
    half = label.half
    return [
        replace(label, at=label.at + side * half + (reach * label.clear) * side / np.hypot(*side))
        for reach in REACHES
        for side in COMPASS
    ]


def _cost(label: Label, lines: Array, done: list[Label]) -> float:
    """Points of lines that it covers, and names that it overlaps."""
    covered = (np.abs(lines - label.at) <= label.half + 1.0).all(-1).sum()
    overlaps = sum(bool((np.abs(other.at - label.at) < other.half + label.half).all()) for other in done)
    return float(covered + OVERLAP * overlaps)


def _samples(points: Array) -> Array:
    """Points along a line, no farther apart than the spacing."""
    steps = np.diff(points, axis=0)
    counts = np.ceil(np.linalg.norm(steps, axis=-1) / SPACING).astype(int).clip(1, 400)
    parts = [
        a + np.outer(np.arange(n) / n, step) for a, step, n in zip(points[:-1], steps, counts.tolist(), strict=True)
    ]
    return np.concatenate([points[-1:], *parts])
