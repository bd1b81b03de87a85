"""Dirac structures: every representation describes the same space, and what is none is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_structures import port_sets, projector_gap, seeds, sizes, skew, structures

from visviva import ModelError
from visviva.structure import Dirac
from visviva.structure.subspace import range_and_complement
from visviva.testing.structures import check_dirac

QP = {"q": 1, "p": 1}
CANONICAL = np.array([[0.0, 1.0], [-1.0, 0.0]])  # q_dot = e_p, p_dot = -e_q


@given(D=structures())
def test_every_structure_obeys_every_law(D):
    check_dirac(D)


@given(ports=port_sets(), seed=seeds, size=sizes, data=st.data())
def test_input_output_is_recovered_relatively_in_any_causality(ports, seed, size, data):
    n, rng = sum(ports.values()), np.random.default_rng(seed)
    J = skew(n, data.draw(st.integers(0, n)), size, rng)
    effort_in = data.draw(st.lists(st.sampled_from(list(ports)), unique=True))
    D = Dirac.input_output(J, ports, effort_in)
    check_dirac(D)
    assert_allclose(D.to_input_output(effort_in), J, rtol=0, atol=1e-12 * np.abs(J).max())
    u = rng.uniform(-1, 1, n)
    given_effort = np.concatenate([np.full(dim, name in effort_in) for name, dim in ports.items()])
    y = -J @ u
    assert_allclose(D.residual(np.where(given_effort, y, u), np.where(given_effort, u, y)), 0, atol=1e-13)


@given(ports=port_sets(), seed=seeds, size=sizes, data=st.data())
def test_presymplectic_is_recovered_relatively(ports, seed, size, data):
    n = sum(ports.values())
    omega = skew(n, data.draw(st.integers(0, n)), size, np.random.default_rng(seed))
    D = Dirac.presymplectic(omega, ports)
    check_dirac(D)
    assert_allclose(D.to_presymplectic(), omega, rtol=0, atol=1e-12 * np.abs(omega).max())
    assert D.same_as(Dirac.input_output(-omega, ports, effort_in=()))


@given(ports=port_sets(), seed=seeds, size=sizes, data=st.data())
def test_constrained_form_holds_with_redundant_rows(ports, seed, size, data):
    n, rng = sum(ports.values()), np.random.default_rng(seed)
    J = skew(n, data.draw(st.integers(0, n)), size, rng)
    C = size * rng.uniform(-1, 1, (data.draw(st.integers(0, n - 1)), n))
    D = Dirac.constrained(J, C, ports)
    _, efforts = range_and_complement(C.T)
    e = efforts @ rng.uniform(-1, 1, efforts.shape[1])
    lam = rng.uniform(-1, 1, len(C))
    assert_allclose(D.residual(-J @ e - C.T @ lam, e), 0, atol=1e-13)
    repeated = np.vstack([C, rng.uniform(-1, 1, (2, len(C))) @ C, np.zeros((1, n))])
    assert projector_gap(D, Dirac.constrained(J, repeated, ports)) < 1e-12
    J_back, C_back = D.to_constrained()
    assert_allclose(J_back @ C_back.T, 0, atol=1e-12)
    rounding = 1e-12 * np.abs(J).max() + (1e-14 if len(C) else 0.0)  # of the reactions, which are of size 1
    assert_allclose(efforts.T @ J_back @ efforts, efforts.T @ J @ efforts, rtol=0, atol=rounding)


@given(D=structures(), seed=seeds, size=sizes)
def test_kernel_and_image_may_be_combined_and_repeated_at_will(D, seed, size):
    rng = np.random.default_rng(seed)
    mix = size * np.vstack([np.linalg.qr(rng.uniform(-1, 1, (D.n, D.n)))[0], rng.uniform(-1, 1, (2, D.n))])
    F, E = D.to_kernel()
    for form in (Dirac.kernel, Dirac.image):
        assert projector_gap(form(mix @ F, mix @ E, D.ports), D) < 1e-11
    assert projector_gap(Dirac.basis(D.to_basis() @ mix.T, D.ports), D) < 1e-11


@given(D=structures(), seed=seeds)
def test_no_element_has_power(D, seed):
    f, e = np.split(D.to_basis() @ np.random.default_rng(seed).uniform(-1, 1, D.n), 2)
    assert abs(f @ e) < 1e-14
    assert_allclose(D.residual(f, e), 0, atol=1e-14)


@given(D=structures(), data=st.data())
def test_relabelling_keeps_the_laws_and_can_be_undone(D, data):
    ports = list(D.ports)
    chosen = data.draw(st.lists(st.sampled_from(ports), unique=True))
    order = data.draw(st.permutations(ports))
    names = {name: f"new {name}" for name in chosen}
    back = {new: old for old, new in names.items()}
    changes = [
        (D.role_swap(*chosen), lambda s: s.role_swap(*chosen)),
        (D.flip(*chosen), lambda s: s.flip(*chosen)),
        (D.reverse(), lambda s: s.reverse()),
        (D.permute(*order), lambda s: s.permute(*ports)),
        (D.rename(names), lambda s: s.rename(back)),
    ]
    changed, undone = data.draw(st.sampled_from(changes))
    check_dirac(changed)
    assert projector_gap(D, undone(changed)) == 0


def test_signs_of_flows_efforts_and_of_the_storages():
    D = Dirac.input_output(CANONICAL, QP)
    q_dot, p_dot, e_q, e_p = 3.0, -2.0, 2.0, 3.0  # x' = J e
    assert_allclose(D.residual([-q_dot, -p_dot], [e_q, e_p]), 0, atol=1e-15)
    assert_allclose(D.reverse().residual([q_dot, p_dot], [e_q, e_p]), 0, atol=1e-15)
    assert_allclose(D.flip("q").residual([q_dot, -p_dot], [-e_q, e_p]), 0, atol=1e-15)
    assert_allclose(D.role_swap("q").residual([e_q, -p_dot], [-q_dot, e_p]), 0, atol=1e-15)
    assert_allclose(D.reverse().to_input_output(), -CANONICAL, atol=1e-15)
    assert_allclose(D.to_presymplectic(), CANONICAL, atol=1e-15)  # e = ω f, the symplectic form
    assert Dirac.constrained(CANONICAL, np.zeros((0, 2)), QP).same_as(D)


def test_the_published_coupling_is_minus_J():
    printed = np.array([[0.0, -1.0], [1.0, 0.0]])  # f = printed e, equation (3)
    D = Dirac.input_output(-printed, QP)
    assert_allclose(D.residual(printed @ [2.0, 5.0], [2.0, 5.0]), 0, atol=1e-15)


def test_offsets_have_mixed_causality():
    Ad = np.arange(9.0).reshape(3, 3) - 2 * np.eye(3)
    J = np.block([[np.zeros((3, 3)), Ad.T], [-Ad, np.zeros((3, 3))]])  # f_1 = -Adᵀ f_j, e_j = Ad e_1: equation (27)
    D = Dirac.input_output(J, {"body": 3, "joint": 3}, effort_in=["body"])
    u, F = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -1.0])
    assert_allclose(D.residual(np.concatenate([-Ad.T @ F, F]), np.concatenate([u, Ad @ u])), 0, atol=1e-14)
    assert_allclose(D.to_input_output(["body"]), J, atol=1e-14)


def test_same_as_sees_order_names_dimensions_and_signs():
    D = Dirac.input_output(CANONICAL, QP)
    assert D.same_as(D.permute("p", "q"))
    assert not D.same_as(D.reverse())
    assert not D.same_as(D.rename({"q": "s"}))
    assert not D.same_as(Dirac.input_output(np.zeros((2, 2)), {"q": 2}))


def test_a_structure_without_ports_is_trivial():
    D = Dirac.kernel(np.zeros((0, 0)), np.zeros((0, 0)), {})
    assert D.n == 0
    assert D.same_as(Dirac.constrained(np.zeros((0, 0)), np.zeros((0, 0)), {}))
    check_dirac(D)


EYE, NIL = np.eye(2), np.zeros((2, 2))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Dirac.kernel(NIL, NIL, QP), r"\[F E\] has rank 0, .*'q' \(1\), 'p' \(1\) have 2 flows.*\n.*missing"),
        (lambda: Dirac.kernel(np.eye(4)[:, :2], np.eye(4)[:, 2:], QP), r"\[F E\] has rank 4.*\n.*too many"),
        (lambda: Dirac.image(NIL, EYE[:, :1] @ EYE[:1], QP), "basis Z has rank 1"),
        (lambda: Dirac.basis(np.eye(4), QP), "basis Z has rank 4"),
        (lambda: Dirac.projector(np.diag([1.0, 0, 0, 0]), QP), "has rank 1"),
        (
            lambda: Dirac.kernel(EYE, np.diag([0.0, 1.0]), QP),
            r"not conserved.*\n'q' .*'p' -0.5 .*-0.5 in total",
        ),
        (lambda: Dirac.basis([[1.0], [1.0]], {"p": 1}), "power is not conserved"),
        (lambda: Dirac.projector(2 * np.eye(4), QP), r"P = Pᵀ = P².*\|P² - P\| is 2"),
        (lambda: Dirac.projector(np.eye(4) + np.eye(4, k=1), QP), r"\|P - Pᵀ\| is 1"),
        (
            lambda: Dirac.input_output([[0, 1], [-0.9, 0]], QP),
            r"skew.*\|J \+ Jᵀ\| is 0.1 between 'q' and 'p'",
        ),
        (lambda: Dirac.constrained([[0, 1], [-1, 0.5]], NIL, QP), "is 1 between 'p' and 'p'"),
        (lambda: Dirac.presymplectic(np.diag([0.0, 0, 2]), {"a": 1, "b": 2}), r"ω must be skew.*'b'\[1\]"),
        (lambda: Dirac.kernel(EYE, EYE[:1], QP), "F has 2 rows and E has 1"),
        (lambda: Dirac.kernel(np.eye(3), EYE, QP), "F must have shape"),
        (lambda: Dirac.input_output(np.zeros((4, 2, 2)), QP), "J must be one matrix"),
        (lambda: Dirac.input_output([[0, np.inf], [-np.inf, 0]], QP), "J must be finite"),
        (lambda: Dirac.input_output(NIL, {"q": 2.0}), "dimension of port 'q' must be a positive integer, got 2.0"),
        (lambda: Dirac.input_output(NIL, {"q": True, "p": 1}), "dimension of port 'q'"),
        (lambda: Dirac.input_output(NIL, {"q": 0, "p": 2}), "dimension of port 'q'"),
        (lambda: Dirac.input_output(NIL, QP, effort_in=["v"]), "no port 'v'; the ports are 'q', 'p'"),
        (lambda: Dirac.input_output(NIL, QP).role_swap("v"), "no port 'v'"),
        (lambda: Dirac.input_output(NIL, QP).rename({"v": "w"}), "no port 'v'"),
        (lambda: Dirac.input_output(NIL, QP).rename({"q": "p"}), "renamed structure has a port twice: 'p'"),
        (lambda: Dirac.input_output(NIL, QP).permute("q"), "new order leaves out 'p'"),
        (lambda: Dirac.input_output(NIL, QP).permute("q", "q"), "new order has a port twice: 'q'"),
        (lambda: Dirac.input_output(NIL, QP).residual([1.0], [1.0, 2.0]), "flows must have shape"),
    ],
)
def test_what_is_no_dirac_structure_is_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_an_impossible_causality_names_the_ports():
    lever = Dirac.constrained(np.zeros((3, 3)), [[1.0, -2.0, 0.0]], {"a": 1, "b": 1, "c": 1})
    with pytest.raises(ModelError, match=r"the efforts of 'a', 'b' by 1 relation"):
        lever.to_input_output()
    with pytest.raises(ModelError, match=r"the flows of 'a', 'b', 'c' by 2 relation"):
        lever.to_presymplectic()
    with pytest.raises(ModelError, match=r"ties the flows of 'c' .*\n.*to_constrained"):
        lever.to_input_output(["a"])
    with pytest.raises(ModelError, match=r"the efforts of 'a' and flows of 'b'"):
        Dirac.input_output(CANONICAL, {"a": 1, "b": 1}).to_input_output(["a"])
    assert lever.to_input_output(["a", "c"]).shape == (3, 3)
