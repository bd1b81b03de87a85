"""Laws of feedback by the names of a run are solved inside the step, in every scheme."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

STEPPED = [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint]
UP = {"hinge.q": 0.3}


def cart_pole():
    m = vv.Mechanism("cart-pole", gravity=(0, 0, -9.81))
    cart = m.body("cart", inertia=vv.inertia.box(1.0, (0.2, 0.1, 0.1)))
    pole = m.body("pole", inertia=vv.inertia.rod(0.2, 0.6, axis="z"), at=(0, 0, 0.3))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x", friction=0.1)
    m.revolute("hinge", cart, pole, at=(0, 0, 0), axis="y", friction=0.002)
    m.force("push", "rail")
    m.frame("tip", pole, at=(0, 0, 0.6))
    m.frame("post", m.ground, at=(0.1, 0, 0))
    return m


def four_bar():
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    corners = {"A": (0, 0, 0), "B": (0, 0, 0.3), "C": (0.6, 0, 0.5), "D": (0.7, 0, 0)}
    A, B, C, D = (np.array(corners[name], dtype=float) for name in "ABCD")
    for name, P, Q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        c, s = (Q - P)[[0, 2]] / np.linalg.norm(Q - P)
        R = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
        m.body(name, inertia=vv.inertia.rod(0.8, np.linalg.norm(Q - P), axis="x"), at=(P + Q) / 2, rotation=R)
    m.revolute("a", m.ground, "crank", at=A, axis="y", friction=0.01)
    m.revolute("b", "crank", "coupler", at=B, axis="y")
    m.revolute("c", "coupler", "rocker", at=C, axis="y")
    m.revolute("d", m.ground, "rocker", at=D, axis="y")
    m.torque("motor", "a")
    m.torque("brake", "d")
    return m


def hold(limit):
    """Joint coordinates, a frame, axes and a twist of the cart-pole, with a force of at most so much."""

    def law(t, x):
        u = 30 * x["hinge.q"] + 5 * x["hinge.rate"] + 2 * x["rail.q"] + 3 * x["rail.rate"] + 0.3 * np.sin(5 * t)
        far = x["tip.r"][0] - x["post.r"][0]
        return np.clip(u, -limit, limit) + 0.5 * far + 0.2 * x["tip.twist"][1] + 0.1 * x["pole.R"][0, 2]

    return {"push": law}


def turn(t, x):
    """One law for both ports of the four-bar, which sees joints that the tree of any form cuts."""
    motor = np.clip(0.5 * (4.0 - x["a.rate"]) + 0.2 * np.cos(x["a.q"]), -3, 3)
    return {"motor": motor, "brake": -0.3 * x["d.q"] + 0.1 * x["coupler.twist"][1] + 0.02 * x["c.q"] * x["b.rate"]}


CASES = {"tree": (cart_pole, hold(80.0), UP, "hinge.q"), "loop": (four_bar, turn, None, "a.q")}


def run_of(case, integrator, h, t_end=0.2, inputs=None):
    m, laws, start, _ = CASES[case]
    return vv.simulate(m(), t_end=t_end, h=h, integrator=integrator, initial=start, inputs=inputs or laws)


@pytest.fixture(scope="module", params=list(CASES))
def exact(request):
    scheme = vv.DOP853(tolerance=1e-12, compiled=request.param == "tree")
    return request.param, run_of(request.param, scheme, 0.1)[CASES[request.param][3]][-1]


@pytest.mark.parametrize("scheme", STEPPED)
def test_compiled_steps_are_the_reference_and_converge_to_the_explicit_solution(scheme, exact):
    case, end = exact
    errors = []
    for h in (0.01, 0.005):
        run = run_of(case, scheme(), h)
        errors.append(abs(run[CASES[case][3]][-1] - end))
        assert run.audit().ok
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    fast, slow = (run_of(case, scheme(compiled=flag), 0.02, 0.1) for flag in (True, False))
    assert not any("NumPy" in text for text in fast.warnings)
    for column in ("x", "work", "u_mid", "u"):
        np.testing.assert_allclose(getattr(fast.record, column), getattr(slow.record, column), atol=1e-11)


@pytest.mark.parametrize("scheme", [vv.RK4(), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()], ids=repr)
def test_laws_act_at_the_stages_of_other_schemes(scheme, exact):
    case, end = exact
    if case == "loop":  # the others go the same way, and take seconds
        scheme = vv.RK4(compiled=False)
    errors = [abs(run_of(case, scheme, h)[CASES[case][3]][-1] - end) for h in (0.04, 0.02)]
    assert errors[1] < 1e-9 or np.log2(errors[0] / errors[1]) > scheme.order - 0.7


@pytest.mark.parametrize("scheme", [vv.RK4, vv.Gauss8])
def test_trees_in_compiled_code_are_the_reference(scheme):
    fast, slow = (run_of("tree", scheme(compiled=flag), 0.02) for flag in (True, False))
    np.testing.assert_allclose(fast.record.x, slow.record.x, atol=1e-12)
    np.testing.assert_allclose(fast.record.work, slow.record.work, atol=1e-12)


def test_composed_and_adaptive_steps_solve_laws_as_well(exact):
    case, end = exact
    composed = vv.Suzuki4(vv.PHMP(), allow_dissipation=True)
    errors = [abs(run_of(case, composed, h)[CASES[case][3]][-1] - end) for h in (0.04, 0.02)]
    assert np.log2(errors[0] / errors[1]) > 3.4
    plain = vv.Suzuki4(vv.PHMP(compiled=False), allow_dissipation=True)
    fast, slow = (run_of(case, scheme, 0.04, 0.08) for scheme in (composed, plain))
    np.testing.assert_allclose(fast.record.x, slow.record.x, atol=1e-11)
    np.testing.assert_allclose(fast.record.u_mid, slow.record.u_mid, atol=1e-10)
    for inner in (vv.PHMP(), vv.PHMP(compiled=False)):
        run = run_of(case, vv.Adaptive(inner, tolerance=1e-5), 0.05, 0.2)
        assert run.audit().ok
        assert abs(run[CASES[case][3]][-1] - end) < 2e-4


@pytest.mark.parametrize("scheme", STEPPED)
def test_the_first_law_closes_with_the_work_of_laws_also_over_kinks(scheme):
    free, run = (run_of("tree", scheme(), 0.01, inputs=hold(limit)) for limit in (80.0, 4.0))
    audit = run.audit()
    assert audit.ok
    assert abs(run["first_law"]).max() < 1e-13
    u, moved = run.record.u_mid[:, 0], np.diff(run["rail.q"])
    np.testing.assert_allclose(run.record.work[:, 0], u * moved, atol=1e-14)  # what the audit books
    assert np.abs(free.record.u_mid).max() > 6.0  # the limit is active in one run, and in the other one never
    assert np.abs(u).max() < 5.0


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("scheme", STEPPED)
def test_balances_close_to_rounding_with_laws_that_are_steep(scheme, compiled):
    """Its slope of 1e6 N s/m makes the law round by more than all other forces do."""

    def law(t, x):
        return -1e6 * (x["rail.rate"] - 0.3 * np.sin(9 * t))

    run = run_of("tree", scheme(compiled=compiled), 0.01, 0.1, {"push": law})
    assert run.audit().ok
    speed = 0.3 * np.sin(9 * (run.t[1:] - 0.005))
    np.testing.assert_allclose(np.diff(run["rail.q"]) / 0.01, speed, atol=1e-5)


def test_rates_are_secants_and_coordinates_are_means():
    def law(t, x):
        return 7.0 * x["hinge.q"] + 0.3 * x["rail.rate"] + 0.2 * t

    for scheme in STEPPED:
        run = run_of("tree", scheme(), 0.01, inputs={"push": law})
        q, x = run["hinge.q"], run["rail.q"]
        seen = 7.0 * 0.5 * (q[1:] + q[:-1]) + 0.3 * np.diff(x) / 0.01 + 0.2 * (run.t[1:] - 0.005)
        np.testing.assert_allclose(run.record.u_mid[:, 0], seen, atol=1e-11)
        at_nodes = 7.0 * q + 0.3 * run["rail.rate"] + 0.2 * run.t
        np.testing.assert_allclose(run.record.u[:, 0], at_nodes, atol=1e-3)  # with the scheme's own velocities


def spinning():
    """A wheel that turns often, a bead on a spoke, a ball joint: all kinds of quantities."""
    m = vv.Mechanism("spinning", gravity=(0, 0, -9.81))
    m.body("wheel", mass=1.0, inertia=(0.1, 0.12, 0.15))
    m.body("stick", mass=0.3, inertia=(0.01, 0.02, 0.012), at=(0.5, 0, 0))
    m.particle("bead", mass=0.2, at=(0, 0, 1.0))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis="z")
    m.universal("cross", "wheel", "stick", at=(0.3, 0, 0), axes=("z", "y"))
    m.torque("motor", "axle")
    m.wrench("thruster", "stick")
    m.wrench("wind", "bead")
    return m


def fly(t, x):
    w, v = x["stick.twist"][:3], x["bead.v"]
    push = np.concatenate([-0.05 * w - 0.1 * x["stick.R"][2], -0.2 * (x["stick.r"] - x["bead.r"])])
    drag = np.interp(x["bead.r"][2], [0.0, 0.5, 1.0], [0.5, 0.3, 0.2]) * v
    return {
        "motor": 0.4 - 0.02 * x["axle.q"] - 0.05 * np.maximum(x["axle.rate"], 3.0),
        "thruster": push - 0.1 * np.array([*x["cross.q"], *x["cross.rate"], 0.0, 0.0]),
        "wind": -drag,
    }


@pytest.mark.parametrize("scheme", STEPPED)
def test_several_coordinates_wrenches_particles_and_many_turns(scheme):
    options = {"inputs": fly, "initial": {"axle.rate": 40.0, "axle.q": 9.0}}
    schemes = (scheme(), scheme(compiled=False))
    fast, slow = (vv.simulate(spinning(), t_end=0.1, h=0.005, integrator=one, **options) for one in schemes)
    np.testing.assert_allclose(fast.record.x, slow.record.x, atol=1e-11)
    fine = vv.simulate(spinning(), t_end=0.3, h=0.01, integrator=vv.DOP853(tolerance=1e-11), **options)
    errors = []
    for h in (0.005, 0.0025):
        run = vv.simulate(spinning(), t_end=0.3, h=h, integrator=scheme(), **options)
        assert run.audit().ok
        assert run["axle.q"][-1] > 9.0 + 2 * np.pi
        errors.append(abs(run["axle.q"][-1] - fine["axle.q"][-1]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_a_voltage_may_follow_the_motion():
    m = vv.Mechanism("drive", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis="y")
    m.motor("dc", "hinge", k=0.3, resistance=1.0, inductance=2e-3)
    (port,) = vv.compile(m).port_columns
    laws = {port: lambda x: np.clip(-80 * x["hinge.q"] - 6 * x["hinge.rate"], -24, 24)}
    options = {"t_end": 0.2, "h": 0.01, "inputs": laws, "initial": {"hinge.q": 0.2}}
    for scheme in (vv.PHMP, vv.LieMidpoint):
        fast, slow = (vv.simulate(m, integrator=scheme(compiled=flag), **options) for flag in (True, False))
        np.testing.assert_allclose(fast.record.x, slow.record.x, atol=1e-11)
        assert fast.audit().ok


def test_a_law_sees_many_turns_in_statics_as_well():
    m = vv.Mechanism("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, wheel, at=(0, 0, 0), axis="y")
    m.torque("motor", "hinge")
    law = {"motor": lambda x: 10 * (7 - x["hinge.q"]) - x["hinge.rate"]}
    rest = vv.equilibrium(m, initial={"hinge.q": 6.5}, inputs=law)
    np.testing.assert_allclose(rest.motion.q["wheel"][:3], 0.5 * np.array([np.cos(7), 0, -np.sin(7)]), atol=1e-9)
