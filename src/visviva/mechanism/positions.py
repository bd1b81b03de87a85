"""Consistent positions from an approximate placement: joint frames are brought together by the least motion.

Levenberg and Marquardt's method in the metric of kinetic energy: increments Δ of all poses with

    minimise  ½ Δᵀ M Δ + |C Δ + g|²/(2 μ),   q ← retract(q, Δ),   μ → 0 as g → 0

converge fast also where rows are redundant, which is the rule in loops. Rows cannot tell an axis from its reverse: as
long as axes that must point the same way are far from each other, a·b = 1 is one more row, which drives them there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import AssemblyError
from visviva.mechanism.closure import row_scale, typical_length
from visviva.mechanism.condition_rows import ConditionRows
from visviva.mechanism.kinematics import Kinematics
from visviva.mechanism.linkage import Linkage
from visviva.numerics.convergence import Convergence
from visviva.numerics.levenberg import search
from visviva.numerics.saddle import Saddle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EPS = float(np.finfo(np.float64).eps)
FITS = 1e-12  # of the size of the mechanism: rounding
CLOSED = 1e-10  # what is accepted where rounding hinders more
ITERATIONS = 100
DAMPING = 10.0  # μ of an error of a typical length: far above what redundant rows are off by
LEAST_DAMPED, MOST_DAMPED = 1e-6, 1e3  # μ after a step that was too long, and where no step comes nearer
LARGEST_TURN = 0.7  # [rad] of a body in one iteration
ALIGNED = 0.5  # a·b of axes that are near each other
SHAKES = (0.01, 0.1, 0.5)  # of a typical length, and in radians: other starts, where the given one leads nowhere


@final
@dataclass(frozen=True, eq=False)
class _Residual:
    """What must vanish, in metres: rows of joints and conditions, and a·b - 1 for axes that must not be reversed."""

    kinematics: Kinematics
    conditions: ConditionRows
    target: Array  # (rows of joints,)
    scale: Array  # (m,)

    def value(self, q: Array) -> Array:
        joints = self.kinematics.value(self.kinematics.place(q)) - self.target
        return np.append(joints, self.conditions.value(q)) / self.scale

    def slope(self, q: Array) -> csr_array:
        import scipy.sparse

        m = self.kinematics.m
        C = self.kinematics.matrix(self.kinematics.blocks(self.kinematics.place(q)) / self.scale[:m, None, None])
        if not self.conditions.m:
            return C
        others = scipy.sparse.diags_array(self.conditions.positional / self.scale[m:]) @ self.conditions.matrix(q)
        return scipy.sparse.vstack([C, others], format="csr")


def close(linkage: Linkage, q: Array, fixed: Iterable[str] = ()) -> Array:
    """The coordinates of all bodies nearest to q at which all joints are closed; q itself where they are.

    fixed: bodies and particles that keep their place.
    """
    size = extent(linkage, q)
    if is_closed(linkage, q, FITS * size):
        return q
    held = set(fixed)
    free = _free(linkage, held)
    for start in _starts(linkage, q, free) if free.any() else ():
        found = _settle(linkage, start, free, size)
        if is_closed(linkage, found, CLOSED * size):
            return found
    nearest = _settle(linkage, q, free, size) if free.any() else q
    raise _open_joints(linkage, nearest, CLOSED * size, held)


def _free(linkage: Linkage, held: set[str]) -> Mask:
    """Velocities of bodies that are not held."""
    parts = zip(linkage.bodies, linkage.kinematics.columns, strict=True)
    return np.concatenate([np.full(part.stop - part.start, body.name not in held) for body, part in parts])


def _starts(linkage: Linkage, q: Array, free: Mask) -> Iterator[Array]:
    """The given placement, and others near it."""
    yield q
    generator, length = np.random.default_rng(0), typical_length(linkage.kinematics)
    for shake in SHAKES:
        steps = shake * generator.uniform(-1, 1, len(free)) * np.where(linkage.turning, 1.0, length)
        yield linkage.kinematics.retract(q, steps * free)


def _settle(linkage: Linkage, q: Array, free: Mask, size: float) -> Array:
    """A descent that ends at the rows of the joints; where axes are far from each other, with those first."""
    if (linkage.upright(linkage.kinematics.place(q)) < np.where(linkage.bounding, 0.0, ALIGNED)).any():
        q = _descend(linkage, _residual(linkage, upright=True), q, free, size)
    q = linkage.kinematics.orthonormal(_descend(linkage, _residual(linkage), q, free, size))
    return _descend(linkage, _residual(linkage), q, free, size)


def settled(linkage: Linkage, q: Array, fixed: Iterable[str] = ()) -> Array | None:
    """The closed configuration that one descent from q leads to, if it does; fixed: what keeps its place.

    There is none where q has a joint beyond the end of its range.
    """
    if (linkage.upright(linkage.kinematics.place(q))[linkage.bounding] <= 0).any():
        return None
    found = _settle(linkage, q, _free(linkage, set(fixed)), extent(linkage, q))
    return found if is_closed(linkage, found, CLOSED * extent(linkage, q)) else None


def extent(linkage: Linkage, q: Array) -> float:
    """Size of the numbers from which the rows are computed [m]."""
    largest = max((float(np.abs(q[part][:3]).max()) for part in linkage.kinematics.places), default=0.0)
    return max(largest + float(np.abs(linkage.kinematics.arms).max(initial=0.0)), linkage.length)


def is_closed(linkage: Linkage, q: Array, tolerance: float) -> bool:
    """Whether all rows vanish to a tolerance [m], and no axis is reversed."""
    place = linkage.kinematics.place(q)
    g = linkage.value(place) / linkage.row_scale
    return bool(np.abs(g).max(initial=0.0) <= tolerance and (linkage.upright(place) > 0).all())


def _residual(linkage: Linkage, *, upright: bool = False) -> _Residual:
    if not upright:
        m = linkage.kinematics.m
        return _Residual(linkage.kinematics, linkage.conditions, np.zeros(m), linkage.row_scale)
    rows = [(*joint.joint.rows, *joint.joint.upright) for joint in linkage.joints]
    kinematics = Kinematics(linkage.bodies, linkage.joints, rows)
    target = np.zeros(kinematics.m)
    for part, joint in zip(kinematics.rows, linkage.joints, strict=True):
        target[part.stop - len(joint.joint.upright) : part.stop] = 1.0
    scale = np.append(row_scale(kinematics), linkage.row_scale[linkage.kinematics.m :])
    return _Residual(kinematics, linkage.conditions, target, scale)


def _descend(linkage: Linkage, residual: _Residual, q: Array, free: Mask, size: float) -> Array:
    """Levenberg and Marquardt's search: the damping falls with the square of the residual."""
    length = typical_length(linkage.kinematics)
    start = _Placement(linkage, residual, free, q, residual.value(q))

    def adapted(mu: float, now: _Placement, nearer: bool) -> float | None:
        if nearer:
            return min(0.1 * mu, DAMPING * (now.size / length) ** 2)
        return None if mu > MOST_DAMPED else 10.0 * max(mu, LEAST_DAMPED)

    mu = min(1e-2, DAMPING * (start.size / length) ** 2)
    rule = Convergence(0.5 * EPS * size * np.sqrt(len(start.g)), CLOSED * size)
    return search(start, mu, adapted, rule, ITERATIONS).q


@final
@dataclass(frozen=True, eq=False)
class _Placement:
    """Coordinates of all bodies, and what must vanish there."""

    linkage: Linkage
    residual: _Residual
    free: Mask
    q: Array
    g: Array

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.g))

    @cached_property
    def _rows(self) -> csr_array:
        C = self.residual.slope(self.q)
        return C if self.free.all() else C[:, self.free]

    def tried(self, damping: float) -> _Placement | None:
        """After a step of least ½ Δᵀ M Δ + |C Δ + g|²/(2 μ), in which no body turns too far."""
        linkage, delta = self.linkage, np.zeros(len(self.free))
        M = linkage.metric[self.free] / linkage.metric[~linkage.turning].mean()
        soft = np.full(len(self.g), max(damping, 1e-12))
        delta[self.free] = Saddle(M, self._rows, soft).once(np.zeros(len(M)), -self.g)[0]
        turn = float(np.abs(delta[linkage.turning]).max(initial=0.0))
        ahead = self.residual.kinematics.retract(self.q, delta * min(1.0, LARGEST_TURN / max(turn, 1e-300)))
        return dataclasses.replace(self, q=ahead, g=self.residual.value(ahead))


def _open_joints(linkage: Linkage, q: Array, tolerance: float, held: set[str]) -> AssemblyError:
    kinematics = linkage.kinematics
    place = kinematics.place(q)
    g = np.abs(linkage.value(place) / linkage.row_scale)
    turning = ~kinematics.reaches
    lines: list[tuple[float, str]] = []
    upright = linkage.upright(place)
    reversed_axes = {int(k) for k in linkage.upright_pair[upright <= 0]}
    for k, (joint, part) in enumerate(zip(linkage.joints, kinematics.rows, strict=True)):
        gap = float(np.linalg.norm(g[part][~turning[part]]))
        tilt = float(np.linalg.norm(g[part][turning[part]])) / typical_length(kinematics)
        if max(gap, tilt) <= tolerance and k not in reversed_axes:
            continue
        x, y, z = kinematics.origins(q)[k, 1]
        parts = [f"{gap:.3g} m"] * (gap > tolerance) + [f"{np.arcsin(min(tilt, 1.0)):.3g} rad"] * (tilt > tolerance)
        parts += ["axis reversed"] * (k in reversed_axes)
        lines.append((max(gap, tilt), f"  {joint.name!r}: open by {', '.join(parts)} at ({x:.4g}, {y:.4g}, {z:.4g})"))
    for condition, part in zip(linkage.conditions.conditions, linkage.conditions.rows, strict=True):
        gap = float(np.linalg.norm(g[kinematics.m :][part]))
        if gap > tolerance:
            values = ", ".join(f"{value:.3g}" for value in linkage.conditions.value(q)[part])
            lines.append((gap, f"  {condition.name!r}: g = {values}, about {gap:.3g} m of motion away from zero"))
    listed = [text for _, text in sorted(lines, key=lambda line: -line[0])]
    more = f"\n  and {len(listed) - 10} more" if len(listed) > 10 else ""
    kept = f" with {', '.join(map(repr, sorted(held)))} held where they are" if held else ""
    return AssemblyError(
        f"mechanism {linkage.name!r} cannot be assembled{kept}. In the nearest placement that was found, these joints\n"
        "and constraints remain open:\n" + "\n".join(listed[:10]) + more + "\n"
        "Lengths may not fit each other; or the bodies are placed too far from where they belong: move them nearer."
    )
