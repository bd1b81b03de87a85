"""The value: its matrix, its moves, sums and holes, its Euler tensor."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from visviva import ModelError, inertia
from visviva.geometry.hat import skew
from visviva.geometry.inertia import Inertia
from visviva.geometry.se3 import SE3

SIZES = st.sampled_from([1.0, 1e-3, 1e-5, 1e-8])


def vectors(n: int, bound: float = 1.0) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.floats(-bound, bound), min_size=n, max_size=n).map(np.array)


ROTATIONS = vectors(3, 3.0).map(lambda w: Rotation.from_rotvec(w).as_matrix())


@st.composite
def bodies(draw, size: float = 1.0) -> Inertia:
    """A box anywhere: three different moments, all products of inertia, a centre of mass off the origin."""
    edges = draw(st.tuples(*[st.floats(0.1, 1.0)] * 3))
    box = inertia.box(draw(st.floats(0.1, 10.0)), size * np.array(edges))
    return box.moved(draw(ROTATIONS), size * draw(vectors(3)))


def assert_same(a: np.ndarray, b: np.ndarray, rtol: float = 1e-13) -> None:
    assert_allclose(a, b, rtol=0, atol=rtol * max(np.abs(a).max(), np.abs(b).max()))


def assert_same_body(a: Inertia, b: Inertia, rtol: float = 1e-13) -> None:
    length = np.sqrt(np.trace(a.J) / a.mass) + np.abs(a.com).max()
    assert a.mass == pytest.approx(b.mass, rel=rtol)
    assert_allclose(a.com, b.com, rtol=0, atol=rtol * length)
    assert_allclose(a.J, b.J, rtol=0, atol=rtol * a.mass * length**2)


# the 6×6 matrix


@given(st.data(), SIZES)
def test_matrix_gives_the_kinetic_energy_at_every_reference_point(data, size):
    body, point = data.draw(bodies(size)), size * data.draw(vectors(3))
    w, v = data.draw(vectors(3)), size * data.draw(vectors(3))
    v_point = v + np.cross(w, point)
    V, V_point = np.concatenate([w, v]), np.concatenate([w, v_point])
    T = body.kinetic_energy(V)
    scale = body.mass * size**2
    assert V @ body.matrix() @ V / 2 == pytest.approx(T, rel=1e-12, abs=1e-13 * scale)
    assert V_point @ body.matrix(about=point) @ V_point / 2 == pytest.approx(T, rel=1e-12, abs=1e-13 * scale)


@given(bodies())
def test_matrix_has_the_published_blocks(body):
    m, c_hat = body.mass, skew(body.com)
    M = np.block([[body.J - m * c_hat @ c_hat, m * c_hat], [-m * c_hat, m * np.eye(3)]])
    assert_same(body.matrix(), M)
    assert_same(body.matrix(), body.matrix().T)


@given(bodies())
def test_matrix_about_the_centre_of_mass_is_block_diagonal(body):
    M = body.matrix(about=body.com)
    assert_same(M[:3, :3], body.J)
    assert (M[:3, 3:] == 0).all()


@given(st.data(), SIZES)
def test_matrix_is_pulled_back_by_the_adjoint(data, size):
    body = data.draw(bodies(size))
    X_AB = SE3(data.draw(ROTATIONS), size * data.draw(vectors(3)))
    Ad = X_AB.Ad()
    units = np.diag([1, 1, 1, 1 / size, 1 / size, 1 / size])  # all blocks of one magnitude
    M_A = body.moved(X_AB.R, at=X_AB.r).matrix()
    assert_same(units @ Ad.T @ M_A @ Ad @ units, units @ body.matrix() @ units, rtol=1e-12)


@given(st.data(), SIZES)
def test_from_matrix_inverts_matrix(data, size):
    body = data.draw(bodies(size))
    assert_same_body(Inertia.from_matrix(body.matrix()), body)


def test_from_matrix_reads_a_rod_far_from_the_origin():
    rod = inertia.rod(1.0, 1.0, axis=(1, 2, 3)).moved(at=(100.0, 0.0, 50.0))
    assert_same_body(Inertia.from_matrix(rod.matrix()), rod, rtol=1e-12)


# moves


@given(st.data(), SIZES)
def test_moves_compose(data, size):
    body = data.draw(bodies(size))
    R_AB, r_AB = data.draw(ROTATIONS), size * data.draw(vectors(3))
    R_CA, r_CA = data.draw(ROTATIONS), size * data.draw(vectors(3))
    twice = body.moved(R_AB, r_AB).moved(R_CA, r_CA)
    assert_same_body(twice, body.moved(R_CA @ R_AB, R_CA @ r_AB + r_CA))


@given(st.data(), SIZES)
def test_parallel_axes(data, size):
    body, a = data.draw(bodies(size)), size * data.draw(vectors(3))
    J_a = body.matrix(about=body.com + a)[:3, :3]
    assert_same(J_a, body.J + body.mass * (a @ a * np.eye(3) - np.outer(a, a)))


# sums and holes


@given(st.data(), SIZES)
def test_matrices_of_parts_add(data, size):
    a, b = data.draw(bodies(size)), data.draw(bodies(size))
    units = np.diag([1, 1, 1, size, size, size])
    assert_same(units @ (a + b).matrix() @ units, units @ (a.matrix() + b.matrix()) @ units)
    assert_same_body(a + b, b + a)


@given(st.data(), SIZES)
def test_a_hole_undoes_a_sum(data, size):
    a, b = data.draw(bodies(size)), data.draw(bodies(size))
    assert_same_body((a + b) - b, a, rtol=1e-10)  # a may weigh a hundredth of b


def test_eight_boxes_are_one_box():
    half = inertia.box(1.0, (0.5, 1.0, 1.5))
    corners = [(x, y, z) for x in (-0.25, 0.25) for y in (-0.5, 0.5) for z in (-0.75, 0.75)]
    assert_same_body(sum(half.moved(at=r) for r in corners), inertia.box(8.0, (1.0, 2.0, 3.0)), rtol=1e-15)


def test_sums_keep_their_digits_far_from_the_origin():
    near = inertia.box(1.0, (1, 2, 3)) + inertia.sphere(2.0, 0.5).moved(at=(0.0, 1.0, 0.0))
    far = (1e6, -1e6, 1e6)
    there = inertia.box(1.0, (1, 2, 3)).moved(at=far) + inertia.sphere(2.0, 0.5).moved(at=np.add(far, (0, 1, 0)))
    assert_allclose(there.J, near.J, rtol=1e-14)


def test_only_bodies_are_added():
    body = inertia.sphere(1.0, 1.0)
    for bad in (lambda: body + 1.0, lambda: 1.0 + body, lambda: body - 1.0):
        with pytest.raises(TypeError, match="unsupported operand"):
            bad()


# the Euler tensor


@given(st.lists(vectors(3), min_size=1, max_size=8), SIZES)
def test_euler_tensor_is_the_sum_of_second_moments(x, size):
    x = size * np.array(x)
    m = 1.0 + np.arange(len(x))
    body = inertia.points(m, x)
    d = x - m @ x / m.sum()
    E = sum(m_i * np.outer(d_i, d_i) for m_i, d_i in zip(m, d, strict=True))
    assert_allclose(body.euler(), E, rtol=0, atol=1e-14 * m.sum() * size**2)


@given(bodies())
def test_euler_tensor_by_trace(body):
    E = body.euler()
    assert_same(E, np.trace(body.J) / 2 * np.eye(3) - body.J)
    assert_same_body(Inertia.from_euler(body.mass, E, body.com), body)


def test_principal_values_of_the_euler_tensor():
    assert_allclose(np.diag(Inertia(1.0, (3.0, 4.0, 5.0)).euler()), [3.0, 2.0, 1.0], rtol=1e-15)


def test_a_needle_keeps_its_small_moment():
    needle = inertia.box(12.0, (1e3, 1e-3, 1e-3))
    assert needle.J[0, 0] == pytest.approx(2e-6, rel=1e-14)


# particles


def test_two_particles_are_a_dumbbell():
    body = inertia.points([1.0, 3.0], [(0, 0, 0), (2, 0, 0)])
    assert body.mass == 4.0
    assert_allclose(body.com, [1.5, 0, 0])
    assert_allclose(body.J, np.diag([0.0, 3.0, 3.0]), atol=1e-15)  # reduced mass 3/4 times 2²


def test_one_particle_has_no_moment():
    assert (inertia.points([2.0], [(1, 2, 3)]).J == 0).all()


# the value itself


def test_an_inertia_cannot_be_changed():
    J = np.diag([1.0, 1.0, 1.0])
    body = Inertia(1.0, J)
    J[0, 0] = 7.0
    assert body.J[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.J[0, 0] = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.mass = 2.0


def test_repr_is_the_expression_that_builds_it():
    body = inertia.cone(1.0, 0.3, 0.7, axis=(1, 2, 3))
    again = eval(repr(body), {"Inertia": Inertia})
    assert (again.J == body.J).all()
    assert (again.com == body.com).all()


def test_str_shows_units_and_hides_rounding():
    text = str(inertia.box(12.0, (1.0, 2.0, 3.0)).moved(Rotation.from_euler("z", 90, degrees=True).as_matrix()))
    assert "mass 12 kg, centre of mass (0, 0, 0) m" in text
    assert "J about it [kg m²]  [         10           0           0]" in text


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Inertia(0.0, (1, 1, 1)), "mass must be positive, got 0"),
        (lambda: Inertia(1.0, (1, 1, 1), com=(0, 0)), r"centre of mass must have shape \(3,\)"),
        (lambda: Inertia.from_euler(1.0, np.eye(2)), r"Euler tensor must have shape \(3,\) or \(3, 3\)"),
        (lambda: Inertia.from_euler(1.0, (1, 1, -0.5)), "triangle inequality"),
        (lambda: Inertia(1.0, (1, 1, 1)).matrix(about=(np.nan, 0, 0)), "reference point must be finite"),
        (lambda: Inertia(1.0, (1, 1, 1)).moved(2 * np.eye(3)), "rotation is not a rotation"),
        (lambda: Inertia(1.0, (1, 1, 1)).moved(-np.eye(3)), "rotation is a reflection"),
        (lambda: Inertia(1.0, (1, 1, 1)).moved(at=1.0), "position must have shape"),
        (lambda: Inertia(1.0, (1, 1, 1)).kinetic_energy((1, 2, 3)), r"twist must have shape \(6,\)"),
        (
            lambda: inertia.sphere(1.0, 1.0) - inertia.sphere(1.0, 0.5),
            "cannot take 1 kg out of a body of 1 kg",
        ),
        (lambda: inertia.sphere(1.0, 1.0) - inertia.sphere(0.5, 2.0), "no body is left around this hole"),
        (lambda: inertia.points([1.0, 2.0], [(0, 0, 0)]), "n masses and n positions"),
        (lambda: inertia.points([1.0, -2.0], np.eye(2, 3)), "mass 1 of the points is negative: -2 kg"),
        (lambda: inertia.points([0.0], [(0, 0, 0)]), "points have no mass"),
        (lambda: Inertia.from_matrix(np.eye(3)), r"shape \(6, 6\), got \(3, 3\)"),
        (lambda: Inertia.from_matrix(np.diag([1, 1, 1, 2, 2, 3.0])), "exchange both blocks"),
        (lambda: Inertia.from_matrix(np.diag([1, 2, 3, 2, 2, 3.0])), "same mass in all directions"),
        (lambda: Inertia.from_matrix(np.diag([1, 1, 1, -2, -2, -2])), "must be positive, got -2"),
        (lambda: Inertia.from_matrix(np.eye(6) + np.eye(6, k=3)), "off-diagonal blocks"),
        (lambda: Inertia.from_matrix(np.diag([1, 1, 3, 2, 2, 2])), "triangle inequality"),
    ],
)
def test_errors_say_what_is_wrong(build, message):
    with pytest.raises(ModelError, match=message):
        build()
