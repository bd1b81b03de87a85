"""The benchmarks run, and measure what they say; nothing here depends on how fast."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import visviva as vv

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import (  # noqa: E402
    cells,
    mechanisms,
    peers_exudyn,
    peers_mujoco,
    peers_pinocchio,
    peers_rotorpy,
    report,
    tracking,
    vertical_loops,
)
from benchmarks.__main__ import MODULES, main  # noqa: E402
from benchmarks.links import links  # noqa: E402
from benchmarks.motion import centres, check_same, distance  # noqa: E402
from benchmarks.row import Row, against, duration  # noqa: E402
from benchmarks.steps import Steps  # noqa: E402
from benchmarks.work_precision import Curve, curves  # noqa: E402

NAMES = [module.__name__.rpartition(".")[2] for module in MODULES]
WAITING = [  # which compile for long
    "latency", "first_runs", "shipped", "quadratic_program", "tracking", "multicopters", "vertical_loops", "spreads",
]  # fmt: skip
PICTURES = {"work_precision", "accuracy"}
needs_exudyn = pytest.mark.skipif(not peers_exudyn.INSTALLED, reason="Exudyn is not installed")
needs_mujoco = pytest.mark.skipif(not peers_mujoco.INSTALLED, reason="MuJoCo is not installed")
needs_pinocchio = pytest.mark.skipif(not peers_pinocchio.INSTALLED, reason="Pinocchio is not installed")
needs_rotorpy = pytest.mark.skipif(not peers_rotorpy.INSTALLED, reason="RotorPy is not installed")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WAITING])
def test_a_benchmark_prints_its_table_and_keeps_it_for_the_page(name, tmp_path, capsys):
    main([name, "--quick", "--docs", str(tmp_path)])
    printed, kept = capsys.readouterr().out, (tmp_path / f"performance_{name}.txt").read_text(encoding="utf-8")
    assert len(printed.splitlines()) >= 3
    assert re.match(r"\| measured \| visviva \|", kept)
    assert (tmp_path / f"performance_{name}.svg").exists() == (name in PICTURES)


@pytest.mark.slow
@pytest.mark.parametrize("name", WAITING)
def test_a_benchmark_of_waiting_runs(name, tmp_path):
    main([name, "--quick", "--docs", str(tmp_path)])
    assert len((tmp_path / f"performance_{name}.txt").read_text(encoding="utf-8").splitlines()) > 4


def test_an_unknown_benchmark_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["lin"])
    assert "there is no benchmark 'lin'; there are: line," in capsys.readouterr().err


def test_peers_solve_the_equations_of_the_model():
    x = cells.start(5)
    model = cells.line(5)
    np.testing.assert_allclose(cells.right_hand_side(0.0, x), vv.rhs(model)(0.0, x), rtol=1e-12, atol=1e-14)
    assert len(model.storages) + len(model.structures) == cells.components(5)


def test_peers_know_where_the_derivative_is_zero():
    x, d = cells.start(4), 1e-6
    columns = [
        cells.right_hand_side(0.0, x + d * unit) - cells.right_hand_side(0.0, x - d * unit) for unit in np.eye(12)
    ]
    found = np.abs(np.array(columns).T) > 1e-12
    assert (found == (cells.pattern(4) > 0)).all()
    assert np.abs(np.subtract(*np.nonzero(found))).max() <= 4  # the band that LSODA is told


def test_schemes_and_peers_go_to_the_same_state():
    assert {curve.name for curve in curves(quick=True) if not min(curve.errors) < 0.02} == set()


def end(m: vv.Mechanism, t_end: float, n: int) -> np.ndarray:
    run = vv.simulate(m, t_end, t_end / n, every=n)
    return centres(run.model, run.final.x)


def measured_order(solve, exact) -> float:
    coarse, fine = (distance(solve(n), exact) for n in (40, 80))
    return np.log2(coarse / fine)


@needs_exudyn
@pytest.mark.parametrize("name", ["spherical", "revolute", *mechanisms.PUBLISHED, "net", "platform"])
def test_exudyn_goes_where_we_go(name):
    builders = {joint: partial(mechanisms.chain, 3, joint) for joint in mechanisms.JOINTS}
    builders |= {name: build for name, (build, *_) in mechanisms.PUBLISHED.items()}
    builders |= {"net": lambda: mechanisms.net(3), "platform": mechanisms.stewart}
    builders["loop of four bars"] = lambda: mechanisms.four_bar(thrown=True)
    m = builders[name]()
    gaps = {n: [distance(peer(n, 0.1 / n), end(m, 0.1, n)) for peer in peers_exudyn.solvers(m)] for n in (40, 80)}
    np.testing.assert_allclose(np.log2(np.divide(gaps[40], gaps[80])), 2.0, atol=0.1)  # both are of order 2


@needs_mujoco
@pytest.mark.parametrize("joint", mechanisms.JOINTS)
@pytest.mark.parametrize(("integrator", "order"), [("Euler", 1), ("RK4", 4)])
def test_mujoco_goes_where_we_go_at_its_order(joint, integrator, order):
    m = mechanisms.chain(3, joint)
    run = vv.simulate(m, 0.4, 0.4 / 400, integrator=vv.Suzuki4(vv.PHMP()), every=400)
    peer = peers_mujoco.MuJoCo(m)
    found = measured_order(lambda n: peer(n, 0.4 / n, integrator), centres(run.model, run.final.x))
    assert found == pytest.approx(order, abs=0.1)


@needs_mujoco
@needs_pinocchio
@pytest.mark.parametrize("joint", mechanisms.JOINTS)
def test_pinocchio_has_the_accelerations_of_mujoco(joint):
    import mujoco

    m = mechanisms.chain(4, joint)
    peer = peers_mujoco.MuJoCo(m)
    mujoco.mj_forward(peer.model, peer.data)
    np.testing.assert_allclose(peers_pinocchio.Pinocchio(m)(1), peer.data.qacc, rtol=0, atol=1e-10)


@needs_rotorpy
def test_rotorpy_flies_our_aircraft_along_our_path():
    peer, (_, law) = tracking.rotorpy(), tracking.quadcopter()
    thrusts = law.actuation.parts["rotors"][2][0]  # wrenches (m; f) of one unit of thrust each
    np.testing.assert_allclose(peer.vehicle.f_to_TM, thrusts[[5, 0, 1, 2]], atol=1e-15)
    np.testing.assert_allclose(peer.vehicle.inertia, np.diag(tracking.INERTIA))
    for t in (0.0, 0.7):
        wanted, (q, v, a) = peer.path.update(t), tracking.hover(t)
        for own, ours in ((wanted["x"], q[:3]), (wanted["x_dot"], v[3:]), (wanted["x_ddot"], a[3:])):
            np.testing.assert_allclose(own, ours, atol=1e-15)
    np.testing.assert_allclose(peer.fly(20), peer.simulate(20), atol=1e-12)  # both loops make the same steps
    assert np.linalg.norm(peer.fly(2000) - tracking.hover(2.0)[0][:3]) < tracking.ARRIVED


def test_a_peer_that_goes_elsewhere_is_found_out():
    steps = Steps(vv.compile(mechanisms.chain(2, "spherical"), "directors"), vv.PHMP(), None, 1e-3)
    other = Steps(vv.compile(mechanisms.chain(2, "revolute"), "directors"), vv.PHMP(), None, 1e-3)
    check_same(steps, lambda n, h: centres(steps.model, steps.last(n).x), "we")
    with pytest.raises(RuntimeError, match=r"after 50 steps another mechanism is .* m from where we are"):
        check_same(steps, lambda n, h: centres(other.model, other.last(n).x), "another mechanism")


def test_chunks_end_where_one_would(monkeypatch):
    monkeypatch.setattr("benchmarks.steps.CHUNK", 1_000)
    steps = Steps(vv.compile(mechanisms.chain(1, "revolute"), "directors"), vv.PHMP(), None, 1e-3)
    np.testing.assert_allclose(steps.last(150).x, steps(150).x[-1], rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("name", "energy"), [("flying cylindrical pair", 107604.71875), ("spatial slider-crank", 0.76643568)]
)
def test_the_published_mechanisms_have_their_published_energy(name, energy):
    build, h, _, _ = mechanisms.PUBLISHED[name]
    assert vv.simulate(build(), h, h)["energy"][0] == pytest.approx(energy, rel=1e-8)


def test_links_of_a_chain_lead_to_its_bodies():
    m = mechanisms.chain(4, "revolute")
    R, r = np.eye(3), np.zeros(3)
    for link in links(m):
        r, R = r + R @ link.r_PL, R @ link.R_PL
        np.testing.assert_allclose(r + R @ link.com, link.body.r_WC, atol=1e-14)
        np.testing.assert_allclose(R, link.body.R_WC, atol=1e-14)


def test_what_is_no_chain_has_no_links():
    with pytest.raises(ValueError, match="joint 'corner0' does not continue a chain of bodies at 'ground'"):
        list(links(mechanisms.four_bar()))


def test_a_net_has_all_its_rods_and_freedom():
    m = mechanisms.net(3)
    assert len(m.bodies) == 12
    assert m.mobility() == 3 * 9 - 6 - 12 + 12  # nodes, of which two are held, less rods; and each rod can spin
    assert m.redundant() == {}


def test_time_at_an_error_lies_on_the_line_between_neighbours():
    curve = Curve("", (1e-2, 1e-4, 1e-6), (1.0, 4.0, 16.0))
    assert curve.time(1e-3) == pytest.approx(2.0)
    assert curve.time(1e-6) == pytest.approx(16.0)
    assert np.isnan(curve.time(1e-7))


def test_steps_that_were_not_made_are_no_result(monkeypatch):
    steps = Steps(cells.line(1), vv.DiscreteGradient(), {"q0": 0.1, "p0": 1.0, "s0": 0.0}, 1e-3)
    advance = steps.stepping.advance
    monkeypatch.setattr(steps.stepping, "advance", lambda state, n: advance(state, n - 1))
    with pytest.raises(RuntimeError, match="only 2 of 3 steps were made"):
        steps(3)


def test_a_row_has_units_and_a_ratio():
    assert [duration(t) for t in (12.34, 0.1234, 5e-8, 1e-12)] == ["12.3 s", "123 ms", "50.0 ns", "0.00100 ns"]
    assert against("a step", 2e-6, "NumPy", 1e-3).cells == ("a step", "2.00 µs", "NumPy: 1.00 ms", "500 ×")


def test_a_table_of_a_page_has_no_empty_columns():
    assert list(report.markdown([Row("a", "1 s")])) == ["| measured | visviva |", "| --- | --- |", "| a | 1 s |"]


@pytest.mark.slow
@pytest.mark.parametrize("plane", vertical_loops.PLANES)
def test_vertical_loops_are_flown_to_a_centimetre_by_sensors(plane):
    """2.4 g, noise of 1 mm at 100 Hz, 20 ms late; and with mass and drag wrong by a fifth."""
    assert vertical_loops.loop_error(vertical_loops.flown_by_sensors(plane, vertical_loops.vehicle())) < 0.015
    for share in vertical_loops.WRONG:
        assert vertical_loops.loop_error(vertical_loops.flown_by_sensors(plane, vertical_loops.vehicle(share))) < 0.06


@needs_rotorpy
@pytest.mark.slow
@pytest.mark.parametrize("plane", vertical_loops.PLANES)
def test_vertical_loops_of_another_simulator_are_flown_to_a_centimetre(plane):
    assert vertical_loops.flown_in_rotorpy(plane, vertical_loops.vehicle()) < 0.01
    for share in vertical_loops.WRONG:
        assert vertical_loops.flown_in_rotorpy(plane, vertical_loops.vehicle(share)) < 0.05
    assert vertical_loops.flown_in_rotorpy(plane, None) > 0.2
