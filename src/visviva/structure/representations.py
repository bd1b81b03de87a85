"""The representations of a Dirac structure, each against an orthonormal basis Z of it.

Z has shape (2n, n); its upper half gives flows, its lower half efforts: (f; e) = Z λ.
J, here as in the whole package, is the matrix of ẋ = J e. With the rates -ẋ of the storages as flows it reads
f = -J e, since flows are positive into the structure.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.structure.pivots import skew_part
from visviva.structure.ports import Ports, owners, quoted
from visviva.structure.subspace import column_space, null_space, range_and_complement

FREE = 1e-6  # share of an input in a relation between inputs, above which the error names it


def input_output_basis(J: Array, effort_in: Mask) -> Array:
    """Outputs = -J inputs; the inputs are the efforts where `effort_in`, elsewhere the flows."""
    given, eye = effort_in[:, None], np.eye(len(J))
    return column_space(np.vstack([np.where(given, -J, eye), np.where(given, eye, -J)]))


def input_output_matrix(Z: Array, effort_in: Mask, ports: Ports) -> Array:
    """J of `input_output_basis`, or an error that names the inputs that cannot all be given."""
    f, e = np.split(Z, 2)
    inputs, outputs = np.where(effort_in[:, None], e, f), np.where(effort_in[:, None], f, e)
    _, tied = range_and_complement(inputs, scale=1.0)  # combinations of inputs that are always zero
    if tied.shape[1]:
        bound = np.linalg.norm(tied, axis=1) > FREE
        efforts, flows = owners(bound & effort_in, ports), owners(bound & ~effort_in, ports)
        found = " and ".join(f"{kind} of {quoted(names)}" for kind, names in _named(efforts, flows))
        raise ModelError(
            f"this causality is impossible: the structure ties the {found} by {tied.shape[1]} relation(s),"
            " so they cannot all be inputs.\n"
            "Choose the other variable of one of these ports, or use to_constrained(), which always exists."
        )
    return skew_part(-np.linalg.solve(inputs.T, outputs.T).T)


def constrained_basis(J: Array, C: Array) -> Array:
    """f = -J e - Cᵀ λ, C e = 0; rows of C may depend on each other."""
    forces, efforts = range_and_complement(C.T)
    n, r = forces.shape
    return column_space(np.block([[-J @ efforts, forces], [efforts, np.zeros((n, r))]]))


def constrained_matrices(Z: Array) -> tuple[Array, Array]:
    """(J, C) of `constrained_basis`: the rows of C are orthonormal, and J Cᵀ = 0 makes J unique."""
    f, e = np.split(Z, 2)
    efforts, forces = range_and_complement(e, scale=1.0)
    reduced = efforts.T @ e  # (r, n), surjective: every admissible effort comes from some λ
    flows = efforts.T @ f @ np.linalg.pinv(reduced)
    J = -efforts @ flows @ efforts.T
    return (J - J.T) / 2, forces.T


def kernel_basis(F: Array, E: Array) -> Array:
    """All (f; e) with F f + E e = 0; any number of columns, n if F and E describe a Dirac structure."""
    return null_space(np.hstack([F, E]))


def _named(efforts: list[str], flows: list[str]) -> list[tuple[str, list[str]]]:
    return [(kind, names) for kind, names in (("efforts", efforts), ("flows", flows)) if names]
