"""Couplings and drives in compiled steps: what the reference in NumPy does, and the same laws."""

from __future__ import annotations

import coupled_mechanisms
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from step_matrices import SCHEMES, matrix_and_slopes

import visviva as vv
from visviva.integrate.inputs import input_function
from visviva.integrate.machine import MachineStepper
from visviva.integrate.many import ManyStepping
from visviva.integrate.start import start_state
from visviva.kernels.multibody import turns

turned_by = turns.turned_by.py_func  # compiled functions inside of kernels cannot be called from here
COUPLED = ("gears", "screw", "differential", "rack", "driven_four_bar")


@pytest.mark.slow
@pytest.mark.parametrize("name", COUPLED)
@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint])
def test_compiled_steps_are_those_of_the_reference(name, scheme):
    m, _ = coupled_mechanisms.MECHANISMS[name]()
    model = vv.compile(m, scheme.form)
    u, model = input_function(model, None)
    state, _ = start_state(model, None, scheme(), u)
    assert isinstance(scheme().stepping(model, u, state, 0.01), ManyStepping)
    fast, plain = (vv.simulate(m, 0.5, 0.01, integrator=scheme(compiled=kind)) for kind in (True, False))
    unit = np.abs(plain.record.x).max()
    assert_allclose(fast.record.x, plain.record.x, rtol=0, atol=1e-11 * unit)
    assert_allclose(fast.record.work, plain.record.work, rtol=0, atol=1e-10 * plain.energy_scale)
    assert_allclose(fast.record.g_v, plain.record.g_v, rtol=0, atol=0.5 * plain.record.g_v.max() + 1e-12)
    if scheme is vv.PHMPGGL:
        own = [k for k, (part, _) in enumerate(plain.model.kinds) if not part.endswith(".directors")]
        unit = np.abs(plain.final.gam[own]).max() + 1e-3
        assert_allclose(fast.final.gam[own], plain.final.gam[own], rtol=0, atol=1e-8 * unit)
    assert fast["newton.iterations"].mean() < plain["newton.iterations"].mean() + 1.0
    for part in m.conditions:
        assert_allclose(fast[f"{part.name}.reaction_mid"], plain[f"{part.name}.reaction_mid"], rtol=1e-8, atol=1e-8)


def test_what_steps_count_of_couplings_is_what_their_states_say():
    m, _ = coupled_mechanisms.driven_four_bar()
    run = vv.simulate(m, 0.2, 0.01)
    assert_allclose(run.record.g_v[:, -1], np.abs(run["g_v.motor"])[1:, 0], rtol=1e-9, atol=1e-13)


def test_redundant_couplings_run_in_compiled_steps_and_are_checked():
    m = vv.Mechanism()
    for k in range(3):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1), rate=None if k else 3.0)
    m.gear("one", "j0", "j1", ratio=2.0)
    m.gear("two", "j1", "j2", ratio=3.0)
    m.gear("three", "j0", "j2", ratio=6.0)
    run = vv.simulate(m, 1.0, 0.01)
    assert_allclose(run["j0.q"], 6.0 * run["j2.q"], atol=1e-13)
    assert (~run.final.active).sum() == 1
    assert run.audit().ok


@pytest.mark.parametrize("turn", [0.4, -2.5, 0.04, 1e-5, -1e-9, 0.0])
def test_derivatives_of_an_angle_between_two_ends(turn, monkeypatch):
    monkeypatch.setattr(turns, "secant", turns.secant.py_func)
    c0, s0 = 1.3 * np.cos(0.7), 1.3 * np.sin(0.7)
    c1, s1 = 1.1 * np.cos(0.7 + turn), 1.1 * np.sin(0.7 + turn)
    found, h = turned_by(c0, s0, c1, s1), 1e-6
    assert found.angle == pytest.approx(turn, abs=1e-15)
    assert found.by_c * (c1 - c0) + found.by_s * (s1 - s0) == pytest.approx(turn, abs=1e-15)
    slopes = [
        [(getattr(turned_by(c0, s0, *ahead), part) - getattr(turned_by(c0, s0, *behind), part)) / (2 * h)
         for ahead, behind in (((c1 + h, s1), (c1 - h, s1)), ((c1, s1 + h), (c1, s1 - h)))]
        for part in ("by_c", "by_s")
    ]  # fmt: skip
    assert_allclose([[found.cc, found.cs], [found.sc, found.ss]], slopes, atol=1e-8)


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint])
def test_a_driven_run_continues_as_if_it_had_not_stopped(scheme):
    """What the drive has prescribed by then is read from the state."""
    m, _ = coupled_mechanisms.driven_four_bar()
    whole, half = (vv.simulate(m, t_end, 0.01, integrator=scheme()) for t_end in (0.2, 0.1))
    assert half.final.x[half.model.layout.x["motor.shift"]] > 0.1
    rest = vv.simulate(m, 0.2, 0.01, integrator=scheme(), initial=half.final)
    assert_allclose(rest.final.x, whole.final.x, rtol=0, atol=1e-13)
    assert rest.audit().ok


def test_a_run_continues_with_another_scheme_and_its_drive():
    """Velocities are projected on what the drive prescribes, not on rest."""
    m, _ = coupled_mechanisms.driven_four_bar()
    first = vv.simulate(m, 0.1, 0.01, integrator=vv.PHMP())
    rest = vv.simulate(m, 0.15, 0.01, integrator=vv.PHMPGGL(), initial=first.final)
    assert_allclose(rest["j1.rate"], 4.0 + np.cos(2.0 * rest.t), atol=1e-10)
    assert rest.audit().g_v < 1e-13


@pytest.mark.parametrize("name", ["gears", "differential", "rack"])  # of a damper along a line it is not the whole one
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_matrix_of_a_step_is_the_derivative_of_its_rows(name, scheme):
    m, _ = coupled_mechanisms.MECHANISMS[name]()
    matrix, exact = matrix_and_slopes(m, scheme)
    assert_allclose(matrix, exact, rtol=0, atol=1e-7 * np.abs(exact).max())


def geared(n):
    """A chain of hinges, told in both directions, with a gear between two that are not neighbours and a drive."""
    m, above = vv.Mechanism("chain", gravity=(1.0, 2.0, -9.81)), None
    for k in range(n):
        link = m.body(f"l{k}", mass=1.0, inertia=(0.02, 0.05, 0.06), at=(0.2 + 0.4 * k, 0.02, 0))
        ends = (link, above) if k % 3 == 2 else (above or m.ground, link)
        m.revolute(f"j{k}", *ends, at=(0.4 * k, 0, 0), axis=((0, 0.3, 1), (0.2, 1, 0))[k % 2])
        above = link
    m.gear("gear", f"j{n // 3}", f"j{2 * n // 3}", ratio=-1.5)
    m.drive("drive", f"j{n - 1}", rate=lambda t: np.sin(3 * t))
    return m


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint])
def test_couplings_leave_the_tree_of_hinges_as_it_is(scheme):
    """Their rows are a border, as those of loops."""
    model = vv.compile(geared(6), scheme.form)
    u, model = input_function(model, None)
    state, _ = start_state(model, None, scheme(), u)
    runs = []
    for along_tree in (None, False):
        steps = MachineStepper(model, vv.Newton(), state, 0.01, along_tree=along_tree, rates=scheme is vv.PHMPGGL)
        assert (steps.sparse is None) is (along_tree is None)
        assert len(steps.s.border.rows) == (2 if along_tree is None else 0)
        nodes = 0.01 * (np.arange(60)[:, None] + np.array(steps.nodes))
        runs.append(steps.many(state, 0.01, np.sin(3 * nodes)[:, :, None]))
    tree, sparse = runs
    assert tree.steps == sparse.steps == 60
    assert_allclose(tree.x, sparse.x, rtol=0, atol=1e-10)
    assert_allclose(tree.w, sparse.w, rtol=0, atol=1e-8 * np.abs(sparse.w).max())
    assert_allclose(tree.work, sparse.work, rtol=0, atol=1e-9 * np.abs(sparse.work).max())
    assert abs(tree.iterations.sum() - sparse.iterations.sum()) <= 0.1 * sparse.iterations.sum()


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL])
def test_single_steps_of_what_is_driven_are_those_of_a_run(scheme):
    """To the last bit: start values follow from the same solutions."""
    m = geared(3)
    run, sim = vv.simulate(m, 0.1, 0.01, integrator=scheme()), vv.Simulator(m, h=0.01, integrator=scheme())
    for _ in range(10):
        sim.step()
    assert_array_equal(sim.state.x, run.final.x)


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL])
def test_five_substeps_of_what_is_driven_in_compiled_code_are_those_in_numpy(scheme):
    """Of which one goes back in time; rates are driven at the ends of all."""
    m = geared(3)
    fast, plain = (vv.simulate(m, 0.05, 0.01, integrator=vv.Suzuki4(scheme(compiled=kind))) for kind in (True, False))
    assert (fast.engine, plain.engine) == ("compiled", "NumPy")
    assert_allclose(fast.record.x, plain.record.x, rtol=0, atol=1e-11 * np.abs(plain.record.x).max())
    assert_allclose(fast.record.work, plain.record.work, rtol=0, atol=1e-10 * plain.energy_scale)


def test_accelerations_of_what_is_driven():
    """τ = J θ̈ + m g a cos θ."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.2), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, -1, 0))
    m.drive("motor", "hinge", rate=1.5)
    run = vv.simulate(m, 0.3, 0.1, integrator=vv.LieMidpoint())
    found = run.model.accelerations(run.final.x, u=np.array([1.5]), u_dot=np.array([4.0]))
    assert -found.w[-1] == pytest.approx(0.7 * 4.0 + 9.81 * np.cos(run["hinge.q"][-1]), rel=1e-3)
