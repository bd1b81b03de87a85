"""Critical points of an error potential: configurations at which its springs are in balance, and what they are.

V̄ has its global minimum at the reference; on a compact configuration space there are others, which no smooth feedback
avoids. Of a body with a centre of stiffness they are half turns about the principal axes of Π about that centre, with
V̄ = 2 Π_i (Konz 4.7.3); in general Newton's method finds them from many starts, the Hessian says which kind they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.control.pair_template import PairTemplate
from visviva.errors import ModelError
from visviva.forms.dynamics.handle import Dynamics
from visviva.numerics.convergence import Convergence
from visviva.numerics.levenberg import search

Kind = Literal["minimum", "saddle", "maximum", "degenerate"]
STEP = 1e-3  # [of a size] of differences
ALIKE = 1e-5  # [of a size] points this near are one
FLAT = 1e-6  # of the largest curvature: below it is none
ROUNDS = 100
EXACT, NEARLY = 1e-12, 1e-9  # of the largest curvature where a search starts: slopes that are rounding, and nearly so
MOST_DAMPED = 1e9


class CriticalPoint(NamedTuple):
    """A configuration with ∇V̄ = 0. curvatures: eigenvalues of the Hessian, scaled by sizes of the velocities."""

    q: Array  # (nq,)
    V: float  # [J]
    kind: Kind
    falling: int  # number of directions in which V̄ falls: Morse's index
    curvatures: Array  # (n,)


def critical_points(
    template: PairTemplate, q_R: ArrayLike | None = None, *, starts: int = 60, seed: int = 0
) -> list[CriticalPoint]:
    """Critical points of V̄(·, q_R) that Newton's method reaches from random configurations, the lowest first.

    Of circles and other sets of points one is given, "degenerate".

    q_R: as built by default.   starts: how many; a point with a small basin may need more.
    """
    if not isinstance(template, PairTemplate):
        raise ModelError("critical points are those of a template of pairs and joints, not of a baseline.")
    d = template.d
    if d.loops is not None:
        raise ModelError(f"critical points are searched for on trees; mechanism {d.name!r} has loops.")
    reference = np.array(d.q_built) if q_R is None else finite_vector(q_R, f"q_R of {d.name!r}", d.nq)
    rng, found = np.random.default_rng(seed), list[CriticalPoint]()
    for k in range(starts):
        q = _newton(template, reference if k == 0 else _random(d, reference, rng), reference)
        if q is None or any(_distance(d, q, one.q) < ALIKE for one in found):
            continue
        point = _critical_point(template, q, reference)
        if point.kind == "degenerate" and any(_same_set(point, one) for one in found):
            continue
        found.append(point)
    return sorted(found, key=lambda one: one.V)


def census(points: list[CriticalPoint]) -> dict[str, int]:
    """How many of each kind."""
    return {kind: sum(one.kind == kind for one in points) for kind in ("minimum", "maximum", "saddle", "degenerate")}


def _same_set(a: CriticalPoint, b: CriticalPoint) -> bool:
    return b.kind == "degenerate" and a.falling == b.falling and abs(a.V - b.V) <= FLAT * max(abs(a.V), abs(b.V))


@final
@dataclass(frozen=True, eq=False)
class _Slope:
    """A configuration on the way to ∇V̄ = 0, and ∇V̄ there, in units of the sizes of velocities."""

    template: PairTemplate
    q_R: Array
    q: Array

    @cached_property
    def g(self) -> Array:
        return np.asarray(self.template.d.sizes * self.template.potential_gradient(self.q, self.q_R))

    @cached_property
    def A(self) -> Array:
        return _hessian(self.template, self.q, self.q_R)

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.g))

    def tried(self, damping: float) -> _Slope | None:
        """After a step of Levenberg's."""
        d, A = self.template.d, self.A
        mu = damping * self.size * float(np.abs(A).max())
        step = -np.linalg.solve(A.T @ A + mu * np.eye(d.nv), A.T @ self.g)
        return replace(self, q=d.integrate(self.q, d.sizes * step))


def _newton(template: PairTemplate, q: Array, q_R: Array) -> Array | None:
    """Where damped steps lead to, if ∇V̄ = 0 there."""
    start = _Slope(template, q_R, q)
    scale = max(float(np.abs(start.A).max()), 1e-300)

    def adapted(damping: float, now: _Slope, nearer: bool) -> float | None:
        if nearer:
            return damping / 5
        return None if damping > MOST_DAMPED else 4 * damping

    found = search(start, 1e-2, adapted, Convergence(EXACT * scale, NEARLY * scale), ROUNDS)
    return found.q if found.size <= NEARLY * scale else None


def _hessian(template: PairTemplate, q: Array, q_R: Array) -> Array:
    """∂∇V̄ along the velocities (n, n), scaled by their sizes; symmetric at critical points."""
    d, columns = template.d, []
    for k in range(d.nv):
        step = STEP * d.sizes[k] * np.eye(d.nv)[k]

        def g(s: float, step: Array = step) -> Array:
            return template.potential_gradient(d.integrate(q, s * step), q_R)

        columns.append((8 * (g(1.0) - g(-1.0)) - (g(2.0) - g(-2.0))) / (12 * STEP))
    return np.asarray(d.sizes[:, None] * np.array(columns).T)


def _critical_point(template: PairTemplate, q: Array, q_R: Array) -> CriticalPoint:
    A = _hessian(template, q, q_R)
    curvatures = np.asarray(np.linalg.eigvalsh((A + A.T) / 2), dtype=np.float64)
    largest = float(np.abs(curvatures).max())
    falling = int((curvatures < -FLAT * largest).sum())
    kind: Kind = "saddle"
    if (np.abs(curvatures) <= FLAT * largest).any():
        kind = "degenerate"
    elif falling in (0, len(curvatures)):
        kind = "minimum" if not falling else "maximum"
    return CriticalPoint(q, template.potential(q, q_R), kind, falling, curvatures)


def _random(d: Dynamics, q: Array, rng: np.random.Generator) -> Array:
    """Any rotation and any angle, and shifts of a few sizes."""
    out = q.copy()
    for link, place in zip(d.form.tree.links, d.form.spanning.places, strict=True):
        if link.kind == "hinge":
            out[place.q] = rng.uniform(-np.pi, np.pi)
        elif link.kind == "slider":
            out[place.q] += 2 * d.sizes[place.xi] * rng.normal(size=1)
        elif link.kind in ("ball", "free"):
            turn = rng.normal(size=4)
            out[place.q.stop - 4 : place.q.stop] = turn / np.linalg.norm(turn)
            if link.kind == "free":
                out[place.q.start : place.q.start + 3] += 2 * d.sizes[place.xi][3:] * rng.normal(size=3)
    return out


def _distance(d: Dynamics, a: Array, b: Array) -> float:
    """Largest difference in sizes of velocities, angles up to whole turns."""
    gap = d.difference(a, b)
    for link, place in zip(d.form.tree.links, d.form.spanning.places, strict=True):
        if link.kind == "hinge" and not link.pitch:
            gap[place.xi] = (gap[place.xi] + np.pi) % (2 * np.pi) - np.pi
    return float(np.abs(gap / d.sizes).max())
