"""The laws of Lie groups, as a check of any implementation of `AbstractLieGroup`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.group import AbstractLieGroup
from visviva.geometry.linear import apply, dot

SIZES = (1.0, 1e-3, 1e-5, 1e-8)  # a wrong small-angle branch lives between scales
EXACT = 1e-11  # relative; laws that hold to rounding
DIFFERENCED = 1e-7  # relative; laws with a central difference in them
ROUNDING = 1e-14  # relative to the entries of a matrix near the identity
STEP = 1e-5  # of central differences: truncation and rounding both near 1e-10

Group = type[AbstractLieGroup]


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """Batches of what the laws speak about: elements, algebra vectors, a direction of size 1, a covector."""

    A: AbstractLieGroup
    B: AbstractLieGroup
    C: AbstractLieGroup
    xi: Array
    eta: Array
    direction: Array
    F: Array


@final
@dataclass(frozen=True, eq=False)
class Equation:
    """Two sides that must agree, relative to `scale`; without one, relative to the right side.

    Elements are compared by how far they are from the identity, as far as rounding lets them.
    """

    left: Any  # Array or AbstractLieGroup
    right: Any
    scale: float | None = None

    def gap(self) -> tuple[float, float, float]:
        """Largest difference, the scale, and what rounding alone may cause."""
        left, right, rounding = self.left, self.right, 0.0
        if isinstance(right, AbstractLieGroup):
            left, right = left.matrix, right.matrix
            rounding = ROUNDING * float(np.abs(right).max())
            scale = float(np.abs(right - np.eye(right.shape[-1])).max())
        else:
            scale = float(np.abs(right).max()) if self.scale is None else self.scale
        return float(np.abs(left - right).max()), scale, rounding


def check_group(group: Group, *, sizes: Sequence[float] = SIZES, samples: int = 8, seed: int = 0) -> None:
    """Test every law of `LAWS` on random samples; raise AssertionError naming the first that fails.

    sizes: bounds of the coordinates drawn; all must stay within the domain where log(exp(xi)) = xi.
    """
    for law in LAWS:
        for size in sizes:
            rng = np.random.default_rng(seed)
            check_law(law, group, _draw(group, size, samples, rng))


def check_law(law: str, group: Group, sample: Sample) -> None:
    """Test one law of `LAWS` on one sample."""
    equations, tolerance = LAWS[law]
    for equation in equations(group, sample):
        _require(f"{group.__name__} breaks the law '{law}'", equation, tolerance)


def check_adjoint_cayley(
    group: Group,
    cay: Callable[[Array], AbstractLieGroup],
    dcay: Callable[[Array], Array],
    *,
    samples: int = 8,
    seed: int = 0,
) -> None:
    """Test that `cay` is the Cayley map of the adjoint representation, and `dcay` its derivative.

    Ad(cay ξ) = (I - ad_ξ/2)⁻¹ (I + ad_ξ/2); the derivative is left-trivialised.
    """
    for size in SIZES:
        s = _draw(group, size, samples, np.random.default_rng(seed))
        half, eye = group.ad(s.xi) / 2, np.eye(group.dim)
        map_law = Equation((eye - half) @ cay(s.xi).Ad(), eye + half)
        _require(f"{group.__name__} breaks the law 'adjoint Cayley map'", map_law, EXACT)
        rate_law = Equation(apply(dcay(s.xi), s.direction), _rate(cay, s), scale=1.0)
        _require(f"{group.__name__} breaks the law 'derivative of the adjoint Cayley map'", rate_law, DIFFERENCED)


def associativity(G: Group, s: Sample) -> list[Equation]:
    """(A B) C = A (B C)."""
    return [Equation((s.A @ s.B) @ s.C, s.A @ (s.B @ s.C))]


def identity(G: Group, s: Sample) -> list[Equation]:
    """A 1 = 1 A = A."""
    return [Equation(s.A @ G.identity(), s.A), Equation(G.identity() @ s.A, s.A)]


def inverse(G: Group, s: Sample) -> list[Equation]:
    """A⁻¹ A = A A⁻¹ = 1."""
    one = G.identity(s.A.shape)
    return [Equation(s.A.inverse() @ s.A, one), Equation(s.A @ s.A.inverse(), one)]


def representation(G: Group, s: Sample) -> list[Equation]:
    """matrix(A B) = matrix(A) matrix(B)."""
    return [Equation((s.A @ s.B).matrix, s.A.matrix @ s.B.matrix)]


def hat_and_vee(G: Group, s: Sample) -> list[Equation]:
    """vee(hat(xi)) = xi; hat is linear."""
    hat_xi, hat_eta = G.hat(s.xi), G.hat(s.eta)
    return [Equation(G.vee(hat_xi), s.xi), Equation(G.hat(s.xi + 2 * s.eta), hat_xi + 2 * hat_eta, _norm(hat_xi))]


def origin(G: Group, s: Sample) -> list[Equation]:
    """exp(0) = cay(0) = 1, log(1) = 0, dexp(0) = dcay(0) = I: where 0/0 hides."""
    zero, one, eye = np.zeros(G.dim), G.identity(), np.eye(G.dim)
    charts = [Equation(G.exp(zero), one), Equation(G.cay(zero), one), Equation(one.log(), zero)]
    return charts + [Equation(f(zero), eye) for f in (G.dexp, G.dexp_inv, G.dcay, G.dcay_inv)]


def batches(G: Group, s: Sample) -> list[Equation]:
    """One call on a batch equals calls one by one, and products broadcast."""
    singles = [G.exp(xi) for xi in s.xi]
    return [
        Equation(G.exp(s.xi).matrix, np.stack([X.matrix for X in singles])),
        Equation(G.exp(s.xi).log(), np.stack([X.log() for X in singles])),
        Equation(singles[0] @ s.B, G.exp(np.broadcast_to(s.xi[0], s.xi.shape)) @ s.B),
    ]


def one_parameter_subgroup(G: Group, s: Sample) -> list[Equation]:
    """exp(xi/2) exp(xi/2) = exp(xi)."""
    half = G.exp(s.xi / 2)
    return [Equation(half @ half, G.exp(s.xi))]


def generator(G: Group, s: Sample) -> list[Equation]:
    """d/dt exp(t xi) = hat(xi) at t = 0."""
    forth, back = G.exp(STEP * s.direction).matrix, G.exp(-STEP * s.direction).matrix
    return [Equation((forth - back) / (2 * STEP), G.hat(s.direction))]


def exp_and_log(G: Group, s: Sample) -> list[Equation]:
    """log(exp(xi)) = xi and exp(log(A)) = A."""
    return [Equation(G.exp(s.xi).log(), s.xi), Equation(G.exp(s.A.log()), s.A)]


def adjoint_homomorphism(G: Group, s: Sample) -> list[Equation]:
    """Ad(A B) = Ad(A) Ad(B)."""
    return [Equation((s.A @ s.B).Ad(), s.A.Ad() @ s.B.Ad())]


def adjoint_conjugation(G: Group, s: Sample) -> list[Equation]:
    """hat(Ad xi) = A hat(xi) A⁻¹."""
    return [Equation(G.hat(apply(s.A.Ad(), s.xi)), s.A.matrix @ G.hat(s.xi) @ s.A.inverse().matrix, _norm(s.xi))]


def antisymmetry(G: Group, s: Sample) -> list[Equation]:
    """[xi, eta] = -[eta, xi]."""
    scale = _norm(s.xi) * _norm(s.eta)
    return [Equation(apply(G.ad(s.xi), s.eta), -apply(G.ad(s.eta), s.xi), scale)]


def jacobi(G: Group, s: Sample) -> list[Equation]:
    """ad([xi, eta]) = ad(xi) ad(eta) - ad(eta) ad(xi), which is the Jacobi identity."""
    ad_xi, ad_eta = G.ad(s.xi), G.ad(s.eta)
    scale = _norm(s.xi) * _norm(s.eta)
    return [Equation(G.ad(apply(ad_xi, s.eta)), ad_xi @ ad_eta - ad_eta @ ad_xi, scale)]


def adjoint_rate(G: Group, s: Sample) -> list[Equation]:
    """dAd/dt = Ad ad(xi) along A exp(t xi)."""
    forth, back = (s.A @ G.exp(t * s.direction) for t in (STEP, -STEP))
    return [Equation((forth.Ad() - back.Ad()) / (2 * STEP), s.A.Ad() @ G.ad(s.direction), scale=1.0)]


def power_invariance(G: Group, s: Sample) -> list[Equation]:
    """<coAd F, Ad xi> = <F, xi>."""
    moved = dot(apply(s.A.coAd(), s.F), apply(s.A.Ad(), s.xi))
    return [Equation(moved, dot(s.F, s.xi), _norm(s.F) * _norm(s.xi))]


def coad_duality(G: Group, s: Sample) -> list[Equation]:
    """<coad(xi) F, eta> = <F, [xi, eta]>."""
    scale = _norm(s.F) * _norm(s.xi) * _norm(s.eta)
    return [Equation(dot(apply(G.coad(s.xi), s.F), s.eta), dot(s.F, apply(G.ad(s.xi), s.eta)), scale)]


def exp_derivative(G: Group, s: Sample) -> list[Equation]:
    """exp(xi)⁻¹ d/dt exp(xi + t eta) = hat(dexp(xi) eta)."""
    return [Equation(apply(G.dexp(s.xi), s.direction), _rate(G.exp, s), scale=1.0)]


def exp_derivative_inverse(G: Group, s: Sample) -> list[Equation]:
    """dexp dexp_inv = 1."""
    return [Equation(G.dexp(s.xi) @ G.dexp_inv(s.xi), np.eye(G.dim))]


def cayley_map(G: Group, s: Sample) -> list[Equation]:
    """(I - hat(xi)/2) cay(xi) = I + hat(xi)/2."""
    half = G.hat(s.xi) / 2
    eye = np.eye(half.shape[-1])
    return [Equation((eye - half) @ G.cay(s.xi).matrix, eye + half)]


def cayley_and_inverse(G: Group, s: Sample) -> list[Equation]:
    """cay_inv(cay(xi)) = xi and cay(cay_inv(A)) = A."""
    return [Equation(G.cay(s.xi).cay_inv(), s.xi), Equation(G.cay(s.A.cay_inv()), s.A)]


def cayley_derivative(G: Group, s: Sample) -> list[Equation]:
    """cay(xi)⁻¹ d/dt cay(xi + t eta) = hat(dcay(xi) eta)."""
    return [Equation(apply(G.dcay(s.xi), s.direction), _rate(G.cay, s), scale=1.0)]


def cayley_derivative_inverse(G: Group, s: Sample) -> list[Equation]:
    """dcay dcay_inv = 1."""
    return [Equation(G.dcay(s.xi) @ G.dcay_inv(s.xi), np.eye(G.dim))]


# In an order in which each law relies on those before it only.
LAWS: dict[str, tuple[Callable[[Group, Sample], list[Equation]], float]] = {
    "associativity": (associativity, EXACT),
    "identity": (identity, EXACT),
    "inverse": (inverse, EXACT),
    "representation": (representation, EXACT),
    "hat and vee": (hat_and_vee, EXACT),
    "origin": (origin, EXACT),
    "batches": (batches, EXACT),
    "one-parameter subgroup": (one_parameter_subgroup, EXACT),
    "generator": (generator, DIFFERENCED),
    "exp and log": (exp_and_log, EXACT),
    "Ad is a homomorphism": (adjoint_homomorphism, EXACT),
    "Ad is conjugation": (adjoint_conjugation, EXACT),
    "antisymmetry": (antisymmetry, EXACT),
    "Jacobi identity": (jacobi, EXACT),
    "rate of Ad": (adjoint_rate, DIFFERENCED),
    "power invariance": (power_invariance, EXACT),
    "coad is dual to ad": (coad_duality, EXACT),
    "derivative of exp": (exp_derivative, DIFFERENCED),
    "inverse derivative of exp": (exp_derivative_inverse, EXACT),
    "Cayley map": (cayley_map, EXACT),
    "cay and cay_inv": (cayley_and_inverse, EXACT),
    "derivative of cay": (cayley_derivative, DIFFERENCED),
    "inverse derivative of cay": (cayley_derivative_inverse, EXACT),
}


def _draw(group: Group, size: float, samples: int, rng: np.random.Generator) -> Sample:
    a, b, c, xi, eta, direction, F = rng.uniform(-1.0, 1.0, size=(7, samples, group.dim))
    A, B, C = (group.exp(size * x) for x in (a, b, c))
    return Sample(A, B, C, size * xi, size * eta, direction, F)


def _rate(chart: Callable[[Array], AbstractLieGroup], s: Sample) -> Array:
    """Left-trivialised central difference of a chart at xi in the direction."""
    start = chart(s.xi).inverse()
    forth, back = ((start @ chart(s.xi + t * s.direction)).log() for t in (STEP, -STEP))
    return np.asarray((forth - back) / (2 * STEP))


def _norm(vectors: Array) -> float:
    return float(np.abs(vectors).max())


def _require(failure: str, equation: Equation, tolerance: float) -> None:
    gap, scale, rounding = equation.gap()
    if not gap <= tolerance * scale + rounding:  # in this form NaN fails
        raise AssertionError(f"{failure}: off by {gap:.1e} where the values have size {scale:.1e}.")
