"""The everyday sentences of a user, on mechanisms of all kinds: each works, or is refused for a reason that is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.geometry import SO3

H = 2e-3
WHEEL = """<robot name="cell"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1.5"/>
  <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
  <inertia ixx="0.002" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="50" velocity="5"/><dynamics damping="0.1"/></joint>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/><origin xyz="0.4 0 0"/>
  <axis xyz="0 1 0"/></joint></robot>"""


@dataclass(frozen=True)
class Case:
    """start: a state by names.   carrier: a body.   port: one of its inputs.   read: some of its results.

    independent: velocities of its equations, where loops or rolling leave a choice.
    """

    build: Callable[[], vv.Mechanism]
    start: dict[str, Any]
    carrier: str
    port: str | None = None
    read: tuple[str, ...] = ("energy",)
    independent: str | None = None


def arm() -> vv.Mechanism:
    m, below = vv.Mechanism("arm", gravity=(0, 0, -9.81)), "ground"
    for i in range(7):
        m.body(f"link{i}", mass=2.0 - 0.2 * i, inertia=(0.02, 0.02, 0.01), at=(0, 0, 0.3 * i + 0.15))
        m.revolute(f"j{i}", below, f"link{i}", at=(0, 0, 0.3 * i), axis="zy"[i % 2], friction=0.05)
        m.torque(f"tau{i}", f"j{i}")
        below = f"link{i}"
    m.frame("tool", "link6", at=(0, 0, 2.1))
    return m


def cart_pole() -> vv.Mechanism:
    m = vv.Mechanism("cart-pole", gravity=(0, 0, -9.81))
    m.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("pole", inertia=vv.inertia.rod(0.1, 1.0, axis="z"), at=(0, 0, 0.5))
    m.prismatic("rail", "ground", "cart", axis="x")
    m.revolute("pivot", "cart", "pole", at=(0, 0, 0), axis="y")
    m.force("push", "rail")
    return m


def four_bar() -> vv.Mechanism:
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    points = {"A": (0, 0, 0), "B": (0, 0, 0.4), "C": (1.2, 0, 0.9), "D": (1.0, 0, 0)}
    for name, (a, b) in {"crank": "AB", "coupler": "BC", "rocker": "DC"}.items():
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=np.add(points[a], points[b]) / 2)
    joints = {
        "A": ("ground", "crank"),
        "B": ("crank", "coupler"),
        "C": ("coupler", "rocker"),
        "D": ("ground", "rocker"),
    }
    for name, ends in joints.items():
        m.revolute(name, *ends, at=points[name], axis="y")
    m.torque("motor", "A")
    return m


def stewart() -> vv.Mechanism:
    from visviva.demo import stewart

    return stewart()


def disc() -> vv.Mechanism:
    m, lean = vv.Mechanism("disc", gravity=(0, 0, -9.81)), 0.3
    m.body("disc", mass=1.0, inertia=(0.05, 0.1, 0.05), at=(0, 0, 0.4 * np.cos(lean)),
           rotation=SO3.exp((-lean, 0, 0)), twist=(0, 6.0, 0, 2.4, 0, 0))  # fmt: skip
    m.rolling_disc("edge", "ground", "disc", radius=0.4, axis=SO3.exp((-lean, 0, 0)).R[:, 1])
    m.wrench("wind", "disc")
    return m


def warm_motor() -> vv.Mechanism:
    m = vv.Mechanism("motor")
    m.thermal("copper", capacity=20.0, conductance_to_environment=0.1)
    m.body("rotor", mass=0.5, inertia=(1e-3, 1e-3, 2e-3))
    m.revolute("shaft", "ground", "rotor", at=(0, 0, 0), axis="z", friction=1e-4)
    m.motor("dc", "shaft", resistance=1.0, inductance=5e-3, k=0.05, heat_to="copper")
    return m


CASES = {
    "7-joint arm": Case(arm, {"j1.q": 0.4, "j3.q": -0.7, "j1.rate": 0.5}, "link6", "tau3", read=("tool.r", "j3.q")),
    "cart-pole": Case(cart_pole, {"pivot.q": 0.1, "rail.rate": 0.3}, "pole", "push", read=("pivot.q", "rail.reaction")),
    "four-bar": Case(four_bar, {"A.q": 0.3, "A.rate": 2.0}, "coupler", "motor", read=("D.q", "B.reaction"),
                     independent="rank"),
    "Stewart platform": Case(stewart, {}, "deck", read=("seat.r", "slide0.q"), independent="rank"),
    "rolling disc": Case(disc, {}, "disc", "wind", read=("disc.r", "edge.reaction"), independent="rank"),
    "motor with heat": Case(
        warm_motor, {"shaft.rate": 10.0, "dc.current": 0.5, "copper.temperature": 310.0}, "rotor", "dc",
        read=("dc.current", "copper.temperature"),
    ),
    "robot of a file": Case(lambda: vv.read_urdf(WHEEL), {"shoulder.q": 0.3, "wrist.rate": 1.0}, "hand",
                            "shoulder_torque", read=("hand.r", "wrist.q")),
}  # fmt: skip


def held(m: vv.Mechanism, port: str) -> Any:
    return np.full(m[port].width, 0.05) if m[port].width > 1 else 0.05


@pytest.fixture(params=CASES, scope="module")
def case(request):
    chosen = CASES[request.param]
    return chosen, chosen.build()


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
def test_start_step_read_copy_run_and_audit(case):
    chosen, m = case
    sim = vv.Simulator(m, h=H)
    sim.reset(chosen.start)
    for name, value in chosen.start.items():
        assert_allclose(sim[name], value, rtol=1e-9, atol=1e-10, err_msg=name)
    inputs = None if chosen.port is None else {chosen.port: held(m, chosen.port)}
    sim.step(inputs, n=5)
    for name in (*chosen.read, f"{chosen.carrier}.r"):
        assert np.isfinite(sim[name]).all(), name
    other = sim.copy()
    sim.step(inputs, n=3), other.step(inputs, n=3)
    assert_array_equal(sim.state.x, other.state.x)
    run = sim.run(sim.t + 10 * H)
    assert len(run["energy"]) == 11
    assert sim.audit().ok
    again = vv.simulate(m, run.t[-1] + 5 * H, H, initial=run.final)
    assert again.audit().ok
    assert vv.simulate(m, 5 * H, H, initial=chosen.start).audit().ok


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
def test_a_law_at_ticks(case):
    chosen, m = case
    if chosen.port is None:
        pytest.skip("it has no port")
    asked: list[float] = []

    def law(now):
        asked.append(now.t)
        return {chosen.port: held(m, chosen.port)}

    run = vv.simulate(m, 10 * H, H, sampled=vv.Sampled(law, period=2 * H))
    assert_allclose(asked[:5], 2 * H * np.arange(5), atol=1e-12)
    assert run.audit().ok


def test_equations_in_the_hand(case):
    chosen, m = case
    eom = vv.dynamics(m, independent=chosen.independent)
    joints = {name.removesuffix(".q"): value for name, value in chosen.start.items() if name.endswith(".q")}
    q, v = eom.coordinates(joints), np.linspace(0.1, 0.3, eom.nv)
    for name, value in joints.items():
        assert_allclose(q[eom.q_names.index(f"{name}.q")] if f"{name}.q" in eom.q_names else value, value)
    M = eom.mass_matrix(q)
    assert_allclose(M, M.T, atol=1e-9 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > -1e-12 * np.abs(M).max()
    bias = eom.bias(q, v)
    a = eom.forward(q, v)
    tau = eom.inverse(q, v, a)
    assert np.isfinite(bias).all()
    assert np.isfinite(tau).all()
    X = eom.pose(chosen.carrier, q)
    J = eom.jacobian(chosen.carrier, q)
    assert J.shape == (6, len(v))
    moved = eom.pose(chosen.carrier, eom.integrate(q, 1e-6 * v))
    assert_allclose((moved.r - X.r) / 1e-6, (J @ v)[3:], atol=1e-4)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
def test_other_numbers_and_back(case):
    chosen, m = case
    mass = f"{chosen.carrier}.mass"
    sim = vv.Simulator(m, h=H, initial=chosen.start)
    heavy = sim.with_parameters({mass: 1.2 * sim.parameters[mass]})
    for one in (sim, heavy):
        one.reset(chosen.start)
        one.step(n=3)
    sim.parameters[mass] = heavy.parameters[mass]
    sim.reset(chosen.start)
    sim.step(n=3)
    assert_array_equal(sim.state.x, heavy.state.x)
