"""What springs and dampers of the builder share: their ends, the frames on them, and what takes up their heat."""

from __future__ import annotations

from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.language import Storage
from visviva.library.joints import Product
from visviva.mechanism.builder import Builder, End, RotationLike, rotation_matrix
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Particle
from visviva.mechanism.thermal import Thermal

Pose = tuple[Array, Array]  # (3, 3), (3,)
Ends = tuple[tuple[Carrier, Frame | None], tuple[Carrier, Frame | None]]


class ElementBuilder(Builder):
    """Elements are (name, a, b, ...) between ground, bodies, particles or named frames."""

    def _spring_ends(self, name: str, a: End, b: End, kind: str = "spring") -> Ends:
        self._new_name(name, "spring")
        where = f"{kind} {name!r}"
        first, second = self._end(a, where), self._end(b, where)
        if first[0] is second[0]:
            raise ModelError(f"{where} connects {first[0].name!r} with itself. Its ends must differ.")
        return first, second

    def _frames(self, where: str, ends: Ends, at: ArrayLike | None, rotation: RotationLike) -> tuple[Pose, Pose]:
        """The frames on parent and child, in the world as built; where one is named, the other end gets the same."""
        parent, child = oriented(where, ends)
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
        rows: tuple[Product, ...],
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


def oriented(where: str, ends: Ends) -> tuple[Ground | Body, Ground | Body]:
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


def rest_pose(rest: SE3 | tuple[ArrayLike, ArrayLike], what: str) -> Pose:
    """The pose at which a spring is relaxed, from the ways in which it can be given."""
    if isinstance(rest, SE3):
        rest = (rest.R, rest.r)
    if not isinstance(rest, tuple | list) or len(rest) != 2:
        raise ModelError(f"{what} must be an SE3 or (R, p), got {rest!r}.")
    return rotation_matrix(rest[0], what), finite_vector(rest[1], what, 3)


def displaced(frame: Pose, by: Pose) -> Pose:
    """A frame moved by a pose in its own axes."""
    return frame[0] @ by[0], frame[1] + frame[0] @ by[1]
