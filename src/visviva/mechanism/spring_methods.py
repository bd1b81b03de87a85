"""Springs and dampers of the builder: between two points, about the axis of a joint, or between two frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.definite import one_each, semidefinite, symmetric
from visviva.geometry.moments import matrix_of_moments, moments_of_matrix
from visviva.language import Storage
from visviva.library.joints import Row
from visviva.mechanism.builder import Builder, End, RotationLike, kind_of, rotation_matrix
from visviva.mechanism.dampers import bushing_damping, point_damping
from visviva.mechanism.elements import Element, Torsion
from visviva.mechanism.energies import (
    LINE,
    POINTS,
    POSE,
    bushing_energy,
    linear_in_angle,
    linear_in_length,
    moment_energy,
    of_angle,
    of_length,
    point_energy,
    trace_energy,
)
from visviva.mechanism.joining import point_on
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Joint, Particle
from visviva.mechanism.thermal import Thermal

Pose = tuple[Array, Array]  # (3, 3), (3,)
HALF_TURN = 1e-6  # of 1 + tr R: nearer to half a turn a logarithm has no direction


class SpringMethods(Builder):
    """Springs are (name, a, b, ...) between ground, bodies, particles or named frames; they may be dampers only."""

    def spring(
        self,
        name: str,
        a: End,
        b: End,
        *,
        k: float | None = None,
        length: float | None = None,
        damping: float = 0.0,
        energy: Any = None,
        at_a: ArrayLike | None = None,
        at_b: ArrayLike | None = None,
        heat_to: Thermal | str | None = None,
    ) -> Element:
        """A spring and damper between two points.

        k, length:  stiffness [N/m] and natural length [m], zero allowed; default: the distance as built.
        damping:    c [N s/m] of the force c l_dot along the line.   heat_to: a thermal node that its heat goes to.
        energy:     V(l) [J] in place of k and length, any smooth function of the length l.
        at_a, at_b: default: the origin of a frame, the place of a particle, the centre of mass of a body.
        """
        ends = self._spring_ends(name, a, b)
        where = f"spring {name!r}"
        (first, on_first), (second, on_second) = ends
        r_a, r_b = point_on(first, on_first, at_a, where, "at_a"), point_on(second, on_second, at_b, where, "at_b")
        c = finite_number(damping, f"damping of {where} [N s/m]", minimum=0.0)
        stored = None
        if _given(where, k, energy, c, length, "length"):
            built = float(np.linalg.norm(r_b - r_a))
            rest = built if length is None else finite_number(length, f"length of {where} [m]", minimum=0.0)
            stored = linear_in_length(finite_number(k, f"k of {where} [N/m]", positive=True), rest)  # type: ignore[arg-type]
        elif energy is not None:
            stored = of_length(energy, where)
        D = np.array([[c]]) if c > 0 else None
        place = (np.eye(3), r_a), (np.eye(3), r_b)
        sink = self._damper_sink(heat_to, where, c > 0)
        return self._element(name, (first, second), place, LINE, stored, D, line=True, heat_to=sink)

    def torsion(
        self,
        name: str,
        joint: Joint | str,
        *,
        k: float | None = None,
        angle: float = 0.0,
        damping: float = 0.0,
        energy: Any = None,
        heat_to: Thermal | str | None = None,
    ) -> Torsion:
        """A spring and damper about the axis z of a joint that turns; its angle counts full turns.

        k, angle: stiffness [N m/rad], and the angle [rad] at which it is relaxed.
        damping:  [N m s/rad].   heat_to: a thermal node that its heat goes to; default: the environment.
        energy:   V(θ) [J] in place of k and angle, any smooth function of the angle of the joint.
        """
        self._new_name(name, "spring")
        where = f"torsion {name!r}"
        part = self._find(joint, where)
        if not isinstance(part, Joint) or not part.joint.turns:
            raise ModelError(
                f"{where} cannot sit on {kind_of(part)} {part.name!r}, which has no axis to turn about.\n"
                "Give a revolute joint, a cylindrical or a planar one; between two frames use m.bushing(...)."
            )
        rest = finite_number(angle, f"angle of {where} [rad]")
        d = finite_number(damping, f"damping of {where} [N m s/rad]", minimum=0.0)
        stored = None
        if _given(where, k, energy, d, rest if rest != 0 else None, "angle"):
            stored = linear_in_angle(finite_number(k, f"k of {where} [N m/rad]", positive=True), rest)  # type: ignore[arg-type]
        elif energy is not None:
            stored = of_angle(energy, where)
        return self._add(Torsion(name, part, stored, d, self._damper_sink(heat_to, where, d > 0)))

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
            on_parent = _displaced(on_parent, _pose(rest, f"rest of {where}"))
        turning, stiffness = symmetric(G, 3, f"G of {where}"), symmetric(K, 3, f"K of {where}")
        semidefinite(np.trace(turning) * np.eye(3) - turning, f"tr(G) I - G of {where}")
        semidefinite(stiffness, f"K of {where}")
        if not (turning.any() or stiffness.any()):
            raise ModelError(f"G and K of {where} are zero. Give one of them.")
        return self._element(
            name, (ends[0][0], ends[1][0]), (on_parent, on_child), POSE, trace_energy(turning, stiffness), None
        )

    def point_springs(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        k: ArrayLike,
        at_parent: ArrayLike,
        at_child: ArrayLike,
        damping: ArrayLike = 0.0,
        heat_to: Thermal | str | None = None,
    ) -> Element:
        """Springs of natural length zero between n pairs of points, as one element.

        k:                   stiffness [N/m] of each, or one for all.
        at_parent, at_child: (n, 3), world points as built.
        damping:             c [N s/m] of each, or one for all, times the velocity of the child's point as seen from
                             the parent.   heat_to: a thermal node that the heat goes to.
        """
        where = f"point springs {name!r}"
        ends = self._spring_ends(name, parent, child, "spring")
        carriers = _oriented(where, ends)
        a, b = (finite_array(p, f"{word} of {where}") for p, word in ((at_parent, "at_parent"), (at_child, "at_child")))
        if a.ndim != 2 or a.shape[1] != 3 or a.shape != b.shape or not len(a):
            raise ModelError(
                f"at_parent and at_child of {where} must be n points each, shape (n, 3); got {a.shape} and {b.shape}."
            )
        stiffness = one_each(k, len(a), f"k of {where} [N/m]")
        losses = one_each(damping, len(a), f"damping of {where} [N s/m]")
        if not (stiffness.any() or losses.any()):
            raise ModelError(f"k and damping of {where} are zero. Give one of them.")
        origin = 0.5 * (a.mean(0) + b.mean(0))
        stored = point_energy(stiffness, a - origin, b - origin) if stiffness.any() else None
        D = point_damping(losses, b - origin) if losses.any() else None
        place, sink = (np.eye(3), origin), self._damper_sink(heat_to, where, D is not None)
        return self._element(name, carriers, (place, place), POINTS, stored, D, heat_to=sink)

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
        """All the springs between two bodies as one stiffness: U = ½ tr((X - X_R) K' (X - X_R)ᵀ), exact at any pose.

        K:            (4, 4), the moments K' = Σ k (h; 1)(h; 1)ᵀ in the child's frame, or their 6×6 matrix for (ω; v):
                      the stiffness at rest, tied to points. `forms.Stiffness` finds them for any springs.
        at, rotation: the frame of both as built; default: at the centre of mass of the child, world axes. Or two named
                      frames.
        rest:         X_R, the pose of the child's frame in the parent's where it is relaxed, an SE3 or (R, p).
        """
        where = f"stiffness {name!r}"
        ends = self._spring_ends(name, parent, child, "stiffness")
        on_parent, on_child = self._frames(where, ends, at, rotation)
        if rest is not None:
            on_parent = _displaced(on_parent, _pose(rest, f"rest of {where}"))
        given = finite_array(K, f"K of {where}")
        n = 6 if given.shape in ((6, 6), (6,)) else 4
        moments = symmetric(given, n, f"K of {where}") if n == 4 else moments_of_matrix(symmetric(given, n, where))
        semidefinite(matrix_of_moments(moments), f"the 6×6 matrix of K of {where}")
        if not moments.any():
            raise ModelError(f"K of {where} is zero: leave it out.")
        return self._element(
            name, (ends[0][0], ends[1][0]), (on_parent, on_child), POINTS, moment_energy(moments), None
        )

    # -- helpers ------------------------------------------------------------------------------------------------

    def _spring_ends(
        self, name: str, a: End, b: End, kind: str = "spring"
    ) -> tuple[tuple[Carrier, Frame | None], tuple[Carrier, Frame | None]]:
        self._new_name(name, "spring")
        where = f"{kind} {name!r}"
        first, second = self._end(a, where), self._end(b, where)
        if first[0] is second[0]:
            raise ModelError(f"{where} connects {first[0].name!r} with itself. Its ends must differ.")
        return first, second

    def _frames(
        self,
        where: str,
        ends: tuple[tuple[Carrier, Frame | None], tuple[Carrier, Frame | None]],
        at: ArrayLike | None,
        rotation: RotationLike,
    ) -> tuple[Pose, Pose]:
        """The frames on parent and child, in the world as built; where one is named, the other end gets the same."""
        parent, child = _oriented(where, ends)
        named = [frame for _, frame in ends if frame is not None]
        if named:
            if at is not None or rotation is not None:
                raise ModelError(
                    f"{where} is placed by frame {named[0].name!r} already: leave out at and rotation, or give\n"
                    f"{named[0].carrier.name!r} in place of the frame."
                )
            first, last = ends[0][1] or named[0], ends[1][1] or named[0]
            return (first.R_WF, first.r_WF), (last.R_WF, last.r_WF)
        moving = child if isinstance(child, Body) else parent
        assert isinstance(moving, Body)
        point = moving.r_WC if at is None else finite_vector(at, f"at of {where}", 3)
        R_W = rotation_matrix(rotation, f"rotation of {where}")
        return (R_W, point), (R_W, point)

    def _element(
        self,
        name: str,
        ends: tuple[Carrier, Carrier],
        place: tuple[Pose, Pose],
        rows: tuple[Row, ...],
        energy: Storage | None,
        damping: Array | None,
        line: bool = False,
        half_turn: bool = False,
        heat_to: Thermal | None = None,
    ) -> Element:
        on_parent, (R_W, r_W) = place
        return self._add(Element(name, *ends, R_W, r_W, on_parent, rows, energy, damping, line, half_turn, heat_to))

    def _damper_sink(self, node: Thermal | str | None, where: str, damped: bool) -> Thermal | None:
        """What takes up the heat of a damper; an error if there is none."""
        if node is not None and not damped:
            raise ModelError(f"{where} has heat_to, but no damping that makes heat: give both, or leave heat_to out.")
        return self._heat_sink(node, where)


def _given(where: str, k: object, energy: object, damping: float, rest: object, word: str) -> bool:
    """Whether a spring is linear; an error if it is nothing, or two things at once."""
    if energy is not None and (k is not None or rest is not None):
        raise ModelError(f"{where} has an energy and k or {word}. Give one: k and {word}, or energy.")
    if k is None and energy is None and (rest is not None or not damping > 0):
        raise ModelError(f"{where} has no stiffness. Give k=..., or energy=..., or damping=... alone for a damper.")
    return k is not None


def _oriented(
    where: str, ends: tuple[tuple[Carrier, Frame | None], tuple[Carrier, Frame | None]]
) -> tuple[Ground | Body, Ground | Body]:
    """Both carriers, none of which is a particle."""
    carriers = []
    for carrier, _ in ends:
        if isinstance(carrier, Particle):
            raise ModelError(
                f"{where} holds the particle {carrier.name!r}, which has no orientation.\n"
                "Use m.spring(...) between points, or make it a body."
            )
        carriers.append(carrier)
    return carriers[0], carriers[1]


def _pose(rest: SE3 | tuple[ArrayLike, ArrayLike], what: str) -> Pose:
    if isinstance(rest, SE3):
        rest = (rest.R, rest.r)
    if not isinstance(rest, tuple | list) or len(rest) != 2:
        raise ModelError(f"{what} must be an SE3 or (R, p), got {rest!r}.")
    return rotation_matrix(rest[0], what), finite_vector(rest[1], what, 3)


def _displaced(frame: Pose, by: Pose) -> Pose:
    """A frame moved by a pose in its own axes."""
    return frame[0] @ by[0], frame[1] + frame[0] @ by[1]
