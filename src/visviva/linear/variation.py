"""Small variations about a motion along independent directions: derivatives of all that equations say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.differences import slopes
from visviva.linear.equations import AbstractEquations, Reference
from visviva.linear.reduction import Basis, reach


@final
@dataclass(frozen=True, eq=False)
class Part:
    """Derivatives of one kind of values, by p, η, σ and u, and by displacements s and rates ṡ of drives."""

    p: Array
    eta: Array
    sigma: Array
    u: Array
    s: Array
    s_dot: Array


@final
@dataclass(frozen=True, eq=False)
class Variation:
    """Derivatives along ε = H p + H_s s, ζ = N η + Q p + N_s ṡ + Q_s s, σ and u of forces, other rates and outputs.

    size: of the forces (n,) whose derivatives they are, in units of p and η.
    """

    force: Part
    rates: Part
    outputs: Part
    size: tuple[Array, Array]


def variation(equations: AbstractEquations, ref: Reference, b: Basis) -> Variation:
    """All derivatives at an instant, by extrapolated differences."""
    free, moving, others, inputs = b.H.shape[1], b.N.shape[1], len(equations.others), len(equations.inputs)
    widths = (free, moving, others, inputs, len(equations.drives), len(equations.drives))
    cuts = np.cumsum(widths[:-1])

    def values(y: Array) -> Array:
        p, eta, sigma, du, s, s_dot = np.split(y, cuts, axis=1)
        eps, zeta = p @ b.H.T + s @ b.H_s.T, eta @ b.N.T + p @ b.Q.T + s_dot @ b.N_s.T + s @ b.Q_s.T
        found = equations.values(ref, eps @ b.R, zeta @ b.R, sigma, du)
        return np.concatenate([found.force @ b.R.T, found.rates, found.outputs], axis=1)

    pace = equations.velocity_sizes(ref, b.N, b.choice.eta)
    ways = [reach(b.H, equations.sizes), reach(b.N, pace), equations.other_sizes(ref), equations.input_sizes(ref)]
    ways += [reach(b.H_s, equations.sizes), reach(b.N_s, pace)]
    size = np.maximum(equations.force_sizes(ref), equations.offset * equations.near_forces(ref))
    terms = np.concatenate([size, _terms(equations, ref, pace)])
    found = slopes(values, sum(widths), np.concatenate(ways), terms)
    names = [equations.positions[k] for k in b.choice.p] + [equations.velocities[k] for k in b.choice.eta]
    names += [*equations.others, *equations.inputs, *equations.drives, *equations.drives]
    if found.rough:
        where = ", ".join(repr(names[k]) for k in found.rough)
        raise ModelError(
            f"forces or rates of {equations.name} are not smooth in {where} here: they have no linear part.\n"
            "Friction without a smooth passage through zero and stops that just touch are of this kind: linearise\n"
            "beside them, or give the law a passage (v_reg=)."
        )
    parts = np.split(found.J, np.cumsum([equations.n, others]))
    size = np.abs(b.R) @ size
    force, rates, outputs = (Part(*np.split(rows, cuts, axis=1)) for rows in parts)
    return Variation(force, rates, outputs, (size[:, None] / ways[0], size[:, None] / ways[1]))


def _terms(equations: AbstractEquations, ref: Reference, pace: Array) -> Array:
    """Sizes of other rates and outputs where each velocity is a tenth of its size, (others + outputs,).

    At rest they may all vanish; the rate of a joint is a difference of motions of bodies, and has their rounding.
    """
    zeta = 0.1 * np.diag(pace)
    still = [np.zeros((len(zeta), len(names))) for names in (equations.others, equations.inputs)]
    with np.errstate(all="ignore"):
        found = equations.values(ref, np.zeros_like(zeta), zeta, *still)
    size = np.abs(np.concatenate([found.rates, found.outputs], axis=1))
    return np.asarray(np.where(np.isfinite(size), size, 0.0).max(axis=0, initial=0.0))
