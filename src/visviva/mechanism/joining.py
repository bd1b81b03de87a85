"""How joints are placed: their ends, the frames there, initial rates and friction, all checked."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_direction, finite_number, finite_vector
from visviva._suggestions import nearest
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3
from visviva.library.joints import JOINTS, AbstractJoint, Angle
from visviva.mechanism.builder import Builder, End
from visviva.mechanism.coupling import sums_of
from visviva.mechanism.elements import JointElement
from visviva.mechanism.joint_friction import Friction, friction_matrix, is_matrix, joint_friction, units_of
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Joint, JointCoordinate, Particle
from visviva.mechanism.thermal import Thermal

Pose = tuple[Array, Array]  # (3, 3), (3,)
SAME_PLACE = 1e-9  # of the size of the coordinates


@final
@dataclass(frozen=True, eq=False)
class Ends:
    """Both ends of a joint, and the frames that were named there."""

    parent: Carrier
    child: Carrier
    parent_frame: Frame | None
    child_frame: Frame | None

    @property
    def framed(self) -> bool:
        """Whether a named frame says where the joint is."""
        return self.parent_frame is not None or self.child_frame is not None


class Joining(Builder):
    """What the methods for joints share."""

    def _ends(self, name: str, parent: End, child: End, what: str = "joint") -> Ends:
        self._new_name(name, what)
        where = f"{what} {name!r}"
        (a, on_a), (b, on_b) = self._end(parent, where), self._end(child, where)
        if a is b:
            raise ModelError(f"{where} connects {a.name!r} with itself. Parent and child must differ.")
        return Ends(a, b, on_a, on_b)

    def _place(
        self,
        name: str,
        ends: Ends,
        at: ArrayLike | None,
        R_W: Array | None,
        word: str | None = None,
        *,
        anywhere: bool = False,
        what: str = "joint",
    ) -> tuple[Pose, Pose]:
        """The joint frames on parent and child, in the world as built.

        R_W:      their orientation if no frame was named, None if the argument `word` that says it is missing.
        anywhere: the centre of mass will do where `at` is missing.
        """
        if ends.framed:
            if at is not None or (word is not None and R_W is not None):
                frame, words = ends.parent_frame or ends.child_frame, "at" if word is None else f"at and {word}"
                assert frame is not None
                raise ModelError(
                    f"{what} {name!r} is placed by frame {frame.name!r} already: leave out {words}, or give\n"
                    f"{frame.carrier.name!r} in place of the frame."
                )
            poses = [(frame.R_WF, frame.r_WF) for frame in (ends.parent_frame, ends.child_frame) if frame is not None]
            return _at_particle(ends.parent, poses[0]), _at_particle(ends.child, poses[-1])
        if R_W is None:
            raise ModelError(f"{what} {name!r} has no {word}. Give {word}=..., or named frames at both ends.")
        if at is None:
            point = _default_point(name, ends, anywhere)
        else:
            point = finite_vector(at, f"at of {what} {name!r}", 3)
            for end in (ends.parent, ends.child):
                _check_particle_place(name, end, point)
        return (R_W, point), (R_W, point)

    def _join(
        self,
        name: str,
        joint: AbstractJoint,
        ends: Ends,
        place: tuple[Pose, Pose],
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        made = self._add_joint(self._joint(name, joint, ends, place, rate, friction, heat_to, q_built))
        if is_matrix(friction) and not joint.spins and len(joint.coordinates) != 1:
            D = friction_matrix(friction, joint, f"friction of joint {name!r}")
            coordinates = tuple(JointCoordinate(made, k) for k in range(len(joint.coordinates)))
            self._add(JointElement(f"{name}.friction", coordinates, None, D, made.heat_to))
        return made

    def _add_joint(self, joint: Joint) -> Joint:
        """A joint that was checked, with the conditions that belong to it."""
        self._add(joint)
        for one in sums_of(joint):
            self._add(one)
        return joint

    def _joint(
        self,
        name: str,
        joint: AbstractJoint,
        ends: Ends,
        place: tuple[Pose, Pose],
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        for end, turned in zip((ends.parent, ends.child), _oriented(joint), strict=True):
            if turned and isinstance(end, Particle):
                raise ModelError(
                    f"joint {name!r} is {joint.kind}, but {end.name!r} is a particle and has no orientation.\n"
                    "Use a spherical joint, or make it a body."
                )
        rates = None if rate is None else _numbers(rate, f"rate of joint {name!r}", units_of(joint, "rad/s", "m/s"))
        sink = self._heat_sink(heat_to, f"joint {name!r}")
        losses, laws = joint_friction(name, joint, friction, sink, self._traced)
        on_parent, (R_W, r_W) = place
        same = on_parent[0] is R_W and on_parent[1] is r_W
        parent_frame = None if same else on_parent
        start = (
            None if q_built is None else _numbers(q_built, f"q_built of joint {name!r}", units_of(joint, "rad", "m"))
        )
        if start is not None and start.any():
            parent_frame, (R_W, r_W) = _frames_as_built(name, joint, ends, SE3(R_W, r_W), start)
        spin = (
            friction_matrix(friction, joint, f"friction of joint {name!r}")
            if joint.spins and is_matrix(friction)
            else None
        )
        return Joint(
            name, joint, ends.parent, ends.child, R_W, r_W, rates, losses, parent_frame, laws, sink, start, spin
        )


def _frames_as_built(name: str, joint: AbstractJoint, ends: Ends, X_W: SE3, q: Array) -> tuple[Pose, Pose]:
    """Frames on parent and child between which the coordinates are q, with all axes where they were given.

    X_PC(q) is a product of two motions, about axes of the parent and of the child: each turns the frame of the other.
    """
    if ends.parent_frame is not None and ends.child_frame is not None:
        raise ModelError(
            f"joint {name!r} has q_built, and named frames at both ends, between which its coordinates are counted.\n"
            "Leave q_built out and turn or shift a frame, or name a frame at one end only."
        )
    full = np.append(q, np.zeros(joint.nv - len(q)))
    of_child = np.isin(np.arange(joint.nv), joint.of_child)
    X_P = X_W @ joint.X_PC(np.where(of_child, 0.0, full)).inverse()
    X_C = X_W @ joint.X_PC(np.where(of_child, full, 0.0)) if of_child.any() else X_W
    return (X_P.R, X_P.r), (X_C.R, X_C.r)


def joint_of(name: str, kind: object) -> AbstractJoint:
    """A joint as it was given: itself, or by the name of a kind that has no numbers."""
    if isinstance(kind, AbstractJoint):
        return kind
    plain = {joint.kind: joint for joint in JOINTS if not dataclasses.fields(joint)}  # type: ignore[arg-type]
    if isinstance(kind, str) and kind in plain:
        return plain[kind]
    given = f"the class {kind.__name__}: make one, {kind.__name__}(...)" if isinstance(kind, type) else repr(kind)
    near = nearest(kind, plain) if isinstance(kind, str) else []
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ModelError(
        f"joint {name!r} is of the kind {given}.{hint}\n"
        f"Give one of {', '.join(plain)}, or a joint of vv.joints such as vv.joints.Screw(0.01)."
    )


def point_on(carrier: Carrier, frame: Frame | None, at: ArrayLike | None, where: str, word: str) -> Array:
    """The world point of one end of a rod or spring, from what was given there."""
    if frame is not None:
        if at is not None:
            raise ModelError(f"{where} ends in frame {frame.name!r} already: leave out {word}.")
        return frame.r_WF
    if at is None:
        if isinstance(carrier, Ground):
            raise ModelError(f"{where} ends on the ground: say where, {word}=(x, y, z), or give a frame there.")
        return _centre(carrier)
    point = finite_vector(at, f"{word} of {where}", 3)
    if isinstance(carrier, Particle):
        _check_distance(where, carrier, point)
    return point


def direction(name: str, given: ArrayLike | None, word: str = "axis", what: str = "joint") -> Array | None:
    """A joint frame with z along the direction given, or None where none was."""
    if given is None:
        return None
    vector = finite_direction(given, f"{word} of {what} {name!r}")
    largest = float(np.abs(vector).max())
    if not largest > 0:
        raise ModelError(f"{word} of {what} {name!r} is zero. It must be a direction, e.g. {word}=(0, 0, 1).")
    return joint_frame(vector / largest)


def joint_frame(z: Array) -> Array:
    """A right-handed frame with z along a vector; x is normal to the world axis that is farthest from it."""
    return _frame_along(tuple(z.tolist())).copy()


@lru_cache(256)  # most joints of a mechanism have one of a few axes
def _frame_along(given: tuple[float, ...]) -> Array:
    z = np.array(given)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _oriented(joint: AbstractJoint) -> tuple[bool, bool]:
    """Whether its rows or coordinates need an orientation of the parent, and of the child."""
    scalars = [*joint.coordinates, *(one for total in joint.sums for one in total.scalars)]
    angles = [one for one in scalars if isinstance(one, Angle)]
    plain = [one for one in scalars if not isinstance(one, Angle)]
    used = [*joint.rows, *plain, *(one for angle in angles for one in (angle.cos, angle.sin))]
    return any(one.parent >= 0 for one in used), any(one.child >= 0 for one in used)


def _numbers(given: ArrayLike, what: str, units: list[str]) -> Array:
    if len(units) == 1:
        return np.array([finite_number(given, f"{what} [{units[0]}]")])
    return finite_vector(given, f"{what} [{', '.join(units)}]", len(units))


def _centre(carrier: Body | Particle) -> Array:
    return carrier.r_WC if isinstance(carrier, Body) else carrier.r_W


def _default_point(name: str, ends: Ends, anywhere: bool) -> Array:
    """Where a particle is; else, where any point will do, the centre of mass of the child, or of what moves."""
    particles = [end for end in (ends.child, ends.parent) if isinstance(end, Particle)]
    if particles:
        point = _centre(particles[0])
        _check_particle_place(name, ends.parent, point)
        return point
    if not anywhere:
        raise ModelError(f"joint {name!r} has no place. Give at=(x, y, z), or named frames at both ends.")
    end = ends.child if isinstance(ends.child, Body) else ends.parent
    assert isinstance(end, Body)
    return _centre(end)


def _at_particle(end: Carrier, pose: Pose) -> Pose:
    return (pose[0], end.r_W) if isinstance(end, Particle) else pose


def _check_particle_place(name: str, end: Carrier, point: Array) -> None:
    if isinstance(end, Particle):
        _check_distance(f"joint {name!r} at {tuple(point.tolist())}", end, point)


def _check_distance(what: str, particle: Particle, point: Array) -> None:
    gap = float(np.linalg.norm(particle.r_W - point))
    if gap > SAME_PLACE * (1.0 + float(np.abs(point).max())):
        raise AssemblyError(
            f"{what} cannot be assembled: particle {particle.name!r} is at "
            f"{tuple(particle.r_W.tolist())}, {gap:.3g} m away.\n"
            "A particle has no extent: put the joint where it is, or make it a body."
        )
