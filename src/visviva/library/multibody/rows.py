"""Rows of joints and springs over the velocities of two frames in world axes, for traced poses of SO(3) x R³."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np

from visviva.geometry import SE3
from visviva.language import Quantity, Reversible
from visviva.library.joints import MEET, TURN, Angle, Product, Scalar, Sum
from visviva.library.joints.scalars import C, D, E, P
from visviva.library.multibody.parameters import Grid, constraint_box, entries, numbered
from visviva.library.multibody.spatial import domain, hat

BODY = domain("SO3xR3")
POSITION, PUSH = Quantity("R3", "position"), Quantity("R3", "momentum")
HYBRID = Quantity("R6", "momentum")  # of a frame: effort (ω; v of its origin), both in world axes


@final
@dataclass(frozen=True)
class TwistRate:
    """An entry of the twist (ω; v) of the child against the parent, in axes of C or of P: a rate of no coordinate."""

    entry: int
    of_child: bool = True

    @property
    def turns(self) -> bool:
        """Whether it is an angular velocity."""
        return self.entry < 3

    @property
    def axis(self) -> int:
        """Which axis of the frame it is along."""
        return self.entry % 3


SPIN = (TwistRate(0), TwistRate(1), TwistRate(2))
Rate = Scalar | TwistRate  # what has a rate over the velocities of two frames


@final
@dataclass(frozen=True)
class End:
    """One of the two ends of a pair: a joint frame on a body, or a particle.

    columns, reach: which axes of the frame the rows need, and whether its origin.
    """

    number: str  # "1" or "2"
    particle: bool
    columns: tuple[int, ...]
    reach: bool

    @property
    def ports(self) -> dict[str, Any]:
        """The state port q and the power port p of body or particle, with its number."""
        pose, momentum = (POSITION, PUSH) if self.particle else (BODY.pose, BODY.momentum)
        return {f"q_{self.number}": pose.state, f"p_{self.number}": momentum}

    @property
    def velocity(self) -> tuple[str, Quantity]:
        """The port where rows act: that of a particle, or of the frame on a body in world axes."""
        return (f"p_{self.number}", PUSH) if self.particle else (f"p_j{self.number}", HYBRID)

    @property
    def reads(self) -> dict[str, Any]:
        """The state port, where rows need to know where the end is."""
        pose = f"q_{self.number}"
        return {pose: self.ports[pose]} if self.reach or (self.columns and not self.particle) else {}

    def values(self, offset: SE3) -> dict[str, float]:
        """All numbers of the offset that the rows need, zeros too: what is tied by the same rows shares one law."""
        found = dict[str, float]()
        for k in self.columns:
            found |= entries(self._axis(k), offset.R[:, k], ())[1]
        return found | (entries(self._arm, offset.r, ())[1] if self.reach and not self.particle else {})

    def placed(self, given: Mapping[str, Any]) -> tuple[dict[int, Any], Any]:
        """Axes and origin in the world, for the state of the port q and the parameters."""
        axes = {k: _vector(self._axis(k), given) for k in self.columns}
        if not self.reads:
            return axes, np.zeros(3)
        q = getattr(given["x"], f"q_{self.number}")
        if self.particle:
            return axes, q
        origin = q.r + q.R @ _vector(self._arm, given) if self.reach else np.zeros(3)
        return {k: q.R @ axis for k, axis in axes.items()}, origin

    def _axis(self, k: int) -> str:
        return f"{'xyz'[k]}{self.number}_"

    @property
    def _arm(self) -> str:
        return f"r{self.number}_"


def ends_of(rows: Sequence[Scalar | Sum], particles: tuple[bool, bool], rates: Sequence[Rate] = ()) -> tuple[End, End]:
    """Both ends, with what rows and rates need of them."""
    functions = [one for row in (*rows, *rates) for one in (row.scalars if isinstance(row, Sum) else (row,))]
    products = [row for row in functions if isinstance(row, Product)]
    products += [one for row in functions if isinstance(row, Angle) and row != TURN for one in (row.cos, row.sin)]
    first = {row.parent for row in products} | {2 for row in functions if row == TURN}
    twists = [row for row in functions if isinstance(row, TwistRate)]
    first |= {row.axis for row in twists if not row.of_child}
    second = {row.child for row in products} | {row.axis for row in twists if row.of_child}
    reach = any(row.reaches and row not in MEET for row in products) or not all(row.turns for row in twists)
    one = End("1", particles[0], tuple(sorted(first - {-1})), reach)
    return one, End("2", particles[1], tuple(sorted(second - {-1})), reach)


def offset_box(number: str, offset: SE3) -> Reversible:
    """(ω; v) of a frame on a body, in world axes, from the velocities of the body: w = Q ω, v = ν + w x (R r)."""
    r, values = entries("r", offset.r, ())
    return numbered(_offset_box(number, Grid.of(r)), values)


@cache
def _offset_box(number: str, r: Grid) -> Reversible:
    pose, port = f"q_{number}", f"p_{number}"

    def C(given: dict[str, Any]) -> Any:
        R = getattr(given["x"], pose).R
        Q, zero = spin(R), np.zeros((3, 3))
        return np.hstack([np.block([[Q, zero], [-(hat(R @ r.filled(given)) @ Q), np.eye(3)]]), -np.eye(6)])

    return constraint_box({pose: BODY.pose.state, port: BODY.momentum, f"p_j{number}": HYBRID}, C, r.names)


def row_matrix(rows: Sequence[Rate], ends: tuple[End, End], given: Mapping[str, Any]) -> Any:
    """Derivatives of functions of two frames over the velocities (ω; v) of both, see `library.joints.scalars`.

    An axis a turns with ω x a; a particle has v alone, and axes that do not turn.
    """
    (A, r_1), (B, r_2) = (end.placed(given) for end in ends)
    vectors = dict(
        zip((*P, *C, D, *E), (*map(A.get, range(3)), *map(B.get, range(3)), r_2 - r_1, *np.eye(3)), strict=True)
    )
    found = list[Any]()
    for each in rows:
        match each:
            case Product():
                f, turn_1, turn_2 = each.wrench(vectors[each.u], vectors[each.w], cross)
                found.append(_row(ends, turn_1, turn_2, f))
            case TwistRate():
                axis = (B if each.of_child else A)[each.axis]
                if each.turns:
                    found.append(_row(ends, -axis, axis, np.zeros(3)))
                else:  # as the parent sees it: axis·(ḋ - ω_1 x d)
                    found.append(_row(ends, cross(axis, r_2 - r_1), np.zeros(3), axis))
            case Angle() if each == TURN:  # ω along the axis that both share
                found.append(_row(ends, -A[2], A[2], np.zeros(3)))
            case Angle(cos, sin):  # θ̇ = (cos d(sin)/dt - sin d(cos)/dt)/(cos² + sin²)
                c, s = A[cos.parent] @ B[cos.child], A[sin.parent] @ B[sin.child]
                slopes = row_matrix((cos, sin), ends, given)
                found.append((c * slopes[1] - s * slopes[0]) / (c * c + s * s))
    return np.array(found, dtype=object)


def _row(ends: tuple[End, End], turn_1: Any, turn_2: Any, push: Any) -> Any:
    """turn_1·ω_1 + turn_2·ω_2 + push·(v_2 - v_1)."""
    first = -push if ends[0].particle else np.concatenate([turn_1, -push])
    second = push if ends[1].particle else np.concatenate([turn_2, push])
    return np.concatenate([first, second])


def spin(R: Any) -> Any:
    """Q = R⁻ᵀ, which is R for a rotation, and makes increments exact at the mean of two, see `geometry.embedding`."""
    a, b, c = R.T
    columns = [cross(b, c), cross(c, a), cross(a, b)]
    return np.column_stack(columns) / (a @ columns[0])


def cross(a: Any, b: Any) -> Any:
    """a x b of traced vectors."""
    return hat(a) @ b


def _vector(letter: str, given: Mapping[str, Any]) -> Any:
    return np.array([given[f"{letter}{k}"] for k in (1, 2, 3)], dtype=object)
