"""What is left of a constraint is judged in its own unit: a mechanism in mm and one in km are alike."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.compiler import initial_x
from visviva.errors import AssemblyError
from visviva.forms.dynamics.loop_rows import ModelRowsAt, ProductRowsAt
from visviva.mechanism import assemble
from visviva.model.row_units import UNKNOWN, RowUnits

SIZES = {"mm": 1e-3, "m": 1.0, "km": 1e3}


def linkage(L):
    """A spatial loop of a hinge, a universal joint, a ball and a slider, a rod beside it, and a mass on a line."""
    m = vv.Mechanism("linkage", gravity=(0, 0, -9.81))
    m.body("crank", inertia=vv.inertia.box(1.0, (L, 0.1 * L, 0.1 * L)), at=(0.5 * L, 0, 0))
    m.body("coupler", inertia=vv.inertia.box(1.0, (L, 0.1 * L, 0.1 * L)), at=(L, 0.5 * L, 0))
    m.body("block", inertia=vv.inertia.box(1.0, (0.3 * L, 0.2 * L, 0.1 * L)), at=(L, L, 0))
    m.revolute("hinge", "ground", "crank", at=(0, 0, 0), axis=(0, 0.2, 1))
    m.universal("cardan", "crank", "coupler", at=(L, 0, 0), axes=((0, 0, 1), (1, 0, 0)))
    m.spherical("ball", "coupler", "block", at=(L, L, 0))
    m.prismatic("guide", "ground", "block", at=(L, L, 0), axis=(1, 0.3, 0))
    m.particle("bead", mass=0.1, at=(0.4 * L, 0.3 * L, 0.6 * L))
    m.distance("rod", "crank", "bead", at_a=(0.5 * L, 0, 0))
    return m


def opened(model, L, off=1e-6):
    """A state with places that are off by a part of the size of the mechanism, and directors by as much."""
    x = initial_x(model, assemble(model.definition)[0])
    rng = np.random.default_rng(1)
    for body in model.definition.bodies:
        at = model.layout.x[f"{body.name}.q"]
        error = off * rng.normal(size=at.stop - at.start)
        error[:3] *= L
        x[at] += error
    return x


@pytest.mark.parametrize("form", ["lie", "directors"])
def test_the_same_opening_has_the_same_size_in_any_unit(form):
    found = {}
    for name, L in SIZES.items():
        model = vv.compile(linkage(L), form)
        x = opened(model, L)
        found[name] = np.abs(model.g(x)) / model.g_scale(x)
    assert found["m"].max() > 1e-7
    for name in ("mm", "km"):
        np.testing.assert_allclose(found[name], found["m"], rtol=1e-6, atol=1e-13)


@pytest.mark.parametrize("L", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("part", ["places", "directors"])
def test_a_start_that_is_open_is_refused_in_any_unit(L, part):
    """By 1e-7 of its size: beside cosines, millimetres were nothing, and so were cosines beside km."""
    model = vv.compile(linkage(L), "lie")
    x = initial_x(model, assemble(model.definition)[0])
    at = model.layout.x["coupler.q"]
    if part == "places":
        x[at.start + 2] += 1e-7 * L
    else:
        turn = vv.geometry.SO3.exp([0, 1e-7, 0]).R
        R = x[at][3:].reshape(3, 3).T @ turn
        x[at.start + 3 : at.stop] = R.T.ravel()
    start = {variable.name: x[model.layout.x[variable.name]] for variable in model.variables}
    with pytest.raises(AssemblyError, match="violates"):
        vv.simulate(model, 1e-3, 1e-3, initial=start, integrator=vv.LieMidpoint())


def test_rows_of_a_joint_are_numbers_lengths_and_squares():
    model = vv.compile(linkage(1.0), "lie")
    degrees = {part.name: part.degrees.tolist() for part in model.constraints}
    assert sorted(degrees["hinge"]) == [0, 0, 1, 1, 1]
    assert sorted(degrees["cardan"]) == [0, 1, 1, 1]
    assert degrees["ball"] == [1, 1, 1]
    assert sorted(degrees["guide"]) == [0, 0, 0, 1, 1]
    assert degrees["rod"] == [2]


def test_dynamics_judges_rows_as_the_model_does():
    m, corners = vv.Mechanism("four-bar"), 1e-3 * np.array([[0, 0, 0], [0, 1, 0], [2, 1.5, 0], [2, 0, 0]])
    bars = ("ground", "crank", "coupler", "rocker", "ground")
    for name, a, b in zip(bars[1:], corners, corners[1:], strict=False):
        m.body(name, inertia=vv.inertia.box(1.0, (1e-3, 1e-4, 1e-4)), at=(a + b) / 2)
    for k, at in enumerate(corners):
        m.revolute(f"hinge {k}", bars[k], bars[k + 1], at=at, axis=(0, 0, 1))
    d = vv.dynamics(m)
    q, s = np.array(d.q_built), np.array(d.s_built)
    rows = d.loops.rows.at(q, s)
    assert isinstance(rows, ProductRowsAt)
    np.testing.assert_allclose(rows.scale, ModelRowsAt(d.form, q, s).scale, rtol=1e-12)


def test_sizes_by_constraint_and_unit():
    units = RowUnits(np.array([0, 0, 0, 1, 1, 2]), np.array([1, 0, 1, 1, 0, UNKNOWN]))
    sizes = units.sizes(np.array([[3e3, 2.0, 1e3, 0.0, 0.1, 0.0], [3e-3, 2.0, 1e-3, 0.0, 0.1, 5.0]]))
    np.testing.assert_allclose(sizes, [[3e3, 2, 3e3, 3e-3, 1, 3e-3], [3e-3, 2, 3e-3, 3e-9, 1, 5]])
    assert RowUnits(np.zeros(0, int), np.zeros(0, int)).sizes(np.zeros((4, 0))).shape == (4, 0)
