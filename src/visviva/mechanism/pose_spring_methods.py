"""Springs of the builder between two frames: energies of their relative pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.definite import semidefinite, symmetric
from visviva.geometry.moments import has_moments, matrix_of_moments, moments_of_matrix
from visviva.geometry.product_se3 import ProductSE3
from visviva.mechanism.builder import End, RotationLike
from visviva.mechanism.dampers import bushing_damping
from visviva.mechanism.element_builder import ElementBuilder, displaced, rest_pose
from visviva.mechanism.elements import Element
from visviva.mechanism.energies import POINTS, POSE, bushing_energy, chord_energy, moment_energy, of_pose, trace_energy
from visviva.mechanism.thermal import Thermal

HALF_TURN = 1e-6  # of 1 + tr R: nearer to half a turn a logarithm has no direction


class PoseSpringMethods(ElementBuilder):
    """They are (name, parent, child, ...) between bodies, the ground or named frames, whose pose (R, p) they measure:
    R and p take coordinates in the child's frame to those in the parent's.
    """

    def bushing(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        K: ArrayLike,
        D: ArrayLike | None = None,
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
        heat_to: Thermal | str | None = None,
    ) -> Element:
        """A rubber bushing: U = ½ ξᵀ K ξ with ξ = (ω; v), the logarithm of the pose of the child's frame in the parent.

        K, D:         stiffness and damping, (6, 6) or their diagonals, rotation first [N m/rad, N/m; N m s/rad, N s/m].
        at, rotation: the frame of both as built, where it is relaxed; default: at the centre of mass of the child,
                      world axes. Two named frames instead need not coincide as built: it is relaxed where they do.
        heat_to:      a thermal node that the heat of D goes to; default: the environment.

        The logarithm ends at half a turn: a run that passes it ends with an error. The damper is D on the relative
        twist near rest; see `mechanism.dampers`.
        """
        where = f"bushing {name!r}"
        ends = self._spring_ends(name, parent, child, "bushing")
        place = self._frames(where, ends, at, rotation)
        stiffness = semidefinite(symmetric(K, 6, f"K of {where}"), f"K of {where}")
        losses = None if D is None else bushing_damping(semidefinite(symmetric(D, 6, f"D of {where}"), f"D of {where}"))
        if not stiffness.any() and losses is None:
            raise ModelError(f"K of {where} is zero, and it has no damping D. Give one of them.")
        turn = place[0][0].T @ place[1][0]
        if 1.0 + float(np.trace(turn)) < HALF_TURN:
            raise ModelError(
                f"the frames of {where} are half a turn apart as built, where it has no direction.\n"
                "Turn one of them, or use m.trace_spring(...), which has no such limit."
            )
        stored = bushing_energy(stiffness) if stiffness.any() else None
        turned, sink = bool(stiffness[:3].any()), self._damper_sink(heat_to, where, losses is not None)
        carriers = ends[0][0], ends[1][0]
        return self._element(name, carriers, place, POSE, stored, losses, half_turn=turned, heat_to=sink)

    def trace_spring(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        G: ArrayLike,
        K: ArrayLike,
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
        rest: SE3 | tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Element:
        """A spring smooth at any rotation: U = tr(G (I - R)) + ½ pᵀ K p with the pose (R, p) of the child.

        G:            [N m], symmetric, or its diagonal; the stiffness at small angles is tr(G) I - G.
        K:            [N/m], symmetric, (3, 3) or its diagonal, axes of the parent's frame.
        at, rotation: the frame of both as built; default: at the centre of mass of the child, world axes. Or two named
                      frames.
        rest:         the pose of the child's frame in the parent's where it is relaxed, an SE3 or (R, p).
        """
        where = f"trace spring {name!r}"
        ends = self._spring_ends(name, parent, child, "trace spring")
        on_parent, on_child = self._frames(where, ends, at, rotation)
        if rest is not None:
            on_parent = displaced(on_parent, rest_pose(rest, f"rest of {where}"))
        turning, stiffness = symmetric(G, 3, f"G of {where}"), symmetric(K, 3, f"K of {where}")
        semidefinite(np.trace(turning) * np.eye(3) - turning, f"tr(G) I - G of {where}")
        semidefinite(stiffness, f"K of {where}")
        if not (turning.any() or stiffness.any()):
            raise ModelError(f"G and K of {where} are zero. Give one of them.")
        return self._element(
            name, (ends[0][0], ends[1][0]), (on_parent, on_child), POSE, trace_energy(turning, stiffness), None
        )

    def stiffness(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        K: ArrayLike,
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
        rest: SE3 | tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Element:
        """A stiffness at rest, with an energy that is smooth at any pose; all springs between two bodies are one.

        K:            (4, 4), the moments K' = Σ k (h; 1)(h; 1)ᵀ in the child's frame, with U = ½ tr(Δ K' Δᵀ) of
                      Δ = X_R⁻¹ X - I: exact for any springs, `forms.Stiffness` finds them. Or (6, 6) for (ω; v): the
                      same where it is that of points, else any K > 0, with the energy of `springs.ChordEnergy.general`.
        at, rotation: the frame of both as built; default: at the centre of mass of the child, world axes. Or two named
                      frames.
        rest:         X_R, the pose of the child's frame in the parent's where it is relaxed, an SE3 or (R, p).

        Source:       Konz (3.90f) with ten numbers, (A.18a) with 21, with Wed for the Vee of (A.15).
        """
        where = f"stiffness {name!r}"
        ends = self._spring_ends(name, parent, child, "stiffness")
        on_parent, on_child = self._frames(where, ends, at, rotation)
        if rest is not None:
            on_parent = displaced(on_parent, rest_pose(rest, f"rest of {where}"))
        carriers, frames = (ends[0][0], ends[1][0]), (on_parent, on_child)
        given = finite_array(K, f"K of {where}")
        n = 6 if given.shape in ((6, 6), (6,)) else 4
        matrix = symmetric(given, n, f"K of {where}")
        if not matrix.any():
            raise ModelError(f"K of {where} is zero: leave it out.")
        if n == 6 and not has_moments(matrix):
            return self._element(name, carriers, frames, POSE, chord_energy(ProductSE3(matrix).form), None)
        moments = matrix if n == 4 else moments_of_matrix(matrix)
        semidefinite(matrix_of_moments(moments), f"the 6×6 matrix of K of {where}")
        return self._element(name, carriers, frames, POINTS, moment_energy(moments), None)

    def pose_spring(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        energy: Callable[[Any, Any], Any],
        D: ArrayLike | None = None,
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
        heat_to: Thermal | str | None = None,
    ) -> Element:
        """A spring whose energy V(R, p) [J] you write down, e.g. lambda R, p: 5 * (p @ p) + 2 * (1 - R[2, 2]) ** 2.

        energy:       an ordinary function of the rotation R (3, 3) and the position p (3,) of the child's frame in the
                      parent's, in arithmetic and NumPy's functions; it is traced, and its derivatives are exact.
        D:            damping (6, 6) or its diagonal on the relative twist, as of `bushing`.   heat_to: as there.
        at, rotation: the frame of both as built; default: at the centre of mass of the child, world axes. Or two named
                      frames, which need not coincide as built.

        The wrench on the child is minus the left-trivialised gradient of V, that on the parent its opposite.
        Source:       Stramigioli, Maschke and Bidard (22).
        """
        where = f"pose spring {name!r}"
        ends = self._spring_ends(name, parent, child, "pose spring")
        place = self._frames(where, ends, at, rotation)
        losses = None if D is None else bushing_damping(semidefinite(symmetric(D, 6, f"D of {where}"), f"D of {where}"))
        sink = self._damper_sink(heat_to, where, losses is not None)
        carriers = ends[0][0], ends[1][0]
        return self._element(name, carriers, place, POSE, self._traced(of_pose, energy, where), losses, heat_to=sink)
