"""The laws of Lie groups over every group, and every law against an implementation that breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from visviva.geometry import SE2, SE3, SO2, SO3, Product, Rn, SO3xR3, skew
from visviva.geometry.linear import apply, lower_block, transpose
from visviva.testing import check_adjoint_cayley, check_group
from visviva.testing.groups import LAWS, Sample, check_law

GROUPS = [Rn(1), Rn(3), SO2, SO3, SE2, SE3, SO3xR3, Product(SO3, Rn(2), SE2)]
SIZES = [1.0, 1e-3, 1e-5, 1e-8]
SMALLEST = 1e-12  # below, a coordinate is drawn as zero


def coordinates(dim, sizes=SIZES):
    unit = arrays(float, (1, dim), elements=st.floats(-1.0, 1.0))
    return st.builds(lambda x, size: np.where(np.abs(x) < SMALLEST, 0.0, x) * size, unit, st.sampled_from(sizes))


def directions(dim):
    return coordinates(dim, [1.0]).map(lambda x: x / np.abs(x).max() if x.any() else np.eye(dim)[:1])


@st.composite
def samples(draw, group):
    A, B, C = (group.exp(draw(coordinates(group.dim))) for _ in range(3))
    xi, eta = draw(coordinates(group.dim)), draw(coordinates(group.dim))
    return Sample(A, B, C, xi, eta, draw(directions(group.dim)), draw(coordinates(group.dim)))


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
@given(data=st.data())
def test_every_law_holds_at_every_scale(group, data):
    sample = data.draw(samples(group))
    for law in LAWS:
        check_law(law, group, sample)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_the_public_checker_accepts(group):
    check_group(group, seed=1)


@pytest.mark.parametrize(
    ("group", "cay", "dcay"),
    [
        (SE3, SE3.cay_ad, SE3.dcay_ad),
        (SO3, SO3.cay, SO3.dcay),
        (SE2, SE2.cay, SE2.dcay),
        (SO3xR3, SO3xR3.cay, SO3xR3.dcay),
    ],
)
def test_the_adjoint_cayley_map(group, cay, dcay):
    check_adjoint_cayley(group, cay, dcay)


def broken(law, **methods):
    """SE(3) with some methods replaced, and the law that must notice."""
    return pytest.param(type("Broken", (SE3,), methods), law, id=f"{law}: {', '.join(methods)}")


def off_centre_product(self, other):
    return type(self)(self.R @ other.R, self.r + apply(self.R, other.r) + 0.1 * self.r * other.r)


def exp_with_half_the_angle_missing(cls, xi):
    """The translation of a small rotation taken as R v: wrong by half the angle, below 1e-4 rad only."""
    X = SE3.exp(xi)
    small = np.linalg.norm(np.asarray(xi)[..., :3], axis=-1, keepdims=True) < 1e-4
    return cls(X.R, np.where(small, apply(X.R, np.asarray(xi)[..., 3:]), X.r))


def log_without_the_inverse_of_V(self):
    w = SO3(self.R).log()
    return np.concatenate([w, self.r - np.cross(w, self.r) / 2], axis=-1), None


def exp_with_the_angle_of_the_first(cls, xi):
    xi = np.array(xi, ndmin=1)
    if xi.ndim > 1:
        xi[..., :3] = xi[0, :3]
    X = SE3.exp(xi)
    return cls(X.R, X.r)


def exp_with_a_naive_quotient(cls, xi):
    X = SE3.exp(xi)
    angle = np.linalg.norm(np.asarray(xi)[..., :3], axis=-1)[..., None]
    with np.errstate(invalid="ignore"):
        return cls(X.R, X.r * (angle / angle))


def ad_with_the_printed_sign(cls, xi):
    """(ω₁ ∧ ω₂; ω₁ ∧ v₂ + ω₂ ∧ v₁), as one paper prints the bracket."""
    w, v = skew(np.asarray(xi)[..., :3]), skew(np.asarray(xi)[..., 3:])
    return lower_block(w, -v, w)


def ad_without_jacobi(cls, xi):
    extra = np.zeros((*np.shape(xi), 6))
    extra[..., 3, 3:] = skew(np.asarray(xi)[..., 3:])[..., 0, :]
    return SE3.ad(xi) + extra


def mirrored(M):
    """Conjugated with diag(I, -I), an automorphism: still a homomorphism of the group."""
    sign = np.repeat([1.0, -1.0], 3)
    return sign[:, None] * M * sign


def reversed_exp(cls, xi):
    X = SE3.exp(-np.asarray(xi))
    return cls(X.R, X.r)


def reversed_log(self):
    xi, branch = SE3(self.R, self.r).log_with_branch()
    return -xi, branch


BROKEN = [
    broken("associativity", __matmul__=off_centre_product),
    broken("identity", identity=classmethod(lambda cls, shape=(): cls(np.eye(3), np.full((*shape, 3), 1e-3)))),
    broken("inverse", inverse=lambda self: type(self)(transpose(self.R), -self.r)),
    broken("representation", matrix=property(lambda self: transpose(SE3(self.R, self.r).matrix))),
    broken("hat and vee", vee=classmethod(lambda cls, Xi: np.roll(SE3.vee(Xi), 3, axis=-1))),
    broken("origin", exp=classmethod(exp_with_a_naive_quotient)),
    broken("batches", exp=classmethod(exp_with_the_angle_of_the_first)),
    broken("one-parameter subgroup", exp=classmethod(exp_with_half_the_angle_missing)),
    broken("generator", exp=classmethod(reversed_exp), log_with_branch=reversed_log),
    broken("exp and log", log_with_branch=log_without_the_inverse_of_V),
    broken("Ad is a homomorphism", Ad=lambda self: transpose(SE3(self.R, self.r).Ad())),
    broken("Ad is conjugation", Ad=lambda self: mirrored(SE3(self.R, self.r).Ad())),
    broken("antisymmetry", ad=classmethod(ad_with_the_printed_sign)),
    broken("Jacobi identity", ad=classmethod(ad_without_jacobi)),
    broken("rate of Ad", ad=classmethod(lambda cls, xi: 2 * SE3.ad(xi))),
    broken("power invariance", coAd=lambda self: transpose(self.Ad())),
    broken("coad is dual to ad", coad=classmethod(lambda cls, xi: -transpose(SE3.ad(xi)))),
    broken("derivative of exp", dexp=classmethod(lambda cls, xi: SE3.dexp(-np.asarray(xi)))),
    broken("inverse derivative of exp", dexp_inv=classmethod(lambda cls, xi: SE3.dexp_inv(-np.asarray(xi)))),
    broken("Cayley map", cay=classmethod(lambda cls, xi: cls.exp(xi))),
    broken("Cayley map", cay=classmethod(lambda cls, xi: SE3.cay_ad(xi))),
    broken("cay and cay_inv", cay_inv=lambda self: self.cay_ad_inv()),
    broken("derivative of cay", dcay=classmethod(lambda cls, xi: SE3.dcay(-np.asarray(xi)))),
    broken("inverse derivative of cay", dcay_inv=classmethod(lambda cls, xi: SE3.dcay_ad_inv(xi))),
]


@pytest.mark.parametrize(("group", "law"), BROKEN)
def test_a_broken_group_is_rejected_by_the_law_it_breaks(group, law):
    with pytest.raises(AssertionError, match=f"Broken breaks the law '{law}'"):
        check_group(group)


def test_there_is_a_broken_group_for_every_law():
    assert {param.values[1] for param in BROKEN} == set(LAWS)


def test_a_group_that_returns_nan_is_rejected():
    group = type("Broken", (SE3,), {"Ad": lambda self: np.full((*self.shape, 6, 6), np.nan)})
    with pytest.raises(AssertionError, match="'Ad is a homomorphism'"):
        check_group(group)


def test_the_homogeneous_cayley_map_is_not_the_adjoint_one():
    with pytest.raises(AssertionError, match="'adjoint Cayley map'"):
        check_adjoint_cayley(SE3, SE3.cay, SE3.dcay)
    with pytest.raises(AssertionError, match="'derivative of the adjoint Cayley map'"):
        check_adjoint_cayley(SE3, SE3.cay_ad, SE3.dcay)
