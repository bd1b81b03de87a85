"""Blades and rolling discs against equations derived by hand: closed forms, DOP853, order two, every joule."""

from __future__ import annotations

import numpy as np
import pytest
from nonholonomic_models import disc_body, sleigh_mechanism, snakeboard_mechanism
from nonholonomic_references import Disc, Snakeboard, sleigh

import visviva as vv

SCHEMES = {
    "PHMP": vv.PHMP(),
    "LieMidpoint": vv.LieMidpoint(),
    "PHMPGGL": vv.PHMPGGL(),
}
DISC = Disc()
BOARD = Snakeboard()


def closes(run, energy=1e-13):
    """Whether every step keeps the first law and all constraints on positions, to rounding."""
    audit = run.audit()
    assert audit.first_law <= energy
    assert (audit.g or 0.0) <= 1e-12
    assert audit.ok, str(audit)


def wobbling(theta=1.2):
    """The start of a motion that is not steady, as state of the references and as mechanism."""
    rates = (0.3, 1.1, -4.0)
    return np.array([theta, 0.0, 0.0, 0.0, *rates]), disc_body(DISC, theta, 0.0, rates)


def lean_and_place(run):
    """θ, x and y of a disc whose axis is z of its body."""
    return np.column_stack([np.arccos(run["disc.R"][:, 2, 2]), run["disc.r"][:, :2]])


# -- Chaplygin's sleigh ---------------------------------------------------------------------------------------------


def test_the_sleigh_has_the_numbers_of_its_closed_equations():
    """M8: E = 1.82, and after 3 s ω = 0.0817319482, v = 1.9067226139; order four of the composition reaches them."""
    run = vv.simulate(sleigh_mechanism(), t_end=3.0, h=0.01, integrator=vv.Suzuki4(vv.PHMP()))
    twist = run["sleigh.twist"][-1]
    np.testing.assert_allclose(twist[[2, 3]], [0.0817319482, 1.9067226139], rtol=0, atol=2e-8)
    np.testing.assert_allclose(run["energy"], 1.82, rtol=0, atol=1e-12)
    assert np.abs(run["sleigh.twist"][:, 4]).max() < 1e-12  # the blade does not slip at the nodes either


@pytest.mark.parametrize("name", SCHEMES)
def test_the_sleigh_converges_with_order_two(name):
    t = np.linspace(0, 1.0, 11)
    exact = sleigh(1.0, 0.5, 0.4, t, 2.0, 1.0)
    errors = []
    for h in (0.05, 0.025):
        run = vv.simulate(sleigh_mechanism(), t_end=1.0, h=h, integrator=SCHEMES[name])
        closes(run)
        at = np.round(t / h).astype(int)
        ours = np.column_stack([run["sleigh.twist"][at][:, [2, 3]], run["sleigh.r"][at][:, :2]])
        errors.append(np.abs(ours - exact[:, [0, 1, 3, 4]]).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def test_the_sleigh_turns_into_its_blade():
    """The centre of mass comes to lie before the blade, whatever the start: ω -> 0, and all energy is in v.

    But for what the velocities at the nodes keep across the blade, which is of second order: its square of fourth.
    """
    run = vv.simulate(sleigh_mechanism(), t_end=20.0, h=0.02)
    assert abs(run["sleigh.twist"][-1, 2]) < 1e-5
    assert run["sleigh.twist"][-1, 3] == pytest.approx(np.sqrt(2 * 1.82), rel=1e-7)


# -- the rolling disc -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize(("theta", "turning"), [(1.2, 1.5), (0.9, -3.0), (1.9, 2.0)])
def test_a_steady_turn_stays_on_its_circle(name, theta, turning):
    w3, radius = DISC.steady(theta, turning)
    m = disc_body(DISC, theta, 0.0, (0.0, turning * np.sin(theta), w3))
    errors = []
    for h in (0.02, 0.01):
        run = vv.simulate(m, t_end=0.6, h=h, integrator=SCHEMES[name])
        closes(run)
        psi = turning * run.t
        outwards = np.column_stack([np.sin(psi), 1 - np.cos(psi)])
        circle = -np.sign(w3 * turning) * radius * outwards
        expected = np.column_stack([np.full(len(psi), theta), circle])
        errors.append(np.abs(lean_and_place(run) - expected).max())
    assert errors[1] < 5e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_wobbling_disc_converges_to_the_exact_motion(name):
    start, m = wobbling()
    t = np.linspace(0, 0.8, 5)
    exact = DISC.motion(start, t)
    errors = []
    for h in (0.02, 0.01):
        run = vv.simulate(m, t_end=0.8, h=h, integrator=SCHEMES[name])
        closes(run)
        at = np.round(t / h).astype(int)
        errors.append(np.abs(lean_and_place(run)[at] - exact[:, [0, 2, 3]]).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.25)


def test_the_contact_is_exact_and_the_edge_does_not_slip():
    _, m = wobbling()
    run = vv.simulate(m, t_end=1.0, h=0.01, integrator=vv.PHMPGGL())
    height = run["disc.r"][:, 2] - DISC.radius * np.hypot(run["disc.R"][:, 0, 2], run["disc.R"][:, 1, 2])
    assert np.abs(height).max() <= 1e-14
    a = run["disc.R"][:, :, 2]
    e1 = np.cross((0, 0, 1), a)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    arm = DISC.radius * np.cross(e1, a)
    w, v = (np.einsum("nij,nj->ni", run["disc.R"], run["disc.twist"][:, part]) for part in (slice(3), slice(3, 6)))
    assert np.abs(v + np.cross(w, arm)).max() <= 1e-12


def test_contact_forces_are_those_of_the_steady_turn():
    """Weight on the normal, and the centripetal force towards the middle of the circle."""
    theta, turning = 1.2, 1.5
    w3, radius = DISC.steady(theta, turning)
    m = disc_body(DISC, theta, 0.0, (0.0, turning * np.sin(theta), w3))
    run = vv.simulate(m, t_end=0.2, h=0.002)
    np.testing.assert_allclose(run["edge.normal.reaction"], DISC.mass * DISC.g, rtol=1e-5)
    forces = run["edge.reaction"]
    np.testing.assert_allclose(forces[:, 0], 0.0, atol=1e-4)
    np.testing.assert_allclose(np.abs(forces[:, 1]), DISC.mass * turning**2 * radius, rtol=1e-4)


def test_a_spinning_coin_keeps_its_energy_as_it_comes_near_the_plane():
    """Euler's disc without losses: let go near the flat pose with a spin, it swings between two leans."""
    rates = (0.0, 5.0, 0.0)
    start = np.array([0.3, 0.0, 0.0, 0.0, *rates])
    m = disc_body(DISC, 0.3, 0.0, rates)
    run = vv.simulate(m, t_end=0.5, h=0.0005)
    closes(run)
    exact = DISC.motion(start, np.array([0.0, 0.25, 0.5]))
    np.testing.assert_allclose(lean_and_place(run)[[0, 500, 1000]], exact[:, [0, 2, 3]], atol=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint()], ids=["PHMP", "LieMidpoint"])
def test_a_hundred_thousand_steps_of_a_disc_keep_the_energy(scheme):
    _, m = wobbling()
    run = vv.simulate(m, t_end=1000.0, h=0.01, integrator=scheme, every=100)
    assert run.final.steps == 100_000
    audit = run.audit()
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-11
    assert (audit.g or 0.0) <= 1e-12


# -- the snakeboard -------------------------------------------------------------------------------------------------


def gait(t):
    """Torques on rotor, front and rear wheels."""
    return np.array([0.5 * np.cos(2.0 * t), 0.02 * np.cos(2.0 * t), -0.02 * np.cos(2.0 * t)])


INPUTS = {
    "rotor motor": lambda t: 0.5 * np.cos(2.0 * t),
    "front motor": lambda t: 0.02 * np.cos(2.0 * t),
    "rear motor": lambda t: -0.02 * np.cos(2.0 * t),
}
START = np.array([0.1, -0.2, 0.3, 0.0, 0.2, -0.3]), np.array([0.0, 0.0, 0.0, 0.4, 0.1, -0.2])


def allowed(q, v):
    """The rates nearest to v that the wheels allow."""
    A, M = BOARD.rows(q), BOARD.mass_matrix()
    W = np.linalg.solve(M, A.T)
    return v - W @ np.linalg.solve(A @ W, A @ v)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_snakeboard_converges_to_its_minimal_equations(name):
    q, v = START[0], allowed(START[0], np.array([0.5, 0.2, 0.0, 0.4, 0.1, -0.2]))
    t = np.linspace(0, 1.0, 5)
    exact = BOARD.motion(q, v, gait, t)
    m = snakeboard_mechanism(BOARD, q, v)
    errors = []
    for h in (0.05, 0.025):
        run = vv.simulate(m, t_end=1.0, h=h, integrator=SCHEMES[name], inputs=INPUTS)
        closes(run)
        at = np.round(t / h).astype(int)
        joints = [run[f"{joint}.q"][at] for joint in ("spin", "front pin", "rear pin")]
        ours = np.column_stack([run["board.r"][at][:, :2], *joints])
        theirs = exact[:, [0, 1, 3, 4, 5]] - np.array([0, 0, *q[3:]])
        errors.append(np.abs(ours - theirs).max())
    assert errors[1] < 1e-2
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.25)
