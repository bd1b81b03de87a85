"""The joints of the builder: each placed by world points of the mechanism as built, or by named frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.library.joints import (
    AbstractJoint,
    Cylindrical,
    Distance,
    Fixed,
    Free,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from visviva.mechanism.builder import End
from visviva.mechanism.elements import JointElement
from visviva.mechanism.energies import of_angle
from visviva.mechanism.joining import Joining, direction, joint_frame, joint_of, point_on
from visviva.mechanism.joint_friction import Friction
from visviva.mechanism.parts import Joint, JointCoordinate
from visviva.mechanism.stops import limits_of
from visviva.mechanism.thermal import Thermal

RIGHT_ANGLE = 1e-9  # cosine that two axes which must be normal may have


class JointMethods(Joining):
    """Joints are (name, parent, child, ...); ends are the ground, bodies, named frames, and particles.

    A particle can only be where no orientation is needed. Where both ends are named frames, these are the frames of
    the joint: origin, and z as its axis. They need not coincide as built; assembling brings them together. Where one
    end is a frame, the other end gets the same one.

    friction: for each coordinate a viscous coefficient ≥ 0, a law of `vv.friction`, or a function torque(rate) or
              torque(rate, temperature) that takes energy out; or one matrix over the rates of all of them.
    heat_to:  a node of `m.thermal(...)` that it heats; default: the environment.
    """

    def joint(
        self,
        name: str,
        kind: AbstractJoint | str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        """A joint of any kind, also one of your own: see the page "Add a joint" of the documentation.

        kind: one of `vv.joints`, as vv.joints.Screw(0.01), or a class of yours; or the name of one that has no numbers,
              as "rzeppa".
        at:   its place in the world.   axis: direction of its z in the world; z of the world by default.
        rate, friction, heat_to, q_built: of its coordinates, as those of other joints; friction of what turns without
              coordinates is one law of the size of the angular velocity.
        """
        ends, joint = self._ends(name, parent, child), joint_of(name, kind)
        R = None if ends.framed else direction(name, (0, 0, 1) if axis is None else axis)
        (R_P, r_P), (R_C, r_C) = self._place(name, ends, at, R, "axis", anywhere=not (joint.rows or joint.sums))
        if not ends.framed and joint.offset.any():
            R_C, r_C = R_C.copy(), r_C + R_P @ joint.offset
        return self._join(name, joint, ends, ((R_P, r_P), (R_C, r_C)), rate, friction, heat_to, q_built)

    def fixed(self, name: str, parent: End, child: End, *, at: ArrayLike | None = None) -> Joint:
        """A weld. `at` is the point to which its reaction refers; default: the centre of mass of the child."""
        ends = self._ends(name, parent, child)
        return self._join(name, Fixed(), ends, self._place(name, ends, at, np.eye(3), anywhere=True))

    def revolute(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        rate: float | None = None,
        friction: Friction = 0.0,
        potential: Callable[[Any], Any] | None = None,
        heat_to: Thermal | str | None = None,
        limits: tuple[float, float] | None = None,
        stop_stiffness: float | None = None,
        stop_damping: float | None = None,
        q_built: float | None = None,
    ) -> Joint:
        """A hinge at the world point `at` about the world direction `axis`; q is the angle of the child.

        rate:      initial rate of the child against the parent about the axis [rad/s]; left out, it is open.
        friction:  viscous coefficient [N m s/rad], ≥ 0, or a law.   heat_to: what it heats.
        potential: V(θ) [J], any smooth function of the angle; its energy is "energy.<name>.potential" of a run.
        limits:    (low, high) of the angle [rad], over many turns, with stops of stop_stiffness [N m/rad] and
                   stop_damping [N m s/rad²], see `stop`; their energy is "energy.<name>.stop".
        q_built: the angle as built [rad], 0 by default: energies, limits and all else count from the zero of q.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, axis), "axis")
        stored = None if potential is None else self._traced(of_angle, potential, f"potential of joint {name!r}")
        joint = self._limited(
            self._joint(name, Revolute(), ends, place, rate, friction, heat_to, q_built),
            limits,
            stop_stiffness,
            stop_damping,
        )
        if stored is not None:
            self._add(JointElement(f"{name}.potential", (JointCoordinate(joint, 0),), stored))
        return joint

    def prismatic(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        rate: float | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        limits: tuple[float, float] | None = None,
        stop_stiffness: float | None = None,
        stop_damping: float | None = None,
        q_built: float | None = None,
    ) -> Joint:
        """A slide along the world direction `axis`; q is the displacement of the child.

        at:       a point of its axis; default: the centre of mass of the child.
        rate:     initial speed of the child against the parent [m/s].
        friction: viscous coefficient [N s/m], ≥ 0, or a law.   heat_to: what it heats.
        limits:   (low, high) of the displacement [m], with stops of stop_stiffness [N/m] and stop_damping [N s/m²],
                  see `stop`; their energy is "energy.<name>.stop".
        q_built: the displacement as built [m], 0 by default: all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, axis), "axis", anywhere=True)
        joint = self._joint(name, Prismatic(), ends, place, rate, friction, heat_to, q_built)
        return self._limited(joint, limits, stop_stiffness, stop_damping)

    def cylindrical(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        """A sleeve on the line through `at` along `axis`; q = (angle, displacement) of the child.

        rate: initial (rad/s, m/s).   friction: viscous coefficients (N m s/rad, N s/m), ≥ 0, or laws.
        heat_to: what they heat.
        q_built: q as built, 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, axis), "axis")
        return self._join(name, Cylindrical(), ends, place, rate, friction, heat_to, q_built)

    def screw(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        pitch: float,
        rate: float | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        limits: tuple[float, float] | None = None,
        stop_stiffness: float | None = None,
        stop_damping: float | None = None,
        q_built: float | None = None,
    ) -> Joint:
        """A screw on the line through `at` along `axis`: the child advances by pitch · q as it turns by the angle q.

        pitch:    advance per radian [m/rad], negative for a left-hand thread; a lead of l per turn is l/(2π).
        rate:     initial rate of the angle [rad/s].
        friction: viscous coefficient of the angle [N m s/rad], ≥ 0, or a law.   heat_to: what it heats.
        limits:   (low, high) of the angle [rad], as those of a hinge.
        q_built: the angle as built [rad], 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, axis), "axis")
        kind = Screw(finite_number(pitch, f"pitch of screw {name!r} [m/rad]"))
        joint = self._joint(name, kind, ends, place, rate, friction, heat_to, q_built)
        return self._limited(joint, limits, stop_stiffness, stop_damping)

    def universal(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axes: tuple[ArrayLike, ArrayLike] | None = None,
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        """A Cardan joint: two axes that stay normal, the first fixed in the parent, the second in the child.

        q = (angle about the first, angle about the second); rate: initial rates of both [rad/s].
        friction: viscous coefficients of both [N m s/rad], ≥ 0, or laws.   heat_to: what they heat.
        The joint frame has z along the first and x along the second axis. Two named frames give the axes by their
        z; then q = 0 where the child's z is along the parent's x, and the child's y along the parent's z.
        q_built: q as built, 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, None if axes is None else _crossed(name, axes), "axes")
        if ends.framed:
            if ends.parent_frame is None or ends.child_frame is None:
                raise ModelError(
                    f"universal joint {name!r} has a frame at one end only, which gives one of its two axes.\n"
                    "Give frames at both ends, z along the axis there, or bodies with at=... and axes=(..., ...)."
                )
            on_parent, (R, r) = place
            place = on_parent, (R[:, [2, 0, 1]], r)
        return self._join(name, Universal(), ends, place, rate, friction, heat_to, q_built)

    def spherical(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
    ) -> Joint:
        """A ball joint at the world point `at`; left out, it is where a particle at one of its ends is.

        friction: viscous coefficient [N m s/rad], ≥ 0, or a law of the size of the relative angular velocity; the
                  torque is against it. Or a matrix D (3, 3): the torque is -D ω, in axes of the joint frame on the
                  child, which are those of the world as built.   heat_to: what it heats.
        """
        ends = self._ends(name, parent, child)
        return self._join(
            name, Spherical(), ends, self._place(name, ends, at, np.eye(3)), friction=friction, heat_to=heat_to
        )

    def planar(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        rate: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        """The child keeps to the plane through `at`; q = (angle about the normal, displacements along x and y).

        x and y are those of the joint frame on the parent. rate: initial (rad/s, m/s, m/s).
        friction: viscous coefficients (N m s/rad, N s/m, N s/m), ≥ 0, or laws.   heat_to: what they heat.
        q_built: q as built, 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, normal, "normal"), "normal")
        return self._join(name, Planar(), ends, place, rate, friction, heat_to, q_built)

    def free(self, name: str, parent: End, child: End) -> Joint:
        """No constraint: it says where a body or particle belongs."""
        ends = self._ends(name, parent, child)
        return self._join(name, Free(), ends, self._place(name, ends, None, np.eye(3), anywhere=True))

    def distance(
        self,
        name: str,
        a: End,
        b: End,
        *,
        at_a: ArrayLike | None = None,
        at_b: ArrayLike | None = None,
        length: float | None = None,
    ) -> Joint:
        """A massless rod between a point of `a` and a point of `b`, both given in the world as built.

        at_a, at_b: default: the origin of a frame, the place of a particle, the centre of mass of a body.
        length:     [m]; default: as built. Assembling brings the points to another one.
        """
        ends = self._ends(name, a, b)
        r_a = point_on(ends.parent, ends.parent_frame, at_a, f"distance {name!r}", "at_a")
        r_b = point_on(ends.child, ends.child_frame, at_b, f"distance {name!r}", "at_b")
        built = float(np.linalg.norm(r_b - r_a))
        if not built > 0:
            raise ModelError(
                f"the points of distance {name!r} on {ends.parent.name!r} and {ends.child.name!r} coincide as built: "
                "it has no direction.\nPlace them apart, or use a spherical joint."
            )
        if length is not None:
            built = finite_number(length, f"length of distance {name!r} [m]", positive=True)
        R_W = joint_frame((r_b - r_a) / np.abs(r_b - r_a).max())
        return self._join(name, Distance(built), ends, ((R_W, r_a), (R_W, r_b)))

    def point_on_plane(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: ArrayLike | None = None,
    ) -> Joint:
        """The child's point `at` stays in the plane through it, fixed in the parent; q: its two displacements there.

        friction: viscous coefficients [N s/m] along x and y, ≥ 0, or laws.   heat_to: what they heat.
        q_built: q as built, 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, normal, "normal"), "normal")
        return self._join(name, PointOnPlane(), ends, place, None, friction, heat_to, q_built)

    def point_on_line(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        friction: Friction = 0.0,
        heat_to: Thermal | str | None = None,
        q_built: float | None = None,
    ) -> Joint:
        """The child's point `at` stays on the line through it, fixed in the parent; q: its displacement there.

        friction: viscous coefficient [N s/m], ≥ 0, or a law.   heat_to: what it heats.
        q_built: q as built, 0 by default; all that depends on q counts from its zero.
        """
        ends = self._ends(name, parent, child)
        place = self._place(name, ends, at, direction(name, axis), "axis")
        return self._join(name, PointOnLine(), ends, place, None, friction, heat_to, q_built)

    def _limited(
        self, joint: Joint, limits: tuple[float, float] | None, stiffness: float | None, damping: float | None
    ) -> Joint:
        """Add a joint that was checked, and its stops."""
        stop = limits_of(joint, limits, stiffness, damping)
        self._add_joint(joint)
        if stop is not None:
            self._add(stop)
        return joint


def _crossed(name: str, axes: tuple[ArrayLike, ArrayLike]) -> Array:
    """The joint frame of a universal joint: z along the first axis, x along the second."""
    if not isinstance(axes, tuple | list | np.ndarray) or len(axes) != 2:
        raise ModelError(f"axes of joint {name!r} must be two directions, (on the parent, on the child), got {axes!r}.")
    frames = [direction(name, axis, f"axes[{k}]") for k, axis in enumerate(axes)]
    z, x = (frame[:, 2] for frame in frames if frame is not None)
    if abs(z @ x) > RIGHT_ANGLE:
        angle = float(np.degrees(np.arccos(np.clip(z @ x, -1.0, 1.0))))
        raise ModelError(
            f"the axes of universal joint {name!r} make an angle of {angle:.6g}°. They must be normal to each other as "
            "built;\nfor skew axes put a massless body between two revolute joints."
        )
    y = np.cross(z, x)
    return np.column_stack([np.cross(y, z), y, z])
