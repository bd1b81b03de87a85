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
from visviva.numerics.rank import counted

EQUAL = 1e-12  # difference of pitches, relative to the largest or to 1, below which they are equal


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
    k = counted(s, tolerance)
    w, v = R[:k], (U[:, :k] / s[:k]).T @ basis[:, 3:]  # v normal to A, since the basis is orthonormal
    A = _rows(U[:, k:].T @ basis[:, 3:], len(basis) - k)
    # principal angles between the directions of turning and of translation
    Y, cosines, Z = np.linalg.svd(w @ A.T @ A)
    n = counted(cosines, tolerance)
    signs = _signs(Y.T @ w)
    cosines, partners = cosines[:n], signs[:n] * Z[:n]
    w, v = signs * (Y.T @ w), signs * (Y.T @ v)
    b = w @ v.T + v @ w.T  # twice the form
    halves = np.where(np.arange(k) < n, 0.5, 1.0)
    v = v - (halves[:, None] * b[:, :n] / cosines) @ partners  # the rows of any pitch: reciprocal to all others
    pitches, E = np.linalg.eigh(b[n:, n:] / 2)
    pitches, E = pitches[::-1], _settled(pitches[::-1], E[:, ::-1], w[n:])
    translations = np.concatenate([partners, _rows(A - A @ partners.T @ partners, len(A) - n)])
    turned = np.hstack([E.T @ w[n:], E.T @ v[n:]])
    return Principal(
        _signs(turned[:, :3]) * turned,
        np.hstack([w[:n], v[:n]]),
        np.hstack([np.zeros_like(translations), translations]),
        pitches,
        np.arctan2(np.linalg.norm(np.cross(w[:n], partners), axis=1), cosines),
    )


def _settled(pitches: Array, E: Array, w: Array) -> Array:
    """Eigenvectors whose directions are near the coordinate axes where equal pitches leave a choice."""
    apart = EQUAL * float(np.abs(pitches).max(initial=1.0))
    groups = np.cumsum(np.abs(np.diff(pitches, prepend=pitches[:1])) > apart)
    E = E.copy()
    for group in np.unique(groups):
        at = groups == group
        E[:, at] = w @ _aligned(E[:, at].T @ w).T
    return E


def _rows(M: Array, rank: int) -> Array:
    """Orthonormal rows that span the row space of M, whose rank is known."""
    rows = _aligned(np.linalg.svd(M)[2][:rank]) if rank else np.zeros((0, 3))
    return _signs(rows) * rows


def _aligned(rows: Array) -> Array:
    """Of all orthonormal bases of the space of orthonormal rows, one with coordinate axes where these are in it."""
    P, found = rows.T @ rows, []
    for _ in rows:
        k = int(np.round(np.diag(P), 9).argmax())
        found.append(P[k] / np.sqrt(P[k, k]))
        P = P - np.outer(found[-1], found[-1])
    return np.array(found)


def _signs(w: Array) -> Array:
    """1 or -1 for each row, shape (n, 1): the sign of its largest component."""
    largest = np.abs(w).argmax(axis=1)[:, None]
    return np.sign(np.take_along_axis(w, largest, axis=1))
