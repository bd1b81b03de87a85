"""Numbers that no such component can have are refused, by name; so is what would add energy."""

from __future__ import annotations

import pytest

import visviva as vv
from visviva.library import electric, friction, gas, hydraulic, rotation, thermal, translation

NUMBERS = {
    "m of a mass [kg] must be positive, got -1": lambda: translation.mass(-1.0),
    "k of a spring [N/m] must be positive, got 0": lambda: translation.spring(0.0),
    "k of a hard spring [N/m] must be at least 0": lambda: translation.hard_spring(-1.0, 1.0),
    "k3 of a hard spring [N/m³] must be positive": lambda: translation.hard_spring(1.0, -1.0),
    "m of a weight [kg] must be positive": lambda: translation.weight(0.0),
    "d of a damper [N s/m] must be positive, got -0.1": lambda: translation.damper(-0.1),
    "a lever of ratio 0 would hold its port a": lambda: translation.lever(0.0),
    "sign of 'b' in a kinematic coupling must be 1 or -1": lambda: translation.kinematic(a=1, b=2),
    "a kinematic coupling has a port 'q' of its own": lambda: rotation.kinematic(q=1),
    "stops from 1 to 0 m leave no room": lambda: translation.stops(1.0, 0.0, 1.0, 0.1),
    "k of stops [N/m] must be positive": lambda: translation.stops(0.0, 1.0, -1.0, 0.1),
    "width of stops [m] must be positive": lambda: translation.stops(0.0, 1.0, 1.0, 0.0),
    "k of damped stops [N/m] must be positive": lambda: translation.damped_stops(0.0, 1.0, -1.0, 1.0, 0.1),
    "d of damped stops [N s/m²] must be positive": lambda: translation.damped_stops(0.0, 1.0, 1.0, -1.0, 0.1),
    "width of damped stops [m] must be positive": lambda: translation.damped_stops(0.0, 1.0, 1.0, 1.0, -0.1),
    "low end of stops [m] must be finite": lambda: translation.stops(float("nan"), 1.0, 1.0, 0.1),
    "high end of stops [m] must be finite": lambda: translation.stops(0.0, float("inf"), 1.0, 0.1),
    "parameter 'F' of the energy H of a storage must be finite": lambda: translation.force(float("nan")),
    "parameter 'tau' of the energy H of a storage must be finite": lambda: rotation.torque(float("nan")),
    "moment of inertia [kg m²] must be positive": lambda: rotation.inertia(0.0),
    "k of a torsion spring [N m/rad] must be positive": lambda: rotation.spring(-2.0),
    "m of a pendulum [kg] must be positive": lambda: rotation.pendulum(-1.0, 1.0),
    "length of a pendulum [m] must be positive": lambda: rotation.pendulum(1.0, 0.0),
    "d of a rotational damper [N m s/rad] must be positive": lambda: rotation.damper(0.0),
    "a gear of ratio 0 would hold its port a": lambda: rotation.gear(0.0),
    "radius of a pinion [m] must be positive": lambda: rotation.rack(-0.1),
    "L of an inductor [H] must be positive": lambda: electric.inductor(0.0),
    "C of a capacitor [F] must be positive": lambda: electric.capacitor(-1e-6),
    "C of a nonlinear capacitor [F] must be positive": lambda: electric.nonlinear_capacitor(0.0, 1.0),
    "b of a nonlinear capacitor [V/C³] must be positive": lambda: electric.nonlinear_capacitor(1.0, -1.0),
    "R of a resistor [Ω] must be positive": lambda: electric.resistor(-5.0),
    "G of a conductor [S] must be positive": lambda: electric.conductor(0.0),
    "i_s of a diode [A] must be positive": lambda: electric.diode(-1e-9),
    "v_T of a diode [V] must be positive": lambda: electric.diode(1e-9, 0.0),
    "U of a voltage source [V] must be finite": lambda: electric.voltage_source(float("nan")),
    "i of a current source [A] must be finite": lambda: electric.current_source(float("inf")),
    "a transformer of ratio 0 would cut its loop b off": lambda: electric.transformer(0.0),
    "a motor of constant K = 0 couples nothing": lambda: electric.motor(0.0),
    "sign of 'a' in a series connection must be 1 or -1": lambda: electric.series(a=0),
    "a parallel connection has a port 'q' of its own": lambda: electric.parallel(q=1),
    "heat capacity c [J/K] must be positive": lambda: thermal.capacity(0.0),
    "theta_ref [K] must be positive": lambda: thermal.capacity(1.0, -10.0),
    "temperature theta [K] must be positive (absolute), got -20": lambda: thermal.entropy(-20.0, 1.0),
    "exponent n of a heat capacity must be positive": lambda: thermal.power_law_capacity(1.0, 0.0),
    "temperature theta [K] must be positive (absolute), got 0": lambda: thermal.power_law_entropy(0.0, 1.0, 3.0),
    "k of conduction [W/K] must be positive": lambda: thermal.conduction(-1.0),
    "h of convection [W/(m² K)] must be positive": lambda: thermal.convection(0.0, 1.0),
    "area of convection [m²] must be positive": lambda: thermal.convection(1.0, -1.0),
    "h of forced convection [W/(m² K)] must be positive": lambda: thermal.forced_convection(-1.0, 1.0, 1.0),
    "area of forced convection [m²] must be positive": lambda: thermal.forced_convection(1.0, 0.0, 1.0),
    "v_half of forced convection [m/s] must be positive": lambda: thermal.forced_convection(1.0, 1.0, 0.0),
    "exponent n of forced convection must be positive": lambda: thermal.forced_convection(1.0, 1.0, 1.0, -0.8),
    "theta0 of an environment [K] must be positive": lambda: thermal.environment(0.0),
    "n of an ideal gas [mol] must be positive": lambda: gas.IdealGas(n=0.0),
    "c_v of an ideal gas [J/(mol K)] must be positive": lambda: gas.IdealGas(n=1.0, c_v=-1.0),
    "theta_ref of an ideal gas [K] must be positive": lambda: gas.IdealGas(n=1.0, theta_ref=0.0),
    "V_ref of an ideal gas [m³] must be positive": lambda: gas.IdealGas(n=1.0, V_ref=-1.0),
    "temperature theta of a gas [K] must be positive": lambda: gas.IdealGas(n=1.0).entropy(-3.0, 1.0),
    "volume V of a gas [m³] must be positive": lambda: gas.IdealGas(n=1.0).initial("a", "g", 300.0, 0.0),
    "states (s, V) of a gas must have shape (2,)": lambda: gas.IdealGas(n=1.0).pressure([1.0, 2.0, 3.0]),
    "area of a piston [m²] must be positive": lambda: gas.piston(0.0),
    "side of a piston must be 1": lambda: gas.piston(1.0, side=2),
    "C of a compliance [m³/Pa] must be positive": lambda: hydraulic.compliance(0.0),
    "area of a tank [m²] must be positive": lambda: hydraulic.tank(0.0),
    "rho of a tank [kg/m³] must be positive": lambda: hydraulic.tank(1.0, rho=0.0),
    "g of a tank [m/s²] must be positive": lambda: hydraulic.tank(1.0, g=-9.81),
    "L of an inertance [Pa s²/m³] must be positive": lambda: hydraulic.inertance(-1.0),
    "R of a laminar resistance [Pa s/m³] must be positive": lambda: hydraulic.laminar(0.0),
    "viscosity eta [Pa s] must be positive": lambda: hydraulic.poiseuille(0.0, 1.0, 1.0),
    "length of a pipe [m] must be positive": lambda: hydraulic.poiseuille(1.0, -1.0, 1.0),
    "radius of a pipe [m] must be positive": lambda: hydraulic.poiseuille(1.0, 1.0, 0.0),
    "b of a turbulent resistance [Pa s²/m⁶] must be positive": lambda: hydraulic.turbulent(-1.0),
    "p of a pressure source [Pa] must be finite": lambda: hydraulic.pressure_source(float("nan")),
    "Q of a flow source [m³/s] must be finite": lambda: hydraulic.flow_source(float("nan")),
    "area of a cylinder [m²] must be positive": lambda: hydraulic.cylinder(0.0),
    "sign of 'a' in a line must be 1 or -1": lambda: hydraulic.line(a=3),
    "a node has a port 'V' of its own": lambda: hydraulic.node(V=1),
    "d of viscous friction [N s/m] must be positive": lambda: friction.viscous(0.0),
    "F_c of Coulomb friction [N] must be positive": lambda: friction.coulomb(-1.0, v_reg=0.1),
    "v_reg of Coulomb friction [m/s] must be positive": lambda: friction.coulomb(1.0, v_reg=0.0),
    "d of Coulomb friction [N s/m] must be at least 0": lambda: friction.coulomb(1.0, v_reg=0.1, d=-1.0),
    "F_s of Stribeck friction [N] must be at least 1": lambda: friction.stribeck(1.0, 0.5, v_st=1.0, v_reg=0.1),
    "v_st of Stribeck friction [m/s] must be positive": lambda: friction.stribeck(1.0, 2.0, v_st=-1.0, v_reg=0.1),
    "v_st = 0.1 m/s of Stribeck friction must be larger": lambda: friction.stribeck(1.0, 2.0, v_st=0.1, v_reg=0.2),
}


@pytest.mark.parametrize(("message", "make"), NUMBERS.items(), ids=NUMBERS)
def test_a_number_that_cannot_be_is_refused_by_name(message, make):
    with pytest.raises(vv.ModelError) as refused:
        make()
    assert str(refused.value).startswith(message)


def test_friction_that_would_drive_is_refused():
    with pytest.raises(vv.ModelError, match="must be positive semidefinite: it has an eigenvalue below zero"):
        friction.viscous(1.0, factor=lambda theta: 1 - theta / 300)
    with pytest.raises(vv.ModelError, match="must be positive semidefinite"):
        friction.coulomb(1.0, v_reg=0.1, factor=lambda theta: -1)


def test_a_factor_that_cannot_be_traced_is_refused():
    with pytest.raises(vv.ModelError, match="cannot be traced: it compares a state with something"):
        friction.viscous(1.0, factor=lambda theta: 1.0 if theta > 300 else 2.0)


def test_only_matching_quantities_meet():
    from visviva.language import compose

    with pytest.raises(vv.ModelError, match=r"m\.p of quantity \(R, momentum\) with d\.p of quantity"):
        compose("mixed up", {"m": translation.mass(1.0), "d": rotation.damper(1.0)}, {"p": ("m.p", "d.p")})
