"""A vehicle is one corner, included four times on rubber: after a bump, struts have turned most of it into heat."""

import numpy as np

import visviva as vv
from visviva.geometry import SO3

RUBBER = {"K": (60, 60, 60, 2e6, 4e5, 2e6), "D": (0.6, 0.6, 0.6, 2e3, 4e2, 2e3)}  # turning, then along x, y, z
TYRE = {"K": (0, 0, 0, 1e5, 1e5, 2e5), "D": (0, 0, 0, 300, 300, 300)}


def corner() -> vv.Mechanism:
    """A double wishbone: x forward, y outward, the origin in the middle of the wheel; its ground is the chassis."""
    m = vv.Mechanism("corner")
    m.body("upright", mass=14.0, inertia=(0.25, 0.3, 0.25), at=(0, -0.06, 0))
    m.body("wheel", inertia=vv.inertia.cylinder(18.0, radius=0.3, length=0.18, axis="y"))
    m.revolute("axle", "upright", "wheel", at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    for arm, mass, z, half, inner, outer in (
        ("lower", 4.0, -0.14, 0.20, -0.42, -0.08),
        ("upper", 2.5, +0.16, 0.14, -0.36, -0.10),
    ):
        m.body(arm, mass=mass, inertia=mass * np.array([0.012, 0.008, 0.018]), at=(0, 0.5 * (inner + outer), z))
        m.bushing(f"{arm} front", m.ground, arm, at=(half, inner, z), **RUBBER)
        m.bushing(f"{arm} rear", m.ground, arm, at=(-half, inner, z), **RUBBER)
        m.spherical(f"{arm} ball", arm, "upright", at=(0, outer, z))
    m.distance("tie rod", m.ground, "upright", at_a=(0.12, -0.4, -0.02), at_b=(0.12, -0.09, -0.02))
    m.thermal("oil", capacity=400.0, conductance_to_environment=2.0)
    m.spring("strut", m.ground, "lower", at_a=(0, -0.3, 0.42), at_b=(0, -0.14, -0.13),
             k=26e3, length=0.655, damping=1800.0, heat_to="oil")  # fmt: skip
    return m


def post(lift) -> vv.Mechanism:
    """A plate that is lifted as a function of time; its ground is the ground."""
    m = vv.Mechanism("post")
    m.body("plate", inertia=vv.inertia.cylinder(30.0, radius=0.25, length=0.03, axis="z"))
    m.prismatic("guide", m.ground, "plate", axis=(0, 0, 1))
    m.drive("cylinder", "guide", position=lift)
    return m


def bump(start):
    """2.5 cm high, 0.3 s long."""
    return lambda t: 0.025 * np.sin(np.pi * np.clip((t - start) / 0.3, 0, 1)) ** 4


PLACES = {
    "front left": (1.2, 0.75),
    "front right": (1.2, -0.75),
    "rear left": (-1.2, 0.75),
    "rear right": (-1.2, -0.75),
}
LIFTS = {"front left": bump(0.1), "rear left": bump(0.6)}

m = vv.Mechanism("vehicle", gravity=(0, 0, -9.81))
m.body("chassis", inertia=vv.inertia.box(620.0, (2.8, 0.7, 0.35)), at=(0, 0, 0.45))
for name, (x, y) in PLACES.items():
    outward = SO3.exp([0, 0, 0 if y > 0 else np.pi])
    wheel = m.include(corner(), name, on="chassis", at=(x, y, 0.3), rotation=outward)
    stand = m.include(post(LIFTS.get(name, 0.0)), f"{name} post", at=(x, y, 0))
    m.bushing(f"{name} tyre", stand.plate, wheel.upright, at=(x, y, 0), **TYRE)

run = vv.simulate(m, t_end=1.6, h=0.002, initial=vv.equilibrium(m).motion)
heat = {what: sum(run[f"heat.{name}"][-1] for name in m.parts if name.endswith(what) and f"heat.{name}" in run.names)
        for what in ("strut", "front", "rear", "tyre", "axle")}  # fmt: skip

assert run.audit().ok
assert m.mobility() == 6 + 4 * 12  # the chassis, and in each corner what rubber leaves
assert np.abs(run["chassis.r"][:50] - run["chassis.r"][0]).max() < 1e-6  # it stands
rubber = heat["front"] + heat["rear"]
print(f"struts {heat['strut']:.1f} J, tyres {heat['tyre']:.1f} J, sixteen bushings {rubber:.1f} J")
