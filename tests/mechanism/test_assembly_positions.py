"""Consistent positions: joints are closed by the least motion, what fits stays, what cannot close is named."""

from __future__ import annotations

import numpy as np
import pytest
from large_mechanisms import chain, four_bars, net
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import visviva as vv
from visviva.demo import four_bar
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.positions import close, is_closed

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
Z = (0, 0, 1)


def turned(*vector: float) -> np.ndarray:
    return Rotation.from_rotvec(vector).as_matrix()


def shaken(m: vv.Mechanism, size: float, seed: int = 0):
    """A linkage and a configuration of it that is off by about `size` metres and radians."""
    linkage = Linkage(m)
    k = linkage.kinematics
    return linkage, k.retract(k.as_built, size * np.random.default_rng(seed).uniform(-1, 1, k.n))


def gaps(linkage, q):
    return np.abs(linkage.kinematics.value(linkage.kinematics.place(q))).max()


def crank_and_rod(**frames) -> vv.Mechanism:
    """A four-bar whose coupler pins are named frames, so that its parts may be built anywhere."""
    m = vv.Mechanism("loose four-bar")
    m.body("crank", inertia=BOX, at=(0, 0.5, 0))
    m.body("coupler", inertia=BOX, at=(1.1, 1.3, 0.2), rotation=turned(0.1, 0.1, 0.3))
    m.body("rocker", inertia=BOX, at=(2, 0.6, 0))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=Z)
    m.revolute("D", m.ground, "rocker", at=(2, 0, 0), axis=Z)
    for pin, body, other in (("B", "crank", "left"), ("C", "rocker", "right")):
        m.frame(pin, body, at={"B": (0, 1, 0), "C": (2, 1.2, 0)}[pin])
        R = turned(0.1, 0.1, 0.3)
        m.frame(other, "coupler", at=(1.1, 1.3, 0.2) + R @ {"left": (-1, 0, 0), "right": (1, 0, 0)}[other], rotation=R)
    m.revolute("pin B", "B", "left")
    m.revolute("pin C", "C", "right")
    return m


# -- closing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-8, 1e-5, 1e-3, 0.1, 0.4])
@pytest.mark.parametrize("build", [four_bar, lambda: four_bars(3), lambda: chain(20, "revolute"), lambda: net(3)])
def test_all_joints_close_to_rounding(build, size):
    linkage, q = shaken(build(), size)
    closed = close(linkage, q)
    assert gaps(linkage, closed) < 1e-14 * (1 + np.abs(q).max()) * 10
    assert np.abs(closed - q).max() < 4 * size


def test_what_fits_stays_where_it_was_built():
    linkage = Linkage(four_bar())
    assert close(linkage, linkage.kinematics.as_built) is linkage.kinematics.as_built


@pytest.mark.parametrize(("build", "accuracy"), [(lambda: chain(3, "revolute"), 1e-6), (four_bar, 1e-3)])
def test_the_motion_is_the_least_in_the_metric_of_kinetic_energy(build, accuracy):
    """For small gaps Δ = -M⁻¹Cᵀ (C M⁻¹ Cᵀ)⁺ g; where rows are redundant, they are so only up to the gaps."""
    linkage, q = shaken(build(), 1e-7)
    k = linkage.kinematics
    place = k.place(q)
    C, g = k.dense(k.blocks(place)), k.value(place)
    step = -(C / linkage.masses).T @ np.linalg.pinv((C / linkage.masses) @ C.T, rcond=1e-9) @ g
    change = close(linkage, q) - q
    assert_allclose(change, k.retract(q, step) - q, rtol=0, atol=accuracy * np.abs(change).max())


def test_frames_are_brought_together_and_the_report_says_how_far():
    m = crank_and_rod()
    motion, report = m.assemble()
    linkage = Linkage(m)
    q = np.concatenate([motion.q[body.name] for body in linkage.bodies])
    assert gaps(linkage, q) < 1e-14
    lines = {line.split(":")[0]: line for line in report.changes}
    assert set(lines) == {"crank", "coupler", "rocker"}
    moved = np.linalg.norm(motion.q["coupler"][:3] - (1.1, 1.3, 0.2))
    assert f"coupler: moved by {moved:.3g} m, turned by " in lines["coupler"]
    assert "to close the joints" in lines["coupler"]


def test_angles_are_those_of_the_assembled_joint():
    """The angle between the frames, not the way that assembling went."""
    m = vv.Mechanism()
    m.body("rod", inertia=BOX, at=(0.5, 0, 0.3), rotation=turned(0, 0, 0.4))
    m.frame("post", m.ground, at=(0.5, 0, 0))
    m.frame("eye", "rod", at=(0.5, 0, 0.3), rotation=turned(0, 0, 0.4))
    m.revolute("hinge", "post", "eye")
    motion, _ = m.assemble()
    assert motion.angles["hinge"] == pytest.approx(0.4, abs=1e-12)
    assert_allclose(motion.q["rod"][:3], (0.5, 0, 0), rtol=0, atol=1e-14)


def test_a_rod_of_another_length_than_as_built():
    m = vv.Mechanism()
    m.particle("a", mass=1.0, at=(0, 0, 0))
    m.particle("b", mass=3.0, at=(1, 0, 0))
    m.distance("rod", "a", "b", length=2.0)
    motion, report = m.assemble()
    assert_allclose(motion.q["a"], (-0.75, 0, 0), rtol=0, atol=1e-12)
    assert_allclose(motion.q["b"], (1.25, 0, 0), rtol=0, atol=1e-12)
    assert report.changes == ("a: moved by 0.75 m to close the joints", "b: moved by 0.25 m to close the joints")


def test_fixed_bodies_keep_their_place():
    m = crank_and_rod()
    motion, report = m.assemble(fixed=("crank",))
    assert_allclose(motion.q["crank"], Linkage(m).kinematics.as_built[:12], rtol=0, atol=0)
    assert not any(line.startswith("crank") for line in report.changes)
    linkage = Linkage(m)
    assert is_closed(linkage, np.concatenate([motion.q[body.name] for body in linkage.bodies]), 1e-13)


def test_velocities_are_those_of_the_assembled_configuration():
    m = crank_and_rod()
    m.body("flag", inertia=BOX, at=(3, 3, 3), twist=(1, 2, 3, 4, 5, 6))
    motion, _ = m.assemble()
    linkage = Linkage(m)
    q, V = (np.concatenate([part[body.name] for body in linkage.bodies]) for part in (motion.q, motion.V))
    assert_allclose(linkage.matrix(linkage.kinematics.place(q)) @ V, 0, atol=1e-13)


def test_a_run_starts_from_the_assembled_configuration():
    m = crank_and_rod()
    run = vv.simulate(m, t_end=0.02, h=0.01)
    assert run.audit().g < 1e-12
    assert_allclose(run["coupler.r"][0], m.assemble()[0].q["coupler"][:3], rtol=0, atol=1e-14)


# -- reversed axes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [2.0, 3.0, np.pi - 1e-6, np.pi])
def test_axes_end_up_the_same_way_round(angle):
    """Rows hold for reversed axes as well, which are nearer here; exactly reversed, only a small shake helps."""
    m = vv.Mechanism()
    m.body("rod", inertia=BOX, at=(0.1, 0.2, 0), rotation=turned(angle, 0, 0))
    m.frame("post", m.ground, at=(0, 0, 0))
    m.frame("eye", "rod", at=(0, 0, 0), rotation=turned(angle, 0, 0))
    m.revolute("hinge", "post", "eye")
    motion, _ = m.assemble()
    R = motion.q["rod"][3:].reshape(3, 3).T @ m["rod"].R_BC.T
    assert_allclose(R[:, 2], (0, 0, 1), rtol=0, atol=1e-12)


def test_a_weld_is_no_half_turn():
    m = vv.Mechanism()
    m.body("plate", inertia=BOX, at=(0, 0, 0), rotation=turned(0, 0, 3.1))
    m.frame("seat", m.ground, at=(0, 0, 0))
    m.frame("foot", "plate", at=(0, 0, 0), rotation=turned(0, 0, 3.1))
    m.fixed("weld", "seat", "foot")
    motion, _ = m.assemble()
    assert_allclose(motion.q["plate"][3:].reshape(3, 3).T @ m["plate"].R_BC.T, np.eye(3), rtol=0, atol=1e-12)


def test_an_axis_that_is_held_reversed_is_named():
    m = vv.Mechanism("clamp")
    m.body("rod", inertia=BOX, at=(0, 0, 0), rotation=turned(np.pi, 0, 0))
    m.frame("post", m.ground, at=(0, 0, 0))
    m.frame("eye", "rod", at=(0, 0, 0), rotation=turned(np.pi, 0, 0))
    m.revolute("hinge", "post", "eye")
    with pytest.raises(vv.AssemblyError, match=r"'hinge': open by axis reversed at \(0, 0, 0\)"):
        m.assemble(fixed=("rod",))


# -- what cannot be closed --------------------------------------------------------------------------------------


def test_lengths_that_do_not_fit_are_named_with_gaps_and_places():
    m = vv.Mechanism("short")
    m.body("rod", inertia=BOX, at=(1, 0, 0))
    m.spherical("left", m.ground, "rod", at=(0.5, 0, 0))
    m.frame("end", "rod", at=(1.5, 0, 0))
    m.frame("hook", m.ground, at=(2.5, 0, 0))
    m.spherical("right", "hook", "end")
    match = r"(?s)'short' cannot be assembled.*'(left|right)': open by .* m at \("
    with pytest.raises(vv.AssemblyError, match=match) as error:
        m.assemble()
    assert "rad" not in str(error.value)
    assert "'left'" in str(error.value)
    assert "'right'" in str(error.value)
    assert "open by 0.5 m" in str(error.value)  # a gap of 1 m, shared


def test_angles_that_do_not_fit_are_told_in_radians():
    m = vv.Mechanism("skew")
    m.body("rod", inertia=BOX, at=(1, 0, 0))
    m.revolute("left", m.ground, "rod", at=(0, 0, 0), axis=Z)
    m.frame("end", "rod", at=(2, 0, 0), rotation=turned(0.5, 0, 0))
    m.frame("hook", m.ground, at=(2, 0, 0))
    m.revolute("right", "hook", "end")
    with pytest.raises(vv.AssemblyError, match=r"(?s)'skew' cannot be assembled.* rad"):
        m.assemble()


# -- many bodies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [lambda: chain(150), lambda: chain(100, "revolute"), lambda: net(7)])
def test_large_mechanisms_close(build):
    linkage, q = shaken(build(), 0.05)
    closed = close(linkage, q)
    assert gaps(linkage, closed) < 1e-12
    assert_array_equal(close(linkage, closed), closed)
