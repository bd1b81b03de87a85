"""Checks of what a rigid system is made of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.moments import Moments, smallest_eigenvalue
from visviva.geometry.inertia import Inertia

FAR = 0.5  # of φ, which is mostly quadratic in q, in units of |q|²


def body_moments_of(frame: str, body: Inertia | Moments | ArrayLike) -> Moments:
    """Moments of what was given for a body, which must not have negative kinetic energy."""
    if isinstance(body, Inertia):
        return Moments.from_inertia(body)
    moments = body if isinstance(body, Moments) else Moments(finite_array(body, f"moments of body '{frame}'"))
    lowest = smallest_eigenvalue(moments.spatial())
    if lowest < 0:
        raise ModelError(
            f"body '{frame}' has motions of negative kinetic energy: its inertia has the eigenvalue {lowest:.3g}.\n"
            "The inertia tensor in its moments is about the origin of the frame, and contains that of the centre of\n"
            "mass, Θ ⪰ m (|s|² I - s sᵀ)."
        )
    return moments


def check_frames(p: Parameterisation, what: str, frames: Iterable[str]) -> None:
    """An error unless edges lead to all frames."""
    for frame in frames:
        if frame not in p.frames:
            raise ModelError(
                f"a {what} is on '{frame}', which no edge leads to; there are {', '.join(p.frames)}.\n"
                "Give the edges of the parameterisation a pose of this frame in another one."
            )


def check_configuration(p: Parameterisation, q: Array) -> None:
    """An error if coordinates are far from every configuration; what drifts, or is a stage of a step, is near one."""
    phi = np.abs(p.phi(q))
    if phi.max(initial=0.0) > FAR * max(1.0, float(np.abs(q).max(initial=0.0)) ** 2):
        row = int(np.argmax(phi))
        raise ModelError(
            f"these coordinates are no configuration: phi[{row}] is {phi[row]:.3g}, a configuration has 0.\n"
            f"What holds between {', '.join(p.coordinates)} does not hold here, such as the length 1 of a quaternion."
        )


def check_names(names: list[str]) -> None:
    """An error if two constraints have one name, or one has none."""
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a constraint must be a string that is not empty, got {name!r}.")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ModelError(f"two constraints are called {', '.join(map(repr, sorted(twice)))}: names are unique.")
