"""Bodies at the limits of inertia: flat ones (J1 + J2 = J3) and needles (no inertia about an axis)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from index1_reference import Index1, placements, twists

import visviva as vv

SCHEMES = {"PHMP": vv.PHMP(), "PHMP plain": vv.PHMP(compiled=False), "PHMPGGL": vv.PHMPGGL(), "Lie": vv.LieMidpoint()}
with_every_scheme = pytest.mark.parametrize("integrator", SCHEMES.values(), ids=SCHEMES)
R = np.linalg.qr(np.array([[1.0, 0.2, 0.3], [0.1, 1.1, -0.2], [-0.3, 0.1, 0.9]]))[0]
R *= np.sign(np.linalg.det(R))


def tumbling_disc():
    m = vv.Mechanism("disc")
    m.body("disc", mass=2.0, inertia=(0.125, 0.25, 0.125), rotation=R, twist=(1, 2, 3, 0.1, -0.2, 0.3))
    return m


def plates_on_hinges():
    """Two plates in a row on skew hinges, with gravity, a torque and friction."""
    m = vv.Mechanism("plates", gravity=(0, 0, -9.81))
    plate = (0.02, 0.05, 0.07)
    first = m.body("first", mass=1.0, inertia=plate, at=(0.4, 0, 0), rotation=R)
    second = m.body("second", mass=0.7, inertia=plate, at=(1.1, 0.1, 0.1), rotation=R.T)
    m.revolute("one", m.ground, first, at=(0, 0, 0), axis=(0.1, 1, 0.2), rate=1.0, friction=0.02)
    m.revolute("two", first, second, at=(0.8, 0, 0), axis=(1, 0.2, -0.4), rate=-2.0)
    m.torque("motor", "two")
    return m


def plates_in_a_loop():
    """A four-bar of plates in the plane of the motion: their large moment is the one about the hinges."""
    m = vv.Mechanism("flat loop", gravity=(0, -9.81, 0))
    points = {"a": (0, 0, 0), "b": (0.2, 1, 0), "c": (1.4, 1.3, 0), "d": (1.5, 0, 0)}
    ends = {"a": ("ground", "ab"), "b": ("ab", "bc"), "c": ("bc", "cd"), "d": ("cd", "ground")}
    for name in ("ab", "bc", "cd"):
        centre = (np.array(points[name[0]]) + points[name[1]]) / 2
        m.body(name, mass=1.0, inertia=(0.06, 0.04, 0.1), at=centre)
    for name, (parent, child) in ends.items():
        m.revolute(name, parent, child, at=points[name], axis=(0, 0, 1), rate=1.0 if name == "a" else None)
    return m


def held_needles():
    """Rods without inertia about their axes: a universal joint, a hinge across the axis, a slide along it."""
    m = vv.Mechanism("needles", gravity=(0, 0, -9.81))
    needle = vv.inertia.rod(1.0, 1.0, axis="x")
    first = m.body("first", inertia=needle, at=(0.5, 0, 0))
    second = m.body("second", inertia=needle, at=(1.5, 0, 0))
    third = m.body("third", inertia=needle, at=(2.5, 0, 0))
    m.universal("root", m.ground, first, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)), rate=(0.5, -0.4))
    m.revolute("hinge", first, second, at=(1, 0, 0), axis=(0, 1, 0.5), rate=1.0)
    m.prismatic("slide", second, third, at=(2, 0, 0), axis=(1, 0, 0), rate=0.3)
    return m


MODELS = {
    "flat, free": (tumbling_disc, {}),
    "flat, on hinges": (plates_on_hinges, {"motor": 0.3}),
    "flat, in a loop": (plates_in_a_loop, {}),
    "needles": (held_needles, {}),
}
T_END, H = 0.1, 0.01


@cache
def exact_end(name):
    """Placements and twists of all bodies at the end, from DOP853 on the index-1 form."""
    model, inputs = MODELS[name]
    m = model()
    reference, names = Index1(m, inputs), [part.name for part in m.bodies]
    x = reference.states(T_END, rtol=1e-10)
    return np.concatenate([placements(reference, names, x)[0], twists(reference, names, x)[0]])


@with_every_scheme
@pytest.mark.parametrize("name", MODELS)
def test_motion_of_thin_bodies(name, integrator):
    """Error of order 2 against the index-1 form, energy and constraints exact."""
    (model, inputs), gaps = MODELS[name], []
    for h in (H, H / 2):
        m = model()
        run, names = vv.simulate(m, t_end=T_END, h=h, integrator=integrator, inputs=inputs), [b.name for b in m.bodies]
        audit = run.audit()
        assert audit.first_law <= 1e-13
        assert audit.g <= 1e-12
        end = np.concatenate([placements(run, names)[-1], twists(run, names)[-1]])
        gaps.append(np.linalg.norm(end - exact_end(name)))
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2, abs=0.25)


@with_every_scheme
def test_a_flat_body_keeps_its_momentum(integrator):
    m = tumbling_disc()
    smallest, middle, largest = np.sort(m["disc"].J_C)
    assert largest == pytest.approx(smallest + middle, rel=1e-14)
    L = vv.simulate(m, t_end=2.0, h=0.02, integrator=integrator)["momentum"]
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), rtol=0, atol=1e-12 * np.abs(L).max())


@with_every_scheme
def test_a_mass_without_inertia_on_a_hinge_is_a_particle_on_a_rod(integrator):
    bob = vv.Mechanism("body", gravity=(0, -9.81, 0))
    bob.body("bob", mass=1.0, inertia=(0, 0, 0), at=(1, 0, 0))
    bob.revolute("hinge", bob.ground, "bob", at=(0, 0, 0), axis=(0, 0, 1))
    point = vv.Mechanism("particle", gravity=(0, -9.81, 0))
    point.particle("bob", mass=1.0, at=(1, 0, 0))
    point.distance("rod", point.ground, "bob", at_a=(0, 0, 0))
    ends = [vv.simulate(m, t_end=0.5, h=0.01, integrator=integrator)["bob.r"][-1] for m in (bob, point)]
    np.testing.assert_allclose(*ends, atol=1e-10)


@pytest.mark.parametrize("joint", ["spherical", "revolute about its axis", "free"])
def test_a_spin_without_inertia_is_an_error_that_names_body_and_axis(joint):
    m = vv.Mechanism("needle", gravity=(0, 0, -9.81))
    m.body("needle", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0, 0, 0.5), rotation=np.eye(3)[[1, 2, 0]])
    if joint == "spherical":
        m.spherical("pivot", m.ground, "needle", at=(0, 0, 0))
    elif joint == "free":
        m.free("pivot", m.ground, "needle")
    else:
        m.revolute("pivot", m.ground, "needle", at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(vv.ModelError, match=r"'needle' can spin about its axis \[-?1\.0, -?0\.0, -?0\.0\]"):
        vv.simulate(m, t_end=0.1, h=0.01)


def test_a_chain_of_needles_says_which_one_can_spin():
    m = vv.Mechanism("chain", gravity=(0, 0, -9.81))
    needle = vv.inertia.rod(1.0, 1.0, axis="x")
    m.body("held", inertia=needle, at=(0.5, 0, 0))
    m.body("loose", inertia=needle, at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, "held", at=(0, 0, 0), axis=(0, 1, 0))
    m.spherical("ball", "held", "loose", at=(1, 0, 0))
    with pytest.raises(vv.ModelError, match="'loose' can spin"):
        vv.simulate(m, t_end=0.1, h=0.01)
