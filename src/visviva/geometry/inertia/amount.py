"""How much of a solid there is: its sizes, and its mass from either mass or density."""

from __future__ import annotations

from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError


def length_of(value: float | None, size: str, solid: str, *, zero: bool = False) -> float:
    """One size [m] of a solid, positive or, where `zero` allows it, not negative."""
    if value is None:
        raise _missing(size, solid)
    what = f"{size} of the {solid}"
    return finite_number(value, what, minimum=0.0) if zero else finite_number(value, what, positive=True)


def lengths_of(value: ArrayLike | None, size: str, solid: str, n: int) -> Array:
    """n positive sizes [m] of a solid."""
    if value is None:
        raise _missing(size, solid)
    lengths = finite_vector(value, f"{size} of the {solid}", n)
    if not (lengths > 0).all():
        raise ModelError(f"{size} of the {solid} must be {n} positive lengths, got {value!r}.")
    return lengths


def wall_of(inner: float | None, outer: float, solid: str) -> float:
    """Inner radius [m] of a hollow solid: 0 is solid, equal to the outer one an infinitely thin wall."""
    s = length_of(inner, "inner radius", solid, zero=True)
    if s > outer:
        raise ModelError(f"inner radius of the {solid} must not exceed the outer one, got {s:g} > {outer:g}.")
    return s


def mass_of(mass: float | None, density: float | None, measure: float, solid: str, unit: str = "kg/m³") -> float:
    """Mass [kg], given or density times measure (volume; area or length for thin bodies)."""
    if mass is not None and density is None:
        return finite_number(mass, f"mass of the {solid}", positive=True)
    if mass is None and density is not None:
        if measure == 0:
            raise ModelError(f"{solid} has a wall of no thickness: give its mass, not a density.")
        return finite_number(density, f"density of the {solid}", positive=True) * measure
    found = "neither mass nor density" if mass is None else f"both mass={mass!r} and density={density!r}"
    raise ModelError(f"{solid} got {found}: it takes its mass [kg] or its density [{unit}], exactly one.")


def _missing(size: str, solid: str) -> ModelError:
    return ModelError(
        f"{solid} needs its {size} [m]. The first argument is the mass [kg]; with density= in its place\n"
        "name the sizes, as in sphere(radius=0.1, density=7850)."
    )
