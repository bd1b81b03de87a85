"""What makes matrices a Dirac or an Onsager structure, as errors that name the ports."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.structure.ports import Ports, quoted, spans, total

SYMMETRY = 1e-12  # relative to the largest entry
POWER = 1e-10  # that flows and efforts of size 1 may have: a basis may be ill-conditioned


def check_skew(J: Array, name: str, ports: Ports) -> None:
    """An error if J is not skew, with the two ports between which it fails most."""
    excess = np.abs(J + J.T)
    if excess.max(initial=0.0) > SYMMETRY * np.abs(J).max(initial=0.0):
        i, j = np.unravel_index(excess.argmax(), excess.shape)
        raise ModelError(
            f"{name} must be skew, or it would create or lose power; |{name} + {name}ᵀ| is {excess.max():.3g}"
            f" between {_port_at(int(i), ports)} and {_port_at(int(j), ports)}."
        )


def check_rank(rank: int, what: str, ports: Ports) -> None:
    """An error if the matrix that describes a Dirac structure has another rank than there are flows.

    Power conservation alone does not see this: F = E = 0 fulfils E Fᵀ + F Eᵀ = 0.
    """
    n = total(ports)
    if rank != n:
        found = "some rows or columns are missing or repeat others" if rank < n else "too many of them are independent"
        dims = ", ".join(f"'{name}' ({dim})" for name, dim in ports.items())
        raise ModelError(
            f"{what} has rank {rank}, but the ports {dims} have {n} flows together.\n"
            f"The dimension of a Dirac structure is the number of its flows; here {found}."
        )


def check_power(Z: Array, ports: Ports) -> None:
    """An error if flows and efforts in the span of the orthonormal columns of Z (2n, n) have power."""
    f, e = np.split(Z, 2)
    powers, directions = np.linalg.eigh((f.T @ e + e.T @ f) / 2)
    worst = int(np.abs(powers).argmax()) if powers.size else 0
    if np.abs(powers).max(initial=0.0) > POWER:
        f, e = f @ directions[:, worst], e @ directions[:, worst]
        parts = ", ".join(f"'{name}' {f[at] @ e[at]:.3g}" for name, at in spans(ports).items())
        raise ModelError(
            "power is not conserved: flows f and efforts e of size 1 fulfil the equations and put the powers\n"
            f"{parts} into the ports, {powers[worst]:.3g} in total.\n"
            "In a Dirac structure the sum of e·f over the ports is zero; look for a sign."
        )


def check_projector(P: Array) -> None:
    """An error if P is not an orthogonal projector: P = Pᵀ = P²."""
    asymmetry, defect = (float(np.abs(D).max(initial=0.0)) for D in (P - P.T, P @ P - P))
    if asymmetry > SYMMETRY or defect > POWER:
        raise ModelError(
            f"an orthogonal projector P fulfils P = Pᵀ = P²; |P - Pᵀ| is {asymmetry:.3g}, |P² - P| is {defect:.3g}."
        )


def check_semidefinite(M: Array, ports: Ports) -> None:
    """An error if M is not symmetric ⪰ 0; each entry is judged against its diagonal, as units differ by port."""
    d = np.sqrt(np.abs(np.diag(M)))
    d[d == 0.0] = np.sqrt(np.abs(M).max(initial=0.0)) or 1.0
    scaled = M / d[:, None] / d
    asymmetry = np.abs(scaled - scaled.T)
    if asymmetry.max(initial=0.0) > SYMMETRY * np.abs(scaled).max(initial=0.0):
        i, j = np.unravel_index(asymmetry.argmax(), asymmetry.shape)
        raise ModelError(
            "M must be symmetric (Onsager's reciprocal relations);"
            f" it differs from Mᵀ by {abs(M[i, j] - M[j, i]):.3g}"
            f" between {_port_at(int(i), ports)} and {_port_at(int(j), ports)}."
        )
    values, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
    if values.min(initial=0.0) < -SYMMETRY * np.abs(values).max(initial=0.0):
        worst = int(np.abs(vectors[:, 0]).argmax())
        raise ModelError(
            "M must be positive semidefinite, or exergy would be created; scaled to a diagonal of 1, its smallest"
            f" eigenvalue is {values[0]:.3g}, mostly at {_port_at(worst, ports)}."
        )


def check_kernel(M: Array, dE: Array, ports: Ports) -> None:
    """An error if M dE is not zero, compared row by row with the terms of its sum."""
    rows = M @ dE
    excess = np.abs(rows) - SYMMETRY * (np.abs(M) @ np.abs(dE))
    if excess.max(initial=0.0) > 0:
        raise ModelError(
            f"energy is not conserved: M dE is {np.abs(rows).max():.3g}, not zero.\n"
            f"The gradient dE of the total energy over {quoted(ports)} (absolute temperatures at entropy ports)"
            " must lie in the kernel of M."
        )


def _port_at(entry: int, ports: Ports) -> str:
    """The port that owns an entry, with its place inside the port where it has several."""
    name, at = next((name, at) for name, at in spans(ports).items() if at.start <= entry < at.stop)
    return f"'{name}'" if ports[name] == 1 else f"'{name}'[{entry - at.start}]"
