"""Reading mass, inertia tensor and centre of mass out of a 6×6 inertia matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.hat import vee
from visviva.geometry.inertia.consistency import TOLERANCE
from visviva.geometry.inertia.euler import inertia_tensor


def split_matrix(M: ArrayLike) -> tuple[float, Array, Array]:
    """Mass, J about the centre of mass and centre c from 𝓘 = [[J - m ĉĉ, m ĉ], [-m ĉ, m I]].

    The ten parameters of a body fill 36 entries: the repeated ones must agree.
    """
    M = finite_array(M, "inertia matrix")
    if M.shape != (6, 6):
        raise ModelError(f"inertia matrix must have shape (6, 6), got {M.shape}.")
    mass = float(np.trace(M[3:, 3:])) / 3
    if not _close(M[3:, 3:], mass * np.eye(3)):
        swapped = _close(M[:3, :3], M[0, 0] * np.eye(3))
        way_out = (
            "Its upper left block is one: for the order (v; ω) exchange both blocks, M[i][:, i] with\n"
            "i = [3, 4, 5, 0, 1, 2]."
            if swapped
            else "A rigid body has the same mass in all directions; added mass of a fluid is not an Inertia."
        )
        raise ModelError(
            f"lower right block of the inertia matrix is not a mass times the identity:\n{M[3:, 3:]}.\n{way_out}"
        )
    if mass <= 0:
        raise ModelError(f"mass in the inertia matrix must be positive, got {mass:g}.")
    mc_hat = M[:3, 3:]
    if not (_close(mc_hat, -mc_hat.T) and _close(M[3:, :3], mc_hat.T)):
        raise ModelError(
            f"off-diagonal blocks of the inertia matrix are not m ĉ and -m ĉ:\n{mc_hat}\n{M[3:, :3]}.\n"
            "Both are skew, one is the transpose of the other. Check the order (ω; v) of the twist."
        )
    c = vee(mc_hat) / mass
    return mass, M[:3, :3] - inertia_tensor(mass * np.outer(c, c)), c


def _close(A: Array, B: Array) -> bool:
    return bool(np.abs(A - B).max() <= TOLERANCE * max(np.abs(A).max(), np.abs(B).max()))
