"""Conditions on velocities among joints, springs and bodies that move: compiled steps, first law, momentum."""

from __future__ import annotations

import numpy as np
import pytest
from index1_reference import Index1, placements
from samples import drawn_seeds, is_tree, sample

import visviva as vv

STEPS, H = 50, 0.005
SCHEMES = {"PHMP": vv.PHMP, "LieMidpoint": vv.LieMidpoint}


def with_blades(seed, bodies):
    """A random mechanism with blades on some bodies, against the ground and against each other, and its motion."""
    drawn = sample(seed, bodies)
    rng, m = np.random.default_rng(seed), drawn.mechanism
    names = drawn.bodies
    for k in range(max(1, len(names) // 3)):
        child, parent = rng.permutation(len(names))[:2] if len(names) > 1 else (0, 0)
        above = m.ground if child == parent or rng.random() < 0.5 else names[parent]
        at = m[names[child]].r_WC + 0.2 * rng.normal(size=3)
        m.knife_edge(f"blade{k}", above, names[child], at=at, direction=rng.normal(size=3))
    return m, m.assemble(fixed=())[0], drawn.inputs


def cart():
    """A cart with two wheels that roll by themselves, a blade behind, and a spring to the ground."""
    m = vv.Mechanism("cart", gravity=(0, 0.4, -9.81))
    m.body("cart", mass=5.0, inertia=(0.2, 0.3, 0.4), at=(0, 0, 0.3), twist=None)
    for name, y in (("left", 0.4), ("right", -0.4)):
        m.body(name, inertia=vv.inertia.cylinder(1.0, 0.3, 0.02, axis="y"), at=(0, y, 0.3))
        m.revolute(f"{name} axle", "cart", name, at=(0, y, 0.3), axis=(0, 1, 0), friction=0.01)
        m.rolling_disc(f"{name} edge", m.ground, name, radius=0.3, axis=(0, 1, 0))
    m.point_on_plane("tail", m.ground, "cart", at=(-0.5, 0, 0), normal=(0, 0, 1))
    m.torque("drive", "left axle")
    m.spring("leash", m.ground, "cart", at_a=(2, 1, 0.3), at_b=(0.3, 0, 0.3), k=20.0, length=1.0)
    return m, None, {"drive": lambda t: np.sin(3 * t)}


def plate(kind):
    """A disc that rolls, or a blade that slides, on a plate that flies; no force from outside."""
    m = vv.Mechanism("plate")
    m.body("plate", mass=3.0, inertia=(0.5, 0.7, 1.1), com=(0.1, 0.05, -0.1), twist=(0.3, -0.2, 0.4, 0.1, 0, 0.2))
    m.body("disc", mass=1.0, inertia=(0.02, 0.02, 0.035), at=(0.2, 0, 0.28), rotation=vv.geometry.SO3.exp([1.2, 0, 0]))
    axis = (0, -np.sin(1.2), np.cos(1.2))
    m.bushing("band", "plate", "disc", K=np.diag([0.1, 0.2, 0.3, 2.0, 1.0, 4.0]))
    if kind == "disc":
        m.rolling_disc("edge", "plate", "disc", radius=0.3, axis=axis)
    else:
        m.knife_edge("edge", "plate", "disc", at=(0.2, 0.1, 0), direction=axis)
    return m, m.assemble(fixed=())[0], {}


def welded():
    """A blade on a body that cannot move says what a weld says already."""
    m = vv.Mechanism("welded", gravity=(0.4, -1.6, 8.3))
    m.body("still", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(0.3, 0.2, 0.1))
    m.fixed("weld", m.ground, "still")
    m.knife_edge("edge", m.ground, "still", at=(0.5, 0.1, 0), direction=(1, 2, 0.5))
    return m, None, {}


CASES = {
    "welded": welded,
    "blades 2": lambda: with_blades(21, 2),
    "blades 4": lambda: with_blades(30, 4),
    "cart": cart,
    "disc on plate": lambda: plate("disc"),
    "blade on plate": lambda: plate("blade"),
}
MORE = {f"blades {case}": (lambda case=case: with_blades(*case)) for case in drawn_seeds(range(1, 60), is_tree)}
EVERY = [*CASES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", EVERY)
def test_compiled_steps_are_the_plain_ones(name, scheme, monkeypatch):
    m, motion, inputs = (CASES | MORE)[name]()
    make = SCHEMES[scheme]
    plain = vv.simulate(m, t_end=STEPS * H, h=H, integrator=make(compiled=False), initial=motion, inputs=inputs)
    with monkeypatch.context() as patch:
        patch.setattr(make, "prepare", None)  # it would fall back on the plain steps, and be compared with itself
        compiled = vv.simulate(m, t_end=STEPS * H, h=H, integrator=make(), initial=motion, inputs=inputs)
    for part, at in plain.model.layout.x.items():
        ours, theirs = compiled.record.x[:, at], plain.record.x[:, at]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * max(1.0, np.abs(theirs).max()), err_msg=part)
    for what in ("energy", "heat", "work"):
        np.testing.assert_allclose(compiled[what], plain[what], rtol=0, atol=1e-9 * plain.energy_scale)
    for condition in m.conditions:
        key = f"{condition.name}.reaction_mid"
        size = max(1.0, np.abs(plain[key]).max())
        np.testing.assert_allclose(compiled[key], plain[key], rtol=0, atol=1e-7 * size, err_msg=key)
    np.testing.assert_allclose(compiled["g_v"], plain["g_v"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint(), vv.PHMPGGL()], ids=["PHMP", "LieMidpoint", "GGL"])
@pytest.mark.parametrize("name", EVERY)
def test_every_joule_is_accounted_for(name, scheme):
    m, motion, inputs = (CASES | MORE)[name]()
    run = vv.simulate(m, t_end=0.1, h=0.01, integrator=scheme, initial=motion, inputs=inputs)
    audit = run.audit()
    assert audit.first_law <= 1e-13
    assert (audit.g or 0.0) <= 1e-12


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint(), vv.PHMPGGL()], ids=["PHMP", "LieMidpoint", "GGL"])
@pytest.mark.parametrize("kind", ["disc", "blade"])
def test_what_rolls_on_a_flying_plate_keeps_all_momentum(kind, scheme):
    m, motion, _ = plate(kind)
    run = vv.simulate(m, t_end=0.5, h=0.02, integrator=scheme, initial=motion)
    momentum = run["momentum"]
    assert np.abs(momentum - momentum[0]).max() <= 2e-13 * np.abs(momentum).max()
    run.audit()
    apart = run["disc.r"] - run["plate.r"]
    assert np.abs(apart - apart[0]).max() > 0.01  # and it moves


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name != "welded"])
def test_the_motion_is_that_of_the_equations(name):
    """Order two against DOP853 on accelerations."""
    m, motion, inputs = CASES[name]()
    names = [body.name for body in m.bodies if hasattr(body, "J_C")]
    reference = Index1(m, inputs, motion)
    exact = placements(reference, names, reference.states([0.1, 0.2]))[-1]
    errors = []
    for h in (0.01, 0.005):
        run = vv.simulate(m, t_end=0.2, h=h, initial=motion, inputs=inputs)
        errors.append(np.abs(placements(run, names)[-1] - exact).max())
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.35)
