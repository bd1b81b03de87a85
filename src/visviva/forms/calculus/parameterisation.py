"""Parameterisation: configurations by redundant coordinates, motions by minimal velocities."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector, frozen
from visviva.errors import ModelError
from visviva.forms.calculus.cached_map import CachedMap
from visviva.forms.calculus.checks import check_kinematics, check_pose
from visviva.forms.calculus.edges import AbstractEdge, ChangedEdge, GivenEdge
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.graph import GROUND, FrameGraph, frame_graph
from visviva.forms.calculus.local_coordinates import AbstractLocalCoordinates, Changed, Tangents
from visviva.forms.calculus.maps import AbstractMap, Arguments, Polynomial, Product
from visviva.forms.kinds import by_name

OWN = frozenset({"q", "xi", "xi_dot", "t"})


@final
class Parameterisation:
    """q̇ = A(q) ξ on φ(q) = 0: ν coordinates q of any redundancy, n = ν - rank ∂φ/∂q velocities ξ, integrable or not.

    q, xi:   names of coordinates and velocities, or SymPy symbols.
    A:       (ν, n), with ∂φ/∂q A = 0 and rank n.
    phi:     (m,), zero on every configuration; rows may be redundant. None where q is minimal.
    edges:   poses (4, 4) of frame b in frame a by ("a", "b"); they connect all frames with "ground". They may depend
             on time: frames then have twists J ξ + W. A and φ do not, as coordinates are those of one space of
             configurations; what moves by itself is a pose.
    q0:      one configuration, where all of this is checked.

    A, phi and poses are plain Python functions of q (poses: of q and t), differentiated by jets, SymPy expressions, or
    numbers. In functions q has entries by place and name, q[0] or q.theta. Velocities of frames are twists (ω; v).
    `coordinates.joined` makes one of joints with ready-made coordinates.

    Source: Konz, sections 2.1 and 3.4; (2.1)-(2.5), (3.94)-(3.100).
    """

    def __init__(
        self,
        q: Sequence[Any],
        xi: Sequence[Any],
        *,
        A: Any,
        q0: ArrayLike,
        phi: Any = None,
        edges: Mapping[tuple[str, str], Any] | None = None,
    ) -> None:
        self.coordinates = names_of(q, "coordinate", OWN)
        self.velocities = names_of(xi, "velocity", OWN | set(self.coordinates))
        arguments = self.arguments
        self.A_map = map_of(A, arguments, "A", (self.size_q, self.n))
        self.phi_map = _no_rows(self.size_q) if phi is None else map_of(phi, arguments, "phi", (None,))
        self.local: AbstractLocalCoordinates = Tangents(self.A_map, self.phi_map)
        self.q0 = frozen(finite_vector(q0, "q0", self.size_q))
        self._set_edges(
            GivenEdge(a, b, map_of(X, self.places, f"the pose of {b!r} in {a!r}", (4, 4)), self.A_map)
            for (a, b), X in _pairs(edges)
        )
        self.check(self.q0)

    @classmethod
    def of_maps(
        cls,
        coordinates: tuple[str, ...],
        velocities: tuple[str, ...],
        A: AbstractMap,
        phi: AbstractMap,
        edges: Sequence[AbstractEdge],
        local: AbstractLocalCoordinates,
        q0: Array,
    ) -> Self:
        """One whose maps, edges and local coordinates are there already; checked at q0 like any other."""
        self = cls.__new__(cls)
        self.coordinates = names_of(coordinates, "coordinate", OWN)
        self.velocities = names_of(velocities, "velocity", OWN | set(coordinates))
        self.A_map, self.phi_map, self.local = A, phi, local
        self.q0 = frozen(finite_vector(q0, "q0", len(coordinates)))
        self._set_edges(edges)
        self.check(self.q0)
        return self

    def _set_edges(self, edges: Any) -> None:
        self.edges: tuple[AbstractEdge, ...] = tuple(edges)
        self.graph: FrameGraph = frame_graph(self.edges)

    @property
    def size_q(self) -> int:
        """ν, number of coordinates."""
        return len(self.coordinates)

    @property
    def n(self) -> int:
        """Number of velocities, the dimension of the configuration space."""
        return len(self.velocities)

    @property
    def arguments(self) -> Arguments:
        """What functions of the configuration can ask for."""
        return Arguments((("q", self.coordinates),))

    @property
    def places(self) -> Arguments:
        """What poses and positions can ask for."""
        return Arguments((("q", self.coordinates),), time=True)

    @property
    def timed(self) -> bool:
        """Whether the pose of some frame depends on time."""
        return any(edge.timed for edge in self.edges)

    def with_frames(self, poses: Mapping[str, AbstractMap]) -> Parameterisation:
        """The same with more frames, by the maps of their poses (4, 4) in the ground over (q, t)."""
        edges = [GivenEdge(GROUND, name, X, self.A_map) for name, X in poses.items()]
        return Parameterisation.of_maps(
            self.coordinates, self.velocities, self.A_map, self.phi_map, (*self.edges, *edges), self.local, self.q0
        )

    @property
    def motion(self) -> Arguments:
        """What functions of configuration, velocities and time can ask for."""
        return Arguments((("q", self.coordinates), ("xi", self.velocities)), time=True)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, "ground" first, each after the one it hangs on."""
        return self.graph.frames

    def A(self, q: Array) -> Array:
        """Kinematics matrix, shape (ν, n)."""
        return self.A_map.value(self._at(q))

    def A_slope(self, q: Array) -> Array:
        """∂A/∂q, shape (ν, n, ν)."""
        return self.A_map.slope(self._at(q))

    def phi(self, q: Array) -> Array:
        """φ, shape (m,)."""
        return self.phi_map.value(self._at(q))

    def Phi(self, q: Array) -> Array:
        """∂φ/∂q, shape (m, ν)."""
        return self.phi_map.slope(self._at(q))

    def q_dot(self, q: Array, xi: Array) -> Array:
        """A(q) ξ."""
        return np.asarray(self.A(q) @ xi)

    def q_ddot(self, q: Array, xi: Array, xi_dot: Array) -> Array:
        """A ξ̇ + Ȧ ξ."""
        A = self.A(q)
        A_dot = self.A_map.along(q, A @ xi, np.zeros(self.size_q))[1]
        return np.asarray(A @ xi_dot + A_dot @ xi)

    def with_velocities(self, xi: Sequence[Any], B: Any) -> Parameterisation:
        """The same configurations in other velocities ξ', given by ξ = B(q) ξ' with an invertible B (n, n)."""
        velocities = names_of(xi, "velocity", OWN | set(self.coordinates))
        if len(velocities) != self.n:
            raise ModelError(f"{self.n} velocities are replaced by {len(velocities)}: their number stays the same.")
        B_map = CachedMap(map_of(B, self.arguments, "B", (self.n, self.n)))
        edges = [ChangedEdge(edge.a, edge.b, edge, self.A_map, B_map) for edge in self.edges]
        A, local = Product(self.A_map, B_map), Changed(self.local, B_map)
        return Parameterisation.of_maps(self.coordinates, velocities, A, self.phi_map, edges, local, self.q0)

    def _at(self, q: Array) -> Array:
        """q as it is, or an error where it has another length; a look at its shape alone, since this is asked often."""
        return q if np.shape(q) == (self.size_q,) and isinstance(q, np.ndarray) else finite_vector(q, "q", self.size_q)

    def violation(self, q: Array) -> dict[str, float | None]:
        """Largest |φ| relative to the size of its terms, as "g"; nothing where coordinates are minimal."""
        phi = np.abs(self.phi(q))
        if not len(phi):
            return {}
        size = np.abs(self.Phi(q)) @ np.abs(q)
        return {"g": float((phi / np.where(size > 0, size, 1.0)).max())}

    def check(self, q: ArrayLike) -> None:
        """An error unless φ = 0, ∂φ/∂q A = 0, both ranks are right and all poses are in SE(3), at q."""
        q = finite_vector(q, "q", self.size_q)
        check_kinematics(self.coordinates, self.velocities, self.A_map, self.phi_map, q)
        for edge in self.edges:
            check_pose(edge, q)


def names_of(given: Sequence[Any], what: str, taken: set[str] | frozenset[str]) -> tuple[str, ...]:
    """Names from strings or symbols, each a Python name and none twice."""
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ModelError(f"each {what} has a name: give them as strings, such as ('x', 'y'), got {given!r}.")
    names = tuple(str(name) for name in given)
    for k, name in enumerate(names):
        if not name.isidentifier() or keyword.iskeyword(name) or name in dir(np.ndarray):
            raise ModelError(f"a {what} cannot be called {name!r}: it must be a Python name that vectors do not have.")
        if name in taken or name in names[:k]:
            raise ModelError(f"the {what} {name!r} has a name that is taken: names are unique.")
    return names


def _pairs(edges: Mapping[tuple[str, str], Any] | None) -> list[tuple[tuple[str, str], Any]]:
    example = "{('ground', 'arm'): lambda q: ...}"
    pairs = list(by_name({} if edges is None else edges, "edges", example).items())
    for key, _ in pairs:
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(name, str) and name for name in key)):
            raise ModelError(f"an edge is given by two frames such as ('ground', 'arm'), got {key!r}.")
    return pairs


def _no_rows(size: int) -> AbstractMap:
    return Polynomial(size, np.zeros(0))
