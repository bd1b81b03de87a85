"""A mechanism's model as tables for its compiled steps, see `kernels.multibody.tables`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.compiler.energies import energy_law_of
from visviva.compiler.flows import NotCompilable
from visviva.compiler.laws import EnergyLaw
from visviva.library.joints import Along, AlongChild, Angle, Dot, Meet, Rod, Row
from visviva.mechanism import Mechanism
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.parts import Body, Carrier, Force, Ground, Joint, Pair, Particle
from visviva.model import Model
from visviva.model.body import Gyroscopic, PosePort
from visviva.model.holonomic import Holonomic
from visviva.model.law import LawEnergy
from visviva.model.measured import Measured, MeasuredAngle, MeasuredDissipation, MeasuredPort
from visviva.model.storage import Kinetic, Linear
from visviva.model.structure import AbstractDissipation, AbstractPort, Port, Routing
from visviva.model.turn import Turn, TurnFriction, TurnPort

if TYPE_CHECKING:
    from visviva.kernels.multibody.advance import Places
    from visviva.kernels.multibody.tables import Elements, Machine

Int = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class MachineModel:
    """The tables of a mechanism, and what its multipliers are called elsewhere.

    w:      place of each multiplier in the algebraic unknowns of the model.
    sign:   of each, against the model's: joints may be told from the other end.
    joints: by joint, in the order of building: its ends (bodies, the ground last), its functions, its multipliers.
    """

    model: Model
    machine: Machine
    elements: Elements
    places: Places
    w: Int
    sign: Array
    joints: tuple[JointRows, ...]
    widest: int  # number of functions of an element, at most

    @property
    def unknowns(self) -> int:
        """Six per body, and the multipliers."""
        return 6 * (len(self.machine.B) - 1) + len(self.w)


@final
@dataclass(frozen=True, eq=False)
class JointRows:
    """Where a joint is in the tables."""

    name: str
    ends: tuple[int, int]
    functions: range
    multipliers: range
    holds_point: bool  # its rows are a point that both ends share, and products of axes


def machine_of(model: Model, flipped: frozenset[str] = frozenset()) -> MachineModel:
    """Tables of a model that was compiled from a mechanism; raises `NotCompilable` where there is no compiled form.

    flipped: joints that are told from their child to their parent, as the tree of elimination wants them.
    """
    return _Builder(model, flipped).build()


class _Builder:
    def __init__(self, model: Model, flipped: frozenset[str]) -> None:
        if model.mechanism is None:
            raise NotCompilable("the model was not compiled from a mechanism")
        self.model = model
        self.m: Mechanism = model.mechanism
        self.flipped = flipped
        self.number = {part.name: k for k, part in enumerate(self.m.bodies)}
        self.ground = len(self.number)
        self.lie = any(isinstance(part, Gyroscopic) for part in model.structures)
        self.angles = {name: (joint, angle) for joint in self.m.joints for name, angle in turn_names(joint).items()}
        self.elements = {part.name: part for part in self.m.elements}
        self.constraint = {part.name: k for k, part in enumerate(model.constraints)}
        self.X: list[Array] = []
        self.K: list[list[int]] = []
        self.owner: list[int] = []
        self.measures = 0
        self.slopes = 0
        self.element: list[list[int]] = []
        self.damping: list[Array] = []
        self.twists: list[tuple[int, int, int, int]] = []
        self.numbers: list[float] = []
        self.y: list[tuple[int, int]] = []
        self.slope_at: dict[str, tuple[int, int]] = {}  # by name of its variable: first measure, first slope
        self.element_at: dict[str, int] = {}

    def build(self) -> MachineModel:
        from visviva.kernels.multibody.advance import Places
        from visviva.kernels.multibody.tables import CHILD, PARENT, REACH, TURN, XA, XB, Elements, Machine

        model, joints = self.model, self._joints()
        m = sum(len(joint.multipliers) for joint in joints)
        rows = len(self.X)
        directors = np.full(self.ground, -1, dtype=np.int64)
        for part in model.constraints:
            if isinstance(part, Holonomic) and part.internal:
                directors[self.number[part.reads[0].removesuffix(".q")]] = self.constraint[part.name]
        turns = [self._turn(turn) for turn in model.turns]
        heats, works, loads, pushed = self._structures()
        laws = self._laws()
        B = self._bodies()
        X, K = _stack(self.X, self._width()), _table(self.K, 5)
        for at, end in ((XA, PARENT), (XB, CHILD)):
            np.maximum.at(B[:, REACH], K[:, end], np.linalg.norm(X[:, at : at + 3], axis=1))
        machine = Machine(
            sizes=np.array([int(self.lie), rows], dtype=np.int64),
            gravity=self.m.gravity,
            B=B,
            X=X,
            K=K,
            T=_stack([row for row, _ in turns], int(TURN)),
            TK=_table([ends for _, ends in turns], 2),
            lam=np.zeros(m),
            dlam=np.zeros(m),
            gap=np.zeros(m),
            active=np.ones(m, dtype=bool),
        )
        elements = Elements(
            y=np.zeros((2, self.measures)),
            effort=np.zeros(self.measures),
            slope=np.zeros(self.slopes),
            law=laws[0],
            law_rows=laws[1],
            law_numbers=laws[2],
            element=_table(self.element, 6),
            damping=np.concatenate([np.zeros(0), *(D.ravel() for D in self.damping)]),
            pushed=_table(pushed, 2),
            loads=_table(loads, 3),
            twists=_table(self.twists, 4),
            numbers=np.array(self.numbers, dtype=np.float64),
            heats=_table(heats, 2),
            works=_table(works, 2),
        )
        places = Places(
            bodies=_table([self._place(part) for part in self.m.bodies], 3),
            y=_table(self.y, 2),
            owner=np.array(self.owner, dtype=np.int64),
            directors=directors,
        )
        w, sign = self._multipliers(joints)
        widest = max((part[1] for part in self.element), default=1)
        return MachineModel(model, machine, elements, places, w, sign, joints, widest)

    # -- bodies --

    def _bodies(self) -> Array:
        from visviva.kernels.multibody.tables import BODY, MASS, ROT, SHRINK, E

        B = np.zeros((self.ground + 1, int(BODY)))
        B[:, ROT : ROT + 9] = np.eye(3).ravel()
        B[:, SHRINK] = 1.0
        for k, part in enumerate(self.m.bodies):
            B[k, MASS] = part.mass
            J = part.J_C if isinstance(part, Body) else np.full(3, 2.0 * part.mass)  # that of a particle never turns
            B[k, E : E + 3] = J if self.lie else np.maximum(0.5 * J.sum() - J, 0.0)
        return B

    def _place(self, part: Body | Particle) -> tuple[int, int, int]:
        q, v = self.model.layout.x[f"{part.name}.q"], self.model.layout.x[f"{part.name}.v"]
        return q.start, v.start, v.stop - v.start

    # -- functions --

    def _width(self) -> int:
        from visviva.kernels.multibody.tables import FUNCTION

        return int(FUNCTION)

    def _function(self, pair: Pair, row: Row, place: int, flip: bool) -> None:
        """One function of the relative placement of two frames; flip: told from the child to the parent."""
        from visviva.kernels.multibody import tables as t

        parent, child = (pair.child, pair.parent) if flip else (pair.parent, pair.child)
        x = np.zeros(self._width())
        x[t.XA : t.XA + 3], x[t.XB : t.XB + 3] = self._arm(pair, parent), self._arm(pair, child)
        kind = t.MEET
        match row:
            case Dot(a, b):
                kind = t.DOT
                a, b = (b, a) if flip else (a, b)
                x[t.XU : t.XU + 3], x[t.XW : t.XW + 3] = self._axis(pair, parent, a), self._axis(pair, child, b)
            case Along(a):
                kind = t.ALONG
                x[t.XU : t.XU + 3] = self._axis(pair, parent, a)
            case AlongChild(a):
                kind = t.ALONG_CHILD
                x[t.XW : t.XW + 3] = self._axis(pair, child, a)
            case Rod(length):
                kind = t.ROD
                x[t.CONST] = 0.5 * length**2
        self.X.append(x)
        self.K.append([int(kind), self._end(parent), self._end(child), place, 0])

    def _end(self, end: Carrier) -> int:
        return self.ground if isinstance(end, Ground) else self.number[end.name]

    def _arm(self, pair: Pair, end: Carrier) -> Array:
        point = pair.frame_on(end)[1]
        if isinstance(end, Ground):
            return point
        return end.to_principal(point) if isinstance(end, Body) else np.zeros(3)

    def _axis(self, pair: Pair, end: Carrier, i: int) -> Array:
        axis = pair.frame_on(end)[0][:, i]
        return end.R_WC.T @ axis if isinstance(end, Body) else axis

    def _joints(self) -> tuple[JointRows, ...]:
        found, m = [], 0
        for joint in self.m.joints:
            first, begin = len(self.X), m
            flip = joint.name in self.flipped
            for row in joint.joint.rows:
                self._function(joint, row, m, flip)
                self.owner.append(self.constraint[joint.name])
                m += row.count
            self._find_twins(first)
            rows = joint.joint.rows
            holds = bool(rows) and isinstance(rows[0], Meet) and all(isinstance(row, Dot) for row in rows[1:])
            ends = (self._end(joint.parent), self._end(joint.child))
            found.append(JointRows(joint.name, ends, range(first, len(self.X)), range(begin, m), holds))
        return tuple(found)

    def _find_twins(self, first: int) -> None:
        """Mark products of axes, from a function on, that follow each other and share an axis."""
        from visviva.kernels.multibody import tables as t

        i = first
        while i + 1 < len(self.X):
            shared = t.ALONE
            if self.K[i][t.KIND] == self.K[i + 1][t.KIND] == t.DOT:
                for at, axis in ((t.XU, t.SHARED_ON_PARENT), (t.XW, t.SHARED_ON_CHILD)):
                    if np.array_equal(self.X[i][at : at + 3], self.X[i + 1][at : at + 3]):
                        shared = axis
            if shared != t.ALONE:
                self.K[i][t.TWIN], self.K[i + 1][t.TWIN] = shared, t.SECOND
                i += 1
            i += 1

    def _multipliers(self, joints: tuple[JointRows, ...]) -> tuple[Int, Array]:
        """Places of the multipliers in the model, and signs: a point told from the other end changes its row's."""
        w, sign = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for joint, part in zip(joints, self.m.joints, strict=True):
            if joint.multipliers:
                at = self.model.layout.z[joint.name]
                w.append(np.arange(at.start, at.stop) - self.model.layout.dim)
                flip = -1.0 if joint.name in self.flipped else 1.0
                sign += [np.full(row.count, flip if isinstance(row, Meet) else 1.0) for row in part.joint.rows]
        return np.concatenate(w), np.concatenate(sign)

    # -- joints that turn --

    def _turn(self, turn: Turn) -> tuple[Array, tuple[int, int]]:
        """x and y on one end, x on the other, so that cos = x·z, sin = y·z."""
        from visviva.kernels.multibody import tables as t

        joint, angle = self.angles[turn.name]
        two, one = (joint.parent, joint.child) if angle.cos.child == angle.sin.child else (joint.child, joint.parent)
        axes = _axes_of(angle)
        row = np.zeros(int(t.TURN))
        for at, end, axis in ((t.XX, two, axes[0]), (t.XY, two, axes[1]), (t.XZ, one, axes[2])):
            row[at : at + 3] = self._axis(joint, end, axis)
        return row, (self._end(two), self._end(one))

    def _turn_number(self, turn: Turn) -> int:
        """Which of the model's turns it is."""
        for k, known in enumerate(self.model.turns):
            same = known.reads == turn.reads and np.array_equal(known.cos_sin.A, turn.cos_sin.A)
            if same and np.array_equal(known.cos_sin.b, turn.cos_sin.b):
                return k
        raise NotCompilable(f"the angle of {turn.name!r} is not followed")

    # -- what acts --

    def _structures(
        self,
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int, int]], list[tuple[int, int]]]:
        """Heats and works in the order of the model, loads, and inputs along functions."""
        from visviva.kernels.multibody.accounts import BY_DRIVE, BY_ELEMENT, BY_LOAD, BY_PUSH, BY_TWIST
        from visviva.kernels.multibody.tables import DRIVE, FRICTION, TORSION

        columns = self.model.port_columns
        heats: list[tuple[int, int]] = []
        works: list[tuple[int, int]] = []
        loads: list[tuple[int, int, int]] = []
        pushed: list[tuple[int, int]] = []
        for part in self.model.structures:
            match part:
                case Holonomic() | Gyroscopic():
                    pass
                case Routing() if part.reads == ():
                    pass  # q̇ = v
                case Measured():
                    self._measured(part.name)
                    at = self.model.layout.x[part.acts[0]]
                    first = self.element[self.element_at[part.name]][0]
                    self.y += [(first + k, at.start + k) for k in range(at.stop - at.start)]
                    self.slope_at[part.acts[0]] = (first, self.element[self.element_at[part.name]][2])
                case MeasuredAngle():
                    y, slope = self.measures, self.slopes
                    self.measures, self.slopes = y + 1, slope + 1
                    self.twists.append((self._turn_number(part.turn), TORSION, y, slope))
                    self.y.append((y, self.model.layout.x[part.acts[0]].start))
                    self.slope_at[part.acts[0]] = (y, slope)
                case TurnFriction():
                    heats.append((BY_TWIST, len(self.twists)))
                    self.twists.append((self._turn_number(part.turn), FRICTION, -1, len(self.numbers)))
                    self.numbers.append(part.d)
                case MeasuredDissipation():
                    heats.append((BY_ELEMENT, self._damped(part)))
                case TurnPort():
                    works.append((BY_DRIVE, len(self.twists)))
                    self.twists.append((self._turn_number(part.turn), DRIVE, columns[part.name].start, -1))
                case MeasuredPort():
                    force = self.m.parts[part.name]
                    assert isinstance(force, Force)
                    works.append((BY_PUSH, len(pushed)))
                    e = self._new_element(force.joint, (Along(2),))
                    pushed.append((self.element[e][0], columns[part.name].start))
                case PosePort() | Port():
                    works.append((BY_LOAD, len(loads)))
                    body = self.number[part.acts[0].removesuffix(".v")]
                    loads.append((body, columns[part.name].start, part.width))
                case _:
                    raise NotCompilable(f"{part.name!r} has no compiled form")
        assert len(heats) == sum(isinstance(part, AbstractDissipation) for part in self.model.structures)
        assert len(works) == sum(isinstance(part, AbstractPort) for part in self.model.structures)
        return heats, works, loads, pushed

    def _measured(self, name: str) -> int:
        if name not in self.element_at:
            element = self.elements[name]
            self.element_at[name] = self._new_element(element, element.rows)
        return self.element_at[name]

    def _new_element(self, pair: Pair, rows: tuple[Row, ...]) -> int:
        """Functions of an element; its number."""
        n, first = len(rows), len(self.X)
        for k, row in enumerate(rows):
            self._function(pair, row, self.measures + k, flip=False)
        self.element.append([self.measures, n, self.slopes, -1, 0, first])
        self.measures += n
        self.slopes += n * n
        return len(self.element) - 1

    def _damped(self, part: MeasuredDissipation) -> int:
        if part.name in self.elements:
            e = self._measured(part.name)
        else:
            joint = self.m.parts[part.name]
            assert isinstance(joint, Joint)
            e = self._new_element(joint, (self._coordinate(joint, part),))
        self.element[e][3] = sum(D.size for D in self.damping)
        self.element[e][4] = int(part.line)
        self.damping.append(part.D)
        return e

    def _coordinate(self, joint: Joint, part: MeasuredDissipation) -> Along:
        """The coordinate of a joint that a friction belongs to."""
        from visviva.mechanism.coordinates import pair_functions

        for along in joint.joint.coordinates:
            if isinstance(along, Along):
                y = pair_functions(joint, (along,))
                if np.array_equal(y.A, part.y.A) and np.array_equal(y.b, part.y.b):
                    return along
        raise NotCompilable(f"the friction of {joint.name!r} has no compiled form")

    # -- energies --

    def _laws(self) -> tuple[Int, Int, Array]:
        """Addresses of the laws of elements, places of their instances, parameters."""
        from visviva.compiler.build import energy_address

        found: dict[EnergyLaw, list[tuple[tuple[int, int, int], Array]]] = {}
        for storage in self.model.storages:
            if isinstance(storage, Kinetic | Linear):
                continue
            if not isinstance(storage, LawEnergy) or storage.variable not in self.slope_at:
                raise NotCompilable(f"the energy of {storage.name!r} has no compiled form")
            y, slope = self.slope_at[storage.variable]
            size = self.model.layout.x[storage.variable]
            law, numbers = energy_law_of(storage, size.stop - size.start)
            found.setdefault(law, []).append(((y, y, slope), numbers))
        table, rows, numbers_of = [], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        at = p = 0
        for law, instances in found.items():
            table.append((energy_address(law), len(instances), at))
            for places, numbers in instances:
                rows.append(np.array([*places, p], dtype=np.int64))
                numbers_of.append(np.asarray(numbers, dtype=np.float64))
                at, p = at + 4, p + len(numbers)
        return _table(table, 3), np.concatenate(rows), np.concatenate(numbers_of)


def _axes_of(angle: Angle) -> tuple[int, int, int]:
    """Axes x and y of the end that has both, and the axis of the other."""
    if angle.cos.child == angle.sin.child:
        return angle.cos.parent, angle.sin.parent, angle.cos.child
    return angle.cos.child, angle.sin.child, angle.cos.parent


def _table(rows: object, width: int) -> Int:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _stack(rows: list[Array], width: int) -> Array:
    return np.array(rows, dtype=np.float64).reshape(-1, width)
