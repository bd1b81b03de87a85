"""Trees of links in MuJoCo and in Pinocchio, with our coordinates and velocities."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from benchmarks.peers_mujoco import OFF
from visviva._arrays import Array
from visviva.geometry import SO3
from visviva.mechanism.spanning.tree import Tree


@final
class MuJoCoTree:
    """MuJoCo's ball has ω in the axes of the body, as ours; its free joint has v in the world, and is not used here."""

    def __init__(self, tree: Tree) -> None:
        import mujoco

        spec = mujoco.MjSpec()
        spec.option.gravity = tree.gravity
        for name in OFF:
            spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        kinds = {"hinge": "HINGE", "slider": "SLIDE", "ball": "BALL"}
        bodies = list[Any]()
        for link in tree.links:
            parent = bodies[link.parent] if link.parent >= 0 else spec.worldbody
            body = parent.add_body(pos=link.X_PJ[:3, 3], quat=SO3(link.X_PJ[:3, :3]).as_quat(), name=link.name)
            if link.kind != "fixed":
                body.add_joint(type=getattr(mujoco.mjtJoint, f"mjJNT_{kinds[link.kind]}"), axis=(0, 0, 1))
            moments, R = np.linalg.eigh(link.inertia)
            R[:, 2] *= np.linalg.det(R)
            body.explicitinertial = True
            body.mass, body.ipos, body.inertia, body.iquat = link.mass, link.com, moments, SO3(R).as_quat()
            bodies.append(body)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.order = self._order(tree)

    def _order(self, tree: Tree) -> tuple[Array, Array]:
        """Where our coordinates and velocities are in theirs: they sort bodies by depth first."""
        import mujoco

        q, v = list[int](), list[int]()
        for link in tree.links:
            if link.kind != "fixed":
                body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, link.name)
                joint = self.model.body_jntadr[body]
                sizes = (4, 3) if link.kind == "ball" else (1, 1)
                q += range(self.model.jnt_qposadr[joint], self.model.jnt_qposadr[joint] + sizes[0])
                v += range(self.model.jnt_dofadr[joint], self.model.jnt_dofadr[joint] + sizes[1])
        return np.array(q), np.array(v)

    def set(self, q: Array, xi: Array, tau: Array | None = None) -> None:
        self.data.qpos[self.order[0]] = q
        self.data.qvel[self.order[1]] = xi
        self.data.qfrc_applied[self.order[1]] = 0.0 if tau is None else tau

    def forward(self, n: int) -> None:
        import mujoco

        for _ in range(n):
            mujoco.mj_forward(self.model, self.data)

    def accelerations(self, q: Array, xi: Array, tau: Array) -> Array:
        self.set(q, xi, tau)
        self.forward(1)
        return np.array(self.data.qacc[self.order[1]])

    def bias(self, q: Array, xi: Array) -> Array:
        self.set(q, xi)
        self.forward(1)
        return np.array(self.data.qfrc_bias[self.order[1]])

    def mass_matrix(self, q: Array) -> Array:
        import mujoco

        self.set(q, np.zeros(len(self.order[1])))
        self.forward(1)
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M[np.ix_(self.order[1], self.order[1])]

    def steps(self, q: Array, xi: Array, n: int, h: float) -> Array:
        """Coordinates after n steps of RK4."""
        import mujoco

        self.model.opt.integrator, self.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, h
        mujoco.mj_resetData(self.model, self.data)
        self.set(q, xi)
        mujoco.mj_step(self.model, self.data, n)
        return np.array(self.data.qpos[self.order[0]])


@final
class PinocchioTree:
    """Pinocchio's quaternions end with w; fixed links are appended to what carries them; joints come depth first."""

    def __init__(self, tree: Tree) -> None:
        import pinocchio as pin

        self.tree = tree
        self.model = pin.Model()
        self.model.gravity.linear = tree.gravity
        kinds = {"hinge": pin.JointModelRZ, "slider": pin.JointModelPZ, "ball": pin.JointModelSpherical}
        joints, poses = dict[int, int](), dict[int, Any]()
        for i in _depth_first(tree):
            link = tree.links[i]
            X = pin.SE3(link.X_PJ[:3, :3], link.X_PJ[:3, 3])
            joint, X = (joints[link.parent], poses[link.parent] * X) if link.parent >= 0 else (0, X)
            if link.kind != "fixed":
                joint, X = self.model.addJoint(joint, kinds[link.kind](), X, link.name), pin.SE3.Identity()
            self.model.appendBodyToJoint(joint, pin.Inertia(link.mass, link.com, link.inertia), X)
            joints[i], poses[i] = joint, X
        self.data = self.model.createData()
        self.order = self._order()

    def _order(self) -> tuple[Array, Array]:
        q, v = list[int](), list[int]()
        for link in self.tree.links:
            if link.kind != "fixed":
                joint = self.model.joints[self.model.getJointId(link.name)]
                first = joint.idx_q
                q += [first + 3, first, first + 1, first + 2] if link.kind == "ball" else [first]
                v += range(joint.idx_v, joint.idx_v + joint.nv)
        return np.array(q), np.array(v)

    def given(self, q: Array, *rates: Array) -> list[Array]:
        """Ours as theirs."""
        found = [np.empty(self.model.nq), *(np.empty(self.model.nv) for _ in rates)]
        found[0][self.order[0]] = q
        for theirs, ours in zip(found[1:], rates, strict=True):
            theirs[self.order[1]] = ours
        return found

    def accelerations(self, q: Array, xi: Array, tau: Array) -> Array:
        import pinocchio as pin

        return np.array(pin.aba(self.model, self.data, *self.given(q, xi, tau))[self.order[1]])

    def bias(self, q: Array, xi: Array) -> Array:
        import pinocchio as pin

        return np.array(pin.nonLinearEffects(self.model, self.data, *self.given(q, xi))[self.order[1]])

    def mass_matrix(self, q: Array) -> Array:
        import pinocchio as pin

        M = np.triu(pin.crba(self.model, self.data, *self.given(q)))
        M = M + np.triu(M, 1).T
        return M[np.ix_(self.order[1], self.order[1])]

    def derivatives(self, q: Array, xi: Array, tau: Array) -> list[Array]:
        import pinocchio as pin

        pin.computeABADerivatives(self.model, self.data, *self.given(q, xi, tau))
        upper = np.triu(self.data.Minv)
        found = self.data.ddq_dq, self.data.ddq_dv, upper + np.triu(upper, 1).T
        return [np.array(each)[np.ix_(self.order[1], self.order[1])] for each in found]


def _depth_first(tree: Tree) -> list[int]:
    """Links in an order in which all that a link carries follows it."""

    order, waiting = list[int](), [-1]
    while waiting:
        order.append(i := waiting.pop())
        waiting += [k for k, link in enumerate(tree.links) if link.parent == i]
    return order[1:]
