"""Free vectors: the improper hyperplane I³ read as a vector space, with scalar product and orientation.

A free vector is v = (x, y, z, 0). It is the polar v = Q h of all hyperplanes h = (x, y, z, anything).
Source: Stramigioli, Maschke and Bidard, sections 2.1.5 and 2.1.6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.geometry.linear import apply, dot
from visviva.geometry.projective.points import adjoint_polarity, with_last
from visviva.geometry.refusal import refuse


def free_vector(v: ArrayLike) -> Array:
    """(v, 0), shape (..., 4)."""
    return with_last(finite_array(v, "free vector", (3,)), 0.0)


def polar_plane(v: ArrayLike, offset: float = 0.0) -> Array:
    """One of the hyperplanes h with Q h = v, shape (..., 4): the planes normal to v, which one is free."""
    return with_last(_checked(v)[..., :3], offset)


def scalar_product(v: ArrayLike, w: ArrayLike) -> Array:
    """⟨v, w⟩ = h_vᵀ Q h_w, whichever hyperplanes are taken; bilinear.

    Source: (6) without its root, which belongs into the norm: with it ⟨v, -v⟩ does not exist.
    """
    h = polar_plane(w)
    return dot(polar_plane(v), apply(adjoint_polarity(), h))


def norm(v: ArrayLike) -> Array:
    """√⟨v, v⟩."""
    return np.sqrt(scalar_product(v, v))


def orientation(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
    """Ω(x, y, z) = det: the volume that three free vectors span, positive for a right-handed triple."""
    return dot(vector_product(x, y), _checked(z))


def vector_product(x: ArrayLike, y: ArrayLike) -> Array:
    """x ∧ y, the commutator of so(3) on I³: e_z = [e_x, e_y]; ⟨x ∧ y, z⟩ = Ω(x, y, z)."""
    return with_last(np.cross(_checked(x)[..., :3], _checked(y)[..., :3]), 0.0)


def _checked(v: ArrayLike) -> Array:
    v = finite_array(v, "free vector", (4,))
    refuse(v[..., 3] != 0, "free vector", "has a last coordinate other than 0: it is a point.\nSubtract two points.")
    return v
