"""Single joints and springs against histories of MSC ADAMS, printed to 6 or 7 digits; skipped where they are absent."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from adams_cases import ROOT, read_case, read_histories

import visviva as vv

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not ROOT.is_dir(), reason="no ADAMS histories: set VISVIVA_ADAMS")]

# Bounds for places and velocities, for accelerations and reactions, for angular accelerations, all relative to the
# largest value of the history. The last one is what the histories themselves miss the exact pendulum by, 1.4e-4.
PRINTED = (1e-5, 1e-4, 2e-4)
# The three pendulums are one motion. The revolute history has it to 3e-6 until the end; those with a spherical and a
# universal joint have it to 3e-6 in the first half second and drift away from it by 4e-4 (accelerations 7e-4) later.
DRIFTING = (5e-4, 1e-3, 1e-3)
CASES = {
    "Revolute": ("revolute_joint", PRINTED, 5.0),
    "Spherical": ("spherical_joint", PRINTED, 0.5),
    "Universal": ("universal_joint", PRINTED, 0.5),
    "Spherical to the end": ("spherical_joint", DRIFTING, 5.0),
    "Universal to the end": ("universal_joint", DRIFTING, 5.0),
    "Prismatic": ("prismatic_joint", PRINTED, 5.0),
    "Cylindrical": ("cylindrical_joint", PRINTED, 5.0),
    "RotSpring": ("rotspring_force", PRINTED, 5.0),
    "TransSpring": ("transpring_force", PRINTED, 5.0),
}


def mechanism_of(name):
    """The case as a mechanism of one body, "pendulum", whose frame is the marker at its centre of mass."""
    case = read_case(name)
    m = vv.Mechanism(name, gravity=(0, 0, case.gravity))
    at = (0, 0, 0) if name == "TransSpring" else case.centre.at  # its history counts from the start
    m.body("pendulum", mass=case.mass, inertia=case.moments, at=at, rotation=case.centre.axes)
    ends, axes = ("joint", m.ground, "pendulum"), None if case.J is None else case.J.axes
    match case.kind:
        case "revolute":
            m.revolute(*ends, at=case.J.at, axis=axes[:, 2])
        case "spherical":
            m.spherical(*ends, at=case.J.at)
        case "hooke":
            m.universal(*ends, at=case.J.at, axes=(case.I.axes[:, 0], axes[:, 1]))
        case "translational":
            m.prismatic(*ends, at=case.J.at, axis=axes[:, 2])
        case "cylindrical":
            m.cylindrical(*ends, at=case.J.at, axis=axes[:, 2])
    # The constants of the springs are those that the histories show; the models beside them have other ones.
    if name == "RotSpring":
        m.torsion("spring", "joint", k=200.0, damping=10.0)
    if name == "TransSpring":
        m.spring("spring", m.ground, "pendulum", at_a=(0, 0, 3), k=10.0, length=3.0, damping=0.5)
    return m


@cache
def simulated(name):
    reversible = "Spring" not in name
    m = mechanism_of(name)
    return vv.simulate(
        m,
        t_end=5.0,
        h=0.005 if reversible else 2e-4,
        integrator=vv.Suzuki4(vv.PHMP()) if reversible else vv.PHMP(),
        every=2 if reversible else 50,
    )


def accelerations(run):
    """Acceleration of the centre of mass and angular acceleration, world axes, from the index-1 form at the nodes."""
    lie = vv.compile(run.model.definition)
    body = lie.definition["pendulum"]
    found = []
    for i in range(len(run.t)):
        R_WC = run["pendulum.R"][i] @ body.R_BC
        w, v = run["pendulum.twist"][i, :3], run["pendulum.R"][i] @ run["pendulum.twist"][i, 3:]
        state = {name: run.record.x[i, at] for name, at in run.model.layout.x.items() if name in lie.layout.x}
        state["pendulum.q"] = np.concatenate([run["pendulum.r"][i], R_WC.T.ravel()])
        state["pendulum.v"] = np.concatenate([body.R_BC.T @ w, v])
        v_dot = lie.accelerations(lie.pack(state)).v_dot
        found.append(np.concatenate([v_dot[3:], R_WC @ v_dot[:3]]))
    return np.array(found)


def reaction_in_world(run):
    """Force and moment on the ground, about the joint: minus what the joint does to the body."""
    body, joint = run.model.definition["pendulum"], run.model.definition["joint"]
    R_WJ = run["pendulum.R"] @ body.R_WB.T @ joint.R_W
    wrench = -np.einsum("nij,nkj->nki", R_WJ, run["joint.reaction"].reshape(-1, 2, 3))
    return wrench[:, 1], wrench[:, 0]


def compare(ours, theirs, bound, scale=None):
    scale = max(np.abs(theirs).max(), 1e-3) if scale is None else scale
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound * scale)


@pytest.mark.parametrize("label", CASES)
def test_histories(label):
    folder, (fine, coarse, angular), until = CASES[label]
    name = label.split()[0]
    t, history = read_histories(folder, name.replace("Trans", "Tran"))
    run = simulated(name)
    np.testing.assert_allclose(run.t, t, atol=1e-9)
    until = t <= until + 1e-9
    theirs = {what: table[until] for what, table in history.items()}
    R = run["pendulum.R"][until]
    twist = np.einsum("nij,nkj->nki", R, run["pendulum.twist"][until].reshape(-1, 2, 3))
    compare(run["pendulum.r"][until], theirs["Pos"], fine)
    compare(twist[:, 1], theirs["Vel"], fine)
    compare(twist[:, 0], theirs["Avel"], fine)
    quaternion = theirs["Quat"] / np.linalg.norm(theirs["Quat"], axis=1, keepdims=True)
    compare(R, np.array([vv.geometry.SO3.from_quat(quat).R for quat in quaternion]), fine)
    v_dot, w_dot = np.split(accelerations(run)[until], 2, axis=1)
    compare(v_dot, theirs["Acc"], coarse)
    compare(w_dot, theirs["Aacc"], angular)
    if name == "TransSpring":  # force of the spring on the ground
        pull = run["spring.force"][until]
        compare(-pull, theirs["Rforce"][:, 2], coarse)
    elif name == "RotSpring":  # their moment is the one of the spring on the ground
        angle, rate = run["joint.q"][until], run["joint.rate"][until]
        compare(200.0 * angle + 10.0 * rate, theirs["Rtorque"][:, 1], coarse)
        compare(reaction_in_world(run)[0][until], theirs["Rforce"], coarse)
    else:
        force, moment = reaction_in_world(run)
        weight = 9.80665
        compare(force[until], theirs["Rforce"], coarse, max(weight, np.abs(theirs["Rforce"]).max()))
        compare(moment[until], theirs["Rtorque"], coarse, weight)


@pytest.mark.parametrize("name", ["Revolute", "Spherical", "Universal"])
def test_the_pendulums_are_one_motion(name):
    """Also where ADAMS drifts, ours is its revolute history."""
    _, history = read_histories("revolute_joint", "Revolute")
    across = 1 if name == "Universal" else 0  # it swings in the other plane
    ours = simulated(name)["pendulum.r"][:, [across, 2]]
    compare(ours, history["Pos"][:, [0, 2]], 1e-5)
