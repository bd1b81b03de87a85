"""Quantities of a motion at one state, in compiled code: each is computed when it is asked for, and kept until then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints import Angle
from visviva.mechanism import Definition
from visviva.mechanism.coordinates import frame_in_body
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.kinematics import Int, Kinematics
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.nearest import MOST_ROWS, linked_tables, other_rows
from visviva.mechanism.parts import Body, Frame, Ground, Joint, Particle
from visviva.model import Model
from visviva.results.motion import momenta

if TYPE_CHECKING:
    from visviva.kernels.nodes.reading import Frames
    from visviva.kernels.packed import PackedCall

QUANTITIES = {Body: ("r", "R", "twist"), Frame: ("r", "R", "twist"), Particle: ("r", "v"), Joint: ("q", "rate")}
Place = tuple[Array, Any, bool]  # the array that has a quantity, where in it, and whether it needs velocities


@final
@dataclass(frozen=True, eq=False)
class Gathered:
    """Packed calls that read quantities of a motion from x and angles to an array of values, where each has places."""

    values: Array
    where: dict[str, list[int]]
    places: PackedCall | None
    velocities: PackedCall | None
    x: Array
    angles: Array


@final
class NodeReading:
    """Positions, rotations, twists and coordinates at a state that is taken, see `MechanismMotion` for what they are.

    Only what was asked for once is computed: places by one call of a kernel, velocities by another.
    """

    def __init__(self, model: Model, mechanism: Definition) -> None:
        from visviva.kernels.nodes.tables import loops, memory

        self.model, self.definition = model, mechanism
        self.linkage = linkage = Linkage(mechanism)
        at = model.layout.x
        places = [(at[f"{part.name}.q"].start, _start(at[f"{part.name}.v"])) for part in linkage.bodies]
        self._tables = linked_tables(linkage, np.array([(q, *v) for q, v in places], dtype=np.int64).reshape(-1, 3))
        self._memory, self._loops = memory(self._tables), loops(self._tables, linkage.conditions.m)
        self._q: Int = np.concatenate([np.r_[at[f"{part.name}.q"]] for part in linkage.bodies])
        self._driven = [
            (len(self._tables.closing) + rows.start, model.port_columns[part.name].start)
            for part, rows in zip(linkage.conditions.conditions, linkage.conditions.rows, strict=True)
            if part.law is not None
        ]
        self._number = {part.name: k for k, part in enumerate(linkage.bodies)}
        self._turns = {turn.name: k for k, turn in enumerate(model.turns)}
        self._x, self._angles = np.zeros(model.layout.size), np.zeros(len(model.turns))
        self._b = np.zeros(len(self._tables.closing) + linkage.conditions.m)
        self._V = np.zeros(linkage.kinematics.n)
        self._frames: dict[str, tuple[int, SE3]] = {}  # those that were asked for: body, and where on it
        self._joints: dict[str, Joint] = {}
        self._where: dict[str, Place] = {}
        self._placed = self._moved = False
        self._u: Callable[[], Array] | None = None

    def take(self, x: Array, angles: Array, u: Callable[[], Array]) -> None:
        """Read a state from now on; u: its inputs, asked for where they drive something."""
        self._x[:], self._angles[:], self._u = x, angles, u
        self._placed = self._moved = False

    def knows(self, name: str) -> bool:
        """Whether a name is a quantity of the motion; it is read from then on."""
        return name in self._where or self._add(name)

    def __getitem__(self, name: str) -> Array:
        """The value of a quantity, by its name in a Run."""
        values, at, moving = self._where[name]
        if moving:
            if not self._moved:
                self._move()
        elif not self._placed:
            self._places()
            self._placed = True
        value: Array = values[at]
        return value if value.ndim == 0 else value.copy()

    # -- evaluation ---------------------------------------------------------------------------------------------

    def _move(self) -> None:
        """Velocities, nearest in the metric of kinetic energy to those of the scheme."""
        if self.linkage.conditions.m:
            assert self._loops is not None
            assert self._u is not None
            self._loops.E[len(self._tables.closing) :] = other_rows(self.linkage, self._x[None, self._q])[0]
            u = self._u() if self._driven else np.zeros(0)
            for row, column in self._driven:
                self._b[row] = u[column]
        if len(self._b) > MOST_ROWS or not self._velocities()[0]:
            self._by_numpy()
        self._moved = True

    def _by_numpy(self) -> None:
        """The same where rows are nearly redundant or contradict, or motions have no inertia."""
        from visviva.kernels.nodes.reading import read_rates
        from visviva.kernels.nodes.rows import place_all

        linkage, rows = self.linkage, np.zeros((1, self.linkage.m))
        rows[0, linkage.kinematics.m :] = self._b[len(self._tables.closing) :]
        V = linkage.solve(self._x[None, self._q], momenta(self.model, self._x[None]), rows)[0][0]
        for k, at in enumerate(linkage.kinematics.columns):
            self._memory.V[k, 6 - (at.stop - at.start) :] = V[at]
        place_all(self._tables.bodies, self._x, self._memory.R, self._memory.r)
        read_rates(self._tables, self._memory, self._table, self._twists, self._rates)

    # -- what was asked for -------------------------------------------------------------------------------------

    def _add(self, name: str) -> bool:
        carrier, _, suffix = name.rpartition(".")
        part = self.definition.parts.get(carrier)
        if suffix not in QUANTITIES.get(type(part), ()):
            return False
        if isinstance(part, Joint):
            if not part.joint.coordinates:
                return False
            self._joints[carrier] = part
        elif isinstance(part, Body | Frame | Particle):
            self._frames[carrier] = self._on_body(part)
        self._pack()
        return True

    def _on_body(self, part: Body | Frame | Particle) -> tuple[int, SE3]:
        """The number of the body that carries a frame, and the frame in its principal axes; the ground is the last."""
        if isinstance(part, Particle):
            return self._number[part.name], SE3(np.eye(3), np.zeros(3))
        carrier = part.carrier if isinstance(part, Frame) else part
        if isinstance(carrier, Ground):
            assert isinstance(part, Frame)
            return len(self._number), SE3(part.R_WF, part.r_WF)
        return self._number[carrier.name], frame_in_body(part)

    def _pack(self) -> None:
        """Tables for all that was asked for, and the calls that read it."""
        from visviva.kernels.nodes.reading import read_places, read_velocities
        from visviva.kernels.packed import PackedCall

        frames, self._table = list(self._frames.values()), self._frame_tables()
        count, self._placed, self._moved = len(self._table.coordinates), False, False
        self._values = np.zeros(18 * len(frames) + 2 * count)
        R, r, q, self._twists, self._rates = self._parts(self._values)
        common = (self._tables, self._memory)
        self._places: PackedCall = PackedCall(
            read_places, (*common, self._table, self._x, self._angles, R, r, q), 1
        )  # fmt: skip
        self._velocities: PackedCall = PackedCall(
            read_velocities,
            (*common, self._loops, self._table, self._x, self._b, self._twists, self._rates, self._V), 1,
        )  # fmt: skip
        self._where = self._quantities(self._values)

    def _parts(self, values: Any) -> tuple[Any, ...]:
        """R, r, q, twists and rates of all that was asked for, in an array of all of them."""
        n, count = len(self._frames), len(self._table.coordinates)
        R, r, q, twists, rates = np.split(values, np.cumsum([9 * n, 3 * n, count, 6 * n]))
        return R.reshape(-1, 9), r.reshape(-1, 3), q, twists.reshape(-1, 6), rates

    def _quantities(self, values: Any) -> dict[str, Place]:
        """Where each quantity is in an array of all of them."""
        R, r, q, twists, rates = self._parts(values)
        where = dict[str, Place]()
        for k, name in enumerate(self._frames):
            where[f"{name}.r"] = (r, k, False)
            if isinstance(self.definition.parts[name], Particle):
                where[f"{name}.v"] = (twists, (k, slice(3, 6)), True)
                continue
            where[f"{name}.R"] = (R.reshape(-1, 3, 3), k, False)
            where[f"{name}.twist"] = (twists, k, True)
        first = 0
        for name, joint in self._joints.items():
            last = first + len(joint.joint.coordinates)
            at = first if last == first + 1 else slice(first, last)
            where |= {f"{name}.q": (q, at, False), f"{name}.rate": (rates, at, True)}
            first = last
        return where

    # -- in compiled code ---------------------------------------------------------------------------------------

    def gathered(self, names: Sequence[str], given: Collection[str] = ()) -> Gathered | None:
        """What reads quantities in other compiled code; None where their velocities need more than that.

        given: of these, those that have places alone, and are not read.
        """
        if not all(self.knows(name) for name in names):
            return None
        read = [name for name in names if name not in given]
        moving = any(self._where[name][2] for name in read)
        if moving and (self.linkage.conditions.m or len(self._b) > MOST_ROWS):
            return None
        found = self._quantities(np.arange(len(self._values))) if names else {}
        values = self._values if names else np.zeros(0)
        places = {name: [int(k) for k in np.ravel(found[name][0][found[name][1]])] for name in names}
        at_rest = any(not self._where[name][2] for name in read)
        return Gathered(
            values, places, self._places if at_rest else None, self._velocities if moving else None, self._x,
            self._angles,
        )  # fmt: skip

    def _frame_tables(self) -> Frames:
        """Frames, and coordinates of joints as functions of their pairs."""
        from visviva.kernels.nodes.reading import Frames

        functions, coordinates, pairs = [], [], []
        numbers = {joint.name: k for k, joint in enumerate(self.linkage.joints)}
        count = 0
        for name, joint in self._joints.items():
            turns = iter(turn_names(joint))
            for part in joint.joint.coordinates:
                given = (part.cos, part.sin) if isinstance(part, Angle) else (part,)
                coordinates.append((self._turns[next(turns)] if isinstance(part, Angle) else -1, count))
                functions.append(given)
                pairs.append(numbers[name])
                count += len(given)
        rows = Kinematics(
            self.linkage.bodies, [self.linkage.joints[k] for k in pairs], functions
        ).table  # pairs of these functions are counted anew
        rows[:, 1] = np.array(pairs, dtype=np.int64)[rows[:, 1]]
        frames = list(self._frames.values())
        return Frames(
            body=np.array([body for body, _ in frames], dtype=np.int64),
            R=np.array([X.R for _, X in frames]).reshape(-1, 9),
            r=np.array([X.r for _, X in frames]).reshape(-1, 3),
            coordinates=np.array(coordinates, dtype=np.int64).reshape(-1, 2),
            rows=rows,
            C=np.zeros((len(rows), 12)),
            g=np.zeros(len(rows)),
        )


def _start(at: slice) -> tuple[int, int]:
    return at.start, at.stop - at.start
