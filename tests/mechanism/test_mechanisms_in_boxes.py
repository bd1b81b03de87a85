"""The composite of a mechanism as a box of another one: its poses and momenta of several numbers, bound inside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import visviva as vv
from visviva.errors import AssemblyError, ModelError


def pendulum(name: str = "pendulum") -> vv.Mechanism:
    m = vv.Mechanism(name, gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    return m


def two() -> vv.Mechanism:
    m = pendulum("two")
    m.box("other", pendulum().system())
    return m


def test_a_mechanism_in_a_box_moves_as_the_one_around_it() -> None:
    run = vv.simulate(two(), t_end=0.05, h=5e-3, integrator=vv.LieMidpoint(compiled=False), progress=False)
    assert run["rod.r"][-1, 2] < -1e-3
    np.testing.assert_allclose(run["other.q_rod"][:, :3], run["rod.r"], rtol=0, atol=1e-12)
    assert run.audit().first_law < 1e-14


def test_momenta_in_a_box_that_violate_its_joints_are_refused_at_the_start() -> None:
    spin = {"other.rod.p_k": np.array([1.0, 0, 0, 0, 0])}
    with pytest.raises(AssemblyError, match="the initial state of 'two' violates the constraint of 'other"):
        vv.simulate(two(), t_end=1e-3, h=1e-3, integrator=vv.LieMidpoint(compiled=False), initial=spin)


@pytest.mark.parametrize("scheme", [vv.PHMP(compiled=False), vv.PHMPGGL(compiled=False)], ids=repr)
def test_schemes_of_directors_refuse_poses_in_boxes_by_name(scheme: Any) -> None:
    with pytest.raises(ModelError, match=r"(?s)'other.q_rod' of mechanism 'two' are poses.*vv.LieMidpoint"):
        vv.simulate(two(), t_end=1e-3, h=1e-3, integrator=scheme)


def test_minimal_velocities_refuse_momenta_of_several_numbers_that_a_box_binds() -> None:
    with pytest.raises(ModelError, match="minimal velocities"):
        vv.linearise(two())
