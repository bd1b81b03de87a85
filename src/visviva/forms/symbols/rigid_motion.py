"""How a rigid system moves, as symbols: its coordinates, velocities, frames, and poses between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, final

import numpy as np

from visviva.forms.calculus.function_map import FunctionMap
from visviva.forms.calculus.moving import Moving, dots, stacked
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.joint_rows import Vectors
from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.moving import axis_on, constant, named, point_on
from visviva.forms.symbols.parameters import directions, exacts, tidy
from visviva.forms.symbols.steps import Steps, zeros
from visviva.geometry.se3 import SE3
from visviva.language.slopes import slope
from visviva.library.joints import Vector
from visviva.library.joints.scalars import C, P
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class RigidMotion:
    """p: the parameterisation.   q, xi, t: symbols.   A: kinematics.   q_dot: A ξ, named.   frames: by name."""

    p: Parameterisation
    q: Any  # (ν,)
    xi: Any  # (n,)
    t: Any
    A: Any  # (ν, n)
    q_dot: Any  # (ν,)
    frames: Mapping[str, Frame]
    steps: Steps

    def vectors(self, a: Frame, b: Frame, X_a: SE3 | None = None, X_b: SE3 | None = None) -> Vectors:
        """Vectors of the pair of two frames, in world axes.   X_a, X_b: of the frames of the pair in them."""
        (R_a, r_a), (R_b, r_b) = _fixed(X_a), _fixed(X_b)

        @cache
        def vector(one: Vector) -> Moving:
            if one == Vector.D:
                return point_on(b, r_b, self.steps, Label("d")) - point_on(a, r_a, self.steps, Label("d"))
            if one >= Vector.EX:
                return constant(exacts(np.eye(3)[one - Vector.EX]), len(self.xi))
            if one < Vector.CX:
                return axis_on(a, R_a[:, one - Vector.PX], self.steps, Label("e"))
            return axis_on(b, R_b[:, one - Vector.CX], self.steps, Label("e"))

        none = Moving(zeros(0, 3), zeros(0, 3, len(self.xi)), zeros(0, 3), zeros(0, 3))
        return lambda which: stacked([none, *(vector(one)[None] for one in which)])

    def pose(self, a: Frame, b: Frame, X_a: SE3 | None = None) -> Moving:
        """The twelve numbers of the pose of b in a, row by row of (R, r); X_a: of a frame fixed in a."""
        vectors, pairs = self.vectors(a, b, X_a), list(product(P, (*C, Vector.D)))
        rows = dots(vectors([axis for axis, _ in pairs]), vectors([other for _, other in pairs]))
        return named(rows, self.steps, Label("X"))

    def traced(self, function: Callable[..., Any], what: str) -> Any:
        """The expressions of a function of any of q, xi and t, an object array."""
        return FunctionMap(function, self.p.motion, what, None).expressions([*self.q, *self.xi, self.t])

    def slope(self, entry: Any, i: int) -> Any:
        """∂_i."""
        return sum(slope(entry, s) * a for s, a in zip(self.q, self.A[:, i], strict=True))

    def along(self, values: Any) -> Any:
        """Rates along the motion without ξ̇."""
        found = np.empty(np.shape(values), dtype=object)
        for at in np.ndindex(found.shape):
            entry = values[at]
            found[at] = slope(entry, self.t) + sum(
                slope(entry, s) * d for s, d in zip(self.q, self.q_dot, strict=True) if entry.has(s)
            )
        return found


def _fixed(X: SE3 | None) -> tuple[Any, Any]:
    if X is None:
        return exacts(np.eye(3)), zeros(3)
    return directions(X.R), exacts(tidy(X.r))
