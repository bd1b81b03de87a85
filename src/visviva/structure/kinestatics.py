"""The kinestatic network: which twists and wrenches a mechanism allows as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.structure.composition import compose
from visviva.structure.dirac import Dirac
from visviva.structure.graph import graph_structure, incidence
from visviva.structure.pairs import ACTUATOR, PAIR, Pair
from visviva.structure.ports import quoted
from visviva.structure.subspace import range_and_complement

CLOSURE = 1e-9  # relative: to how many digits the poses of a closed loop fit together


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Kinestatics:
    """Bodies joined by kinematic pairs, springs and ports at one configuration, all in one frame.

    edges: name and ends (tail i, head j), T_e = T_i - T_j; the end 'ground' is the reference.
    pairs: the pairs on some edges, in the common frame; the other edges stay open as ports.

    G T = 0 collects A_e (T_i - T_j) = 0 over the pairs. Mobility is the dimension of its solutions; rows beyond
    the rank of G carry self-stress, wrenches in the pairs that no load determines.

    The constructor trusts its names; `of` checks them.
    """

    bodies: tuple[str, ...]
    edges: dict[str, tuple[str, str]]
    pairs: dict[str, Pair]

    @classmethod
    def of(
        cls, bodies: Sequence[str], edges: Mapping[str, tuple[str, str]], pairs: Mapping[str, Pair] | None = None
    ) -> Self:
        """Checked: every edge ends at a body or the ground, every pair sits on an edge."""
        incidence(bodies, edges)
        pairs = {} if pairs is None else dict(pairs)
        loose = [name for name in pairs if name not in edges]
        if loose:
            raise ModelError(f"the pairs {quoted(loose)} have no edge; the edges are {quoted(edges)}.")
        return cls(tuple(bodies), dict(edges), pairs)

    def structure(self, actuated: Sequence[str] = ()) -> Dirac:
        """Dirac structure over the bodies, the edges without a pair, and the actuators of the named pairs.

        At every port f is the twist and e the wrench exerted on the network, so e·f is power into it; an actuator,
        under the name of its pair, has (θ̇, τ). A body without inertia: `close(structure, body, zero="effort")`.

        Source: Stramigioli, Maschke and Bidard (33), as a composition.
        """
        self._check_actuated(actuated)
        # The wrench on a pair is minus the one that the pair exerts on the network, at the same twist.
        parts = {f"pair {name}": _of(pair, name in actuated).flip(PAIR) for name, pair in self.pairs.items()}
        graph = graph_structure(self.bodies, self.edges)
        joined = {name: (f"graph.{name}", f"pair {name}.{PAIR}") for name in self.pairs}
        network = compose({"graph": graph, **parts}, joined)
        names = {f"graph.{name}": name for name in graph.ports if name not in self.pairs}
        return network.rename(names | {f"pair {name}.{ACTUATOR}": name for name in actuated})

    def constraints(self) -> Array:
        """G, shape (rows of all pairs, 6 bodies)."""
        B = incidence(self.bodies, self.edges)
        columns = {name: -B[:, column] for column, name in enumerate(self.edges)}
        rows = [np.kron(columns[name], pair.A) for name, pair in self.pairs.items()]
        return np.vstack([np.zeros((0, 6 * len(self.bodies))), *rows])

    def admissible_twists(self, tolerance: float = CLOSURE) -> Array:
        """Orthonormal basis of the twists of all bodies that the pairs allow, shape (6 bodies, mobility)."""
        return range_and_complement(self.constraints().T, tolerance=tolerance)[1]

    def constraint_wrenches(self, tolerance: float = CLOSURE) -> Array:
        """Orthonormal basis of the wrenches on all bodies that the pairs can bear, shape (6 bodies, rank)."""
        return range_and_complement(self.constraints().T, tolerance=tolerance)[0]

    def self_stresses(self, tolerance: float = CLOSURE) -> Array:
        """Orthonormal basis of the multipliers of G that load no body, shape (rows, redundancy)."""
        return range_and_complement(self.constraints(), tolerance=tolerance)[1]

    def mobility(self, tolerance: float = CLOSURE) -> int:
        """Dimension of the admissible twists."""
        return self.admissible_twists(tolerance).shape[1]

    def rank(self, tolerance: float = CLOSURE) -> int:
        """Number of independent constraints."""
        return self.constraint_wrenches(tolerance).shape[1]

    def redundancy(self, tolerance: float = CLOSURE) -> int:
        """Number of constraints beyond those: the dimension of the self-stresses."""
        return self.self_stresses(tolerance).shape[1]

    def singularity(self, tolerance: float = CLOSURE) -> float:
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


def _of(pair: Pair, actuated: bool) -> Dirac:
    return pair.actuated() if actuated else pair.structure()
