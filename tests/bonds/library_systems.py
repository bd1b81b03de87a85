"""A composite for each primitive system of the library, with states to start from by junction."""

from __future__ import annotations

import numpy as np

from visviva.language import compose
from visviva.library import electric, friction, gas, hydraulic, rotation, stops, thermal, translation
from visviva.library.diode import diode
from visviva.library.quantities import angular_momentum

ENV = {"env": thermal.environment(290.0)}
BODY = {"body": thermal.capacity(2.0)}


def point(name, boxes, joins, q=0.1, p=0.4, **more):
    """A mass on a spring with further boxes at its displacement q, its momentum p and the heat s."""
    parts = {"spring": translation.spring(3.0), "mass": translation.mass(1.2), "kin": translation.kinematic(), **boxes}
    ends = {"q": ["spring.q", "kin.q"], "p": ["mass.p", "kin.p"]}
    for junction, end in joins:
        ends.setdefault(junction, []).append(end)
    return compose(name, parts, {junction: tuple(each) for junction, each in ends.items()}), {"q": q, "p": p, **more}


def heated(name, box, *, s=0.05, state=False):
    boxes = {name: box, **BODY}
    joins = [("p", f"{name}.p"), ("s", f"{name}.s"), ("s", "body.s")] + ([("q", f"{name}.q")] if state else [])
    return point(name, boxes, joins, s=s)


def own_junction(name, box):
    """A storage of displacement with a junction of its own, moved by the mass."""
    boxes = {name: box, "more": translation.kinematic()}
    return point(name, boxes, [("y", f"{name}.q"), ("y", "more.q"), ("p", "more.p")], y=0.2)


def turning(name, boxes, joins, **start):
    parts = {"J": rotation.inertia(0.3), "k": rotation.spring(2.0), "kin": rotation.kinematic(), **boxes}
    ends = {"q": ["k.q", "kin.q"], "p": ["J.p", "kin.p"]}
    for junction, end in joins:
        ends.setdefault(junction, []).append(end)
    return compose(name, parts, {junction: tuple(each) for junction, each in ends.items()}), {
        "q": 0.1,
        "p": 0.2,
        **start,
    }


def circuit(name, boxes, joins, **start):
    parts = {"L": electric.inductor(0.5), "C": electric.capacitor(0.2), "ser": electric.series(), **boxes}
    ends = {"phi": ["L.phi", "ser.phi"], "q": ["C.q", "ser.q"]}
    for junction, end in joins:
        ends.setdefault(junction, []).append(end)
    return compose(name, parts, {junction: tuple(each) for junction, each in ends.items()}), {
        "phi": 0.1,
        "q": 0.3,
        **start,
    }


def line(name, boxes, joins, **start):
    parts = {"C": hydraulic.compliance(0.2), "I": hydraulic.inertance(0.7), "line": hydraulic.line(), **boxes}
    ends = {"V": ["C.V", "line.V"], "Gam": ["I.Gam", "line.Gam"]}
    for junction, end in joins:
        ends.setdefault(junction, []).append(end)
    return compose(name, parts, {junction: tuple(each) for junction, each in ends.items()}), {
        "V": 0.3,
        "Gam": 0.1,
        **start,
    }


def warm(name, box, *, to="env"):
    parts = {"a": thermal.capacity(2.0), name: box, **ENV}
    return compose(name, parts, {"s": ("a.s", f"{name}.s1"), "t": (f"{name}.s2", f"{to}.s")}), {"s": 0.4}


def blown():
    boxes = {"a": thermal.capacity(2.0), "air": thermal.forced_convection(3.0, 0.2, 0.5), **ENV}
    return point(
        "blown", boxes, [("s", "a.s"), ("s", "air.s1"), ("t", "air.s2"), ("t", "env.s"), ("p", "air.p")], s=0.3
    )


def two_bodies():
    parts = {"a": thermal.capacity(2.0), "b": thermal.power_law_capacity(1.5, 0.5), "w": thermal.conduction(0.8)}
    return compose("two bodies", parts, {"s": ("a.s", "w.s1"), "t": ("b.s", "w.s2")}), {"s": 0.4, "t": 1.2}


def rack():
    boxes = {"rack": rotation.rack(0.2), "J": rotation.inertia(0.3)}
    return point("rack", boxes, [("p", "rack.a"), ("w", "rack.b"), ("w", "J.p")], w=0.3 * 0.4 / 1.2 / 0.2)


def gear():
    boxes = {"gear": rotation.gear(3.0), "K": rotation.inertia(0.2)}
    return turning("gear", boxes, [("p", "gear.a"), ("w", "gear.b"), ("w", "K.p")], w=0.2 * 0.2 / 0.3 / 3.0)


def transformer():
    boxes = {"T": electric.transformer(2.0), "M": electric.inductor(0.3)}
    return circuit("transformer", boxes, [("phi", "T.a"), ("b", "T.b"), ("b", "M.phi")], b=0.3 * 0.1 / 0.5 * 2.0)


def cylinder():
    boxes = {"cyl": hydraulic.cylinder(0.5), "C": hydraulic.compliance(0.2)}
    return point("cylinder", boxes, [("p", "cyl.p"), ("V", "cyl.V"), ("V", "C.V")], V=0.05)


LIBRARY = {
    "weight": lambda: own_junction("weight", translation.weight(1.0)),
    "force": lambda: own_junction("force", translation.force(0.7)),
    "hard_spring": lambda: own_junction("hard", translation.hard_spring(2.0, 5.0)),
    "stops": lambda: own_junction("stops", stops.stops(-0.1, 0.3, 50.0, 0.02)),
    "damped_stops": lambda: heated("stops", stops.damped_stops(-0.1, 0.3, 50.0, 5.0, 0.02), state=True),
    "damper": lambda: heated("d", translation.damper(0.2)),
    "viscous": lambda: heated("d", friction.viscous(0.2)),
    "viscous that thaws": lambda: heated("d", friction.viscous(0.2, factor=lambda theta: np.exp(0.01 * (theta - 300)))),
    "coulomb": lambda: heated("d", friction.coulomb(0.3, v_reg=0.1)),
    "stribeck": lambda: heated("d", friction.stribeck(0.3, 0.5, v_st=0.4, v_reg=0.1, d=0.1)),
    "pendulum": lambda: turning(
        "pend",
        {"g": rotation.pendulum(1.0, 0.5), "more": rotation.kinematic()},
        [("th", "g.q"), ("th", "more.q"), ("p", "more.p")],
        th=0.5,
    ),
    "torque": lambda: turning(
        "torque",
        {"g": rotation.torque(0.4), "more": rotation.kinematic()},
        [("th", "g.q"), ("th", "more.q"), ("p", "more.p")],
        th=0.0,
    ),
    "rotational damper": lambda: turning(
        "turn", {"d": rotation.damper(0.1), **BODY}, [("p", "d.p"), ("s", "d.s"), ("s", "body.s")], s=0.0
    ),
    "friction of a shaft": lambda: turning(
        "shaft",
        {"d": friction.coulomb(0.1, v_reg=0.2, of=angular_momentum), **BODY},
        [("p", "d.p"), ("s", "d.s"), ("s", "body.s")],
        s=0.0,
    ),
    "gear": gear,
    "rack": rack,
    "voltage source": lambda: circuit(
        "u",
        {"u": electric.voltage_source(2.0), "more": electric.series(u=-1)},
        [("qu", "u.q"), ("qu", "more.u"), ("phi", "more.phi")],
        qu=0.0,
    ),
    "current source": lambda: circuit(
        "i",
        {"i": electric.current_source(0.5), "par": electric.parallel()},
        [("fi", "i.phi"), ("fi", "par.phi"), ("q", "par.q")],
        fi=0.0,
    ),
    "nonlinear capacitor": lambda: circuit(
        "n",
        {"n": electric.nonlinear_capacitor(0.3, 2.0), "more": electric.series()},
        [("qn", "n.q"), ("qn", "more.q"), ("phi", "more.phi")],
        qn=0.2,
    ),
    "resistor": lambda: circuit(
        "r", {"r": electric.resistor(0.4), **ENV}, [("phi", "r.phi"), ("s", "r.s"), ("s", "env.s")]
    ),
    "conductor": lambda: circuit(
        "g", {"g": electric.conductor(0.4), **ENV}, [("q", "g.q"), ("s", "g.s"), ("s", "env.s")]
    ),
    "diode": lambda: circuit(
        "d", {"d": diode(1e-3, 0.5), **BODY}, [("q", "d.q"), ("s", "d.s"), ("s", "body.s")], s=0.0
    ),
    "transformer": transformer,
    "tank": lambda: line(
        "tank",
        {"t": hydraulic.tank(1000.0), "more": hydraulic.line(V=-1)},
        [("Vt", "t.V"), ("Vt", "more.V"), ("Gam", "more.Gam")],
        Vt=0.2,
    ),
    "laminar": lambda: line(
        "lam", {"r": hydraulic.laminar(0.4), **ENV}, [("Gam", "r.Gam"), ("s", "r.s"), ("s", "env.s")]
    ),
    "turbulent": lambda: line(
        "tur", {"r": hydraulic.turbulent(2.0), **BODY}, [("Gam", "r.Gam"), ("s", "r.s"), ("s", "body.s")], s=0.0
    ),
    "pressure source": lambda: line(
        "pump",
        {"u": hydraulic.pressure_source(2.0), "more": hydraulic.line(u=-1)},
        [("Vu", "u.V"), ("Vu", "more.u"), ("Gam", "more.Gam")],
        Vu=0.0,
    ),
    "flow source": lambda: line(
        "pump",
        {"i": hydraulic.flow_source(0.5), "node": hydraulic.node()},
        [("Gi", "i.Gam"), ("Gi", "node.Gam"), ("V", "node.V")],
        Gi=0.0,
    ),
    "cylinder": cylinder,
    "conduction": lambda: warm("w", thermal.conduction(0.5)),
    "convection": lambda: warm("w", thermal.convection(5.0, 0.1)),
    "forced convection": blown,
    "two bodies": two_bodies,
}


def two_gases():
    air = gas.IdealGas(n=1.0)
    boxes = {
        "a": air.system(),
        "b": air.system(),
        "left": gas.piston(0.01),
        "right": gas.piston(0.01, side=-1),
        "piston": translation.mass(5.0),
        "seal": friction.viscous(60.0),
        "wall": thermal.conduction(40.0),
    }
    junctions = {
        "ga": ("a.gas", "left.gas"),
        "gb": ("b.gas", "right.gas"),
        "p": ("left.p", "right.p", "piston.p", "seal.p"),
        "sa": ("a.s", "seal.s", "wall.s1"),
        "sb": ("b.s", "wall.s2"),
    }
    start = air.initial("a", "ga", theta=350.0, V=0.03) | air.initial("b", "gb", theta=280.0, V=0.02) | {"p": 0.0}
    return compose("two gases", boxes, junctions), start
