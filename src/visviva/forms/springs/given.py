"""An energy of a pose as a plain function, differentiated by jets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.springs.abstract import AbstractPoseEnergy, gradient_of, hessian_of
from visviva.geometry.se3 import SE3

_ENTRIES = Arguments((("x", tuple(f"X{i}{j}" for i in range(3) for j in range(4))),))


@final
class GivenEnergy(AbstractPoseEnergy):
    """V(R, r) of the rotation (3, 3) and the position (3,) of frame b in frame a, with exact derivatives.

    V: a Python function of R and r in arithmetic and NumPy's functions, smooth where it is evaluated.
    """

    def __init__(self, V: Callable[[Any, Any], Any], name: str = "energy") -> None:
        if not callable(V):
            raise ModelError(f"{name} must be a function of R and r, e.g. lambda R, r: 5 * (r @ r); got {V!r}.")

        def of_entries(x: Any) -> Any:
            X = np.array(list(x)).reshape(3, 4)  # floats or jets
            return V(X[:, :3], X[:, 3])

        self.V = map_of(of_entries, _ENTRIES, name, ())

    def energy(self, X: SE3) -> float:  # noqa: D102
        return float(self.V.value(_entries(X)))

    def wrench(self, X: SE3) -> Array:  # noqa: D102
        return gradient_of(X, self.V.slope(_entries(X)).reshape(3, 4))

    def hessian(self, X: SE3) -> Array:  # noqa: D102
        x = _entries(X)
        return hessian_of(X, self.V.slope(x).reshape(3, 4), self.V.bend(x))


def _entries(X: SE3) -> Array:
    return X.matrix[:3].ravel()
