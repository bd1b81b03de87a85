"""Wrenches on bodies that fly, which trees take by constant matrices: the motion and the books of the reference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.geometry import SO3


def flier(others=()):
    m = vv.Mechanism("flier", gravity=(0.3, -0.2, -9.81))
    inertia = np.array([[0.4, 0.1, 0], [0.1, 0.3, 0.05], [0, 0.05, 0.5]])
    body = m.body("body", mass=1.3, com=(0.1, -0.2, 0.05), inertia=inertia)
    hub = m.body("hub", massless=True, at=(0.2, 0.1, 0.3), rotation=SO3.exp([0.3, 0.5, -0.2]).R)
    m.fixed("mount", body, hub)
    m.body("other", mass=0.5, inertia=(0.1, 0.2, 0.3), at=(2.0, 0, 0))
    m.wrench("rotors", hub, frame="body")
    m.wrench("air", body, frame="body")
    m.wrench("push", "other", frame="body")
    if "spring" in others:
        m.spring("spring", "body", "other", k=1e-300, length=0.5)
    return m


INPUTS = {
    "rotors": np.array([0.1, -0.2, 0.05, 0.5, 0.3, 12.0]),
    "air": np.array([-0.05, 0.1, 0.02, 0.2, -0.1, 0.3]),
    "push": np.array([0.01, 0.02, -0.03, 0.4, 0.5, 5.0]),
}
START = {"body.twist": [0.5, -0.3, 0.2, 1.0, 0.2, 0.1]}


@pytest.mark.parametrize("scheme", [vv.RK4, vv.DOP853, vv.Gauss8, vv.Relaxed])
def test_motion_and_books_are_those_of_the_reference(scheme):
    ours, plain, general = (
        vv.simulate(m, t_end=0.1, h=0.01, integrator=scheme(compiled=compiled), inputs=INPUTS, initial=START)
        for m, compiled in ((flier(), True), (flier(), False), (flier(("spring",)), True))
    )
    assert ours.engine == general.engine == "compiled"
    names = ["body.r", "body.R", "body.twist", "other.r", "other.twist", "energy"]
    for name in [*names, *(f"{port}.work" for port in INPUTS)]:
        assert_allclose(ours[name], general[name], rtol=1e-10, atol=1e-11)
        assert_allclose(ours[name], plain[name], rtol=1e-9, atol=1e-10)
    assert np.abs(ours["rotors.work"]).max() > 0.01
