"""What must hold of a parameterisation at every configuration, tested at one."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.calculus.edges import AbstractEdge
from visviva.forms.calculus.maps import AbstractMap
from visviva.geometry.rotations import checked_homogeneous
from visviva.numerics.nullspace import split

TIMES = (0.0, 0.1, 0.37, 1.3, 4.1)  # [s], where poses that depend on time are looked at before any run
EXACT = 1e-9  # defects above this part of the size of their terms are errors


def check_kinematics(
    coordinates: tuple[str, ...], velocities: tuple[str, ...], A_map: AbstractMap, phi_map: AbstractMap, q: Array
) -> None:
    """φ(q) = 0, Φ A = 0, rank A = n, and rank Φ = ν - n; without φ, the velocities must be involutive."""
    nu, n = len(coordinates), len(velocities)
    A, phi, Phi = A_map.value(q), phi_map.value(q), phi_map.slope(q)
    scale = max(1.0, np.abs(Phi).max(initial=0.0) * np.abs(q).max(initial=0.0))
    if np.abs(phi).max(initial=0.0) > EXACT * scale:
        row = int(np.argmax(np.abs(phi)))
        at = ", ".join(f"{name} = {value:g}" for name, value in zip(coordinates, q, strict=True))
        raise AssemblyError(
            f"phi[{row}] is {phi[row]:.3e} at {at}, a configuration has 0.\nGive a feasible configuration as q0."
        )
    rank = split(A).rank
    if rank < n:
        idle = _dependent(A, velocities)
        raise ModelError(
            f"A has rank {rank} for {n} velocities: {idle} moves nothing that the others do not move.\n"
            "Velocities must be independent; at a singularity of a chart take other coordinates."
        )
    rates = Phi @ A  # (m, n)
    if np.abs(rates).max(initial=0.0) > EXACT * max(1.0, np.abs(Phi).max(initial=0.0) * np.abs(A).max(initial=0.0)):
        row, i = divmod(int(np.argmax(np.abs(rates))), n)
        raise ModelError(
            f"velocity {velocities[i]!r} changes phi[{row}] at the rate {rates[row, i]:.3e}: ∂φ/∂q A must be zero.\n"
            "A velocity moves along the configurations; look for a sign or an entry of A or phi."
        )
    if len(phi) == 0:
        _check_involutive(A, A_map.slope(q), velocities)
        return
    rank = split(Phi).rank
    if rank != nu - n:
        raise ModelError(
            f"phi has {rank} independent rows for {nu} coordinates and {n} velocities, {nu - n} are needed.\n"
            "Where rows are missing, give them; conditions on velocities alone are no rows of phi: keep the velocity"
            " and constrain it."
        )


def _check_involutive(A: Array, A_slope: Array, velocities: tuple[str, ...]) -> None:
    """Brackets ∂_i A_j - ∂_j A_i must be combinations of columns of A, else the motion has more dimensions than n."""
    if A.shape[0] == A.shape[1]:
        return
    moved = np.einsum("ajb,bi->aij", A_slope, A)
    brackets = moved - moved.swapaxes(1, 2)
    rest = brackets - np.einsum("ab,bij->aij", A @ np.linalg.pinv(A), brackets)
    worst = np.abs(rest).max(axis=0)
    if worst.max(initial=0.0) > EXACT * max(1.0, np.abs(brackets).max(initial=0.0)):
        i, j = divmod(int(np.argmax(worst)), len(velocities))
        raise ModelError(
            f"velocities {velocities[i]!r} and {velocities[j]!r}, one after the other and back, move the configuration"
            " in a direction that no velocity has.\n"
            "The condition behind them is nonholonomic: give all velocities of the configuration, and constrain them."
        )


def _dependent(A: Array, velocities: tuple[str, ...]) -> str:
    """The velocity with the largest share in the null space of A."""
    share = np.abs(split(A).Z).max(axis=1)
    return repr(velocities[int(np.argmax(share))])


def check_pose(edge: AbstractEdge, q: Array) -> None:
    """The pose of an edge is in SE(3), at several times where it depends on time."""
    for t in TIMES if edge.timed else TIMES[:1]:
        check_rigid(edge, edge.pose(q, t), t)


def check_rigid(edge: AbstractEdge, X: Array, t: float) -> None:
    """An error that names the edge, and the time where it depends on it, unless a pose X of it is in SE(3)."""
    when = f" at t = {t:g} s" if edge.timed else ""
    checked_homogeneous(X, f"the pose of edge {edge.name}{when}", 3)
