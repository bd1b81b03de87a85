"""Rigid systems that several tests use."""

from __future__ import annotations

import numpy as np

from visviva.forms import coordinates
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.se3 import SE3

G = 9.8


def particle(mass=1.0, gravity=(0, -G, 0), **more):
    """A mass in the plane by its position and velocity."""
    p = Parameterisation(
        ("x", "y"),
        ("vx", "vy"),
        A=np.eye(2),
        q0=(0, 0),
        edges={("ground", "mass"): lambda q: [[1, 0, 0, q.x], [0, 1, 0, q.y], [0, 0, 1, 0], [0, 0, 0, 1]]},
    )
    return RigidSystem(p, bodies={"mass": Moments.from_parts(mass)}, gravity=gravity, **more)


def tree(seed=0, springs=True, dampers=True):
    """Three bodies on a free, a ball and a hinge joint, with springs and dampers across; and a configuration of it."""
    rng = np.random.default_rng(seed)

    def pose():
        return SE3.exp(rng.normal(size=6)).matrix

    p = coordinates.joined(
        {
            ("ground", "a"): coordinates.free("a"),
            ("b", "a"): coordinates.spherical("b", by="matrix", at=pose()),  # against the direction of the tree
            ("b", "c"): coordinates.revolute("c", axis=(1, 2, 0), at=pose(), to=pose()),
        }
    )
    pairs = (("ground", "a"), ("c", "a"), ("ground", "c"))
    system = RigidSystem(
        p,
        bodies={frame: Moments.from_points(rng.uniform(1, 2, 5), rng.normal(size=(5, 3))) for frame in "abc"},
        springs=[
            Stiffness.of_springs(a, b, rng.uniform(1, 2, 4), rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
            for a, b in pairs
            if springs
        ],
        dampers=[Damping.of_points(a, b, rng.uniform(1, 2, 4), rng.normal(size=(4, 3))) for a, b in pairs if dampers],
        gravity=(1.0, 2.0, -G),
    )
    quaternion = rng.normal(size=4)
    R = SE3.exp(rng.normal(size=6)).R
    q = np.concatenate([rng.normal(size=3), quaternion / np.linalg.norm(quaternion), R.T.ravel(), [0.3]])
    return system, q, rng.normal(size=p.n)


def hinge_chain(lengths, masses=None, to_ground=None):
    """Rods in the xy plane, hinged one after another; rod k has its frame at its hinge and x along itself."""
    joints = {}
    for k in range(len(lengths)):
        at = np.eye(4)
        at[0, 3] = lengths[k - 1] if k else 0.0
        joints[f"rod{k - 1}" if k else "ground", f"rod{k}"] = coordinates.revolute(f"theta{k}", at=at)
    masses = masses or [1.0] * len(lengths)
    bodies = {
        f"rod{k}": Moments.from_parts(m, (l / 2, 0, 0), (0, m * l * l / 3, m * l * l / 3))
        for k, (m, l) in enumerate(zip(masses, lengths, strict=True))
    }
    return RigidSystem(coordinates.joined(joints), bodies=bodies, gravity=(0, -G, 0))


def central_difference(f, p, q, h=1e-6):
    """∂_j f along the velocities of a parameterisation, the direction last."""
    A = p.A(q)
    return np.stack([(f(q + h * column) - f(q - h * column)) / (2 * h) for column in A.T], axis=-1)
