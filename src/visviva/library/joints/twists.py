"""Twists of a pair of frames: rates of the child against the parent that no coordinate has.

With the products R_ij = P_i·C_j and d_i = P_i·d, twists (ω; v) of C against P are linear in their rates,

    axes of C:   ω_k = ½ Σ_i (R_ib Ṙ_ia - R_ia Ṙ_ib),   v_k = Σ_i R_ik ḋ_i      (RᵀṘ, Rᵀ ḋ)
    axes of P:   ω_k = ½ Σ_j (R_aj Ṙ_bj - R_bj Ṙ_aj),   v_k = ḋ_k               (Ṙ Rᵀ, ḋ)

with (k, a, b) in cyclic order: e = W(y) ẏ, with W linear in the products y. Over a step, with the rates Δy/h and W at
the mean of both ends, ω is sin φ/h about the axis of the turn φ from one end to the other: (R̄ᵀ ΔR is the skew part of
R0ᵀ R1), of order two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva.library.joints.scalars import Product, along, cosine

AXES = tuple(cosine(i, j) for i in range(3) for j in range(3))  # all products of the axes of two frames, R row by row


@final
@dataclass(frozen=True)
class Twist:
    """Entries of a twist.

    entries:  which of (ω; v), counted 0 to 5.   of_child: in axes of C, else in those of P.
    """

    entries: tuple[int, ...]
    of_child: bool = True

    @property
    def turns(self) -> bool:
        """Whether it is of angular velocities alone."""
        return max(self.entries) < 3

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """The functions y: those that W depends on come first."""
        moving = [product for _, product, _, _ in self._terms]
        return tuple(dict.fromkeys([*self.read, *moving]))

    @cached_property
    def read(self) -> tuple[Product, ...]:
        """Those that W depends on."""
        used = {product for _, _, product, _ in self._terms}
        return tuple(product for product in AXES if product in used)

    def matrix(self, y: Any) -> Any:
        """W for values y of what is read, or of all products, (..., k, products); of numbers or of symbols."""
        at = {product: n for n, product in enumerate(self.products)}
        W = np.zeros((*y.shape[:-1], len(self.entries), len(at)), dtype=y.dtype)
        for row, moving, read, factor in self._terms:
            W[..., row, at[moving]] = factor if read is None else factor * y[..., at[read]]
        return W

    @cached_property
    def _terms(self) -> list[tuple[int, Product, Product | None, float]]:
        """Row, the product whose rate counts, the one that it is multiplied by, and a factor."""
        found: list[tuple[int, Product, Product | None, float]] = []
        for row, entry in enumerate(self.entries):
            k, a, b = entry % 3, (entry + 1) % 3, (entry + 2) % 3
            if entry < 3 and self.of_child:
                pairs = [(cosine(i, a), cosine(i, b)) for i in range(3)]
            elif entry < 3:
                pairs = [(cosine(b, j), cosine(a, j)) for j in range(3)]
            elif self.of_child:
                found += [(row, along(i), cosine(i, k), 1.0) for i in range(3)]
                continue
            else:
                found.append((row, along(k), None, 1.0))
                continue
            found += [term for u, w in pairs for term in ((row, u, w, 0.5), (row, w, u, -0.5))]
        return found


SPIN_OF_CHILD = Twist((0, 1, 2))  # the angular velocity of C against P, in axes of C
