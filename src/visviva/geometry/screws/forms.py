"""The bi-invariant forms of se(3): h 𝔥 + k 𝔎, the only symmetric ones that no displacement changes.

    𝔥 = ½ [[0, I], [I, 0]]  (hyperbolic),      𝔎 = -4 diag(I, 0) = tr(ad ad)  (Killing)

Source: Stramigioli, Maschke and Bidard, section 2.4.2.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array, finite_number

_I, _O = np.eye(3), np.zeros((3, 3))
HYPERBOLIC: Array = np.block([[_O, _I], [_I, _O]]) / 2
KILLING: Array = -4 * np.block([[_I, _O], [_O, _O]])
KLEIN: Array = 2 * HYPERBOLIC  # H̄: the one that is its own inverse
PERPENDICULAR: Array = -KILLING / 4  # K̄: ω·ω
for _form in (HYPERBOLIC, KILLING, KLEIN, PERPENDICULAR):
    _form.flags.writeable = False


def bi_invariant(h: float, k: float) -> Array:
    """h 𝔥 + k 𝔎, shape (6, 6)."""
    return finite_number(h, "factor h") * HYPERBOLIC + finite_number(k, "factor k") * KILLING


def kernel(h: float, k: float) -> Array:
    """What h 𝔥 + k 𝔎 annihilates, orthonormal columns (6, n): all translations for h = 0, nothing else otherwise."""
    if finite_number(h, "factor h") != 0:
        return np.zeros((6, 0))
    return np.eye(6) if finite_number(k, "factor k") == 0 else np.eye(6)[:, 3:]


def is_involutive(h: float, k: float) -> bool:
    """Whether h 𝔥 + k 𝔎 is its own inverse: for k = 0 and h = ±2 only, ± the Klein form.

    "Just one" in the source holds up to this sign. The property depends on the unit of length.
    """
    B = bi_invariant(h, k)
    return bool((np.eye(6) == B @ B).all())
