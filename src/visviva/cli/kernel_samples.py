"""Calls of every kernel with every layout of arguments that it is called with: what is shipped follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import visviva as vv
from visviva import copter
from visviva.cli.samples import arm, oscillator
from visviva.control.quadratic_program import QuadraticProgram
from visviva.demo.boxed_arm import boxed_arm
from visviva.demo.motor import at_rest, motor_loop
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.integrate import AbstractIntegrator
from visviva.library import boxes

DIRECTORS: tuple[AbstractIntegrator, ...] = (
    vv.PHMP(),
    vv.PHMPGGL(),
    vv.LieMidpoint(),
    vv.Suzuki4(vv.PHMP(), allow_dissipation=True),
)
TREES: tuple[AbstractIntegrator, ...] = (
    vv.RK4(), vv.DOP853(), vv.DOP853(tolerance=None), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8(),
)  # fmt: skip
NETWORKS: tuple[AbstractIntegrator, ...] = (
    vv.DiscreteGradient(), vv.EnergyCollocation(), vv.Suzuki4(vv.DiscreteGradient()),
)  # fmt: skip
SPAN: dict[str, Any] = {"t_end": 0.03, "h": 0.01}


def machine(kind: str, losses: bool = False) -> vv.Mechanism:
    """Two bodies and a motor: a tree of joints, a loop of hinges, a graph that no tree can be found for, and one whose
    coordinates are coupled.
    """
    m = vv.Mechanism(kind, gravity=(0, 0, -9.81))
    inertia = (0.1, 0.2, 0.3)
    a = m.body("a", mass=1.0, inertia=inertia, at=(0.5, 0, 0))
    b = m.body("b", mass=1.0, inertia=inertia, at=(1.0, 0, -0.5))
    hinge = m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), friction=_friction(losses))
    if kind == "graph":
        m.cylindrical("elbow", a, b, at=(1, 0, 0), axis=(0, 0, 1))
    else:
        m.revolute("elbow", a, b, at=(1, 0, 0), axis=(0, 1, 0))
    if kind == "loop":
        m.body("c", mass=1.0, inertia=inertia, at=(0.5, 0, -1.0))
        m.revolute("wrist", b, "c", at=(1, 0, -1), axis=(0, 1, 0))
        m.revolute("base", "c", m.ground, at=(0, 0, -1), axis=(0, 1, 0))
    if kind == "coupled":
        m.gear("gear", "hinge", "elbow", ratio=2.0)
    m.frame("tool", b, at=(1, 0, -1))
    m.torque("motor", hinge)
    m.spring("spring", m.ground, b, k=1.0, length=0.5, at_a=(0, 0, 0.3))
    return m


def _friction(losses: bool) -> Any:
    return vv.friction.coulomb(0.1, v_reg=0.01) if losses else 0.1


def steps(kind: str, losses: bool, fed: bool) -> None:
    """Steps of one kind of mechanism, in every scheme."""
    m = machine(kind, losses)
    law: Any = {"motor": lambda t, x: -x["hinge.q"] - 0.1 * x["hinge.rate"]}
    for scheme in DIRECTORS:
        run = vv.simulate(m, integrator=scheme, inputs=law if fed else {"motor": 0.1}, **SPAN)
        vv.simulate(m, t_end=0.3, h=0.01, integrator=scheme, record=("b.r",))  # goes on from states of the loop itself
        for name in ("b.twist", "tool.r", "hinge.q", "hinge.rate", "hinge.reaction"):
            run[name]


def elements() -> None:
    """Springs of every kind that the builder has ready, so that their laws are met."""
    m = vv.Mechanism("elements", gravity=(0, 0, -9.81))
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 1, 0))
    m.torsion("coil", "hinge", k=3.0)
    m.stop("stop", "hinge", -1.0, 1.0, stiffness=100.0, damping=1.0)
    m.bushing("rubber", "a", "b", K=np.diag([30.0, 31.0, 32.0, 300.0, 310.0, 320.0]))
    for scheme in DIRECTORS[:3]:
        vv.simulate(m, integrator=scheme, **SPAN)


def boxes_on_joints() -> None:
    """Boxes of the language in a tree and in a loop, and motors, nodes and gears of the builder beside friction."""
    loop = machine("loop", True)
    loop.box("drive", boxes.thermal_motor(0.6, 2e-3, 0.08, capacity=15.0, conductance=0.5), {"shaft": "elbow"})
    driven = machine("coupled", True)
    driven.thermal("winding", capacity=60.0, conductance_to_environment=0.5)
    driven.motor("drive", "hinge", resistance=0.8, inductance=1e-3, k=0.06, heat_to="winding")
    for m, port in ((boxed_arm(), "motor"), (loop, "drive"), (driven, "drive")):
        for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()):
            vv.simulate(m, integrator=scheme, inputs={port: 12.0}, **SPAN)
            vv.simulate(m, integrator=scheme, inputs={port: lambda t: 12.0 * np.sin(t)}, **SPAN)


def in_hand(kind: str) -> None:
    """Single steps, readings, resets and rollouts."""
    m = machine(kind)
    for scheme in (vv.PHMP(), vv.PHMPGGL()):
        sim = vv.Simulator(m, h=0.01, integrator=scheme)
        sim.reset({"hinge.q": 0.1, "hinge.rate": 0.2})
        sim.step({"motor": 0.1})
        for name in ("a.r", "a.R", "tool.r", "hinge.q", "hinge.rate", "a.twist", "hinge.reaction"):
            sim[name]
        sim.run(0.05)
        sim.rollout({"hinge.q": np.array([0.1, 0.2])}, steps=3, record=("tool.r", "hinge.q"))


def trees() -> None:
    """Explicit schemes and collocation, with forces in joints alone and with springs on bodies."""
    for tree, inputs in ((arm(), {}), (machine("tree"), {"motor": 0.1}), (machine("tree", True), {"motor": np.sin})):
        for scheme in TREES:
            given = {name: (lambda t: np.sin(t)) if value is np.sin else value for name, value in inputs.items()}
            vv.simulate(tree, integrator=scheme, inputs=given, **SPAN)["energy"]


def tree_rollouts() -> None:
    """Four motions at once, and one after the other."""
    for tree, port in ((arm(), None), (machine("tree"), "motor")):
        sim = vv.Simulator(tree, h=0.01, integrator=vv.RK4())
        sim.step({port: 0.1} if port else None)
        sim["hinge.q"], sim["hinge.rate"]
        for count in (1, 5):
            sim.rollout({"hinge.q": np.linspace(0.1, 0.2, count)}, steps=3, record=("hinge.q",))


def equations_of_motion(kind: str) -> None:
    """Every compiled function of `vv.dynamics`, for one state and for many."""
    d = vv.dynamics(machine(kind), **({"independent": "rank"} if kind == "loop" else {}))
    for many in ((), (3,)):
        q, v, u = (np.broadcast_to(x, (*many, len(x))).copy() for x in (d.q_built, np.zeros(d.nv), np.zeros(1)))
        tau = v.copy()
        for x in (q, v, u):
            x.flags.writeable = False  # what is only read is taken by entries in either form
        d.mass_matrix(q), d.inverse(q, v, v), d.forward(q, v, u), d.forward(q, v, u, tau=tau), d.derivatives(q, v, u)
        d.bias(q, v), d.coriolis(q, v), d.gravity(q), d.passive(q, v), d.input_matrix(q)
        for frame in ("body", "world", "spatial"):
            d.jacobian("tool", q, frame=frame)
        d.pose("tool", q), d.bias_acceleration("tool", q, v)


def trees_of_links() -> None:
    """Trees by themselves: forward and inverse dynamics, for one motion, four at once, and along a direction."""
    d = TreeDynamics(vv.analytical(machine("tree")).tree)
    for many in (1, 5):
        q, v = np.zeros((many, d.size_q)), np.zeros((many, d.n))
        d.accelerations(q, v), d.inverse_dynamics(q, v, v), d.mass_matrix(q), d.energy(q, v), d.poses(q), d.twists(q, v)
        d.derivatives(q, v), d.directional_derivative(q, v, along_q=v)


def ticks() -> None:
    """Sampled laws in compiled code, between steps of mechanisms and of trees."""
    for kind, schemes in (
        ("tree", (vv.PHMP(), vv.PHMPGGL(), vv.RK4(), vv.DOP853(tolerance=None))),
        ("loop", DIRECTORS[:2]),
    ):
        for scheme in schemes:
            law = vv.Sampled(lambda now: {"motor": -now["hinge.q"] - 0.1 * now["hinge.rate"]}, period=0.01)
            vv.simulate(machine(kind), integrator=scheme, sampled=law, **SPAN)


def networks() -> None:
    """Composites: plain ones, with rotations, with joints and their friction."""
    for scheme in NETWORKS:
        vv.simulate(oscillator(), integrator=scheme, initial={"q": 1.0, "p": 0.0}, **SPAN)
    vv.simulate(oscillator(), initial={"q": 1.0, "p": 0.0}, inputs={"p": lambda t, x, z: -0.1 * z.p}, **SPAN)
    vv.simulate(machine("tree").system(), **SPAN)
    for kind in ("tree", "graph"):
        vv.simulate(machine(kind), inputs={"motor": 0.1}, integrator=vv.DiscreteGradient(), **SPAN)
    loop = vv.compile(motor_loop())
    vv.simulate(loop, initial=at_rest(loop), inputs={"supply": 24.0}, integrator=vv.DiscreteGradient(), **SPAN)


def tracking_laws() -> None:
    """A tracking law within limits, asked from Python and by address, at one instant and at many."""
    m = machine("tree")
    gains = dict.fromkeys(("hinge", "elbow"), vv.control.gains(1.0, 4.0, 4.0))
    law = vv.control.tracking(m, gains, limits={"motor": (-5.0, 5.0)}).at(vv.dynamics(m).q_built)
    law.inputs(0.0, np.zeros(law.size))
    vv.simulate(m, sampled=vv.Sampled(law, period=0.01), **SPAN)
    for scheme in (vv.PHMP(), vv.RK4()):
        vv.simulate(m, inputs=law, integrator=scheme, **SPAN)


def quadratic_programs() -> None:
    """An input within its limits, and limits that exclude each other."""
    program = QuadraticProgram(np.eye(2), np.vstack([np.eye(2), -np.eye(2)]))
    u0 = np.array([2.0, 0.0])
    for limit in (1.0, -1.0):
        l = np.full(4, limit)
        for x in (u0, l):
            x.flags.writeable = False  # what is only read is taken by entries in either form
        program.solve(u0, l)


def flights(vehicle: copter.Vehicle) -> None:
    """A vehicle flies by sensors, and tells where its energy went and what its law did."""
    still = copter.Manoeuvre("still", vehicle, vv.control.pose(vv.control.hold(np.zeros(3), 0.1)))
    flight = copter.fly(still, vehicle, sensors=copter.Sensors())
    flight.audit(), flight.tracking


def flights_with_perfect_state() -> None:
    """Rotors that push at once, and late ones."""
    own = copter.quadcopter().without_bias()
    late = replace(own, rotors=tuple(replace(rotor, lag=0.02) for rotor in own.rotors))
    for vehicle in (own, late):
        copter.fly(copter.Manoeuvre("still", vehicle, vv.control.pose(vv.control.hold(np.zeros(3), 0.1))))


KERNELS: dict[str, Callable[[], None]] = {
    **{
        f"{kind}, {what}": partial(steps, kind, what != "viscous friction", what == "feedback")
        for kind, what in product(("tree", "graph"), ("viscous friction", "laws of friction", "feedback"))
    },
    "springs": elements,
    "boxes": boxes_on_joints,
    **{f"{kind} in the hand": partial(in_hand, kind) for kind in ("tree", "loop", "graph", "coupled")},
    "trees": trees,
    "rollouts of trees": tree_rollouts,
    **{f"equations of motion, {kind}": partial(equations_of_motion, kind) for kind in ("tree", "loop")},
    "trees of links": trees_of_links,
    "sampled laws": ticks,
    "networks": networks,
    "quadratic programmes": quadratic_programs,
    "tracking laws": tracking_laws,
    "flights with perfect state": flights_with_perfect_state,
    "flights": partial(flights, copter.quadcopter()),
    "flights with tilting rotors": partial(flights, copter.tricopter()),
}
