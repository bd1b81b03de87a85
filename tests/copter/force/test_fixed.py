"""The filter of forces of rotors that do not tilt is linear as (5.40) and (5.43) say, and leaves its limits at once."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.copter import quadcopter, ring, tricopter
from visviva.copter.force import (
    filter_rotor_force,
    lead,
    made_rotor_force,
    rotor_force,
    rotor_force_poles,
    rotor_force_response,
    rotor_force_start,
)
from visviva.copter.force.fixed import put_rotor_force
from visviva.copter.vehicles.allotment import allot
from visviva.errors import ModelError

QUAD = quadcopter()
HOVER = QUAD.hover_speed
Z, X, Y, HEAD = 3, 0, 1, 2  # rows (m; f): roll, pitch, yaw, lift
ROTOR = QUAD.rotors[0]
RANDOM = np.array([310.0, 520.0, 444.0, 640.0])


def hexacopter(rotors=None):
    own = rotors or ring(ROTOR, np.pi / 3 * np.arange(6), (1, -1) * 3, radius=0.24)
    return replace(QUAD, name="hexa", com=np.zeros(3), rotors=own)


def linearised(p, speeds):
    """G_f(z) of the compiled update itself, by differences about a steady state."""
    n, r = len(p.kappa_F), len(p.K0)
    x0 = rotor_force_start(p, speeds)
    f0 = p.B @ (p.kappa_F * speeds**2)
    units = np.concatenate([np.full(n, 1e-3), np.full(r, 1e-3 * 60)])

    def output(x, f):
        return made_rotor_force(p, x[:n], (filter_rotor_force(p, x, f)[:n] - x[:n]) / p.T_S)

    def slope(function, at, steps):
        return np.transpose([(function(at + d) - function(at - d)) / (2 * d.max()) for d in np.diag(steps)])

    A = slope(lambda x: filter_rotor_force(p, x, f0), x0, units)
    B = slope(lambda f: filter_rotor_force(p, x0, f), f0, np.full(r, 1e-3))
    C = slope(lambda x: output(x, f0), x0, units)
    return lambda z: C @ np.linalg.solve(z * np.eye(n + r) - A, B)


def printed(p, speeds, z, static=False):
    """(5.40) or (5.43) with (5.41), with k_head1."""
    T, d = p.T_S, (z - 1) / p.T_S
    theta, kF, kT, l = ROTOR.inertia, ROTOR.kappa_F, ROTOR.kappa_T, 0.24
    a, b, c, e = 1 / speeds
    p1, p2 = theta / (8 * kF) * (e - c + b - a), theta / (4 * kF * l) * (b - e)
    p3, p4 = theta / (4 * kF * l) * (a - c), theta / (8 * kT) * (a + b + c + e)
    G = np.zeros((4, 4), dtype=complex)
    for row in (Z, X, Y):
        G[row, row] = p.K0[row] / (d**2 + p.K1[row] * d + p.K0[row])
    k0, k1 = p.K0[HEAD], p.K1[HEAD]
    below = d**2 + (k1 if static else k0 * p4 + k1) * d + k0
    G[HEAD, HEAD] = k0 * (p4 * d + 1) / below
    for own, row in ((p1, Z), (p2, X), (p3, Y)):
        G[HEAD, row] = own * d * G[row, row] * (1 if static else d * (d + k1) / below)
    assert T == p.T_S
    return G


@pytest.mark.parametrize("heading", ["dynamic", "static", "static, cancelled"])
@pytest.mark.parametrize("speeds", [np.full(4, HOVER), RANDOM], ids=["hover", "random"])
def test_the_filter_is_linear_as_the_corrected_transfer_functions_say(heading, speeds):
    p = rotor_force(QUAD, heading=heading)
    real = linearised(p, speeds)
    for f in (0.3, 2.0, 9.0, 40.0):
        z = np.exp(2j * np.pi * f * p.T_S)
        found = rotor_force_response(p, speeds, z)
        assert_allclose(found, printed(p, speeds, z, p.static), rtol=0, atol=1e-10)
        assert_allclose(real(z), found, rtol=0, atol=1e-8 * np.abs(found).max())


def test_with_the_printed_k_tilt1_the_transfer_function_of_yaw_is_another_one():
    p, z = rotor_force(QUAD), np.exp(2j * np.pi * 4 * 0.005)
    wrong = p._replace(K1=np.where(np.arange(4) == HEAD, p.K1[X], p.K1))
    found = rotor_force_response(p, HOVER, z)[HEAD, HEAD]
    assert abs(found - printed(wrong, np.full(4, HOVER), z)[HEAD, HEAD]) > 0.1


def test_yaw_at_hover():
    p = rotor_force(QUAD)
    assert p.K1[HEAD] == pytest.approx(5.620, abs=1e-3)
    assert lead(p, HOVER)[HEAD, HEAD] == pytest.approx(0.17794, abs=1e-5)
    z = np.exp(2j * np.pi * np.linspace(0, 100, 2001) * p.T_S)
    G = rotor_force_response(p, HOVER, z)[:, HEAD, HEAD]
    k0, p4, d = p.K0[HEAD], 1 / p.K1[HEAD], (z - 1) / p.T_S
    assert_allclose(G, k0 * p4 / (d + k0 * p4), atol=1e-12)  # pole and zero cancel
    assert np.abs(G).max() <= 1 + 1e-12


@pytest.mark.parametrize(("cutoff", "peak"), [(2.0, 4.8), (4.0, 10.2), (8.0, 16.1)])
def test_the_static_filter_overshoots_in_yaw(cutoff, peak):
    fine = rotor_force(QUAD, 1e-5, cutoffs=(8, 12, cutoff), heading="static")  # figures without sampling
    w = 2 * np.pi * np.geomspace(0.1, 50, 1500)

    def largest(p):
        return 20 * np.log10(np.abs(rotor_force_response(p, HOVER, np.exp(1j * w * p.T_S))[:, HEAD, HEAD]).max())

    assert largest(fine) == pytest.approx(peak, abs=0.06)
    sampled = rotor_force(QUAD, cutoffs=(8, 12, cutoff), heading="static")
    assert peak < largest(sampled) < peak + 2  # Euler's steps of 5 ms make it worse
    assert largest(rotor_force(QUAD, cutoffs=(8, 12, cutoff), heading="static, cancelled")) < 1e-9


def test_forces_roll_and_pitch_are_filters_of_butterworth_at_any_speeds():
    p = rotor_force(QUAD, 1e-5)
    for row, f_c in ((Z, 8.0), (X, 12.0), (Y, 12.0)):
        G = rotor_force_response(p, RANDOM, np.exp(2j * np.pi * f_c * p.T_S))
        assert abs(G[row, row]) == pytest.approx(1 / np.sqrt(2), abs=1e-3)
        assert_allclose(np.delete(G[row], row), 0, atol=1e-12)


def test_what_is_wanted_is_what_is_made_in_the_end():
    p, wanted = rotor_force(QUAD), np.array([0.2, -0.1, 0.05, 11.0])
    x = rotor_force_start(p, HOVER)
    for _ in range(600):
        x = filter_rotor_force(p, x, wanted)
    assert_allclose(made_rotor_force(p, x[:4], np.zeros(4)), wanted, atol=1e-9)


def test_speeds_keep_their_limits_and_leave_them_as_soon_as_the_wish_does():
    p, hover = rotor_force(QUAD), np.array([0, 0, 0, QUAD.weight])

    def settled(periods_out_of_reach):
        x = rotor_force_start(p, HOVER)
        for _ in range(periods_out_of_reach):
            x = filter_rotor_force(p, x, np.array([0, 0, 0, 60.0]))  # 33 N is what four rotors have
            assert (x[:4] <= p.speed_max).all()
        for k in range(1000):
            if abs(made_rotor_force(p, x[:4], np.zeros(4))[Z] - QUAD.weight) < 0.5:
                return k
            x = filter_rotor_force(p, x, hover)
        return 1000

    assert settled(2000) <= settled(100) <= 30  # no memory of how long it was


def test_rotors_that_yaw_cannot_have_are_limited_one_by_one():
    p, rng = rotor_force(QUAD), np.random.default_rng(2)
    x = rotor_force_start(p, HOVER)
    for wanted in rng.uniform(-1, 1, (2000, 4)) * [1.5, 1.5, 0.4, 40.0]:
        x = filter_rotor_force(p, x, wanted)
        assert (x[:4] >= p.speed_min).all()
        assert (x[:4] <= p.speed_max).all()
    assert np.isfinite(x).all()


def test_six_rotors_make_what_four_components_ask_for_with_the_least_thrusts():
    vehicle = hexacopter()
    p, wanted = rotor_force(vehicle), np.array([0.2, -0.1, 0.05, 11.0])
    x = rotor_force_start(p, np.array([300.0, 350, 400, 320, 410, 380]))
    for _ in range(1500):
        x = filter_rotor_force(p, x, wanted)
    assert_allclose(made_rotor_force(p, x[:6], np.zeros(6)), wanted, atol=1e-8)
    assert_allclose(p.kappa_F * x[:6] ** 2, np.linalg.pinv(p.B) @ wanted, atol=1e-8)
    z = np.exp(0.13j)
    w = np.sqrt(np.linalg.pinv(p.B) @ wanted / p.kappa_F)
    assert_allclose(linearised(p, w)(z), rotor_force_response(p, w, z), atol=1e-7)


def test_a_rotor_at_its_limit_leaves_the_rest_to_those_that_are_told():
    """Least squares ask one of six rotors for more than it has; other thrusts make the same wrench."""
    rotors = hexacopter().rotors
    vehicle = hexacopter((replace(rotors[0], speeds=(rotors[0].speeds[0], 310.0)), *rotors[1:]))
    p, wanted = rotor_force(vehicle), np.array([0.05, 0.1, 0.02, 11.0])
    shared = allot(vehicle, np.array([0.05, 0.1, 0.02, 0.0, 0.0, 11.0])[None])[0]
    assert (np.linalg.pinv(p.B) @ wanted)[0] > rotors[0].kappa_F * 310.0**2
    for given, made in ((np.zeros(6), False), (shared, True)):
        x = rotor_force_start(p, 300.0)
        for _ in range(1500):
            y = np.empty(len(x))
            put_rotor_force(p, x, wanted, given, np.empty(len(x)), y)
            x = y
        assert np.allclose(made_rotor_force(p, x[:6], np.zeros(6)), wanted, atol=1e-3) == made
        assert x[0] <= 310.0
    assert_allclose(p.kappa_F * x[:6] ** 2, shared, atol=1e-3)


def oblique(sign):
    """Six rotors that lean sideways, one to the left, the next to the right."""
    c, s = np.cos(0.35), sign * np.sin(0.35)
    return hexacopter(
        tuple(
            replace(rotor, axis=np.array([0, 0, c]) + s * (-1) ** i * np.array([-np.sin(a), np.cos(a), 0]))
            for i, (a, rotor) in enumerate(zip(np.pi / 3 * np.arange(6), hexacopter().rotors, strict=True))
        )
    )


def test_oblique_rotors_make_all_six_components():
    vehicle = oblique(-1)
    p = rotor_force(vehicle)
    assert p.B.shape == (6, 6)
    wanted = np.array([0.1, -0.1, 0.1, 0.8, -0.5, vehicle.weight])
    x = rotor_force_start(p, vehicle.hover_speed)
    for _ in range(1500):
        x = filter_rotor_force(p, x, wanted)
    assert_allclose(made_rotor_force(p, x[:6], np.zeros(6)), wanted, atol=1e-8)


def test_rotors_that_turn_the_vehicle_the_wrong_way_first_need_a_slow_yaw():
    """Leaning against their drag: thrusts turn it one way, and speeding up the other."""
    with pytest.raises(ModelError, match=r"does not settle .*\n.*\n.*wrong way first in 'tau_z' \(p = -0\.1\d s"):
        rotor_force(oblique(1))
    p = rotor_force(oblique(1), cutoffs=(8, 12, 0.5))
    assert lead(p, HOVER)[HEAD, HEAD] < 0


def test_coaxial_pairs_are_rotors_like_others():
    pairs = tuple(
        replace(
            rotor,
            name=f"{rotor.name}{level}",
            position=rotor.position + 0.03 * level * rotor.axis,
            spin=rotor.spin * level,
        )
        for rotor in QUAD.rotors
        for level in (1, -1)
    )
    p = rotor_force(replace(QUAD, name="coaxial", rotors=pairs, com=np.zeros(3)))
    assert p.B.shape == (4, 8)
    assert np.abs(rotor_force_poles(p, 300.0)).max() < 1


def test_filters_that_cannot_be_are_refused():
    with pytest.raises(ModelError, match="'rotor1', 'rotor2', 'rotor3' of vehicle 'tricopter' tilt"):
        rotor_force(tricopter())
    with pytest.raises(ModelError, match="heading is"):
        rotor_force(QUAD, heading="none")
    with pytest.raises(ModelError, match="does not settle at"):
        rotor_force(QUAD, cutoffs=(8, 60, 4))
    stopping = [replace(rotor, speeds=(0.0, 700.0)) for rotor in QUAD.rotors]
    with pytest.raises(ModelError, match="lowest speed above zero"):
        rotor_force(replace(QUAD, rotors=stopping))
    with pytest.raises(ModelError, match="cutoffs must be positive"):
        rotor_force(QUAD, cutoffs=(8, 12, 0))
