"""Loops that share joints are counted together: the rank of the linkage is that of the rows of the Model."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.testing import random_mechanism


def nested():
    """A body on a plane carries another on a slide, which a ball holds at the ground and a plane of the first one.

    The plane stops the slide: both move as one on their plane, and the ball has one row too many.
    """
    m = vv.Mechanism("nested")
    for name, at in (("a", (0.5, 0.1, 0)), ("b", (1.0, 0.3, 0.2))):
        m.body(name, mass=1.0, inertia=(0.1, 0.2, 0.15), at=at)
    m.planar("plane", "ground", "a", at=(0, 0, 0), normal=(-0.9, 0.4, -0.17))
    m.prismatic("slide", "a", "b", at=(0.7, 0.2, 0.1), axis=(-0.93, -0.35, -0.08))
    m.spherical("ball", "ground", "b", at=(1.2, 0.4, 0.1))
    m.point_on_plane("flat", "a", "b", at=(0.9, 0.1, 0.3), normal=(0.95, -0.32, 0.06))
    return m


def test_a_loop_within_a_loop():
    m = nested()
    assert m.mobility() == 1
    assert sum(m.redundant().values()) == 1
    assert vv.kinestatics(m).mobility() == 1
    assert vv.simulate(m, 0.05, 0.01).audit().ok


def test_a_loop_beyond_a_particle():
    """A particle does not turn what hangs on it."""
    m = vv.Mechanism("beads")
    m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(0.5, 0.1, 0))
    m.spherical("shoulder", "ground", "arm", at=(0, 0, 0))
    m.particle("bead", mass=0.3, at=(1.0, 0.3, 0.2))
    m.spherical("eye", "arm", "bead")
    m.body("hand", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(1.3, 0.2, 0.4))
    m.spherical("hook", "bead", "hand")
    m.distance("rod", "arm", "hand", at_a=(0.4, 0.2, 0.3), at_b=(1.4, 0.1, 0.6))
    m.distance("stay", "ground", "hand", at_a=(0, 1, 0), at_b=(1.2, 0.4, 0.5))
    assert m.mobility() == rank_defect(m) == 4


def test_coordinates_of_a_motion_where_all_rows_of_a_loop_are_redundant():
    """Doors on three hinges: rows of rounding say nothing of velocities."""
    m = vv.Mechanism("door")
    axis = np.array([0.8524, -0.522, 0.03162])
    m.body("door", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(0.5, 0.1, 0))
    for k, far in enumerate((0.0, 0.3551, 0.2064)):
        m.revolute(f"hinge{k}", "ground", "door", at=np.array([0.01527, 0.5213, -0.07918]) + far * axis, axis=axis)
    m.body("leaf", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(1.0, 0.1, 0.3), twist=(0.3, 0.2, 0.5, 0.1, 0.7, 0.2))
    m.planar("plane", "door", "leaf", at=(0.7, 0.1, 0.1), normal=(0.0006758, -0.7144, -0.6997))
    motion = m.assemble(fixed=())[0]
    form = vv.analytical(m)
    q, xi, _ = form.coordinates(motion)
    np.testing.assert_allclose(form.S(q) @ xi, np.concatenate([*motion.V.values()]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", [15, 55, 95, 195])
def test_some_mechanisms_drawn_at_random(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_mechanisms_drawn_at_random(seed):
    check(seed)


def check(seed):
    m = random_mechanism(seed, scaled=False).build()
    try:
        m.assemble(fixed=())
    except vv.AssemblyError:
        return
    assert m.mobility() == rank_defect(m)


def rank_defect(m):
    """Velocities that the rows of the Model leave, as assembled."""
    form = vv.analytical(m)
    x = form.x(form.coordinates(m.assemble(fixed=())[0]).q)
    C = form.model.C(x)[:, form.at_z]
    C = C / np.maximum(np.linalg.norm(C, axis=1), 1e-12)[:, None]
    return C.shape[1] - np.linalg.matrix_rank(C, tol=1e-8)
