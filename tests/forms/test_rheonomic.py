"""Poses that depend on time: twists, equations, power and runs, against mechanisms with drives and differences."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import visviva as vv
from visviva import forms
from visviva.forms import coordinates

FINE = vv.DOP853(tolerance=1e-12)
G = (0.0, 0.0, -9.81)


def turning(t):
    """Angle of a turntable."""
    return 0.7 * t + 0.25 * np.sin(2 * t)


def table(t):
    """Its pose about z, with the bearing of an arm 0.4 out; plain arithmetic for jets."""
    c, s = np.cos(turning(t)), np.sin(turning(t))
    return [[c, -s, 0, 0.4 * c], [s, c, 0, 0.4 * s], [0, 0, 1, 0], [0, 0, 0, 1]]


def shift(x, y, z):
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


INERTIA = (0.03, 0.05, 0.04)
COM = (0.0, 0.0, -0.5)


def moments():
    return forms.Moments.from_inertia(vv.geometry.inertia.Inertia(1.3, INERTIA, COM))


def arm_on_a_table(**more):
    """An arm that hangs on a turntable which is driven; the arm's pose depends on time."""
    p = coordinates.joined({("ground", "arm"): coordinates.revolute("a", axis=(0, 1, 0), at=table)})
    return vv.RigidSystem(p, bodies={"arm": moments()}, gravity=G, **more)


def arm_mechanism():
    m = vv.Mechanism("arm on a table", gravity=G)
    plate = m.body("plate", massless=True, at=(0, 0, 0))
    arm = m.body("arm", mass=1.3, inertia=INERTIA, at=(0.4, 0, -0.5))
    m.revolute("table", m.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("a", plate, arm, at=(0.4, 0, 0), axis=(0, 1, 0))
    m.drive("motor", "table", rate=lambda t: 0.7 + 0.5 * np.cos(2 * t))
    return m


def stretched(t):
    """No rotation but at t = 0."""
    return [[1 + t, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("end", ["at", "to"])
def test_poses_must_be_rigid_at_all_times(end):
    with pytest.raises(vv.ModelError, match=rf"edge .*'slide\.{end}'.* at t = 0\.1 s is not a rotation"):
        coordinates.joined({("ground", "arm"): coordinates.prismatic("slide", axis=(1, 0, 0), **{end: stretched})})


def test_poses_that_stop_being_rigid_end_a_run():
    """Rigid at the times that are looked at when it is built, not between 0.5 and 1 s."""
    joint = coordinates.prismatic("slide", axis=(1, 0, 0), at=lambda t: stretched(np.maximum(0, (t - 0.5) * (1 - t))))
    system = vv.RigidSystem(coordinates.joined({("ground", "arm"): joint}), bodies={"arm": moments()})
    vv.simulate(system, 0.45, 0.05, initial=([0.0], [1.0]), integrator=vv.RK4())
    with pytest.raises(vv.VisvivaError, match=r"'slide\.at' at t = 0\.\d+ s is not a rotation"):
        vv.simulate(system, 0.9, 0.05, initial=([0.0], [1.0]), integrator=vv.RK4())


@pytest.mark.parametrize("t", [0.0, 0.8])
def test_accelerations_are_those_of_a_mechanism_with_a_drive(t):
    system, form = arm_on_a_table(), vv.analytical(arm_mechanism())
    names, velocities = list(form.q_names), list(form.xi_names)
    for a, w in ((0.3, 0.0), (-0.9, 1.7)):
        q, xi, s = (np.array(part, dtype=float) for part in form.initial)
        q[names.index("table.q")], q[names.index("a.q")] = turning(t), a
        xi[velocities.index("table.rate")], xi[velocities.index("a.rate")] = 0.7 + 0.5 * np.cos(2 * t), w
        s = s + turning(t)  # where the drive is
        reference = form.rates(t, q, xi, s)[0][velocities.index("a.rate")]
        assert_allclose(system.accelerations([a], [w], None, t), [reference], rtol=1e-11, atol=1e-12)
        assert_allclose(system.energy(np.array([a]), np.array([w]), np.array([t])), form.energy(q, xi, s), rtol=1e-12)
        power = form.power(t, q, xi, s)
        assert_allclose(system.power(t, np.array([a]), np.array([w])), power, rtol=1e-11, atol=1e-11)


def test_a_run_moves_as_the_mechanism_does_and_its_balance_closes():
    run = vv.simulate(arm_on_a_table(), 1.0, 0.05, initial=([0.3], [0.2]), integrator=FINE)
    m = arm_mechanism()
    start = {"a.q": 0.3, "a.rate": 0.2}
    reference = vv.simulate(m, 1.0, 0.05, initial=start, integrator=vv.DOP853(tolerance=1e-12, compiled=False))
    assert_allclose(run["a"][-1], reference["a.q"][-1], rtol=0, atol=1e-10)
    assert_allclose(run["energy"][-1], reference["energy"][-1], rtol=1e-9)
    assert np.ptp(run["energy"]) > 0.1  # it is driven


def swinging():
    """A pose of one's own: a pivot that moves in a circle, an arm whose length changes, in velocities of one's own."""

    def X(q, t):
        c, s, l = np.cos(q.a), np.sin(q.a), 1.0 + 0.3 * np.sin(3 * t)
        return [
            [c, 0, s, 0.2 * np.cos(t) + l * s],
            [0, 1, 0, 0.1 * t],
            [-s, 0, c, 0.2 * np.sin(t) - l * c],
            [0, 0, 0, 1],
        ]

    p = vv.Parameterisation(("a",), ("w",), A=[[1.0]], q0=[0.0], edges={("ground", "bob"): X})
    return p.with_velocities(("u",), lambda q: [[1 + 0.5 * np.sin(q.a) ** 2]])


def differentiated(f, t, h=1e-3):
    return (8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h)


def test_twists_and_biases_are_derivatives_of_poses_in_time():
    p, t0, a0, u = swinging(), 0.6, 0.4, 1.3
    system = vv.RigidSystem(p, bodies={"bob": moments()})

    def path(t):  # q along constant u, to fourth order
        a, steps = a0, 16
        for _ in range(steps):
            h = (t - t0) / steps
            f = lambda x: (1 + 0.5 * np.sin(x) ** 2) * u  # noqa: E731
            k1, k2 = f(a), f(a + h / 2 * f(a))
            k3 = f(a + h / 2 * k2)
            a = a + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(a + h * k3))
        return np.array([a])

    def frame(t):
        return system.instant(path(t), [u], t).frames["bob"]

    X = frame(t0).X.matrix
    V_hat = np.linalg.solve(X, differentiated(lambda t: frame(t).X.matrix, t0))
    assert_allclose(frame(t0).V, vv.geometry.SE3.vee(V_hat), rtol=0, atol=1e-9)
    assert_allclose(frame(t0).B, differentiated(lambda t: frame(t).V, t0), rtol=0, atol=1e-8)


def test_inverted_edges_carry_time_along():
    """The pose is given from the body to the ground: all the same motion."""

    def back(q, t):
        c, s, x = np.cos(q.a), np.sin(q.a), 0.3 * np.sin(2 * t)
        return [[c, 0, -s, -x * c], [0, 1, 0, 0], [s, 0, c, -x * s], [0, 0, 0, 1]]

    def ahead(q, t):
        c, s = np.cos(q.a), np.sin(q.a)
        return [[c, 0, s, 0.3 * np.sin(2 * t)], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]

    def system(edges):
        p = vv.Parameterisation(("a",), ("w",), A=[[1.0]], q0=[0.0], edges=edges)
        return vv.RigidSystem(p, bodies={"arm": moments()}, gravity=G)

    one, other = system({("ground", "arm"): ahead}), system({("arm", "ground"): back})
    for t in (0.0, 0.7):
        a, b = (each.instant([0.4], [1.1], t).frames["arm"] for each in (one, other))
        assert_allclose(a.V, b.V, atol=1e-13)
        assert_allclose(a.B, b.B, atol=1e-12)
        assert_allclose(
            one.accelerations([0.4], [1.1], None, t), other.accelerations([0.4], [1.1], None, t), rtol=1e-12
        )


def test_power_is_the_rate_of_the_energy_with_springs_and_dampers_on_what_is_driven():
    p = coordinates.joined({
        ("ground", "arm"): coordinates.revolute("a", axis=(0, 1, 0), at=table),
        ("arm", "tip"): coordinates.prismatic("x", axis=(1, 0, 0), to=lambda t: shift(0.1 * np.sin(5 * t), 0, 0.2)),
    })  # fmt: skip
    system = vv.RigidSystem(
        p,
        bodies={"arm": moments(), "tip": moments()},
        gravity=G,
        springs=[forms.springs.Spring("ground", "tip", forms.springs.LineEnergy(30.0, (1, 0, 0), (0, 0, 0.1), 0.3))],
        dampers=[forms.Damping("ground", "tip", forms.Moments.from_points([0.7], [[0.1, 0, 0]]))],
        constraints=[forms.Geometric("rail", lambda q, t: [q.x - 0.2 * np.sin(q.a) - 0.05 * t])],
    )
    t, (q, xi) = 0.6, system.consistent([0.3, 0.1], [0.4, -0.3], 0.6)

    h = 1e-3
    run = vv.simulate(system, t + 4 * h, h, initial=(q, xi, [t]), integrator=vv.RK4())
    assert run.t[0] == t
    E = run["energy"]
    rate = (-25 * E[0] + 48 * E[1] - 36 * E[2] + 16 * E[3] - 3 * E[4]) / (12 * h)
    assert_allclose(run["power"][0], rate, rtol=1e-7)


def test_symbols_of_time_are_expressions_too():
    t, a = sympy.symbols("t a")
    c, s = sympy.cos(a), sympy.sin(a)
    X = [[c, 0, s, sympy.sin(2 * t)], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]
    p = vv.Parameterisation((a,), ("w",), A=[[1.0]], q0=[0.0], edges={("ground", "arm"): X})
    assert p.timed
    frame = vv.RigidSystem(p, bodies={"arm": moments()}).instant([0.0], [0.0], 0.3).frames["arm"]
    assert_allclose(frame.V[3:], [2 * np.cos(0.6), 0, 0], atol=1e-14)


def test_what_asks_for_a_rest_is_refused():
    with pytest.raises(vv.ModelError, match="small motions are about a rest"):
        arm_on_a_table().small_motions([0.0])
    with pytest.raises(vv.ModelError, match="not quadratic in its velocities"):
        arm_on_a_table().forms([0.0])
