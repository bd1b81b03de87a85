"""Checks of what a rigid system is made of."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.moments import Moments, smallest_eigenvalue
from visviva.geometry.inertia import Inertia


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


def check_names(names: list[str]) -> None:
    """An error if two constraints have one name, or one has none."""
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a constraint must be a string that is not empty, got {name!r}.")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ModelError(f"two constraints are called {', '.join(map(repr, sorted(twice)))}: names are unique.")
