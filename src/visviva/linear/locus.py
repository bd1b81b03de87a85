"""root_locus(): how the poles of a family of systems move with a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.linear.linearise import linearise
from visviva.linear.system import LinearSystem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Complex = NDArray[np.complex128]


@final
@dataclass(frozen=True, eq=False)
class RootLocus:
    """roots (values, branches) [1/s] over the values of a parameter, each branch followed from value to value.

    systems: the linear system at each value.   at: the one at any value.
    """

    name: str
    parameter: str
    values: Array
    roots: Complex
    systems: tuple[LinearSystem, ...]
    at: Callable[[float], LinearSystem]

    @property
    def frequencies(self) -> Array:
        """|Im λ| [rad/s] of the branches that start above the real axis or on it, (values, branches)."""
        upper = [k for k in range(self.roots.shape[1]) if self.roots[:, k].imag.sum() >= 0]
        found = np.abs(self.roots[:, upper].imag)
        return np.asarray(found[:, found.max(axis=0, initial=0.0) > 1e-9 * found.max(initial=0.0)])

    @property
    def growth(self) -> Array:
        """Largest real part [1/s] at each value: where it becomes positive, stability is lost."""
        return np.asarray(self.roots.real.max(axis=1, initial=-np.inf))

    def limits(self, tolerance: float = 1e-4) -> Array:
        """Values at which motions begin or cease to grow, by bisection to a part of the distance of those given."""
        if not 0 < finite_number(tolerance, "tolerance of limits") < 1:
            raise ModelError(f"tolerance of limits is a part of the distance of values, in (0, 1), got {tolerance:g}.")
        found = []
        grow = np.array([system.grows for system in self.systems])
        for k in np.flatnonzero(np.diff(grow)):
            a, b = self.values[k : k + 2]
            for _ in range(int(np.ceil(np.log2(1.0 / tolerance)))):
                middle = (a + b) / 2
                if self.at(middle).grows == grow[k]:
                    a = middle
                else:
                    b = middle
            found.append((a + b) / 2)
        return np.array(found)

    def __repr__(self) -> str:
        first, last, n = self.values[0], self.values[-1], len(self.values)
        branches = self.roots.shape[1]
        return f"<RootLocus of {self.name!r}: {branches} branches, {n} values of {self.parameter} {first:g} … {last:g}>"

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """The branches in the complex plane."""
        from visviva.linear.plots import plot_locus

        return plot_locus(self, path)

    def campbell(self, orders: ArrayLike = (1.0,), path: str | PathLike[str] | None = None) -> Figure:
        """Frequencies over a parameter that is a speed of rotation, with lines of excitation at multiples of it."""
        from visviva.linear.plots import plot_campbell

        return plot_campbell(self, orders, path)


def root_locus(
    make: Callable[[float], Any], values: ArrayLike, *, parameter: str = "parameter", **options: Any
) -> RootLocus:
    """The poles of make(value) for many values of a parameter, with branches that are followed by nearness.

    make:    gives a LinearSystem, or what `vv.linearise` takes, with the options.
    values:  rising or falling; where branches come close, closer values keep them apart.
    """
    if not callable(make):
        raise ModelError(
            "root_locus() takes a function that makes a system for each value: root_locus(make, values), got "
            f"{type(make).__name__}."
        )
    numbers = np.atleast_1d(finite_array(values, "values of the parameter"))
    if numbers.ndim != 1 or not len(numbers) or (len(numbers) > 1 and not _monotonic(numbers)):
        raise ModelError("values of a root locus must be one vector that rises or falls.")

    def at(value: float) -> LinearSystem:
        made = make(value)
        if not isinstance(made, LinearSystem):
            return linearise(made, **options)
        if options:
            raise ModelError(
                f"{', '.join(map(repr, options))} are for vv.linearise, but the function of this root locus has "
                "linearised already:\ngive them there, or return what is to be linearised."
            )
        return made

    systems = [at(value) for value in numbers.tolist()]
    for value, system in zip(numbers, systems, strict=True):
        if system.n != systems[0].n:
            raise ModelError(
                f"the number of states changes with the parameter, from {systems[0].n} to {system.n} at {value:g}:\n"
                "branches can be followed only among systems of one kind."
            )
    return RootLocus(systems[0].name, parameter, numbers, _followed([s.poles() for s in systems]), tuple(systems), at)


def _monotonic(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _followed(poles: list[Complex]) -> Complex:
    """Poles in the order of those before them: the assignment of least total distance from where branches head to."""
    from scipy.optimize import linear_sum_assignment

    rows = [np.sort_complex(poles[0])]
    for now in poles[1:]:
        expected = rows[-1] if len(rows) < 2 else 2 * rows[-1] - rows[-2]
        distance = np.abs(expected[:, None] - now[None])
        rows.append(now[linear_sum_assignment(distance)[1]])
    return np.array(rows)
