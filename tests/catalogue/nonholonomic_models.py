"""Mechanisms with conditions on velocities: rolling discs, Chaplygin's sleigh, the snakeboard."""

from __future__ import annotations

import numpy as np
from nonholonomic_references import Disc, Snakeboard

import visviva as vv
from visviva._arrays import Array


def disc_body(
    disc: Disc, theta: float, psi: float = 0.0, rates: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> vv.Mechanism:
    """The disc of the references at some lean, with ω = ω1 e1 + ω2 e2 + ω3 a; its body frame has z along the axis."""
    m = vv.Mechanism("disc", gravity=(0, 0, -disc.g))
    a, e1 = disc.axes(theta, psi)
    e2 = np.cross(a, e1)
    w = rates[0] * e1 + rates[1] * e2 + rates[2] * a
    v = disc.radius * (rates[0] * a - rates[2] * e1)
    R = np.column_stack([e1, e2, a])
    m.body(
        "disc",
        mass=disc.mass,
        inertia=(disc.diametral, disc.diametral, disc.axial),
        at=(0, 0, disc.radius * np.sin(theta)),
        rotation=R,
        twist=np.concatenate([R.T @ w, R.T @ v]),
    )
    m.rolling_disc("edge", m.ground, "disc", radius=disc.radius, axis=a)
    return m


def sleigh_mechanism(mass: float = 1.0, J: float = 0.5, a: float = 0.4, w: float = 2.0, v: float = 1.0) -> vv.Mechanism:
    """A blade at the origin along x, and the centre of mass a before it."""
    m = vv.Mechanism("sleigh")
    m.body("sleigh", mass=mass, inertia=(J, J, J), com=(a, 0, 0), twist=(0, 0, w, v, 0, 0))
    m.planar("ice", m.ground, "sleigh", at=(0, 0, 0), normal=(0, 0, 1))
    m.knife_edge("blade", m.ground, "sleigh", at=(0, 0, 0), direction=(0, 1, 0))
    return m


def snakeboard_mechanism(board: Snakeboard, q: Array, v: Array) -> vv.Mechanism:
    """The snakeboard of the references, at coordinates q = (x, y, θ, ψ, α, β) with rates v that its wheels allow."""
    x, y, theta, psi, alpha, beta = q
    m = vv.Mechanism("snakeboard")
    forward, up = np.array([np.cos(theta), np.sin(theta), 0]), (0, 0, 1)
    centre = np.array([x, y, 0])
    turned = vv.geometry.SO3.exp
    R = turned([0, 0, theta])
    velocity = R.R.T @ np.array([v[0], v[1], 0])
    m.body("board", mass=board.mass, inertia=(1, 1, board.J), at=centre, rotation=R, twist=(0, 0, v[2], *velocity))
    m.body("rotor", mass=board.rotor_mass, inertia=(1, 1, board.rotor), at=centre, rotation=turned([0, 0, theta + psi]))
    m.planar("street", m.ground, "board", at=centre, normal=up)
    m.revolute("spin", "board", "rotor", at=centre, axis=up, rate=v[3])
    m.torque("rotor motor", "spin")
    for name, side, angle, rate in (("front", 1, alpha, v[4]), ("rear", -1, beta, v[5])):
        place, heading = centre + side * board.length * forward, turned([0, 0, theta + angle])
        m.body(name, mass=board.wheel_mass, inertia=(1, 1, board.wheel), at=place, rotation=heading)
        m.revolute(f"{name} pin", "board", name, at=place, axis=up, rate=rate)
        m.torque(f"{name} motor", f"{name} pin")
        m.knife_edge(f"{name} wheels", m.ground, name, at=place, direction=heading.R[:, 1])
    return m
