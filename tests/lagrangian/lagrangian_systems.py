"""Lagrangian systems on which laws are measured, each with its energy written by hand."""

from __future__ import annotations

import numpy as np

import visviva as vv

GRAVITY = 9.81


def pendulum():
    """A bob on a rod in Cartesian coordinates: constant M, quadratic g."""
    return vv.lagrangian(
        "pendulum",
        q=("x", "y"),
        M=lambda q, m: m,
        V=lambda q, m, gravity: m * gravity * q.y,
        g={"rod": lambda q, l: 0.5 * (q.x**2 + q.y**2 - l**2)},
        parameters={"m": 2.0, "gravity": GRAVITY, "l": 0.8},
        q0=(0.8, 0.0),
        v0=(0.0, -1.0),
    )


def pendulum_energy(q, v):
    return (v**2).sum(-1) + 2.0 * GRAVITY * q[..., 1]


def double_pendulum():
    """Two bobs on rods of length 1, in angles: M(q)."""
    return vv.lagrangian(
        "double pendulum",
        q=("a", "b"),
        M=lambda q: [[2.0, np.cos(q.a - q.b)], [np.cos(q.a - q.b), 1.0]],
        V=lambda q: -GRAVITY * (2 * np.cos(q.a) + np.cos(q.b)),
        q0=(1.0, 2.0),
        v0=(0.5, -1.0),
    )


def double_pendulum_energy(q, v):
    (a, b), (u, w) = q.T, v.T
    return u**2 + 0.5 * w**2 + u * w * np.cos(a - b) - GRAVITY * (2 * np.cos(a) + np.cos(b))


def spherical_pendulum():
    """In angles from a Lagrangian: the azimuth is cyclic."""
    return vv.lagrangian(
        "spherical pendulum",
        q=("theta", "phi"),
        L=lambda q, v: 0.5 * (v.theta**2 + np.sin(q.theta) ** 2 * v.phi**2) + GRAVITY * np.cos(q.theta),
        q0=(1.0, 0.0),
        v0=(0.3, 2.0),
    )


def spherical_pendulum_energy(q, v):
    theta = q[..., 0]
    return 0.5 * (v[..., 0] ** 2 + np.sin(theta) ** 2 * v[..., 1] ** 2) - GRAVITY * np.cos(theta)


def pendulum_in_space():
    """A bob on a rod in space, with the length itself as constraint: turns about the vertical keep L_z."""
    return vv.lagrangian(
        "pendulum in space",
        q=("x", "y", "z"),
        M=1.0,
        V=lambda q: GRAVITY * q.z,
        g=lambda q: np.sqrt(q.x**2 + q.y**2 + q.z**2) - 1.0,
        q0=(np.sin(1.0), 0.0, -np.cos(1.0)),
        v0=(0.3 * np.cos(1.0), 2.0 * np.sin(1.0), 0.3 * np.sin(1.0)),
    )


def bead():
    """On a wire (cos 3z exp(-z²), sin 3z, z): constraints that no polynomial gives."""
    return vv.lagrangian(
        "bead",
        q=("x", "y", "z"),
        M=np.eye(3),
        V=lambda q: GRAVITY * q.z,
        g={"wire": lambda q: [q.x - np.cos(3 * q.z) * np.exp(-(q.z**2)), q.y - np.sin(3 * q.z)]},
        q0=(1.0, 0.0, 0.0),
        v0=(0.0, 3.0, 1.0),
    )


def bead_energy(q, v):
    return 0.5 * (v**2).sum(-1) + GRAVITY * q[..., 2]


def charged_particle():
    """In the magnetic field 1 + x² normal to its plane, from a vector potential, and a well: L linear in v."""
    return vv.lagrangian(
        "charged particle",
        q=("x", "y"),
        L=lambda q, v: 0.5 * (v.x**2 + v.y**2) + (q.x + q.x**3 / 3) * v.y - 0.25 * q.x**4,
        q0=(1.0, 0.0),
        v0=(0.2, 0.5),
    )


def charged_particle_energy(q, v):
    return 0.5 * (v**2).sum(-1) + 0.25 * q[..., 0] ** 4


def fast_particle():
    """Relativistic, with c = 2 and mass 1, in a quartic well: no quadratic kinetic energy."""
    return vv.lagrangian(
        "fast particle",
        q=("x", "y"),
        L=lambda q, v: -4 * np.sqrt(1 - (v.x**2 + v.y**2) / 4) - 0.5 * q.x**2 - 0.5 * q.y**4,
        q0=(1.0, 0.5),
        v0=(0.3, 1.5),
    )


def fast_particle_energy(q, v):
    return 4 / np.sqrt(1 - (v**2).sum(-1) / 4) + 0.5 * q[..., 0] ** 2 + 0.5 * q[..., 1] ** 4


MOMENTS = np.array([0.1, 0.2, 0.25])


def quaternion_rates(q):
    """E(q) with ω = 2 E(q) q̇ in body axes, for q = (w, x, y, z)."""
    w, x, y, z = (q[..., k] for k in range(4))
    return [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]


def quaternion_top():
    """A body on a pivot in unit quaternions: M(q) = 4 Eᵀ J E is singular along q, which g = ½ (q·q - 1) forbids."""

    def M(q):
        E = np.array(quaternion_rates(q), dtype=object)
        return 4 * (E.T * MOMENTS) @ E

    return vv.lagrangian(
        "quaternion top",
        q=4,
        M=M,
        V=lambda q: 2.0 * (q[0] ** 2 - q[1] ** 2 - q[2] ** 2 + q[3] ** 2),
        g=lambda q: 0.5 * (q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2 - 1),
        q0=np.array([4.0, 2.0, 1.0, 2.0]) / 5,
        v0=(0.2, -0.1, 3.0, -1.8),
    )


def quaternion_top_energy(q, v):
    E = np.moveaxis(np.array(quaternion_rates(q)), (0, 1), (-2, -1))
    omega = 2 * np.einsum("...ij,...j->...i", E, v)
    height = q[..., 0] ** 2 - q[..., 1] ** 2 - q[..., 2] ** 2 + q[..., 3] ** 2
    return 0.5 * (MOMENTS * omega**2).sum(-1) + 2.0 * height


SYSTEMS = {
    "pendulum": (pendulum, pendulum_energy),
    "double pendulum": (double_pendulum, double_pendulum_energy),
    "spherical pendulum": (spherical_pendulum, spherical_pendulum_energy),
    "pendulum in space": (pendulum_in_space, bead_energy),
    "bead": (bead, bead_energy),
    "charged particle": (charged_particle, charged_particle_energy),
    "fast particle": (fast_particle, fast_particle_energy),
    "quaternion top": (quaternion_top, quaternion_top_energy),
}
