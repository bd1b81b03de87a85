"""The kinestatic network: which twists and wrenches a mechanism allows as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.numerics import rank as ranks
from visviva.structure.composition import close, compose, transformer
from visviva.structure.dirac import Dirac
from visviva.structure.graph import GROUND, graph_structure, incidence
from visviva.structure.linear_condition import DRIVE, LinearCondition
from visviva.structure.pairs import ACTUATOR, PAIR, Pair
from visviva.structure.ports import quoted, spans
from visviva.structure.subspace import range_and_complement


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Kinestatics:
    """Bodies joined by kinematic pairs, springs and ports at one configuration, all in one frame.

    edges:     name and ends (tail i, head j), T_e = T_i - T_j; the end 'ground' is the reference.
    pairs:     the pairs on some edges, in the common frame; the other edges stay open as ports.
    particles: those of the bodies that have no orientation: velocity and force (3) in place of twist and wrench (6).
    conditions: rows over the twists of several bodies, such as those of gears and of rolling.
    length:     [m] what counts as one unit of length where turns and shifts are compared.
    independent: number of independent rows, where another reading of the same mechanism has decided about it.

    G T = 0 collects A_e (T_i - T_j) = 0 over the pairs, and the rows of the conditions, with drives at rest. Mobility
    is the dimension of its solutions; rows beyond the rank of G carry self-stress, wrenches that no load determines.

    The constructor trusts its names; `of` checks them.
    """

    bodies: tuple[str, ...]
    edges: dict[str, tuple[str, str]]
    pairs: dict[str, Pair]
    particles: tuple[str, ...] = ()
    conditions: dict[str, LinearCondition] = field(default_factory=dict)
    length: float = 1.0
    independent: int | None = None

    @classmethod
    def of(
        cls,
        bodies: Sequence[str],
        edges: Mapping[str, tuple[str, str]],
        pairs: Mapping[str, Pair] | None = None,
        particles: Sequence[str] = (),
        conditions: Mapping[str, LinearCondition] | None = None,
        length: float = 1.0,
        independent: int | None = None,
    ) -> Self:
        """Checked: every edge ends at a body or the ground, every pair sits on an edge, all others name bodies."""
        if GROUND in bodies:
            raise ModelError(f"'{GROUND}' is the reference and no body: leave it out of the bodies.")
        incidence(bodies, edges)
        pairs = {} if pairs is None else dict(pairs)
        loose = [name for name in pairs if name not in edges]
        if loose:
            raise ModelError(f"the pairs {quoted(loose)} have no edge; the edges are {quoted(edges)}.")
        for name, pair in pairs.items():
            if not isinstance(pair, Pair):
                raise ModelError(f"pair '{name}' must be a Pair such as revolute(frame), got {pair!r}.")
        _check_bodies(particles, bodies)
        conditions = {} if conditions is None else dict(conditions)
        for name, condition in conditions.items():
            if name in edges or name in bodies:
                raise ModelError(f"the name '{name}' of a condition is that of a body or an edge: use another one.")
            _check_bodies(tuple(condition.rows), bodies)
        return cls(tuple(bodies), dict(edges), pairs, tuple(particles), conditions, length, independent)

    def incidence(self) -> Array:
        """B (bodies, edges), -1 at the tail and +1 at the head of an edge."""
        return incidence(self.bodies, self.edges)

    def graph(self) -> Dirac:
        """Kirchhoff's laws alone, over all bodies and edges, before the pairs are joined to their edges."""
        return graph_structure(self.bodies, self.edges)

    def structure(self, actuated: Sequence[str] = (), massless: Sequence[str] = ()) -> Dirac:
        """Dirac structure over the bodies, the edges without a pair, the actuators of the named pairs, and drives.

        At every port f is the twist and e the wrench exerted on the network, so e·f is power into it; an actuator,
        under the name of its pair, has (θ̇, τ), a drive (ṡ, τ). Bodies without inertia take no wrench: they are
        eliminated. A condition holds its bodies by edges to the ground.

        Source: Stramigioli, Maschke and Bidard (33), as a composition.
        """
        self._check_actuated(actuated)
        _check_bodies(massless, self.bodies)
        # The wrench on a pair is minus the one that the pair exerts on the network, at the same twist.
        parts = {f"pair {name}": _of(pair, name in actuated).flip(PAIR) for name, pair in self.pairs.items()}
        parts |= {f"point {name}": transformer(np.eye(6)[:, 3:], "particle", "body") for name in self.particles}
        held = {f"{name} on {body}": (name, body) for name, part in self.conditions.items() for body in part.rows}
        parts |= {f"rows {name}": part.structure().flip(*part.rows) for name, part in self.conditions.items()}
        graph = graph_structure(self.bodies, self.edges | {edge: (body, GROUND) for edge, (_, body) in held.items()})
        joined = {name: (f"graph.{name}", f"pair {name}.{PAIR}") for name in self.pairs}
        joined |= {edge: (f"graph.{edge}", f"rows {name}.{body}") for edge, (name, body) in held.items()}
        joined |= {name: (f"graph.{name}", f"point {name}.body") for name in self.particles}
        network = compose({"graph": graph, **parts}, joined)
        names = {f"graph.{name}": name for name in graph.ports if name not in joined}
        names |= {f"point {name}.particle": name for name in self.particles}
        names |= {f"rows {name}.{DRIVE}": name for name, part in self.conditions.items() if part.driven}
        network = network.rename(names | {f"pair {name}.{ACTUATOR}": name for name in actuated})
        for name in massless:
            network = close(network, name, "effort")
        order = [*self.bodies, *self.edges, *self.conditions]
        return network.permute(*sorted(network.ports, key=order.index))

    def constraints(self) -> Array:
        """G, shape (rows of all pairs, then of all conditions, velocities): six per body, three per particle."""
        B, n = self.incidence(), len(self.bodies)
        columns = {name: -B[:, column] for column, name in enumerate(self.edges)}
        rows = [np.kron(columns[name], pair.A) for name, pair in self.pairs.items()]
        for part in self.conditions.values():
            blank = np.zeros((part.count, 6))
            rows.append(np.hstack([part.rows.get(body, blank) for body in self.bodies]))
        return np.vstack([np.zeros((0, 6 * n)), *rows])[:, self._moves]

    @property
    def _moves(self) -> Mask:
        """Which of six velocities per body there are: particles do not turn."""
        moves = [[name not in self.particles] * 3 + [True] * 3 for name in self.bodies]
        return np.array(moves, dtype=np.bool_).ravel()

    @property
    def units(self) -> Array:
        """Units of the velocities of G in which turns and shifts are compared: 1, and the length."""
        return np.tile(np.repeat([1.0, self.length], 3), len(self.bodies))[self._moves]

    def admissible_twists(self, tolerance: float | None = None) -> Array:
        """Orthonormal basis of the velocities of all bodies that the pairs allow, shape (velocities, mobility)."""
        return range_and_complement(self.constraints().T, rank=self.rank(tolerance))[1]

    def constraint_wrenches(self, tolerance: float | None = None) -> Array:
        """Orthonormal basis of the wrenches on all bodies that the pairs can bear, shape (velocities, rank)."""
        return range_and_complement(self.constraints().T, rank=self.rank(tolerance))[0]

    def self_stresses(self, tolerance: float | None = None) -> Array:
        """Orthonormal basis of the multipliers of G that load no body, shape (rows, redundancy)."""
        return range_and_complement(self.constraints(), rank=self.rank(tolerance))[1]

    def self_stress_wrenches(self, tolerance: float | None = None) -> dict[str, Array]:
        """The same by pair, as wrenches (6, redundancy) in the common frame; pairs without a share are left out."""
        found, at, stresses = {}, 0, self.self_stresses(tolerance)
        for name, pair in self.pairs.items():
            wrenches = pair.A.T @ stresses[at : at + len(pair.A)]
            at += len(pair.A)
            if np.abs(wrenches).max(initial=0.0) > (ranks.TOLERANCE if tolerance is None else tolerance):
                found[name] = wrenches
        return found

    def rows(self) -> dict[str, slice]:
        """Where the rows of each pair and condition are in G."""
        counts = {name: len(pair.A) for name, pair in self.pairs.items()}
        return spans(counts | {name: part.count for name, part in self.conditions.items()})

    def mobility(self, tolerance: float | None = None) -> int:
        """Dimension of the admissible twists."""
        return self.admissible_twists(tolerance).shape[1]

    def rank(self, tolerance: float | None = None) -> int:
        """Number of independent constraints.

        tolerance: of rows of length one, to which the poses of a loop fit together; default: that of `numerics.rank`.
        """
        if tolerance is None and self.independent is not None:
            return self.independent
        tolerance = ranks.TOLERANCE if tolerance is None else tolerance
        return ranks.rank(self.constraints() * self.units, tolerance=tolerance)

    def redundancy(self, tolerance: float | None = None) -> int:
        """Number of constraints beyond those: the dimension of the self-stresses."""
        return self.self_stresses(tolerance).shape[1]

    def singularity(self, tolerance: float | None = None) -> float:
        """Smallest non-zero singular value of G: near zero, close to a configuration with more mobility.

        Limits: it mixes lengths and angles; compare configurations of one mechanism, in one unit of length.
        """
        values = np.linalg.svd(self.constraints(), compute_uv=False)
        rank = self.rank(tolerance)
        return float(values[rank - 1]) if rank else 0.0

    def _check_actuated(self, names: Sequence[str]) -> None:
        movable = [name for name, pair in self.pairs.items() if pair.freedom]
        for name in names:
            if name not in movable:
                raise ModelError(f"'{name}' is no pair with a freedom to actuate; such pairs are {quoted(movable)}.")


def _check_bodies(names: Sequence[str], bodies: Sequence[str]) -> None:
    for name in names:
        if name not in bodies:
            raise ModelError(f"'{name}' is no body; the bodies are {quoted(bodies)}.")


def _of(pair: Pair, actuated: bool) -> Dirac:
    return pair.actuated() if actuated else pair.structure()
