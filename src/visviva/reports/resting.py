"""Places where a mechanism rests, stable or not, all over the turns of its hinges."""

from __future__ import annotations

import itertools

import numpy as np

from visviva._arrays import Array
from visviva.errors import VisvivaError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.build import of_mechanism
from visviva.integrate.equilibrium import Equilibrium
from visviva.linear import equilibrium
from visviva.mechanism import Definition, Motion
from visviva.mechanism.assembly import linkage_of, motion_at
from visviva.numerics.rank import TOLERANCE, significant

MOST = 4  # coordinates that are searched
QUARTERS = np.arange(4) * np.pi / 2  # where hinges start
ROUNDS = 40  # of Newton's method
CLOSE = 1e-9  # of the largest force: a balance
APART = 1e-5  # [rad, m] between two of them
FLAT = 1e-6  # of the largest slope of a balance: less is none
STEP = 1e-6  # [rad, m] of differences


def resting(m: Definition, source: MinimalForm, known: Equilibrium) -> list[Equilibrium]:
    """Further equilibria than one that is known, by energy; of mechanisms with a few hinges and slides, else none."""
    if source.n > MOST or any(link.kind not in ("hinge", "slider", "fixed") for link in source.tree.links):
        return []
    seen, found = [source.coordinates(known.motion).q], list[Equilibrium]()
    for q in stationary(source):
        if any(np.abs(_turned(source, q - other)).max() < APART for other in seen):
            continue
        seen.append(q)
        try:
            one = equilibrium(m, _motion(m, source, q))
        except VisvivaError:
            continue
        if np.abs(_turned(source, source.coordinates(one.motion).q - q)).max() < 1e3 * APART:
            found.append(one)
    return sorted(found, key=lambda one: one.energy)


def stationary(source: MinimalForm) -> Array:
    """Coordinates (k, n) at which forces and reactions balance: f(q) = Zᵀλ, g(q) = 0, by Newton's method in a batch.

    All starts make the same number of rounds, so that one array holds them. Left out is what has not converged then,
    and places that are not alone, because the balance is indifferent to some motion.
    """
    e = of_mechanism(source, "minimal", True, False)
    evaluate, n, s, u = e.function("f", "Z", "g"), source.n, np.zeros(len(e.s)), np.zeros(len(e.u))
    turns = [QUARTERS if link.kind == "hinge" else np.zeros(1) for link in source.tree.links if link.kind != "fixed"]
    q = source.initial.q + np.array(list(itertools.product(*turns)))
    f, Z, g = evaluate(q, np.zeros(n), s, u)
    k, scale = g.shape[-1], float(np.abs(f).max())
    lam = np.zeros((len(q), k))

    def residual(q: Array) -> tuple[Array, Array]:
        f, Z, g = evaluate(q, np.zeros(n), s, u)
        return np.concatenate([f - np.einsum("...ij,...i->...j", Z, lam), g], axis=-1), Z

    def slopes(q: Array) -> Array:
        found = [(residual(q + h)[0] - residual(q - h)[0]) / (2 * STEP) for h in STEP * np.eye(n)]
        return np.stack(found, axis=-1)

    for _ in range(ROUNDS):
        r, Z = residual(q)
        back = np.concatenate([-np.swapaxes(Z, -1, -2), np.zeros((len(q), k, k))], axis=-2)
        full = np.concatenate([slopes(q), back], axis=-1)
        step = np.einsum("...ij,...j->...i", np.linalg.pinv(full, rcond=TOLERANCE), -r)
        far = np.abs(step[:, :n]).max(axis=-1)
        q = q + step[:, :n] / np.maximum(1.0, far)[:, None]
        lam = lam + step[:, n:]
    r, _ = residual(q)
    done = (np.abs(r[:, :n]).max(axis=-1) <= CLOSE * scale) & (np.abs(r[:, n:]).max(axis=-1, initial=0.0) < CLOSE)
    sizes = np.linalg.svd(slopes(q) / np.array([scale or 1.0] * n + [1.0] * k)[:, None], compute_uv=False)
    return q[done & significant(sizes / np.maximum(sizes[:, :1], 1e-300), FLAT).all(axis=-1)]


def _turned(source: MinimalForm, gap: Array) -> Array:
    """Differences of coordinates, those of hinges within half a turn."""
    kinds = [link.kind for link in source.tree.links if link.kind != "fixed"]
    return np.array([np.angle(np.exp(1j * d)) if kind == "hinge" else d for d, kind in zip(gap, kinds, strict=True)])


def _motion(m: Definition, source: MinimalForm, q: Array) -> Motion:
    """At rest there."""
    x = source.x(q, np.zeros(source.n))
    places = [x[source.model.layout.x[f"{body.name}.q"]] for body in m.bodies]
    return motion_at(linkage_of(m), np.concatenate(places), {})
