"""Small systems of every domain, built from the library, with their initial values."""

from __future__ import annotations

import numpy as np

from visviva.language import compose
from visviva.library import electric, friction, gas, hydraulic, rotation, thermal, translation
from visviva.library.quantities import angular_momentum


def oscillator(pe, m=1.0):
    boxes = {"pe": pe, "ke": translation.mass(m), "pkc": translation.kinematic()}
    return compose("oscillator", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}, outer=("p",))


def sliding(rub, m=1.0):
    """A mass that a friction law heats the environment with; its momentum is an outer port."""
    boxes = {"m": translation.mass(m), "rub": rub, "env": thermal.environment()}
    return compose("sliding", boxes, {"p": ("m.p", "rub.p"), "s": ("rub.s", "env.s")}, outer=("p",))


def brake(rub, c=2.0, k=0.3, inertia=0.5):
    """A rotor whose friction heats a disc that cools by conduction."""
    boxes = {
        "rotor": rotation.inertia(inertia),
        "rub": rub,
        "disc": thermal.capacity(c),
        "wall": thermal.conduction(k),
        "env": thermal.environment(),
    }
    junctions = {"p": ("rotor.p", "rub.p"), "disc": ("rub.s", "disc.s", "wall.s1"), "s": ("wall.s2", "env.s")}
    return compose("brake", boxes, junctions)


def bouncing(d=50.0):
    """A mass that falls between two stops that take energy out of it."""
    boxes = {
        "ke": translation.mass(1.0),
        "weight": translation.weight(1.0),
        "fall": translation.kinematic(),
        "stops": translation.stops(0.0, 2.0, k=2e3, width=1e-2),
        "touch": translation.kinematic(),
        "loss": translation.damped_stops(0.0, 2.0, k=2e3, d=d, width=1e-2),
        "env": thermal.environment(),
    }
    junctions = {
        "p": ("ke.p", "fall.p", "touch.p", "loss.p"),
        "height": ("weight.q", "fall.q"),
        "q": ("stops.q", "touch.q", "loss.q"),
        "s": ("loss.s", "env.s"),
    }
    return compose("bouncing", boxes, junctions)


def rlc(R=2.0, L=0.5, C=0.1, c=4.0, cap=None):
    """A series circuit whose resistor heats a body."""
    boxes = {
        "coil": electric.inductor(L),
        "cap": cap or electric.capacitor(C),
        "loop": electric.series(),
        "res": electric.resistor(R),
        "body": thermal.capacity(c),
    }
    junctions = {"phi": ("coil.phi", "loop.phi", "res.phi"), "q": ("cap.q", "loop.q"), "s": ("res.s", "body.s")}
    return compose("rlc", boxes, junctions, outer=("phi",))


def leaking(leak, C=1e-3):
    """A capacitor that loses its charge through something that heats the environment."""
    boxes = {"cap": electric.capacitor(C), "leak": leak, "env": thermal.environment()}
    return compose("leaking", boxes, {"q": ("cap.q", "leak.q"), "s": ("leak.s", "env.s")}, outer=("q",))


def charging(U=5.0, R=100.0, C=1e-3):
    """A battery charges a capacitor through a resistor: a loop without inductance."""
    boxes = {
        "battery": electric.voltage_source(U),
        "cap": electric.capacitor(C),
        "loop": electric.series(battery=-1, cap=1),
        "res": electric.resistor(R),
        "env": thermal.environment(),
    }
    junctions = {
        "phi": ("loop.phi", "res.phi"),
        "drawn": ("battery.q", "loop.battery"),
        "q": ("cap.q", "loop.cap"),
        "s": ("res.s", "env.s"),
    }
    return compose("charging", boxes, junctions)


def motor(U=12.0, L=2e-3, R=0.8, K=0.05, inertia=5e-4, d=1e-4):
    """A direct-current motor on a battery."""
    boxes = {
        "battery": electric.voltage_source(U),
        "loop": electric.series(battery=-1),
        "coil": electric.inductor(L),
        "winding": electric.resistor(R),
        "machine": electric.motor(K),
        "rotor": rotation.inertia(inertia),
        "bearing": rotation.damper(d),
        "env": thermal.environment(),
    }
    junctions = {
        "drawn": ("battery.q", "loop.battery"),
        "phi": ("loop.phi", "coil.phi", "winding.phi", "machine.phi"),
        "p": ("machine.p", "rotor.p", "bearing.p"),
        "s": ("winding.s", "bearing.s", "env.s"),
    }
    return compose("motor", boxes, junctions, outer=("p",))


def mixing(wall, a=None, b=None):
    """Two bodies that exchange heat."""
    boxes = {"a": a or thermal.capacity(2.0), "b": b or thermal.capacity(3.0, 280.0), "wall": wall}
    return compose("mixing", boxes, {"a": ("a.s", "wall.s1"), "b": ("b.s", "wall.s2")})


AIR = gas.IdealGas(n=1.0, V_ref=0.025)


def spring_of_gas(m=2.0, area=0.01):
    """A mass on a closed cylinder of gas, without heat exchange; its weight is a constant force."""
    boxes = {
        "air": AIR.system(),
        "piston": gas.piston(area),
        "mass": translation.mass(m),
        "push": translation.force(-900.0),
        "pkc": translation.kinematic(),
    }
    junctions = {
        "gas": ("air.gas", "piston.gas"),
        "heat": ("air.s",),
        "p": ("piston.p", "mass.p", "pkc.p"),
        "q": ("push.q", "pkc.q"),
    }
    return compose("gas spring", boxes, junctions)


def two_gases(rub=None, k=5.0):
    """A piston between two gases; its friction heats the left one, and heat passes through it."""
    boxes = {
        "a": AIR.system(),
        "b": AIR.system(),
        "left": gas.piston(0.01),
        "right": gas.piston(0.01, side=-1),
        "mass": translation.mass(2.0),
        "rub": rub or translation.damper(20.0),
        "wall": thermal.conduction(k),
    }
    junctions = {
        "ga": ("a.gas", "left.gas"),
        "gb": ("b.gas", "right.gas"),
        "p": ("left.p", "right.p", "mass.p", "rub.p"),
        "sa": ("a.s", "rub.s", "wall.s1"),
        "sb": ("b.s", "wall.s2"),
    }
    return compose("two gases", boxes, junctions)


def line(resistance, L=1e5, C=1e-8):
    """A vessel that empties through a pipe into another; the friction in it heats the environment."""
    boxes = {
        "a": hydraulic.compliance(C),
        "b": hydraulic.compliance(2 * C),
        "pipe": hydraulic.line(a=-1, b=1),
        "column": hydraulic.inertance(L),
        "friction": resistance,
        "env": thermal.environment(),
    }
    junctions = {
        "a": ("a.V", "pipe.a"),
        "b": ("b.V", "pipe.b"),
        "Gam": ("pipe.Gam", "column.Gam", "friction.Gam"),
        "s": ("friction.s", "env.s"),
    }
    return compose("line", boxes, junctions)


def press(area=0.01):
    """A constant pressure lifts a weight through a cylinder: pump, line, chamber, rod."""
    boxes = {
        "pump": hydraulic.pressure_source(2e5),
        "supply": hydraulic.line(pump=-1, chamber=1),
        "hose": hydraulic.laminar(1e7),
        "chamber": hydraulic.compliance(1e-9),
        "rod": hydraulic.cylinder(area),
        "mass": translation.mass(100.0),
        "weight": translation.weight(100.0),
        "pkc": translation.kinematic(),
        "env": thermal.environment(),
    }
    junctions = {
        "pump": ("pump.V", "supply.pump"),
        "Gam": ("supply.Gam", "hose.Gam"),
        "V": ("supply.chamber", "chamber.V", "rod.V"),
        "p": ("rod.p", "mass.p", "pkc.p"),
        "q": ("weight.q", "pkc.q"),
        "s": ("hose.s", "env.s"),
    }
    return compose("press", boxes, junctions)


def thinning(theta):
    return np.exp(-(theta - 300) / 40)


DRY = friction.coulomb(0.4, v_reg=0.05, d=0.01, of=angular_momentum, factor=thinning)
STICKY = friction.stribeck(1.0, 1.5, v_st=0.2, v_reg=0.02, d=0.1)
HOT_COLD = {"a": thermal.entropy(350.0, 2.0), "b": thermal.entropy(290.0, 3.0, 280.0)}
GASES = AIR.initial("a", "ga", 320.0, 0.03) | AIR.initial("b", "gb", 290.0, 0.02) | {"p": 0.0}

# by name: system, initial values, and a step of the size of its motion [s]
SYSTEMS = {
    "oscillator": (oscillator(translation.spring(4.0)), {"q": 1.0, "p": 0.0}, 0.3),
    "Duffing": (oscillator(translation.hard_spring(1.0, 3.0)), {"q": 1.0, "p": 0.0}, 0.3),
    "bouncing": (bouncing(), {"height": 1.0, "q": 1.0, "p": 0.0}, 0.02),
    "sliding": (sliding(STICKY), {"p": 1.0}, 0.1),
    "brake": (brake(DRY), {"p": 2.0, "disc": 0.0}, 0.1),
    "rlc": (rlc(), {"phi": 0.0, "q": 0.5, "s": 0.1}, 0.1),
    "nonlinear rlc": (rlc(cap=electric.nonlinear_capacitor(0.1, 50.0)), {"phi": 0.0, "q": 0.5, "s": 0.1}, 0.1),
    "diode": (leaking(electric.diode(1e-6)), {"q": 3e-4}, 0.1),
    "charging": (charging(), {"drawn": 0.0, "q": 0.0}, 0.1),
    "motor": (motor(), {"drawn": 0.0, "phi": 0.0, "p": 0.0}, 0.05),
    "mixing": (mixing(thermal.conduction(0.5)), HOT_COLD, 1.0),
    "gas spring": (spring_of_gas(), AIR.initial("air", "gas", 300.0, 0.02) | {"p": 0.0, "q": 0.0}, 0.05),
    "two gases": (two_gases(), GASES, 0.05),
    "line": (line(hydraulic.turbulent(1e13)), {"a": 1e-3, "b": 0.0, "Gam": 0.0}, 0.02),
    "press": (press(), {"pump": 0.0, "V": 1e-4, "p": 0.0, "q": 0.0}, 0.02),
}
