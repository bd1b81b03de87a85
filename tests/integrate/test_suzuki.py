"""Suzuki's composition: order 4, what the inner scheme keeps, and why dissipation is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from catalogue import MECHANISMS, free_pair, heavy_top, pair_with
from scipy.integrate import solve_ivp
from systems import damped, hard_spring, oscillator
from test_collocation import knife_edge
from test_integrators import reference_tip
from test_models import spinning_body

import visviva as vv
from visviva.demo import double_pendulum
from visviva.integrate.collocation import EnergyCollocation
from visviva.integrate.newton import NotConverged
from visviva.integrate.suzuki import Suzuki4
from visviva.model.rhs import rhs
from visviva.testing import check_conservation, measured_order

INNER = (vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient())


def named(value):
    return type(value).__name__ if dataclasses.is_dataclass(value) else None


@pytest.mark.parametrize("inner", INNER, ids=named)
def test_order_four_of_a_spatial_double_pendulum(inner):
    """Poses against an independent formulation (index-1, DOP853), velocities against a fine run."""
    m = pair_with()
    exact = reference_tip(m, 0.2)
    fine = vv.simulate(m, t_end=0.2, h=0.005, integrator=Suzuki4(inner))
    runs = {h: vv.simulate(m, t_end=0.2, h=h, integrator=Suzuki4(inner)) for h in (0.02, 0.01)}

    def pose(h):
        return runs[h].final.x[runs[h].model.layout.x["b.q"]]

    assert measured_order(pose, 0.02, exact) == pytest.approx(4, abs=0.15)
    for name in ("a.twist", "b.twist", "h2.rate"):  # after even numbers of steps: the constant alternates
        assert measured_order(lambda h, n=name: runs[h][n][-1], 0.02, fine[name][-1]) == pytest.approx(4, abs=0.15)


def test_projected_velocities_alternate_within_order_four():
    """The error differs between even and odd steps by a constant of its own, and that has order 4 as well."""
    m = pair_with()
    exact = vv.simulate(m, t_end=0.2, h=0.0025, integrator=Suzuki4(vv.PHMPGGL()))["h2.rate"]

    def jump(h):
        rate = vv.simulate(m, t_end=0.2, h=h, integrator=Suzuki4())["h2.rate"]
        return np.diff((rate - exact[:: round(h / 0.0025)])[-3:])

    assert np.prod(jump(0.02)) < 0
    assert measured_order(jump, 0.02, np.zeros(2)) == pytest.approx(4, abs=0.4)


def test_raw_velocities_of_phmp_stay_at_order_two():
    """Why public velocities are projected."""
    m = double_pendulum()
    fine = vv.simulate(m, t_end=0.2, h=0.0025, integrator=Suzuki4()).final.x

    def raw(h):
        return vv.simulate(m, t_end=0.2, h=h, integrator=Suzuki4()).final.x

    assert measured_order(raw, 0.02, fine) == pytest.approx(2, abs=0.2)


PROBLEMS = {
    "driven oscillator": (vv.compile(oscillator(hard_spring())), {"q": 1.0, "p": 0.2}, {"p": lambda t: np.sin(3 * t)}),
    "body in a field": (spinning_body(), {"R": np.eye(3).ravel(), "p": [0.3, 2.0, -1.0]}, {}),
}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # one of them has no expression
@pytest.mark.parametrize(("model", "start", "inputs"), PROBLEMS.values(), ids=PROBLEMS)
def test_order_four_of_any_model_also_with_inputs(model, start, inputs):
    x0 = model.pack(start)
    exact = solve_ivp(rhs(model, inputs), (0, 2), x0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def solution(h):
        scheme = Suzuki4(vv.DiscreteGradient())
        run = vv.simulate(model, t_end=2.0, h=h, integrator=scheme, initial=start, inputs=inputs)
        assert run.audit().ok
        return run.final.x

    assert measured_order(solution, 0.1, exact) == pytest.approx(4, abs=0.1)


# -- what is kept ----------------------------------------------------------------------------------------------------

CASES = [(inner, make) for inner in INNER for make in (double_pendulum, free_pair, heavy_top)]


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are long
@pytest.mark.parametrize(("inner", "make"), CASES, ids=lambda value: named(value) or value.__name__)
def test_it_keeps_what_the_inner_scheme_keeps(inner, make):
    scheme = Suzuki4(inner)
    assert scheme.preserves == inner.preserves
    assert scheme.form == inner.form
    check_conservation(scheme, make(), t_end=0.2, h=0.02)


def test_redundant_loops_and_inputs():
    m = MECHANISMS["four bar"]()
    m.torque("motor", "A")
    scheme = Suzuki4(allow_dissipation=True)
    run = vv.simulate(m, t_end=0.2, h=0.02, integrator=scheme, inputs={"motor": lambda t: np.sin(20 * t)})
    audit = run.audit()
    assert audit.first_law < 1e-13
    assert audit.g < 1e-12
    assert np.abs(run["motor.work"]).max() > 1e-3


def test_inputs_are_asked_for_at_the_middles_of_the_substeps():
    stepper = Suzuki4().prepare(vv.compile(double_pendulum(), "directors"))
    nodes, weights = np.array(stepper.nodes), np.array(stepper.weights)
    assert weights.sum() == pytest.approx(1, abs=1e-15)
    assert (weights**3).sum() == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(nodes, np.cumsum(weights) - weights / 2, atol=1e-15)
    np.testing.assert_allclose(nodes + nodes[::-1], 1, atol=1e-15)


def test_a_continued_run_is_the_same_run():
    for scheme in (Suzuki4(), Suzuki4(vv.PHMPGGL())):
        whole = vv.simulate(free_pair(), t_end=0.2, h=0.02, integrator=scheme)
        half = vv.simulate(free_pair(), t_end=0.1, h=0.02, integrator=scheme)
        rest = vv.simulate(free_pair(), t_end=0.2, h=0.02, integrator=scheme, initial=half.final)
        np.testing.assert_array_equal(rest.final.x, whole.final.x)
        np.testing.assert_array_equal(rest.final.w, whole.final.w)


def test_a_run_may_change_between_a_scheme_and_its_composition():
    run = vv.simulate(free_pair(), t_end=0.1, h=0.01)
    for scheme in (Suzuki4(), vv.PHMP()):
        run = vv.simulate(free_pair(), t_end=run.t[-1] + 0.1, h=0.02, integrator=scheme, initial=run.final)
        assert run.audit().ok


def test_the_predictor_leaves_two_iterations_per_substep():
    """Rates are extrapolated to the middle of each substep, also backwards in time."""
    run = vv.simulate(double_pendulum(), t_end=0.2, h=0.005, integrator=Suzuki4())
    assert run.record.iterations[2:].mean() <= 5 * 2.1


# -- dissipation -----------------------------------------------------------------------------------------------------


def test_friction_and_reservoirs_are_refused_by_name():
    with pytest.raises(
        vv.ModelError, match=r"without dissipation; 'pair' has: h1, h2.\nOne of its five substeps runs back"
    ):
        vv.simulate(pair_with(0.1), t_end=0.1, h=0.01, integrator=Suzuki4())
    with pytest.raises(vv.ModelError, match=r"'damped' has: mf, s.\n"):
        vv.simulate(
            damped(), t_end=0.1, h=0.01, initial={"osc.q": 1, "p": 0}, integrator=Suzuki4(vv.DiscreteGradient())
        )


def test_the_substep_backwards_takes_entropy_away():
    """What the refusal says, seen: a step backwards has negative heat; the first law holds all the same."""
    scheme = Suzuki4(vv.DiscreteGradient(compiled=False), allow_dissipation=True)
    model = vv.compile(damped(hard_spring()))
    run = vv.simulate(model, t_end=1.0, h=0.1, initial={"osc.q": 1.0, "p": 0.5}, integrator=scheme)
    assert run.audit().first_law < 1e-13
    backwards = vv.DiscreteGradient().prepare(model).step(run.final, -0.066, np.zeros((1, 0)))
    assert backwards.heat.min() < 0


# -- errors ----------------------------------------------------------------------------------------------------------


def test_only_schemes_of_order_two_are_composed():
    with pytest.raises(vv.ModelError, match=r"composes an integrator such as vv.PHMP\(\), got 'PHMP'"):
        Suzuki4("PHMP")
    for inner in (Suzuki4(), EnergyCollocation()):
        with pytest.raises(vv.ModelError, match=f"{type(inner).__name__} has order 4"):
            Suzuki4(inner)


def test_a_model_that_the_inner_scheme_cannot_take():
    with pytest.raises(vv.ModelError, match="PHMP integrates models in director form"):
        vv.simulate(oscillator(), t_end=1.0, h=0.1, initial={"q": 1, "p": 0}, integrator=Suzuki4())


def test_a_row_that_was_left_out_is_checked_in_every_substep():
    model = knife_edge()
    start = {"q": [0, 0, 0.3], "v": [np.cos(0.3), np.sin(0.3), 2.0]}
    scheme = Suzuki4(vv.DiscreteGradient(compiled=False), allow_dissipation=True)
    state = vv.simulate(model, t_end=0.1, h=0.1, initial=start, integrator=scheme).final
    without = dataclasses.replace(state, active=np.array([False]))
    with pytest.raises(NotConverged, match="a redundant constraint is violated"):
        scheme.prepare(model).step(without, 0.1, np.zeros((5, 0)))


def test_what_is_not_determined_is_named():
    boxes = {"free": vv.language.reversible({"q": vv.language.Quantity("R", "displacement")}, J=[[0]])}
    system = vv.language.compose("loose", boxes, {"q": ("free.q",)})
    with pytest.raises(vv.ModelError, match="'loose' does not determine: effort row of 'q'"):
        vv.simulate(system, t_end=1.0, h=0.1, initial={}, integrator=Suzuki4(vv.DiscreteGradient()))
