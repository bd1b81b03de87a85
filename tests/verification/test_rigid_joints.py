"""Every joint of the library in rigid systems, in a tree and in a loop, against the Model of the same mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from parts import GRAVITY, sample

import visviva as vv
from visviva.compiler import compile_mechanism, initial_x
from visviva.forms import Loop, RigidSystem, coordinates
from visviva.geometry import SE3
from visviva.geometry.embedding import SO3xR3_SPACE
from visviva.library.joints import JOINTS

KINDS = [joint.kind for joint in JOINTS]
EXACT = 1e-12  # of the largest acceleration


class Machine:
    """An arm on a hinge and a hand on it by a joint: the mechanism, and what a rigid system needs of it."""

    def __init__(self, kind):
        self.m = sample(kind).mechanism
        self.model = compile_mechanism(self.m, "lie")
        self.arm, self.hand = self.m.bodies
        self.wrist = next(joint for joint in self.m.joints if joint.name == "wrist")
        base = next(joint for joint in self.m.joints if joint.name == "base")
        self.at_base, self.to_base = self.placed(base)
        self.at_wrist, self.to_wrist = self.placed(self.wrist)
        inertia = vv.inertia.Inertia
        self.bodies = {body.name: inertia(body.mass, body.J, body.com) for body in self.m.bodies}

    def placed(self, joint):
        """X_aJ on the parent, and the pose of the child in the joint's frame on it."""
        (R_P, r_P), (R_C, r_C) = joint.frame_on(joint.parent), joint.frame_on(joint.child)
        return self.built(joint.parent).inverse() @ SE3(R_P, r_P), SE3(R_C, r_C).inverse() @ self.built(joint.child)

    @staticmethod
    def built(end):
        return SE3(end.R_WB, end.r_WB) if hasattr(end, "R_WB") else SE3.identity()

    def tree(self):
        hinge = coordinates.revolute("hinge", at=self.at_base.matrix, to=self.to_base.matrix)
        wrist = coordinates.of_joint("wrist", self.wrist.joint, at=self.at_wrist.matrix, to=self.to_wrist.matrix)
        p = coordinates.joined({("ground", "arm"): hinge, ("arm", "hand"): wrist})
        return RigidSystem(p, bodies=self.bodies, gravity=GRAVITY)

    def cut(self):
        """The hand flies, and the joint closes the loop."""
        hinge = coordinates.revolute("hinge", at=self.at_base.matrix, to=self.to_base.matrix)
        p = coordinates.joined({("ground", "arm"): hinge, ("ground", "hand"): coordinates.free("hand")})
        loop = Loop("wrist", "arm", "hand", self.wrist.joint, self.at_wrist, self.to_wrist.inverse())
        return RigidSystem(p, bodies=self.bodies, gravity=GRAVITY, constraints=[loop])

    def model_accelerations(self, frames):
        """(ω̇ in the body's axes, acceleration of its centre in world axes) of both bodies, by the Model."""
        x, layout = initial_x(self.model, self.m.assemble()[0]), self.model.layout.x
        for body in self.m.bodies:
            frame = frames[body.name]
            R, w = frame.X.R, frame.V[:3]
            x[layout[f"{body.name}.q"]] = SO3xR3_SPACE.point(R @ body.R_BC, frame.X.r + R @ body.com)
            velocity = R @ (frame.V[3:] + np.cross(w, body.com))
            x[layout[f"{body.name}.v"]] = np.concatenate([body.R_BC.T @ w, velocity])
        found, at, result = self.model.accelerations(x).v_dot, 0, {}
        for name in self.model.kinetic:
            body = next(body for body in self.m.bodies if name == f"{body.name}.v")
            result[body.name] = np.concatenate([body.R_BC @ found[at : at + 3], found[at + 3 : at + 6]])
            at += 6
        return result

    def rigid_accelerations(self, system, q, xi):
        frames, xi_dot = system.instant(q, xi).frames, system.accelerations(q, xi)
        result = {}
        for body in self.m.bodies:
            frame = frames[body.name]
            R, w, v = frame.X.R, frame.V[:3], frame.V[3:]
            V_dot = frame.J @ xi_dot + frame.B
            centre = V_dot[3:] + np.cross(w, v) + np.cross(V_dot[:3], body.com) + np.cross(w, np.cross(w, body.com))
            result[body.name] = np.concatenate([V_dot[:3], R @ centre])
        return result

    def state(self, system, seed):
        """Far from as built, at some speed."""
        p, rng = system.parameterisation, np.random.default_rng(seed)
        return p.local.advance(p.q0, rng.uniform(-0.8, 0.8, p.n)), rng.uniform(-2, 2, p.n)


def compare(machine, system, q, xi):
    frames = system.instant(q, xi).frames
    expected, found = machine.model_accelerations(frames), machine.rigid_accelerations(system, q, xi)
    size = max(np.abs(value).max() for value in expected.values())
    assert size > 1.0
    for body, value in expected.items():
        assert_allclose(found[body], value, rtol=0, atol=EXACT * size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_joint_in_a_tree_moves_as_in_a_mechanism(kind, seed):
    machine = Machine(kind)
    system = machine.tree()
    assert not system.every_constraint
    compare(machine, system, *machine.state(system, seed))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_joint_that_closes_a_loop_moves_as_in_a_mechanism(kind, seed):
    machine = Machine(kind)
    tree, cut = machine.tree(), machine.cut()
    q, xi = machine.state(tree, seed)
    hand = tree.instant(q, xi).frames["hand"]
    w, x, y, z = hand.X.rotation.as_quat()
    state = np.concatenate([q[:1], hand.X.r, [w, x, y, z]]), np.concatenate([xi[:1], hand.V])
    rows = cut.rows(cut.instant(*state))["wrist"]
    joint = machine.wrist.joint
    assert len(rows.z) == 6 - joint.nv
    assert_allclose(rows.position, 0, rtol=0, atol=1e-13)
    assert_allclose(rows.velocity, 0, rtol=0, atol=1e-13)
    compare(machine, cut, *state)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "free"])
def test_a_run_keeps_the_joint_and_its_motion_in_a_tree_and_in_a_loop(kind):
    machine = Machine(kind)
    tree, cut = machine.tree(), machine.cut()
    q, xi = machine.state(tree, 0)
    hand = tree.instant(q, xi).frames["hand"]
    start = np.concatenate([q[:1], hand.X.r, hand.X.rotation.as_quat()]), np.concatenate([xi[:1], hand.V])
    runs = [
        vv.simulate(system, t_end=0.1, h=0.02, integrator=vv.DOP853(), initial=initial)
        for system, initial in ((tree, (q, xi)), (cut, start))
    ]
    for run in runs:
        assert run["energy"][-1] == pytest.approx(run["energy"][0], rel=1e-9)
    for body in ("arm", "hand"):
        first, second = (system.frames(run["q"][-1])[body] for system, run in zip((tree, cut), runs, strict=True))
        assert_allclose(second.matrix, first.matrix, rtol=0, atol=1e-9)
    rows = cut.rows(cut.instant(runs[1]["q"][-1], runs[1]["xi"][-1]))["wrist"]
    assert_allclose(rows.position, 0, rtol=0, atol=1e-13)
    assert_allclose(rows.velocity, 0, rtol=0, atol=1e-12)
