"""Singular configurations along paths: dead points in closed form, a Stewart platform turned by a quarter."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.geometry import SE3

CRANK, COUPLER, ROCKER = 0.4, 1.3, np.hypot(0.2, 0.9)


def dead_points() -> list[float]:
    """Crank angles, counted as joint A does from the vertical, at which crank and coupler are on one line."""
    found = []
    for reach, folded in ((COUPLER + CRANK, 0.0), (COUPLER - CRANK, np.pi)):
        angle = np.arccos((1 + reach**2 - ROCKER**2) / (2 * reach))  # of the line from A to C, above x
        found.append((np.pi / 2 - angle + folded) % (2 * np.pi))
    return sorted(found)


@pytest.mark.parametrize(("inputs", "outputs", "kind"), [("A", "D", "output"), ("D", "A", "input")])
def test_dead_points_of_the_crank_rocker(inputs, outputs, kind):
    found = vv.sweep(demo.four_bar(), "A", to=2 * np.pi, steps=20, inputs=[inputs], outputs=[outputs])
    assert [one.kind for one in found.singular] == [kind] * 2
    assert_allclose([one.s for one in found.singular], dead_points(), atol=1e-8)
    assert all(one.margin < 1e-8 for one in found.singular)
    assert found.margins["loop"].min() > 0.1  # dead points are no singular configurations of the loop itself
    assert f"singular {kind}" in str(found)


def platform() -> vv.Mechanism:
    """A deck with its joints on a regular hexagon over a base of the same kind, straight above it."""
    m = vv.Mechanism("hexapod")
    m.body("deck", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 1))
    for i in range(6):
        third, side = 2 * np.pi / 3 * (i // 2), 1 if i % 2 else -1
        foot, head = (
            np.array([r * np.cos(third + a * side), r * np.sin(third + a * side), z])
            for r, a, z in ((1.0, 0.2, 0.0), (0.6, 0.8, 1.0))
        )
        along = (head - foot) / np.linalg.norm(head - foot)
        level = np.cross(along, (0, 0, 1)) / np.linalg.norm(np.cross(along, (0, 0, 1)))
        m.body(f"leg{i}", mass=0.1, inertia=(0.01, 0.01, 0.01), at=0.5 * (foot + head))
        m.body(f"rod{i}", mass=0.1, inertia=(0.01, 0.01, 0.01), at=0.8 * head + 0.2 * foot)
        m.universal(f"cross{i}", m.ground, f"leg{i}", at=foot, axes=(level, np.cross(along, level)))
        m.prismatic(f"slide{i}", f"leg{i}", f"rod{i}", at=0.5 * (foot + head), axis=along)
        m.spherical(f"ball{i}", f"rod{i}", "deck", at=head)
    return m


@pytest.mark.slow
def test_a_platform_turned_by_a_quarter_is_singular():
    """Fichter (1986): similar hexagons, one turned by 90° against the other about their common normal."""
    end = SE3(SE3.exp([0, 0, 2.0, 0, 0, 0]).R, np.array([0.0, 0.0, 1.0]))
    found = vv.sweep(platform(), "deck", to=end, steps=8, inputs=[f"slide{i}" for i in range(6)], outputs=["deck"])
    one = min((one for one in found.singular if one.kind == "input"), key=lambda one: abs(2.0 * one.s - np.pi / 2))
    assert 2.0 * one.s == pytest.approx(np.pi / 2, abs=1e-7)
    network = platform().kinestatics(one.motion)
    free = network.freedom("deck", locked=[f"slide{i}" for i in range(6)])
    assert free.mobility == 1
    assert free.twists.principal().screws[0].axis.direction == pytest.approx((0, 0, 1), abs=1e-6)


def test_along_a_run():
    m = demo.four_bar()
    run = vv.simulate(m, 0.4, 0.02)
    found = vv.sweep(run, inputs=["D"], outputs=["A"])
    assert found.label == "t [s]"
    (first, *_) = found.singular
    k = int(np.searchsorted(run.t, first.s))
    angles = run["A.q"]
    assert angles[k - 1] <= dead_points()[0] <= angles[k]


def test_fewer_inputs_than_motions_are_singular_only_where_they_leave_more():
    """A hinge, then a slide across it: with the slide as the input, the hinge is left everywhere."""
    m = vv.Mechanism("arm")
    for k in range(2):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k + 0.5, 0, 0))
    m.revolute("A", m.ground, "b0", at=(0, 0, 0), axis=(0, 1, 0))
    m.prismatic("B", "b0", "b1", at=(1, 0, 0), axis=(1, 0, 0))
    found = vv.sweep(m, "A", to=1.0, steps=3)
    assert found.singular == ()
    assert found.margins["input"].min() > 0.1


def test_it_is_plotted(tmp_path):
    found = vv.sweep(demo.four_bar(), "A", to=1.5, steps=6, outputs=["D"])
    figure = found.plot(tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").stat().st_size > 0
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["input", "output", "loop"]
    plt.close(figure)


def test_the_path_of_a_run_is_its_own():
    run = vv.simulate(demo.four_bar(), 0.04, 0.02)
    for extra in ({"along": "A"}, {"hold": ["D"]}, {"motion": demo.four_bar().assemble()[0]}):
        with pytest.raises(vv.ModelError, match="the path of a run is its motion: leave out along, to, hold and at"):
            vv.sweep(run, inputs=["A"], **extra)


def test_a_path_beyond_the_range_says_where_it_ends():
    with pytest.raises(vv.AssemblyError, match=r"joint 'A' .* cannot go from 0 to 0\.15 with 'D' held"):
        vv.sweep(demo.four_bar(), "A", to=0.3, steps=2, hold=["D"])
    with pytest.raises(vv.AssemblyError, match="joint 'D' of mechanism 'four bar' cannot go from"):
        vv.sweep(demo.four_bar(), "D", to=3.0, steps=8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: vv.sweep("m"), "takes a mechanism or a run of one, got str"),
        (lambda m: vv.sweep(m), "needs a joint and a value, or a body and a pose"),
        (lambda m: vv.sweep(m, "A", to=1.0, steps=1), "whole number of at least 2"),
        (lambda m: vv.sweep(m, "crank", to=1.0), "body 'crank' goes to a pose"),
        (lambda m: vv.sweep(m, "A", to=SE3.identity()), "only a body goes to a pose; 'A' is none"),
        (lambda m: vv.sweep(m, "crank", to=SE3.identity()), r"needs inputs=\[...\]"),
        (lambda m: vv.sweep(m, "A", to=1.0, hold="D"), "hold takes several joints"),
        (lambda m: vv.sweep(m, "A", to=1.0, hold=["A"]), "joint 'A' cannot follow a path and be held"),
        (lambda m: vv.sweep(m, "A", to=0.0), "joint 'A' is at 0 already"),
        (
            lambda m: vv.sweep(m, "crank", to=SE3.identity(), inputs=["A"], hold=["D"]),
            "hold goes with the path of a joint",
        ),
        (lambda m: vv.sweep(m, "A", to=np.nan), "end of the path of joint 'A'"),
    ],
)
def test_wrong_paths_are_refused(call, message):
    with pytest.raises(vv.ModelError, match=message):
        call(demo.four_bar())
