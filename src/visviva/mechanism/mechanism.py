"""The builder: a mechanism grows part by part, every part checked when it is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import suggesting
from visviva.errors import ModelError
from visviva.geometry.inertia import Inertia, check_inertia
from visviva.geometry.inertia.principal import principal_axes
from visviva.mechanism.box_methods import BoxMethods
from visviva.mechanism.builder import RotationLike, rotation_matrix
from visviva.mechanism.calls import Call, recording
from visviva.mechanism.condition_methods import ConditionMethods
from visviva.mechanism.damper_methods import DamperMethods
from visviva.mechanism.definition import Definition
from visviva.mechanism.drive_methods import DriveMethods
from visviva.mechanism.inclusion_methods import InclusionMethods
from visviva.mechanism.inventory import Coordinate, Part, kind_of
from visviva.mechanism.joint_methods import JointMethods
from visviva.mechanism.parts import Body, Force, Frame, Ground, Particle, Torque, WrenchPort
from visviva.mechanism.pose_spring_methods import PoseSpringMethods
from visviva.mechanism.rolling_methods import RollingMethods
from visviva.mechanism.shapes import Shape
from visviva.mechanism.spring_methods import SpringMethods

if TYPE_CHECKING:
    from visviva.language import Composite
    from visviva.mechanism.analysis import Analysis
    from visviva.mechanism.assembly import AssemblyReport, Motion, StateLike
    from visviva.mechanism.inclusion import Shapes
    from visviva.mechanism.interconnection import Interconnection
    from visviva.mechanism.module import Module
    from visviva.mechanism.network import MechanismNetwork
    from visviva.mechanism.parameters import Parameters

T = TypeVar("T")


@recording
@suggesting
class Mechanism(
    JointMethods,
    SpringMethods,
    PoseSpringMethods,
    DamperMethods,
    DriveMethods,
    ConditionMethods,
    RollingMethods,
    InclusionMethods,
    BoxMethods,
):
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
        self.gravity: Array = frozen(finite_vector(gravity, f"gravity of mechanism {name!r}", 3))
        self.theta0 = finite_number(theta0, f"theta0 of mechanism {name!r} [K]", positive=True)
        self.ground = Ground()
        self.parts: dict[str, Part] = {}
        self.shapes: dict[str, tuple[Shape, ...]] = {}  # what bodies and the ground look like, by name
        self.inclusions: dict[str, Shapes] = {}  # what each has brought along to look at, by prefix
        self._defined: tuple[object, Definition | None] = None, None  # a revision of it, and what it was then
        self._calls: list[Call] = []  # that have built it
        self._inside_call = False
        self._laws: dict[Any, Any] = {}  # traced functions, see `Builder._traced`

    # -- what is there ------------------------------------------------------------------------------------------

    @property
    def modules(self) -> dict[str, Module]:
        """Handles of what `include` has put there, by prefix; modules of modules with dots, "arm.left"."""
        from visviva.mechanism.module import Module

        return {name: Module(self, name) for name in self.inclusions}

    @property
    def definition(self) -> Definition:
        """Its parts as data, as they are now, which all readings of it take; the same until the mechanism grows."""
        revision, (known, definition) = self._revision, self._defined
        if definition is None or known != revision:
            definition = self._define({})
        return definition

    @property
    def made(self) -> dict[Any, Any]:
        """What others have made of its definition, by keys of theirs."""
        return self.definition.made

    @property
    def alike(self) -> dict[Any, Any]:
        """The same of its geometry alone."""
        return self.definition.alike

    def _define(self, alike: dict[Any, Any]) -> Definition:
        """Make the definition of the mechanism as it is now; alike: what has been made of its geometry already."""
        definition = Definition(
            self.name,
            self.gravity,
            self.theta0,
            self.ground,
            dict(self.parts),
            dict(self.shapes),
            dict(self.inclusions),
            tuple(self._calls),
            self._laws,
            alike=alike,
        )
        self._defined = self._revision, definition
        return definition

    @property
    def _revision(self) -> object:
        looks = tuple((name, id(shapes)) for name, shapes in self.shapes.items())
        parts = tuple(map(id, self.parts.values()))  # they never change, and the definition holds them alive
        return self.name, self.theta0, self.gravity.tobytes(), parts, looks

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
        massless: bool = False,
    ) -> Body:
        """Add a rigid body and return its handle.

        inertia:  an `Inertia`, or (3,) principal moments or a (3, 3) tensor about the centre of mass, body axes.
        mass:     [kg]; may be omitted where the `Inertia` has it.
        com:      centre of mass in the body frame; default: the `Inertia`'s own, else the origin.
        at:       origin of the body frame in the world.
        rotation: its orientation R_WB, an SO3 or a (3, 3) matrix.
        twist:    initial (ω; v) of the body frame in its own axes; left out, it follows from the joints.
        massless: a body without mass and inertia; its joints and springs must leave it no motion of its own.
        """
        self._new_name(name, "body")
        if massless:
            m, J, c = _no_mass(name, mass, inertia, com)
            moments, R_BC = np.zeros(3), np.eye(3)
        else:
            m, J, c = _mass_data(name, mass, inertia, com)
            moments, R_BC = principal_axes(J)
        return self._add(
            Body(
                name=name,
                mass=m,
                J=J,
                com=c,
                R_WB=rotation_matrix(rotation, f"rotation of body {name!r}"),
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
            raise ModelError(f"frame {name!r} cannot sit on {kind_of(part)} {part.name!r}: give a body or the ground.")
        R_WF = rotation_matrix(rotation, f"rotation of frame {name!r}")
        return self._add(Frame(name, part, R_WF, finite_vector(at, f"at of frame {name!r}", 3)))

    def stream(
        self,
        name: str,
        *,
        twist: ArrayLike,
        rate: float | Callable[[float], Any] = 1.0,
        against: Body | Ground | Frame | str = "ground",
    ) -> Body:
        """A fluid, or a belt, that moves as one rigid body in a given way and has no mass: a parent for `m.damper`.

        twist:   (ω; v) in world axes at the origin of the world [rad/s, m/s], as built: (0, 0, 0, 5, 0, 0) is wind
                 along x, (0, 0, 2, 0, 0, 0) a vortex about z.
        rate:    a factor of the twist, a number or a function of time.   against: what it moves against.

        It is a massless body on a joint `<name> axis` along its screw, with a drive `<name> drive`, whose work is what
        the fluid gives to what it carries along. Several streams add up: `against` another one.
        """
        from visviva.mechanism.streams import add_stream

        return add_stream(self, name, twist, rate, against)

    # -- input ports --------------------------------------------------------------------------------------------

    def torque(self, name: str, joint: Coordinate) -> Torque:
        """An input port: a torque [N m] of the parent on the child along an angle of a joint.

        joint: one that has one angle, or (joint, number) or (joint, name), as ("cardan", "second").
        Its output is the rate of the angle [rad/s]. For a moment on a body use `wrench`.
        """
        self._new_name(name, "port")
        return self._add(
            Torque(
                name,
                self._coordinate(
                    joint, f"torque {name!r}", turns=True, hint="\nFor a moment on a body use m.wrench(...)."
                ),
            )
        )

    def force(self, name: str, joint: Coordinate) -> Force:
        """An input port: a force [N] of the parent on the child along a displacement of a joint.

        joint: one that has one displacement, or (joint, number) or (joint, name), as ("table", "x").
        Its output is the rate of the displacement [m/s]. For a force on a body use `wrench`.
        """
        self._new_name(name, "port")
        return self._add(
            Force(
                name,
                self._coordinate(
                    joint, f"force {name!r}", turns=False, hint="\nFor a force on a body use m.wrench(...)."
                ),
            )
        )

    def wrench(self, name: str, carrier: Body | Particle | str, *, frame: str = "world") -> WrenchPort:
        """An input port: a wrench (m; f) on a body, a force on a particle, at the centre of mass.

        frame: axes in which it is given: "world", or "body" for those of the body's frame, as thrusts have them.
        """
        self._new_name(name, "port")
        if frame not in ("world", "body"):
            raise ModelError(f"wrench {name!r} asks for frame {frame!r}; wrench ports are in 'world' or 'body' axes.")
        part = self._find(carrier, f"wrench {name!r}")
        if not isinstance(part, Body | Particle):
            raise ModelError(f"wrench {name!r} cannot sit on {kind_of(part)} {part.name!r}: give a body or a particle.")
        if frame == "body" and isinstance(part, Particle):
            raise ModelError(f"wrench {name!r} is in axes of {part.name!r}, a particle, which has none: frame='world'.")
        return self._add(WrenchPort(name, part, 6 if isinstance(part, Body) else 3, frame))

    # -- motion and structure; `at` is any state, see `assembly.motion_of`, `motion` its older name ------------------

    def assemble(
        self, fixed: Sequence[str] | None = None, *, at: StateLike | None = None
    ) -> tuple[Motion, AssemblyReport]:
        """Consistent initial poses and velocities, and an account of what changed: see `assembly.assemble`.

        at: values by name, e.g. {"hinge.q": 0.3, "hinge.rate": 1.0}; what is not given stays as near as built.
        """
        from visviva.mechanism.assembly import assemble

        return assemble(self.definition, fixed, at)

    def mobility(self) -> int:
        """Number of independent velocities that the joints leave, as built."""
        from visviva.mechanism.mobility import mobility

        return mobility(self.definition)

    def redundant(self) -> dict[str, int]:
        """Joints with constraint rows that follow from the others, and how many, as built."""
        from visviva.mechanism.mobility import redundant

        return redundant(self.definition)

    def analysis(self, at: StateLike | None = None, *, motion: Motion | None = None) -> Analysis:
        """Mobility, rank, redundant rows and states of self-stress, as assembled or at a state; prints as a table."""
        from visviva.mechanism.analysis import analyse

        return analyse(self.definition, motion if at is None else at)

    def kinestatics(self, at: StateLike | None = None, *, motion: Motion | None = None) -> MechanismNetwork:
        """Twists and wrenches that the joints allow, at a state; as assembled by default: see `network`."""
        from visviva.mechanism.network import kinestatics_of

        return kinestatics_of(self.definition, motion if at is None else at)

    def interconnection(self, at: StateLike | None = None, *, motion: Motion | None = None) -> Interconnection:
        """The bodies joined by ports, at a state; as assembled by default: see `interconnection`."""
        from visviva.mechanism.interconnection import interconnection_of

        return interconnection_of(self.definition, motion if at is None else at)

    def system(self, expose: Any = ()) -> Composite:
        """The mechanism as a composite of the language: see `composite.composite_of`.

        expose: bodies, thermal nodes, and "s" for the heat of all that has no node, to be shown as outer ports.
        """
        from visviva.mechanism.composite import composite_of

        return composite_of(self.definition, expose)

    def system_state(self, at: StateLike | None = None, *, motion: Motion | None = None) -> dict[str, Array]:
        """Values of the variables of `system()` at a state, as assembled by default."""
        from visviva.mechanism.composite import state_of

        return state_of(self.definition, motion if at is None else at)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was traced of functions, which no file holds, and what was made of it."""
        return {**vars(self), "_laws": {}, "_defined": (None, None)}

    def snapshot(self) -> Mechanism:
        """A mechanism of its own with the same parts, to go on building: parts never change, and are shared."""
        copy = Mechanism(self.name, gravity=self.gravity, theta0=self.theta0)
        copy.ground, copy.parts, copy.shapes = self.ground, dict(self.parts), dict(self.shapes)
        copy.inclusions, copy._calls, copy._laws = dict(self.inclusions), list(self._calls), self._laws
        copy._defined = self._revision, self.definition
        return copy

    @property
    def parameters(self) -> Parameters:
        """Its numbers by name, {"arm.mass": 1.5, ...}; prints as a table with units: see `mechanism.parameters`."""
        from visviva.mechanism.parameters import Parameters

        return Parameters(self.definition)

    def with_parameters(self, values: Mapping[str, Any]) -> Mechanism:
        """The mechanism with some other numbers, {"arm.mass": 2.0, "spring.k": 40.0, "gravity": (0, 0, -1.6)}.

        It is the one that the same calls build with these numbers, with their checks, and it is a mechanism of its own.
        Places are those of the builder, world points as built: a joint that is moved by "hinge.at" takes no body along,
        and loops that do not close as built are assembled. Functions, "spring.energy", can be given as well.
        Nothing is compiled again, unless a law becomes another one.
        """
        from visviva.mechanism.parameters import Parameters, rebuilt

        return rebuilt(self.definition, Parameters(self.definition).changes(values), self)


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
    if mass is not None and np.ndim(mass) == 0 and mass == 0:
        raise ModelError(
            f"mass of body {name!r} must be positive, got 0. A body that is meant to have neither mass nor inertia\n"
            "is made by m.body(..., massless=True), without them."
        )
    if isinstance(inertia, Inertia):
        if mass is not None:
            mass = finite_number(mass, f"mass of body {name!r} [kg]", positive=True)
        if mass is not None and abs(mass - inertia.mass) > 1e-9 * inertia.mass:
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


def _no_mass(
    name: str, mass: float | None, inertia: Inertia | ArrayLike | None, com: ArrayLike | None
) -> tuple[float, Array, Array]:
    """Mass data of a massless body, for which none may be given but the point that stands for its centre of mass."""
    if (mass is not None and mass != 0) or (inertia is not None and np.any(np.asarray(inertia) != 0)):
        raise ModelError(f"body {name!r} is massless, but has a mass or an inertia. Leave them out, or massless=True.")
    return 0.0, np.zeros((3, 3)), np.zeros(3) if com is None else finite_vector(com, f"com of body {name!r}", 3)


@overload
def definition_of(what: Mechanism) -> Definition: ...
@overload
def definition_of(what: T) -> T: ...
def definition_of(what: Any) -> Any:
    """The definition of a mechanism; whatever else was given as it is."""
    return what.definition if isinstance(what, Mechanism) else what
