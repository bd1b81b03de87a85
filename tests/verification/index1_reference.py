"""A mechanism as an ordinary differential equation: DOP853 on the accelerations of the index-1 form.

Nothing keeps the constraints but the accuracy of the solver, and no scheme of the package takes part: what both give
is what the equations say.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.compiler.mechanism import initial_x


class Index1:
    """ẋ = N(x) ξ with M v̇ + Cᵀw = f, C v̇ = -Ċ v, of a mechanism in Lie form.

    inputs: by port name, a number, an array or a function of time.

    Where rows are redundant, a set of independent ones is chosen at the start and kept: between the nodes of the solver
    the configuration is off the constraints by more than any tolerance for a rank.
    """

    def __init__(self, m, inputs=None, motion=None):
        self.model = vv.compile(m)
        self.inputs = inputs or {}
        self.x0 = initial_x(self.model, m.assemble()[0] if motion is None else motion)
        self.at = self.model.layout.act(tuple(self.model.kinetic))
        self.M = self.model.E(self.x0)[np.ix_(self.at, self.at)]
        C = self.model.C(self.x0)[:, self.at]
        if C.size:
            upper, order = scipy.linalg.qr(C.T, mode="r", pivoting=True)
            sizes = np.abs(np.diag(upper))
            self.rows = np.sort(order[: int((sizes > 1e-8 * sizes[0]).sum())])
        else:
            self.rows = np.zeros(0, dtype=int)
        self.redundant = len(C) - len(self.rows)

    def u(self, t):
        u = np.zeros(sum(port.width for port in self.model.ports))
        for name, value in self.inputs.items():
            u[self.model.port_columns[name]] = value(t) if callable(value) else value
        return u

    def accelerations(self, t, x):
        """v̇ and w: those of the package, or with the chosen rows alone."""
        if not self.redundant:
            found = self.model.accelerations(x, u=self.u(t))
            return found.v_dot, found.w
        model, z = self.model, self.model.z(x)
        C = model.C(x)[self.rows][:, self.at]
        bias = np.concatenate([part.bias(*model.local(part, x, z)) for part in model.constraints])[self.rows]
        force = model.flow(x, z, self.u(t))[self.at]
        K = np.block([[self.M, C.T], [C, np.zeros((len(C), len(C)))]])
        v_dot, chosen = np.split(np.linalg.solve(K, np.concatenate([force, -bias])), [len(self.at)])
        w = np.zeros(self.redundant + len(C))
        w[self.rows] = chosen
        return v_dot, w

    def rate(self, t, x):
        """ẋ in embedding coordinates."""
        model, (v_dot, w) = self.model, self.accelerations(t, x)
        xi = model.flow(x, model.z(x, w), self.u(t))[: model.layout.dim]
        xi[self.at] = v_dot
        parts = [
            variable.space.lift(x[model.layout.x[variable.name]]) @ xi[model.layout.z[variable.name]]
            for variable in model.variables
        ]
        return np.concatenate(parts)

    def states(self, times, rtol=1e-12):
        """x at the given times, the first of which may be zero."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        if times[-1] == 0:
            return self.x0[None]
        found = solve_ivp(self.rate, (0, times[-1]), self.x0, "DOP853", times, rtol=rtol, atol=1e-2 * rtol)
        assert found.success, found.message
        return found.y.T

    def part(self, x, name):
        """One variable of states, e.g. "rod.q" or "rod.v"."""
        return x[..., self.model.layout.x[name]]

    def principal(self, x, body):
        """Centre of mass (..., 3) and principal axes as columns (..., 3, 3)."""
        q = self.part(x, f"{body}.q")
        return q[..., :3], np.swapaxes(q[..., 3:].reshape(*q.shape[:-1], 3, 3), -1, -2)

    def pose(self, x, body):
        """Origin (..., 3) and orientation (..., 3, 3) of the frame of a body, as `run` has them."""
        part = self.model.definition[body]
        centre, R_WC = self.principal(x, body)
        R_WB = R_WC @ part.R_BC.T
        return centre - R_WB @ part.com, R_WB

    def twist(self, x, body):
        """Its twist in its own axes, as `run` has it."""
        part, V = self.model.definition[body], self.part(x, f"{body}.v")
        R_WB, w = self.pose(x, body)[1], V[..., :3] @ part.R_BC.T
        v = np.einsum("...ji,...j->...i", R_WB, V[..., 3:]) - np.cross(w, part.com)
        return np.concatenate([w, v], axis=-1)


def placements(source, names, x=None):
    """Origins and orientations of bodies, positions of particles, one row per state, from a run or a reference."""
    columns = []
    for name in names:
        parts = source.pose(x, name) if x is not None else [source[f"{name}.{what}"] for what in ("r", "R")]
        columns += [part.reshape(len(part), -1) for part in parts]
    return np.concatenate(columns, axis=1)


def twists(source, names, x=None):
    """Twists of bodies, one row per state, from a run or a reference."""
    return np.concatenate([source.twist(x, name) if x is not None else source[f"{name}.twist"] for name in names], 1)
