"""Vehicles: derived constants of Table 5.1, allocation, hover, and what is no multicopter."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter

QUAD, TRI = copter.quadcopter(), copter.tricopter()


def test_derived_constants_of_the_table():
    rotor, servo = QUAD.rotors[0], TRI.rotors[0].servo
    assert_allclose([rotor.p_P1, rotor.p_P2, rotor.p_P3], [6.806e-3, 291.67, 138.9], rtol=1e-3)
    assert_allclose([servo.p_S0, servo.p_S1], [1555.6, 73.33], rtol=1e-3)
    assert_allclose([np.sqrt(servo.p_S0), servo.p_S1 / (2 * np.sqrt(servo.p_S0))], [39.4, 0.93], rtol=2e-3)
    assert_allclose([QUAD.hover_speed, TRI.hover_speed], [412.9, 533.0], rtol=1e-3)
    assert_allclose(rotor.current(QUAD.hover_speed), 4.45, rtol=1e-3)
    assert_allclose(rotor.thrusts[1], 8.19, rtol=1e-3)
    assert_allclose([rotor.drag_length, TRI.drag.mean, QUAD.drag.mean], [0.01701, 0.343, 0.320], rtol=1e-3)


def test_the_servo_is_an_arm_and_a_rotor_behind_a_gear():
    servo = TRI.rotors[0].servo
    assert_allclose(servo.arm_inertia + servo.gear**2 * servo.rotor_inertia, servo.inertia, rtol=1e-12)
    assert_allclose(servo.arm_inertia + servo.gear * servo.rotor_inertia, servo.coupling, rtol=1e-12)
    assert 0 < servo.arm_inertia < servo.coupling


def test_allocation_of_the_quadcopter_is_that_of_the_text():
    l, c = 0.24, 2.45e-7 / 1.44e-5
    expected = [[0, l, 0, -l], [-l, 0, l, 0], [-c, c, -c, c], [0] * 4, [0] * 4, [1] * 4]
    assert_allclose(QUAD.allocation(), expected, atol=1e-15)


def test_allocation_of_the_tricopter_is_that_of_the_text_with_column_five_corrected():
    l, h, c, w = 0.24, -6e-3, 2.45e-7 / 1.44e-5, np.sqrt(3) / 2
    moments = [
        [w * l, 0, -w * l, h / 2 + w * c, -h, h / 2 + w * c],
        [-l / 2, l, -l / 2, w * h - c / 2, -c, c / 2 - w * h],
        [c, -c, -c, -l, -l, -l],
    ]
    forces = [[0, 0, 0, w, 0, -w], [0, 0, 0, -0.5, 1, -0.5], [1, 1, 1, 0, 0, 0]]
    B = TRI.split_allocation
    assert_allclose(B, moments + forces, atol=1e-15)
    assert_allclose(np.linalg.cond(B), 5.9, atol=0.05)


def test_allocation_is_that_of_the_full_model_at_any_tilt():
    """κ_F(l_A H_4 + h_A H_2) - κ_T H_3 diag(ε) of (5.9d), over κ_F."""
    theta, phi = np.array([0.3, -0.5, 0.7]), np.pi / 3 * np.array([1, 3, 5])
    s, c, st, ct = np.sin(phi), np.cos(phi), np.sin(theta), np.cos(theta)
    H2, H3 = np.array([c * st, s * st, 0 * s]), np.array([s * st, -c * st, ct])
    H4 = np.array([s * ct, -c * ct, -st])
    eps, ratio = np.array([-1, 1, 1]), 2.45e-7 / 1.44e-5
    expected = np.concatenate([0.24 * H4 - 6e-3 * H2 - ratio * H3 * eps, H3])
    assert_allclose(TRI.allocation(theta), expected, atol=1e-15)


@pytest.mark.parametrize("vehicle", [QUAD, TRI], ids=lambda v: v.name)
def test_hover_holds_the_weight_about_the_centre_of_mass(vehicle):
    hover = vehicle.hover
    wrench = vehicle.allocation(hover.tilts) @ hover.thrusts
    force = np.array([0, 0, vehicle.mass * 9.81])
    assert_allclose(wrench, [*np.cross(vehicle.com, force), *force], atol=1e-9)
    assert_allclose(hover.speeds, vehicle.hover_speed, rtol=0.02)


def test_drag_takes_energy_about_any_point():
    D = QUAD.drag.matrix
    assert_allclose(D, D.T)
    assert np.linalg.eigvalsh(D).min() > -1e-15
    assert_allclose(D[3:, 3:], np.diag([0.30, 0.30, 0.36]))
    twist = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.0])  # velocity of the centre of the drag: v + ω × l
    v = twist[3:] + np.cross(twist[:3], QUAD.drag.centre)
    assert_allclose(twist @ D @ twist, v @ np.diag([0.30, 0.30, 0.36]) @ v + 10e-3 * 0.5**2)


def test_any_ring_of_rotors_is_a_vehicle():
    one = QUAD.rotors[0]
    six = copter.ring(one, np.arange(6) * np.pi / 3, (1, -1) * 3, radius=0.3)
    hexa = replace(QUAD, name="hexa", rotors=six)
    assert_allclose(hexa.hover.thrusts.sum(), QUAD.weight)
    below = copter.ring(one, np.arange(4) * np.pi / 2, (-1, 1, -1, 1), radius=0.24, height=-0.05)
    below = tuple(replace(each, name=each.name + "_below") for each in below)
    coaxial = replace(QUAD, name="coaxial", rotors=QUAD.rotors + below)
    assert_allclose(coaxial.allocation() @ coaxial.hover.thrusts, QUAD.allocation() @ QUAD.hover.thrusts, atol=1e-9)
    a = np.radians(20)
    tilted = [
        replace(each, axis=np.array([0, s * np.sin(a), np.cos(a)])) for each, s in zip((one, one), (1, -1), strict=True)
    ]
    rotors = [copter.ring(tilted[i % 2], [i * np.pi / 3], [(-1) ** i], radius=0.3)[0] for i in range(6)]
    oblique = replace(QUAD, name="oblique", rotors=tuple(replace(r, name=f"r{i}") for i, r in enumerate(rotors)))
    assert np.linalg.matrix_rank(oblique.allocation()) == 6


def test_two_tilting_rotors_above_their_centre_of_mass_are_a_vehicle():
    """Both forwards pitch it, by the height over the centre of mass; at that height nothing does."""
    servo = replace(TRI.rotors[0].servo, axis=(0, 1, 0))
    rotor = replace(TRI.rotors[0], axis=(0, 0, 1), servo=servo)
    pair = [replace(rotor, name=name, position=(0, y, 0), spin=s) for name, y, s in (("l", 0.25, 1), ("r", -0.25, -1))]
    given = {"name": "bicopter", "mass": 1.0, "inertia": (0.03, 0.03, 0.02), "rotors": pair}
    hover = copter.Vehicle(**given, com=(0, 0, -0.1)).hover
    assert_allclose(hover.thrusts, 9.81 / 2)
    assert_allclose(hover.tilts, 0, atol=1e-12)
    with pytest.raises(ModelError, match="do not choose pitch moment independently"):
        copter.Vehicle(**given, com=(0, 0, 0))


def test_what_cannot_turn_is_refused():
    same = tuple(replace(rotor, spin=1) for rotor in QUAD.rotors)
    with pytest.raises(ModelError, match="yaw moment and lift independently"):
        replace(QUAD, rotors=same)
    adjacent = tuple(replace(rotor, spin=spin) for rotor, spin in zip(QUAD.rotors, (1, 1, -1, -1), strict=True))
    with pytest.raises(ModelError, match="roll moment and pitch moment and yaw moment"):
        replace(QUAD, rotors=adjacent)
    with pytest.raises(ModelError, match=r"cannot turn and rise.*3 rotors and 0 servos"):
        replace(QUAD, rotors=QUAD.rotors[:3])
    line = tuple(replace(rotor, position=rotor.position * [1, 0, 1]) for rotor in QUAD.rotors)
    with pytest.raises(ModelError, match="roll moment"):
        replace(QUAD, rotors=line)
    with pytest.raises(ModelError, match="has no rotors"):
        replace(QUAD, rotors=())


def test_what_cannot_hover_is_refused_with_its_units():
    with pytest.raises(ModelError, match=r"cannot hover.*lift 32.74 N.*weighs 49.05 N"):
        replace(QUAD, mass=5.0, inertia=5 * QUAD.inertia)
    rpm = tuple(replace(rotor, kappa_F=1.44e-5 * (np.pi / 30) ** 2) for rotor in QUAD.rotors)
    with pytest.raises(ModelError, match=r"(?s)lift 0.359\d N.*per rpm².*91.19"):
        replace(QUAD, rotors=rpm)
    ahead = tuple(replace(rotor, axis=np.array([0.6, 0.0, 0.8])) for rotor in QUAD.rotors)
    with pytest.raises(ModelError, match=r"cannot hover upright.*a force of \("):
        replace(QUAD, rotors=ahead)
    with pytest.raises(ModelError, match="beyond its range"):
        replace(QUAD, com=np.array([0.23, 0, 0]), inertia=np.diag([0.02, 0.1, 0.1]))


def test_wrong_signs_and_axes_are_named():
    rotor = QUAD.rotors[0]
    for changed, said in [
        ({"kappa_T": -2.45e-7}, "kappa_T of rotor 'rotor1' must be positive.*spin"),
        ({"spin": 2}, r"spin of rotor 'rotor1' is \+1"),
        ({"axis": (0, 0, 2)}, "length one"),
        ({"speeds": (700, 100)}, r"\(lowest, highest\)"),
        ({"speeds": (-700, 700)}, "must not be negative"),
    ]:
        with pytest.raises(ModelError, match=said):
            replace(rotor, **changed)
    with pytest.raises(ModelError, match="positive semidefinite"):
        copter.Drag(0.3, np.zeros(3), np.array([-1.5e-3, 0, 0]))
    with pytest.raises(ModelError, match="in radian"):
        replace(TRI.rotors[0].servo, range=(-75, 75))
    with pytest.raises(ModelError, match=r"leaves .* to its arm"):
        replace(TRI.rotors[0].servo, coupling=0.0001)
    with pytest.raises(ModelError, match="right angles"):
        replace(TRI.rotors[0], axis=np.array([0.5, np.sqrt(0.75), 0]))
    with pytest.raises(ModelError, match="names of their own"):
        replace(QUAD, rotors=QUAD.rotors + QUAD.rotors[:1])
    with pytest.raises(ModelError, match="3 of them with servos"):
        TRI.allocation([0.1, 0.2])
    with pytest.raises(ModelError, match="has no servo"):
        QUAD.allocation([0.1] * 4)
