"""dynamics: the equations of motion of a mechanism as functions of q, v, a and u."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, frozen
from visviva._suggestions import helpful
from visviva.compiler import compile_mechanism
from visviva.errors import ModelError
from visviva.forms.dynamics.assembly import Assembly
from visviva.forms.dynamics.batches import Batches
from visviva.forms.dynamics.closed import ClosedEquations
from visviva.forms.dynamics.coriolis import coriolis_matrix
from visviva.forms.dynamics.cut_angles import CutAngles
from visviva.forms.dynamics.derivatives import derivatives
from visviva.forms.dynamics.entries import Entries, entries_of, indices, listed
from visviva.forms.dynamics.evaluator import Evaluator
from visviva.forms.dynamics.frames import ROWS, PlacedFrame, PlacedFrames, rows_of
from visviva.forms.dynamics.jacobian_rate import path_order, tree_jacobian_rate
from visviva.forms.dynamics.loop_rows import loop_rows
from visviva.forms.dynamics.loops import Loops
from visviva.forms.dynamics.model_forces import ModelForces, TreeInputs
from visviva.forms.dynamics.reach import Reaching, goal_of, reach
from visviva.forms.dynamics.space import Space
from visviva.forms.minimal.model_flow import ModelFlow
from visviva.forms.minimal.point import Point
from visviva.geometry import SE3
from visviva.geometry.linear import apply
from visviva.integrate.inputs import input_function
from visviva.kernels.trees.evaluation import GRAVITY, MOTION, PASSIVE
from visviva.kernels.trees.frames import WORLD
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.mechanism.names import split_name
from visviva.mechanism.parts import Body, Frame, Particle
from visviva.model import Model

EVERYTHING = MOTION | GRAVITY | PASSIVE
Named = str | Frame | Body | Particle


class Derivatives(NamedTuple):
    """∂a/∂q along velocities, ∂a/∂v, (..., nv, nv), and ∂a/∂u, (..., nv, nu), of a = forward(q, v, u)."""

    q: Array
    v: Array
    u: Array


@helpful
def dynamics(m: Mechanism | Definition | Model, *, independent: str | Sequence[Any] | None = None) -> Dynamics:
    """The equations of motion of a mechanism, M(q) a + bias(q, v) = B(q) u, as functions to be called.

    independent: for loops, gears and rolling: names of independent coordinates, e.g. ("crank",), or "rank" for a choice
                 by conditioning as assembled; None: all velocities of the spanning tree, which satisfy constraints.
    """
    if isinstance(m, Model) and m.definition is not None:
        m = m.definition
    m = definition_of(m)
    if not isinstance(m, Definition):
        raise ModelError(
            f"dynamics() takes a Mechanism, got {type(m).__name__}: coordinates are those of its joints.\n"
            "Composites have vv.rhs(model), equations by hand vv.lagrangian(...) and vv.kane(...)."
        )
    return Dynamics(m, independent)


@final
class Dynamics:
    """M(q) a + bias(q, v) = B(q) u of a mechanism, with the poses and Jacobians of its frames.

    q, v: coordinates of the joints, in the order of `q_names`, and velocities, in that of `names`. A ball has a
          quaternion (w, x, y, z) in q and ω in v, what flies has (r, quaternion) and (ω; v), both in axes of the body.
          With loops q is always whole and closed; v are all velocities of the tree, or the independent ones.
          sizes: typical sizes of steps along them [rad, m].
    u:    inputs in the order of `input_names`.
    s:    states besides motion (currents, entropies), by default `states(q)`.

    Every method takes leading axes. Angular rows come before linear ones.
    """

    def __init__(self, m: Definition, independent: str | Sequence[Any] | None = None) -> None:
        inputs, model = input_function(compile_mechanism(m, "lie"), None)
        if model.prescribed:
            names = ", ".join(repr(port.name) for port in model.prescribed.values())
            raise ModelError(
                f"mechanism {m.name!r} has prescribed motions, {names}: in M a + bias = B u inputs are forces.\n"
                "Leave them out, and prescribe the motion by d.inverse(q, v, a); or simulate the mechanism as it is."
            )
        wanted = listed(m.name, independent)
        flow = ModelFlow(model, inputs, [split_name(str(getattr(one, "name", one)), m.parts)[0] for one in wanted])
        self.form, self._flow = flow.form, flow
        if not self.form.n:
            raise ModelError(f"nothing in mechanism {m.name!r} can move: all of its bodies are fixed to the ground.")
        self.definition, self.name = self.form.definition, self.form.name
        self.tree = Evaluator(flow)
        self._space = Space(self.form.configuration)
        self._frames = PlacedFrames(self.form, self.tree.dynamics.parts)
        self._entries = entries_of(self.form)
        self._forces = ModelForces(self.form)
        self.loops: Loops | None = None
        if self.form.open.constraints:
            rows = loop_rows(self.form, self.tree, self._frames)
            self.loops = Loops(self.form, self._entries, independent, rows)
        elif independent is not None and independent != "rank":
            self._check_independent(wanted)
        self.nq, self.nu, self.ns = self.form.size_q, len(self.form.inputs.base), self.form.extra
        self._chosen = None if self.loops is None else self.loops.independent
        every = self.form.xi_names
        self.names: tuple[str, ...] = every if self._chosen is None else tuple(every[k] for k in self._chosen)
        self.nv = len(self.names)
        self.q_names, self.s_names = self.form.q_names, self.form.s_names
        self.input_names: tuple[str, ...] = tuple(
            port.name if port.width == 1 else f"{port.name}[{k}]" for port in model.ports for k in range(port.width)
        )
        self.q_built, self.s_built = frozen(self.form.initial.q), frozen(self.form.initial.s)
        self._s = np.array(self.s_built)
        self._orders: dict[PlacedFrame, Array] = {}  # of Jacobians, by frame
        self.sizes = flow.sizes(self.q_built)
        if self._chosen is not None:
            self.sizes = self.sizes[self._chosen]
        self._plain = self.loops is None and self.tree.compiled
        self._closed = (
            None if self.loops is None else ClosedEquations(self.loops, self.tree, self._forces, self._inputs)
        )
        sizes = {"q": self.nq, "v": self.nv, "s": self.ns, "a": self.nv, "u": self.nu, "tau": self.nv}
        sizes |= {"q0": self.nq, "q1": self.nq}
        self.batches = Batches(sizes, self.tree.dynamics.check_quaternions, f"the dynamics of {self.name!r}")

    def __repr__(self) -> str:
        return f"<dynamics of {self.name!r}: {self.nv} velocities, {self.nq} coordinates, {self.nu} inputs>"

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all that has a pose."""
        return self._frames.names

    @property
    def entries(self) -> Mapping[str, Entries]:
        """Places in q, and among the velocities of the tree, of joints and of their coordinates, by name."""
        return self._entries

    def is_point(self, name: Named) -> bool:
        """Whether it is a particle, which has a place and no axes."""
        return self._frames[name].point

    # -- equations of motion ------------------------------------------------------------------------------------

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), (..., nv, nv), symmetric."""
        M = self.tree.mass_matrix(q)
        if self._forces.tied:
            M = M + self._over(self._forces.tied_inertia, q)
        if self._chosen is None:
            return M
        N = self._basis(q)
        M = np.swapaxes(N, -1, -2) @ M @ N
        return 0.5 * (M + np.swapaxes(M, -1, -2))

    def bias(self, q: ArrayLike, v: ArrayLike, *, s: ArrayLike | None = None) -> Array:
        """Coriolis + gravity + passive, (..., nv): what B u must be where nothing accelerates."""
        return self.inverse(q, v, np.zeros(self.nv), s=s)

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """c(q, v), (..., nv): the vector of centrifugal, Coriolis and gyroscopic forces, quadratic in v.

        A matrix C with c = C v is `coriolis_matrix`.
        """
        if self._closed is None:
            return self.tree.inverse(MOTION, q, v, None)
        return self._over(self._closed.coriolis, q, v)

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """C(q, v), (..., nv, nv), with c = C v and Ṁ - 2 C skew; not compiled.

        Σ Sᵀ(M_b Ṡ - (J ω)^ S) over the bodies, with V = S v.
        """
        if self._chosen is not None:
            raise ModelError(
                f"the matrix of Coriolis forces of {self.name!r} is given for all velocities of its tree, "
                "vv.dynamics(m);\nthe vector d.coriolis(q, v) is there for independent ones as well."
            )
        return self._over(lambda q, v, s: coriolis_matrix(Point(self.form, q, v, s)), q, v)

    def gravity(self, q: ArrayLike) -> Array:
        """g(q), (..., nv): what B u must be against weights alone."""
        if self._closed is None:
            return self.tree.inverse(MOTION | GRAVITY, q, None, None)
        return self._over(self._closed.gravity, q)

    def passive(self, q: ArrayLike, v: ArrayLike, *, s: ArrayLike | None = None) -> Array:
        """p(q, v), (..., nv): springs, dampers, friction, stops and currents of motors, on the left-hand side."""
        if self._plain:
            return self.tree.inverse(PASSIVE, q, v, None)
        return self._over(self._forces.passive if self._closed is None else self._closed.passive, q, v, s)

    def input_matrix(self, q: ArrayLike) -> Array:
        """B(q), (..., nv, nu)."""
        if self._closed is not None:
            return self._over(self._closed.input_matrix, q)
        return self._inputs.matrix(self.tree, self.batches.stacked(q=q)[1][0])

    def inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, s: ArrayLike | None = None) -> Array:
        """M a + bias, (..., nv): the generalised forces that accelerations a take, which B u has to supply.

        Where all velocities of a mechanism with loops are kept, reactions of the loops are among them.
        """
        if self._plain:
            return self.tree.inverse(EVERYTHING, q, v, a)
        if self._closed is None:
            found = self.tree.inverse(MOTION | GRAVITY, q, v, a) + self.passive(q, v, s=s)
            if self._forces.tied:
                found = found + apply(self._over(self._forces.tied_inertia, q), np.asarray(a))
            return found
        return self._over(self._closed.inverse, q, v, s, a=a)

    def forward(
        self,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        tau: ArrayLike | None = None,
        s: ArrayLike | None = None,
    ) -> Array:
        """a = M⁻¹(B u + tau - bias), (..., nv), with the reactions of loops; what is left out is zero.

        tau: generalised forces besides those of the inputs, (..., nv).
        """
        if self._plain:
            return self.tree.forward(q, v, u, tau)
        if self._closed is None and self._forces.tied:
            force = self._applied(q, v, u, tau, s) - self.tree.inverse(MOTION | GRAVITY, q, v, None)
            return np.asarray(np.linalg.solve(self.mass_matrix(q), force[..., None])[..., 0], np.float64)
        if self._closed is None:
            return self.tree.forward(q, v, None, self._applied(q, v, u, tau, s))
        return self._over(self._closed.forward, q, v, s, u=u, tau=tau)

    def s_dot(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, *, s: ArrayLike | None = None) -> Array:
        """Rates of the states besides motion, (..., ns)."""

        def rates(q: Array, v: Array, s: Array, u: Array | None = None) -> Array:
            xi = v if self._closed is None else self._closed.velocities(q, v, s)
            return self._forces.s_dot(q, xi, s, np.zeros(self.nu) if u is None else u)

        return self._over(rates, q, v, s, u=u)

    def derivatives(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, *, s: ArrayLike | None = None
    ) -> Derivatives:
        """∂a/∂q, ∂a/∂v and ∂a/∂u of a = forward(q, v, u), in the tangent space.

        Column k of ∂a/∂q is the rate of a when the mechanism moves with v_k = 1 alone, d.integrate(q, ε e_k). Of a tree
        with forces in its joints they are analytic and compiled; forces between bodies, friction laws and loops are
        differentiated by extrapolated differences, to some 1e-9.
        """
        return Derivatives(*derivatives(self, q, v, u, s))

    # -- frames -------------------------------------------------------------------------------------------------

    def pose(self, name: Named, q: ArrayLike) -> SE3:
        """X_WF of a frame, body or particle: R (..., 3, 3) and r (..., 3). The axes of a particle are the world's."""
        frame = self._frames[name]
        R, r = self.tree.pose(frame.path, frame.X, q)
        return SE3(np.broadcast_to(np.eye(3), R.shape).copy() if frame.point else R, r)

    def jacobian(self, name: Named, q: ArrayLike, frame: str = "world") -> Array:
        """J(q), (..., 6, nv): (ω; v) = J v of a frame, body or particle.

        frame: "world": axes of the world, at the frame's origin; "body": its own axes, there; "spatial": axes of the
               world, at the world's origin. Particles have no ω: their first three rows are zero.
        """
        placed, rows = self._frames[name], ROWS.get(frame)
        J = self._jacobian(placed, rows_of(frame) if rows is None else rows, q)
        if self._chosen is not None:
            J = J @ self._basis(q)
        return J

    def tree_velocities(self, q: ArrayLike, v: ArrayLike) -> Array:
        """ξ, (..., n): all velocities of the spanning tree, whatever loops leave of them."""
        if self._closed is None:
            return self.batches.stacked(q=q, v=v)[1][1]
        return self._over(self._closed.velocities, q, v)

    def tree_jacobian(self, name: Named, q: ArrayLike, frame: str = "body") -> Array:
        """J(q), (..., 6, n), over all velocities ξ of the spanning tree, whatever loops leave of them."""
        return self._jacobian(self._frames[name], rows_of(frame), q)

    def tree_integrate(self, q: Array, xi: Array) -> Array:
        """The configuration that velocities ξ of the spanning tree lead to, (..., nq); loops may be open there."""
        return self._space.integrate(q, xi)

    def bias_acceleration(self, name: Named, q: ArrayLike, v: ArrayLike, frame: str = "world") -> Array:
        """J̇ v, (..., 6): what (α; p̈), or its like in other axes, is at a = 0."""
        placed, rows = self._frames[name], rows_of(frame)
        rows = WORLD if placed.point else rows
        if self._closed is None:
            found = self.tree.bias_acceleration(placed.path, placed.X, rows, q, v)
        else:
            found = self.batches.over(self._closed.bias_acceleration, placed, rows, q=q, v=v, s=self.s_built)
        if placed.point:
            found[..., :3] = 0.0
        return found

    def jacobian_rate(self, name: Named, q: ArrayLike, v: ArrayLike, frame: str = "world") -> Array:
        """J̇(q, v), (..., 6, nv): the rate of `jacobian` in a motion with velocities v, in the same rows; not compiled.

        J̇ v is `bias_acceleration`. With loops it needs independent velocities of holonomic constraints.
        """
        placed, rows = self._frames[name], rows_of(frame)
        rows = WORLD if placed.point else rows
        if self.loops is not None and (self._chosen is None or not self.loops.holonomic):
            raise ModelError(
                f"the rate of a Jacobian of {self.name!r} is given for a tree, or for independent velocities of "
                "holonomic loops:\nvv.dynamics(m, independent='rank'). The vector d.bias_acceleration is always there."
            )
        if self.loops is None:
            Q, V = self.batches.stacked(q=q, v=v)[1]
            return self._jacobian_rate(placed, rows, Q, V, np.array(self.s_built))
        return self._over(lambda q, v, s: self._jacobian_rate(placed, rows, q, v, s), q, v)

    # -- configurations -----------------------------------------------------------------------------------------

    def states(self, q: ArrayLike) -> Array:
        """The states s that are taken where none are given, (..., ns): as built, but for angles of joints in loops.

        Angles of joints that close a loop of parallel axes follow those of the tree over any number of turns; in other
        loops q says them up to whole turns, and the nearest to those as built are taken, with a warning where they may
        be others.
        """
        if self._cut_angles is None:
            return self.s_built
        return self._cut_angles.at(self.batches.stacked(q=q)[1][0])

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The configuration that constant velocities v lead to in a unit of time, (..., nq); loops are closed there."""
        if self._closed is None:
            return self.tree.integrate(self._space, q, v)
        return self._over(self._moved, q, v)

    def close(self, q: ArrayLike) -> Array:
        """The configuration nearest to q in which loops are closed, (nq,); independent coordinates stay."""
        own = self.batches.one("q", q, self.q_built)
        if self.loops is None:
            return own
        return self._assembly.close(own, self._kept_coordinates, np.array(self.s_built))

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """v with integrate(q0, v) = q1, (..., nv); of rotations the shortest."""
        xi = self._space.difference(*self.batches.stacked(q0=q0, q1=q1)[1])
        return xi if self._chosen is None else xi[..., self._chosen]

    def coordinates(
        self, values: Mapping[Any, Any], *, near: ArrayLike | None = None, s: ArrayLike | None = None
    ) -> Array:
        """q with the values of joints that are given by name, e.g. {"hinge": 0.3}, loops closed, (nq,).

        All else stays at `near`, or as near as loops let it; near: a configuration, as built by default. It chooses the
        branch: coordinates are moved from there to their values by small steps. Balls take quaternions or rotations,
        what flies takes poses.
        """
        q, own = self.batches.one("near", near, self.q_built), self.batches.one("s", s, self.s_built)
        return self._assembly.coordinates(values, q, own)

    def solve_pose(self, goals: Mapping[Named, Any], *, near: ArrayLike | None = None) -> Array:
        """q in which frames, bodies and particles are where they are wanted, (nq,), exact to rounding.

        goals: by name a pose (SE3, (4, 4) or (R, r)), or a position (3,).   near: where the search starts.
        An error says how far the nearest configuration is, where there is none.
        """
        if not isinstance(goals, Mapping) or not goals:
            raise ModelError(f"solve_pose takes goals by name, e.g. {{'tool': X}}, got {goals!r}.")
        wanted = [
            goal_of(str(getattr(name, "name", name)), value, self._frames[name].point) for name, value in goals.items()
        ]
        q = self.batches.one("near", near, self.q_built)
        if self.loops is not None:
            q = self._assembly.close(q, np.zeros(self.form.n, dtype=bool), np.array(self.s_built))
        return reach(wanted, q, self._reaching)

    # -- helpers ------------------------------------------------------------------------------------------------

    @cached_property
    def _cut_angles(self) -> CutAngles | None:
        """None where no angle of a joint that closes a loop is a state."""
        if not set(self.form.states.s) & set(self.form.states.angles):
            return None
        return CutAngles(self.form, lambda name, q: self.tree_jacobian(name, q, "world"))

    @cached_property
    def _inputs(self) -> TreeInputs:
        return TreeInputs(self.form, self._frames)

    @cached_property
    def _assembly(self) -> Assembly:
        rows = None if self.loops is None else self.loops.rows
        return Assembly(self.form, self._space, self._entries, self._flow.sizes(self.q_built), rows)

    @cached_property
    def _reaching(self) -> Reaching:
        def pose(name: str, q: Array) -> tuple[Array, Array]:
            X = self.pose(name, q)
            return X.R, X.r

        def jacobian(name: str, q: Array) -> Array:
            J = self.jacobian(name, q, "body")
            if self.loops is None or self._chosen is not None:
                return J
            return J @ self.loops.projector(q, np.array(self.s_built))

        length = self.form.linkage.length
        return Reaching(pose, jacobian, self._step, self.sizes, length, f"mechanism {self.name!r}")

    def _step(self, q: Array, v: Array) -> Array:
        """A step of a search: where all velocities are kept, along what loops leave of them."""
        if self.loops is not None and self._chosen is None:
            v = self.loops.projector(q, np.array(self.s_built)) @ v
        return self.integrate(q, v)

    def _check_independent(self, names: Sequence[Any]) -> None:
        found = indices(self.form, self._entries, names)
        if found.tolist() != list(range(self.form.n)):
            raise ModelError(
                f"mechanism {self.name!r} is a tree: all of its {self.form.n} velocities are independent, "
                f"{', '.join(self.form.xi_names)}.\nLeave `independent` out."
            )

    def _jacobian(self, frame: PlacedFrame, rows: int, q: ArrayLike) -> Array:
        if not frame.point:
            return self.tree.jacobian(frame.path, frame.X, rows, q)
        J = self.tree.jacobian(frame.path, frame.X, WORLD, q)
        J[..., :3, :] = 0.0
        return J

    def _jacobian_rate(self, frame: PlacedFrame, rows: int, q: Array, v: Array, s: Array) -> Array:
        """J̇ of the tree, of any states; of one state J̇ N + J Ṅ where loops leave independent velocities."""
        motion = None if self.loops is None else self.loops.at(q, v, s)
        if frame not in self._orders:
            self._orders[frame] = path_order(frame.path, self.tree.dynamics.parts.tables.K, self.form.n)
        J = self.tree.jacobian(frame.path, frame.X, WORLD, q)
        R, r = self.tree.pose(frame.path, frame.X, q)
        rate = tree_jacobian_rate(J, R, r, self._orders[frame], v if motion is None else motion.xi, rows)
        if motion is not None:
            own = J if rows == WORLD else self.tree.jacobian(frame.path, frame.X, rows, q)
            rate = rate @ motion.N + own @ motion.N_dot
        if frame.point:
            rate[..., :3, :] = 0.0
        return rate

    def _basis(self, q: ArrayLike) -> Array:
        """N, (..., n, nv)."""
        assert self._closed is not None
        assert self.loops is not None
        if self.batches.is_proper("q", q):
            return self.loops.closure(np.asarray(q), self._s).N
        return self._over(self._closed.basis, q)

    def _moved(self, q: Array, v: Array, s: Array) -> Array:
        """`integrate` of one state with loops: independent coordinates arrive where they should."""
        assert self._closed is not None
        xi = v if self._chosen is None else self._closed.velocities(q, v, s)
        return self._assembly.close(self._space.integrate(q, xi), self._kept_coordinates, s)

    @cached_property
    def _kept_coordinates(self) -> NDArray[np.bool_]:
        """Velocities whose coordinates stay where loops are closed: the independent ones of holonomic loops."""
        kept = np.zeros(self.form.n, dtype=bool)
        if self.loops is not None and self._chosen is not None:
            kept[self._chosen] = self.loops.holonomic
        return kept

    def _applied(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None, tau: ArrayLike | None, s: ArrayLike | None
    ) -> Array:
        """B u + tau - passive, of a tree."""
        force = -self.passive(q, v, s=s)
        if u is not None:
            force = force + np.einsum("...ij,...j->...i", self.input_matrix(q), self.batches.stacked(q=q, u=u)[1][1])
        return force if tau is None else force + self.batches.stacked(q=q, tau=tau)[1][1]

    def _over(
        self, f: Callable[..., Array], q: ArrayLike, v: ArrayLike | None = None, s: ArrayLike | None = None, **more: Any
    ) -> Array:
        """f at every state of some leading axes."""
        v, s = np.zeros(self.nv) if v is None else v, self.states(q) if s is None else s
        return np.asarray(self.batches.over(f, q=q, v=v, s=s, **more))
