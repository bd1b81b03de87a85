"""Options of vehicles and their surroundings: closed forms, the same in all models, and accounts that close."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError, RunWarning, control, copter
from visviva.copter.energy.energy_account import SPENT
from visviva.copter.energy.powers import ROWS, WAKES, powers
from visviva.copter.models import gyrostat as own
from visviva.copter.models.plant import advance_plant, matrix, plant_memory, plant_start, prepare, put_rates
from visviva.copter.models.rigid_rotors import RigidRotors, follow
from visviva.copter.vehicles.battery import put_driven, supply
from visviva.copter.vehicles.blades import ground_factor
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.geometry import SO3

QUAD, TRI = copter.quadcopter().without_bias(), copter.tricopter().without_bias()
BLADES = {"drag": 1e-4, "inflow": 2e-4, "flapping": 1.5, "hub": 3e-6, "radius": 0.12}
CELL = copter.Battery(voltage=(9.9, 12.6), resistance=0.03, capacity=2.2)
BOTH = pytest.mark.parametrize("vehicle", [QUAD, TRI], ids=lambda v: v.name)


def equipped(vehicle: copter.Vehicle, **options: float) -> copter.Vehicle:
    return replace(vehicle, rotors=tuple(replace(rotor, **options) for rotor in vehicle.rotors))


def drawn(vehicle: copter.Vehicle, seed: int):
    rng, s = np.random.default_rng(seed), len(vehicle.tilting)
    n = len(vehicle.rotors)
    xi = np.concatenate([rng.normal(size=6 + s), rng.uniform(200, 600, n)])
    return SO3.exp(rng.normal(size=3)).R, rng.uniform(-0.6, 0.6, s), xi, rng.uniform(2, 30, n), rng.normal(size=s)


def hovering(z: float) -> copter.Manoeuvre:
    return copter.Manoeuvre("hover", QUAD, control.pose(control.hold(np.array([0, 0, z]), 0.05), np.eye(3)))


def hop() -> copter.Manoeuvre:
    up = control.polynomial(np.array([0, 0, 1.0]), np.array([0, 0, 1.1]), 0.4, degree=9)
    return copter.Manoeuvre("hop", QUAD, control.pose(up, np.eye(3)))


# -- closed forms ---------------------------------------------------------------------------------------------------


def test_lagging_rotors_answer_a_step_exponentially_whatever_the_step():
    """ϖ = ϖ_U + (ϖ0 - ϖ_U) e^{-t/T}; the mean of ϖ² is its integral."""
    T, start, wanted = 0.03, 300.0, 500.0
    one = follow(start, wanted, T, 0.05)
    speed, squares = start, []
    for _ in range(5000):
        speed, square = follow(speed, wanted, T, 1e-5)
        squares.append(square)
    assert_allclose(one, (wanted - 200 * np.exp(-0.05 / T), np.mean(squares)), rtol=1e-12)
    assert follow(start, wanted, 0.0, 0.05) == (wanted, wanted**2)


def test_forces_of_blades_are_those_of_the_formulas():
    """Thrust tilts against the motion and lifts the nose; climbing takes thrust: at 4 m/s ahead and 1 m/s up."""
    vehicle = equipped(replace(QUAD, drag=copter.Drag(0.0, np.zeros(3), np.zeros(3))), **(BLADES | {"radius": 0.0}))
    equations, w, kappa = copter.Equations(vehicle), 400.0, QUAD.rotors[0].kappa_F
    xi = np.array([0, 0, 0, 4.0, 0, 1.0, w, w, w, w])
    found = (equations.forces(np.eye(3), (), xi, np.zeros(4)) - copter.Equations(QUAD).forces(
        np.eye(3), (), [0, 0, 0, 0, 0, 0, w, w, w, w], np.zeros(4)))[:6]  # fmt: skip
    thrust = kappa * w**2 - 2e-4 * w
    across = 1e-4 * w + 1.5 * thrust / w
    assert_allclose(found, [0, -4 * 3e-6 * w * 4, 0, -4 * across * 4, 0, -4 * 2e-4 * w], rtol=1e-12, atol=1e-12)


def test_near_the_ground_a_hover_takes_less_speed():
    """G = 16/15 at z = R, 4/3 at and below R/2, 1 far away."""
    R = 0.12
    assert_allclose([ground_factor(R, z, 1.0) for z in (R, R / 2, 0.1 * R)], [16 / 15, 4 / 3, 4 / 3])
    assert ground_factor(R, np.inf, 1.0) == 1.0
    level = replace(equipped(QUAD, radius=R), com=np.zeros(3))
    equations, hover = copter.Equations(level), level.hover
    speeds = hover.speeds / np.sqrt(16 / 15)
    xi = np.concatenate([np.zeros(6), speeds])
    currents = [rotor.current(w) for rotor, w in zip(level.rotors, speeds, strict=True)]
    assert np.abs(equations.rates(np.eye(3), (), xi, currents, height=R)).max() < 1e-9
    assert equations.rates(np.eye(3), (), xi, currents)[5] < -0.5


def test_a_battery_sags_by_its_current_at_a_hover():
    """By hand: 4.4497 A in each motor at 4.780 V, U I = 85.1 W, U² - 12.6 U + 0.03 · 85.1 = 0."""
    flies = replace(QUAD, battery=CELL)
    hover, p = flies.hover, own.gyrostat(flies)
    power = float(np.sum(0.1 * hover.currents**2 + 0.0105 * hover.currents * hover.speeds))
    U = 6.3 + np.sqrt(6.3**2 - 0.03 * power)
    flows = np.empty(4)
    found = supply(12.6, 0.03, p.k_M, p.resistance, hover.speeds, np.array(hover.currents), flows)
    assert_allclose(found, (U, power / U), rtol=1e-12)
    assert_allclose(power, 85.1, atol=0.2)
    assert_allclose(CELL.current(power), power / U, rtol=1e-12)
    assert_allclose(flows, hover.currents, rtol=1e-12)


def test_no_motor_draws_more_than_the_voltage_that_is_left_drives():
    rng, limited = np.random.default_rng(0), 0
    for _ in range(200):
        n, U_0, R_B = rng.integers(1, 9), rng.uniform(6, 16), rng.uniform(0, 0.2)
        R, k, w, i = (rng.uniform(*ends, n) for ends in ((0.02, 0.3), (0.005, 0.02), (0, 800), (-5, 60)))
        flows = np.empty(n)
        U, drawn_current = supply(U_0, R_B, k, R, w, i, flows)
        assert_allclose(U, U_0 - R_B * drawn_current, rtol=1e-12)
        assert_allclose(flows, np.minimum(i, (U - k * w) / R), rtol=1e-12)
        higher = np.linspace(U, U + 5, 50)[1:, None]
        left = U_0 - higher[:, 0] - R_B * np.minimum((R * i + k * w) * i / higher, (higher - k * w) / R).sum(axis=1)
        assert (left < 0).all()  # U is the highest that a battery can have
        limited += bool((flows < i).any())
    assert 50 < limited < 200


def test_a_weak_battery_limits_speeds_where_they_can_be_held():
    weak = replace(QUAD, battery=copter.Battery(6.5, 0.05, 2.2))
    p = own.gyrostat(weak)
    held, light = np.full(4, 700.0), np.array(weak.hover.speeds)
    put_driven(p, held)
    put_driven(p, light)
    i = (p.kappa_T * held**2 + p.tau_MB) / p.k_M
    u = p.resistance * i + p.k_M * held
    assert_allclose(u, 6.5 - 0.05 * i.sum(), rtol=1e-9)
    assert held.max() < 600
    assert_allclose(light, weak.hover.speeds, rtol=1e-12)


def test_turbulence_has_drydens_correlation_and_its_seed():
    """Along e^{-τ V/L}, across (1 - τ V/2L) e^{-τ V/L}, with σ²; gusts along the mean wind."""
    wind = copter.Turbulence((0, 4.0, 0), sigma=(1.5, 1.0, 0.5), length=(20.0, 10.0, 8.0), seed=3)
    for lag in (0.0, 0.5, 2.0):
        x = lag * 4.0 / wind.length
        expected = wind.sigma**2 * np.exp(-x) * [1.0, 1 - x[1] / 2, 1 - x[2] / 2]
        assert np.abs((wind.correlation(lag) - expected) / wind.sigma**2).max() < 0.01
    t = np.linspace(0, 2000, 20001)
    blown = np.array([wind(x) for x in t])
    assert_allclose(blown.mean(axis=0), [0, 4, 0], atol=0.1)
    assert_allclose(blown.std(axis=0), [1.0, 1.5, 0.5], rtol=0.05)
    assert_allclose(replace(wind)(1.0), wind(1.0))
    assert np.abs(replace(wind, seed=4)(1.0) - wind(1.0)).max() > 0.01


# -- one physics in all models -----------------------------------------------------------------------------------


@BOTH
def test_steady_wind_is_a_flight_in_a_moving_frame(vehicle):
    """Galilei: v - w is that of still air, and r - w t to the order of a step; blades, drag, tilts take part."""
    p, w = own.gyrostat(equipped(vehicle, **BLADES)), np.array([3.0, -2.0, 1.0])
    tilts, hover = 0.2 * np.ones(len(vehicle.tilting)), vehicle.hover
    start = plant_start(np.zeros(3), SO3.exp([0.2, -0.1, 0.3]).R, tilts, 1.1 * hover.speeds)
    at = 7 + len(tilts)
    start[at : at + 3] = 1.0, -2.0, 0.5

    def apart(h):
        still, windy = start.copy(), start.copy()
        windy[at + 3 : at + 6] += matrix(windy, 3).T @ w
        for x, wind in ((still, np.zeros(3)), (windy, w)):
            memory, air = plant_memory(p), np.append(wind, np.inf)
            prepare(p, x, h, memory)
            for _ in range(round(0.2 / h)):
                advance_plant(p, x, h, np.array(hover.currents), -tilts, np.zeros(3), memory, air)
        windy[at + 3 : at + 6] -= matrix(windy, 3).T @ w
        assert_allclose(windy[3:], still[3:], rtol=1e-9, atol=1e-9)
        assert np.linalg.norm(still[:3]) > 0.05
        return windy[:3] - 0.2 * w - still[:3]

    coarse, fine = apart(2e-3), apart(1e-3)
    assert np.abs(fine).max() < 1e-6
    assert_allclose(coarse, 4 * fine, rtol=0.02)


@BOTH
def test_plant_equations_and_rigid_rotors_have_the_same_forces(vehicle):
    flies = replace(equipped(vehicle, **BLADES), battery=copter.Battery(8.0, 0.05, 2.2))
    R, theta, xi, currents, wanted = drawn(flies, 5)
    r, w, ground = np.array([0.1, 0.2, 0.3]), np.array([3.0, -2.0, 1.0]), 0.1
    equations, p = copter.Equations(flies), own.gyrostat(flies)
    forces = equations.forces(R, theta, xi, currents, wanted, wind=w, height=r[2] - ground)
    x = np.concatenate([r, SO3(R).as_quat(), theta, xi])
    memory = plant_memory(p)
    put_rates(p, x, currents, wanted, np.zeros(3), memory, np.append(w, -ground))
    assert_allclose(memory.f, np.linalg.solve(equations.M(theta), forces - equations.c(theta, xi)))

    around = Surroundings(w, ground)
    thrusts = p.kappa_F * xi[equations.spins] ** 2
    rotors = RigidRotors(replace(flies, battery=None), _Asks(flies, thrusts, theta), 1e-3, 1e-3, around, steps=1)
    now = {"craft.R": R, "craft.r": r, "craft.twist": xi[:6]}
    read = type("Read", (), {"t": 0.0, "__getitem__": lambda self, name: now[name]})()
    given = rotors(read)
    pushed, drag = given["rotors"], copter.rigid_air(flies, wind=w)(read)["craft_air"]
    assert_allclose(given["craft_air"], drag)
    weight = -flies.weight * R[2]
    here = np.concatenate([np.cross(flies.com, weight + drag[3:]) + drag[:3], weight + drag[3:]])
    assert_allclose(pushed + here, forces[:6], rtol=1e-9, atol=1e-9)


class _Asks:
    """A law that wants thrusts at tilts."""

    def __init__(self, vehicle, thrusts, theta):
        self.wrench = vehicle.allocation(theta if len(theta) else None) @ thrusts

    def inputs(self, t, y):
        return self.wrench

    def reset(self):
        pass


def test_rotors_with_options_that_do_nothing_fly_as_rotors_without():
    plain, same = copter.fly(hop()), copter.fly(hop(), equipped(QUAD, radius=1e-6), ground=0.0)
    assert plain.rotors is None
    assert_allclose(same.run["craft.r"], plain.run["craft.r"], atol=1e-9)
    assert_allclose(same.thrusts, plain.thrusts, atol=1e-7)


def test_lag_costs_what_it_delays():
    """About T v of a climb, less what the law makes up for."""
    at_once, late = copter.fly(hop()), copter.fly(hop(), equipped(QUAD, lag=0.03))
    assert late.figures.e_r > 3 * at_once.figures.e_r
    assert late.errors["e_r"].max() < 0.03 * late.figures.v
    assert_allclose(late.rotors.speeds[-1], QUAD.hover.speeds, rtol=0.01)


# -- accounts -----------------------------------------------------------------------------------------------------


@BOTH
def test_powers_add_up_at_any_state(vehicle):
    """ξ·f is what motors, servos and wind give, less what the rest takes; bias, battery and tilts among it."""
    flies = replace(equipped(vehicle, **BLADES), bias=copter.quadcopter().bias, battery=copter.Battery(9.0, 0.1, 2.2))
    p, n = own.gyrostat(flies), len(flies.rotors)
    for seed in range(5):
        R, theta, xi, currents, wanted = drawn(flies, seed)
        H, slopes, around = np.empty((n, 3)), np.empty((n, 3)), np.array([2.0, -3.0, 1.0, 0.1])
        own.directions(p, theta, H, slopes)
        every = powers(p, R, H, xi, currents, wanted, around)
        found = dict(zip(ROWS, every, strict=False))
        falls = -flies.weight * R[2] @ (xi[3:6] + np.cross(xi[:3], flies.com))
        stored = xi @ own.applied(p, R, H, theta, xi, currents, wanted, around) - falls
        stored += p.k_P * theta @ xi[6 : 6 + len(theta)]
        given = sum(found[name] for name in ("motors", "servos", "bias", "wind"))
        taken = stored + sum(found[name] for name in SPENT) + every[WAKES:].sum()
        scale = sum(abs(value) for value in found.values())
        assert abs(given - taken) < 1e-12 * scale
        assert abs(found["battery"] - found["motors"] - found["battery resistance"]) < 1e-12 * scale
        assert min(abs(found[name]) for name in ("wind", "blades", "battery resistance")) > 0.1


def _closes(energy, scale=1e-12):
    rows = [energy.get(name, 0.0) for name in ("electrical", "servos", "wind")]
    taken = [energy.get(name, 0.0) for name in ("stored", "wake", "drag", "blades", "bearings", "winding")]
    assert_allclose(sum(rows), sum(taken), atol=scale * energy["electrical"][-1])
    assert_allclose(energy["battery"], energy["electrical"] + energy["sag"], atol=1e-12 * energy["battery"][-1])


def test_a_hover_in_gusts_by_the_mechanism_closes_its_account():
    """Wind and currents at ticks; inside of steps steady wind, which makes the same motion to the order of the hold."""
    flies = replace(equipped(QUAD, **BLADES), battery=CELL)
    m, hover = copter.mechanism(flies), flies.hover
    motors = copter.motors(flies)
    start = {f"{rotor.name}_spin.rate": w for rotor, w in zip(flies.rotors, hover.speeds, strict=True)}
    gusty = copter.Turbulence((3.0, 1.0, 0.0), 1.0, 10.0)
    ends = []
    for wind in (gusty, (3.0, 1.0, 0.0)):
        law = copter.air(flies, wind=wind, ground=-0.15)
        ticks = vv.Sampled(lambda now, law=law: law(now) | motors(now, hover.currents), period=1e-3)
        run = vv.simulate(m, t_end=0.1, h=1e-3, initial=start, sampled=ticks, integrator=vv.RK4())
        energy = copter.energies(run, flies, wind=wind)
        _closes(energy)
        ends.append(run["craft.twist"][-1])
    assert_allclose(energy["wind"][-1], 0.1 * 10 * 0.4, rtol=0.5)  # drag and blades, 0.4 kg/s, at 3.2 m/s
    law, held = copter.air(flies, wind=(3.0, 1.0, 0.0), ground=-0.15), hover.currents
    torques = {f"{rotor.name}_motor": rotor.k_M * i for rotor, i in zip(flies.rotors, held, strict=True)}
    run = vv.simulate(
        m, t_end=0.1, h=1e-3, initial=start, inputs=lambda t, x: law(x) | torques, integrator=vv.RK4()
    )  # fmt: skip
    _closes(copter.energies(run, flies, wind=(3.0, 1.0, 0.0)))
    assert_allclose(run["craft.twist"][-1], ends[1], atol=2e-4)
    assert np.abs(ends[0] - ends[1]).max() > 0.01


def test_a_flight_with_all_options_closes_its_account_and_tells_of_its_battery():
    flies = replace(equipped(QUAD, **BLADES, lag=0.02), battery=CELL)
    flight = copter.fly(hop(), flies, wind=copter.Turbulence((2.0, 0.0, 0.0), 0.5, 10.0), ground=0.5)
    energy = copter.energies(flight)
    _closes(energy)
    assert energy["wind"][-1] != 0
    assert "% left" in str(flight)
    assert flight.figures.e_r < 0.1


@pytest.mark.slow
def test_a_flight_by_sensors_is_blown_by_the_wind_of_its_steps_and_tells_of_its_battery():
    flies = replace(equipped(copter.quadcopter(), **BLADES), battery=CELL)
    gusty = copter.Turbulence((2.0, 1.0, 0.0), 0.5, 10.0)
    flight = copter.fly("transitions", flies, sensors=copter.Sensors(), wind=gusty, ground=0.0)
    flown = flight.t >= 0
    middle = flight.t[flown] + 5e-4
    assert_allclose(flight.record.air[flown, 0, :3], [gusty(t) for t in middle], atol=1e-9)
    assert "% left" in str(flight)
    assert flight.audit().is_closed
    assert flight.errors["e_r"].max() < 0.2


@pytest.mark.slow
def test_wind_of_a_function_is_the_same_wind_for_agents():
    sensors = copter.Sensors()
    steady = copter.fly("transitions", sensors=sensors, wind=(2.0, 1.0, 0.0))
    asked = copter.fly("transitions", sensors=sensors, wind=lambda t, r: (2.0, 1.0, 0.0))
    assert_allclose(asked.record.x, steady.record.x, atol=1e-12)
    assert steady.errors["e_r"].max() < 0.2
    places = []
    copter.fly("transitions", sensors=sensors, wind=lambda t, r: places.append((t, *r)) or (0, 0, 0))
    assert_allclose(np.ptp(np.array(places)[:, 1]), 2.0, atol=0.05)
    with pytest.raises(ZeroDivisionError):
        copter.fly("transitions", sensors=sensors, wind=lambda t, r: (1 / 0, 0, 0) if t > 1 else (0, 0, 0))


# -- what cannot be -------------------------------------------------------------------------------------------------


def test_low_flights_are_warned_of():
    low = equipped(QUAD, radius=0.12)
    with pytest.warns(RunWarning, match=r"0\.4\d? of its radius above the ground"):
        copter.fly(hovering(0.05), low, ground=0.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: equipped(QUAD, lag=-0.1), "lag of rotor 'rotor1'"),
        (lambda: copter.fly("flip", wind=(1, 2)), "wind"),
        (lambda: copter.fly("flip", wind="north"), "a function wind"),
        (lambda: copter.fly("flip", wind=lambda t: (0, 0, 0)), "this one fails"),
        (lambda: copter.fly("flip", wind=lambda t, r: (0, 0, np.nan)), "must be finite"),
        (lambda: copter.fly("flip", ground=0.0), "have none: give each"),
        (lambda: copter.fly(hovering(0.05), equipped(QUAD, radius=0.1), ground=1.0), "into the ground at z = 1 m"),
        (lambda: copter.fly("flip", equipped(QUAD, lag=0.02), h=3e-3), "whole number of steps"),
        (lambda: copter.Turbulence((0, 0, 0), 1.0, 10.0), "speed="),
        (lambda: copter.Turbulence((1, 0, 0), -1.0, 10.0), "sigma"),
        (lambda: copter.Turbulence((1, 0, 0), 1.0, 0.0), "length"),
        (lambda: copter.Battery((12.6, 9.9), 0.03, 2.2), "empty, full"),
        (lambda: copter.Battery(12.6, 0.03, 2.2, charge=90), "share from 0 to 1"),
        (lambda: replace(QUAD, battery=12.6), "copter.Battery"),
        (lambda: replace(equipped(QUAD, resistance=0.0), battery=CELL), "windings, and rotor 'rotor1' has none"),
        (lambda: replace(QUAD, battery=copter.Battery(5.0, 0.05, 2.2)), "cannot hover on its battery"),
        (lambda: copter.Equations(QUAD).forces(np.eye(3), (), np.zeros(10), np.zeros(4), height=np.nan), "height"),
        (lambda: copter.air(QUAD, wind=lambda t, r: (0, 0, 0))({}), "asked at ticks"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
