"""Laws of small motions over the catalogue of mechanisms, at the equilibria they have."""

import numpy as np
import pytest
import scipy.linalg
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose
from parts import AXIS as SHAFT

import visviva as vv

AXIS = np.array(SHAFT)
NO_REST = {"particles", "frames that assembling brings together", "branching tree", "flying tree", "rack and screw"}
SINGULAR = {"Sarrus linkage", "thin rods"}  # where their energy is least
BENT = {"rzeppa", "rzeppa, reversed"}  # their energy falls until the joint is bent to its end
HOLONOMIC = [
    name
    for name, entry in CATALOGUE.items()
    if not entry.traits & {"driven", "nonholonomic"} and name not in NO_REST | SINGULAR | BENT
]
FEW = ("double pendulum", "four bar", "spherical", "user constraint", "gear in a loop", "distance")


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in HOLONOMIC]
)
def test_small_motions_keep_the_books(name):
    """K is symmetric, with the lowest stiffness that statics find by other means; D takes energy out or none.

    Hence conservative mechanisms have real squares, and about stable equilibria nothing grows.
    """
    m = CATALOGUE[name].build()
    at = vv.equilibrium(m)
    lin = vv.linearise(m, at)
    S = lin.mechanics
    assert not S.circulatory.any()
    assert not S.gyroscopic.any()  # at rest
    squares = scipy.linalg.eigh(S.stiffness, S.M, eigvals_only=True)
    size = np.abs(squares).max()
    assert_allclose(squares[0], at.lowest, atol=2e-6 * max(size, 1.0))
    damping = scipy.linalg.eigh(S.damping, S.M, eigvals_only=True)
    assert damping[0] >= -1e-12 * max(1.0, damping[-1])
    rubs = any(np.any(joint.friction) for joint in m.joints)
    assert S.damping.any() == (rubs or "damped" in CATALOGUE[name].traits)
    poles = lin.poles()
    if S.conservative:
        assert lin.modes().real
        assert_allclose((poles**2).imag, 0.0, atol=1e-12 * max(size, 1.0))
        assert_allclose(np.sort((poles**2).real)[::2], np.sort(-squares), atol=1e-9 * max(size, 1.0))
    if at.stability != "unstable":
        assert poles.real.max(initial=0.0) <= 1e-9 * max(np.abs(poles).max(initial=0.0), 1.0)


@pytest.mark.parametrize("name", sorted(SINGULAR))
def test_singular_configurations_are_refused(name):
    with pytest.raises(vv.AssemblyError, match="is singular in this configuration"):
        vv.linearise(CATALOGUE[name].build())


@pytest.mark.parametrize("name", sorted(BENT))
def test_a_fall_against_the_end_of_a_joint_is_no_equilibrium(name):
    with pytest.raises(vv.AssemblyError, match=r"until\nrzeppa joint 'joint' is bent by a right angle"):
        vv.linearise(CATALOGUE[name].build())


@pytest.mark.parametrize("name", sorted(BENT))
def test_with_a_stronger_spring_it_rests_within_its_range(name):
    """Bent beyond 60 degrees: a search that straightens a joint would not get there."""
    m = CATALOGUE[name].build().snapshot()
    m.spring("hook", m.ground, "hand", at_a=(1, 1, 1), k=25.0)
    at = vv.equilibrium(m)
    assert at.stable
    z_P, z_C = (at.motion.q[end][3:].reshape(3, 3).T @ (m[end].R_WC.T @ AXIS) for end in ("arm", "hand"))
    assert 60 < np.degrees(np.arccos(z_P @ z_C / (AXIS @ AXIS))) < 90
    poles = vv.linearise(m, at).poles()
    assert poles.real.max() <= 1e-9


@pytest.mark.parametrize("name", ["snakeboard", "Chaplygin sleigh"])
def test_conditions_on_velocities_leave_more_increments_than_velocities(name):
    lin = vv.linearise(CATALOGUE[name].build())
    rows = lin.mechanics.K.shape[1] - lin.mechanics.K.shape[0]
    assert rows == {"snakeboard": 2, "Chaplygin sleigh": 1}[name]
    assert (lin.poles().real <= 1e-9).all()
