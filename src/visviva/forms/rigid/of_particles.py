"""Particles as bodies without extent: a system of particles as a rigid system, with frames that only shift."""

from __future__ import annotations

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.graph import GROUND
from visviva.forms.calculus.maps import AbstractMap, Block, Blocks, Polynomial
from visviva.forms.calculus.particles import ParticleSystem, Tie
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.springs.line import LineEnergy
from visviva.forms.springs.spring import Spring

POINT = np.zeros((1, 3))


def rigid_system(system: ParticleSystem) -> RigidSystem:
    """The same masses, ties and gravity on frames "<particle>", each at its particle and parallel to the ground."""
    p = system.p
    for name in system.mass:
        if name in p.frames:
            raise ModelError(f"particle {name!r} has the name of a frame of its parameterisation: rename one of them.")
    frames = p.with_frames({name: _shifting(r, p.places.size) for name, r in system.positions.items()})
    found = RigidSystem(
        frames,
        bodies={name: Moments.from_points([m], POINT) for name, m in system.mass.items()},
        springs=[_spring(tie) for tie in system.ties if tie.k],
        dampers=[_damper(tie) for tie in system.ties if tie.d],
        gravity=system.gravity,
    )
    found.name = system.name
    return found


def _shifting(r: AbstractMap, size: int) -> AbstractMap:
    """The pose (4, 4) of a frame at r, parallel to the ground."""
    every, rest = slice(0, size), (slice(0, 4), slice(0, 4))
    return Blocks(size, (4, 4), (Block(Polynomial(size, np.eye(4)), every, rest), Block(r, every, (slice(0, 3), 3))))


def _spring(tie: Tie) -> Spring:
    a, place = (tie.to, np.zeros(3)) if isinstance(tie.to, str) else (GROUND, np.asarray(tie.to))
    return Spring(a, tie.of, LineEnergy(tie.k, place, np.zeros(3), tie.length))


def _damper(tie: Tie) -> Damping:
    a, drag = tie.to if isinstance(tie.to, str) else GROUND, Moments.from_points([tie.d], POINT)
    if not np.any(tie.drift):
        return Damping(a, tie.of, drag)
    return Damping.in_stream(a, tie.of, drag, np.concatenate([np.zeros(3), np.asarray(tie.drift)]))
