"""The tolerance of DOP853 has one meaning: NumPy and compiled code make the same steps, in metres and millimetres."""

import numpy as np
import pytest

import visviva as vv
from visviva.forms import TreeDynamics, TreeLoop
from visviva.mechanism.closure import typical_length
from visviva.mechanism.linkage import Linkage

T_END = 1.5


def swinging(unit):
    """A slide that carries a pendulum; lengths in some unit [1/m], hence forces and energies too."""
    m = vv.Mechanism("crane", gravity=(0, 0, -9.81 * unit))
    m.body("cart", mass=2.0, inertia=np.full(3, 0.1) * unit**2)
    m.body("load", mass=1.0, inertia=np.array([0.05, 0.05, 0.01]) * unit**2, at=(0.4 * unit, 0, -0.3 * unit))
    m.prismatic("slide", m.ground, "cart", at=(0, 0, 0.1 * unit), axis=(1, 0, 0))
    m.revolute("hinge", "cart", "load", at=(0, 0, 0), axis=(0, 1, 0), rate=2.0)
    return m


def in_numpy(unit, tolerance):
    return vv.simulate(swinging(unit), T_END, T_END, integrator=vv.DOP853(tolerance, compiled=False))


def compiled(unit, tolerance):
    m = swinging(unit)
    form, length = vv.analytical(m), typical_length(Linkage(m).kinematics)
    loop = TreeLoop(TreeDynamics(form.tree), "Adaptive", tolerance, sizes=(length, 1.0))
    return loop(form.initial.q, form.initial.xi, T_END, 1)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-9])
def test_compiled_code_and_numpy_make_the_same_steps_in_any_unit(tolerance):
    reference = in_numpy(1.0, tolerance)
    steps = reference.steps
    assert in_numpy(1000.0, tolerance).steps == steps
    for unit in (1.0, 1000.0):
        motion = compiled(unit, tolerance)
        assert motion.steps == steps
        slide, angle = motion.q[-1]
        assert angle == pytest.approx(float(reference["hinge.q"][-1]), abs=1e-11)
        assert slide / unit == pytest.approx(float(reference["slide.q"][-1]), abs=1e-11)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # a load that spins fast
def test_runs_in_metres_and_in_millimetres_are_the_same():
    metres, millimetres = (vv.simulate(swinging(unit), T_END, 0.5, integrator=vv.DOP853(1e-6)) for unit in (1.0, 1e3))
    assert metres.engine == millimetres.engine == "compiled"
    np.testing.assert_allclose(millimetres["hinge.q"], metres["hinge.q"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(millimetres["load.r"] / 1e3, metres["load.r"], rtol=0, atol=1e-11)
