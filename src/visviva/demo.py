"""The mechanisms of `visviva demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import visviva as vv

if TYPE_CHECKING:
    from visviva.mechanism.parts import Body


def double_pendulum() -> vv.Mechanism:
    """Two rods on skew hinges, released from the horizontal: a spatial motion."""
    m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
    upper = m.body("upper", inertia=vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x"), at=(0.5, 0, 0))
    lower = m.body("lower", inertia=vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0.4, 1, 0.3))
    m.frame("tip", lower, at=(2, 0, 0))
    return m


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
    import numpy as np

    a, b = np.array(start), np.array(end)
    length = float(np.linalg.norm(b - a))
    return m.body(name, inertia=vv.inertia.cylinder(2.0 * length, 0.02, length, axis=b - a), at=(a + b) / 2)
