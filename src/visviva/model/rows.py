"""Kinds of algebraic rows. What an integrator may do to a row follows from its kind."""

from __future__ import annotations

from enum import StrEnum


class RowKind(StrEnum):
    """What an algebraic row says; stabilisation and drift correction act on holonomic rows only."""

    EFFORT = "effort"  # a balance of flows at a junction without storage; its unknown is the junction's effort
    HOLONOMIC = "holonomic"  # the rate of some g(x) = 0; its unknown is a multiplier
    NONHOLONOMIC = "nonholonomic"  # linear in the velocities, no g; its unknown is a multiplier
    DRIVEN = "driven"  # like holonomic or nonholonomic, with a right-hand side in u
