"""The laws of the seam over every mechanism in both forms and over models written by hand; and broken models."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import MECHANISMS, pair_with

import visviva as vv
from visviva.compiler import FORMS, compile_mechanism, initial_x
from visviva.geometry.embedding import SO3_SPACE, Flat
from visviva.geometry.hat import skew
from visviva.model import (
    Dissipation,
    Energy,
    Junction,
    Kinetic,
    Model,
    Port,
    QuadraticEnergy,
    Routing,
    RowKind,
    Variable,
    canonical,
)
from visviva.testing import check_model


def oscillator(J=((0.0, 1.0), (-1.0, 0.0)), R=((0.3,),)):
    return Model(
        "oscillator",
        (Variable("q", Flat(1)), Variable("p", Flat(1))),
        (
            Energy("spring", "q", lambda q: 0.25 * (q**4).sum(-1), lambda q: q**3),
            QuadraticEnergy("mass", "p", np.array([[0.5]])),
        ),
        (
            Routing("coupling", ("q", "p"), np.array(J)),
            Dissipation("damper", ("p",), np.array(R)),
            Port("push", ("p",), 1, np.array([[1.0]])),
        ),
    )


def spinning_body():
    """Euler's equations with a potential of the orientation: R in SO(3), angular momentum in R³."""
    moments, field = np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 1.0])

    def energy(q):  # -field · (third column of R)
        return -(q[..., 6:9] @ field)

    def slope(q):
        return np.concatenate([np.zeros((*q.shape[:-1], 6)), np.broadcast_to(-field, (*q.shape[:-1], 3))], -1)

    return Model(
        "spinning body",
        (Variable("R", SO3_SPACE), Variable("p", Flat(3))),
        (Energy("field", "R", energy, slope), QuadraticEnergy("spin", "p", np.diag(1 / moments))),
        (
            Routing("pose", ("R", "p"), np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])),
            Routing("gyroscope", ("p",), lambda p: skew(p), ("p",)),
        ),
    )


def series_damper():
    """A mass and a spring with a damper in series: the junction between spring and damper stores nothing."""
    return Model(
        "series",
        (Variable("q", Flat(1)), Variable("p", Flat(1))),
        (QuadraticEnergy("spring", "q", np.array([[4.0]])), QuadraticEnergy("mass", "p", np.array([[1.0]]))),
        (
            # the end of the spring moves with the junction's velocity w: q' = v - w, p' = -F, 0 = F - d w
            Routing("link", ("q", "p", "w"), np.array([[0.0, 1, -1], [-1, 0, 0], [1, 0, 0]])),
            Dissipation("damper", ("w",), np.array([[0.7]])),
        ),
        junctions=(Junction("w", 1),),
    )


BY_HAND = {
    "oscillator": (oscillator, {"q": [0.7], "p": [-0.4]}),
    "spinning body": (spinning_body, {"R": np.eye(3).ravel(), "p": [0.3, 2.0, -1.0]}),
    "series damper": (series_damper, {"q": [0.5], "p": [1.0]}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", MECHANISMS.values(), ids=MECHANISMS)
def test_every_mechanism_in_both_forms(make, form):
    m = make()
    model = compile_mechanism(m, form)
    x = initial_x(model, m.assemble()[0])
    check_model(model, x)


@pytest.mark.parametrize("form", FORMS)
def test_ports_of_a_mechanism(form):
    m = pair_with(0.2)
    m.torque("motor", "h2")
    m.wrench("wind", "b")
    model = compile_mechanism(m, form)
    check_model(model, initial_x(model, m.assemble()[0]))


@pytest.mark.parametrize(("make", "values"), BY_HAND.values(), ids=BY_HAND)
def test_models_by_hand(make, values):
    model = make()
    check_model(model, model.pack(values))


@pytest.mark.parametrize(
    ("law", "model"),
    [
        ("J is skew", oscillator(J=((0.0, 1.0), (-0.9, 0.0)))),
        ("R is positive", oscillator(R=((-0.3,),))),
    ],
)
def test_the_checker_names_the_law_that_is_broken(law, model):
    with pytest.raises(AssertionError, match=law):
        check_model(model, model.pack({"q": [0.7], "p": [-0.4]}))


def test_a_wrong_effort_is_noticed():
    wrong = Energy("spring", "q", lambda q: 0.5 * (q**2).sum(-1), lambda q: 2 * q)
    model = Model("wrong", (Variable("q", Flat(1)),), (wrong,))
    with pytest.raises(AssertionError, match="E' z = dH"):
        check_model(model, np.array([1.0]))


def test_kinds_of_rows():
    model = compile_mechanism(pair_with(), "directors")
    assert {kind for _, kind in model.kinds} == {RowKind.HOLONOMIC}
    assert [name for name, _ in model.kinds].count("h1") == 5
    assert series_damper().kinds == (("w", RowKind.EFFORT),)


def test_functions_take_batches():
    model = compile_mechanism(pair_with(0.1), "lie")
    x = initial_x(model, pair_with(0.1).assemble()[0])
    batch = np.stack([model.retract(x, s * np.ones(model.layout.dim)) for s in (0.0, 0.1, 0.2)])
    z = model.z(batch)
    for function in (model.H, model.J, model.R, model.B, model.E, model.g, model.g_v, model.angles):
        one_by_one = np.stack([function(row) for row in batch])
        np.testing.assert_allclose(function(batch), one_by_one, rtol=0, atol=1e-14)
    flow = np.stack([model.flow(row, e, np.zeros(0)) for row, e in zip(batch, z, strict=True)])
    np.testing.assert_allclose(model.flow(batch, z, np.zeros(0)), flow, atol=1e-13)


def test_a_canonical_pair_is_skew():
    J = canonical("c", "q", "v", 2).J(np.zeros(0))
    np.testing.assert_array_equal(J, -J.T)


def test_a_mechanism_and_a_model_compile_to_a_model():
    model = oscillator()
    assert vv.compile(model) is model
    assert vv.compile(pair_with()).definition is not None
    with pytest.raises(vv.ModelError, match="takes a Mechanism or a Model, got str"):
        vv.compile("pair")
    with pytest.raises(vv.ModelError, match="no form 'quaternions'"):
        vv.compile(pair_with(), form="quaternions")


def test_kinetic_storage_needs_a_symmetric_mass():
    with pytest.raises(vv.ModelError, match="mass matrix of 'm' must be symmetric"):
        Model("m", (Variable("v", Flat(2)),), (Kinetic("m", "v", np.array([[1.0, 0.2], [0.0, 1.0]])),))
