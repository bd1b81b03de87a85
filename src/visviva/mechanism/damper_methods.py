"""Drag of the builder: on points of a body or on a particle, in a fluid at rest or in one that moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.geometry.definite import one_each, symmetric
from visviva.geometry.moments import matrix_of_moments, moment_matrix, moments_of_matrix
from visviva.mechanism.builder import End, RotationLike
from visviva.mechanism.dampers import moment_damping
from visviva.mechanism.element_builder import ElementBuilder, Ends, Pose
from visviva.mechanism.elements import Element
from visviva.mechanism.energies import POSE
from visviva.mechanism.parts import Particle
from visviva.mechanism.thermal import Thermal

PLACE = POSE[9:]  # p alone
NEGATIVE = 1e-12  # of the largest eigenvalue: rounding


class DamperMethods(ElementBuilder):
    """Drag belongs to points of the child; the fluid is at rest in the parent, which may be a stream."""

    def damper(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        d: ArrayLike | None = None,
        points: ArrayLike | None = None,
        D: ArrayLike | None = None,
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
        heat_to: Thermal | str | None = None,
    ) -> Element:
        """Viscous drag: the force -d (velocity) on points of the child, as they move against the parent.

        d, points:    coefficients [N s/m], each or one for all, and world points (n, 3) of the child as built. For a
                      particle d alone, one number.
        D:            in place of both, (4, 4) moments D' = Σ d (h; 1)(h; 1)ᵀ in a frame of the child, or their 6×6
                      matrix for (ω; v), which is not negative: as of rotational drag about one axis alone, where D' is
                      indefinite and no points have it.
        at, rotation: that frame as built; default: at the centre of mass of the child, world axes.
        heat_to:      a thermal node that the heat goes to; default: the environment.

        A fluid that moves is `m.stream(...)` as the parent: what it does goes to the account of its drive.
        Source:       Konz (3.73)-(3.76), with the sign of the angular part of (3.74) corrected.
        """
        where = f"damper {name!r}"
        ends = self._spring_ends(name, parent, child, "damper")
        sink = self._damper_sink(heat_to, where, True)
        if (d is None) == (D is None):
            raise ModelError(f"{where} needs d with points, or D: one of them.")
        if isinstance(ends[1][0], Particle):
            if D is not None or points is not None or at is not None or rotation is not None:
                raise ModelError(f"{where} acts on the particle {ends[1][0].name!r}: give d alone, one number.")
            return self._on_particle(name, ends, finite_number(d, f"d of {where} [N s/m]", positive=True), sink)  # type: ignore[arg-type]
        if d is not None and (at is not None or rotation is not None):
            raise ModelError(f"{where} is placed by its points: leave out at and rotation.")
        place = self._frames(where, ends, at, rotation)
        moments = _of_points(d, points, place[1], where) if d is not None else _of_matrix(D, where)  # type: ignore[arg-type]
        if not moments.any():
            raise ModelError(f"the drag of {where} is zero: leave it out.")
        return self._element(name, (ends[0][0], ends[1][0]), place, POSE, None, moment_damping(moments), heat_to=sink)

    def _on_particle(self, name: str, ends: Ends, d: float, sink: Thermal | None) -> Element:
        (parent, frame), (child, _) = ends
        assert isinstance(child, Particle)
        if isinstance(parent, Particle):
            raise ModelError(
                f"damper {name!r} acts between the particles {parent.name!r} and {child.name!r}, which have no axes.\n"
                "Use m.spring(..., damping=...) for a damper along the line between them."
            )
        R_W = np.eye(3) if frame is None else frame.R_WF
        place = (R_W, child.r_W), (R_W, child.r_W)
        return self._element(name, (parent, child), place, PLACE, None, d * np.eye(3), heat_to=sink)


def _of_points(d: ArrayLike, points: ArrayLike | None, frame: Pose, where: str) -> Array:
    """D' in a frame, of drag at world points."""
    if points is None:
        raise ModelError(f"{where} has d, but no points to act on: give points=[...], world points of the child.")
    r = np.atleast_2d(finite_array(points, f"points of {where}", (3,)))
    if r.ndim != 2 or not len(r):
        raise ModelError(f"points of {where} must be n points, shape (n, 3); got shape {r.shape}.")
    return moment_matrix(one_each(d, len(r), f"d of {where} [N s/m]"), (r - frame[1]) @ frame[0])


def _of_matrix(D: ArrayLike, where: str) -> Array:
    """D', from itself or from its 6×6 matrix."""
    given = finite_array(D, f"D of {where}")
    n = 6 if given.shape in ((6, 6), (6,)) else 4
    matrix = symmetric(given, n, f"D of {where}")
    moments = matrix if n == 4 else moments_of_matrix(matrix)
    values = np.linalg.eigvalsh(matrix_of_moments(moments))
    if values[0] < -NEGATIVE * max(values[-1], 0.0):
        raise ModelError(
            f"the 6×6 matrix of D of {where} has the eigenvalue {values[0]:.3g}: it would drive some motion.\n"
            "It must be d ≥ 0 with Υ ⪰ d ĥ ĥᵀ about the origin of the frame."
        )
    return moments
