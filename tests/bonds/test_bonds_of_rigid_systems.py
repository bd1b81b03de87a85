"""Kane's six graphs of rigid systems and of particles: rates, energy and power are those of the system."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import forms
from visviva.bonds.kane import FIGURES
from visviva.forms import coordinates

G = (0.0, 0.0, -9.81)
BODY = forms.Moments.from_inertia(vv.geometry.inertia.Inertia(1.3, (0.03, 0.05, 0.04), (0.1, 0.0, -0.5)))


def shifted(x, y, z):
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


def sway(t):
    return [[1, 0, 0, 0.2 * np.sin(3 * t)], [0, 1, 0, 0.1 * np.cos(t)], [0, 0, 1, 0], [0, 0, 0, 1]]


def arm(at=None, **more):
    """Two links, with a spring and a damper to the ground."""
    p = coordinates.joined({
        ("ground", "upper"): coordinates.revolute("a", axis=(0, 1, 0), at=at),
        ("upper", "lower"): coordinates.revolute("b", axis=(1, 0, 0), at=shifted(0, 0, -1)),
    })  # fmt: skip
    return vv.RigidSystem(
        p,
        bodies={"upper": BODY, "lower": BODY},
        gravity=G,
        springs=[forms.springs.Spring("ground", "lower", forms.springs.LineEnergy(20.0, (1, 0, 0), (0, 0, -1), 0.5))],
        dampers=[forms.Damping("ground", "lower", forms.Moments.from_points([0.4], [[0, 0, -1]]))],
        force=lambda t, xi: [np.sin(t) - 0.1 * xi.a_rate, 0.3],
        **more,
    )


def ball():
    """A body on a ball, in its own spin: no rates of coordinates."""
    p = coordinates.joined({("ground", "top"): coordinates.spherical("turn")})
    return vv.RigidSystem(p, bodies={"top": BODY}, gravity=G)


def tied():
    """A condition that moves, on an arm that does not."""
    return arm(constraints=[forms.Geometric("rail", lambda q, t: [q.b - 0.3 * np.sin(q.a) - 0.1 * t])])


def particles():
    p = vv.Parameterisation(("a", "x"), ("w", "u"), A=[[1.0, 0.0], [0.0, 1.0]], q0=[0.3, 0.2])
    return forms.ParticleSystem(
        p,
        {
            "bob": (1.1, lambda q, t: [q.x + np.sin(q.a) + 0.1 * np.sin(t), 0, -np.cos(q.a)]),
            "cart": (0.7, lambda q: [q.x, 0, 0]),
        },
        gravity=G,
        ties=[forms.Tie("bob", "cart", k=3.0, length=0.4, d=0.2), forms.Tie("cart", (2, 0, 0), k=5.0, d=0.1)],
    )


CASES = {
    "arm": arm,
    "arm on a swaying pivot": lambda: arm(at=sway),
    "ball": ball,
    "condition that moves": tied,
    "particles": particles,
}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", CASES)
def test_graph_has_the_rates_of_the_system(name, figure):
    given = CASES[name]()
    system, t, rng = getattr(given, "flow", given), 0.6, np.random.default_rng(4)
    if name == "ball" and figure in (3, 6):
        with pytest.raises(vv.ModelError, match="of holonomic systems"):
            vv.bond_graph(given, figure=figure)
        return
    graph = vv.bond_graph(given, figure=figure)
    flow, p = graph.flow(), system.parameterisation
    q = p.local.advance(np.array(p.q0), 0.3 * rng.normal(size=p.n))
    q, xi = system.consistent(q, rng.normal(size=p.n), t) if system.every_constraint else (q, rng.normal(size=p.n))
    xi_dot = system.accelerations(q, xi, None, t)
    states = dict(zip((*p.coordinates, *p.velocities), (*q, *xi), strict=True)) | {"time": t, "time_dot": 1.0}
    wide = "time_dot" in graph.laws.names or "p_time_dot" in graph.laws.names
    motion = graph.elements["T" if figure > 1 else "masses"].given.motion
    point = motion._at(t, np.append(q, t) if wide else q, np.append(xi, 1.0) if wide else xi)
    states |= dict(zip([f"p_{each}" for each in motion.velocities], point.kane.p, strict=True))
    y = np.array([states[each] for each in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(t, np.zeros(0), y, np.zeros(1))[0], strict=True))
    size = 1 + np.abs(xi_dot).max()
    if figure in (3, 4):
        full = np.append(xi_dot, 0.0) if wide else xi_dot
        wanted = point.kane.A @ full + point.kane.A_dot @ point.full
        gaps = [found[f"p_{each}"] - rate for each, rate in zip(motion.velocities, wanted, strict=True)]
        size = 1 + np.abs(wanted).max()
    else:
        gaps = [found[each] - rate for each, rate in zip(p.velocities, xi_dot, strict=True)]
    gaps += [found[each] - rate for each, rate in zip(p.coordinates, p.q_dot(q, xi), strict=True)]
    assert np.abs(gaps).max() < 1e-10 * size
    assert_allclose(flow.energy(np.zeros(0), y, np.array([t])), system.energy(q, xi, np.array([t])), rtol=1e-12)
    assert_allclose(flow.power(t, np.zeros(0), y, np.zeros(1)), system.power(t, q, xi), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", list(CASES))
def test_rate_of_the_mass_matrix_is_that_of_the_motion(name):
    """(17), against differences along the motion."""
    given = CASES[name]()
    system = getattr(given, "flow", given)
    motion = vv.bond_graph(given, figure=2).elements["T"].given.motion
    p, rng = system.parameterisation, np.random.default_rng(5)
    q, xi, t, h = np.array(p.q0), rng.normal(size=p.n), 0.4, 1e-3

    def A(s):
        place = p.local.advance(q, s * xi)  # on vectors, and on one ball about a fixed spin, the motion itself
        return motion._at(t + s, place, xi).kane.A

    rate = (8 * (A(h) - A(-h)) - (A(2 * h) - A(-2 * h))) / (12 * h)
    assert_allclose(motion._at(t, q, xi).kane.A_dot, rate, rtol=0, atol=1e-8)


def test_figure_4_is_the_default_and_runs_as_the_system_does():
    given = particles()
    graph = vv.bond_graph(given)
    assert graph.name == "particle system, figure 4"
    run = vv.simulate(graph, 0.5, 0.05, integrator=vv.DOP853(tolerance=1e-11))
    start = {name: graph.initial[name] for name in ("a", "x")}
    fine = vv.DOP853(tolerance=1e-11)
    reference = vv.simulate(given, 0.5, 0.05, initial=(list(start.values()), [0.0, 0.0]), integrator=fine)
    assert_allclose([run["a"][-1], run["x"][-1]], [reference["a"][-1], reference["x"][-1]], atol=1e-9)


def test_conditions_that_are_no_flows_are_refused():
    bent = arm(constraints=[forms.Kinematic("bent", lambda xi: [xi.a_rate**2 - xi.b_rate])])
    with pytest.raises(vv.ModelError, match="not linear in velocities"):
        vv.bond_graph(bent)
    pushed = arm(constraints=[forms.Acceleration("pushed", [[1.0, 0.0]], [0.5])])
    with pytest.raises(vv.ModelError, match="one of accelerations alone"):
        vv.bond_graph(pushed)
