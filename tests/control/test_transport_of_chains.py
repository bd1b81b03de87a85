"""Transport maps of several pairs and joints of one chain, block by block; Konz (4.30), (4.32)."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains

import visviva as vv
from visviva.control.templates import Reference, errors
from visviva.errors import ModelError

JOINT = c.gains(1.0, 2.0, 3.0)
DAMPED = c.gains(1.0, 2.0, 0.0)  # no stiffness: the potential does not know it
TURN = c.gains((0, (0, 0, 0), (1.0, 1.2, 0.9)), (0, (0, 0, 0), 2.0), (0, (0, 0, 0), (3.0, 2.0, 2.5)))
POINT = c.point_gains((0.5, 0, 0), mass=1, damping=2, stiffness=3)
FIRST, LAST = ({f"theta{i}": JOINT for i in own} for own in ((1, 2, 3), (4, 5, 6)))
LAWS = {
    "a pair of each hinge": (
        plants.scara, {("ground", "one"): random_gains(1), ("one", "two"): random_gains(2)}, "twist"
    ),
    "a point, then a wrist": (
        plants.robot_arm, {("ground", "link3"): POINT, ("link3", "tool"): random_gains(2)}, "point and twist"
    ),
    "joints, then a wrist": (plants.robot_arm, {**FIRST, ("link3", "tool"): random_gains(2)}, "twist"),
    "a point, then joints": (plants.robot_arm, {("ground", "tool"): POINT, **LAST}, "point"),
    "a pair and a joint of one hinge": (
        plants.robot_arm, {("ground", "link1"): random_gains(4), **FIRST, **LAST}, "twist"
    ),
    "joints, and the tool's axes in space": (plants.robot_arm, {**FIRST, ("ground", "tool"): TURN}, "rotation"),
    "a point, and axes in space": (
        plants.robot_arm, {("ground", "link3"): POINT, ("ground", "tool"): TURN}, "point and rotation"
    ),
    "inertia of a body, stiffness of a point": (
        plants.robot_arm,
        {("ground", "link3"): c.gains(random_gains(1).mass, random_gains(2).damping, POINT.stiffness), **LAST},
        "point",
    ),
    "a pair without stiffness": (
        plants.robot_arm,
        {
            ("ground", "link3"): POINT,
            ("ground", "tool"): TURN,
            ("link2", "link5"): c.gains(random_gains(5).mass, random_gains(6).damping),
        },
        "point and rotation",
    ),
    "a joint without stiffness": (
        plants.scara, {("ground", "tool"): c.gains(1.0, 2.0, 3.0), "second": DAMPED}, "point"
    ),
}  # fmt: skip


def law_of(name, approach="energy", **options):
    build, gains, kinds = LAWS[name]
    law = c.tracking(build(), gains, approach, **options)
    if approach == "energy":
        assert law.template.title == f"energy-based template, transport by {kinds}"
    return law


def states(law, seed):
    """Away from where arms are singular."""
    rng, d = np.random.default_rng(seed), law.d
    bend = np.array([0.2, 0.3, -0.4, 0.3, 0.9, 0.2]) if d.nv == 6 else np.array([0.2, 1.1])
    q, q_R = bend + 0.3 * rng.normal(size=d.nv), bend + 0.3 * rng.normal(size=d.nv)
    return q, rng.normal(size=d.nv), q_R, rng.normal(size=d.nv), rng.normal(size=d.nv)


def map_at(law, q, v, q_R, v_R):
    t = law.template
    x, R = t.motion(q, v), Reference(t.motion(q_R, v_R), v_R, np.zeros(law.d.nv))
    return t.map_at(q, v, q_R, v_R, x, R, errors(x, R, v, (q - q_R)[t.places_q]))


@pytest.mark.parametrize("name", LAWS)
def test_gradients_of_the_potential_are_transported(name):
    """(4.30) by differences of V̄ at both ends, and Q = 1 at the reference."""
    law, h = law_of(name), 1e-4
    n, V = law.d.nv, law.template.potential
    for seed in range(3):
        q, _, q_R, *_ = states(law, seed)
        still = np.zeros(n)
        steps, weights = (1, -1, 2, -2), np.array([8, -8, -1, 1]) / (12 * h)
        own = np.array([[V(q + s * h * e, q_R) for s in steps] for e in np.eye(n)]) @ weights
        other = np.array([[V(q, q_R + s * h * e) for s in steps] for e in np.eye(n)]) @ weights
        Q = map_at(law, q, still, q_R, still).Q
        assert_allclose(other, -Q.T @ own, atol=1e-7)
        assert np.abs(own).max() > 1e-2
        assert law.template.transport_defect(q, q_R) < 1e-12
        assert_allclose(map_at(law, q, still, q, still).Q, np.eye(n), atol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_rates_of_maps_are_their_differences(name):
    law, h = law_of(name), 1e-5
    q, v, q_R, v_R, _ = states(law, 5)
    slope = (map_at(law, q + h * v, v, q_R + h * v_R, v_R).Q - map_at(law, q - h * v, v, q_R - h * v_R, v_R).Q) / (
        2 * h
    )
    found = map_at(law, q, v, q_R, v_R).Q_dot
    assert_allclose(slope, found, atol=1e-6 * max(1.0, np.abs(found).max()))


@pytest.mark.parametrize("name", LAWS)
def test_energy_falls_by_what_is_damped_on_every_reference(name):
    """Ẇ = -v_Eᵀ D̄ v_E (4.32), as the law says it and by differences along its motion."""
    law, h = law_of(name), 1e-5
    for seed in range(3):
        q, v, q_R, v_R, a_R = states(law, seed)
        e = law.evaluate(q, v, q_R, v_R, a_R)
        assert e.W_dot == pytest.approx(e.W_dot_template, rel=1e-9, abs=1e-9)
        assert e.W_dot < 0
        ends = [
            law.evaluate(
                q + s * v + s * s / 2 * e.a, v + s * e.a, q_R + s * v_R + s * s / 2 * a_R, v_R + s * a_R, a_R
            ).W
            for s in (h, -h)
        ]
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(e.W_dot, rel=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_compiled_laws_know_all_maps(name):
    law = law_of(name)
    q, v, *goal = states(law, 2)
    compiled, python = law.at(lambda t: goal), law.at(lambda t: goal, compiled=False)
    assert compiled.compiled, compiled.why_not
    sim = vv.Simulator(law.d.definition, h=0.01)
    sim.reset((q, v))
    own, other = compiled(sim), python(sim)
    for port in own:
        assert own[port] == pytest.approx(other[port], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["a point, and axes in space", "joints, and the tool's axes in space", "a joint without stiffness"]
)
def test_laws_over_steps_know_all_maps(name):
    """T̄ + V̄ falls by what is damped in every step, on a reference that moves."""
    law = law_of(name)
    q, _, q_R, v_R, _ = states(law, 3)
    over = law.discrete(lambda t: (q_R + 0.3 * np.sin(t) * v_R, 0.3 * np.cos(t) * v_R, -0.3 * np.sin(t) * v_R), h=0.01)
    vv.simulate(
        law.d.definition, t_end=0.1, h=0.01, initial=(q, np.zeros(law.d.nv)), sampled=vv.Sampled(over, period=0.01)
    )
    found = over.balance()
    assert np.abs(found.defect).max() < 1e-9 * found.W[0]
    assert found.damping.min() > 0


def test_maps_that_worked_before_are_the_same():
    """Less rows are taken only where the usual ones do not go together: a stiff point of a body keeps its twist."""
    gains = c.gains(random_gains(1).mass, random_gains(2).damping, POINT.stiffness)
    law = c.tracking(plants.free_body(), {("ground", "body"): gains}, "energy")
    assert law.template.title.endswith("transport by twist")


# -- where there is none ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "gains", "reason"),
    [
        (
            plants.robot_arm,
            {("ground", "link1"): random_gains(1), ("link1", "tool"): random_gains(2)},
            r"link1 → tool has 5 of 6 rates that its twist asks for: moved by theta2.rate, .* alone",
        ),
        (plants.scara, {("ground", "two"): random_gains(1)}, r"ground → two has 2 of 3 rates"),
        (
            plants.scara,
            {("ground", "tool"): c.gains(1.0, 2.0, 3.0), "second": JOINT},
            r"ground → tool and second both move with second.rate",
        ),
    ],
)
def test_what_has_no_map_is_told_why(build, gains, reason):
    with pytest.raises(ModelError, match=reason) as raised:
        c.tracking(build(), gains, "energy")
    assert "approach='body'" in str(raised.value)
    assert "point_gains" in str(raised.value)
    c.tracking(build(), gains, "body")


def test_a_map_that_is_asked_for_is_not_changed():
    gains = LAWS["a point, and axes in space"][1]
    with pytest.raises(ModelError, match=r"\(4\.30\)"):
        c.tracking(plants.robot_arm(), gains, "energy", transport="twist")
    named = {("ground", "link3"): "point", ("ground", "tool"): "rotation"}
    assert c.tracking(plants.robot_arm(), gains, "energy", transport=named).template.title.endswith(
        "point and rotation"
    )
