"""Measured quantities: exact increments, rates that are derivatives, forces that are their transposes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from spring_models import K6, bushing, spring, torsion

import visviva as vv
from visviva.compiler import compile_mechanism, initial_x
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat
from visviva.geometry.quadratic import Affine, Quadratic
from visviva.model.measured import MeasuredDissipation, MeasuredPort

MODELS = {
    "length": lambda: spring(k=1.0, length=0.2),
    "pose": lambda: bushing(K=K6),
    "angle": lambda: torsion(k=1.0),
}


def moved(model, x, size, seed=0):
    """A state reached from x by velocities that the joints allow, when they are few; else by any."""
    xi = np.zeros(model.layout.dim)
    rng = np.random.default_rng(seed)
    names = [name for name in model.layout.x if name.endswith(".q")]
    xi[model.layout.act(tuple(names))] = size * rng.uniform(-1, 1, len(model.layout.act(tuple(names))))
    return model.retract(x, xi), xi


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6])
def test_increments_are_exact_between_two_states(name, size):
    m = MODELS[name]()
    model = compile_mechanism(m, "lie")
    x0 = initial_x(model, m.assemble()[0])
    x1, xi = moved(model, x0, size)
    (part,) = model.measured.values()
    q0, q1 = x0[model.layout.read(part.reads)], x1[model.layout.read(part.reads)]
    q = np.concatenate([q0, q1]) if part.two_ended else 0.5 * (q0 + q1)
    rows = model.layout.act(tuple(name.replace(".v", ".q") for name in part.acts[1:]))
    assert_allclose(part.C(q) @ xi[rows], part.value(q1) - part.value(q0), rtol=0, atol=4e-15)  # of y of some units


@pytest.mark.parametrize("name", MODELS)
def test_at_one_instant_rates_are_derivatives(name):
    m = MODELS[name]()
    model = compile_mechanism(m, "directors")
    x = initial_x(model, m.assemble()[0])
    (part,) = model.measured.values()
    q = model.local(part, x)[0]
    here = x[model.layout.read(part.reads)]
    steps = 1e-6 * np.eye(len(here))
    slope = (part.value(here + steps) - part.value(here - steps)) / 2e-6
    assert_allclose(part.C(q), slope.T, atol=1e-9)


def test_an_angle_goes_through_the_cut_and_over_many_radii():
    """c̄ Δs - s̄ Δc = X: exact also where (c, s) is not on the circle, as between the iterates of Newton."""
    m = torsion(k=1.0)
    model = compile_mechanism(m, "directors")
    part = model.measured["s.angle"]
    q0 = initial_x(model, m.assemble()[0])[model.layout.read(part.reads)]
    q1 = q0 + np.random.default_rng(3).uniform(-0.3, 0.3, len(q0))
    both = np.concatenate([q0, q1])
    assert_allclose(part.C(both) @ (q1 - q0), part.increment(both), atol=1e-15)


def test_exactly_half_a_turn_in_a_step_has_no_value():
    m = vv.Mechanism("flipped")
    a = m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.torsion("s", m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis=(0, 0, 1)), k=1.0)
    part = compile_mechanism(m, "directors").measured["s.angle"]
    start, end = (np.concatenate([np.zeros(3), np.diag([c, c, 1.0]).ravel()]) for c in (1.0, -1.0))
    assert np.isnan(part.C(np.concatenate([start, end]))).any()
    assert np.isfinite(part.C(np.concatenate([start, start]))).all()


def distance():
    """½ |q|² of a point."""
    return Quadratic(Affine(np.array([[0.5]]), np.zeros((1, 3))), Affine(np.eye(1), np.zeros((1, 3))), np.zeros(1))


def test_a_damper_on_a_line_feels_the_rate_of_the_length_only():
    damper = MeasuredDissipation("d", ("p.q",), ("p.v",), distance(), (Flat(3),), np.array([[2.0]]), line=True)
    q, v = np.array([0.0, 3.0, 0.0]), np.array([1.0, 5.0, -1.0])
    assert_allclose(damper.R(q, v) @ v, [0, 2.0 * 5.0, 0], atol=1e-15)
    assert_allclose(damper.R(np.zeros(3), v), 0)


def test_a_damper_of_functions_takes_their_rates():
    damper = MeasuredDissipation("d", ("p.q",), ("p.v",), distance(), (Flat(3),), np.array([[2.0]]))
    q, v = np.array([0.0, 3.0, 0.0]), np.array([1.0, 5.0, -1.0])
    assert v @ damper.R(q, v) @ v == pytest.approx(2.0 * (q @ v) ** 2)


def test_a_port_along_a_function_has_its_rate_as_output():
    port = MeasuredPort("f", ("p.q",), ("p.v",), distance(), (Flat(3),))
    q = np.array([1.0, 3.0, 0.0])
    assert port.width == 1
    assert_allclose(port.B(q)[:, 0], q)


def test_measured_variables_need_no_value():
    m = torsion(k=1.0)
    model = compile_mechanism(m, "lie")
    x = initial_x(model, m.assemble()[0])
    given = {name: x[at] for name, at in model.layout.x.items() if not name.endswith("angle")}
    assert_allclose(model.pack(given), x, atol=1e-15)
    assert_allclose(model.pack(given | {"s.angle": 7.0})[model.layout.x["s.angle"]], 7.0)
    with pytest.raises(ModelError, match=r"needs a value for its variable 'a\.q'"):
        model.pack({})
