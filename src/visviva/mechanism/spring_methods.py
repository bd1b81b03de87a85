"""Springs of the builder: along a line, along coordinates of joints, many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.geometry.definite import one_each, semidefinite, symmetric
from visviva.mechanism.builder import End
from visviva.mechanism.dampers import point_damping
from visviva.mechanism.element_builder import ElementBuilder, oriented
from visviva.mechanism.elements import Element, JointElement
from visviva.mechanism.energies import (
    LINE,
    POINTS,
    linear_in_angle,
    linear_in_length,
    of_angle,
    of_coordinates,
    of_length,
    point_energy,
)
from visviva.mechanism.inventory import Coordinate
from visviva.mechanism.joining import point_on
from visviva.mechanism.thermal import Thermal


class SpringMethods(ElementBuilder):
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
            stored = self._traced(of_length, energy, where)
        D = np.array([[c]]) if c > 0 else None
        place = (np.eye(3), r_a), (np.eye(3), r_b)
        sink = self._damper_sink(heat_to, where, c > 0)
        return self._element(name, (first, second), place, LINE, stored, D, line=True, heat_to=sink)

    def torsion(
        self,
        name: str,
        joint: Coordinate,
        *,
        k: float | None = None,
        angle: float = 0.0,
        damping: float = 0.0,
        energy: Any = None,
        heat_to: Thermal | str | None = None,
    ) -> JointElement:
        """A spring and damper along an angle of a joint, which counts full turns.

        joint:    one that has one angle, or (joint, number) or (joint, name), as ("cardan", "second").
        k, angle: stiffness [N m/rad], and the angle [rad] at which it is relaxed.
        damping:  [N m s/rad].   heat_to: a thermal node that its heat goes to; default: the environment.
        energy:   V(θ) [J] in place of k and angle, any smooth function of the angle of the joint.
        """
        self._new_name(name, "spring")
        where = f"torsion {name!r}"
        at = self._coordinate(joint, where, turns=True)
        rest = finite_number(angle, f"angle of {where} [rad]")
        d = finite_number(damping, f"damping of {where} [N m s/rad]", minimum=0.0)
        stored = None
        if _given(where, k, energy, d, rest if rest != 0 else None, "angle"):
            stored = linear_in_angle(finite_number(k, f"k of {where} [N m/rad]", positive=True), rest)  # type: ignore[arg-type]
        elif energy is not None:
            stored = self._traced(of_angle, energy, where)
        D, sink = np.array([[d]]) if d > 0 else None, self._damper_sink(heat_to, where, d > 0)
        return self._add(JointElement(name, (at,), stored, D, sink))

    def joint_spring(
        self,
        name: str,
        joints: Coordinate | Sequence[Coordinate],
        *,
        energy: Callable[..., Any] | None = None,
        damping: ArrayLike | None = None,
        heat_to: Thermal | str | None = None,
    ) -> JointElement:
        """Energy and damping of any coordinates of joints: V(q_1, ..., q_k), force -D (q_1, ..., q_k)' against rates.

        joints:  joints that have one coordinate, or (joint, number) or (joint, name): one of them, or a list.
        energy:  V [J], any smooth function of as many arguments; angles [rad] count full turns, displacements are in m.
        damping: a number for each, or the matrix D, symmetric and positive semidefinite [N m s/rad, N s/m].
        heat_to: a thermal node that its heat goes to; default: the environment.

        A magnetic coupling of two shafts: m.joint_spring("magnets", ["motor", "pump"],
        energy=lambda a, b: -M * np.cos(n * (a - b))).
        """
        self._new_name(name, "spring")
        where = f"joint spring {name!r}"
        several = isinstance(joints, Sequence) and not isinstance(joints, str | tuple)
        at = tuple(self._coordinate(one, where) for one in (joints if several else (joints,)))  # type: ignore[union-attr, arg-type]
        if not at:
            raise ModelError(f"{where} acts on no joint: give at least one.")
        if len({(one.joint.name, one.number) for one in at}) != len(at):
            raise ModelError(f"{where} names a coordinate twice: give each once, and its energy as a function of them.")
        if energy is None and damping is None:
            raise ModelError(f"{where} has neither an energy nor a damping. Give energy=..., or damping=..., or both.")
        D = None if damping is None else _damping(damping, len(at), f"damping of {where}")
        if energy is None and D is None:
            raise ModelError(f"{where} has no energy, and a damping of zero: give one that is not.")
        stored = None
        if energy is not None and len(at) == 1 and at[0].turns:
            stored = self._traced(of_angle, energy, where)
        elif energy is not None:
            stored = self._traced(of_coordinates, energy, where, len(at))
        return self._add(JointElement(name, at, stored, D, self._damper_sink(heat_to, where, D is not None)))

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
        carriers = oriented(where, ends)
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


def _damping(given: ArrayLike, k: int, what: str) -> Array | None:
    """D (k, k), from itself, its diagonal, or one number of one coordinate; None where it is zero."""
    D = symmetric(np.atleast_1d(finite_array(given, what)), k, what)
    return semidefinite(D, what) if D.any() else None


def _given(where: str, k: object, energy: object, damping: float, rest: object, word: str) -> bool:
    """Whether a spring is linear; an error if it is nothing, or two things at once."""
    if energy is not None and (k is not None or rest is not None):
        raise ModelError(f"{where} has an energy and k or {word}. Give one: k and {word}, or energy.")
    if k is None and energy is None and (rest is not None or not damping > 0):
        raise ModelError(f"{where} has no stiffness. Give k=..., or energy=..., or damping=... alone for a damper.")
    return k is not None
