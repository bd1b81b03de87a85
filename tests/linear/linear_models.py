"""Mechanisms with known small motions, that several tests use."""

from __future__ import annotations

import numpy as np

import visviva as vv

G = 9.81


def rods(n=1, up=False, **hinge):
    """Uniform rods of mass and length one, hanging on each other in a plane, or standing."""
    m = vv.Mechanism("rods", gravity=(0, 0, -G))
    sign = 1 if up else -1
    above = m.ground
    for k in range(n):
        rod = m.body(f"rod{k}", inertia=vv.inertia.rod(1.0, 1.0, axis="z"), at=(0, 0, sign * (k + 0.5)))
        m.revolute(f"hinge{k}", above, rod, at=(0, 0, sign * k), axis=(0, 1, 0), **hinge)
        above = rod
    return m


def spring_chain(n, mass=0.7, k=30.0, damping=0.0):
    """Masses on a line between two walls, with springs between neighbours."""
    m = vv.Mechanism("spring chain")
    before = m.ground
    for i in range(n):
        body = m.body(f"mass{i}", mass=mass, inertia=(1, 1, 1), at=(i + 1.0, 0, 0))
        m.prismatic(f"slide{i}", m.ground, body, axis=(1, 0, 0))
        m.spring(f"spring{i}", before, body, at_a=(float(i), 0, 0), at_b=(i + 1.0, 0, 0), k=k, damping=damping)
        before = body
    m.spring(f"spring{n}", before, m.ground, at_a=(float(n), 0, 0), at_b=(n + 1.0, 0, 0), k=k, damping=damping)
    return m


ROTOR = {"mass": 2.0, "diametral": 0.02, "axial": 0.036, "tilting": 50.0, "bending": 8000.0}


def rotor(speed, coupling=0.0, damping=0.0, stiffness=(1.0, 1.0), diametral=(0.02, 0.02), driven=False):
    """A disc on an elastic shaft, seen from a cage that does not spin: sideways x, y and two tilts.

    coupling: of tilting and bending [N], zero where the disc is in the middle.   stiffness: of x and y, relative.
    """
    m = vv.Mechanism("rotor")
    for name in ("x slide", "y slide", "cage"):
        m.body(name, massless=True)
    m.body("disc", mass=ROTOR["mass"], inertia=(*diametral, ROTOR["axial"]))
    m.prismatic("x", m.ground, "x slide", axis=(1, 0, 0))
    m.prismatic("y", "x slide", "y slide", axis=(0, 1, 0))
    m.universal("tilt", "y slide", "cage", at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    m.revolute("shaft", "cage", "disc", at=(0, 0, 0), axis=(0, 0, 1), rate=None if driven else speed)
    K = np.diag([ROTOR["tilting"], ROTOR["tilting"], 0, *(ROTOR["bending"] * np.array(stiffness)), 0.0])
    K[0, 4] = K[4, 0] = -coupling
    K[1, 3] = K[3, 1] = coupling
    m.bushing("bearing", m.ground, "cage", K=K, D=damping * K)
    if driven:
        m.drive("spin", "shaft", rate=speed)
    return m


def rolling(spin, axial=0.5, diametral=0.25, radius=0.3, mass=2.0):
    """A disc or hoop that rolls upright along x; moments of inertia in units of m r²."""
    m = vv.Mechanism("rolling", gravity=(0, 0, -G))
    size = mass * radius**2
    R = vv.geometry.SO3.exp([np.pi / 2, 0, 0])
    m.body(
        "disc",
        mass=mass,
        inertia=(diametral * size, diametral * size, axial * size),
        at=(0, 0, radius),
        rotation=R,
        twist=(0, 0, spin, -radius * spin, 0, 0),
    )
    m.rolling_disc("edge", m.ground, "disc", radius=radius, axis=R.R[:, 2])
    return m


def motor_arm():
    """A hanging rod with a motor on its hinge."""
    m = rods()
    m.motor("motor", "hinge0", resistance=2.0, inductance=0.05, k=0.3)
    return m


def sorted_poles(poles):
    """In an order that does not depend on rounding."""
    poles = np.round(np.asarray(poles), 9)
    return poles[np.lexsort((poles.imag, poles.real))]
