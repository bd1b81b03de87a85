"""A Model as a Program: which laws it has, and where every instance reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.compiler.body_flows import POSES, Joint, coefficients, joint_of
from visviva.compiler.build import energy_address, flow_address
from visviva.compiler.compiled_model import CompiledModel, Int
from visviva.compiler.energies import energy_law_of
from visviva.compiler.flows import FlowLaw, NotCompilable, flow_of, is_flat, with_feedback
from visviva.compiler.lagrangian_flows import with_balances
from visviva.compiler.laws import EnergyLaw
from visviva.geometry.embedding import AbstractSpace, ProductSpace, Rotations
from visviva.model import Model
from visviva.model.storage import Kinetic
from visviva.model.structure import AbstractConstraint, AbstractPort

if TYPE_CHECKING:
    from visviva.compiler.tableau import Tableau


def build_program(model: Model, tableau: Tableau) -> CompiledModel:
    """The program of a model for a scheme; raises `NotCompilable` where a block has no expression."""
    if not model.layout.solved:
        raise NotCompilable(f"the model {model.name!r} has nothing to solve")
    return _Builder(with_balances(model), tableau).build()


def _factors(space: AbstractSpace) -> list[AbstractSpace]:
    """The factors of a product, of products in it as well."""
    if not isinstance(space, ProductSpace):
        return [space]
    return [part for factor in space.factors for part in _factors(factor)]


def _kind(space: AbstractSpace) -> tuple[int, int]:
    """How `kernels.turned` names a factor."""
    if isinstance(space, Rotations):
        return space.n, {None: 0, "body": 1, "space": 2}[space.moves]
    return 0, space.size


class _Builder:
    def __init__(self, model: Model, tableau: Tableau) -> None:
        self.model = model
        self.tableau = tableau
        self.S = tableau.stages
        layout = model.layout
        names = list(layout.z)
        self.block = {name: k for k, name in enumerate(names)}
        self.first = np.array([layout.z[name].start for name in names], dtype=np.int64)
        self.dims = np.array([layout.z[name].stop - layout.z[name].start for name in names], dtype=np.int64)
        self.spaces = {variable.name: variable.space for variable in model.variables}
        sizes = self.dims**2 * self.S
        self.gain = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)  # places in dE
        self.T: list[Int] = []
        self.P: list[Array] = []
        self.t = self.p = 0

    def build(self) -> CompiledModel:
        from visviva.kernels.program import Program

        model, layout, S = self.model, self.model.layout, self.S
        flat, turned, scratch, gains, turns, coordinates = self._coordinates()
        energies = self._energies()
        laws = self._flow_laws()
        rows, cols, place, joint_place = self._pattern(laws)
        pad = int((self.dims.max(initial=1) * S) ** 2)
        flows = np.concatenate([self._flows(laws, place), self._joints(joint_place)])
        masses, units = self._inertia()
        E_at, E_value = self._E(rows, cols)
        T = np.concatenate([np.zeros(0, dtype=np.int64), *self.T])
        P = np.concatenate([np.zeros(0), *self.P])
        group, groups = self._groups()
        program = Program(
            sizes=np.array(
                [layout.size, layout.total, layout.solved, layout.dim, S, len(rows) + pad, gains, turns, coordinates,
                 len(model.structures), scratch], dtype=np.int64,
            ),
            T=T, P=P, energies=energies, flows=flows, flat=flat, turned=turned, turning=self._turning(len(turned)),
            masses=masses, units=units,
            E_at=E_at, E_value=E_value, gains=self._constant_gains(gains), blocks=self._blocks(),
            hot=np.array([layout.z[name].start for name in self._hot()], dtype=np.int64),
            group=group, tableau=self.tableau.array, theta0=np.array([model.theta0]),
        )  # fmt: skip
        width = sum(port.width for port in model.ports)
        return CompiledModel(model, program, self.tableau, rows, cols, len(rows) + pad, width, groups)

    def _hot(self) -> list[str]:
        """Variables and junctions whose efforts are temperatures less θ0."""
        names = [variable.name for variable in self.model.variables if variable.entropy]
        return names + [junction.name for junction in self.model.junctions if junction.entropy]

    # -- coordinates --

    def _coordinates(self) -> tuple[Int, Int, int, int, int, int]:
        """Places of all coordinates: flat ones, and variables with rotations, which need room to be pulled back."""
        layout, flat, turned = self.model.layout, [], []
        s = turns = scratch = 0
        gains = int(self.gain[-1])
        self.at_s: dict[str, int] = {}
        self.at_turn: dict[str, int] = {}
        self.at_D: dict[str, tuple[int, int]] = {}
        for variable in self.model.variables:
            name, space = variable.name, variable.space
            x, z, size, dim = layout.x[name].start, layout.z[name].start, space.size, space.dim
            self.at_s[name] = s
            if is_flat(space):
                k = np.arange(size)
                flat.append(np.stack([x + k, z + k, s + k], axis=1))
                self.at_D[name] = z, int(self.gain[self.block[name]])
                s += size
                continue
            if self.S > 1:
                raise NotCompilable(f"the variable {name!r} has rotations, and the scheme has {self.S} stages")
            D, E = layout.total + scratch, int(self.gain[self.block[name]])
            row, col, turn = 0, 0, size
            for factor in _factors(space):
                kind, moves = _kind(factor)
                turned.append(
                    [kind, moves, x + row, z + col, s + row, s + turn, D, E, gains, turns, size, dim, row, col, turn]
                )
                row, col, turn = row + factor.size, col + factor.dim, turn + kind**2
            self.at_turn[name], self.at_D[name] = turns, (D, gains)
            scratch, gains = scratch + size, gains + size * size
            turns += turn * dim
            s += turn
        table = np.concatenate([np.zeros((0, 3), dtype=np.int64), *flat])
        return table, np.array(turned, dtype=np.int64).reshape(-1, 15), scratch, gains, turns, s

    def _turning(self, n: int) -> Int:
        from visviva.kernels.turned import turning

        return np.array(turning() if n else (0, 0), dtype=np.int64)

    def _blocks(self) -> Int:
        layout = self.model.layout
        rows = [
            (self.first[k], self.dims[k], self.gain[k], layout.x[variable.name].start)
            for k, variable in enumerate(self.model.variables)
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def _constant_gains(self, gains: int) -> Array:
        """Derivatives of the algebraic unknowns by themselves."""
        S, values = self.S, np.zeros((self.S, gains))
        first = len(self.model.variables)
        for k in range(first, len(self.dims) - len(self.model.reservoirs)):
            for i in range(S):
                for a in range(self.dims[k]):
                    values[i, self.gain[k] + a * self.dims[k] * S + a * S + i] = 1.0
        return values

    # -- energies --

    def _energies(self) -> Int:
        layout = self.model.layout
        found: dict[EnergyLaw, list[tuple[list[int], Array]]] = {}
        for storage in self.model.storages:
            law, numbers = energy_law_of(storage, self.spaces[storage.variable].size)
            D, dD = self.at_D[storage.variable]
            found.setdefault(law, []).append(([layout.x[storage.variable].start, D, dD], numbers))
        table = []
        for law, instances in found.items():
            places = np.array([place for place, _ in instances], dtype=np.int64)
            p = self._parameters([numbers for _, numbers in instances], law.width)
            table.append((energy_address(law), len(instances), self._rows(np.column_stack([places, p]))))
        return np.array(table, dtype=np.int64).reshape(-1, 3)

    def _parameters(self, numbers: Sequence[Array], width: int) -> Int:
        """Store parameters of all instances, and return where each begins."""
        begin = self.p + width * np.arange(len(numbers), dtype=np.int64)
        self.P.append(np.concatenate([np.zeros(0), *numbers]))
        self.p += width * len(numbers)
        return begin

    def _rows(self, places: Int) -> int:
        """Store the places of all instances of a law, and return where they begin."""
        begin = self.t
        self.T.append(np.ascontiguousarray(places, dtype=np.int64).ravel())
        self.t += places.size
        return begin

    # -- flows --

    def _flow_laws(self) -> dict[FlowLaw, list[tuple[int, Array]]]:
        """Instances by law: the number of the structure, and its parameters."""
        found: dict[FlowLaw, list[tuple[int, Array]]] = {}
        self.acts: list[list[int]] = []
        self.reads: list[list[int]] = []
        self.joints: list[tuple[int, Joint]] = []
        dims = {name: int(self.dims[block]) for name, block in self.block.items()}
        feedback = {part.port: part for part in self.model.feedback}
        if any(part.sensors for part in feedback.values()):
            raise NotCompilable("an input depends on the motion of a mechanism")
        for k, part in enumerate(self.model.structures):
            own = [self.block[part.name]] if isinstance(part, AbstractConstraint) else []
            reads, acts = part.reads, part.acts
            joint = joint_of(part, tuple(self.spaces[n] for n in reads))
            if joint is not None and part.name in feedback and isinstance(part, AbstractPort):
                raise NotCompilable(f"the torque of {part.name!r} depends on states or efforts")
            if joint is not None:
                self.joints.append((k, joint))
                self.acts.append([self.block[name] for name in acts] + own)
                self.reads.append([self.block[name] for name in reads])
                continue
            law, numbers = flow_of(part, tuple(self.spaces[n] for n in reads), tuple(dims[n] for n in acts))
            if isinstance(part, AbstractPort) and part.name in feedback:
                law, numbers, reads, acts = with_feedback(law, numbers, part, feedback[part.name], self.spaces, dims)
            self.acts.append([self.block[name] for name in acts] + own)
            self.reads.append([self.block[name] for name in reads])
            found.setdefault(law, []).append((k, numbers))
        return found

    def _pattern(
        self, laws: dict[FlowLaw, list[tuple[int, Array]]]
    ) -> tuple[Int, Int, dict[FlowLaw, Int], dict[int, Int]]:
        """Blocks of the matrix where components couple; the places of these blocks for every instance."""
        n = len(self.dims)
        solved = n - len(self.model.reservoirs)
        keys = {}
        for law, instances in laws.items():
            _, layout = flow_address(law, self.S)
            acts = np.array([self.acts[k] for k, _ in instances], dtype=np.int64)
            reads = np.array([self.reads[k] for k, _ in instances], dtype=np.int64)
            blocks = np.column_stack([acts, reads]) if reads.size else acts
            pairs = np.array(layout.pairs, dtype=np.int64).reshape(-1, 2)
            row, col = blocks[:, pairs[:, 0]], blocks[:, pairs[:, 1]]
            keys[law] = np.where((row < solved) & (col < solved), row * n + col, -1)
        joints = {k: self._joint_pairs(k, joint) for k, joint in self.joints}
        joint_keys = {k: np.array([row * n + col for row, col in pairs], dtype=np.int64) for k, pairs in joints.items()}
        diagonal = np.arange(solved) * (n + 1)
        every = [key.ravel() for key in (*keys.values(), *joint_keys.values())]
        used = np.unique(np.concatenate([diagonal, *every]))
        used = used[used >= 0]
        height, width = self.dims[used // n] * self.S, self.dims[used % n] * self.S
        ends = np.concatenate([[0], np.cumsum(height * width)])
        places = {law: np.where(key >= 0, ends[np.searchsorted(used, key)], ends[-1]) for law, key in keys.items()}
        local = np.arange(ends[-1]) - np.repeat(ends[:-1], height * width)
        across = np.repeat(width, height * width)
        rows = np.repeat(self.first[used // n] * self.S, height * width) + local // np.maximum(across, 1)
        cols = np.repeat(self.first[used % n] * self.S, height * width) + local % np.maximum(across, 1)
        return rows, cols, places, {k: ends[np.searchsorted(used, key)] for k, key in joint_keys.items()}

    def _joint_pairs(self, k: int, joint: Joint) -> list[tuple[int, int]]:
        """Blocks of the matrix that a joint couples, in the order that its function wants them."""
        poses = self.reads[k]
        if joint.kind == "holonomic":
            *speeds, own = self.acts[k]
            pairs = [(speed, own) for speed in speeds] + [(own, pose) for pose in poses]
            return pairs + [(speed, pose) for speed in speeds for pose in poses]
        pairs = [(a, b) for a in self.acts[k] for b in self.acts[k]] if joint.kind == "friction" else []
        return pairs + [(speed, pose) for speed in self.acts[k] for pose in poses]

    def _joints(self, place: dict[int, Int]) -> Int:
        """One row of the table of laws for each joint: joints differ in size."""
        from visviva.kernels.joints import BODY, HEAD, joint_address

        names, layout, table = list(self.block), self.model.layout, []
        for k, joint in self.joints:
            part, g = self.model.structures[k], joint.g
            n, bodies = g.A.shape[-1], len(self.reads[k])
            A, b, values = coefficients(g)
            scratch = np.zeros(n * (2 * g.m + 5) + 6 * bodies)
            at = self.p
            self.P.append(np.concatenate([values, [joint.constant], scratch]))
            self.p += len(values) + 1 + len(scratch)
            own = int(self.first[self.acts[k][-1]]) if joint.kind == "holonomic" else 0
            blocks = HEAD + bodies * BODY
            lists = blocks + len(place[k])
            inputs = self.model.port_columns[part.name].start if isinstance(part, AbstractPort) else 0
            row = [g.m, bodies, at + len(values) + 1, k, inputs, own, lists, len(A), len(b), at, at + len(values), n]
            row.append(blocks)
            coordinate = 0
            for pose, speed in zip(self.reads[k], self.acts[k], strict=False):
                name = names[pose]
                is_pose = self.spaces[name] == POSES
                row += [int(is_pose), self.at_s[name], layout.x[name].start, int(self.first[speed])]
                row += [int(self.gain[speed]), self.at_turn.get(name, 0), coordinate]
                coordinate += self.spaces[name].size
            numbers = np.concatenate([row, place[k], A.ravel(), b.ravel()]).astype(np.int64)
            table.append((joint_address(joint.kind), 1, self._rows(numbers)))
        return np.array(table, dtype=np.int64).reshape(-1, 3)

    def _flows(self, laws: dict[FlowLaw, list[tuple[int, Array]]], place: dict[FlowLaw, Int]) -> Int:
        names = list(self.block)
        layout_x = self.model.layout.x
        inputs = {part: self.model.port_columns[part.name].start for part in self.model.ports}
        table = []
        for law, instances in laws.items():
            address, layout = flow_address(law, self.S)
            rows = []
            for k, _ in instances:
                row = list[int]()
                reads = [names[block] for block in self.reads[k]]
                for name, is_plain in zip(reads, layout.reads, strict=True):
                    row += [self.at_s[name]] if is_plain else [self.at_s[name], self.at_turn[name]]
                row += [layout_x[reads[end]].start for end in layout.ends]
                for block in self.acts[k]:
                    row += [int(self.first[block]), int(self.gain[block])]
                rows.append(row)
            p = self._parameters([numbers for _, numbers in instances], law.width)
            parts = [self.model.structures[k] for k, _ in instances]
            u = [inputs[part] if isinstance(part, AbstractPort) else 0 for part in parts]
            out = [k for k, _ in instances]
            body = np.array(rows, dtype=np.int64).reshape(len(instances), -1)
            table.append((address, len(instances), self._rows(np.column_stack([body, p, u, out, place[law]]))))
        return np.array(table, dtype=np.int64).reshape(-1, 3)

    # -- inertia and sizes --

    def _inertia(self) -> tuple[Int, Int]:
        masses, heavy = [], set[str]()
        for part in self.model.storages:
            if isinstance(part, Kinetic):
                heavy.add(part.variable)
                masses.append((self.first[self.block[part.variable]], len(part.M), self.p))
                self.P.append(np.asarray(part.M, dtype=np.float64).ravel())
                self.p += part.M.size
        light = [variable.name for variable in self.model.variables if variable.name not in heavy]
        units = [np.arange(self.model.layout.z[name].start, self.model.layout.z[name].stop) for name in light]
        return np.array(masses, dtype=np.int64).reshape(-1, 3), np.concatenate([np.zeros(0, dtype=np.int64), *units])

    def _E(self, rows: Int, cols: Int) -> tuple[Int, Array]:
        """Where E enters the matrix: the same for every stage."""
        S, dim = self.S, self.model.layout.dim
        own = np.flatnonzero((rows < dim * S) & (rows % S == cols % S))
        value = (rows[own] == cols[own]).astype(np.float64)
        where: dict[int, tuple[int, Array]] = {}
        for part in self.model.storages:
            if isinstance(part, Kinetic):
                first = int(self.first[self.block[part.variable]])
                where |= {first + a: (first, part.M) for a in range(len(part.M))}
        if where:
            for k, entry in enumerate(own):
                row, col = rows[entry] // S, cols[entry] // S
                if row in where:
                    first, M = where[row]
                    value[k] = M[row - first, col - first] if first <= col < first + len(M) else 0.0
        kept = value != 0
        return own[kept], value[kept]

    def _groups(self) -> tuple[Int, int]:
        """Rows of one kind share a size: variables with the same energies, and each algebraic block its own."""
        kinds: dict[Any, int] = {}
        laws: dict[str, list[Any]] = {}
        for storage in self.model.storages:
            laws.setdefault(storage.variable, []).append(energy_law_of(storage, self.spaces[storage.variable].size)[0])
        group = np.empty(self.model.layout.solved, dtype=np.int64)
        for k, name in enumerate(self.block):
            if k >= len(self.dims) - len(self.model.reservoirs):
                break
            key = tuple(laws.get(name, ())) if name in self.spaces else name
            group[self.first[k] : self.first[k] + self.dims[k]] = kinds.setdefault(key, len(kinds))
        return np.repeat(group, self.S), max(1, len(kinds))
