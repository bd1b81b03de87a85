"""A closed loop with redundant constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import visviva as vv

if TYPE_CHECKING:
    from visviva.mechanism.parts import Body


def four_bar() -> vv.Mechanism:
    """A planar crank-rocker built in space from four hinges: three of its twenty constraint rows are redundant."""
    m = vv.Mechanism("four bar", gravity=(0, 0, -9.81))
    A, B, C, D = (0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)
    crank, coupler, rocker = _bar(m, "crank", A, B), _bar(m, "coupler", B, C), _bar(m, "rocker", D, C)
    axis = (0, 1, 0)
    m.revolute("A", m.ground, crank, at=A, axis=axis, rate=6.0)
    m.revolute("B", crank, coupler, at=B, axis=axis)
    m.revolute("C", coupler, rocker, at=C, axis=axis)
    m.revolute("D", m.ground, rocker, at=D, axis=axis, friction=0.02)
    return m


def _bar(m: vv.Mechanism, name: str, start: tuple[float, ...], end: tuple[float, ...]) -> Body:
    a, b = np.array(start), np.array(end)
    length = float(np.linalg.norm(b - a))
    return m.body(name, inertia=vv.inertia.cylinder(2.0 * length, 0.02, length, axis=b - a), at=(a + b) / 2)
