"""A14 along a motion: describing bodies by other frames changes neither the motion nor the implicit system (37).

With body frames moved by constant poses o, momenta and efforts become P' = Ad(o)ᵀ P and T' = Ad(o)⁻¹ T; rates and
efforts of the one description, changed so, fulfil the equations of the other at every node.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.compiler import initial_x
from visviva.geometry import SE3

MOVED = {
    "crank": SE3.exp([0.3, -0.5, 0.8, 0.2, -0.1, 0.4]),
    "coupler": SE3.exp([-1.1, 0.4, 0.2, 0.5, 0.3, -0.2]),
    "rocker": SE3.exp([0.1, 2.0, -0.4, -0.3, 0.2, 0.1]),
    "bob": SE3.exp([0.9, 0.1, 0.7, 0.0, 0.6, -0.5]),
}
CORNERS = {"A": (0, 0, 0), "B": (0, 1, 0), "C": (2, 1.3, 0), "D": (2.2, 0, 0)}


def described(moved: dict[str, SE3]) -> vv.Mechanism:
    """A four-bar in space, three times overconstrained, with a bob on a ball, a spring, a damper and dry friction."""
    m = vv.Mechanism("four-bar", gravity=(0.5, -9.81, 1))
    data = {
        "crank": ((0, 0.5, 0), (0.05, 0.01, 0.06)),
        "coupler": ((1, 1.2, 0), (0.02, 0.3, 0.31)),
        "rocker": ((2.1, 0.6, 0.1), (0.1, 0.05, 0.12)),
        "bob": ((1.2, 0.7, 0.2), (0.02, 0.03, 0.04)),
    }
    for name, (at, J) in data.items():
        o = moved.get(name, SE3.identity())
        X = SE3(np.eye(3), np.array(at, dtype=float)) @ o
        inertia, com = o.R.T @ np.diag(J) @ o.R, o.inverse().act(np.zeros(3))
        m.body(name, mass=1.0 + len(name) / 10, inertia=inertia, com=com, at=X.r, rotation=X.R)
    for joint, parent, child in zip(
        "ABCD", ("ground", "crank", "coupler", "ground"), ("crank", "coupler", "rocker", "rocker"), strict=True
    ):
        dry = {"friction": vv.friction.coulomb(0.05, v_reg=0.1), "rate": 1.0} if joint == "A" else {}
        m.revolute(joint, parent, child, at=CORNERS[joint], axis=(0, 0, 1), **dry)
    m.spherical("hook", "coupler", "bob", at=(1.2, 1.1, 0.1))
    m.trace_spring("rubber", "rocker", "bob", G=(0.3, 0.2, 0.4), K=(3, 5, 4), at=(1.6, 0.6, 0))
    m.damper("oil", "rocker", "bob", d=[0.05, 0.03], points=[[1.6, 0.6, 0], [1.3, 0.8, 0.3]])
    return m


@pytest.fixture(scope="module")
def runs():
    return [vv.simulate(described(moved), t_end=1.0, h=0.02) for moved in ({}, MOVED)]


def test_the_motion_is_the_same(runs):
    first, second = runs
    for name, o in MOVED.items():
        there = SE3(second[f"{name}.R"], second[f"{name}.r"]) @ o.inverse()
        assert_allclose(there.r, first[f"{name}.r"], atol=1e-11)
        assert_allclose(there.R, first[f"{name}.R"], atol=1e-11)
        assert_allclose(second[f"{name}.twist"] @ o.Ad().T, first[f"{name}.twist"], atol=1e-10)
    assert_allclose(second["energy"] - second["energy"][0], first["energy"] - first["energy"][0], atol=1e-11)
    assert np.abs(first["bob.r"] - first["bob.r"][0]).max() > 0.1


def accelerations(network):
    model = vv.compile(network.definition)
    v_dot = model.accelerations(initial_x(model, network.motion), u=np.zeros(0)).v_dot
    names = [name.removesuffix(".v") for name in model.kinetic]
    return dict(zip(names, v_dot.reshape(len(names), 6), strict=True))


@pytest.mark.parametrize("node", [0, 17, 50])
def test_the_implicit_system_is_the_same_relation(runs, node):
    networks = [vv.kinestatics(run, node=node) for run in runs]
    first, second = networks
    x_dot, dH = first.x_dot(accelerations(first)), first.dH()
    f, e = first.flows(), first.efforts()
    for run, network in zip(runs, networks, strict=True):  # dH of momenta are the twists of that instant
        for name in MOVED:
            assert_allclose(network.dH()[f"{name}.P"], run[f"{name}.twist"][node], atol=1e-12)
    systems = [network.implicit() for network in networks]
    scale = max(np.abs(part).max() for part in x_dot.values())
    assert np.abs(systems[0].residual(x_dot, dH, f, e)).max() < 1e-12 * scale
    assert np.abs(systems[1].residual(x_dot, dH, f, e)).max() > 1e-3  # in the frames of the other description
    for name, o in MOVED.items():
        Ad, back = o.Ad(), o.inverse().Ad()
        x_dot |= {f"{name}.H": back @ x_dot[f"{name}.H"], f"{name}.P": Ad.T @ x_dot[f"{name}.P"]}
        dH |= {f"{name}.H": Ad.T @ dH[f"{name}.H"], f"{name}.P": back @ dH[f"{name}.P"]}
    assert np.abs(systems[1].residual(x_dot, dH, f, e)).max() < 1e-10 * scale
    assert_allclose(e["A.friction"], second.efforts()["A.friction"], atol=1e-10)


@pytest.mark.parametrize("node", [0, 50])
def test_undetermined_reactions_are_the_same_wrenches(runs, node):
    """As wrenches in the world, the states of self-stress span one space in both descriptions."""
    Y = []
    for run in runs:
        network = vv.kinestatics(run, node=node)
        loose = network.implicit().undetermined_reactions()
        assert list(loose) == ["A", "B", "C", "D"]  # the ball is not in it
        pairs = network.kinestatics.pairs
        Y.append(np.vstack([pairs[name].A.T @ part for name, part in loose.items()]))
    assert_allclose(Y[0] @ Y[0].T, Y[1] @ Y[1].T, atol=1e-9)
    assert Y[0].shape[1] == 3


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda run: vv.kinestatics(run, node=999), "whole number from -51 to 50, got 999"),
        (lambda run: vv.kinestatics(run, node=1.5), "whole number"),
        (lambda run: vv.kinestatics(run, run.final), "leave out at"),
        (lambda run: vv.kinestatics(described({}), node=1), "has no nodes"),
        (lambda run: vv.kinestatics("crank"), "takes a mechanism or a run"),
    ],
)
def test_wrong_use_is_refused(runs, call, found):
    with pytest.raises(vv.ModelError, match=found):
        call(runs[0])


@pytest.mark.slow
def test_the_motion_is_the_same_over_six_seconds():
    """Then it comes near to a state after which it multiplies rounding by a hundred in every second."""
    first, second = (vv.simulate(described(moved), t_end=6.0, h=0.01) for moved in ({}, MOVED))
    for name, o in MOVED.items():
        there = SE3(second[f"{name}.R"], second[f"{name}.r"]) @ o.inverse()
        assert_allclose(there.r, first[f"{name}.r"], rtol=0, atol=1e-11)


def test_a_top_is_the_same_over_ten_seconds():
    """A regular motion does not multiply rounding."""

    def top(o):
        m = vv.Mechanism("top", gravity=(0, 0, -9.81))
        X = SE3(np.eye(3), np.array([0, 0, 0.5])) @ o
        com, twist = o.inverse().act(np.zeros(3)), o.inverse().Ad() @ [1.0, 0.5, 20.0, 0.25, -0.5, 0.0]
        J = o.R.T @ np.diag([0.1, 0.12, 0.05]) @ o.R
        m.body("top", mass=1.0, inertia=J, com=com, at=X.r, rotation=X.R, twist=twist)
        m.spherical("pivot", m.ground, "top", at=(0, 0, 0))
        return vv.simulate(m, t_end=10.0, h=0.01)

    o = MOVED["crank"]
    first, second = top(SE3.identity()), top(o)
    there = SE3(second["top.R"], second["top.r"]) @ o.inverse()
    assert_allclose(there.r, first["top.r"], rtol=0, atol=2.5e-12)
    assert_allclose(there.R, first["top.R"], rtol=0, atol=2.5e-12)
