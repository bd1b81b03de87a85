"""A mechanism's model as tables for its compiled steps, see `kernels.multibody.tables`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine_boxes import MachineBoxes, box_tables, machine_boxes, node_table
from visviva.compiler.machine_elements import ActingParts
from visviva.compiler.machine_functions import Functions, Int, functions_of, stack, table
from visviva.compiler.machine_rows import row_places, row_tables
from visviva.library.joints import MEET, Angle, Family
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.model import Model
from visviva.model.body import Gyroscopic
from visviva.model.holonomic import Holonomic

if TYPE_CHECKING:
    from visviva.kernels.multibody.states import Places
    from visviva.kernels.multibody.tables import Conditions, Elements, Losses, Machine


@final
@dataclass(frozen=True, eq=False)
class MachineModel:
    """The tables of a mechanism, and what its multipliers are called elsewhere.

    lossy, conditioned: whether `losses` and `conditions` hold anything.

    w:      place of each multiplier in the algebraic unknowns of the model.
    sign:   of each, against the model's: joints may be told from the other end.
    joints: by joint, in the order of building: its ends (bodies, the ground last), its functions, its multipliers.
    """

    model: Model
    machine: Machine
    elements: Elements
    losses: Losses
    conditions: Conditions
    places: Places
    w: Int
    sign: Array
    joints: tuple[JointRows, ...]
    members: Int  # (k, 3) coordinates that act together: turn or -1, function or -1, first member of its stack
    widest: int  # number of functions of an element, at most
    lossy: bool
    conditioned: bool
    boxes: MachineBoxes | None
    box_tables: dict[str, Any]  # of `kernels.multibody.boxes.Boxes`, but for program, plan and memory

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


def machine_of(model: Model, flipped: frozenset[str] = frozenset(), *, instants: bool = False) -> MachineModel:
    """Tables of a model that was compiled from a mechanism; raises `NotCompilable` where there is no compiled form.

    flipped:  joints that are told from their child to their parent, as the tree of elimination wants them.
    instants: whether energies have their gradients at instants, in place of those over steps.
    """
    return _Builder(model, flipped, instants).build()


class _Builder:
    def __init__(self, model: Model, flipped: frozenset[str], instants: bool) -> None:
        if model.definition is None:
            raise NotCompilable("the model was not compiled from a mechanism")
        if instants and model.definition.boxes:
            names = ", ".join(repr(box.name) for box in model.definition.boxes)
            raise NotCompilable(f"box {names} has no compiled form at instants")
        self.model = model
        self.m = model.definition
        self.bodies = self.m.bodies
        self.flipped = flipped
        self.instants = instants
        self.functions = Functions(self.m)
        self.lie = any(isinstance(part, Gyroscopic) for part in model.structures)
        self.constraint = {part.name: k for k, part in enumerate(model.constraints)}
        self.owner: list[int] = []
        self.boxes = machine_boxes(self.m)
        driven = {name for box in self.m.boxes for name in box.inputs.values()}
        fed = [repr(part.port) for part in model.feedback if part.port in driven]
        if fed:
            raise NotCompilable(f"the input {', '.join(fed)} of a box follows a law of the motion")

    def build(self) -> MachineModel:
        from visviva.kernels.multibody.states import Places
        from visviva.kernels.multibody.tables import Machine

        joints = self._joints()
        rows, own = len(self.functions), sum(len(joint.multipliers) for joint in joints)
        boxed = 0 if self.boxes is None else len(self.boxes.owners)
        acting = ActingParts(self.model, self.functions, self.instants, self.flipped, boxed)
        couplings, others = acting.couplings.places(), row_places(self.model)
        generated = row_tables(self.model, self.functions, own + len(couplings))
        m = own + len(couplings) + len(others)
        X, K = self.functions.tables()
        T, TK = self._turns()
        machine = Machine(
            sizes=np.array([int(self.lie), rows], dtype=np.int64),
            gravity=self.m.gravity,
            B=self._bodies(X, K, generated.movers),
            X=X,
            K=K,
            T=T,
            TK=TK,
            lam=np.zeros(m),
            dlam=np.zeros(m),
            gap=np.zeros(m),
            active=np.ones(m, dtype=bool),
        )
        places = Places(
            bodies=table([self._place(part) for part in self.bodies], 3),
            y=table(acting.y, 2),
            owner=np.array(self.owner, dtype=np.int64),
            directors=self._directors(),
        )
        w, sign = self._multipliers(joints)
        w, sign = np.concatenate([w, couplings, others]), np.append(sign, np.ones(len(couplings) + len(others)))
        return MachineModel(
            self.model, machine, acting.tables(), acting.losses.tables(), acting.conditions(own, generated), places, w,
            sign, joints, table(acting.members, 3), acting.widest, acting.losses.any, bool(self.m.conditions),
            self.boxes, self._box_tables(acting),
        )  # fmt: skip

    def _box_tables(self, acting: ActingParts) -> dict[str, Any]:
        if self.boxes is None:
            return {}
        measures = {(box, k): own[0] + k for box, own in enumerate(acting.boxes) for k in range(own[1])}
        slopes = table([(own[2], own[1]) for own in acting.boxes], 2)
        nodes = {node.name: measure for node, measure in acting.losses.nodes}
        tables = box_tables(self.boxes, self.model, measures, slopes)
        return tables | {"nodes": node_table(self.boxes, self.m, nodes)}

    # -- bodies --

    def _bodies(self, X: Array, K: Int, held: Int) -> Array:
        """held: bodies with generated rows, whose arms are not known.

        All bodies that rows hold reach as far as their radius of gyration: what a joint at the centre of mass forbids
        is solved together with the forces there, and rounds with them.
        """
        from visviva.kernels.multibody.tables import BODY, CHILD, MASS, PARENT, REACH, ROT, SHRINK, XA, XB, E

        B = np.zeros((len(self.bodies) + 1, int(BODY)))
        B[:, ROT : ROT + 9] = np.eye(3).ravel()
        B[:, SHRINK] = 1.0
        for k, part in enumerate(self.bodies):
            B[k, MASS] = part.mass
            J = part.J_C if isinstance(part, Body) else np.full(3, 2.0 * part.mass)  # that of a particle never turns
            B[k, E : E + 3] = J if self.lie else np.maximum(0.5 * J.sum() - J, 0.0)
        for at, end in ((XA, PARENT), (XB, CHILD)):
            np.maximum.at(B[:, REACH], K[:, end], np.linalg.norm(X[:, at : at + 3], axis=1))
        ends = np.unique(np.concatenate([K[:, PARENT], K[:, CHILD], held]))
        for k in ends[ends < len(self.bodies)]:
            part = self.bodies[k]
            if isinstance(part, Body) and part.mass > 0:
                B[k, REACH] = max(B[k, REACH], np.sqrt(part.J_C.max() / part.mass))
        return B

    def _place(self, part: Body | Particle) -> tuple[int, int, int]:
        q, v = self.model.layout.x[f"{part.name}.q"], self.model.layout.x[f"{part.name}.v"]
        return q.start, v.start, v.stop - v.start

    def _directors(self) -> Int:
        """Number of the constraint of each body's directors, or -1."""
        numbers = np.full(len(self.bodies), -1, dtype=np.int64)
        for part in self.model.constraints:
            if isinstance(part, Holonomic) and part.internal:
                numbers[self.functions.number[part.reads[0].removesuffix(".q")]] = self.constraint[part.name]
        return numbers

    # -- joints --

    def _joints(self) -> tuple[JointRows, ...]:
        found, m = [], 0
        for joint in self.m.joints:
            first, begin, rows = len(self.functions), m, joint.joint.rows
            for one in functions_of(rows):
                self.functions.add(joint, one[0], m, flip=joint.name in self.flipped)
                self.owner.append(self.constraint[joint.name])
                m += len(one)
            self.functions.mark_twins(first)
            holds = rows[:3] == MEET and all(row.family is Family.DOT for row in rows[3:])
            ends = (self.functions.end(joint.parent), self.functions.end(joint.child))
            found.append(JointRows(joint.name, ends, range(first, len(self.functions)), range(begin, m), holds))
        return tuple(found)

    def _multipliers(self, joints: tuple[JointRows, ...]) -> tuple[Int, Array]:
        """Places of the multipliers in the model, and signs: a point told from the other end changes its row's."""
        w, sign = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for joint, part in zip(joints, self.m.joints, strict=True):
            if joint.multipliers:
                at = self.model.layout.z[joint.name]
                w.append(np.arange(at.start, at.stop) - self.model.layout.dim)
                flip = -1.0 if joint.name in self.flipped else 1.0
                sign.append(np.array([flip if row.sign < 0 else 1.0 for row in part.joint.rows]))
        return np.concatenate(w), np.concatenate(sign)

    def _turns(self) -> tuple[Array, Int]:
        """Axes of all joints that turn, and their ends, in the order of the model's turns."""
        from visviva.kernels.multibody.tables import TURN

        angles = {name: (joint, angle) for joint in self.m.joints for name, angle in turn_names(joint).items()}
        turns = [self._turn(*angles[turn.name]) for turn in self.model.turns]
        return stack([row for row, _ in turns], int(TURN)), table([ends for _, ends in turns], 2)

    def _turn(self, joint: Joint, angle: Angle) -> tuple[Array, tuple[int, int]]:
        """x and y on one end, z on the other, so that cos = x·z and sin = y·z."""
        from visviva.kernels.multibody.tables import TURN, XX, XY, XZ

        if angle.cos.child == angle.sin.child:
            two, one = joint.parent, joint.child
            x, y, z = angle.cos.parent, angle.sin.parent, angle.cos.child
        else:
            two, one = joint.child, joint.parent
            x, y, z = angle.cos.child, angle.sin.child, angle.cos.parent
        row = np.zeros(int(TURN))
        for at, end, axis in ((XX, two, x), (XY, two, y), (XZ, one, z)):
            row[at : at + 3] = self.functions.axis(joint, end, axis)
        return row, (self.functions.end(two), self.functions.end(one))
