"""What acts in a mechanism as tables: springs, dampers, friction and inputs, see `kernels.multibody.elements`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.energies import energy_law_of
from visviva.compiler.flows import NotCompilable
from visviva.compiler.laws import EnergyLaw
from visviva.compiler.machine_couplings import MachineCouplings
from visviva.compiler.machine_functions import Functions, Int, table
from visviva.compiler.machine_losses import NO_NODE, LossTables
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import AXES, Angle, Family, Product
from visviva.mechanism.coordinates import pair_functions
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.elements import JointElement
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.other_states import entropy_of
from visviva.mechanism.parts import Force, Joint, JointCoordinate, Motor, OneAlong, Pair, PairCoordinate
from visviva.model import Model
from visviva.model.body import Gyroscopic, PosePort
from visviva.model.conditioned import Conditioned, DrivePort
from visviva.model.friction import LawFriction, StopLoss
from visviva.model.heat import Cooling, HeatCapacity, Heated
from visviva.model.holonomic import Holonomic
from visviva.model.law import LawEnergy
from visviva.model.measured import (
    Measured,
    MeasuredAngle,
    MeasuredDissipation,
    MeasuredPort,
    MeasuredStack,
    SpinDissipation,
    StackDissipation,
)
from visviva.model.motor import MotorCoupling
from visviva.model.storage import Kinetic, Linear
from visviva.model.structure import AbstractDissipation, AbstractPort, AbstractStructure, Dissipation, Port, Routing
from visviva.model.turn import Turn, TurnFriction, TurnPort

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Conditions, Elements, GeneratedRows


@final
class ActingParts:
    """All structures of a model that act on bodies, in its order; raises `NotCompilable` for one without compiled form.

    functions: they get those that elements act along.
    flipped:   joints whose products of axes are told from their child to their parent.
    instants:  whether efforts are wanted at instants, not over steps.
    boxed:     how many structures, the last ones, are those of boxes.
    boxes:     by box: the first of its measures, their number, their first slope.
    y:         measure and place in the state, of those that are states.
    """

    def __init__(
        self, model: Model, functions: Functions, instants: bool, flipped: frozenset[str], boxed: int = 0
    ) -> None:
        assert model.definition is not None
        self.model = model
        self.m = model.definition
        self.functions = functions
        self.instants = instants
        self.flipped = flipped
        self.members: list[tuple[int, int, int]] = []  # of stacks: turn or -1, function or -1, first member
        self._stacks: dict[str, list[int]] = {}
        self._motors = {motor.name: k for k, motor in enumerate(self.m.motors)}
        self.y: list[tuple[int, int]] = []
        self._turn_number = {turn.name: k for k, turn in enumerate(model.turns)}
        self._measures = 0
        self._slopes = 0
        self._element: list[list[int]] = []
        self._damping: list[Array] = [np.zeros(0)]
        self._damped_size = 0
        self._twists: list[tuple[int, int, int]] = []
        self._friction: list[float] = []
        self._heats: list[tuple[int, int]] = []
        self._works: list[tuple[int, int]] = []
        self._loads: list[tuple[int, int, int, int]] = []
        self._axes: list[Array] = []
        self._pushed: list[tuple[int, int]] = []
        self._stored = {part.variable for part in model.storages}
        self._slope_of: dict[str, tuple[int, int]] = {}  # by name of its variable: first measure, first slope
        self._number = {spring.name: self._new_element(spring, spring.rows) for spring in self.m.elements}
        along = [(stop.name, stop.at) for stop in self.m.stops]
        along += [(part.name, part.coordinates[0]) for part in self.m.joint_elements if len(part.coordinates) == 1]
        for name, at in along:
            if isinstance(at.scalar, Product):
                self._number[name] = self._new_element(at.joint, (at.scalar,))
        self.losses = LossTables(self.m)
        self._other_states()
        self.couplings = MachineCouplings(model, functions.number)
        last = len(model.structures) - boxed
        for part in model.structures[:last]:
            if not isinstance(part, Holonomic | Gyroscopic) and not _is_motion(part):
                self._add(part)
        for part in model.structures[last:]:
            self._add_boxed(part)
        self.boxes = [self._new_stack(box.scalars) for box in self.m.boxes]
        self._stacks |= {box.name: own for box, own in zip(self.m.boxes, self.boxes, strict=True)}

    @cached_property
    def _turns(self) -> dict[tuple[tuple[str, ...], tuple[bytes, ...]], int]:
        """Numbers of turns by their functions."""
        return {_turn_key(turn): k for k, turn in enumerate(self.model.turns)}

    @property
    def widest(self) -> int:
        """Number of functions of an element, at most."""
        return max((part[1] for part in self._element), default=1)

    def conditions(self, first: int, generated: GeneratedRows) -> Conditions:
        """Couplings, the first with the multiplier `first`, and generated rows."""
        from visviva.kernels.multibody.tables import Conditions

        return Conditions(self.couplings.tables(self._measures, first), generated)

    def tables(self) -> Elements:
        """As the kernels want them."""
        from visviva.kernels.multibody.tables import Elements

        law, law_rows, law_numbers = self._laws()
        return Elements(
            y=np.zeros((3, self._measures)),
            effort=np.zeros(self._measures),
            slope=np.zeros(self._slopes),
            law=law,
            law_rows=law_rows,
            law_numbers=law_numbers,
            element=table(self._element, 6),
            damping=np.concatenate(self._damping),
            stacks=table(list(self._stacks.values()), 4),
            pushed=table(self._pushed, 2),
            loads=table(self._loads, 4),
            axes=np.array(self._axes, dtype=np.float64).reshape(-1, 9),
            twists=table(self._twists, 3),
            friction=np.array(self._friction, dtype=np.float64),
            heats=table(self._heats, 2),
            works=table(self._works, 2),
        )

    def _other_states(self) -> None:
        """Entropies of thermal nodes and flux linkages of motors have places among the measures."""
        places = self.model.layout.x
        for node in self.m.thermals:
            self.losses.nodes.append((node, self._measures))
            self._measures += 1
            self.y.append((self.losses.nodes[-1][1], places[entropy_of(node)].start))

    def _add(self, part: AbstractStructure) -> None:
        """A structure; what dissipates heats the environment, or what its heat goes to."""
        node, count = NO_NODE, len(self._heats)
        if isinstance(part, Heated):
            node, part = self.losses.node(part.sink), part.inner
        self._add_cold(part, node)
        self.losses.sinks += [node] * (len(self._heats) - count)

    def _add_boxed(self, part: AbstractStructure) -> None:
        """A structure of a box, which accounts for its heat and work itself."""
        from visviva.kernels.multibody.accounts import INTO_BOX
        from visviva.kernels.multibody.heats import BY_BOX

        if isinstance(part, AbstractDissipation):
            self._heats.append((BY_BOX, 0))
            self.losses.sinks.append(NO_NODE)
        elif isinstance(part, AbstractPort):
            self._works.append((INTO_BOX, 0))

    def _add_cold(self, part: AbstractStructure, node: int) -> None:
        from visviva.kernels.multibody.accounts import BY_COUPLING, BY_LOAD, BY_PUSH, BY_VOLTAGE
        from visviva.kernels.multibody.heats import (
            BY_COOLING,
            BY_ELEMENT,
            BY_LAW,
            BY_MOTOR,
            BY_STACK,
            BY_STOP,
            BY_TWIST,
        )

        columns = self.model.port_columns
        match part:
            case Measured():
                first, n, slope = self._element[self._number[part.name]][:3]
                at = self.model.layout.x[part.acts[0]].start
                self.y += [(first + k, at + k) for k in range(n)]
                self._slope_of[part.acts[0]] = (first, slope)
            case MeasuredStack():
                first, n, slope, _ = self._stack(part)
                at = self.model.layout.x[part.acts[0]].start
                self.y += [(first + k, at + k) for k in range(n)]
                self._slope_of[part.acts[0]] = (first, slope)
            case StackDissipation():
                stack = self._stack(part.measure)
                stack[3] = self._add_damping(part.D)
                self._heats.append((BY_STACK, list(self._stacks).index(part.name)))
            case SpinDissipation():
                self._heats.append((BY_ELEMENT, self._spun(part)))
            case MeasuredAngle() if part.acts[0] not in self._stored:
                self.couplings.follow(self._turn(part.turn), self.model.layout.x[part.acts[0]].start)
            case Conditioned():
                if isinstance(part.condition, Coupling):  # others are generated rows
                    self._couple(part, part.condition)
            case DrivePort():
                self._works.append((BY_COUPLING, self.couplings.number(part.name)))
            case MeasuredAngle():
                y, slope = self._new_twist(part.turn)
                self.y.append((y, self.model.layout.x[part.acts[0]].start))
                self._slope_of[part.acts[0]] = (y, slope)
            case TurnFriction():
                self._heats.append((BY_TWIST, len(self._twists)))
                self._new_twist(part.turn, part.d)
            case MeasuredDissipation():
                self._heats.append((BY_ELEMENT, self._damped(part)))
            case TurnPort():
                self._works.append((BY_PUSH, len(self._pushed)))
                self._pushed.append((self._new_twist(part.turn)[0], columns[part.name].start))
            case MeasuredPort():
                force = self.m.parts[part.name]
                assert isinstance(force, Force)
                assert isinstance(force.at.scalar, Product)
                self._works.append((BY_PUSH, len(self._pushed)))
                first = self._element[self._new_element(force.joint, (force.at.scalar,))][0]
                self._pushed.append((first, columns[part.name].start))
            case LawFriction(measure=MeasuredAngle() as angle):
                y, slope = self._new_twist(angle.turn)
                self._heats.append((BY_LAW, self.losses.rub(part, y, 1, slope, node)))
            case LawFriction(measure=Measured(y=measured)):
                joint = self.m.parts[part.name]
                assert isinstance(joint, Joint)
                rows: tuple[Product, ...] = AXES if measured.m == len(AXES) else (_coordinate(joint, measured),)
                first, n, slope = self._element[self._new_element(joint, rows)][:3]
                self._heats.append((BY_LAW, self.losses.rub(part, first, n, slope, node)))
            case StopLoss():
                self._heats.append((BY_STOP, len(self.losses.stops)))
                self.losses.stops.append((list(self._slope_of[part.acts[0]]), part.loss))
            case MotorCoupling():
                self._motor(part)
            case Dissipation() if isinstance(self.m.parts.get(part.name), Motor):
                self._heats.append((BY_MOTOR, self._motors[part.name]))
            case Cooling():
                self._heats.append((BY_COOLING, self.losses.node(part.acts[0])))
            case Port() if isinstance(self.m.parts.get(part.name), Motor):
                self._works.append((BY_VOLTAGE, self._motors[part.name]))
            case PosePort() | Port():
                self._works.append((BY_LOAD, len(self._loads)))
                body = self.functions.number[part.acts[0].removesuffix(".v")]
                axes = part.axes if isinstance(part, PosePort) else None
                self._loads.append(
                    (body, columns[part.name].start, part.width, -1 if axes is None else len(self._axes))
                )
                if axes is not None:
                    self._axes.append(axes)
            case _:
                raise NotCompilable(f"{part.name!r} has no compiled form")

    def _motor(self, part: MotorCoupling) -> None:
        motor = self.m.parts[part.name]
        assert isinstance(motor, Motor)
        y, slope = self._new_twist(part.angle.turn)
        flux, column = self._measures, self.model.port_columns[part.name].start
        self._measures += 1
        self.y.append((flux, self.model.layout.x[part.acts[0]].start))
        self.losses.motors.append(([y, slope, flux, column], [motor.resistance, motor.inductance, motor.k]))

    def _new_twist(self, turn: Turn, friction: float = 0.0) -> tuple[int, int]:
        """An angle that an effort acts along; its measure and slope. friction: viscous [N m s/rad]."""
        y, slope = self._measures, self._slopes
        self._measures, self._slopes = y + 1, slope + 1
        self._twists.append((self._turn(turn), y, slope))
        self._friction.append(friction)
        return y, slope

    def _couple(self, part: Conditioned, coupling: Coupling) -> None:
        """The functions of a coupling: cos and sin of its angles, and its displacements."""
        terms = []
        for term in coupling.terms:
            one = term.coordinate
            rows: tuple[Product, ...] = (one.cos, one.sin) if isinstance(one, Angle) else (one,)
            measure, _, slope, _, _, function = self._element[self._new_element(term.joint, rows)]
            terms.append((measure, slope, self._turn_number[term.angle] if term.turns else -1, function))
        self.couplings.add(part, terms)

    def _turn(self, turn: Turn) -> int:
        """Which of the model's turns it is."""
        if _turn_key(turn) not in self._turns:
            raise NotCompilable(f"the angle of {turn.name!r} is not followed")
        return self._turns[_turn_key(turn)]

    def _new_element(self, pair: Pair, rows: tuple[Product, ...]) -> int:
        """Functions of an element; its number."""
        n, first = len(rows), len(self.functions)
        for k, row in enumerate(rows):
            self._add_function(pair, row, self._measures + k)
        self._element.append([self._measures, n, self._slopes, -1, 0, first])
        self._measures += n
        self._slopes += n * n
        return len(self._element) - 1

    def _add_function(self, pair: Pair, row: Product, place: int) -> None:
        """Along a joint's product of axes as the joint is told: the tree wants one order of its bodies."""
        flip = isinstance(pair, Joint) and pair.name in self.flipped and row.family is Family.DOT
        self.functions.add(pair, row, place, flip=flip)

    def _stack(self, measure: MeasuredStack) -> list[int]:
        """Coordinates that act together: their measures follow each other, and each has a slope of its own."""
        found = self._stacks.get(measure.name)
        if found is not None:
            return found
        element = self.m.parts[measure.name]
        assert isinstance(element, JointElement)
        self._stacks[measure.name] = self._new_stack(element.coordinates)
        return self._stacks[measure.name]

    def _new_stack(self, coordinates: Sequence[OneAlong]) -> list[int]:
        """Measures that follow each other, with slopes of each by each: the first, their number, first slope, -1."""
        n, y, slope, first = len(coordinates), self._measures, self._slopes, len(self.members)
        self._measures, self._slopes = y + n, slope + n * n
        for k, one in enumerate(coordinates):
            own = slope + k * (n + 1)
            product = one.product if isinstance(one, PairCoordinate) else one.scalar
            if isinstance(product, Product):
                self.members.append((-1, len(self.functions), first))
                self._element.append([y + k, 1, own, -1, 0, len(self.functions)])
                self._add_function(one.pair, product, y + k)
            else:
                assert isinstance(one, JointCoordinate)
                (name,) = (name for name, angle in turn_names(one.joint).items() if angle is one.scalar)
                self._twists.append((self._turn_number[name], y + k, own))
                self._friction.append(0.0)
                self.members.append((self._twists[-1][0], -1, first))
        return [y, n, slope, -1]

    def _add_damping(self, D: Array) -> int:
        """The place of a matrix of damping."""
        place = self._damped_size
        self._damping.append(D.ravel())
        self._damped_size += D.size
        return place

    def _spun(self, part: SpinDissipation) -> int:
        """The element of the products of axes that friction of a ball belongs to."""
        from visviva.kernels.multibody.tables import SPIN_OF_PAIR

        joint = self.m.parts[part.name]
        assert isinstance(joint, Joint)
        e = self._new_element(joint, AXES)
        self._element[e][3:5] = self._add_damping(part.D), SPIN_OF_PAIR
        return e

    def _damped(self, part: MeasuredDissipation) -> int:
        """The element that a damper belongs to: a spring of the mechanism, or the coordinate of a joint."""
        from visviva.kernels.multibody.tables import LINE, PLAIN

        if part.name in self._number:
            e = self._number[part.name]
        else:
            joint = self.m.parts[part.name]
            assert isinstance(joint, Joint)
            e = self._new_element(joint, (_coordinate(joint, part.y),))
        self._element[e][3:5] = self._add_damping(part.D), LINE if part.line else PLAIN
        return e

    def _laws(self) -> tuple[Int, Int, Array]:
        """Addresses of the laws of elements, places of their instances, parameters."""
        from visviva.compiler.build import energy_address, gradient_address

        address = gradient_address if self.instants else energy_address
        others = {*self._motors, *(box.name for box in self.m.boxes)}
        found: dict[EnergyLaw, list[tuple[tuple[int, int, int], Array]]] = {}
        for storage in self.model.storages:
            if isinstance(storage, Kinetic | Linear | HeatCapacity) or storage.name in others:
                continue
            if not isinstance(storage, LawEnergy) or storage.variable not in self._slope_of:
                raise NotCompilable(f"the energy of {storage.name!r} has no compiled form")
            y, slope = self._slope_of[storage.variable]
            size = self.model.layout.x[storage.variable]
            law, numbers = energy_law_of(storage, size.stop - size.start)
            found.setdefault(law, []).append(((y, y, slope), numbers))
        laws, rows, parameters = [], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        at = p = 0
        for law, instances in found.items():
            laws.append((address(law), len(instances), at))
            for places, numbers in instances:
                rows.append(np.array([*places, p], dtype=np.int64))
                parameters.append(np.asarray(numbers, dtype=np.float64))
                at, p = at + 4, p + len(numbers)
        return table(laws, 3), np.concatenate(rows), np.concatenate(parameters)


def _is_motion(part: AbstractStructure) -> bool:
    """Whether it says q̇ = v of a body, which the update of its pose does."""
    return isinstance(part, Routing) and not part.reads


def _turn_key(turn: Turn) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    """Turns that are the same function of the same bodies."""
    return turn.reads, turn.cos_sin.key


def _coordinate(joint: Joint, measured: Quadratic) -> Product:
    """The coordinate of a joint that a friction belongs to."""
    for one in joint.joint.coordinates:
        if isinstance(one, Product):
            y = pair_functions(joint, (one,))
            if y.key == measured.key:
                return one
    raise NotCompilable(f"the friction of {joint.name!r} has no compiled form")
