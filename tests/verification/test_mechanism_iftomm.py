"""Benchmarks of the IFToMM library, and tops, against tightly computed motions.

Places and public velocities both have the order of the scheme: 2, and 4 under Suzuki's composition.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mechanism_models import E1, E2, slider_crank
from test_published_motions import heavy_top, simple_pendulum

import visviva as vv

DATA = Path(__file__).parent.parent / "data"
pytestmark = pytest.mark.slow
SCHEMES = {"PHMP": (vv.PHMP(), 2), "Suzuki4": (vv.Suzuki4(vv.PHMP()), 4)}
both_orders = pytest.mark.parametrize("scheme", SCHEMES)


def reference(name, t):
    """The row of a stored motion at a time, without the time."""
    table = np.loadtxt(DATA / name, delimiter=",")
    return table[np.searchsorted(table[:, 0], t - 1e-9), 1:]


def errors(end, scheme, h, exact):
    """Order of each group of values (places, velocities) from h and h/2, and the error at h/2."""
    integrator, order = SCHEMES[scheme]
    found = [end(integrator, step) for step in (h, h / 2)]
    gaps = np.array(
        [[np.linalg.norm(np.subtract(a, b)) for a, b in zip(values, exact, strict=True)] for values in found]
    )
    return np.log2(gaps[0] / gaps[1]) - order, gaps[1]


def simulated(m, integrator, t_end, h):
    return vv.simulate(m, t_end=t_end, h=h, integrator=integrator, every=round(t_end / h))


def velocity(run, body):
    """Velocity of the origin of a body's frame in world axes, at the end."""
    return run[f"{body}.R"][-1] @ run[f"{body}.twist"][-1, 3:]


@both_orders
def test_simple_pendulum_A01(scheme):
    row = reference("iftomm_A01_simple_pendulum_exact.csv", 2.0)

    def end(integrator, h):
        run = simulated(simple_pendulum(), integrator, 2.0, h)
        return run["bob.r"][-1, :2], velocity(run, "bob")[:2]

    gap, error = errors(end, scheme, 0.02, (row[:2], row[2:]))
    np.testing.assert_allclose(gap, 0, atol=0.1)
    assert error.max() < {"PHMP": 3e-2, "Suzuki4": 3e-6}[scheme]


def double_four_bar():
    """Two loops of uniform rods of 1 kg and 1 m side by side: three cranks, two couplers; flat at ±90°."""
    m = vv.Mechanism("A02", gravity=(0, -9.81, 0))
    for i in range(3):
        m.body(f"crank{i}", mass=1.0, inertia=(1 / 12, 1e-3, 1 / 12), at=(i, 0.5, 0))
        m.revolute(f"A{i}", m.ground, f"crank{i}", at=(i, 0, 0), axis=(0, 0, 1), rate=-1.0 if i == 0 else None)
    for i in range(2):
        m.body(f"coupler{i}", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(i + 0.5, 1, 0))
        m.revolute(f"left{i}", f"crank{i}", f"coupler{i}", at=(i, 1, 0), axis=(0, 0, 1))
        m.revolute(f"right{i}", f"coupler{i}", f"crank{i + 1}", at=(i + 1, 1, 0), axis=(0, 0, 1))
    m.frame("B0", "crank0", at=(0, 1, 0))
    return m


def test_the_double_four_bar_is_overconstrained():
    m = double_four_bar()
    assert m.mobility() == 1
    assert sum(m.redundant().values()) == 7 * 5 - (6 * 5 - 1)


@pytest.mark.parametrize(("scheme", "t"), [("PHMP", 1.0), ("Suzuki4", 1.0), ("PHMP", 10.0), ("Suzuki4", 10.0)])
def test_double_four_bar_A02(scheme, t):
    """The first corner, at first before and then after several passages through the flat poses."""
    row = reference("iftomm_A02_2_four_bar_B0.csv", t)
    m = double_four_bar()

    def end(integrator, h):
        run = simulated(m, integrator, t, h)
        assert run.audit().g <= 1e-12
        return run["B0.r"][-1, :2], velocity(run, "B0")[:2]

    gap, error = errors(end, scheme, 0.01, (row[:2], row[2:]))
    np.testing.assert_allclose(gap, 0, atol=0.2)
    assert error[0] < {"PHMP": 2e-3, "Suzuki4": 1e-5}[scheme]


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL()], ids=["PHMP", "PHMPGGL"])
def test_double_four_bar_A02_all_along_its_way(scheme):
    """Largest distance in 10 s, through all flat poses: 5.0e-3 m at h = 0.01 and a quarter of it at half the step."""
    data = np.loadtxt(DATA / "iftomm_A02_2_four_bar_B0.csv", delimiter=",")
    for every, error in ((10, 4.98e-3), (20, 1.246e-3)):
        run = vv.simulate(double_four_bar(), t_end=10.0, h=0.1 / every, integrator=scheme, every=every)
        np.testing.assert_allclose(run.t, data[:, 0], rtol=0, atol=1e-9)
        gap = np.linalg.norm(run["B0.r"][:, :2] - data[:, 1:3], axis=1)
        assert gap.max() == pytest.approx(error, rel=0.01)


@both_orders
def test_spatial_slider_crank(scheme):
    """Its universal joint has the pins e2 on the slider, e1 on the rod: x(1) = 0.209457019, x(5) = 0.229383897."""
    first, last = (reference("iftomm_spatial_slider_crank.csv", t) for t in (1.0, 5.0))
    np.testing.assert_allclose((first[2], last[2]), (0.209457019, 0.229383897), atol=1e-9)
    m = slider_crank(pins=(E2, E1), rate=reference("iftomm_spatial_slider_crank.csv", 0.0)[1])

    def end(integrator, h):
        run = simulated(m, integrator, 1.0, h)
        return (run["crankshaft.q"][-1], run["slider.r"][-1, 0]), (
            run["crankshaft.rate"][-1],
            velocity(run, "slider")[0],
        )

    gap, error = errors(end, scheme, 4e-3, ((first[0], first[2]), (first[1], first[3])))
    np.testing.assert_allclose(gap, 0, atol=0.25)
    assert error[0] < {"PHMP": 2e-2, "Suzuki4": 1e-5}[scheme]


def test_spatial_slider_crank_after_five_seconds():
    last = reference("iftomm_spatial_slider_crank.csv", 5.0)
    m = slider_crank(pins=(E2, E1), rate=reference("iftomm_spatial_slider_crank.csv", 0.0)[1])
    run = simulated(m, vv.Suzuki4(vv.PHMP()), 5.0, 1e-3)
    assert run["slider.r"][-1, 0] == pytest.approx(last[2], abs=1e-7)
    assert run["crankshaft.q"][-1] == pytest.approx(last[0], abs=1e-5)
    assert run["energy"][-1] == pytest.approx(last[4], abs=1e-9)


@both_orders
def test_heavy_top(scheme):
    row = reference("heavy_top_bruels_cardona.csv", 0.2)
    m = heavy_top()

    def end(integrator, h):
        run = simulated(m, integrator, 0.2, h)
        return run["centre.r"][-1], run["top.twist"][-1, :3]

    gap, error = errors(end, scheme, 5e-4, (row[:3], row[7:10]))
    np.testing.assert_allclose(gap, 0, atol=0.2)
    assert error[0] < {"PHMP": 2e-3, "Suzuki4": 1e-5}[scheme]


@both_orders
def test_asymmetric_top(scheme):
    row = reference("euler_top_asymmetric.csv", 10.0)
    m = vv.Mechanism("euler top")
    m.body("top", mass=1.0, inertia=(1, 2, 3), twist=(0.5, 0.01, 0.8, 0, 0, 0))

    def end(integrator, h):
        return (simulated(m, integrator, 10.0, h)["top.twist"][-1, :3],)

    gap, error = errors(end, scheme, 0.1, (row[:3],))
    np.testing.assert_allclose(gap, 0, atol=0.15)
    assert error[0] < {"PHMP": 1e-3, "Suzuki4": 1e-6}[scheme]
