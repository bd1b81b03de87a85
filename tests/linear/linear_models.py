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


def bicycle(speed):
    """The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007), z upwards, at constant speed."""
    m = vv.Mechanism("bicycle", gravity=(0, 0, -G))
    base, trail, tilt, rear, front = 1.02, 0.08, np.pi / 10, 0.3, 0.35
    frame, fork = (
        [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]],
        [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]],
    )
    m.body("rear wheel", mass=2.0, inertia=(0.0603, 0.12, 0.0603), at=(0, 0, rear))
    m.body("frame", mass=85.0, inertia=frame, at=(0.3, 0, 0.9), twist=(0, 0, 0, speed, 0, 0))
    m.body("fork", mass=4.0, inertia=fork, at=(0.9, 0, 0.7))
    m.body("front wheel", mass=3.0, inertia=(0.1405, 0.28, 0.1405), at=(base, 0, front))
    m.revolute("rear hub", "frame", "rear wheel", at=(0, 0, rear), axis=(0, 1, 0), rate=speed / rear)
    m.revolute("steer", "frame", "fork", at=(base + trail, 0, 0), axis=(-np.sin(tilt), 0, np.cos(tilt)))
    m.revolute("front hub", "fork", "front wheel", at=(base, 0, front), axis=(0, 1, 0), rate=speed / front)
    m.rolling_disc("rear contact", m.ground, "rear wheel", radius=rear, axis=(0, 1, 0))
    m.rolling_disc("front contact", m.ground, "front wheel", radius=front, axis=(0, 1, 0))
    return m


def bicycle_poles(speed):
    """M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0 of lean and steer, with the matrices of the paper's table."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    K, C = np.linalg.solve(M, G * K0 + speed**2 * K2), np.linalg.solve(M, speed * C1)
    return np.sort_complex(np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]])))


def internally_damped(speed, mass, k, outer, inner):
    """A disc on an elastic shaft that turns with it: its stiffness and inner damping turn, outer damping does not."""
    m = vv.Mechanism("shaft with inner damping")
    for name in ("x slide", "y slide"):
        m.body(name, massless=True)
    m.body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.body("disc", mass=mass, inertia=(0.02, 0.02, 0.036), at=(0, 0, 0))
    m.prismatic("x", m.ground, "x slide", axis=(1, 0, 0))
    m.prismatic("y", "x slide", "y slide", axis=(0, 1, 0))
    m.revolute("disc axle", "y slide", "disc", at=(0, 0, 0), axis=(0, 0, 1), rate=speed)
    m.revolute("shaft axle", m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1), rate=speed)
    m.bushing("elastic", "shaft", "disc", K=np.diag([0, 0, 9.0, k, k, 0]), D=np.diag([0, 0, 0.5, inner, inner, 0]))
    m.bushing("oil", m.ground, "y slide", K=np.zeros((6, 6)), D=np.diag([0, 0, 0, outer, outer, 0]))
    return m


def gimbal_top(spin, friction=0.0):
    """A wheel that spins on the top of a pendulum with two hinges, standing upright."""
    m = vv.Mechanism("gimbal top", gravity=(0, 0, -G))
    m.body("stem", massless=True)
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.08), at=(0, 0, 0.5))
    m.universal("foot", m.ground, "stem", at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), friction=(friction, friction))
    m.revolute("axle", "stem", "wheel", at=(0, 0, 0.5), axis=(0, 0, 1), rate=spin)
    return m
