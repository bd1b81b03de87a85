"""An arm whose drive is of the language: a motor that gets warm, a lossy gearbox, a brake, and their housing."""

from __future__ import annotations

from visviva import inertia
from visviva.language import Composite, compose
from visviva.library import boxes, friction, rotation, thermal
from visviva.library.quantities import angular_momentum
from visviva.mechanism import Mechanism

CAPACITY, CONDUCTANCE = 40.0, 0.4  # of the housing [J/K, W/K]


def motor() -> Composite:
    """With a winding of its own temperature."""
    return boxes.thermal_motor(0.6, 2e-3, 0.08, capacity=15.0, conductance=0.5)


def gearbox() -> Composite:
    """Twenty to one, with play, losses of its teeth and friction."""
    return boxes.backlash_gearbox(20.0, play=0.02, stiffness=40.0, loss=0.2, friction=1e-4)


def brake() -> Composite:
    """Dry friction, smooth at rest."""
    law = friction.coulomb(0.6, v_reg=0.2, of=angular_momentum)
    return compose("brake", {"pads": law}, {"p": ("pads.p",), "s": ("pads.s",)}, outer=("p", "s"))


def boxed_arm(*, boxed: bool = True) -> Mechanism:
    """A wheel that the motor turns, and an arm of two links; boxed: with motor, gearbox and brake."""
    m = Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("wheel", inertia=inertia.cylinder(0.5, radius=0.04, length=0.02, axis="y"), at=(0, 0.1, 0))
    m.body("upper", inertia=inertia.rod(1.0, 0.5, axis="x"), mass=1.0, at=(0.25, 0, 0))
    m.body("lower", inertia=inertia.rod(0.6, 0.4, axis="x"), mass=0.6, at=(0.7, 0, 0))
    m.revolute("shaft", m.ground, "wheel", at=(0, 0.1, 0), axis=(0, 1, 0))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", "upper", "lower", at=(0.5, 0, 0), axis=(0, 1, 0))
    if boxed:
        m.thermal("housing", capacity=CAPACITY, conductance_to_environment=CONDUCTANCE)
        m.box("motor", motor(), {"shaft": "shaft", "s": "housing"})
        m.box("gearbox", gearbox(), {"a": "shaft", "b": "shoulder", "s": "housing"})
        m.box("brake", brake(), {"p": "elbow", "s": "housing"})
    return m


def boxes_alone() -> Composite:
    """The same boxes and the same housing without the arm: a rotor at each of their shafts."""
    parts = {
        "motor": motor(), "gearbox": gearbox(), "brake": brake(), "fast": rotation.inertia(4e-4),
        "slow": rotation.inertia(0.1), "elbow": rotation.inertia(0.05), "housing": thermal.capacity(CAPACITY),
        "surface": thermal.conduction(CONDUCTANCE), "air": thermal.environment(),
    }  # fmt: skip
    heat = ("motor.s", "gearbox.s", "brake.s", "housing.s", "surface.s1")
    junctions = {
        "supply": ("motor.supply",), "shaft": ("motor.shaft", "gearbox.a", "fast.p"), "b": ("gearbox.b", "slow.p"),
        "p": ("brake.p", "elbow.p"), "s": heat, "room": ("surface.s2", "air.s"),
    }  # fmt: skip
    return compose("boxes", parts, junctions, outer=("supply",))
