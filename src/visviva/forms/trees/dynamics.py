"""Dynamics of a Tree in its minimal velocities, compiled."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.forms.trees.differentiation import Differentiation
from visviva.forms.trees.rates import rates
from visviva.forms.trees.tables import COORDINATES_OF, VELOCITIES_OF, TreeTables, tree_tables
from visviva.mechanism.spanning.tree import Tree

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int

NEARLY_UNIT = 1e-6  # of the length of a quaternion


@final
class TreeDynamics:
    """M(q) ξ̇ + b(q, ξ) = τ + Jᵀ w of a tree, in O(n), with springs and dampers in its joints.

    tree:      links, parents first.
    damping:   [N s/m, N m s] of each velocity: τ has -d ξ.
    stiffness: [N/m, N m] of each angle and shift, zero for balls and free links: τ has -c (q - relaxed).

    Coordinates q and velocities ξ are those of the tree, link by link. Every method takes leading axes: many motions
    are one compiled call. Wrenches are (m; f) on the links of the tree, at their origins and in their axes.
    """

    def __init__(
        self,
        tree: Tree,
        damping: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        relaxed: ArrayLike | None = None,
    ) -> None:
        self.tree = tree
        self.n = sum(VELOCITIES_OF.get(link.kind, 0) for link in tree.links)
        self.size_q = sum(COORDINATES_OF.get(link.kind, 0) for link in tree.links)
        given = [("damping", damping), ("stiffness", stiffness), ("relaxed", relaxed)]
        d, c, at = (
            np.zeros(self.n) if value is None else finite_array(value, f"{what} of a tree", (self.n,))
            for what, value in given
        )
        self._check_springs(d, c)
        self.parts: TreeTables = tree_tables(tree, d, c, at)
        self._idle: list[Differentiation] = []
        if not self.n:
            raise ModelError("a tree needs a link that moves: all of its links are fixed, or it has none.")

    def accelerations(
        self, q: ArrayLike, xi: ArrayLike, tau: ArrayLike | None = None, wrenches: ArrayLike | None = None
    ) -> Array:
        """ξ̇ by articulated bodies (Featherstone)."""
        from visviva.kernels.trees.addresses import accelerations
        from visviva.kernels.trees.batches import accelerate_all
        from visviva.kernels.trees.tables import memory

        shape, (Q, XI, TAU, L) = self._batch(q=q, xi=xi, tau=tau, wrenches=wrenches)
        T, out = self.parts.tables, np.empty_like(XI)
        sizes = self.sizes(L.shape[1])
        singular = accelerate_all(accelerations(), sizes, T.C, T.K, T.E, Q, XI, TAU, L, out, memory(T))
        self.refuse_singular(singular)
        return out.reshape(*shape, self.n)

    def inverse_dynamics(
        self, q: ArrayLike, xi: ArrayLike, xi_dot: ArrayLike, wrenches: ArrayLike | None = None
    ) -> Array:
        """τ that gives ξ̇, by the recursion of Newton and Euler."""
        from visviva.kernels.trees.inverse import inverses
        from visviva.kernels.trees.tables import memory

        shape, (Q, XI, XI_DOT, L) = self._batch(q=q, xi=xi, xi_dot=xi_dot, wrenches=wrenches)
        T, tau = self.parts.tables, np.empty_like(XI)
        inverses(T.C, T.K, T.E, T.S, Q, XI, XI_DOT, L, tau, memory(T))
        return tau.reshape(*shape, self.n)

    def bias(self, q: ArrayLike, xi: ArrayLike, wrenches: ArrayLike | None = None) -> Array:
        """b(q, ξ): forces of inertia at ξ̇ = 0, less those of gravity, springs, dampers and wrenches."""
        return self.inverse_dynamics(q, xi, np.zeros(self.n), wrenches)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), (..., n, n), by composite bodies."""
        from visviva.kernels.trees.inverse import mass_matrices
        from visviva.kernels.trees.tables import memory

        shape, (Q,) = self._batch(q=q)
        T, M = self.parts.tables, np.zeros((len(Q), self.n, self.n))
        mass_matrices(T.C, T.K, T.S, Q, M, memory(T), np.zeros((len(T.K) + 1, 10)))
        return M.reshape(*shape, self.n, self.n)

    def energy(self, q: ArrayLike, xi: ArrayLike) -> Array:
        """Kinetic energy and that of gravity and springs [J]; zero height is the origin of the world."""
        from visviva.kernels.trees.energy import energies
        from visviva.kernels.trees.tables import memory

        shape, (Q, XI) = self._batch(q=q, xi=xi)
        T, H = self.parts.tables, np.empty(len(Q))
        energies(T.C, T.K, T.E, Q, XI, H, memory(T))
        return H.reshape(shape)

    def poses(self, q: ArrayLike) -> Array:
        """X_WL of every link of the tree, (..., links, 4, 4)."""
        from visviva.kernels.trees.kinematics import poses
        from visviva.kernels.trees.tables import memory

        shape, (Q,) = self._batch(q=q)
        T, parts = self.parts.tables, self.parts
        X = np.zeros((len(Q), len(T.K) + 1, 4, 4))
        X[:, -1] = np.eye(4)
        poses(T.C, T.K, Q, X, memory(T))
        found = X[:, parts.carrier] @ parts.X_KL
        return np.asarray(found.reshape(*shape, len(parts.carrier), 4, 4))

    def twists(self, q: ArrayLike, xi: ArrayLike) -> Array:
        """(ω; v) of every link of the tree at its origin, in its axes, (..., links, 6)."""
        from visviva.kernels.trees.kinematics import twists
        from visviva.kernels.trees.tables import memory

        shape, (Q, XI) = self._batch(q=q, xi=xi)
        T, parts = self.parts.tables, self.parts
        V = np.zeros((len(Q), len(T.K) + 1, 6))
        twists(T.C, T.K, T.S, Q, XI, V, memory(T))
        V = V[:, parts.carrier]
        R, r = parts.X_KL[:, :3, :3], parts.X_KL[:, :3, 3]
        w = np.einsum("lji,blj->bli", R, V[..., :3])
        v = np.einsum("lji,blj->bli", R, V[..., 3:] + np.cross(V[..., :3], r))
        return np.concatenate([w, v], axis=-1).reshape(*shape, len(parts.carrier), 6)

    def derivatives(
        self,
        q: ArrayLike,
        xi: ArrayLike,
        tau: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
        *,
        out: Array | None = None,
    ) -> tuple[Array, Array, Array]:
        """∂ξ̇/∂q, ∂ξ̇/∂ξ and ∂ξ̇/∂τ = M⁻¹, (..., n, n) each.

        Derivatives by q are along velocities: column k is the rate of ξ̇ when the tree moves with ξ_k = 1 alone. For
        angles and shifts that is the partial derivative.
        out: (3, ..., n, n), memory for the three. To get as much afresh from the system can take as long as to fill it.
        """
        leading, (Q, XI, TAU, L) = self._batch(q=q, xi=xi, tau=tau, wrenches=wrenches)
        shape = (3, *leading, self.n, self.n)
        found = np.empty(shape) if out is None else out
        if found.shape != shape or found.dtype != np.float64 or not found.flags.c_contiguous:
            raise ModelError(
                f"out of derivatives must be a contiguous array of {shape} floats, got {found.shape}, {found.dtype}"
                f"{'' if found.flags.c_contiguous else ', not contiguous'}: take np.empty({shape})."
            )
        self.differentiate(Q, XI, TAU, L, found.reshape(3, len(Q), self.n, self.n))
        return found[0], found[1], found[2]

    def differentiate(self, Q: Array, XI: Array, TAU: Array, L: Array, out: Array) -> None:
        """`derivatives` of many states, (states, ...) each, to out (3, states, n, n); only inertia is checked."""
        try:
            work = self._idle.pop()
        except IndexError:  # none yet, or others are at work in other threads
            work = Differentiation(self.parts)
        singular = work(self.sizes(L.shape[1]), Q, XI, TAU, L, out)
        self._idle.append(work)
        self.refuse_singular(singular)

    def directional_derivative(
        self,
        q: ArrayLike,
        xi: ArrayLike,
        tau: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
        *,
        along_q: ArrayLike | None = None,
        along_xi: ArrayLike | None = None,
        along_tau: ArrayLike | None = None,
    ) -> Array:
        """∂ξ̇/∂q a + ∂ξ̇/∂ξ b + ∂ξ̇/∂τ c along directions a, b, c, (..., n) each, in O(n).

        It is what `derivatives` has as matrices, without them: forward dynamics with complex numbers, whose imaginary
        parts of size 10⁻³⁰ carry derivatives that are exact to rounding (Squire, Trapp (1998), SIAM Rev. 40, 110-112).
        The direction a is a velocity: angles change by it, a ball turns by it in link axes.
        """
        from visviva.kernels.trees.addresses import complex_accelerations
        from visviva.kernels.trees.batches import accelerate_all
        from visviva.kernels.trees.tables import memory

        given = {"q": q, "xi": xi, "tau": tau, "wrenches": wrenches}
        shape, (Q, XI, TAU, L, a, b, c) = self._batch(**given, along_q=along_q, along_xi=along_xi, along_tau=along_tau)
        step = 1e-30j
        T, out = self.parts.tables, np.empty(XI.shape, complex)
        there = Q + step * rates(T.K, Q, a)
        singular = accelerate_all(
            complex_accelerations(), self.sizes(L.shape[1]), T.C, T.K, T.E, there, XI + step * b, TAU + step * c,
            L.astype(complex), out, memory(T, dtype=complex),
        )  # fmt: skip
        self.refuse_singular(singular)
        return (out.imag / step.imag).reshape(*shape, self.n)

    def sizes(self, loads: int = 0) -> Int:
        """Moving links, velocities, coordinates, rows of wrenches, as compiled loops want them."""
        return np.array([len(self.parts.tables.K), self.n, self.size_q, loads], dtype=np.int64)

    def refuse_singular(self, singular: int) -> None:
        """An error that names the link, if there is one whose joint moves no inertia."""
        if singular >= 0:
            link = self.tree.links[self.parts.moving[singular]]
            raise ModelError(
                f"the joint of link {link.name!r} ({link.kind}) moves no inertia: its acceleration is undetermined.\n"
                "Every joint has to move a mass, or a moment of inertia about its axis, in itself or in what hangs on "
                "it. Give the link some, or fix it."
            )

    def loads(self, wrenches: ArrayLike) -> Array:
        """Wrenches on the links of the tree, taken to the moving links that carry them, (..., moving links, 6)."""
        parts = self.parts
        w = finite_array(wrenches, "wrenches of a tree", (len(parts.carrier), 6))
        R, r = parts.X_KL[:, :3, :3], parts.X_KL[:, :3, 3]
        f = np.einsum("lij,...lj->...li", R, w[..., 3:])
        m = np.einsum("lij,...lj->...li", R, w[..., :3]) + np.cross(r, f)
        found = np.zeros((*w.shape[:-2], len(parts.tables.K) + 1, 6))
        for link, k in enumerate(parts.carrier):
            found[..., k, :3] += m[..., link, :]
            found[..., k, 3:] += f[..., link, :]
        return np.ascontiguousarray(found[..., :-1, :])

    def energy_size(self, q: Array, xi: Array) -> float:
        """Sum of the sizes of all terms of the energy [J]: its rounding is as large, whatever its zero."""
        X, gravity, E = self.poses(q), self.tree.gravity, self.parts.tables.E
        centres = np.einsum("lij,lj->li", X[:, :3, :3], [link.com for link in self.tree.links]) + X[:, :3, 3]
        weights = sum(link.mass * abs(float(gravity @ r)) for link, r in zip(self.tree.links, centres, strict=True))
        kinetic = 0.5 * float(xi @ self.mass_matrix(q) @ xi)
        flat = [(at, k) for _, kind, at, k, *_ in self.parts.tables.K if kind <= 1]
        springs = sum(0.5 * E[k, 1] * (q[at] - E[k, 2]) ** 2 for at, k in flat)
        return kinetic + weights + float(springs)

    def check_quaternions(self, q: Array) -> None:
        """An error that names the link, where a quaternion is not of length one."""
        for name, at in self.quaternions:
            length = np.linalg.norm(q[..., at : at + 4], axis=-1)
            if (np.abs(length - 1.0) > NEARLY_UNIT).any():
                raise ModelError(
                    f"the quaternion of link {name!r}, q[{at}:{at + 4}], must have length 1, got {length}."
                )

    @cached_property
    def quaternions(self) -> list[tuple[str, int]]:
        """Names of links with a quaternion, and where it begins."""
        found, at = [], 0
        for link in self.tree.links:
            at += COORDINATES_OF[link.kind]
            if link.kind in ("ball", "free"):
                found.append((link.name, at - 4))
        return found

    def _batch(self, **given: ArrayLike | None) -> tuple[tuple[int, ...], list[Array]]:
        """Leading axes that all arguments share, and each of them with these as one."""
        arrays = dict[str, Array]()
        for what, value in given.items():
            size = self.size_q if what == "q" else self.n
            if what == "wrenches":
                arrays[what] = np.zeros((0, 6)) if value is None else self.loads(value)
            else:
                arrays[what] = np.zeros(size) if value is None else finite_array(value, f"{what} of a tree", (size,))
        self.check_quaternions(arrays["q"])
        fronts = [array.shape[: -2 if what == "wrenches" else -1] for what, array in arrays.items()]
        try:
            shape = fronts[0] if len(set(fronts)) == 1 else np.broadcast_shapes(*fronts)
        except ValueError as cause:
            shapes = ", ".join(f"{what} {array.shape}" for what, array in arrays.items())
            raise ModelError(f"leading axes of {shapes} do not fit each other.") from cause
        flat, count = [], math.prod(shape)
        for front, array in zip(fronts, arrays.values(), strict=True):
            core = array.shape[len(front) :]
            whole = array if front == shape else np.broadcast_to(array, (*shape, *core))
            flat.append(np.ascontiguousarray(whole.reshape(count, *core)))
        return shape, flat

    def _check_springs(self, damping: Array, stiffness: Array) -> None:
        at = 0
        for link in self.tree.links:
            n = VELOCITIES_OF.get(link.kind, 0)
            if link.kind in ("ball", "free") and stiffness[at : at + n].any():
                raise ModelError(
                    f"link {link.name!r} ({link.kind}) has a stiffness; springs of a tree act on angles and shifts."
                )
            if (damping[at : at + n] < 0).any():
                raise ModelError(f"link {link.name!r} has a negative damping: {damping[at : at + n]}.")
            at += n
