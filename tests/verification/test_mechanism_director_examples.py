"""The three examples of Latussek, Kinon, Betsch, built from bodies and joints, against stored and exact motions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from mechanism_models import E1, PIN, cylindrical_pair, free_four_bar, ramp, slider_crank
from slider_crank_reference import motion, slide

import visviva as vv

DATA = Path(__file__).parent.parent / "data"
pytestmark = pytest.mark.slow

MODELS = {
    "cylindrical_pair": cylindrical_pair,
    "cylindrical_pair_printed_signs": lambda: cylindrical_pair(w=(1, 1.5, 0), turn=-100.0),
    "four_bar": free_four_bar,
    "slider_crank": slider_crank,
}
CASES = [
    ("cylindrical_pair", "mp", "0.001"),
    ("cylindrical_pair", "ggl", "0.001"),
    ("cylindrical_pair_printed_signs", "mp", "0.001"),
    ("four_bar", "mp", "0.1"),
    ("four_bar", "ggl", "0.1"),
    ("slider_crank", "mp", "0.01"),
    ("slider_crank", "ggl", "0.01"),
    ("slider_crank", "mp", "0.02"),
    ("slider_crank", "ggl", "0.02"),
]
all_cases = pytest.mark.parametrize("case", CASES, ids="-".join)


@cache
def simulated(model, scheme, h):
    """The stored trajectory and our run of the same mechanism, with the same nodes kept."""
    data = dict(np.load(DATA / f"{model}_{scheme}_h{h}.npz"))
    run = vv.simulate(
        MODELS[model](),
        t_end=float(data["t_end"]),
        h=float(data["h"]),
        integrator=vv.PHMPGGL() if scheme == "ggl" else vv.PHMP(),
        inputs={"load": ramp} if model == "four_bar" else None,
        every=int(data["every"]),
    )
    return data, run


def bodies(run):
    return [part.name for part in run.model.definition.bodies]


def directors(run):
    """q = (φ, d1, d2, d3) of every body in the axes of its frame, all of which sit at the centres of mass."""
    return np.concatenate(
        [np.c_[run[f"{name}.r"], np.swapaxes(run[f"{name}.R"], 1, 2).reshape(-1, 9)] for name in bodies(run)], axis=1
    )


def director_rates(run):
    """The scheme's own v = q̇, from those of the principal directors."""
    columns = []
    for name in bodies(run):
        v = run.record.x[:, run.model.layout.x[f"{name}.v"]]
        principal = np.swapaxes(v[:, 3:].reshape(-1, 3, 3), 1, 2)
        turned = principal @ run.model.definition[name].R_BC.T
        columns += [v[:, :3], np.swapaxes(turned, 1, 2).reshape(-1, 9)]
    return np.concatenate(columns, axis=1)


def accuracy_of(case):
    """The motion of the slider-crank in long steps multiplies rounding by 1e5."""
    return 1e-9 if case == ("slider_crank", "mp", "0.02") else 3e-11


@all_cases
def test_stored_trajectory(case):
    data, run = simulated(*case)
    bound = accuracy_of(case)
    np.testing.assert_allclose(directors(run), data["q"], rtol=0, atol=bound)
    np.testing.assert_allclose(director_rates(run), data["v"], rtol=0, atol=bound * np.abs(data["v"]).max())


@all_cases
def test_energy_and_constraints(case):
    _, run = simulated(*case)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-13
    assert audit.g <= 1e-13
    if case[1] == "ggl":
        assert audit.g_v <= 1e-12


@pytest.mark.parametrize("case", [case for case in CASES if case[1] == "mp"], ids="-".join)
def test_forces_of_the_joints_from_the_stored_multipliers(case):
    """Force on the child: -∇_φ g(q_m)ᵀλ at the mean configuration of the step, over the rows of the joint."""
    data, run = simulated(*case)
    names, record = bodies(run), run.record
    mean = 0.5 * (record.x_before + record.x[1:])
    q_m = []
    for name in names:
        q = mean[:, run.model.layout.x[f"{name}.q"]]
        frame = np.swapaxes(q[:, 3:].reshape(-1, 3, 3), 1, 2) @ run.model.definition[name].R_BC.T
        q_m += [q[:, :3], np.swapaxes(frame, 1, 2).reshape(-1, 9)]
    gradient = np.einsum("kij,nj->nki", data["A"], np.concatenate(q_m, axis=1)) + data["b"]
    row = 6 * len(names)
    for joint in run.model.definition.joints:
        rows = slice(row, row + len(joint.joint.rows))
        row = rows.stop
        at = 12 * names.index(joint.child.name)
        force = -np.einsum("nki,nk->ni", gradient[:, rows, at : at + 3], data["lam_mid"][:, rows])
        ours = np.linalg.norm(run[f"{joint.name}.reaction_mid"][:, 3:], axis=1)
        scale = np.abs(data["lam_mid"]).max()
        np.testing.assert_allclose(ours, np.linalg.norm(force, axis=1), rtol=0, atol=accuracy_of(case) * scale)
    assert row == len(data["A"])


@pytest.mark.parametrize(
    ("case", "E", "L"),
    [
        (CASES[0], 107604.71875, (964.25, -1028.625, 1950)),
        (CASES[1], 107604.71875, (964.25, -1028.625, 1950)),
        (CASES[2], 110904.71875, (2335.75, 1028.625, -1950)),
    ],
    ids=["mp", "ggl", "printed signs"],
)
def test_energy_and_momentum_of_the_flying_pair(case, E, L):
    _, run = simulated(*case)
    np.testing.assert_allclose(run["energy"], E, rtol=1e-13)
    np.testing.assert_allclose(run["momentum"][:, :3], np.broadcast_to(L, (len(run.t), 3)), rtol=1e-13 * np.sqrt(700))
    linear = run["momentum"][:, 3:]
    np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), rtol=0, atol=1e-12 * 350)


def test_published_errors_of_the_flying_pair():
    """RMS error of q at t = 0.02 against h = 1e-5, section 7.1: 4.1974e-2, 4.8061e-4, 4.7656e-6."""
    m = cylindrical_pair()

    def end(h):
        return directors(vv.simulate(m, t_end=0.02, h=h, every=round(0.02 / h)))[-1]

    exact = end(1e-5)
    for h, error in ((1e-2, 4.1974e-2), (1e-3, 4.8061e-4), (1e-4, 4.7656e-6)):
        assert np.sqrt(np.mean((end(h) - exact) ** 2)) == pytest.approx(error, rel=2e-5)


@pytest.mark.parametrize("case", [CASES[3], CASES[4]], ids=["mp", "ggl"])
def test_the_loaded_four_bar_takes_up_exactly_the_work(case):
    _, run = simulated(*case)
    np.testing.assert_allclose(run["energy"] - run["energy"][0], run["work"], rtol=0, atol=1e-12 * run["work"].max())
    after = run["energy"][run.t > 1.05]
    np.testing.assert_allclose(after, after[0], rtol=1e-13)


def test_the_work_of_ggl_is_along_the_way_and_not_along_the_mean_velocity():
    """f·Δq closes to rounding; h f·(v0 + v1)/2 misses 0.14 of 152 J in the fourth step."""
    h = 0.1
    run = vv.simulate(free_four_bar(), t_end=1.0, h=h, integrator=vv.PHMPGGL(), inputs={"load": ramp})
    V = run["one.twist"]
    twist = np.concatenate([np.einsum("nij,nj->ni", run["one.R"], part) for part in (V[:, :3], V[:, 3:])], axis=1)
    f = np.array([ramp(t) for t in run.t_mid])
    along_mean = h * np.einsum("ni,ni->n", f, (twist[1:] + twist[:-1]) / 2)
    work = np.diff(run["work"])
    np.testing.assert_allclose(np.diff(run["energy"]), work, rtol=0, atol=2e-12)
    assert work[3] == pytest.approx(152, abs=0.5)
    assert along_mean[3] - work[3] == pytest.approx(-0.143, abs=0.005)


def test_the_four_bar_gets_angular_momentum_about_one_axis_only():
    run = simulated(*CASES[3])[1]
    L = run["momentum"][:, :3]
    assert np.abs(L[-1, 0]) > 100
    np.testing.assert_allclose(L[:, 1:], 0, atol=1e-11 * np.abs(L).max())
    after = L[run.t > 1.05]
    np.testing.assert_allclose(after, np.broadcast_to(after[0], after.shape), rtol=0, atol=1e-12 * np.abs(L).max())


def test_start_of_the_slider_crank():
    """Velocities follow from the rate of the crank alone; E0 = 0.76643568 J."""
    m = slider_crank()
    state, _ = m.assemble()
    np.testing.assert_allclose(state.V["slider"], (0, 0, 0, 0.24, 0, 0), atol=1e-14)
    np.testing.assert_allclose(state.V["rod"][3:], (0.12, -0.24, 0), atol=1e-14)
    rod = m["rod"]
    np.testing.assert_allclose(rod.R_WC @ state.V["rod"][:3], (1.92, -0.96, 0.48), atol=1e-13)
    assert vv.simulate(m, t_end=0.01, h=0.01)["energy"][0] == pytest.approx(0.76643568, abs=1e-14)
    assert (m.mobility(), m.redundant()) == (1, {})


def instant_of(angle):
    """When the crank has turned by an angle, in the motion of one degree of freedom [s]."""
    times = np.linspace(0, 5, 2001)
    return np.interp(angle, motion(times, 6.0, (E1, PIN))[0], times)


def test_large_steps_keep_the_energy_and_lose_the_motion():
    """PH-MP at h = 0.02 is 0.47 s late although no joule is lost: max |g_v| = 11.5 tells, and the audit warns."""
    _, run = simulated("slider_crank", "mp", "0.02")
    assert run.audit().ok
    assert np.abs(run["g_v"]).max() == pytest.approx(11.5, abs=0.1)
    assert 5.0 - instant_of(run["crankshaft.q"][-1]) == pytest.approx(0.47, abs=0.01)
    assert any("step is too large" in warning for warning in run.audit().warnings)
    exact = slide(motion([5.0], 6.0, (E1, PIN))[0])[0][-1]
    assert abs(run["slider.r"][-1, 0] - exact) > 1e-2
    exact_rates = simulated("slider_crank", "ggl", "0.02")[1].audit().warnings
    assert [text[:18] for text in exact_rates] == ["steps are too long"]  # its rates tell nothing, its halved steps do


EXACT_TIMES = np.array([1.0, 5.0])


@cache
def exact_slide():
    """Place and speed of the slider from the motion of one degree of freedom."""
    theta, speed = motion(EXACT_TIMES, 6.0, (E1, PIN))
    x, slope = slide(theta)
    return np.array([x, slope * speed])


def test_place_of_the_slider_after_five_seconds():
    """0.24072 m with the pins of section 7.3."""
    assert exact_slide()[0, 1] == pytest.approx(0.24072, abs=1e-6)
    assert slider_at(4e-4, vv.Suzuki4(vv.PHMP()))[0, 1] == pytest.approx(0.24072, abs=1e-6)


def slider_at(h, integrator, times=EXACT_TIMES):
    every = round((times[1] - times[0]) / h / 4)
    run = vv.simulate(slider_crank(), t_end=times[-1], h=h, integrator=integrator, every=every)
    at = np.searchsorted(run.t, times - 1e-9)
    speed = np.einsum("nij,nj->ni", run["slider.R"], run["slider.twist"][:, 3:])
    return np.array([run["slider.r"][at, 0], speed[at, 0]])


@pytest.mark.parametrize(
    ("integrator", "h", "order", "error"),
    [(vv.PHMP(), 2e-3, 2, 3e-4), (vv.PHMPGGL(), 4e-3, 2, 1e-3), (vv.Suzuki4(vv.PHMP()), 4e-3, 4, 1e-6)],
    ids=["PHMP", "PHMPGGL", "Suzuki4"],
)
def test_the_slider_crank_converges_to_the_exact_motion(integrator, h, order, error):
    """Place and projected velocity of the slider, each with the order of the scheme."""
    coarse, fine = (np.abs(slider_at(step, integrator) - exact_slide()) for step in (h, h / 2))
    measured = np.log2(coarse.max(1) / fine.max(1))
    np.testing.assert_allclose(measured, order, atol=0.25)
    assert fine[0].max() < error


def ball_force(h, integrator, t):
    """Size of the force of the ball joint: from the multipliers of the step whose middle is t, and at the node t."""
    run = vv.simulate(slider_crank(), t_end=2 * t, h=h, integrator=integrator)
    inner = np.flatnonzero(np.abs(run.t_mid - t) < 1e-9 * h)
    nodes = np.flatnonzero(np.abs(run.t - t) < 1e-9 * h)
    which, at = ("ball.reaction_mid", inner) if len(inner) else ("ball.reaction", nodes)
    return np.linalg.norm(run[which][at[0], 3:])


@pytest.mark.parametrize(("integrator", "order"), [(vv.PHMP(), 1), (vv.PHMPGGL(), 2)], ids=["PHMP", "PHMPGGL"])
def test_multipliers_converge_at_the_midpoints(integrator, order):
    """With h and h/3 the same instant is the middle of a step; the exact force is that of a node of a fine run."""
    t = 0.15
    exact = ball_force(t / 100, vv.Suzuki4(vv.PHMP()), t)
    coarse, fine = (abs(ball_force(h, integrator, t) - exact) for h in (t / 12.5, t / 37.5))
    assert np.log(coarse / fine) / np.log(3) > order - 0.2
