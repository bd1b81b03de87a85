"""A motor drives a spatial loop that rubs and gets warm: electricity, mechanics and heat in one pattern.

Crank, coupler and rocker are joined by a bearing, a ball, a guide (it turns and slides) and a hinge: mobility 1.
The current heats the winding and the joints heat the housing; heat goes on from there to the environment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.embedding import origin
from visviva.geometry.inertia import Inertia
from visviva.language import Composite, Quantity, compose, irreversible, reversible
from visviva.library.electric import inductor, motor
from visviva.library.multibody import ground, joint, rigid_body
from visviva.library.onsager import heating
from visviva.library.quantities import angular_momentum, entropy, flux
from visviva.library.rotation import inertia
from visviva.library.thermal import capacity, conduction, environment, temperature

# as built, in the world: bearing A, ball B, guide through C and P, hinge D, far end E of the coupler
A, B, C, P, D = np.array([(0, 0, 0), (0, 0.04, 0.12), (0.03, 0.08, 0), (0.45, 0.10, 0.15), (0.45, 0.05, 0.10)])
E = C + 1.4 * (P - C)
CAPACITIES = {"winding": 1.5, "housing": 1.0}  # [J/K]


def rod(mass: float, radius: float, a: Array, b: Array) -> Inertia:
    """A round rod between two points of the world."""
    return vv.inertia.cylinder(mass, radius, float(np.linalg.norm(b - a)), axis=b - a).moved(at=(a + b) / 2)


BODIES = {
    "crank": rod(0.8, 0.02, A, B),
    "coupler": rod(0.3, 0.01, B, C) + rod(0.7, 0.01, C, E),
    "rocker": rod(0.6, 0.02, D, P),
}


def pair(kind: str, first: str, second: str, at: Array, axis: Any, **options: Any) -> Composite:
    """A joint of two bodies at a point of the world; what it rubs off leaves at the port s."""
    z = np.asarray(axis) / np.linalg.norm(axis)
    x = np.cross(z, (1, 0, 0)) / np.linalg.norm(np.cross(z, (1, 0, 0)))
    R = np.column_stack([x, np.cross(z, x), z])
    centres = (BODIES[name].com if name in BODIES else np.zeros(3) for name in (first, second))
    return joint(kind, *(SE3.from_parts(R, at - com) for com in centres), theta0=None, **options)


def geared_motor() -> Composite:
    """Volts at the port supply become torque at the port shaft, after a gear 10 : 1, and heat at the port s."""

    def warm(e: Any, theta: Any, R: float, alpha: float) -> Any:
        return heating(R * (1 + alpha * (theta.s - 300)), e.phi, theta.s)  # copper resists more when it is hot

    shaft = Quantity("so2*", "momentum")  # that of a revolute joint
    boxes = {
        "coil": inductor(L=0.1),
        "resistance": irreversible({"phi": flux, "s": entropy}, M=warm, R=4.0, alpha=0.004),
        "machine": motor(K=0.2),
        "rotor": inertia(2e-4),
        "gear": reversible({"rotor": angular_momentum, "shaft": shaft}, C=lambda n: np.array([[1, -n]]), n=10.0),
    }
    junctions = {
        "supply": ("coil.phi", "resistance.phi", "machine.phi"),
        "rotor": ("machine.p", "rotor.p", "gear.rotor"),
        "shaft": ("gear.shaft",),
        "s": ("resistance.s",),
    }
    return compose("motor", boxes, junctions, outer=("supply", "shaft", "s"))


def motor_loop() -> Composite:
    """Motor, bodies, joints and heat in one pattern; its outer port is the supply."""
    boxes = {
        "motor": geared_motor(),
        "ground": ground(),
        **{name: rigid_body(body.mass, body.J) for name, body in BODIES.items()},
        "bearing": pair("revolute", "ground", "crank", A, (0, 1, 0), friction=0.1, drive=True),
        "ball": pair("spherical", "crank", "coupler", B, (0, 0, 1), friction=0.1),
        "guide": pair("cylindrical", "rocker", "coupler", C, P - C, friction=(0.05, 5.0)),
        "hinge": pair("revolute", "ground", "rocker", D, (0.6, 1, 0.5), friction=0.5),
        **{name: capacity(c) for name, c in CAPACITIES.items()},
        "mount": conduction(0.5),
        "fins": conduction(0.25),
        "env": environment(300.0),
    }
    junctions = {
        "supply": ("motor.supply",),
        "shaft": ("motor.shaft", "bearing.p_r"),
        "p_ground": ("ground.p", "bearing.p_1", "hinge.p_1"),
        "p_crank": ("crank.p", "bearing.p_2", "ball.p_1"),
        "p_coupler": ("coupler.p", "ball.p_2", "guide.p_2"),
        "p_rocker": ("rocker.p", "hinge.p_2", "guide.p_1"),
        "s_winding": ("motor.s", "winding.s", "mount.s1"),
        "s_housing": ("bearing.s", "ball.s", "guide.s", "hinge.s", "housing.s", "mount.s2", "fins.s1"),
        "s_env": ("fins.s2", "env.s"),
    }
    return compose("motor loop", boxes, junctions, outer=("supply",))


def at_rest(model: vv.Model) -> dict[str, Array]:
    """As built, without current, at the temperature of the environment."""
    start = {variable.name: origin(variable.space) for variable in model.variables}
    for name, body in BODIES.items():
        start[f"{name}.q"][:3] = body.com
    return start


def temperatures(run: vv.Run) -> dict[str, Array]:
    """Of winding and housing at all nodes [K]."""
    return {name: temperature(run[f"s_{name}"][:, 0], c) for name, c in CAPACITIES.items()}
