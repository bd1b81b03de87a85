"""All joints and elements in one mechanism, drawn at random: every joule, every row, both laws."""

from __future__ import annotations

import numpy as np
import pytest
from samples import sample

import visviva as vv

STEPS, H = 30, 0.005
SCHEMES = {
    "PHMP": vv.PHMP(),
    "PHMPGGL": vv.PHMPGGL(),
    "LieMidpoint": vv.LieMidpoint(),
}


def with_everything(seed, bodies, *, blade=True):
    """A random mechanism, and beside it on the ground what random joints do not have; its motion and inputs.

    blade: with one; rows of velocities hold in the middle of steps, and at their ends by terms of second order only.
    """
    drawn = sample(seed, bodies)
    rng, m = np.random.default_rng(seed), drawn.mechanism
    oil = m.thermal("oil", capacity=rng.uniform(5, 50), conductance_to_environment=0.2)
    law = vv.friction.stribeck(coulomb=0.1, static=0.15, speed=0.3, viscous=0.02, v_reg=0.05)
    for name in ("crank", "wheel", "nut", "sled", "arm"):
        at = rng.normal(size=3)
        m.body(name, mass=rng.uniform(0.5, 2), inertia=0.1 + 0.05 * rng.random(3), at=at)
    axis = rng.normal(size=3)
    place = {name: m.parts[name].r_WC for name in ("crank", "wheel", "nut", "sled", "arm")}
    crank = m.revolute("crank_axle", m.ground, "crank", at=place["crank"] + 0.2, axis=axis, friction=law, heat_to=oil)
    wheel = m.revolute("wheel_axle", "crank", "wheel", at=place["wheel"], axis=rng.normal(size=3), friction=0.05)
    m.screw("thread", m.ground, "nut", at=place["nut"], axis=rng.normal(size=3), pitch=0.05)
    m.prismatic(
        "rail", m.ground, "sled", axis=rng.normal(size=3), rate=1.0,
        friction=vv.friction.coulomb(0.4, v_reg=0.05), limits=(-0.05, 0.05), stop_stiffness=300.0, stop_damping=0.5,
    )  # fmt: skip
    m.spherical("shoulder", "nut", "arm", at=place["arm"] + 0.1, friction=vv.friction.viscous(0.02))
    m.gear("gear", crank, wheel, ratio=rng.uniform(-2, 2))
    m.motor("motor", crank, resistance=0.5, inductance=0.02, k=0.3, heat_to=oil)
    m.body("turned", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(3, 0, 0))
    m.revolute("turning", m.ground, "turned", at=(3, 0.1, 0), axis=rng.normal(size=3))
    m.drive("drive", "turning", rate=lambda t: 1.0 + t)
    m.body("skate", mass=1.0, inertia=(0.1, 0.12, 0.2), at=(0, 3, 0), twist=rng.normal(size=6))
    if blade:
        m.knife_edge("blade", m.ground, "skate", at=(0.2, 3, 0), direction=rng.normal(size=3))
    m.particle("bead", mass=0.3, at=(1.0, 0, 1.0), velocity=rng.normal(size=3))
    m.constraint("wire", "bead", g=lambda p: p.r[2] - p.r[0] ** 2 - 0.5 * p.r[1] ** 2)
    return m, m.assemble(fixed=())[0], drawn.inputs | {"motor": lambda t: 3.0 * np.cos(20 * t)}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5])  # drawn without rows of velocities
def test_every_joule_and_every_row(seed, name):
    m, motion, inputs = with_everything(seed, 2 + seed, blade=name != "PHMPGGL")
    run = vv.simulate(m, STEPS * H, H, integrator=SCHEMES[name], initial=motion, inputs=inputs)
    audit = run.audit()
    assert audit.first_law <= 1e-13
    assert audit.g <= 1e-12
    assert audit.heat_flows_forward
    if name == "PHMPGGL":
        assert audit.g_v <= 1e-12
    assert run["heat"][-1] > 0
    assert run["oil.temperature"][-1] > run["oil.temperature"][0]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [vv.PHMP, vv.LieMidpoint])
@pytest.mark.parametrize("seed", range(5, 8))
def test_compiled_steps_are_those_of_numpy(seed, scheme):
    m, motion, inputs = with_everything(seed, 3)
    runs = [
        vv.simulate(m, STEPS * H, H, integrator=scheme(compiled=flag), initial=motion, inputs=inputs)
        for flag in (True, False)
    ]
    assert [run.engine for run in runs] == ["compiled", "NumPy"]
    np.testing.assert_allclose(runs[0].final.x, runs[1].final.x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0]["heat"], runs[1]["heat"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0]["work"], runs[1]["work"], rtol=0, atol=1e-9)
