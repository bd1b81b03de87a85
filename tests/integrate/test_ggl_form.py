"""The GGL form as matrices: a port-Hamiltonian system, whose midpoint rule is PHMPGGL."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.compiler import initial_x
from visviva.demo import four_bar, slider_crank
from visviva.mechanism.assembly import motion_of


def arm(friction=0.0):
    """Two bodies on skew hinges in gravity, a line spring, a force and a torque."""
    m = vv.Mechanism("arm", gravity=(0.3, 0.0, -9.81))
    m.body("a", mass=1.0, inertia=(0.2, 0.3, 0.4), at=(0.5, 0, 0.1))
    m.body("b", mass=0.7, inertia=(0.1, 0.2, 0.15), at=(1.5, 0.2, 0))
    m.revolute("root", m.ground, "a", at=(0, 0, 0), axis=(0.1, 1, 0.2), friction=friction, rate=0.8)
    m.universal("elbow", "a", "b", at=(1, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    m.spring("line", m.ground, "b", at_a=(0, 0, 1.0), k=30.0, length=0.4)
    m.wrench("push", "b")
    m.torque("motor", "root")
    return m


def random_state(form, seed=3):
    """Efforts, multipliers and γ of any size, at a state that satisfies nothing."""
    dice, model = np.random.default_rng(seed), form.model
    x = initial_x(model, motion_of(model.definition, None))
    n = form.system.n
    x[: 2 * n] += 0.3 * dice.normal(size=2 * n)
    z = form.z(x, dice.normal(size=len(model.kinds)), dice.normal(size=len(form.rows)))
    return x, z, dice.normal(size=model.B(x).shape[1])


CASES = {"arm": lambda: arm(0.4), "loop": four_bar, "plain": arm}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_the_form_is_port_hamiltonian_at_any_state(make):
    """J skew, R symmetric and positive, Eᵀz = dH, and z·(E ẋ) = y·u - z·R z."""
    form = vv.ggl_form(make())
    x, z, u = random_state(form)
    E, J, R, B = form.E(x), form.J(x), form.R(x, z), form.B(x)
    assert E.shape == J.shape == R.shape == (form.size, form.size)
    np.testing.assert_allclose(J, -J.T, rtol=0, atol=1e-13 * np.abs(J).max())
    np.testing.assert_allclose(R, R.T, rtol=0, atol=1e-13 * max(1.0, np.abs(R).max()))
    assert np.linalg.eigvalsh(0.5 * (R + R.T)).min() >= -1e-13 * max(1.0, np.abs(R).max())
    flow = (J - R) @ z + B @ u
    size = np.abs(z) @ np.abs(J) @ np.abs(z)
    np.testing.assert_allclose(z @ flow, (B.T @ z) @ u - z @ R @ z, rtol=0, atol=1e-13 * size)
    model, total = form.model, form.model.layout.total
    np.testing.assert_array_equal((E.T @ z)[:total], model.E(x).T @ z[:total])
    assert not E[total:].any()
    assert not E[:, total:].any()


def test_the_blocks_are_those_of_the_equations():
    """Latussek, Kinon, Betsch, eq. (61), block by block."""
    form = vv.ggl_form(four_bar())
    x, _, _ = random_state(form)
    model, n, s = form.model, form.system.n, form.system
    q, v, gam = slice(0, n), slice(n, 2 * n), slice(model.layout.total, form.size)
    lam = model.layout.dim + form.rows
    G, D_q, inverse = s.G(x[:n], x[:n])[form.rows], s.turn(x[n : 2 * n])[form.rows], np.linalg.inv(s.M)
    J = form.J(x)
    expected = [
        (q, v, np.eye(n)),
        (q, gam, inverse @ G.T),
        (v, lam, -G.T),
        (v, gam, -D_q.T),
        (lam, gam, G @ inverse @ G.T),
        (gam, q, -G @ inverse),
        (gam, lam, -G @ inverse @ G.T),
        (gam, gam, D_q @ inverse @ G.T - G @ inverse @ D_q.T),
    ]
    for row, column, block in expected:
        np.testing.assert_allclose(J[row][:, column], block, rtol=0, atol=1e-12 * max(1.0, np.abs(block).max()))


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_the_motion_of_the_plain_form_satisfies_it_without_gam(make):
    """On the constraints γ = 0, and the rows of γ are those of accelerations."""
    m = make()
    form = vv.ggl_form(m)
    model, n = form.model, form.system.n
    x = initial_x(model, m.assemble()[0])
    u = np.linspace(0.3, 1.0, model.B(x).shape[1])
    found = model.accelerations(x, u=u)
    z = form.z(x, found.w)
    rest = (form.J(x) - form.R(x, z)) @ z + form.B(x) @ u
    rest[n : 2 * n] -= form.system.M @ found.v_dot
    size = np.abs(form.J(x)) @ np.abs(z)
    assert np.abs(rest[n : 2 * n] / size.max()).max() <= 1e-12
    assert np.abs(rest[model.layout.dim :] / size.max()).max() <= 1e-12


@pytest.mark.parametrize("make", [arm, slider_crank])
def test_a_step_of_phmpggl_is_its_midpoint_rule(make):
    """E (x1 - x0)/h = (J(x̄) - R) z̄ + B(x̄) u, with the w and γ of the step."""
    m, h = make(), 0.02
    form = vv.ggl_form(m)
    model = form.model
    inputs = {"push": np.array([0.1, -0.2, 0.3, 1.0, 2.0, -1.5])} if m.ports else {}
    run = vv.simulate(m, 5 * h, h, inputs=inputs, integrator=vv.PHMPGGL(compiled=False))
    x0, x1 = run.record.x[-2:]
    u = np.zeros(model.B(x0).shape[1])
    for name, value in inputs.items():
        u[model.port_columns[name]] = value
    mean, gam = 0.5 * (x0 + x1), run.final.gam[form.rows]
    assert np.abs(gam).max() > 1e-6  # the step is long enough for γ to matter
    z = np.concatenate([model.mean_z(x0, x1, run.final.w), gam])
    J = form.J(mean)
    rate = np.zeros(form.size)
    rate[: model.layout.dim] = (x1 - x0) / h
    rest = form.E(mean) @ rate - (J - form.R(mean, z)) @ z - form.B(mean) @ u
    assert np.abs(rest).max() <= 1e-12 * (np.abs(J) @ np.abs(z)).max() / h
    z[model.layout.total :] = 0.0
    assert np.abs(form.E(mean) @ rate - J @ z - form.B(mean) @ u).max() > 1e-6 * (np.abs(J) @ np.abs(z)).max()


def test_what_has_no_such_matrices_is_refused():
    with pytest.raises(vv.ModelError, match="takes a mechanism or a Model in director form, got float"):
        vv.ggl_form(1.0)
    with pytest.raises(vv.ModelError, match="the GGL form integrates models in director form"):
        vv.ggl_form(vv.compile(arm()))
    thin = vv.Mechanism("thin")
    thin.body("rod", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    thin.revolute("hinge", thin.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    with pytest.raises(vv.ModelError, match="body 'rod' has a director without mass"):
        vv.ggl_form(thin)
    driven = arm()
    driven.drive("servo", "root", rate=0.5)
    with pytest.raises(vv.ModelError, match="'servo' prescribes a rate"):
        vv.ggl_form(driven)
