"""Can any distribution of positive mass have this inertia tensor?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError

# Far above what rotations and sums leave behind (1e-15), far below what is ever known of a real body.
TOLERANCE = 1e-9


def check_inertia(mass: ArrayLike, J: ArrayLike, name: str = "") -> tuple[float, Array]:
    """Mass [kg] and inertia tensor about the centre of mass [kg m²], or the reason why no body has them.

    Laws:    m > 0,  J = Jᵀ,  J ⪰ 0,  J_i ≤ J_j + J_k for the principal moments.
    Why:     J_j + J_k - J_i = 2 ∫x_i² dm, so the last law says that the Euler tensor E is ⪰ 0; the
             director formulation has the E_i as masses (Latussek, Kinon, Betsch 2026, eq. (30), (31)).
             Thin rods and plates meet it with equality: a gap below 1e-9 tr J is rounding.

    J: principal moments (3,) or tensor (3, 3); the tensor is returned, exactly symmetric.
    name: of the body, for the error.
    """
    of = f" of body '{name}'" if name else ""
    mass = finite_number(mass, f"mass{of}", positive=True)
    J = _tensor(J, f"inertia{of}")
    size = max(float(np.abs(J).max()), abs(float(np.trace(J))))  # tr J whenever J is legal
    _check_symmetry(J, size, of)
    J = (J + J.T) / 2
    _check_moments(J, size, of)
    return mass, J


def _tensor(J: ArrayLike, what: str) -> Array:
    array = finite_array(J, what)
    if array.shape == (3,):
        return np.diag(array)
    if array.shape == (3, 3):
        return array
    raise ModelError(f"{what} must be three principal moments (3,) or a tensor (3, 3), got shape {array.shape}.")


def _check_symmetry(J: Array, size: float, of: str) -> None:
    gap = np.abs(J - J.T)
    i, k = np.unravel_index(int(np.argmax(gap)), (3, 3))
    if gap[i, k] > TOLERANCE * size:
        ik, ki = "xyz"[i] + "xyz"[k], "xyz"[k] + "xyz"[i]
        raise ModelError(
            f"inertia{of} is not symmetric: J_{ik} = {J[i, k]:.9g} and J_{ki} = {J[k, i]:.9g} kg m²\n"
            f"differ by {_amount(gap[i, k], size)}.\n"
            f"Both are the same integral, J_{ik} = -∫{'xyz'[i]}{'xyz'[k]} dm: correct the wrong one."
        )


def _check_moments(J: Array, size: float, of: str) -> None:
    moments, axes = _ascending(J)  # only the first can be negative, only the last too large
    if moments[0] < -TOLERANCE * size:
        raise ModelError(
            f"inertia{of} has a negative principal moment: {moments[0]:.9g} kg m²\n"
            f"about {_axis(axes[:, 0])}, below zero by {_amount(-moments[0], size)}.\n"
            "A moment of inertia is a sum of mass times distance squared. Likely causes:\n"
            "a parallel-axis term subtracted that was not in the tensor, or a product of inertia\n"
            "too large for the moments."
        )
    excess = moments[2] - moments[0] - moments[1]
    if excess > TOLERANCE * size:
        raise ModelError(
            f"inertia{of} violates the triangle inequality: its principal moment\n"
            f"{moments[2]:.9g} kg m² about {_axis(axes[:, 2])} exceeds the sum of the others,\n"
            f"{moments[0]:.9g} + {moments[1]:.9g} kg m², by {_amount(excess, size)}.\n"
            "No positive mass does that; a flat plate reaches equality. Likely causes: moments in\n"
            "different units, a wrong parallel-axis term, or products of inertia with the other\n"
            "sign (here J_xy = -∫xy dm)."
        )


def _ascending(J: Array) -> tuple[Array, Array]:
    """Principal moments, the smallest first, and their axes in columns."""
    own = J.diagonal()
    if np.count_nonzero(J) > np.count_nonzero(own):
        return np.linalg.eigh(J)
    order = np.argsort(own, kind="stable")
    return own[order], np.eye(3)[:, order]


def _amount(gap: float, size: float) -> str:
    return f"{gap:.3g} kg m² ({gap / size:.3g} of tr J)"


def _axis(axis: Array) -> str:
    i = int(np.argmax(np.abs(axis)))
    if np.abs(axis[i]) > 1 - 1e-12:
        return f"axis {'xyz'[i]}"
    x, y, z = np.round(axis * np.sign(axis[i]), 4) + 0.0  # no -0
    return f"axis ({x:g}, {y:g}, {z:g})"
