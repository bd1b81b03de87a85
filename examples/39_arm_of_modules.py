"""An arm is one link with its drive, included three times, each on the flange of the one before."""

import numpy as np

import visviva as vv
from visviva.geometry import SO3


def link(length: float, mass: float) -> vv.Mechanism:
    """A link along x that a motor turns about z through a gear of 50; rotor and winding come along."""
    m = vv.Mechanism("link")
    m.thermal("winding", capacity=60.0, conductance_to_environment=0.5)
    m.body("arm", inertia=vv.inertia.box(mass, (length, 0.06, 0.06)), at=(0.5 * length, 0, 0))
    m.body("rotor", inertia=vv.inertia.cylinder(0.3, radius=0.04, length=0.06, axis="z"), at=(0, 0, 0.1))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 0, 1), friction=0.4)
    m.revolute("shaft", m.ground, "rotor", at=(0, 0, 0.1), axis=(0, 0, 1), friction=2e-4)
    m.gear("gear", "shaft", "hinge", ratio=50.0)
    m.motor("motor", "shaft", resistance=0.8, inductance=1e-3, k=0.06, heat_to="winding")
    m.frame("flange", "arm", at=(length, 0, 0))
    m.frame("side", "arm", at=(length, 0, 0), rotation=SO3.exp([np.pi / 2, 0, 0]))  # its z is across the link
    return m


def voltage(name: str, goal: float):
    """A drive that goes to an angle in a second, and holds it."""

    def law(t, x):
        s = np.clip(t, 0.0, 1.0)
        wanted = goal * s**2 * (3 - 2 * s)
        return 60.0 * (wanted - x[f"{name}.hinge.q"]) - 3.0 * x[f"{name}.hinge.rate"]

    return law  # fmt: skip


m = vv.Mechanism("arm of modules", gravity=(0, 0, -9.81))
base = m.include(link(0.25, 3.0), "base", at=(0, 0, 0.4))
upper = m.include(link(0.5, 2.0), "upper", on=base.side)
fore = m.include(link(0.4, 1.2), "fore", on=upper.flange)
m.wrench("load", fore.arm)

goals = {"base": 0.8, "upper": 1.0, "fore": -1.4}
run = vv.simulate(m, t_end=1.5, h=0.002, inputs={f"{name}.motor": voltage(name, goal) for name, goal in goals.items()})
missed = max(abs(run[f"{name}.hinge.q"][-1] - goal) for name, goal in goals.items())
heat = {name: run[f"heat.{name}.motor"][-1] for name in goals}

assert run.audit().ok
assert missed < 0.15
assert np.abs(run["fore.ground.r"] - run["upper.flange.r"]).max() < 1e-12  # a module's ground is where it is mounted
print(f"windings {', '.join(f'{name} {one:.1f} J' for name, one in heat.items())}; goals missed by {missed:.3f} rad")
