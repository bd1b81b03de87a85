"""Composition: independent of order, neutral for wires, equal to elimination by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_structures import SIZES, projector_gap, seeds, structures

from visviva import ModelError
from visviva.structure import Dirac, close, compose, direct_sum, wire
from visviva.structure.ports import spans
from visviva.testing.structures import check_dirac

GYRATOR = Dirac.input_output([[0.0, 1.0], [-1.0, 0.0]], {"a": 1, "b": 1})


def null_of(A):
    """Orthonormal null space by singular values."""
    _, s, V = np.linalg.svd(A)
    return V[(s > 1e-10).sum() :].T


@st.composite
def networks(draw):
    """Two to four structures, some ports of equal dimension joined, some junctions open to the outside."""
    boxes = {name: draw(structures(most=5)) for name in "ABCD"[: draw(st.integers(2, 4))]}
    ports = direct_sum(boxes).ports
    junctions = {}
    for dim in (1, 2, 3):
        free = [name for name in draw(st.permutations(list(ports))) if ports[name] == dim]
        while len(free) > 1 and draw(st.booleans()):
            count = draw(st.integers(1, min(3, len(free))))
            junctions[f"j{len(junctions)}"], free = free[:count], free[count:]
    outer = [name for name in junctions if draw(st.booleans())]
    return boxes, junctions, outer


def by_brute_force(boxes, junctions, outer):
    """All equations in all variables at once, flows and efforts of the outer ports among them."""
    parts = direct_sum(boxes)
    at, n = spans(parts.ports), parts.n
    joined = {member for members in junctions.values() for member in members}
    open_ports = {p: d for p, d in parts.ports.items() if p not in joined}
    open_ports |= {j: parts.ports[junctions[j][0]] for j in junctions if j in outer}
    m, out = sum(open_ports.values()), spans(open_ports)
    flow, effort, f_out, e_out = np.split(np.eye(2 * n + 2 * m), [n, 2 * n, 2 * n + m])
    rows = [parts.F @ flow + parts.E @ effort]
    for port in open_ports.keys() - junctions.keys():
        rows += [flow[at[port]] - f_out[out[port]], effort[at[port]] - e_out[out[port]]]
    for junction, members in junctions.items():
        inside = sum(flow[at[member]] for member in members)
        rows.append(inside - f_out[out[junction]] if junction in outer else inside)
        e = e_out[out[junction]] if junction in outer else effort[at[members[0]]]
        rows += [effort[at[member]] - e for member in members]
    outside = null_of(np.vstack(rows))[2 * n :]
    U, s, _ = np.linalg.svd(outside)
    return U[:, :m] @ U[:, :m].T, open_ports, s


@given(network=networks())
def test_composition_is_elimination(network):
    D = compose(*network)
    check_dirac(D)
    P, ports, s = by_brute_force(*network)
    assert D.ports == ports
    if len(s) and s[len(ports) and sum(ports.values()) - 1] > 1e-4:  # else brute force has no digits left
        back = D.permute(*ports).to_projector()
        assert_allclose(back, P, atol=1e-8)


def two_by_kernels(A, B, a, b):
    """Left null space of the joined columns, then rows compressed: two structures, one wire."""
    i, j = spans(A.ports)[a], spans(B.ports)[b]
    M = np.block([[A.F[:, i], A.E[:, i]], [-B.F[:, j], B.E[:, j]]])
    L = null_of(M.T).T
    left, right = np.delete(np.arange(A.n), i), np.delete(np.arange(B.n), j)
    F = np.hstack([L[:, : A.n] @ A.F[:, left], L[:, A.n :] @ B.F[:, right]])
    E = np.hstack([L[:, : A.n] @ A.E[:, left], L[:, A.n :] @ B.E[:, right]])
    m = A.n + B.n - 2 * A.ports[a]
    _, s, V = np.linalg.svd(np.hstack([F, E]))
    rows = V[:m]
    ports = {f"A.{p}": d for p, d in A.ports.items() if p != a} | {f"B.{p}": d for p, d in B.ports.items() if p != b}
    return Dirac.kernel(rows[:, :m], rows[:, m:], ports), s


@given(A=structures(), B=structures(), data=st.data())
def test_composition_of_two_is_that_of_their_kernels(A, B, data):
    pairs = [(a, b) for a in A.ports for b in B.ports if A.ports[a] == B.ports[b]]
    if not pairs:
        A, B, pairs = A, A.reverse(), [(p, p) for p in A.ports]
    a, b = data.draw(st.sampled_from(pairs))
    D = compose({"A": A, "B": B}, {"j": (f"A.{a}", f"B.{b}")})
    U = D.to_projector()
    try:
        reference, s = two_by_kernels(A, B, a, b)
    except ModelError:  # weak couplings: the reference has too few digits to be a structure
        return
    if D.n and s[D.n - 1] > 1e-4:
        assert_allclose(U, reference.permute(*D.ports).to_projector(), atol=1e-8)


@given(network=networks(), data=st.data())
def test_order_of_structures_and_junctions_does_not_matter(network, data):
    boxes, junctions, outer = network
    D = compose(boxes, junctions, outer)
    again = compose(
        {name: boxes[name] for name in data.draw(st.permutations(list(boxes)))},
        {name: data.draw(st.permutations(junctions[name])) for name in data.draw(st.permutations(list(junctions)))},
        outer,
    )
    assert projector_gap(D, again) < 1e-7


def chain(size, seed):
    """A - B - C with ports of dimension 2, and couplings of a given size."""
    rng = np.random.default_rng(seed)
    K = size * rng.uniform(-1, 1, (3, 4, 4))
    A, B, C = (Dirac.input_output(k - k.T, {"l": 2, "r": 2}) for k in K)
    return A, B, C


@pytest.mark.parametrize("size", SIZES)
@given(seed=seeds)
def test_composition_is_associative(size, seed):
    A, B, C = chain(size, seed)
    AB = compose({"A": A, "B": B}, {"x": ("A.r", "B.l")})
    BC = compose({"B": B, "C": C}, {"y": ("B.r", "C.l")})
    left = compose({"AB": AB, "C": C}, {"y": ("AB.B.r", "C.l")}).rename({"AB.A.l": "A.l"})
    right = compose({"A": A, "BC": BC}, {"x": ("A.r", "BC.B.l")}).rename({"BC.C.r": "C.r"})
    once = compose({"A": A, "B": B, "C": C}, {"x": ("A.r", "B.l"), "y": ("B.r", "C.l")})
    assert projector_gap(left, once) < 1e-12
    assert projector_gap(right, once) < 1e-12


@given(network=networks(), seed=seeds)
def test_tellegen(network, seed):
    """Power over the open ports is zero, and what enters by outer ports is what the inner ports receive."""
    boxes, junctions, outer = network
    D = compose(boxes, junctions, outer)
    f, e = np.split(D.to_basis() @ np.random.default_rng(seed).uniform(-1, 1, D.n), 2)
    assert abs(f @ e) < 1e-13


def test_two_gyrators_are_a_wire_and_three_a_gyrator():
    twice = compose({"x": GYRATOR, "y": GYRATOR}, {"j": ("x.b", "y.a")})
    assert twice.same_as(wire("x.a", "y.b"))
    against = compose({"x": GYRATOR, "y": GYRATOR}, {"j": ("x.b", "y.b")})
    assert against.same_as(wire("x.a", "y.a").flip("x.a"))
    again = compose({"t": twice, "z": GYRATOR}, {"j": ("t.y.b", "z.a")})
    assert again.rename({"t.x.a": "a", "z.b": "b"}).same_as(GYRATOR)


@pytest.mark.parametrize("j", [1.0, 1e-3, 1e-5, 1e-8, 1e-11])
def test_weak_couplings_still_constrain(j):
    """Three gyrators of constant j meet: their flows j e add up to zero, whatever j is."""
    weak = Dirac.input_output([[0, -j], [j, 0]], {"a": 1, "b": 1})
    D = compose({"g": weak, "h": weak, "k": weak}, {"m": ("g.b", "h.b", "k.b")})
    expected = Dirac.constrained(np.zeros((3, 3)), [[1.0, 1.0, 1.0]], {"g.a": 1, "h.a": 1, "k.a": 1})
    assert projector_gap(D, expected) < 1e-14


def test_an_open_junction_adds_the_flows():
    D = compose({"x": GYRATOR, "y": GYRATOR}, {"j": ("x.b", "y.b")}, outer=["j"])
    e_x, e_y, e = 2.0, 3.0, 5.0
    assert tuple(D.ports) == ("x.a", "y.a", "j")
    assert_allclose(D.residual([-e, -e, e_x + e_y], [e_x, e_y, e]), 0, atol=1e-14)


def test_ports_of_one_structure_may_meet():
    D = compose({"x": direct_sum({"g": GYRATOR, "h": GYRATOR})}, {"j": ("x.g.b", "x.h.a")})
    assert D.same_as(compose({"x.g": GYRATOR, "x.h": GYRATOR}, {"j": ("x.g.b", "x.h.a")}))


def test_constraints_that_repeat_each_other_leave_the_structure_as_it_is():
    level = Dirac.constrained(np.zeros((2, 2)), [[1.0, -1.0]], {"a": 1, "b": 1})
    once = compose({"x": level}, {"p": ["x.a"], "q": ["x.b"]}, outer=("p", "q"))
    twice = compose({"x": level, "y": level}, {"p": ("x.a", "y.a"), "q": ("x.b", "y.b")}, outer=("p", "q"))
    assert twice.same_as(once)


def test_everything_joined_leaves_nothing():
    D = compose({"x": GYRATOR, "y": GYRATOR}, {"j": ("x.a", "y.a"), "k": ("x.b", "y.b")})
    assert D.ports == {}
    check_dirac(D)


@given(D=structures(), data=st.data())
def test_closing_a_port_is_joining_it_to_a_source_of_nothing(D, data):
    port = data.draw(st.sampled_from(list(D.ports)))
    dim = D.ports[port]
    eye, nil = np.eye(dim), np.zeros((dim, dim))
    for zero, source in (("flow", Dirac.kernel(eye, nil, {"s": dim})), ("effort", Dirac.kernel(nil, eye, {"s": dim}))):
        closed = close(D, port, zero)
        check_dirac(closed)
        joined = compose({"D": D, "source": source}, {"j": (f"D.{port}", "source.s")})
        assert projector_gap(closed, joined.rename({f"D.{p}": p for p in closed.ports})) < 1e-7
        assert closed.same_as(close(D.role_swap(port), port, "effort" if zero == "flow" else "flow"))


def test_closed_lever_holds_the_other_arm():
    lever = Dirac.constrained(np.zeros((2, 2)), [[1.0, -2.0]], {"a": 1, "b": 1})
    assert close(lever, "a", "effort").same_as(Dirac.kernel([[0.0]], [[1.0]], {"b": 1}))
    assert close(lever, "a", "flow").same_as(Dirac.kernel([[1.0]], [[0.0]], {"b": 1}))


BOXES = {"x": GYRATOR, "w": wire("a", "b", 2)}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: compose(BOXES, {"j": ("x.a", "x.c")}), "no port 'x.c'; the ports are 'x.a', 'x.b', 'w.a', 'w.b'"),
        (lambda: compose(BOXES, {"j": ("x.a",), "k": ("x.a",)}), "port 'x.a' is at the junctions 'j' and 'k'"),
        (lambda: compose(BOXES, {"j": ("x.a", "x.a")}), "at the junctions 'j' and 'j'"),
        (lambda: compose(BOXES, {"j": ("x.a", "w.a")}), r"different dimension: 'x.a' \(1\), 'w.a' \(2\)"),
        (lambda: compose(BOXES, {"j": "x.a"}), "junction 'j' must list its ports, got 'x.a'"),
        (lambda: compose(BOXES, {"j": ()}), "junction 'j' must list its ports"),
        (lambda: compose(BOXES, {"j": ("x.a",)}, outer=["k"]), "outer port 'k' is no junction; the junctions are 'j'"),
        (lambda: compose(BOXES, {"x.b": ("x.a",)}, outer="x.b"), "composite has a port twice: 'x.b'"),
        (lambda: direct_sum({"x": wire("a.b", "c"), "x.a": wire("b", "c")}), "the sum has a port twice: 'x.a.b'"),
        (lambda: close(GYRATOR, "a", zero="power"), "port 'a' is closed by zero='flow' or zero='effort', got 'power'"),
        (lambda: close(GYRATOR, "c", zero="flow"), "no port 'c'"),
        (lambda: wire("a", "a"), "the wire has a port twice: 'a'"),
        (lambda: wire("a", "b", 0), "dimension of port 'a' must be a positive integer"),
    ],
)
def test_wiring_that_makes_no_sense_is_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_what_is_not_joined_does_not_round_by_the_numbers_of_others():
    """A port of small numbers beside large ones keeps its zeros: they would meet numbers in other units."""
    J = np.random.default_rng(3).normal(size=(6, 6))
    strong = Dirac.input_output(1e3 * (J - J.T), {"a": 3, "b": 3})
    whole = compose({"A": strong, "B": strong, "node": GYRATOR}, {"joint": ("A.b", "B.a")})
    at = spans(whole.ports)
    apart = np.zeros(whole.n, dtype=bool)
    for name in ("node.a", "node.b"):
        apart[at[name]] = True
    rows = np.hstack([np.abs(whole.F), np.abs(whole.E)])
    alone, other = (rows[:, np.tile(part, 2)].max(1) for part in (apart, ~apart))
    assert not (alone * other).any()
