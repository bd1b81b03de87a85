"""A model is refused when its names do not fit together or its matrices break their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import visviva as vv
from visviva.geometry.embedding import SO3_SPACE, Flat, SO3xR3_SPACE
from visviva.model import Dissipation, Junction, Kinetic, Linear, Port, QuadraticEnergy, Routing, Variable, canonical
from visviva.model.checks import check_skew, check_symmetric

Q, V = Variable("q", Flat(1)), Variable("v", Flat(1))
MASS = Kinetic("mass", "v", np.eye(1))
SPRING = QuadraticEnergy("spring", "q", np.eye(1))
PAIR = canonical("pair", "q", "v", 1)
SIZES = st.sampled_from([1.0, 1e-3, 1e-5, 1e-8])
MATRICES = st.lists(st.floats(-1, 1), min_size=9, max_size=9).map(lambda entries: np.reshape(entries, (3, 3)))


def oscillator(**changes) -> vv.Model:
    description = {"variables": (Q, V), "storages": (MASS, SPRING), "structures": (PAIR,)} | changes
    return vv.Model("osc", **description)


def test_the_oscillator_of_these_tests_is_a_model():
    assert oscillator().layout.size == 2


# -- names ------------------------------------------------------------------------------------------------------


DESCRIPTIONS = {
    "variable twice": ({"variables": (Q, V, Q)}, "used twice in model 'osc': q. Names are unique"),
    "junction like a variable": ({"junctions": (Junction("v", 1),)}, "used twice in model 'osc': v"),
    "port twice": (
        {"structures": (PAIR, Port("push", ("v",), 1, np.eye(1)), Port("push", ("v",), 1, np.eye(1)))},
        "used twice in the ports of model 'osc': push",
    ),
    "acts on nothing": (
        {"structures": (Routing("gyrator", ("q", "w"), np.zeros((2, 2))),)},
        "'gyrator' of model 'osc' acts on 'w', which is not there; there are: q, v",
    ),
    "reads nothing": (
        {"structures": (Dissipation("damper", ("v",), np.eye(1), reads=("x",)),)},
        "'damper' of model 'osc' reads 'x', which is not there; there are: q, v",
    ),
    "reads a junction": (
        {
            "junctions": (Junction("knot", 1),),
            "structures": (Dissipation("damper", ("knot",), np.eye(1), reads=("knot",)),),
        },
        "'damper' of model 'osc' reads 'knot', which is not there",
    ),
    "storage of nothing": (
        {"storages": (MASS, SPRING, Linear("weight", "z", np.ones(1)))},
        "storage 'weight' of model 'osc' has no variable 'z': q, v",
    ),
    "two kinetic energies": (
        {"storages": (MASS, Kinetic("more", "v", np.eye(1)))},
        "the velocity 'v' of model 'osc' has 2 storages: mass, more.\n.*add the masses",
    ),
    "kinetic and other energy": (
        {"storages": (MASS, QuadraticEnergy("bend", "v", np.eye(1)))},
        "the velocity 'v' of model 'osc' has 2 storages: mass, bend",
    ),
}


@pytest.mark.parametrize(("changes", "message"), DESCRIPTIONS.values(), ids=DESCRIPTIONS.keys())
def test_names_fit_together(changes, message):
    with pytest.raises(vv.ModelError, match=message):
        oscillator(**changes)


def test_a_structure_may_act_on_a_junction():
    oscillator(junctions=(Junction("knot", 1),), structures=(PAIR, Dissipation("leak", ("knot",), np.eye(1))))


# -- mass matrices ----------------------------------------------------------------------------------------------


PLANE = (Variable("v", Flat(2)),)


@pytest.mark.parametrize(
    ("M", "message"),
    [
        ([[1.0, 0.5], [0.0, 1.0]], "the mass matrix of 'mass' must be symmetric; it differs from its transpose by 0.5"),
        ([[1.0, 0.0], [0.0, -2.0]], "the mass matrix of 'mass' must be positive semidefinite; .* eigenvalue is -2"),
        ([[1.0, 0.0], [0.0, np.nan]], "the mass matrix of 'mass' has entries that are not finite"),
    ],
    ids=["not symmetric", "negative", "NaN"],
)
def test_a_mass_matrix_is_symmetric_and_not_negative(M, message):
    with pytest.raises(vv.ModelError, match=message):
        vv.Model("plane", PLANE, (Kinetic("mass", "v", np.array(M)),))


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 3), (2,)])
def test_a_mass_matrix_fits_its_velocity(shape):
    with pytest.raises(vv.ModelError, match="'mass'"):
        vv.Model("plane", PLANE, (Kinetic("mass", "v", np.ones(shape)),))


def test_a_mass_matrix_may_be_singular():
    vv.Model("plane", PLANE, (Kinetic("mass", "v", np.diag([1.0, 0.0])),))


# -- laws of matrices -------------------------------------------------------------------------------------------


@given(MATRICES, SIZES)
def test_skew_matrices_pass_and_others_do_not(A, size):
    J = size * (A - A.T)
    check_skew(J, "J")
    if np.abs(J).max() > 0:
        with pytest.raises(vv.ModelError, match=r"J must be skew.* create or lose energy; \|J \+ Jᵀ\| is"):
            check_skew(J + 1e-9 * np.abs(J).max() * np.eye(3), "J")


@given(MATRICES, SIZES)
def test_squares_pass_and_what_is_below_zero_does_not(A, size):
    R = size * A @ A.T
    check_symmetric(R, "R", semidefinite=True)
    largest = np.abs(R).max()
    if largest > 1e-12 * size:
        below = R - (np.linalg.eigvalsh(R)[0] + 1e-9 * largest) * np.eye(3)
        with pytest.raises(vv.ModelError, match="R must be positive semidefinite; its smallest eigenvalue is -"):
            check_symmetric(below, "R", semidefinite=True)
        check_symmetric(below, "R")
        crooked = R + 1e-9 * largest * np.triu(np.ones((3, 3)), 1)
        with pytest.raises(vv.ModelError, match="R must be symmetric; it differs from its transpose by"):
            check_symmetric(crooked, "R")


@pytest.mark.parametrize("check", [check_skew, check_symmetric])
def test_matrices_are_finite(check):
    with pytest.raises(vv.ModelError, match="J of 'pair' has entries that are not finite"):
        check(np.array([[0.0, np.inf], [-np.inf, 0.0]]), "J of 'pair'")


def test_structures_are_checked_where_the_state_is():
    """A matrix that breaks its law only beyond q = 1."""
    routing = Routing("pair", ("q", "v"), lambda q: np.array([[0.0, 1.0], [-1.0, float(q[0] > 1)]]), reads=("q",))
    model = oscillator(structures=(routing,))
    model.check(np.array([0.0, 0.0]))
    with pytest.raises(vv.ModelError, match="J of 'pair' must be skew"):
        model.check(np.array([2.0, 0.0]))


def test_dissipations_are_checked_with_the_efforts_they_act_on():
    """Friction that feeds energy in at high speed."""
    damper = Dissipation("damper", ("v",), lambda q, z: np.array([[1.0 - abs(z[0])]]))
    model = oscillator(structures=(PAIR, damper))
    model.check(np.array([0.0, 0.5]))
    with pytest.raises(vv.ModelError, match=r"R of 'damper' must be positive semidefinite; .* is -1"):
        model.check(np.array([0.0, 2.0]))


MISFITS = {
    "routing": Routing("wrong", ("q", "v"), np.zeros((3, 3))),
    "dissipation": Dissipation("wrong", ("v",), np.eye(2)),
    "port": Port("wrong", ("v",), 1, np.ones((2, 1))),
}


@pytest.mark.parametrize("structure", MISFITS.values(), ids=MISFITS.keys())
def test_the_matrix_of_a_structure_fits_what_it_acts_on(structure):
    with pytest.raises(vv.ModelError, match="'wrong'"):
        oscillator(structures=(PAIR, structure)).check(np.zeros(2))


# -- states -----------------------------------------------------------------------------------------------------


def pose_model() -> vv.Model:
    return vv.Model("body", (Variable("pose", SO3xR3_SPACE), Variable("turn", SO3_SPACE), Variable("s", Flat(1))), ())


POSE, TURN = [1.0, 2.0, 3.0, *np.eye(3).ravel()], np.eye(3).ravel()


def test_a_state_is_packed_in_the_order_of_the_variables():
    x = pose_model().pack({"s": 7.0, "turn": TURN, "pose": POSE})
    assert_array_equal(x, [*POSE, *TURN, 7.0])


STATES = {
    "missing": ({"turn": TURN, "pose": POSE}, "model 'body' needs a value for its variable 's'"),
    "unknown": (
        {"s": 0.0, "turn": TURN, "pose": POSE, "turm": TURN},
        "model 'body' has no variable 'turm'; it has pose, turn, s",
    ),
    "shape": ({"s": [0.0, 1.0], "turn": TURN, "pose": POSE}, r"value of 's' must have shape \(1,\), got \(2,\)"),
    "matrix": ({"s": 0.0, "turn": np.eye(3), "pose": POSE}, r"value of 'turn' must have shape \(9,\), got \(3, 3\)"),
    "NaN": ({"s": np.nan, "turn": TURN, "pose": POSE}, "value of 's' must be finite"),
    "text": ({"s": "far", "turn": TURN, "pose": POSE}, "value of 's' must be numbers, got 'far'"),
    "scaled": ({"s": 0.0, "turn": 1.1 * TURN, "pose": POSE}, r"(?s)value of 'turn' is no rotation.*SO3.nearest\(R\)"),
    "reflection": ({"s": 0.0, "turn": -TURN, "pose": POSE}, "value of 'turn' is no rotation"),
}


@pytest.mark.parametrize(("values", "message"), STATES.values(), ids=STATES.keys())
def test_a_state_needs_one_value_of_each_variable(values, message):
    with pytest.raises(vv.ModelError, match=message):
        pose_model().pack(values)
