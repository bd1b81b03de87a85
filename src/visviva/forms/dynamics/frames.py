"""Frames, bodies and particles of a mechanism by name: on which link of its tree they are, and where there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.trees.tables import TreeTables
from visviva.geometry import SE3
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.frames import BODY, SPATIAL, WORLD
from visviva.kernels.trees.tables import PARENT
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Carrier, Frame, Particle

ROWS = {"world": WORLD, "body": BODY, "spatial": SPATIAL}


@final
@dataclass(frozen=True, eq=False)
class PlacedFrame:
    """A frame fixed to the last link of a path from the ground.

    X:     its axes in that link, row by row, and its origin there.
    point: whether it is a particle, which has a place and no axes: those of the world stand for them.
    """

    path: Int
    X: Array  # (12,)
    point: bool = False


@final
class PlacedFrames:
    """All that has a pose: ground, bodies, particles and named frames, by name."""

    def __init__(self, form: MinimalForm, parts: TreeTables) -> None:
        self._form, self._parts = form, parts
        m = form.definition
        self._known: dict[str, PlacedFrame] = {m.ground.name: self._placed(m.ground, SE3.identity())}
        for body in m.bodies:
            at = SE3(body.R_WB, body.r_WB) if isinstance(body, Body) else SE3(np.eye(3), body.r_W)
            self._known[body.name] = self._placed(body, at)
        for frame in m.frames:
            self._known[frame.name] = self._placed(frame.carrier, SE3(frame.R_WF, frame.r_WF))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all of them."""
        return tuple(self._known)

    def __getitem__(self, name: str | Frame | Body | Particle) -> PlacedFrame:
        """By name, or by the handle that the mechanism has given."""
        try:
            return self._known[name]  # type: ignore[index]
        except (KeyError, TypeError):
            pass
        if isinstance(name, Frame | Body | Particle) and self._form.definition.parts.get(name.name) is name:
            return self._known[name.name]
        where = f"mechanism {self._form.name!r}"
        if not isinstance(name, str):
            raise ModelError(f"frames, bodies and particles of {where} are asked for by name, got {name!r}.")
        raise unknown_name(name, self._known, f"{where} with its frames, bodies and particles")

    def centre(self, carrier: Body | Particle) -> PlacedFrame:
        """The centre of mass of a body, in axes of the body."""
        if isinstance(carrier, Particle):
            return self._known[carrier.name]
        return self._placed(carrier, SE3(carrier.R_WB, carrier.r_WC))

    def principal(self, name: str) -> PlacedFrame:
        """The centre of mass of a body, in its principal axes: its pose in the Model."""
        carrier = next(body for body in self._form.definition.bodies if body.name == name)
        if isinstance(carrier, Particle):
            return self._known[name]
        return self._placed(carrier, SE3(carrier.R_WB @ carrier.R_BC, carrier.r_WC))

    def _placed(self, carrier: Carrier, X_WF: SE3) -> PlacedFrame:
        """X_WF: as built."""
        if not isinstance(carrier, Body | Particle):
            return PlacedFrame(np.zeros(0, dtype=np.int64), _numbers(X_WF))
        k, parts = self._form.spanning.link[carrier.name], self._parts
        X_LB = SE3.from_matrix(self._form.tree.links[k].X_LB)
        X_WB = SE3(carrier.R_WB, carrier.r_WB) if isinstance(carrier, Body) else SE3(np.eye(3), carrier.r_W)
        X_KF = SE3.from_matrix(parts.X_KL[k]) @ X_LB @ X_WB.inverse() @ X_WF
        path, i, K = list[int](), int(parts.carrier[k]), parts.tables.K
        while i < len(K):
            path.append(i)
            i = int(K[i, PARENT])
        return PlacedFrame(np.array(path[::-1], dtype=np.int64), _numbers(X_KF), isinstance(carrier, Particle))


def rows_of(frame: str) -> int:
    """The number of a choice of rows, or an error that says which there are."""
    try:
        return ROWS[frame]
    except (KeyError, TypeError):
        raise ModelError(
            f"frame={frame!r}: rows of a Jacobian are given in 'world' axes at the frame's origin, in axes of the "
            "frame itself there ('body'),\nor in world axes at the world's origin ('spatial')."
        ) from None


def _numbers(X: SE3) -> Array:
    return np.concatenate([X.R.reshape(9), X.r])
