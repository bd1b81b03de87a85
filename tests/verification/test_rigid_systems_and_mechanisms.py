"""The same machine as a rigid system in minimal velocities and as a mechanism with directors or Lie groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.forms import Damping, Loop, Moments, RigidSystem, Stiffness, coordinates

GRAVITY = (0.0, 0.0, -9.81)
ROD = vv.inertia.Inertia(1.2, (0.02, 0.11, 0.1), (0.05, 0.0, 0.02))
TIP = vv.inertia.Inertia(0.7, (0.03, 0.02, 0.04), (0.0, 0.1, -0.05))
K = np.array([20.0, 30.0, 25.0])
FEET = np.array([[1.0, 1.0, 0.5], [2.0, -1.0, 0.2], [1.5, 0.3, 1.0]])  # on the ground
EYES = np.array([[0.1, 0.0, 0.1], [0.2, -0.1, 0.0], [0.0, 0.2, 0.1]])  # on the tip


def shifted(*r):
    X = np.eye(4)
    X[:3, 3] = r
    return X


@pytest.mark.slow
def test_a_spatial_tree_with_springs_and_friction():
    m = vv.Mechanism(gravity=GRAVITY)
    rod = m.body("rod", inertia=ROD, at=(0.5, 0, 0))
    tip = m.body("tip", inertia=TIP, at=(1.2, 0, 0))
    m.spherical("ball", m.ground, rod, at=(0, 0, 0))
    m.revolute("hinge", rod, tip, at=(1, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.point_springs("springs", m.ground, tip, k=K, at_parent=FEET, at_child=EYES + np.array([1.2, 0, 0]))
    run = vv.simulate(m, t_end=0.6, h=0.02, integrator=vv.DOP853())

    p = coordinates.joined(
        {
            ("ground", "rod"): coordinates.spherical("ball", to=shifted(0.5, 0, 0)),
            ("rod", "tip"): coordinates.revolute("hinge", axis=(0, 1, 0), at=shifted(0.5, 0, 0), to=shifted(0.2, 0, 0)),
        }
    )
    system = RigidSystem(
        p,
        bodies={"rod": ROD, "tip": TIP},
        springs=[Stiffness.of_springs("ground", "tip", K, FEET, EYES)],
        dampers=[Damping("rod", "tip", Moments.from_parts(0.0, moment=(0, 0.05, 0)))],
        gravity=GRAVITY,
    )
    motion = vv.simulate(system, t_end=0.6, h=0.02, integrator=vv.DOP853(), initial=(p.q0, np.zeros(p.n)))
    for frame, X in system.frames(motion["q"][-1]).items():
        if frame != "ground":
            assert_allclose(X.r, run[f"{frame}.r"][-1], atol=1e-7)
            assert_allclose(X.R, run[f"{frame}.R"][-1], atol=1e-7)
    assert motion["energy"][-1] - motion["energy"][0] == pytest.approx(run["energy"][-1] - run["energy"][0], abs=1e-7)


@pytest.mark.slow
def test_a_loop():
    lengths, base = (1.0, 2.0, 1.6), 2.2
    inertia = [vv.inertia.rod(1.0, length, axis="x").moved(at=(length / 2, 0, 0)) for length in lengths]
    plain = RigidSystem(
        coordinates.joined(
            {
                ("ground", "crank"): coordinates.revolute("crank"),
                ("crank", "coupler"): coordinates.revolute("coupler", at=shifted(lengths[0], 0, 0)),
                ("coupler", "rocker"): coordinates.revolute("rocker", at=shifted(lengths[1], 0, 0)),
            }
        ),
        bodies=dict(zip(("crank", "coupler", "rocker"), inertia, strict=True)),
        gravity=(0, -9.81, 0),
    )
    system = plain.constrain(
        Loop("pin", "ground", "rocker", "revolute", X_aJ=shifted(base, 0, 0), X_bJ=shifted(lengths[2], 0, 0))
    )
    q, xi = system.consistent((1.0, -1.0, -1.5), np.zeros(3))
    motion = vv.simulate(system, t_end=0.5, h=0.02, integrator=vv.DOP853(), initial=(q, xi))

    m, built = vv.Mechanism(gravity=(0, -9.81, 0)), system.frames(q)
    bodies = [m.ground]
    for name, body in zip(("crank", "coupler", "rocker"), inertia, strict=True):
        bodies.append(m.body(name, inertia=body, at=built[name].r, rotation=built[name].R))
        m.revolute(f"to {name}", bodies[-2], bodies[-1], at=built[name].r, axis=(0, 0, 1))
    m.revolute("pin", m.ground, bodies[-1], at=(base, 0, 0), axis=(0, 0, 1))
    run = vv.simulate(m, t_end=0.5, h=0.02, integrator=vv.DOP853())
    for frame, X in system.frames(motion["q"][-1]).items():
        if frame != "ground":
            assert_allclose(X.r, run[f"{frame}.r"][-1], atol=1e-6)
            assert_allclose(X.R, run[f"{frame}.R"][-1], atol=1e-6)
