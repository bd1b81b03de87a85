"""Lagrangian systems: energy, constraints, their rates and cyclic momenta to rounding, in all schemes that claim it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from lagrangian_systems import SYSTEMS, bead, charged_particle, double_pendulum, pendulum_in_space, spherical_pendulum
from numpy.testing import assert_allclose

import visviva as vv
from visviva.integrate import PHMP, PHMPGGL, DiscreteGradient, Suzuki4
from visviva.model.motion import Coriolis
from visviva.testing import check_model, check_storage

ALL = pytest.mark.parametrize(("make", "energy"), SYSTEMS.values(), ids=SYSTEMS)
SCHEMES = {
    "PHMP": PHMP(compiled=False),
    "PHMPGGL": PHMPGGL(compiled=False),
    "Suzuki4": Suzuki4(PHMP(compiled=False)),
    "Suzuki4 of GGL": Suzuki4(PHMPGGL(compiled=False)),
}


@ALL
def test_models_obey_the_laws_of_the_seam(make, energy):
    model = make()
    x = model.pack({})
    check_model(model, x)
    check_model(model, x + 0.02)
    assert_allclose(model.H(x) - model.H(x + 0.02), energy(*np.split(x, 2)[:2]) - energy(*np.split(x + 0.02, 2)))


@ALL
def test_energies_of_motion_obey_the_laws_of_storages(make, energy):
    model = make()
    for part in model.storages:
        size = len(model.layout.read(part.reads))
        check_storage(part, size, sizes=(0.1, 1e-3, 1e-5, 1e-8))  # within the speed of light


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@ALL
def test_energy_and_constraints_are_kept_at_large_steps(make, energy, scheme):
    run = vv.simulate(make(), t_end=0.6, h=0.05, integrator=scheme)
    audit = run.audit()
    assert audit.first_law <= 1e-13
    assert (audit.g or 0.0) <= 1e-12
    if "g_v" in scheme.preserves:
        assert (audit.g_v or 0.0) <= 1e-12
    q, v = run.record.x[:, run.model.layout.x["q"]], run.record.x[:, run.model.layout.x["v"]]
    assert_allclose(energy(q, v), energy(q[0], v[0]), rtol=0, atol=1e-12 * run.energy_scale)
    assert np.abs(q - q[0]).max() > 0.1  # it has moved


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize(("make", "cyclic"), [(spherical_pendulum, 1), (charged_particle, 1)])
def test_momenta_of_cyclic_coordinates_stay(make, cyclic, scheme):
    run = vv.simulate(make(), t_end=0.8, h=0.08, integrator=scheme)
    p = run["p"]
    assert np.ptp(p[:, cyclic]) <= 1e-13 * np.abs(p).max()
    assert np.ptp(p[:, 1 - cyclic]) > 0.1


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_angular_momentum_about_the_vertical_stays(scheme):
    """The slope of a function of q·q between two states is along their mean: the rod pulls without a moment."""
    run = vv.simulate(pendulum_in_space(), t_end=0.6, h=0.06, integrator=scheme)
    (x, y, _), (u, w, _) = np.split(run.record.x, 2, axis=1)[0].T, np.split(run.record.x, 2, axis=1)[1].T
    L_z = x * w - y * u
    assert np.ptp(L_z) <= 1e-13 * abs(L_z[0])


def test_without_the_gyroscopic_forces_the_momentum_is_lost():
    """Energy alone would not show it: the test of momenta can fail."""
    model = spherical_pendulum()
    broken = dataclasses.replace(
        model, structures=tuple(part for part in model.structures if not isinstance(part, Coriolis))
    )
    run = vv.simulate(broken, t_end=2.0, h=0.05, integrator=PHMP(compiled=False))
    assert run.audit().first_law <= 1e-13
    assert np.ptp(run["p"][:, 1]) > 0.1


DRIVEN = {
    "constrained": {
        "M": 2.0,
        "V": lambda q: 20.0 * q.y,
        "g": lambda q: np.sqrt(q.x**2 + q.y**2) - 1.0,
        "q0": (1.0, 0.0),
    },
    "coupled": {
        "M": lambda q: [[2.0, np.cos(q.x - q.y)], [np.cos(q.x - q.y), 1.0]],
        "V": lambda q: -9.81 * (2 * np.cos(q.x) + np.cos(q.y)),
        "q0": (1.0, 2.0),
    },
}


@pytest.mark.parametrize("scheme", [PHMP(compiled=False), PHMPGGL(compiled=False), DiscreteGradient()], ids=repr)
@pytest.mark.parametrize("base", ["constrained", "coupled"])
def test_heat_and_work_close_the_balance(base, scheme):
    model = vv.lagrangian(
        "driven",
        q=("x", "y"),
        **DRIVEN[base],
        inputs={"push": lambda q: [np.cos(q.x), q.y], "pair": np.eye(2)},
        damping={"air": lambda q, v, d: d * (1 + v.x**2 + v.y**2), "oil": [[0.2, 0.1], [0.1, 0.3]]},
        parameters={"d": 0.3},
    )
    inputs = {"push": lambda t: 3 * np.sin(5 * t), "pair": lambda t: [1.0, np.cos(t)]}
    run = vv.simulate(model, t_end=1.0, h=0.05, integrator=scheme, inputs=inputs)
    audit = run.audit()
    assert audit.first_law <= 1e-13
    assert (audit.g or 0.0) <= 1e-12
    assert run["heat.air"][-1] > 0.1
    assert run["heat.oil"][-1] > 0.1
    assert abs(run["push.work"][-1]) > 0.01
    gap = run["energy"] + run["heat"] - run["work"]
    assert_allclose(gap, gap[0], atol=1e-12 * run.energy_scale)
    powers = [run[name] for name in run.match("*.power") if name not in ("push.power", "pair.power")]
    supplied = run["push.power"] + run["pair.power"]
    assert_allclose(sum(powers), supplied, atol=1e-9 * np.abs(powers).max())


@pytest.mark.parametrize("scheme", [PHMP(compiled=False), PHMPGGL(compiled=False)], ids=["PHMP", "PHMPGGL"])
@pytest.mark.parametrize(("l", "m"), [(1e-6, 1e-9), (1e6, 1e9), (1.0, 1e-12)])
def test_sizes_do_not_matter(l, m, scheme):
    model = vv.lagrangian(
        "pendulum",
        q=("x", "y"),
        M=lambda q, m: m,
        V=lambda q, m: 9.81 * m * q.y,
        g=lambda q, l: np.sqrt(q.x**2 + q.y**2) - l,
        parameters={"m": m, "l": l},
        q0=(l * np.sin(1.0), -l * np.cos(1.0)),
    )
    T = np.sqrt(l / 9.81)
    audit = vv.simulate(model, T, T / 20, integrator=scheme).audit()
    assert audit.first_law <= 1e-13
    assert (audit.g or 0.0) <= 1e-12


def test_public_velocities_are_on_the_constraints_and_raw_ones_have_the_energy():
    run = vv.simulate(bead(), t_end=0.5, h=0.02, integrator=PHMP(compiled=False))
    G = np.array([part.gradient(q) for part in run.model.constraints for q in run["q"]])
    assert np.abs(np.einsum("nij,nj->ni", G, run["v"])).max() <= 1e-12 * np.abs(run["v"]).max()
    assert np.abs(run["g_v"]).max() > 1e-6
    assert_allclose(run["z.rate"], run["v"][:, 2])
    assert_allclose(run["z"], run["q"][:, 2])
    assert_allclose(run.at(0.25, "z"), run.at(0.25, "q")[2])


def test_a_run_continues_exactly_and_can_be_pickled():
    import pickle

    model, scheme = double_pendulum(), PHMP(compiled=False)
    whole = vv.simulate(model, t_end=1.0, h=0.05, integrator=scheme)
    half = vv.simulate(model, t_end=0.5, h=0.05, integrator=scheme)
    rest = vv.simulate(model, t_end=1.0, h=0.05, integrator=scheme, initial=half.final)
    assert (rest.record.x[-1] == whole.record.x[-1]).all()
    again = pickle.loads(pickle.dumps(whole))
    assert (again["p"] == whole["p"]).all()


@pytest.mark.parametrize("make", [bead, double_pendulum])
def test_compiled_steps_are_those_of_the_reference(make):
    compiled, reference = (
        vv.simulate(make(), t_end=1.0, h=0.02, integrator=PHMP(compiled=flag)) for flag in (True, False)
    )
    assert_allclose(compiled.record.x, reference.record.x, rtol=0, atol=1e-9)
    assert_allclose(compiled.record.w_mid, reference.record.w_mid, rtol=0, atol=1e-8)
    assert compiled.audit().first_law <= 1e-13
    assert type(compiled.final.pivots) is np.ndarray
    assert len(compiled.final.pivots) > len(reference.final.pivots)  # it was compiled indeed


@pytest.mark.slow
@pytest.mark.parametrize("make", [pendulum_in_space, double_pendulum])
def test_energy_and_constraints_do_not_drift(make):
    run = vv.simulate(make(), t_end=400.0, h=0.02, every=100)
    audit = run.audit()
    assert audit.drift <= 1e-12
    assert (audit.g or 0.0) <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("make", [make for make, _ in SYSTEMS.values()], ids=SYSTEMS)
def test_all_systems_compiled(make):
    compiled, reference = (
        vv.simulate(make(), t_end=1.0, h=0.02, integrator=DiscreteGradient(compiled=flag)) for flag in (True, False)
    )
    assert_allclose(compiled.record.x, reference.record.x, rtol=0, atol=1e-9)
    assert compiled.audit().ok


@pytest.mark.parametrize("compiled", [True, False])
def test_inputs_may_follow_the_state(compiled):
    model = vv.lagrangian("cart", q=("x", "y"), M=lambda q: [1.0, 1 + q.x**2], inputs={"pull": [1.0, 0.0]}, q0=(1, 0))
    run = vv.simulate(
        model,
        1.0,
        0.05,
        integrator=DiscreteGradient(compiled=compiled),
        inputs={"pull": lambda t, x, z: -4 * x.q[0] - 0.5 * z.v[0]},
    )
    assert run.audit().first_law <= 1e-13
    q, v = (0.5 * (run[what][1:] + run[what][:-1]) for what in "qv")
    assert_allclose(run["pull.u"][:, 0], -4 * q[:, 0] - 0.5 * v[:, 0], atol=1e-12)
