"""Every form of the equations, one motion: directors, Lie form, minimal velocities, Hamel and Kane on the catalogue."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE, HANGING

import visviva as vv
from visviva.compiler import initial_x
from visviva.forms.minimal.of_mechanisms import FORMS
from visviva.mechanism import assemble
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.parts import Body

STATES = 2
each = pytest.mark.parametrize("name", CATALOGUE)
# joints from arm to hand are in the table of tests/contracts/test_readings.py, on their own and with all elements
others = pytest.mark.parametrize("name", [name for name in CATALOGUE if name not in HANGING])


@cache
def forms(name):
    """The mechanism in minimal velocities, and random consistent states of it."""
    entry = CATALOGUE[name]
    form = vv.analytical(entry.build(), inputs=entry.inputs)
    rng = np.random.default_rng(len(name))
    states = [form.initial]
    size = 0.15 if "tree" in entry.traits else 0.03  # loops must close again
    for _ in range(STATES):
        q, xi, s = form.initial
        xi = xi + rng.normal(size=form.n)
        states.append(form.projected(0.0, form.advance_q(q, size * rng.normal(size=form.n)), xi, s))
    return form, states


def inputs(form, state):
    return form.inputs_at(0.0, form.at(*state))


def directors_of(form, x):
    """The state of the director model, and N and ṄV of all bodies."""
    model = vv.compile(form.definition, "directors")
    result = np.zeros(model.layout.size)
    lifts, drifts = [], []
    for variable in model.variables:
        if variable.name not in model.kinetic:
            result[model.layout.x[variable.name]] = x[form.model.layout.x[variable.name]]
    for body in form.definition.bodies:
        q, V = (x[form.model.layout.x[f"{body.name}.{letter}"]] for letter in "qv")
        rigid = isinstance(body, Body)
        lifts.append(POSES.lift(q) if rigid else np.eye(3))
        drifts.append(POSES.drift(q, V) if rigid else np.zeros(3))
        result[model.layout.x[f"{body.name}.v"]] = lifts[-1] @ V
    return model, result, lifts, drifts


@each
def test_states_go_there_and_back(name):
    form, states = forms(name)
    motion = assemble(form.definition)[0]
    x = initial_x(form.model, motion)
    np.testing.assert_allclose(form.x(*form.initial), x, rtol=0, atol=1e-12 * max(1.0, np.abs(x).max()))
    for state in states:
        found = form.coordinates(form.x(*state))
        for ours, theirs in zip(found, state, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max(initial=0.0)))


@others
def test_accelerations_are_the_same_in_all_forms(name):
    form, states = forms(name)
    for state in states:
        u, u_dot = inputs(form, state)
        x = form.x(*state)
        v_dot = form.model.accelerations(x, u=u, u_dot=u_dot).v_dot
        scale = 1e-12 * np.abs(v_dot).max()
        model, x_d, lifts, drifts = directors_of(form, x)
        ours = model.accelerations(x_d, u=u, u_dot=u_dot).v_dot
        ends = np.cumsum([lift.shape[1] for lift in lifts])[:-1]
        lifted = np.concatenate([N @ a + d for N, a, d in zip(lifts, np.split(v_dot, ends), drifts, strict=True)])
        largest = np.abs(lifted).max()  # directors of what spins fast accelerate by the square of its speed
        np.testing.assert_allclose(ours, lifted, rtol=0, atol=1e-12 * largest, err_msg="directors")
        for kind in FORMS[:-1]:
            analytical = vv.analytical(form.definition, kind, inputs=CATALOGUE[name].inputs)
            found = analytical.solve(analytical.at(*state), u, u_dot)
            np.testing.assert_allclose(found.V_dot, v_dot, rtol=0, atol=scale, err_msg=kind)
            np.testing.assert_array_equal(analytical.accelerations(*state), found.xi_dot)


@others
def test_momenta_change_as_velocities_say(name):
    """ṗ of Kane's momentum form is d(A ξ)/dt = A ξ̇ + Ȧ ξ of the velocity form."""
    form, states = forms(name)
    momentum = vv.analytical(form.definition, "kane-momentum", inputs=CATALOGUE[name].inputs)
    if "light" in CATALOGUE[name].traits:  # momenta say nothing of a motion without inertia
        with pytest.raises(vv.ModelError, match="without inertia"):
            momentum.rates(0.0, *momentum.initial)
        return
    for q, xi, s in states:
        point = form.at(q, xi, s)
        xi_dot, s_dot = form.rates(0.0, q, xi, s)
        p_dot, ours = momentum.rates(0.0, q, momentum.momenta(q, xi), s)
        expected = point.M @ xi_dot + point.kane.A_dot @ xi
        size = np.abs(point.M @ xi_dot).max() + np.abs(point.force(inputs(form, (q, xi, s))[0])).max()
        np.testing.assert_allclose(p_dot, expected, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(ours, s_dot, rtol=1e-12, atol=1e-12)


@others
def test_energies_are_the_same_in_all_forms(name):
    form, states = forms(name)
    for q, xi, s in states:
        x = form.x(q, xi, s)
        model, x_d, _, _ = directors_of(form, x)
        H = form.energy(q, xi, s)
        scale = 1e-12 * np.abs(form.model.exergies(x)).sum()
        assert abs(H - float(model.H(x_d))) <= scale
        assert abs(form.kinetic_energy(q, xi) - 0.5 * xi @ form.mass_matrix(q) @ xi) <= scale


@each
def test_power_is_the_rate_of_energy(name):
    """Along the motion, by a central difference of order 4."""
    form, states = forms(name)
    for q, xi, s in states[1:]:
        xi_dot, s_dot = form.rates(0.0, q, xi, s)
        h = 1e-4

        def energy(t, q=q, xi=xi, s=s, xi_dot=xi_dot, s_dot=s_dot):
            return form.energy(form.advance_q(q, t * xi), xi + t * xi_dot, s + t * s_dot)

        rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
        x = form.x(q, xi, s)
        scale = np.abs(form.model.exergies(x)).sum() * max(1.0, np.abs(xi).max(), np.abs(xi_dot).max())
        assert abs(rate - form.power(0.0, q, xi, s)) <= 1e-8 * scale


def test_the_catalogue_has_what_it_should():
    assert len(CATALOGUE) >= 25
    least = {"spatial loop": 3, "over-constrained": 2, "nonholonomic": 3, "driven": 3, "springs": 3, "damped": 3}
    for trait, count in least.items():
        assert sum(trait in entry.traits for entry in CATALOGUE.values()) >= count, trait
    kinds = {joint.joint.kind for entry in CATALOGUE.values() for joint in entry.build().joints}
    assert kinds == {joint.kind for joint in vv.library.joints.JOINTS}
