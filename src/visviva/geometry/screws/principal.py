"""Principal screws: the normal form of a screw system under displacements.

Let S be the system, 𝔞 ∩ S its translations with directions A, and W the directions ω of all its screws. Over ω in W
the part v is known up to A. Directions of W normal to A have a pitch that no translation of S changes; on them

    b(ω, ω') = ½ (ω·v' + ω'·v)

is a symmetric form. Its eigenvalues and eigenvectors are the principal pitches and screws: the pencil of the Klein form
against the Killing form on S, freed of its infinite eigenvalues. Over the other directions of W every pitch occurs;
they are represented by screws of pitch zero. All in all

    rank = (principal screws) + (screws of any pitch) + (translations)

and these screws are mutually reciprocal, but for each screw of any pitch and the translation beside it.
Source: the invariants behind C. G. Gibson and K. H. Hunt, Geometry of screw systems 1, Mech. Mach. Theory 25 (1990).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.screws.screw import Screw


@final
@dataclass(frozen=True, eq=False)
class Principal:
    """The normal form of a system; directions are unit vectors."""

    principal: Array  # (k, 6) screws with the principal pitches, ω orthonormal
    any_pitch: Array  # (n, 6) screws of pitch zero whose pitch translations of the system change, ω orthonormal
    translations: Array  # (a, 6) orthonormal; the first n go with any_pitch, the others are normal to every ω
    finite_pitches: Array  # (k,) [m/rad], the greatest first
    angles: Array  # (n,) from ω of any_pitch to the translation that goes with it, below π/2

    @property
    def pitches(self) -> Array:
        """The finite ones, then one infinite pitch for each translation."""
        return np.concatenate([self.finite_pitches, np.full(len(self.translations), np.inf)])

    @property
    def screws(self) -> tuple[Screw, ...]:
        """All of them, a basis of the system."""
        return tuple(map(Screw, np.concatenate([self.principal, self.any_pitch, self.translations])))


def principal_form(basis: Array, tolerance: float) -> Principal:
    """Of orthonormal rows (n, 6); angles and angular parts below the tolerance count as zero."""
    U, s, R = np.linalg.svd(basis[:, :3])
    k = int((s > tolerance).sum())
    w, v = R[:k], (U[:, :k] / s[:k]).T @ basis[:, 3:]  # v normal to A, since the basis is orthonormal
    A = _rows(U[:, k:].T @ basis[:, 3:], len(basis) - k)
    # principal angles between the directions of turning and of translation
    Y, cosines, Z = np.linalg.svd(w @ A.T @ A)
    n = int((cosines > tolerance).sum())
    signs = _signs(Y.T @ w)
    cosines, partners = cosines[:n], signs[:n] * Z[:n]
    w, v = signs * (Y.T @ w), signs * (Y.T @ v)
    b = w @ v.T + v @ w.T  # twice the form
    halves = np.where(np.arange(k) < n, 0.5, 1.0)
    v = v - (halves[:, None] * b[:, :n] / cosines) @ partners  # the rows of any pitch: reciprocal to all others
    pitches, E = np.linalg.eigh(b[n:, n:] / 2)
    E = E[:, ::-1]
    translations = np.concatenate([partners, _rows(A - A @ partners.T @ partners, len(A) - n)])
    turned = np.hstack([E.T @ w[n:], E.T @ v[n:]])
    return Principal(
        _signs(turned[:, :3]) * turned,
        np.hstack([w[:n], v[:n]]),
        np.hstack([np.zeros_like(translations), translations]),
        pitches[::-1],
        np.arctan2(np.linalg.norm(np.cross(w[:n], partners), axis=1), cosines),
    )


def _rows(M: Array, rank: int) -> Array:
    """Orthonormal rows that span the row space of M, whose rank is known."""
    rows = np.linalg.svd(M)[2][:rank] if rank else np.zeros((0, 3))
    return _signs(rows) * rows


def _signs(w: Array) -> Array:
    """1 or -1 for each row, shape (n, 1): the sign of its largest component."""
    largest = np.abs(w).argmax(axis=1)[:, None]
    return np.sign(np.take_along_axis(w, largest, axis=1))
