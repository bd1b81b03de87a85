"""What the schemes keep to rounding: energy at every step, constraints, momentum, on trees, loops and springs."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_models import (
    E1,
    E2,
    E3,
    SARRUS,
    bar,
    bennett,
    cylindrical_pair,
    free_four_bar,
    planar_four_bar,
    sarrus,
    skew_tree,
    slider_crank,
)
from scipy.integrate import solve_ivp

import visviva as vv

SCHEMES = {"PHMP": vv.PHMP(), "Lie": vv.LieMidpoint(), "Suzuki4": vv.Suzuki4(vv.PHMP()), "PHMPGGL": vv.PHMPGGL()}


def spring_loaded():
    """Three bodies and a particle in space, held by one spring of each kind and two joints; nothing outside."""
    m = vv.Mechanism("springs")
    J = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])
    a = m.body("a", mass=1.0, inertia=J, twist=(0.3, -0.2, 0.5, 0.1, 0, 0.2))
    b = m.body("b", mass=2.0, inertia=0.5 * J, at=(1, 0.2, 0.1))
    c = m.body("c", mass=1.5, inertia=0.8 * J, at=(1.8, -0.3, 0.4), twist=(0, 0.4, 0.1, 0.2, 0, -0.1))
    tip = m.particle("tip", mass=0.3, at=(2.5, 0.5, 0.2), velocity=(0, 0.5, 0))
    m.revolute("hinge", a, b, at=(0.5, 0.1, 0), axis=(0.2, 1, 0.1), rate=1.5)
    m.torsion("coil", "hinge", k=3.0, angle=0.4)
    m.bushing("mount", b, c, K=(4, 5, 6, 30, 40, 50), at=(1.4, 0, 0.2))
    m.spring("cord", c, tip, energy=lambda l: 20 * (l - 0.8) ** 2 + 5 * (l - 0.8) ** 4, at_a=(2, 0, 0.4))
    m.spring("tie", a, tip, k=8.0, length=1.0, at_a=(0.1, 0.3, 0))
    m.point_springs("web", a, c, k=(5, 7, 9), at_parent=np.eye(3), at_child=np.eye(3) + 0.4)
    return m


def hanging(*, gravity=(0, 0, -9.81)):
    """A tree on a ball joint at the origin: the weight has no moment about the vertical."""
    m = vv.Mechanism("hanging", gravity=gravity)
    J = np.array([0.1, 0.15, 0.2])
    trunk = m.body("trunk", mass=2.0, inertia=J, at=(0.3, 0.1, -0.5), twist=None)
    arm = m.body("arm", mass=1.0, inertia=J, at=(0.9, 0.2, -0.8))
    slide = m.body("slide", mass=0.5, inertia=0.3 * J, at=(1.4, 0.5, -0.9))
    m.spherical("ball", m.ground, trunk, at=(0, 0, 0))
    m.universal("cross", trunk, arm, at=(0.6, 0.2, -0.6), axes=(E1, E2), rate=(2.0, -1.0))
    m.cylindrical("sleeve", arm, slide, at=(1.2, 0.4, -0.9), axis=(0.3, 1, 0.2), rate=(4.0, 0.2))
    return m


def driven():
    """A planar four-bar with a motor at its crank and friction in its hinges."""
    m = planar_four_bar()
    m.torque("motor", "a")
    return m


CLASSES = {
    "tree": (skew_tree, {}),
    "hanging tree": (hanging, {}),
    "loop": (slider_crank, {}),
    "free pair": (cylindrical_pair, {}),
    "free loop": (free_four_bar, {"load": lambda t: (60 * np.sin(t), 0, 20, 80, 30 * np.cos(t), 0)}),
    "planar four-bar": (planar_four_bar, {}),
    "Bennett": (bennett, {}),
    "Sarrus": (sarrus, {}),
    "spring-loaded": (spring_loaded, {}),
    "damped": (lambda: skew_tree(friction=0.3), {}),
    "driven": (driven, {"motor": lambda t: 4 * np.sin(3 * t)}),
}
STEPS = {"free pair": 1e-3, "slider": 5e-3}


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL()], ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("factor", [1.0, 0.1])
@pytest.mark.parametrize("name", CLASSES)
def test_energy_and_constraints_are_exact(name, factor, scheme):
    model, inputs = CLASSES[name]
    h = factor * STEPS.get(name, 0.01)
    run = vv.simulate(model(), t_end=100 * h, h=h, inputs=inputs, integrator=scheme)
    audit = run.audit()
    assert "g_v" not in scheme.preserves or np.abs(run["g_v"]).max() <= 1e-12 * np.abs(run.record.x).max()
    assert audit.first_law <= 1e-13
    assert audit.drift <= 4e-13
    assert (audit.g or 0.0) <= 1e-12
    assert (audit.second_law or 0.0) >= -1e-16
    assert audit.ok


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["free pair", "spring-loaded"])
def test_momentum_of_free_systems(name, scheme):
    h = STEPS.get(name, 0.01)
    run = vv.simulate(CLASSES[name][0](), t_end=200 * h, h=h, integrator=SCHEMES[scheme])
    for part in np.split(run["momentum"], 2, axis=1):
        np.testing.assert_allclose(part, np.broadcast_to(part[0], part.shape), rtol=0, atol=1e-12 * np.abs(part).max())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_vertical_angular_momentum_under_gravity(scheme):
    run = vv.simulate(hanging(), t_end=2.0, h=0.01, integrator=SCHEMES[scheme])
    L = run["momentum"][:, :3]
    assert np.ptp(L[:, 0]) > 1  # the horizontal components are not kept
    np.testing.assert_allclose(L[:, 2], L[0, 2], rtol=0, atol=1e-12 * np.abs(L).max())


def test_a_tilted_weight_keeps_the_momentum_about_its_own_direction():
    g = np.array([3.0, -4.0, -8.0])
    run = vv.simulate(hanging(gravity=g), t_end=1.0, h=0.01)
    along = run["momentum"][:, :3] @ g / np.linalg.norm(g)
    np.testing.assert_allclose(along, along[0], rtol=0, atol=1e-12 * np.abs(run["momentum"][:, :3]).max())


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL()], ids=lambda scheme: type(scheme).__name__)
def test_rows_that_were_left_out_hold_as_well(scheme):
    """Of the four-bar's 20 rows 17 are solved for, of Bennett's 17, of Sarrus' 29 of 30: all hold to rounding."""
    for model, total, solved in ((planar_four_bar, 20, 17), (bennett, 20, 17), (sarrus, 30, 29)):
        run = vv.simulate(model(), t_end=1.0, h=0.01, integrator=scheme)
        mine = [name in run.model.definition.parts for name, _ in run.model.kinds]
        assert (sum(mine), int(np.asarray(run.final.active)[mine].sum())) == (total, solved)
        assert np.abs(run["g"]).max() <= 1e-12
        assert "g_v" not in scheme.preserves or np.abs(run["g_v"]).max() <= 1e-12


def test_the_platform_of_sarrus_keeps_to_its_line():
    """One angle: ((I + m l²/4) + I + m l² (¼ sin² + 9/4 cos²)) per leg, platform 4 l² cos²; the plane of each leg."""
    l, m, M = SARRUS["length"], SARRUS["link"], SARRUS["platform"]
    inertia = np.linalg.eigvalsh(vv.inertia.cylinder(m, 0.05, l, axis=E1).J)[-1]

    def energy_terms(a):
        s, c = np.sin(a), np.cos(a)
        A = 2 * (2 * inertia + m * l**2 / 4 + m * l**2 * (s**2 / 4 + 9 / 4 * c**2)) + 4 * M * l**2 * c**2
        A_1 = 2 * m * l**2 * (0.5 - 4.5) * s * c - 8 * M * l**2 * s * c
        V_1 = 9.81 * (2 * m * (l / 2 + 1.5 * l) + 2 * M * l) * c
        return A, A_1, V_1

    def rate(_, y):
        A, A_1, V_1 = energy_terms(y[0])
        return y[1], -(0.5 * A_1 * y[1] ** 2 + V_1) / A

    found = solve_ivp(rate, (0, 0.3), (SARRUS["angle"], 0), "DOP853", rtol=1e-12, atol=1e-13)
    ends = []
    for h in (0.01, 0.005):
        run = vv.simulate(sarrus(), t_end=0.3, h=h)
        np.testing.assert_allclose(run["platform.r"][:, :2], 0, atol=1e-13)
        np.testing.assert_allclose(run["platform.R"], np.broadcast_to(np.eye(3), (len(run.t), 3, 3)), atol=1e-13)
        ends.append(run["platform.r"][-1, 2])
    exact = 2 * l * np.sin(found.y[0, -1])
    assert np.log2(abs(ends[0] - exact) / abs(ends[1] - exact)) == pytest.approx(2, abs=0.05)
    assert (4 * ends[1] - ends[0]) / 3 == pytest.approx(exact, abs=1e-7)


# -- a million steps ---------------------------------------------------------------------------------------------------


def pendulums(friction=0.0):
    """Three bars on skew hinges, one after the other."""
    m = vv.Mechanism("pendulums", gravity=(0, 0, -9.81))
    parent = m.ground
    for i, axis in enumerate(((0, 1, 0), (0.3, 1, 0.2), (1, 0.2, 0.1))):
        child = bar(m, f"bar{i}", (i, 0, 0), (i + 1, 0, 0))
        m.revolute(f"hinge{i}", parent, child, at=(i, 0, 0), axis=axis, friction=friction)
        parent = child
    return m


def held_by_springs():
    """A body in a web of springs, one of them stiffening, and a coil at a hinge."""
    m = vv.Mechanism("web", gravity=(0, 0, -9.81))
    body = m.body("body", mass=1.0, inertia=(0.1, 0.2, 0.25), twist=(1.0, 2.0, -1.0, 0.5, 0, 0))
    for i, corner in enumerate(np.eye(3) * 2):
        m.spring(f"cord{i}", m.ground, body, at_a=corner, at_b=corner / 8, k=50.0, length=1.0)
    m.spring(
        "stiff", m.ground, body, at_a=-2 * E3, at_b=-E3 / 4, energy=lambda l: 30 * (l - 1) ** 2 + 10 * (l - 1) ** 4
    )
    m.revolute("hinge", body, bar(m, "arm", (0.2, 0, 0), (0.7, 0, 0)), at=(0.2, 0, 0), axis=E2)
    m.torsion("coil", "hinge", k=2.0)
    return m


def weakly_damped():
    m = pendulums(friction=1e-4)
    m.wrench("wind", "bar2")
    return m


LONG = {
    "tree": (pendulums, {}, 2e-3),
    "loop": (slider_crank, {}, 1e-3),
    "over-constrained": (planar_four_bar, {}, 2e-3),
    "spring-loaded": (held_by_springs, {}, 2e-3),
    "damped": (weakly_damped, {"wind": (0, 0, 0, 0.5, 1.0, 0)}, 2e-3),
    "driven": (driven, {"motor": 0.5}, 1e-3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_the_drift_of_a_million_steps_is_rounding(name):
    model, inputs, h = LONG[name]
    n = 10**6
    run = vv.simulate(model(), t_end=n * h, h=h, inputs=inputs, every=1000)
    assert run.final.steps == n
    audit = run.audit()
    assert audit.drift <= 1e-9
    assert audit.first_law <= 1e-13
    assert (audit.g or 0.0) <= 1e-12
    assert audit.ok
    balance = run["energy"] + run["heat"] - run["work"]
    assert np.abs(balance - balance[0]).max() <= 1e-9 * run.energy_unit
