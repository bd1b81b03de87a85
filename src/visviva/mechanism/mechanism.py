"""The builder: a mechanism grows part by part, every part checked when it is added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SO3
from visviva.geometry.inertia import Inertia, check_inertia
from visviva.library.joints import AbstractJoint, Revolute, Spherical
from visviva.mechanism.names import check_new_name, unknown_name
from visviva.mechanism.parts import (
    Body,
    Carrier,
    Frame,
    Ground,
    Joint,
    Part,
    Particle,
    Port,
    Torque,
    WrenchPort,
)

if TYPE_CHECKING:
    from visviva.mechanism.assembly import AssemblyReport, Motion

P = TypeVar("P", bound="Part | Ground")
RotationLike = SO3 | ArrayLike | None


class Mechanism:
    """Bodies, joints and loops in space.

    gravity: acceleration vector [m/s²] in world axes; none by default.
    theta0:  temperature [K] of the environment that takes up the heat of friction.

    All placements are world points of the mechanism as built; joints are (name, parent, child, ...), and where a
    part is asked for, its handle or its name will do.
    """

    def __init__(self, name: str = "mechanism", *, gravity: ArrayLike = (0, 0, 0), theta0: float = 300.0) -> None:
        if not isinstance(name, str):
            raise ModelError(f"the first argument of a Mechanism is its name, got {name!r}; gravity is a keyword.")
        self.name = name
        self.gravity: Array = finite_vector(gravity, f"gravity of mechanism {name!r}", 3)
        self.theta0 = finite_number(theta0, f"theta0 of mechanism {name!r} [K]", positive=True)
        self.ground = Ground()
        self.parts: dict[str, Part] = {}

    # -- what is there ------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> list[Body | Particle]:
        """All that has mass, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Body | Particle)]

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Joint)]

    @property
    def frames(self) -> list[Frame]:
        """All named frames."""
        return [part for part in self.parts.values() if isinstance(part, Frame)]

    @property
    def ports(self) -> list[Port]:
        """All input ports, in the order of building: the order of u."""
        return [part for part in self.parts.values() if isinstance(part, Port)]

    def __getitem__(self, name: str) -> Part | Ground:
        if name == self.ground.name:
            return self.ground
        if name not in self.parts:
            raise unknown_name(name, [self.ground.name, *self.parts], f"mechanism {self.name!r}")
        return self.parts[name]

    def __repr__(self) -> str:
        counts = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.ports)} ports"
        return f"<Mechanism {self.name!r}: {counts}>"

    # -- masses and frames --------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        *,
        mass: float | None = None,
        inertia: Inertia | ArrayLike | None = None,
        com: ArrayLike | None = None,
        at: ArrayLike = (0, 0, 0),
        rotation: RotationLike = None,
        twist: ArrayLike | None = None,
    ) -> Body:
        """Add a rigid body and return its handle.

        inertia:  an `Inertia`, or (3,) principal moments or a (3, 3) tensor about the centre of mass, body axes.
        mass:     [kg]; may be omitted where the `Inertia` has it.
        com:      centre of mass in the body frame; default: the `Inertia`'s own, else the origin.
        at:       origin of the body frame in the world.
        rotation: its orientation R_WB, an SO3 or a (3, 3) matrix.
        twist:    initial (ω; v) of the body frame in its own axes; left out, it follows from the joints.
        """
        self._new_name(name, "body")
        m, J, c = _mass_data(name, mass, inertia, com)
        moments, R_BC = Inertia(mass=m, com=c, J=J).principal()
        return self._add(
            Body(
                name=name,
                mass=m,
                J=J,
                com=c,
                R_WB=_rotation_matrix(rotation, f"rotation of body {name!r}"),
                r_WB=finite_vector(at, f"at of body {name!r}", 3),
                R_BC=R_BC,
                J_C=moments,
                twist=None if twist is None else finite_vector(twist, f"twist (ω; v) of body {name!r}", 6),
            )
        )

    def particle(self, name: str, *, mass: float, at: ArrayLike, velocity: ArrayLike | None = None) -> Particle:
        """Add a point mass [kg] at a world point, with an initial velocity in world axes."""
        self._new_name(name, "particle")
        return self._add(
            Particle(
                name=name,
                mass=finite_number(mass, f"mass of particle {name!r} [kg]", positive=True),
                r_W=finite_vector(at, f"at of particle {name!r}", 3),
                velocity=None if velocity is None else finite_vector(velocity, f"velocity of particle {name!r}", 3),
            )
        )

    def frame(self, name: str, carrier: Body | Ground | str, *, at: ArrayLike, rotation: RotationLike = None) -> Frame:
        """Name a frame that moves with a body; `at` and `rotation` are those of the mechanism as built."""
        self._new_name(name, "frame")
        part = self._find(carrier, f"frame {name!r}")
        if not isinstance(part, Body | Ground):
            raise ModelError(f"frame {name!r} cannot sit on {_kind(part)} {part.name!r}: give a body or the ground.")
        R_WF = _rotation_matrix(rotation, f"rotation of frame {name!r}")
        return self._add(Frame(name, part, R_WF, finite_vector(at, f"at of frame {name!r}", 3)))

    # -- joints -------------------------------------------------------------------------------------------------

    def revolute(
        self,
        name: str,
        parent: Carrier | str,
        child: Carrier | str,
        *,
        at: ArrayLike,
        axis: ArrayLike,
        rate: float | None = None,
        friction: float = 0.0,
    ) -> Joint:
        """A hinge at the world point `at` about the world direction `axis`.

        rate:     initial rate of the child against the parent about the axis [rad/s]; left out, it is open.
        friction: viscous coefficient [N m s/rad], ≥ 0.
        """
        self._new_name(name, "joint")
        direction = finite_vector(axis, f"axis of joint {name!r}", 3)
        largest = float(np.abs(direction).max())
        if not largest > 0:
            raise ModelError(
                f"axis of joint {name!r} is zero. A revolute joint needs a direction, e.g. axis=(0, 0, 1)."
            )
        return self._join(
            name,
            Revolute(),
            parent,
            child,
            at,
            R_W=_frame_about(direction / largest),
            rate=None if rate is None else finite_number(rate, f"rate of joint {name!r} [rad/s]"),
            friction=finite_number(friction, f"friction of joint {name!r} [N m s/rad]", minimum=0.0),
        )

    def spherical(self, name: str, parent: Carrier | str, child: Carrier | str, *, at: ArrayLike) -> Joint:
        """A ball joint at the world point `at`."""
        return self._join(name, Spherical(), parent, child, at, R_W=np.eye(3))

    def _join(
        self,
        name: str,
        joint: AbstractJoint,
        parent: Carrier | str,
        child: Carrier | str,
        at: ArrayLike,
        *,
        R_W: Array,
        rate: float | None = None,
        friction: float = 0.0,
    ) -> Joint:
        self._new_name(name, "joint")
        point = finite_vector(at, f"at of joint {name!r}", 3)
        ends = (self._carrier(parent, name), self._carrier(child, name))
        if ends[0] is ends[1]:
            raise ModelError(f"joint {name!r} connects {ends[0].name!r} with itself. Parent and child must differ.")
        for end in ends:
            if isinstance(end, Particle):
                _check_particle_joint(name, joint, end, point)
        return self._add(Joint(name, joint, *ends, R_W, point, rate, friction))

    # -- input ports --------------------------------------------------------------------------------------------

    def torque(self, name: str, joint: Joint | str) -> Torque:
        """An input port: a torque [N m] of the child against the parent about the axis of a joint that turns."""
        self._new_name(name, "port")
        part = self._find(joint, f"torque {name!r}")
        if not isinstance(part, Joint) or not part.joint.turns:
            raise ModelError(
                f"torque {name!r} cannot sit on {_kind(part)} {part.name!r}, which has no axis to turn about.\n"
                "Give a revolute joint; for a moment on a body use m.wrench(...)."
            )
        return self._add(Torque(name, part))

    def wrench(self, name: str, carrier: Body | Particle | str, *, frame: str = "world") -> WrenchPort:
        """An input port: a wrench (m; f) on a body, a force on a particle, at the centre of mass, in world axes."""
        self._new_name(name, "port")
        if frame != "world":
            raise ModelError(f"wrench {name!r} asks for frame {frame!r}; wrench ports are given in 'world' axes.")
        part = self._find(carrier, f"wrench {name!r}")
        if not isinstance(part, Body | Particle):
            raise ModelError(f"wrench {name!r} cannot sit on {_kind(part)} {part.name!r}: give a body or a particle.")
        return self._add(WrenchPort(name, part, 6 if isinstance(part, Body) else 3))

    # -- initial motion -----------------------------------------------------------------------------------------

    def assemble(self, fixed: Sequence[str] | None = None) -> tuple[Motion, AssemblyReport]:
        """Consistent initial poses and velocities, and an account of what changed: see `assembly.assemble`."""
        from visviva.mechanism.assembly import assemble

        return assemble(self, fixed)

    def mobility(self) -> int:
        """Number of independent velocities that the joints leave, as built."""
        from visviva.mechanism.mobility import mobility

        return mobility(self)

    def redundant(self) -> dict[str, int]:
        """Joints with constraint rows that follow from the others, and how many, as built."""
        from visviva.mechanism.mobility import redundant

        return redundant(self)

    def snapshot(self) -> Mechanism:
        """The mechanism as it is now: later additions do not reach it. Its parts are shared, they never change."""
        copy = Mechanism(self.name, gravity=self.gravity, theta0=self.theta0)
        copy.ground, copy.parts = self.ground, dict(self.parts)
        return copy

    # -- helpers ------------------------------------------------------------------------------------------------

    def _new_name(self, name: str, what: str) -> None:
        check_new_name(name, self.parts, what)

    def _add(self, part: P) -> P:
        self.parts[part.name] = part  # type: ignore[assignment]
        return part

    def _find(self, part: Part | Ground | str, where: str) -> Part | Ground:
        if isinstance(part, str):
            return self[part]
        if not isinstance(part, Part | Ground):
            raise ModelError(f"{where} refers to {part!r}, which is no part of mechanism {self.name!r}.")
        if part is not self.ground and self.parts.get(part.name) is not part:
            raise ModelError(
                f"{where} refers to {_kind(part)} {part.name!r}, which is no part of mechanism {self.name!r}.\n"
                "It was made by another mechanism: use a handle that this one returned, or a name."
            )
        return part

    def _carrier(self, part: Carrier | str, joint: str) -> Carrier:
        found = self._find(part, f"joint {joint!r}")
        if not isinstance(found, Carrier):
            raise ModelError(
                f"joint {joint!r} cannot hold {_kind(found)} {found.name!r}: give a body, particle or ground."
            )
        return found


def _kind(part: Part | Ground) -> str:
    return {"WrenchPort": "port", "Torque": "port", "Ground": "the"}.get(
        type(part).__name__, type(part).__name__.lower()
    )


def _mass_data(
    name: str, mass: float | None, inertia: Inertia | ArrayLike | None, com: ArrayLike | None
) -> tuple[float, Array, Array]:
    """Mass, inertia about the centre of mass, and centre of mass, from the ways in which they can be given."""
    if inertia is None:
        raise ModelError(
            f"body {name!r} has no inertia. Give e.g. inertia=vv.inertia.box(1.0, (0.1, 0.2, 0.3)), three principal\n"
            "moments or a (3, 3) tensor; for a mass without inertia use m.particle(...)."
        )
    c = np.zeros(3)
    if isinstance(inertia, Inertia):
        if mass is not None:
            mass = finite_number(mass, f"mass of body {name!r} [kg]", positive=True)
        if mass is not None and not np.isclose(mass, inertia.mass, rtol=1e-9, atol=0):
            raise ModelError(
                f"body {name!r} has mass={mass:g} kg, but its inertia was made for {inertia.mass:g} kg.\n"
                "Leave the mass out, or make both the same."
            )
        mass, J, c = inertia.mass, inertia.J, inertia.com
    elif mass is None:
        raise ModelError(f"body {name!r} has no mass. Give mass=... [kg], or an Inertia, which has one.")
    else:
        mass, J = check_inertia(mass, inertia, name)
    return float(mass), J, c if com is None else finite_vector(com, f"com of body {name!r}", 3)


def _rotation_matrix(rotation: RotationLike, what: str) -> Array:
    if rotation is None:
        return np.eye(3)
    if hasattr(rotation, "as_matrix"):  # a SciPy Rotation
        rotation = rotation.as_matrix()
    if np.shape(rotation) == (4,):
        raise ModelError(f"{what} is a quaternion: give SO3.from_quat((w, x, y, z)) of visviva.geometry, or a matrix.")
    R = SO3.from_matrix(rotation.R if isinstance(rotation, SO3) else rotation, name=what).R
    if R.shape != (3, 3):
        raise ModelError(f"{what} must be one rotation, a (3, 3) matrix; got shape {R.shape}.")
    return R


def _frame_about(direction: Array) -> Array:
    """A right-handed frame with z along the direction; x is normal to the world axis that is farthest from it."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _check_particle_joint(name: str, joint: AbstractJoint, particle: Particle, point: Array) -> None:
    if joint.kind != "spherical":
        raise ModelError(
            f"joint {name!r} is {joint.kind}, but {particle.name!r} is a particle and has no orientation.\n"
            "Use a spherical joint, or make it a body."
        )
    gap = float(np.linalg.norm(particle.r_W - point))
    if gap > 1e-9 * (1.0 + float(np.abs(point).max())):
        raise AssemblyError(
            f"joint {name!r} at {tuple(point.tolist())} cannot be assembled: particle {particle.name!r} is at "
            f"{tuple(particle.r_W.tolist())}, {gap:.3g} m away.\n"
            "A particle has no extent: put the joint where it is, or make it a body."
        )
