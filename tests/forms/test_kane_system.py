"""Kane's equations by hand: the identities of the matrices, symbols against numbers, and what T generates."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from kane_systems import (
    HOLONOMIC,
    KANE,
    SYSTEMS,
    disc,
    double_pendulum,
    driven_pendulum,
    euler_body,
    free_body,
    shaken_pendulum,
    sleigh,
    states,
)
from numpy.testing import assert_allclose

from visviva import KaneBody, kane


def rate_along(system, t, q, xi, f, h=1e-3):
    """Rate of f(point) along q̇ = Q ξ with constant ξ, by a difference of order 4 on curves that are exact to h⁵."""

    def flow(s):
        place, now, steps = np.array(q), t, 8
        for _ in range(steps):
            dt = s / steps
            k1 = system.at(place, xi, now).q_dot
            k2 = system.at(place + dt / 2 * k1, xi, now + dt / 2).q_dot
            k3 = system.at(place + dt / 2 * k2, xi, now + dt / 2).q_dot
            k4 = system.at(place + dt * k3, xi, now + dt).q_dot
            place, now = place + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), now + dt
        return f(system.at(place, xi, t + s))

    return (8 * (flow(h) - flow(-h)) - (flow(2 * h) - flow(-2 * h))) / (12 * h)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rate_of_the_mass_matrix_is_the_gyrator_and_its_transpose(name):
    """(17), along motions; A depends on q and t only, so constant ξ will do where none is known."""
    system = SYSTEMS[name]()
    for t, q, xi in states(system):
        point = system.at(q, xi, t)
        A_dot = rate_along(system, t, q, xi, lambda p: p.A)
        assert_allclose(point.D + point.D.T, A_dot, rtol=0, atol=1e-8 * (1 + np.abs(point.D).max()))
        assert_allclose(point.gyration, point.D.T @ point.xi, rtol=0, atol=1e-12 * (1 + np.abs(point.D).max()))
        assert_allclose(point.p, point.A @ point.xi, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SYSTEMS)
def test_power_of_the_inertia_is_the_rate_of_kinetic_energy(name):
    """(19): dT/dt = ξᵀA ξ̇ + ξᵀD ξ, whose first part is that of the velocities, the second that of the place."""
    system = SYSTEMS[name]()
    for t, q, xi in states(system):
        point = system.at(q, xi, t)
        frozen = point.xi @ point.D @ point.xi  # of the place alone; known velocities change by themselves
        u = [system.columns.index(velocity) for velocity in system.unknown]
        c = [k for k in range(len(system.columns)) if k not in u]
        own = point.p[c] @ point.known_dot
        rate = rate_along(system, t, q, xi, lambda p: p.kinetic)
        assert rate == pytest.approx(frozen + own, abs=1e-8 * (1 + abs(frozen) + abs(own)))


@pytest.mark.parametrize("name", SYSTEMS)
def test_power_is_the_rate_of_the_energy(name):
    """Along the motion: of impressed forces, of drives and of a potential in time."""
    system = SYSTEMS[name]()
    for t, q, xi in states(system):
        point = system.at(q, xi, t)

        def energy(s, point=point, t=t, q=q, xi=xi):
            return system.at(q + s * point.q_dot, xi + s * point.xi_dot, t + s).energy

        h = 1e-3
        rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
        assert rate == pytest.approx(point.power, abs=1e-7 * (1 + abs(point.power) + abs(point.energy)))


@pytest.mark.parametrize("name", ["sleigh", "disc", "double pendulum", "driven pendulum", "shaken pendulum"])
def test_symbols_and_numbers_agree(name):
    system = SYSTEMS[name]()
    s = system.symbols
    for t, q, xi in states(system, seed=3):
        point = system.at(q, xi, t)
        full = point.xi[: len(system.velocities)]
        values = dict(zip([*s.q, *s.xi, s.t], [*q, *full, t], strict=True)) | system.values
        for symbolic, number in (
            (system.A, point.A),
            (system.D, point.D),
            (system.p, point.p),
            (system.gyration, point.gyration),
            (system.tau, point.tau),
        ):
            found = np.array(symbolic.subs(values), dtype=float).reshape(number.shape)
            assert_allclose(found, number, rtol=0, atol=1e-12 * (1 + np.abs(number).max()))
        assert float(system.T.subs(values)) == pytest.approx(point.kinetic, rel=1e-12)


def test_sleigh_has_the_matrices_of_the_textbook():
    system = sleigh()
    m, J, a, w, v = (sympy.Symbol(name, real=True) for name in ("m", "J", "a", "w", "v"))
    assert sympy.Matrix([[J + m * a**2, 0], [0, m]]) == system.A
    assert sympy.Matrix([[0, m * a * w], [-m * a * w, 0]]) == system.D
    assert system.gyration == sympy.Matrix([-m * a * v * w, m * a * w**2])
    assert sympy.expand(system.T - (m * v**2 + (J + m * a**2) * w**2) / 2) == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_kinetic_energy_generates_both_sides_exactly_where_velocities_are_rates_of_coordinates(name):
    """(32), (38): the gyration force is ∂T/∂q for ξ = q̇; else it is another force than Qᵀ ∂T/∂q."""
    system = SYSTEMS[name]()
    holonomic = name in ("double pendulum", "Euler body", "driven pendulum", "shaken pendulum")
    assert system.holonomic == holonomic
    s, n = system.symbols, len(system.velocities)
    generated = sympy.lambdify([*s.q, *s.xi, s.t, *s.parameters], list(system.generated[:n]))
    for t, q, xi in states(system, seed=1):
        point = system.at(q, xi, t)
        force = np.array(generated(*q, *point.xi[:n], t, *s.parameters.values()), dtype=float)
        gap = np.abs(point.gyration[:n] - force).max()
        size = np.abs(point.gyration).max() + np.abs(force).max()
        assert gap < 1e-12 * size if holonomic else gap > 0.05 * size


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_forms_have_the_same_accelerations(name):
    """Velocity (14), (47); momentum (25), (49) by ṗ = A ξ̇ + Ȧ ξ; partially Lagrangian (41); Lagrange (42), Hamilton."""
    system = SYSTEMS[name]()
    forms = [*KANE, *(form for form in HOLONOMIC if system.holonomic)]
    if name in ("driven pendulum", "shaken pendulum"):
        forms.remove("hamilton")
    u = [system.columns.index(velocity) for velocity in system.unknown]
    for t, q, xi in states(system, seed=2):
        point = system.at(q, xi, t)
        c = [k for k in range(len(system.columns)) if k not in u]
        all_dot = np.zeros(len(system.columns))
        all_dot[u], all_dot[c] = point.xi_dot, point.known_dot
        p_dot = (point.A @ all_dot + point.matrices.A_dot @ point.xi)[u]
        clock = [t] if name in ("driven pendulum", "shaken pendulum", "snakeboard") else []
        for kind in forms:
            form = system.form(kind)
            y = point.p[u] if form.in_momenta else xi
            y_dot, s_dot = form.rates(t, np.zeros(0), y, np.array([*q, *clock]))
            wanted = p_dot if form.in_momenta else point.xi_dot
            assert_allclose(y_dot, wanted, rtol=0, atol=1e-11 * (1 + np.abs(wanted).max()), err_msg=kind)
            assert_allclose(s_dot[: len(q)], point.q_dot, rtol=0, atol=1e-12 * (1 + np.abs(point.q_dot).max()))


def test_drive_does_the_power_of_time():
    """A pivot that is a known velocity, and one that is a function of time, are one motion with one power."""
    driven, shaken = driven_pendulum(), shaken_pendulum()
    for t, q, xi in states(shaken, count=4):
        height = 0.3 * np.sin(7 * t)
        a, b = driven.at([height, *q], xi, t), shaken.at(q, xi, t)
        assert_allclose(a.xi_dot, b.xi_dot, rtol=1e-12)
        assert a.energy == pytest.approx(b.energy, rel=1e-12)
        assert a.power == pytest.approx(b.power, rel=1e-12)
        # the drive holds up the weight, which the potential does in the other description
        u = 2.1 * np.cos(7 * t)
        weight = 1.2 * 9.81
        assert (a.drives["u"] - weight) * u == pytest.approx(b.drives["time"], rel=1e-11)


def test_drive_force_is_newtons_law_of_the_bob():
    """The reaction (48) on the pivot is m (ÿ + g) of the bob."""
    system = driven_pendulum()
    for t, q, xi in states(system):
        point = system.at(q, xi, t)
        theta, w, w_dot = q[1], xi[0], point.xi_dot[0]
        u_dot = -0.3 * 49 * np.sin(7 * t)
        vertical = u_dot + 0.7 * (np.sin(theta) * w_dot + np.cos(theta) * w**2)
        assert point.drives["u"] == pytest.approx(1.2 * (vertical + 9.81), rel=1e-12)


def test_momentum_form_of_a_driven_system_needs_no_rate_of_the_known_velocity():
    """(49), (50): a law whose rate is infinite at t = 0 spoils accelerations, not the momentum form."""
    system = kane(
        "kicked",
        q=("y", "theta"),
        xi=("u", "w"),
        bodies={"bob": KaneBody(mass=1.0, v=lambda q, xi: [np.cos(q.theta) * xi.w, np.sin(q.theta) * xi.w + xi.u])},
        known={"u": lambda t: np.sqrt(t)},
    )
    form = system.form("momentum")
    p_dot, _ = form.rates(0.0, np.zeros(0), np.array([0.5]), np.array([0.0, 0.3, 0.0]))
    assert_allclose(p_dot, 0.0, atol=1e-15)  # u = 0 there


def test_partial_velocities_and_velocities_are_one_description():
    def partials(q):
        c, s = np.cos(q.theta), np.sin(q.theta)
        return [[-0.4 * s, c], [0.4 * c, s]]

    system = kane(
        "sleigh",
        q=("x", "y", "theta"),
        xi=("w", "v"),
        q_dot=lambda q, xi: [xi.v * np.cos(q.theta), xi.v * np.sin(q.theta), xi.w],
        bodies={"sleigh": KaneBody(mass=1.0, v_xi=partials, w_xi=[[1, 0]], inertia=0.5)},
    )
    q, xi = [0.1, 0.2, 0.3], [2.0, 1.0]
    assert_allclose(system.at(q, xi).xi_dot, sleigh().at(q, xi).xi_dot, rtol=1e-13)
    assert_allclose(system.at(q, xi).D, sleigh().at(q, xi).D, atol=1e-14)


def test_sympy_expressions_and_functions_are_one_description():
    """Symbols are known by their names, whatever they are assumed to be."""
    w, v, theta = sympy.symbols("w v theta")
    a, m, J = sympy.symbols("a m J", positive=True)
    c, s = sympy.cos(theta), sympy.sin(theta)
    system = kane(
        "sleigh",
        q=sympy.symbols("x y theta"),
        xi=(w, v),
        q_dot=[v * c, v * s, w],
        bodies={"sleigh": KaneBody(mass=m, v=sympy.Matrix([v * c - a * w * s, v * s + a * w * c]), w=w, inertia=J)},
        parameters={"m": 1.0, "J": 0.5, "a": 0.4},
    )
    assert system.A == sleigh().A
    assert system.D == sleigh().D


def spatial_rotation():
    """R = R_y(a) R_x(b) R_z(c): angles, rates, R, last turn, ω before that in its own axes, ω in body axes."""
    a, b, c = q = sympy.symbols("a b c", real=True)
    rates = sympy.symbols("a_dot b_dot c_dot", real=True)
    before, last = sympy.rot_ccw_axis2(a) * sympy.rot_ccw_axis1(b), sympy.rot_ccw_axis3(c)
    turns = [sympy.Matrix([0, rates[0], 0]), sympy.Matrix([rates[1], 0, 0]), sympy.Matrix([0, 0, rates[2]])]
    between = sympy.rot_ccw_axis1(b).T * turns[0] + turns[1]  # angular velocity of the axes before the last turn
    return q, rates, before * last, last, between, last.T * between + turns[2]


def test_axes_do_not_matter():
    """A body whose centre is off the pivot, in its own axes, in those of the world and in others between them."""
    q, _, R, last, others, w = spatial_rotation()
    v, inertia = w.cross(sympy.Matrix([0.1, 0.2, 0.3])), sympy.diag(2, 3, 4)
    found = []
    for turn, axes in ((sympy.eye(3), "body"), (R, "world"), (last, others)):
        body = KaneBody(mass=1.5, v=turn * v, w=turn * w, inertia=turn * inertia * turn.T, axes=axes)
        found.append(kane("body", q=q, bodies={"body": body}).at([0.2, 0.5, -0.3], [0.7, -0.4, 0.9]))
    for other in found[1:]:
        assert_allclose(other.A, found[0].A, rtol=0, atol=1e-13)
        assert_allclose(other.D, found[0].D, rtol=0, atol=1e-13)
        assert_allclose(other.gyration, found[0].gyration, rtol=0, atol=1e-13)
    assert np.abs(found[0].D).max() > 1


def test_equation_59_is_wrong_for_spatial_rotation():
    """With ∂ω/∂q for the rates of ∂ω/∂q̇ its D has the right sum D + Dᵀ, but D q̇ misses Wᵀ(ω × I ω), see (58)."""
    q, rates, R, _, _, w = spatial_rotation()
    inertia, omega = R * sympy.diag(2, 3, 4) * R.T, R * w
    place, speed = [0.2, 0.5, -0.3], np.array([0.7, -0.4, 0.9])
    at = dict(zip([*q, *rates], [*place, *speed], strict=True))
    W, W_q, J, spin = (
        np.array(part.subs(at), dtype=float) for part in (omega.jacobian(rates), omega.jacobian(q), inertia, omega)
    )
    printed, spin = W.T @ J @ W_q, spin[:, 0]
    point = kane("body", q=q, bodies={"body": KaneBody(w=omega, inertia=inertia)}).at(place, speed)
    assert_allclose(printed + printed.T, point.matrices.A_dot, rtol=0, atol=1e-13)
    missing = W.T @ np.cross(spin, J @ spin)
    assert np.abs(missing).max() > 0.1
    assert_allclose((point.D - printed) @ speed, missing, rtol=0, atol=1e-13)


def test_equation_59_is_right_in_a_plane():
    """Where angular velocities do not depend on q, its first term is that of (56) by the cancellation of dots (31)."""
    a, b, wa, wb = sympy.symbols("a b a_dot b_dot", real=True)
    v = sympy.Matrix([-sympy.sin(a) * wa - sympy.sin(b) * wb / 2, sympy.cos(a) * wa + sympy.cos(b) * wb / 2])
    D = v.jacobian([wa, wb]).T * v.jacobian([a, b])
    system = kane("lower rod", q=("a", "b"), bodies={"rod": KaneBody(mass=1, v=v, w=wb, inertia=1 / 12)})
    assert (system.D - D).applyfunc(sympy.simplify) == sympy.zeros(2)


def test_equation_60_as_printed_is_the_momentum():
    """∂v/∂q̇·p is A q̇; the gyration force of (57) has ∂v/∂q·p there, which is ∂T/∂q (32)."""
    system = double_pendulum()
    a, b, wa, wb = (sympy.Symbol(name, real=True) for name in (*system.coordinates, *system.velocities))
    at = {a: 0.4, b: -0.7, wa: 1.3, wb: 0.6}
    point = system.at([0.4, -0.7], [1.3, 0.6])
    by_rates, by_places = ([float(system.T.diff(x).subs(at)) for x in pair] for pair in ((wa, wb), (a, b)))
    assert_allclose(by_rates, point.p, atol=1e-13)  # Σ ∂v/∂q̇·p, as printed
    assert_allclose(by_places, point.gyration, atol=1e-13)
    assert np.abs(point.gyration - point.p).max() > 0.1


def test_double_pendulum_has_the_equations_of_the_textbook():
    system = double_pendulum()
    a, b = (sympy.Symbol(name, real=True) for name in "ab")
    A = sympy.Matrix([[sympy.Rational(4, 3), sympy.cos(a - b) / 2], [sympy.cos(a - b) / 2, sympy.Rational(1, 3)]])
    assert (system.A - A).applyfunc(sympy.simplify) == sympy.zeros(2)


def test_free_body_has_eulers_equations():
    system = free_body()
    for t, q, xi in states(system):
        w, v = xi[:3], xi[3:]
        J = np.array([2.0, 3.0, 4.0])
        point = system.at(q, xi, t)
        assert_allclose(point.xi_dot, [*(-np.cross(w, J * w) / J), *-np.cross(w, v)], rtol=0, atol=1e-13)


def test_disc_has_the_equations_derived_by_hand():
    """(A + mρ²) ω̇1 = A cot θ ω2² - (C + mρ²) ω2 ω3 - m g ρ cos θ, and two more."""
    system = disc()
    m, rho, C, A, g = (system.values[sympy.Symbol(name, real=True)] for name in ("m", "rho", "C", "A1", "g"))
    for t, q, xi in states(system):
        (w1, w2, w3), cot = xi, 1 / np.tan(q[0])
        inertia = m * rho**2
        wanted = [
            (A * cot * w2**2 - (C + inertia) * w2 * w3 - m * g * rho * np.cos(q[0])) / (A + inertia),
            (C * w3 - A * cot * w2) * w1 / A,
            inertia * w1 * w2 / (C + inertia),
        ]
        assert_allclose(system.at(q, xi, t).xi_dot, wanted, rtol=1e-12)


def test_forces_at_points_and_torques_do_their_work():
    """(53): the power of every load is the force times the velocity of its point, time's own part included."""

    def tip(q, xi, t):
        return [-np.sin(q.a) * xi.a_dot + np.cos(t), np.cos(q.a) * xi.a_dot]

    def middle(q, xi, t):
        return [-0.5 * np.sin(q.a) * xi.a_dot + np.cos(t), 0.5 * np.cos(q.a) * xi.a_dot]

    system = kane(
        "rod",
        q="a",
        bodies={"rod": KaneBody(mass=1.0, v=middle, w=lambda xi: xi.a_dot, inertia=1 / 12)},
        points={"tip": tip},
        forces={"wind": ("tip", lambda t: [1 + t, 2.0]), "weight": ("rod", [0, -9.81])},
        torques={"motor": ("rod", lambda q: 3 * q.a)},
        tau={"a_dot": lambda xi: -0.2 * xi.a_dot},
        V=lambda q, t: 0.5 * (1 + t) * q.a**2,
    )
    a, w, t = 0.4, 1.3, 0.7
    point = system.at([a], [w], t)
    assert system.columns == ("a_dot", "time")
    v_tip, v = np.array([-np.sin(a) * w + np.cos(t), np.cos(a) * w]), 0.5 * np.cos(a) * w
    loads = v_tip @ [1 + t, 2.0] - 9.81 * v + 3 * a * w - 0.2 * w**2
    assert point.supplied @ point.xi == pytest.approx(loads, rel=1e-14)
    assert point.tau @ point.xi == pytest.approx(loads - (1 + t) * a * w, rel=1e-14)
    assert point.potential_t == pytest.approx(a**2 / 2, rel=1e-14)


def test_velocities_and_momenta_are_one_state():
    for system in (sleigh(), driven_pendulum(), shaken_pendulum(), double_pendulum()):
        for t, q, xi in states(system):
            point = system.at(q, xi, t)
            back = system.at_momentum(q, point.p[list(point.unknown)], t)
            assert_allclose(back.xi, point.xi, rtol=0, atol=1e-12)


def test_velocities_without_coordinates():
    """Euler's equations alone have no configuration."""
    body = KaneBody(w=lambda xi: xi[:], inertia=(2, 3, 4), axes="body")
    system = kane("top", q=(), xi=("w1", "w2", "w3"), q_dot=[], bodies={"top": body})
    w, J = np.array([0.1, 2.0, 0.1]), np.array([2.0, 3.0, 4.0])
    assert_allclose(system.at([], w).xi_dot, -np.cross(w, J * w) / J, rtol=1e-13)
    assert repr(system) == "<KaneSystem 'top': 0 coordinates, 3 velocities, 1 bodies>"


def test_coordinates_of_a_singular_chart_have_a_singular_mass_matrix():
    with pytest.raises(ValueError, match="a combination of the velocities a_dot and c_dot moves no mass here"):
        euler_body().at([0, 0, 0, 0.1, np.pi / 2, 0.2], np.ones(6)).xi_dot  # noqa: B018
