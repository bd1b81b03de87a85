"""The tree of a mechanism in compiled code, called with one state or with many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.compiler.flows import NotCompilable
from visviva.errors import ModelError
from visviva.forms.dynamics.batches import Batches
from visviva.forms.dynamics.space import Space
from visviva.forms.minimal.model_flow import ModelFlow
from visviva.forms.minimal.tree_acting import tree_acting
from visviva.forms.minimal.tree_forces import TreeForces, beyond_joints, joint_springs, tree_forces
from visviva.forms.trees.acting import TreeActing
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees import addresses
from visviva.kernels.trees.tables import memory

from visviva.kernels.trees.evaluation import (  # isort: skip
    NEARLY_UNIT, NOT_FINITE, SINGULAR, Evaluated, accelerations, forwards, inverses, jacobians, masses, poses, row_of,
)  # fmt: skip

FLOAT = np.dtype(np.float64)
NOTHING: Array = np.zeros(0)


@final
@dataclass(frozen=True, eq=False)
class Memory:
    """What one call works in: the row that kernels take, and what it refers to."""

    row: Int
    evaluated: Evaluated
    acting: TreeActing | None


@final
class Evaluator:
    """Quantities of the spanning tree of a mechanism at q (..., nq) and v (..., n), whatever closes its loops.

    passive:  whether all that acts besides gravity and inputs has a compiled form: `PASSIVE` may be asked for.
    compiled: whether it is a tree and inputs have one as well; else there are none.
    """

    def __init__(self, flow: ModelFlow) -> None:
        form = flow.form
        self._flow, self._who = flow, f"the dynamics of {form.name!r}"
        self.n, self.nq = form.n, form.size_q
        self.forces: TreeForces | None = None if beyond_joints(form) else tree_forces(form)
        tree = not form.open.constraints
        springs = joint_springs(form) if self.forces or not tree else None
        self.dynamics = TreeDynamics(form.tree, *(springs or ()))
        self.acting = springs is None and not form.extra
        self._q_shape, self._v_shape = (self.nq,), (self.n,)
        self._idle: list[Memory] = []
        self._still = np.zeros(self.n)
        self._idle.append(self._memory())
        self.passive = springs is not None or self.acting
        self.compiled = self.passive and tree
        self.nu = len(form.inputs.base) if self.compiled else 0
        self._names = form.q_names

    def _memory(self) -> Memory:
        """Memory of one call; it holds what acts, where something does and can be compiled."""
        acting = None
        if self.acting:
            try:
                acting = tree_acting(self._flow, self.dynamics)
            except NotCompilable:
                self.acting = False
        T, links, n = self.dynamics.parts.tables, len(self.dynamics.parts.tables.K), self.n
        inputs = len(self._flow.form.inputs.base) if self.forces or acting else 0
        rows = links if acting else 0
        acts = acting.addresses(counts=False)[0] if acting else 0
        sizes = [links, n, self.nq, rows, inputs, addresses.accelerations(), acts, 0]
        evaluated = Evaluated(
            np.array(sizes, dtype=np.int64), T.C, T.K, T.E, T.S, np.array(T.gravity), memory(T),
            memory(T), np.zeros((links + 1, 10)), np.array([at for _, at in self.dynamics.quaternions], dtype=np.int64),
            self.forces.ports if self.forces else np.zeros(0, dtype=np.int64),
            acting.row(1) if acting else np.zeros(0, dtype=np.int64), np.zeros((rows, 6)),
            np.zeros(1 + (acting.powers if acting else 0)), np.zeros(inputs), np.zeros(n), np.zeros(n),
            np.zeros((n, 3)),
        )  # fmt: skip
        return Memory(row_of(evaluated), evaluated, acting)

    def _take(self) -> Memory:
        try:
            return self._idle.pop()
        except IndexError:  # others are at work in other threads
            return self._memory()

    # -- forces -------------------------------------------------------------------------------------------------

    def inverse(self, parts: int, q: Any, v: Any, a: Any) -> Array:
        """M a and parts of the bias, (..., n); v and a that are None are zero."""
        still, wide = self._still, self._v_shape
        v, a = still if v is None else v, still if a is None else a
        shape: tuple[int, ...] = ()
        if _proper(q, self._q_shape) and (v is still or _proper(v, wide)) and (a is still or _proper(a, wide)):
            Q, V, A = q, v, a
        else:
            shape, (Q, V, A) = self._stacked({"q": q, "v": v, "a": a})
        out, work = np.empty((*shape, self.n)), self._take()
        status = inverses(work.row, parts, Q, V, A, out.reshape(-1) if shape else out)
        self._idle.append(work)
        return self._refuse(status, q=q, v=v, a=a) if status else out

    def forward(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None, tau: ArrayLike | None) -> Array:
        """Accelerations (..., n) with inputs u (..., nu) and further generalised forces tau (..., n)."""
        given = {"q": q, "v": v, **({} if u is None else {"u": u}), **({} if tau is None else {"tau": tau})}
        if u is None and self.nu:
            given["u"] = np.zeros(self.nu)
        shape, found = self._flat(**given)
        flat = dict(zip(given, found, strict=True))
        out, work = np.empty((*shape, self.n)), self._take()
        status = forwards(
            work.row, flat["q"], flat["v"], flat.get("u", NOTHING), flat.get("tau", NOTHING),
            out.reshape(-1) if shape else out,
        )  # fmt: skip
        self._idle.append(work)
        return self._refuse(status, **given) if status else out

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M, (..., n, n)."""
        shape, Q = self._place(q)
        out, work = np.empty((math.prod(shape), self.n, self.n)), self._take()
        status = masses(work.row, Q, out)
        self._idle.append(work)
        if status:
            self._refuse(status, q=q)
        return out.reshape(*shape, self.n, self.n) if shape else out[0]

    def derivatives(self, q: ArrayLike, v: ArrayLike, u: ArrayLike) -> tuple[Array, Array, Array]:
        """∂a/∂q, ∂a/∂v, ∂a/∂u where all that acts does so in joints."""
        assert self.forces is not None
        shape, (Q, V, U) = self._flat(q=q, v=v, u=u)
        count, n, B = math.prod(shape), self.n, self.forces.B
        Q = Q.reshape(count, self.nq)
        self.dynamics.check_quaternions(Q)
        found = np.empty((3, count, n, n))
        wrenches = np.zeros((count, 0, 6))
        try:
            self.dynamics.differentiate(Q, V.reshape(count, n), U.reshape(count, self.nu) @ B.T, wrenches, found)
        except ModelError:  # no inertia, or nan in its place
            self.batches.stacked(q=q, v=v, u=u)
            raise
        if not math.isfinite(found.sum()):
            self._refuse(NOT_FINITE, q=q, v=v, u=u)
        found = found.reshape(3, *shape, n, n)
        return found[0], found[1], found[2] @ B

    # -- frames -------------------------------------------------------------------------------------------------

    def pose(self, path: Int, X: Array, q: ArrayLike) -> tuple[Array, Array]:
        """R (..., 3, 3) and r (..., 3) of a frame X in the last link of a path."""
        shape, Q = self._place(q)
        count, work = math.prod(shape), self._take()
        R, r = np.empty((count, 3, 3)), np.empty((count, 3))
        status = poses(work.row, path, X, Q, R, r)
        self._idle.append(work)
        if status:
            self._refuse(status, q=q)
        return (R.reshape(*shape, 3, 3), r.reshape(*shape, 3)) if shape else (R[0], r[0])

    def jacobian(self, path: Int, X: Array, rows: int, q: ArrayLike) -> Array:
        """J, (..., 6, n)."""
        shape, Q = self._place(q)
        out, work = np.empty((math.prod(shape), 6, self.n)), self._take()
        status = jacobians(work.row, path, X, rows, Q, out)
        self._idle.append(work)
        if status:
            self._refuse(status, q=q)
        return out.reshape(*shape, 6, self.n) if shape else out[0]

    def bias_acceleration(self, path: Int, X: Array, rows: int, q: ArrayLike, v: ArrayLike) -> Array:
        """J̇ v, (..., 6)."""
        shape, (Q, V) = self._flat(q=q, v=v)
        out, work = np.empty((math.prod(shape), 6)), self._take()
        status = accelerations(work.row, path, X, rows, Q, V, out)
        self._idle.append(work)
        if status:
            self._refuse(status, q=q, v=v)
        return out.reshape(*shape, 6) if shape else out[0]

    def integrate(self, space: Space, q: ArrayLike, v: ArrayLike) -> Array:
        """q moved along v, (..., nq)."""
        shape, (Q, V) = self._flat(q=q, v=v)
        Q, V = Q.reshape(*shape, self.nq), V.reshape(*shape, self.n)
        self.dynamics.check_quaternions(Q)
        found = space.integrate(Q, V)
        return found if math.isfinite(found.sum()) else self._refuse(NOT_FINITE, q=q, v=v)

    # -- states -------------------------------------------------------------------------------------------------

    def _flat(self, **given: Any) -> tuple[tuple[int, ...], list[Array]]:
        """Leading axes that all arguments share, and each with all of its numbers in one row.

        One state in proper arrays passes without further questions: nan is found in compiled code.
        """
        sizes = self.batches.sizes
        for what, value in given.items():
            if not _proper(value, (sizes[what],)):
                return self._stacked(given)
        return (), list(given.values())

    def _place(self, q: Any) -> tuple[tuple[int, ...], Array]:
        """`_flat` of a configuration alone."""
        if _proper(q, self._q_shape):
            return (), q
        shape, (Q,) = self._stacked({"q": q})
        return shape, Q

    def _stacked(self, given: dict[str, Any]) -> tuple[tuple[int, ...], list[Array]]:
        shape, arrays = self.batches.stacked(**given)
        return shape, [x.reshape(-1) for x in arrays]

    @cached_property
    def batches(self) -> Batches:
        """Arguments of many states."""
        sizes = {"q": self.nq, "v": self.n, "a": self.n, "tau": self.n, "u": self.nu}
        return Batches(sizes, self.dynamics.check_quaternions, self._who)

    def _refuse(self, status: int, **given: Any) -> NoReturn:
        """The error for a number of `kernels.trees.evaluation`."""
        if status >= SINGULAR:
            self.dynamics.refuse_singular(status - SINGULAR)
        for what, value in given.items():
            finite_array(value, f"{what} of {self._who}")
        q = np.asarray(given["q"], dtype=np.float64)
        for _, at in self.dynamics.quaternions:
            length = np.linalg.norm(q[..., at : at + 4], axis=-1)
            if not (np.abs(length - 1.0) <= NEARLY_UNIT).all():
                raise ModelError(
                    f"q of {self._who} has a quaternion {self._names[at]} ... {self._names[at + 3]}, "
                    f"q[{at}:{at + 4}], of length {np.array2string(length, precision=6, threshold=4)}.\n"
                    "Quaternions (w, x, y, z) have length one: divide by it, or move by d.integrate(q, v)."
                )
        raise ModelError(f"{self._who} found numbers in q, v, a or u that are not finite.")


def _proper(x: Any, shape: tuple[int, ...]) -> bool:
    """Whether compiled code can take an array as it is."""
    return type(x) is np.ndarray and x.dtype is FLOAT and x.shape == shape and x.flags.carray
