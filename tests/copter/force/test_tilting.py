"""Forces of tilting rotors: the inverse is one inside its limits, and (5.31) is what its parts make of small wishes."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.copter import quadcopter, ring, tricopter
from visviva.copter.force import (
    filter_tilt_force,
    invert_tilt_force,
    made_tilt_force,
    servo_response,
    servos,
    servos_start,
    simulate_servos,
    thrust_response,
    tilt_force,
    tilt_force_response,
    tilt_force_speeds,
    tilt_force_start,
    wrench_rows,
)
from visviva.copter.force.tilting import put_inverse
from visviva.copter.vehicles.allotment import allot
from visviva.errors import ModelError

TRI = tricopter()
QUAD, WEIGHT = quadcopter(), TRI.weight
KAPPA, H, L = TRI.rotors[0].kappa_T / TRI.rotors[0].kappa_F, -6e-3, 0.24
PRINTED = np.array(  # (5.16c) by rows (m; f), with the signs of column 5 that (5.9d) has
    [
        [3**0.5 / 2 * L, 0, -(3**0.5) / 2 * L, H / 2 + 3**0.5 / 2 * KAPPA, -H, H / 2 + 3**0.5 / 2 * KAPPA],
        [-L / 2, L, -L / 2, 3**0.5 / 2 * H - KAPPA / 2, -KAPPA, KAPPA / 2 - 3**0.5 / 2 * H],
        [KAPPA, -KAPPA, -KAPPA, -L, -L, -L],
        [0, 0, 0, 3**0.5 / 2, 0, -(3**0.5) / 2],
        [0, 0, 0, -0.5, 1, -0.5],
        [1, 1, 1, 0, 0, 0],
    ]
)


def body_axes_of(roll, pitch):
    """A weight in the axes of a body that is tilted: R^T (0, 0, m g)."""
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    R = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]) @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    return np.concatenate([np.zeros(3), R.T @ [0, 0, WEIGHT]])


def test_the_filter_takes_its_matrix_from_the_vehicle():
    assert_allclose(tilt_force(TRI).B[:, [0, 1, 2, 3, 5]], PRINTED[:, [0, 1, 2, 3, 5]], atol=1e-15)
    assert np.linalg.cond(tilt_force(TRI).B) == pytest.approx(5.9, abs=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_a_wish_inside_the_limits_is_what_is_made_in_the_end(seed):
    p, q, rng = tilt_force(TRI, thrust_limits=(0.3, 7.0)), servos(TRI.rotors), np.random.default_rng(seed)
    wanted = np.concatenate([rng.uniform(-0.2, 0.2, 3), rng.uniform(-1, 1, 2), [WEIGHT + rng.uniform(-2, 2)]])
    x, tilts = tilt_force_start(p, 4.0), servos_start(q)
    for _ in range(300):
        x, told = filter_tilt_force(p, x, wanted)
        tilts = simulate_servos(q, tilts, told)
    assert_allclose(made_tilt_force(p, tilt_force_speeds(p, x), tilts[:3]), wanted, atol=1e-9)


def test_servos_that_hold_the_body_at_fifteen_degrees():
    p, tilt = tilt_force(TRI), np.deg2rad(15)
    for pose, angle in ((body_axes_of(tilt, 0), 26.6), (body_axes_of(0, tilt), 25.5)):
        assert np.rad2deg(np.abs(invert_tilt_force(p, pose)[1]).max()) == pytest.approx(angle, abs=0.2)


def test_limits_are_kept_and_what_is_out_of_reach_gets_the_nearest_thrust():
    p = tilt_force(TRI, thrust_limits=(0.3, 7.0))
    rng = np.random.default_rng(0)
    for wanted in rng.uniform(-40, 40, (200, 6)):
        F, theta = invert_tilt_force(p, wanted)
        assert F.min() >= 0.3
        assert F.max() <= 7.0
        assert np.abs(theta).max() <= np.pi / 4
        split = np.linalg.solve(p.B, wanted)
        made = np.concatenate([F * np.cos(theta), F * np.sin(theta)])
        for other_F, other in ((F + d, theta + e) for d in (-0.01, 0, 0.01) for e in (-0.01, 0, 0.01)):
            there = np.clip(other_F, 0.3, 7.0), np.clip(other, -np.pi / 4, np.pi / 4)
            near = np.concatenate([there[0] * np.cos(there[1]), there[0] * np.sin(there[1])])
            better = (near - split).reshape(2, 3), (made - split).reshape(2, 3)
            inside = np.linalg.norm(split.reshape(2, 3), axis=0) > 0.3  # else the nearest tilt is the other end
            assert (np.linalg.norm(better[0], axis=0) >= np.linalg.norm(better[1], axis=0) - 1e-9)[
                inside & (split[:3] > -np.abs(split[3:]))
            ].all()
    down = invert_tilt_force(p, np.array([0, 0, 0, 0, 0, -WEIGHT]))
    assert_allclose(down[0], 0.3)  # a wish to be pulled down is no push up


def by_print(p, q, tilts, F, z):
    """(5.31) with the Jacobian (5.33)."""
    c, s = np.diag(np.cos(tilts)), np.diag(np.sin(tilts))
    J = p.B @ np.block([[c, -np.diag(F) @ s], [s, np.diag(F) @ c]])
    G = np.diag([thrust_response(p, z)] * 3 + list(servo_response(q, z)))
    return J @ G @ np.linalg.inv(J)


@pytest.mark.parametrize("frequency", [0.5, 3.0, 20.0, 80.0])
def test_the_transfer_matrix_is_that_of_the_text_whatever_the_thrusts(frequency):
    p, q, rng = tilt_force(TRI), servos(TRI.rotors), np.random.default_rng(3)
    z, tilts = np.exp(2j * np.pi * frequency * p.T_S), rng.uniform(-0.7, 0.7, 3)
    found = tilt_force_response(p, q, tilts, z)
    for F in rng.uniform(0.3, 7.0, (3, 3)):
        assert_allclose(found, by_print(p, q, tilts, F, z), atol=1e-10)


def test_at_hover_forces_upwards_roll_and_pitch_are_thrusts_and_those_sideways_are_servos():
    p, q = tilt_force(TRI), servos(TRI.rotors)
    z = np.exp(2j * np.pi * 6.0 * p.T_S)
    G = tilt_force_response(p, q, 0.0, z)
    F, S = thrust_response(p, z), servo_response(q, z)[0]
    assert_allclose(np.diag(G)[[0, 1, 5]], F, rtol=2e-2)  # κ_T and h_A mix the rest in
    assert_allclose(np.diag(G)[[3, 4]], S, rtol=1e-12)
    assert abs(np.diag(G)[2] - S) < 0.02 * abs(S)
    leaning = tilt_force_response(p, q, [np.pi / 4, 0, -np.pi / 4], z)
    size = np.diag([1.0, 1.0, 1.0, 6.0, 6.0, 20.0])  # of forces and moments that there can be

    def crosstalk(X):
        X = np.linalg.solve(size, X @ size)
        return np.abs(X - np.diag(np.diag(X))).max()

    assert crosstalk(leaning) > 2 * crosstalk(G)


def test_the_transfer_matrix_is_diagonal_where_servos_are_as_fast_as_thrusts():
    p, q = tilt_force(TRI), servos(TRI.rotors)
    z = np.exp(0.2j)
    d, G_F = (z - 1) / p.T_S, thrust_response(p, z)
    equal = q._replace(p_S0=np.ones(3), p_S1=((1 / G_F - 1 - d**2) / d).astype(complex))
    assert_allclose(servo_response(equal, z), np.full(3, G_F), rtol=1e-9)
    assert_allclose(tilt_force_response(p, equal, [0.5, -0.2, 0.1], z), G_F * np.eye(6), atol=1e-9)


def test_a_small_sinusoid_through_filter_and_servos_is_what_the_transfer_matrix_says():
    p, q = tilt_force(TRI), servos(TRI.rotors)
    middle, w, size = np.array([0, 0, 0, 2.0, 0, WEIGHT]), 2 * np.pi * 5 * p.T_S, 1e-4
    F, held = invert_tilt_force(p, middle)
    for column in (0, 3):
        x, tilts = tilt_force_start(p, F), servos_start(q, held)
        made = []
        for k in range(1200):
            made.append(made_tilt_force(p, tilt_force_speeds(p, x), tilts[:3]) - middle)
            x, told = filter_tilt_force(p, x, middle + size * np.cos(w * k) * np.eye(6)[column])
            tilts = simulate_servos(q, tilts, told)
        late = np.arange(1000, 1200)
        gain = 2 / 200 * np.exp(-1j * w * late) @ np.array(made)[late] / size
        assert_allclose(gain, tilt_force_response(p, q, held, np.exp(1j * w))[:, column], atol=2e-3)


def hexa_tilt():
    own = replace(
        TRI.rotors[0], servo=replace(TRI.rotors[0].servo, axis=np.array([1.0, 0, 0])), axis=np.array([0, 0, 1.0])
    )
    return replace(
        TRI, name="hexa", com=np.zeros(3), rotors=ring(own, np.pi / 3 * np.arange(6), (1, -1) * 3, radius=0.3)
    )


def one_servo():
    """Four rotors of which neighbours spin alike, so that yaw comes from the servo of the first: H along y."""
    servo = replace(TRI.rotors[0].servo, axis=np.array([1.0, 0, 0]))
    rotors = ring(replace(QUAD.rotors[0], servo=None), np.pi / 2 * np.arange(4), (1, 1, -1, -1), radius=0.24)
    return replace(QUAD, name="odd", com=np.zeros(3), rotors=[replace(rotors[0], servo=servo), *rotors[1:]])


def test_more_inputs_than_components_take_the_least_squares_of_thrust():
    vehicle = hexa_tilt()
    p, wanted = tilt_force(vehicle), np.array([0.05, -0.1, 0.2, 1.0, -0.5, WEIGHT])
    F, theta = invert_tilt_force(p, wanted)
    assert_allclose(made_tilt_force(p, np.sqrt(F / p.kappa_F), theta), wanted, atol=1e-12)
    least = np.linalg.lstsq(p.B, wanted, rcond=None)[0]
    assert np.sum(F**2) == pytest.approx(least @ least, rel=1e-12)


def test_a_rotor_at_its_limit_leaves_the_rest_to_those_that_are_told():
    vehicle = hexa_tilt()
    first = replace(vehicle.rotors[0], speeds=(vehicle.rotors[0].speeds[0], 350.0))
    vehicle = replace(vehicle, rotors=[first, *vehicle.rotors[1:]])
    p, wanted = tilt_force(vehicle), np.array([0.05, -0.1, 0.2, 1.0, -0.5, WEIGHT])
    shared = allot(vehicle, wanted[None])[0]
    for given, made in ((np.zeros(12), False), (shared, True)):
        F, theta = np.empty(6), np.empty(6)
        put_inverse(p, wanted, given, np.empty(12), F, theta)
        assert np.allclose(made_tilt_force(p, np.sqrt(F / p.kappa_F), theta), wanted, atol=1e-9) == made
        assert F[0] <= first.thrusts[1] * (1 + 1e-12)


def test_fewer_servos_than_rotors_need_components_that_are_independent():
    vehicle = one_servo()
    with pytest.raises(
        ModelError, match=r"'odd' do not choose tau_.* independently.*of 5 components they reach 4.\nChoose"
    ):
        tilt_force(vehicle)
    names = ("tau_x", "tau_y", "tau_z", "F_z")
    p = tilt_force(vehicle, components=names)
    wanted = np.array([0.1, 0.2, -0.1, QUAD.weight])
    F, theta = invert_tilt_force(p, wanted)
    assert theta.shape == (1,)
    assert_allclose(made_tilt_force(p, np.sqrt(F / p.kappa_F), theta), wanted, atol=1e-12)
    q, z = servos(vehicle.rotors), np.exp(0.1j)
    assert_allclose(tilt_force_response(p, q, 0.2, 1.0 + 0j), np.eye(4), atol=1e-12)
    assert tilt_force_response(p, q, 0.2, [z, z**2]).shape == (2, 4, 4)


def test_wishes_that_make_no_sense_are_refused():
    with pytest.raises(ModelError, match="no rotor of vehicle 'quadcopter' tilts"):
        tilt_force(QUAD)
    with pytest.raises(ModelError, match="radian"):
        tilt_force(TRI, tilt_limit=45)
    with pytest.raises(ModelError, match="half of the rate"):
        tilt_force(TRI, cutoff=120.0)
    with pytest.raises(ModelError, match=r"least, largest.* got \(7, 0.3\)"):
        tilt_force(TRI, thrust_limits=(7.0, 0.3))
    with pytest.raises(ModelError, match="tau_w"):
        wrench_rows(TRI, ["tau_w"])
    with pytest.raises(ModelError, match="different names"):
        wrench_rows(TRI, ["F_z", "F_z"])
    with pytest.raises(ModelError, match="Make both of one vehicle"):
        tilt_force_response(tilt_force(TRI), servos(TRI.rotors, 0.004), 0.0, 1.0)
