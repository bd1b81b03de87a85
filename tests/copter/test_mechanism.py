"""The full model: as equations, as bodies that turn, and the energy that goes through it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError, copter
from visviva.geometry import SO3
from visviva.views.mechanism_solids import solid_of

QUAD, TRI = copter.quadcopter(), copter.tricopter()
BOTH = pytest.mark.parametrize("vehicle", [QUAD, TRI], ids=lambda v: v.name)


def smooth(vehicle: copter.Vehicle) -> copter.Vehicle:
    """Without the dry friction of bearings, which the mechanism regularises."""
    return replace(vehicle, rotors=tuple(replace(rotor, tau_MB=0.0) for rotor in vehicle.rotors))


def drawn(equations: copter.Equations, seed: int):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-0.6, 0.6, len(equations.vehicle.tilting))
    xi = rng.normal(size=equations.size)
    xi[equations.spins] = rng.uniform(200, 600, len(equations.vehicle.rotors))
    return theta, xi, SO3.exp(rng.normal(size=3)).R


@BOTH
def test_inertia_is_positive_and_coriolis_forces_do_no_work(vehicle):
    equations = copter.Equations(vehicle)
    for seed in range(5):
        theta, xi, _ = drawn(equations, seed)
        assert np.linalg.eigvalsh(equations.M(theta)).min() > 0
        c = equations.c(theta, xi)
        power = xi @ (0.5 * equations.M_rate(theta, xi) @ xi - c)
        assert abs(power) < 1e-12 * np.abs(xi * c).sum()


def test_rate_of_the_inertia_is_that_of_its_tilts():
    equations = copter.Equations(TRI)
    theta, xi, _ = drawn(equations, 3)
    h = 1e-4
    step = h * xi[equations.tilts]
    differences = (equations.M(theta + step) - equations.M(theta - step)) / (2 * h)
    assert_allclose(equations.M_rate(theta, xi), differences, atol=1e-9 * np.abs(differences).max() + 1e-12)


def bladed(vehicle: copter.Vehicle) -> copter.Vehicle:
    """With all options of rotors, one of them larger than the others."""
    options = {"drag": 1e-4, "inflow": 2e-4, "flapping": 1.5, "hub": 3e-6, "radius": 0.12}
    first, *others = (replace(rotor, **options) for rotor in vehicle.rotors)
    return replace(vehicle, rotors=(replace(first, drag=2e-4, radius=0.2), *others))


@pytest.mark.parametrize(
    ("vehicle", "around"),
    [
        (QUAD, {}),
        (TRI, {}),
        (bladed(QUAD), {"wind": (3.0, -2.0, 1.0), "ground": 0.1}),
        (bladed(TRI), {"wind": (3.0, -2.0, 1.0), "ground": 0.1}),
    ],
    ids=["quadcopter", "tricopter", "quadcopter with options", "tricopter with options"],
)
def test_bodies_that_turn_have_the_equations_of_gyrostats(vehicle, around):
    own = smooth(vehicle)
    equations, m = copter.Equations(own), copter.mechanism(own)
    d = vv.dynamics(m)
    theta, xi, R = drawn(equations, 7)
    names = {f"craft.rate[{k}]": xi[k] for k in range(6)}
    q = dict(zip((f"craft.q[{k}]" for k in range(7)), [0.1, 0.2, 0.3, *SO3(R).as_quat()], strict=True))
    u, currents, wanted = dict.fromkeys(d.input_names, 0.0), [], []
    for j, i in enumerate(own.tilting):
        name, servo = own.rotors[i].name, own.rotors[i].servo
        rate = xi[equations.tilts][j]
        names |= {f"{name}_tilt.rate": rate, f"{name}_turn.rate": servo.gear * rate}
        q |= {f"{name}_tilt.q": theta[j], f"{name}_turn.q": servo.gear * theta[j]}
        wanted.append(0.1 * (j + 1))
        u[f"{name}_servo"] = servo.k_P * wanted[-1]
    for j, rotor in enumerate(own.rotors):
        names[f"{rotor.name}_spin.rate"] = xi[equations.spins][j]
        q[f"{rotor.name}_spin.q"] = 1.0 + j
        currents.append(3.0 + j)
        u[f"{rotor.name}_motor"] = rotor.k_M * currents[-1]
    read = {"craft.twist": xi[:6], "craft.r": [q["craft.q[0]"], q["craft.q[1]"], q["craft.q[2]"]], "craft.R": R}
    found = copter.air(own, **around)({**read, **q, **names})
    for port, wrench in found.items():
        u |= {f"{port}[{k}]": value for k, value in enumerate(wrench)}
    v = [names[name] for name in d.names]
    a = d.forward([q[name] for name in d.q_names], v, [u[name] for name in d.input_names])
    kept = [name for name in d.names if "_turn" not in name]
    near = {"wind": around["wind"], "height": q["craft.q[2]"] - around["ground"]} if around else {}
    expected = equations.rates(R, theta, xi, currents, wanted, **near)
    order = [f"craft.rate[{k}]" for k in range(6)]
    order += [f"{own.rotors[i].name}_tilt.rate" for i in own.tilting]
    order += [f"{rotor.name}_spin.rate" for rotor in own.rotors]
    assert sorted(order) == sorted(kept)
    by_name = dict(zip(d.names, a, strict=True))
    assert_allclose([by_name[name] for name in order], expected, rtol=1e-9, atol=1e-7)
    plain = equations.rates(R, theta, xi, currents, wanted)
    assert not around or np.abs(expected - plain)[3:6].min() > 0.1


def test_energy_is_kept_without_drag_and_inputs():
    own = smooth(QUAD)
    m = copter.mechanism(own)
    start = {f"{rotor.name}_spin.rate": 400.0 for rotor in own.rotors} | {
        "craft.twist": (3.0, -2.0, 1.0, 1.0, 0.5, 2.0)
    }
    run = vv.simulate(m, t_end=0.5, h=1e-3, initial=start, integrator=vv.DOP853(tolerance=None))
    energy = run["energy"]
    assert np.ptp(energy) < 1e-8 * abs(energy).max()
    assert np.linalg.norm(run["craft.twist"][-1] - run["craft.twist"][0]) > 1.0


@BOTH
def test_simplified_and_full_model_hover_with_the_same_thrusts(vehicle):
    """Biases aside; each within two per cent, by the balance of moments about a centre of mass 2 mm off."""
    full, simple = vehicle.without_bias().hover, vehicle.simplified().hover
    assert_allclose(full.thrusts, simple.thrusts, rtol=0.02)
    equations = copter.Equations(vehicle.without_bias())
    xi = np.zeros(equations.size)
    xi[equations.spins] = full.speeds
    tilts = full.tilts[list(vehicle.tilting)]
    rates = equations.rates(np.eye(3), tilts, xi, full.currents, tilts)
    assert np.abs(rates).max() < 1e-9


def test_hover_of_the_quadcopter_feeds_the_wake_and_the_bearings():
    """69 W and 8 W of electrical work; nothing else but the winding takes any."""
    own = QUAD.without_bias()
    m, hover = copter.mechanism(own), own.hover
    law = copter.air(own)
    held = {f"{rotor.name}_motor": rotor.k_M * i for rotor, i in zip(own.rotors, hover.currents, strict=True)}
    start = {f"{rotor.name}_spin.rate": w for rotor, w in zip(own.rotors, hover.speeds, strict=True)}
    run = vv.simulate(m, t_end=0.1, h=1e-3, initial=start, inputs=lambda t, x: law(x) | held, integrator=vv.RK4())
    energy = copter.energies(run, own)
    assert_allclose(energy["wake"][-1] / 0.1, 69.0, rtol=5e-3)
    assert_allclose(energy["bearings"][-1] / 0.1, 8.26, rtol=5e-3)
    assert_allclose(energy["winding"][-1] / 0.1, 0.1 * (hover.currents**2).sum(), rtol=1e-9)
    paid = energy["stored"] + sum(energy[name] for name in ("wake", "bearings", "winding", "drag"))
    assert_allclose(energy["electrical"], paid, atol=1e-12 * energy["electrical"][-1] + 1e-12)
    assert np.linalg.norm(run["craft.r"][-1]) < 1e-6


def test_small_motions_about_hover_have_the_poles_of_the_propellers():
    """-2 p_P1 ϖ, to 1 % by the body that gives way; and the fall of what nothing controls."""
    own = QUAD.without_bias()
    m, hover, law = copter.mechanism(own), own.hover, copter.air(own)
    held = {f"{rotor.name}_motor": rotor.k_M * i for rotor, i in zip(own.rotors, hover.currents, strict=True)}
    start = {f"{rotor.name}_spin.rate": w for rotor, w in zip(own.rotors, hover.speeds, strict=True)}
    loop = vv.linearise(m, start, inputs=["rotor1_motor"], operating=lambda t, x: law(x) | held, steady=True)
    fast = np.sort(loop.poles().real)[:4]
    assert_allclose(fast, np.sort(-2 * own.rotors[0].p_P1 * hover.speeds), rtol=0.01)
    assert loop.poles().real.max() > 0.3


def test_currents_and_servos_of_a_tricopter_come_from_a_law_at_ticks():
    """The air is solved in steps beside it, and electrical work goes where it goes, to rounding."""
    own = TRI.without_bias()
    m, hover, law = copter.mechanism(own), own.hover, copter.air(own)
    names = [rotor.name for rotor in own.rotors]
    start = {f"{name}_spin.rate": w for name, w in zip(names, hover.speeds, strict=True)}
    given = {f"{name}_motor": own.rotors[0].k_M * i for name, i in zip(names, hover.currents, strict=True)}
    given |= {f"{name}_servo": 1400.0 * x for name, x in zip(names, hover.tilts, strict=True)}
    inside = {port: (lambda t, x, port=port: law(x)[port]) for port in ("craft_air", *(f"{n}_air" for n in names))}
    run = vv.simulate(
        m, t_end=0.2, h=5e-4, initial=start, inputs=inside, sampled=vv.Sampled(lambda now: given, period=5e-3)
    )
    energy = copter.energies(run, own)
    paid = sum(energy[name] for name in ("stored", "wake", "drag", "bearings", "winding"))
    assert_allclose(energy["electrical"] + energy["servos"], paid, atol=1e-12 * energy["electrical"][-1])
    assert_allclose(run["rotor1_tilt.q"][-1], hover.tilts[0], atol=1e-3)
    assert energy["servos"][-1] > 0.1


def test_a_wake_that_would_give_energy_back_is_told():
    """Above κ_T ϖ/κ_F = 7.0 m/s along the axis at the speeds of a hover."""
    own = QUAD.without_bias()
    m, law = copter.mechanism(own), copter.air(own)
    for climb, told in ((6.0, False), (9.0, True)):
        start = {f"{rotor.name}_spin.rate": own.hover_speed for rotor in own.rotors}
        start["craft.twist"] = (0, 0, 0, 0, 0, climb)
        run = vv.simulate(m, t_end=2e-3, h=1e-3, initial=start, inputs=lambda t, x: law(x), integrator=vv.RK4())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            copter.energies(run, own)
        assert bool(caught) == told
        assert all("the air drives 'rotor" in str(each.message) for each in caught)


@pytest.mark.parametrize("radius", [0.0, 0.13])
def test_propellers_are_discs_of_their_radius_that_do_not_overlap(radius):
    """Distance of neighbours √2 · 0.24 m."""
    quad = copter.quadcopter()
    own = replace(quad, rotors=[replace(rotor, radius=radius) for rotor in quad.rotors])
    bodies = {body.name: body for body in copter.mechanism(own).definition.bodies}
    for rotor in own.rotors:
        solid = solid_of(bodies[rotor.name])
        assert solid.kind == "cylinder"
        assert_allclose(solid.half.max(), radius or 0.45 * np.sqrt(2) * 0.24, rtol=1e-9)


def test_a_vehicle_is_one_line_and_the_way_to_its_picture_is_told():
    quad = copter.quadcopter()
    assert repr(quad) == "Vehicle('quadcopter', 1.001 kg, 4 rotors, arm 0.24 m)"
    with pytest.raises(ModelError, match=r"got Vehicle\('quadcopter'.*\n.*\n.*vv\.copter\.mechanism\(vehicle\)"):
        vv.draw(quad)
