"""Joints that close loops: a second way between two frames, as rows on their relative pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.calculus.edges import AbstractEdge
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.body_motion import Frame, after, between, edge_motion, fixed_frame, pose_of
from visviva.forms.rigid.constraints import AbstractConstraint, Instant, Law, Rows
from visviva.geometry.hat import vee
from visviva.geometry.linear import homogeneous
from visviva.geometry.se3 import SE3

HALF_TURN = 1e-6  # 1 + cos of an angle that is half a turn to rounding

# what a joint locks: turns about all axes, all but its own (z) or none, and shifts along x, y, z
LOCKED: dict[str, tuple[Literal["all", "tilt", "none"], tuple[int, ...]]] = {
    "fixed": ("all", (0, 1, 2)),
    "revolute": ("tilt", (0, 1, 2)),
    "prismatic": ("all", (0, 1)),
    "cylindrical": ("tilt", (0, 1)),
    "planar": ("tilt", (2,)),
    "spherical": ("none", (0, 1, 2)),
}


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Loop(AbstractConstraint):
    """A joint between frames a and b that edges reach without it.

    With (R, r) the pose of the joint's frame on b in that on a, ψ has the locked components of r and, with the angle θ
    of a locked turn about n,

        2 tan(θ/2) n = 4 vee(R)/(1 + tr R),   or for an axis that may only turn about itself 2 (R₁₃, R₂₃)/(1 + R₃₃),

    with exact derivatives. These have one zero: half a turn, which sines take for none, is infinitely far.

    a, b:  names of frames.   X_aJ, X_bJ: poses of the joint in them, z along its axis; the identity by default.
    kind:  "fixed", "revolute", "prismatic", "cylindrical", "planar" (normal z) or "spherical".

    Multipliers are forces and moments in the axes of the joint on a.

    Source:  Konz, dissertation, section 3.4.1, loops of the graph, and (3.125a).
    """

    name: str
    a: str
    b: str
    kind: str
    X_aJ: SE3 = field(default_factory=SE3.identity)
    X_bJ: SE3 = field(default_factory=SE3.identity)
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.kind not in LOCKED:
            raise ModelError(f"loop '{self.name}': a joint is one of {', '.join(LOCKED)}, got {self.kind!r}.")
        if self.a == self.b:
            raise ModelError(f"loop '{self.name}' joins '{self.a}' with itself: give two different frames.")
        for end in ("X_aJ", "X_bJ"):
            object.__setattr__(self, end, pose_of(getattr(self, end), f"{end} of loop '{self.name}'"))

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        for frame in (self.a, self.b):
            if frame not in p.frames:
                raise ModelError(
                    f"loop '{self.name}' joins '{frame}', which is no frame; there are {', '.join(p.frames)}."
                )
        X_a, X_b = (fixed_frame(X, p.n) for X in (self.X_aJ, self.X_bJ))
        return _closing(
            lambda at: between(after(at.frames[self.a], X_a), after(at.frames[self.b], X_b)), self.kind, self.name
        )


@final
@dataclass(frozen=True, eq=False)
class Closure(AbstractConstraint):
    """An edge X_ab(q) between frames that other edges reach already: both ways lead to the same pose, six rows."""

    name: str
    edge: AbstractEdge
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def law(self, p: Parameterisation) -> Law:
        """See above."""

        def gap(at: Instant) -> Frame:
            way = after(at.frames[self.edge.a], edge_motion(self.edge, at.q, at.xi))
            return between(way, at.frames[self.edge.b])

        return _closing(gap, "fixed", self.name)


def _closing(relative: Callable[[Instant], Frame], kind: str, name: str) -> Law:
    turns, shifts = LOCKED[kind]

    def rows(at: Instant) -> Rows:
        gap = relative(at)
        X, V_hat = homogeneous(gap.X.R, gap.X.r, 1.0), SE3.hat(gap.V)
        columns = X @ SE3.hat(gap.J.T)  # ∂_i X, (n, 4, 4)
        rate, second = X @ V_hat, X @ (SE3.hat(gap.B) + V_hat @ V_hat)  # Ẋ, and Ẍ without ξ̇
        if turns == "none":
            w, w_i, w_dot, w_ddot = np.zeros(0), np.zeros((len(at.xi), 0)), np.zeros(0), np.zeros(0)
        else:
            top, bottom = _TURNS[turns]
            below = 1.0 + bottom(X)
            if below < HALF_TURN:
                raise AssemblyError(
                    f"loop '{name}' is half a turn from closed: a joint that this state would turn over.\n"
                    "Start from angles at which the axes of the joint on both frames point the same way."
                )
            w = top(X) / below
            w_i = (top(columns) - np.multiply.outer(bottom(columns), w)) / below
            w_dot = (top(rate) - w * bottom(rate)) / below
            w_ddot = (top(second) - 2 * w_dot * bottom(rate) - w * bottom(second)) / below
        at_r = list(shifts)
        return Rows(
            np.concatenate([2 * w_i.T, columns[:, at_r, 3].T]),
            -np.concatenate([2 * w_ddot, second[at_r, 3]]),
            np.repeat(gap.terms, (len(w), len(shifts)), axis=0),
            np.concatenate([2 * w, X[at_r, 3]]),
            np.concatenate([2 * w_dot, rate[at_r, 3]]),
        )

    return rows


def _trace(X: Array) -> Array:
    return np.asarray(X[..., 0, 0] + X[..., 1, 1] + X[..., 2, 2])


# numerator and denominator less 1 of tan(θ/2) n, both linear in X
_TURNS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "all": (lambda X: 2 * vee(X[..., :3, :3]), _trace),
    "tilt": (lambda X: X[..., :2, 2], lambda X: X[..., 2, 2]),
}
