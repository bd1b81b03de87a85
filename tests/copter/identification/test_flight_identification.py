"""A flight tells the 17 unknowns that it is told to tell, from the equations of motion of the full model."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from visviva.copter import Drag, quadcopter, tricopter
from visviva.copter.force import invert_tilt_force, tilt_force
from visviva.copter.identification import identified_vehicle, identify_flight
from visviva.copter.models.equations import Equations
from visviva.errors import ModelError

T = 0.005
NOISE = {"R": np.deg2rad(0.1), "omega": 0.005, "v": 0.015, "speeds": 1.0, "tilts": np.deg2rad(0.1)}  # per sample


def wish(rng, size, low, high):
    """A sum of sines with random phases, of a size."""
    f, phase = np.linspace(low, high, 5), rng.uniform(0, 2 * np.pi, 5)
    return lambda t: size / 1.6 * np.sin(2 * np.pi * f * t + phase).sum() / np.sqrt(5) * 1.4


def pilot(vehicle, rng, still=False):
    """Wanted attitude and acceleration that stay near the origin, as thrusts and tilts."""
    size = 0.0 if still else 1.0
    ax, ay, az = (wish(rng, 4.0 * size, 0.15, 0.6) for _ in range(3))
    roll, pitch, yaw = (wish(rng, s * size, 0.1, 0.9) for s in (0.4, 0.4, 0.8))
    J, tri = np.diag(vehicle.inertia), bool(vehicle.tilting)
    inverse = np.linalg.pinv(vehicle.allocation())
    tilted = tilt_force(vehicle) if tri else None

    def law(t, R, r, V):
        a = np.array([ax(t), ay(t), 0.5 * az(t)]) - 1.5 * (R @ V[3:]) - 1.0 * r + [0, 0, vehicle.gravity]
        if tri:
            R_d = Rotation.from_euler("ZYX", [yaw(t), 0.5 * pitch(t), 0.5 * roll(t)]).as_matrix()
        else:
            z = a / np.linalg.norm(a)
            y = np.cross(z, [np.cos(yaw(t)), np.sin(yaw(t)), 0])
            y /= np.linalg.norm(y)
            R_d = np.column_stack([np.cross(y, z), y, z])
        E = R_d.T @ R
        e = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        f = np.concatenate(
            [-J * (np.array([60, 60, 12]) * e + np.array([14, 14, 6]) * V[:3]), vehicle.mass * (R.T @ a)]
        )
        if tri:
            return invert_tilt_force(tilted, f)
        low, high = np.transpose([rotor.thrusts for rotor in vehicle.rotors])
        return np.clip(inverse @ (f * [1, 1, 1, 0, 0, 1]), low, high), np.zeros(0)

    return law


@cache
def flight(name, seconds, seed=0, still=False):
    """Samples of a flight with the full model, without noise; RK4 with steps of a sample."""
    vehicle, rng = {"quad": quadcopter, "tri": tricopter}[name](), np.random.default_rng(seed)
    eqs, law = Equations(vehicle), pilot(vehicle, rng, still)
    n, s = round(seconds / T), len(vehicle.tilting)
    R, r, theta, xi = np.eye(3), np.zeros(3), vehicle.hover.tilts[list(vehicle.tilting)], np.zeros(eqs.size)
    xi[eqs.spins] = vehicle.hover.speeds
    found = {"R": np.empty((n, 3, 3)), "V": np.empty((n, 6)), "tilts": np.empty((n, s)), "rates": np.empty((n, s)),
             "speeds": np.empty((n, len(vehicle.rotors)))}  # fmt: skip
    k_M, kappa_T, tau = np.transpose([(x.k_M, x.kappa_T, x.tau_MB) for x in vehicle.rotors])
    kappa_F, P = np.transpose([(x.kappa_F, x.inertia) for x in vehicle.rotors])
    for k in range(n):
        found["R"][k], found["V"][k], found["tilts"][k] = R, xi[:6], theta
        found["rates"][k], found["speeds"][k] = xi[eqs.tilts], xi[eqs.spins]
        F, wanted = law(k * T, R, r, xi[:6])
        w = np.sqrt(F / kappa_F)
        i = (kappa_T * w**2 + tau + P * 40.0 * (w - xi[eqs.spins])) / k_M

        def slope(R, theta, xi, i=i, wanted=wanted):
            turn = np.array([[0, -xi[2], xi[1]], [xi[2], 0, -xi[0]], [-xi[1], xi[0], 0]])
            return R @ turn, R @ xi[3:6], xi[eqs.tilts], eqs.rates(R, theta, xi, i, wanted)

        x = (R, r, theta, xi)
        k1 = slope(x[0], x[2], x[3])
        k2 = slope(*(x[j] + T / 2 * k1[j] for j in (0, 2, 3)))
        k3 = slope(*(x[j] + T / 2 * k2[j] for j in (0, 2, 3)))
        k4 = slope(*(x[j] + T * k3[j] for j in (0, 2, 3)))
        R, r, theta, xi = (x[j] + T / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]) for j in range(4))
        U, _, Vt = np.linalg.svd(R)
        R = U @ Vt
    return vehicle, found


def measured(name, seconds, seed=0, noise=1.0, still=False):
    """Arguments of identify_flight."""
    vehicle, x = flight(name, seconds, seed, still)
    rng = np.random.default_rng(seed + 100)

    def noisy(values, size):
        return values + noise * size * rng.standard_normal(values.shape)

    n = len(x["V"])
    R = x["R"] @ Rotation.from_rotvec(noise * NOISE["R"] * rng.standard_normal((n, 3))).as_matrix()
    arguments = [vehicle, T * np.arange(n), R, noisy(x["V"][:, :3], NOISE["omega"]), noisy(x["V"][:, 3:], NOISE["v"]),
                 noisy(x["speeds"], NOISE["speeds"])]  # fmt: skip
    return arguments + ([noisy(x["tilts"], NOISE["tilts"]), x["rates"]] if vehicle.tilting else [])


def truth(vehicle):
    d, c, Y = np.diag(vehicle.drag.d), vehicle.drag.centre, np.diag(vehicle.drag.Upsilon)
    T_ = vehicle.inertia
    return dict(zip(("s_x", "s_y", "s_z"), vehicle.com, strict=True)) | {
        "Theta_xy": T_[0, 1], "Theta_xz": T_[0, 2], "Theta_yz": T_[1, 2], "d_x": d[0], "d_z": d[2], "l_z": c[2],
        "l_tilde_z": d[0] * c[2], "Upsilon_x": Y[0], "Upsilon_tilde_x": Y[0] + d[0] * c[2] ** 2, "Upsilon_z": Y[2],
    } | dict(zip(("tau_B_x", "tau_B_y", "tau_B_z", "F_B_x", "F_B_y", "F_B_z"), vehicle.bias, strict=True))  # fmt: skip


NAMES = ("s_x", "s_y", "s_z", "Theta_xy", "Theta_xz", "Theta_yz", "d_x", "d_z", "l_z", "Upsilon_x", "Upsilon_z",
         "tau_B_x", "tau_B_y", "tau_B_z", "F_B_x", "F_B_y", "F_B_z")  # fmt: skip


def check(found, true, skip=()):
    """The bounds of M4, and bias by the sizes that Table 5.1 has."""
    for name in ("s_x", "s_y", "s_z"):
        assert name in skip or found[name] == pytest.approx(true[name], abs=0.3e-3)
    for name in ("Theta_xy", "Theta_xz", "Theta_yz"):
        assert found[name] == pytest.approx(true[name], abs=0.2e-3)
    for name in ("d_x", "d_z"):
        assert found[name] == pytest.approx(true[name], rel=0.05)
    for name in ("tau_B_x", "tau_B_y", "tau_B_z"):
        assert found[name] == pytest.approx(true[name], abs=3e-3)
    for name in ("F_B_x", "F_B_y", "F_B_z"):
        assert found[name] == pytest.approx(true[name], abs=1e-2)
    assert found["l_z"] == pytest.approx(true["l_z"], abs=1e-3)
    assert found["Upsilon_x"] == pytest.approx(true["Upsilon_x"], abs=0.5e-3)
    assert found["Upsilon_z"] == pytest.approx(true["Upsilon_z"], abs=0.5e-3)


def test_a_short_flight_without_noise_tells_all_seventeen():
    vehicle, true = quadcopter(), truth(quadcopter())
    found = identify_flight(*measured("quad", 3.0, noise=0.0))
    for name in NAMES:
        # what is left is the trapezoidal rule where currents jump at each sample
        assert found[name] == pytest.approx(true[name], rel=2e-3, abs={"d": 1e-3, "F": 1e-3}.get(name[0], 5e-5))
    again = identified_vehicle(vehicle, found)
    assert_allclose(again.com, vehicle.com, atol=5e-5)
    assert_allclose(again.inertia, vehicle.inertia, atol=5e-6)
    assert_allclose(again.drag.matrix, vehicle.drag.matrix, atol=1e-3)
    assert found.residuals.shape == (600 - 50, 6)


def test_nothing_of_the_unknowns_is_taken_from_the_vehicle_that_is_given():
    vehicle, *rest = measured("quad", 3.0, noise=0.0)
    blank = replace(
        vehicle, com=[1e-3, 0, 0], inertia=np.diag(np.diag(vehicle.inertia)), bias=np.zeros(6),
        drag=Drag(0.9, np.zeros(3), np.zeros(3)),
    )  # fmt: skip
    found, other = identify_flight(vehicle, *rest), identify_flight(blank, *rest)
    assert_allclose([other[name] for name in NAMES], [found[name] for name in NAMES], rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_twenty_noisy_seconds_of_the_tricopter_tell_all_seventeen():
    vehicle, true = tricopter(), truth(tricopter())
    found = identify_flight(*measured("tri", 20.0))
    check(found, true)
    inside = [found.interval(name)[0] <= true[name] <= found.interval(name)[1] for name in NAMES]
    assert np.mean(inside) >= 0.8
    lacking = identify_flight(*measured("tri", 20.0)[:-1])  # rates of tilts are derived from tilts
    check(lacking, true)
    assert_allclose(identified_vehicle(vehicle, found).com, vehicle.com, atol=0.3e-3)


@pytest.mark.slow
def test_the_quadcopter_does_not_tell_the_height_of_its_centre_of_mass_from_that_of_its_drag():
    """Its only force across the rotors is drag: s_z and l_z act alike, but for noise."""
    arguments, true = measured("quad", 20.0), truth(quadcopter())
    with pytest.raises(ModelError, match=r"s_z by 1 m, l_tilde_z by 0\.3.* together .*\n.*take some of these as known"):
        identify_flight(*arguments)
    found = identify_flight(*arguments, known={"s_z": 0.0})
    check(found, true, skip=("s_z",))
    assert found["s_z"] == found.half_widths["s_z"] == 0.0


def test_a_hover_does_not_tell_much():
    with pytest.raises(ModelError, match="do not see this combination of unknowns"):
        identify_flight(*measured("quad", 1.0, still=True))


def test_flights_that_cannot_be_used_are_refused():
    vehicle, t, R, omega, v, speeds = measured("quad", 1.0, still=True)
    with pytest.raises(ModelError, match=r"omega \[rad/s\] must have shape \(200, 3\).*got \(3, 200\)"):
        identify_flight(vehicle, t, R, omega.T, v, speeds)
    with pytest.raises(ModelError, match=r"speeds must have shape \(200, 4\)"):
        identify_flight(vehicle, t, R, omega, v, speeds[:, :3])
    with pytest.raises(ModelError, match="looks like rpm"):
        identify_flight(vehicle, t, R, omega, v, speeds * 9.55)
    with pytest.raises(ModelError, match=r"'rotor1' turns with .* highest speed is 754"):
        identify_flight(vehicle, t, R, omega, v, speeds * 3)
    with pytest.raises(ModelError, match="looks like Hz"):
        identify_flight(vehicle, t, R, omega, v, speeds / (2 * np.pi))
    with pytest.raises(ModelError, match=r"'rotor1' turns with .* at most, and its lowest .*\n.*speed_unit='Hz'"):
        identify_flight(vehicle, t, R, omega, v, speeds / (2 * np.pi), speed_unit="rad/s")
    with pytest.raises(ModelError, match=r"times t \[s\] are 5 s apart.*\n.*in ms or µs"):
        identify_flight(vehicle, 1e3 * t, R, omega, v, speeds)
    with pytest.raises(ModelError, match=r"both whole numbers; got window=51, order=3\.0"):
        identify_flight(vehicle, t, R, omega, v, speeds, order=3.0)
    with pytest.raises(ModelError, match="must be rotations"):
        identify_flight(vehicle, t, 1.1 * R, omega, v, speeds)
    with pytest.raises(ModelError, match=r"must have shape \(200, 3, 3\)"):
        identify_flight(vehicle, t, R[:-1], omega, v, speeds)
    with pytest.raises(ModelError, match="'s_w'"):
        identify_flight(vehicle, t, R, omega, v, speeds, known={"s_w": 0.0})
    with pytest.raises(ModelError, match=r"give tilts \(n, 3\)"):
        identify_flight(tricopter(), t, R, omega, v, speeds[:, :3])
    with pytest.raises(ModelError, match="one period"):
        identify_flight(vehicle, np.delete(t, 7), R[1:], omega[1:], v[1:], speeds[1:])


def test_attitudes_that_do_not_turn_with_the_gyroscope_are_refused():
    """Of all these the fit makes numbers: 93 N of F_B with omega in degrees."""
    vehicle, t, R, omega, v, speeds = measured("quad", 3.0)
    inertial = np.einsum("tij,tj->ti", R, omega)
    for A, w in ((R, np.rad2deg(omega)), (np.swapaxes(R, 1, 2), omega), (R, inertial), (R * [1, -1, -1], omega)):
        with pytest.raises(ModelError, match=r"do not turn with omega: rates are off by .* rad/s of .*\n.*np\.deg2rad"):
            identify_flight(vehicle, t, A, w, v, speeds)
    vehicle, t, R, *rest = measured("quad", 1.0, still=True)  # noise of R alone turns it by 0.2 rad/s
    coarse = R @ Rotation.from_rotvec(0.03 * np.random.default_rng(0).standard_normal((len(t), 3))).as_matrix()
    with pytest.raises(ModelError, match="do not see"):
        identify_flight(vehicle, t, coarse, *rest)


def test_a_force_that_nothing_explains_is_told():
    """Speeds in Hz leave the weight to F_B, world axes of v the forces, and z down turns the weight around."""
    vehicle, *rest = measured("quad", 3.0, noise=0.0)
    t, R, omega, v, speeds = (signal[:300] for signal in rest)
    free = replace(vehicle, rotors=tuple(replace(rotor, speeds=(0.0, 754.0)) for rotor in vehicle.rotors))
    right = identify_flight(vehicle, t, R, omega, v, speeds)
    assert not any("unexplained" in told or "F_B" in told for told in right.remarks)
    hertz = identify_flight(free, t, R, omega, v, speeds / (2 * np.pi), speed_unit="rad/s")
    assert any("of a weight of 9.82 N" in told and "speed_unit" in told for told in hertz.remarks)
    assert "of a weight of 9.82 N" in str(hertz)
    down = np.array([1.0, -1.0, -1.0])
    turned = identify_flight(vehicle, t, R * np.outer(down, down), omega * down, v * down, speeds)
    assert any("F_B" in told and "NED and FRD" in told for told in turned.remarks)
    inertial = identify_flight(vehicle, t, R, omega, np.einsum("tij,tj->ti", R, v), speeds)
    assert any("v is not in axes of the body" in told for told in inertial.remarks)
