"""The laws of Dirac and Onsager structures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.structure import Dirac, Onsager, compose, wire
from visviva.structure.ports import spans
from visviva.testing.laws import require

EXACT = 1e-12
JOINED = 1e-10  # a composition adds a decision about rank


def check_dirac(structure: Dirac) -> None:
    """Test a structure against every law of `DIRAC_LAWS`; AssertionError names the first that fails."""
    for law, check in DIRAC_LAWS.items():
        check(law, structure)


def check_onsager(structure: Onsager) -> None:
    """Test a structure against every law of `ONSAGER_LAWS`; AssertionError names the first that fails."""
    for law, check in ONSAGER_LAWS.items():
        check(law, structure)


def dimension(law: str, D: Dirac) -> None:
    """rank [F E] = n; the rows are orthonormal."""
    rows = np.hstack([D.F, D.E])
    require(law, rows @ rows.T, np.eye(D.n), EXACT, 1.0)


def power_conservation(law: str, D: Dirac) -> None:
    """E Fᵀ + F Eᵀ = 0, and e·f = 0 for every (f, e) with F f + E e = 0."""
    require(law, D.E @ D.F.T, -D.F @ D.E.T, EXACT, 1.0)
    *_, V = np.linalg.svd(np.hstack([D.F, D.E]))
    f, e = np.split(V[D.n :].T, 2)  # apart from the stored matrices
    require(law, f.T @ e, -e.T @ f, EXACT, 1.0)


def representations(law: str, D: Dirac) -> None:
    """Every conversion, converted back, is the same space."""
    J, C = D.to_constrained()
    back = {
        "kernel": (Dirac.kernel(*D.to_kernel(), D.ports), 1.0),
        "image": (Dirac.image(*D.to_image(), D.ports), 1.0),
        "basis": (Dirac.basis(D.to_basis(), D.ports), 1.0),
        "projector": (Dirac.projector(D.to_projector(), D.ports), 1.0),
        "constrained": (Dirac.constrained(J, C, D.ports), _rounding(J)),
    }
    for name, (other, scale) in back.items():
        require(f"{law}, {name}", other.to_projector(), D.to_projector(), EXACT, scale)


def causality(law: str, D: Dirac) -> None:
    """Where a choice of inputs is possible, its matrix gives the structure back.

    Each port with its effort, each with its flow, and one port unlike the others.
    """
    choices = [tuple(D.ports), (), *(tuple(p for p in D.ports if p != port) for port in D.ports)]
    for effort_in in choices:
        try:
            J = D.to_input_output(effort_in)
        except ModelError:  # tied inputs; not every structure has every causality
            continue
        other = Dirac.input_output(J, D.ports, effort_in)
        require(law, other.to_projector(), D.to_projector(), EXACT, _rounding(J))


def role_swap(law: str, D: Dirac) -> None:
    """Exchanging f and e at a port keeps power conserved, and twice is nothing."""
    for port in D.ports:
        swapped = D.role_swap(port)
        power_conservation(law, swapped)
        require(law, swapped.role_swap(port).to_projector(), D.to_projector(), EXACT, 1.0)


def identity_wire(law: str, D: Dirac) -> None:
    """A wire at a port changes nothing but the name."""
    for port, dim in D.ports.items():
        wired = compose({"D": D, "wire": wire("a", "b", dim)}, {"joint": (f"D.{port}", "wire.a")})
        names = {f"D.{other}": other for other in D.ports if other != port}
        back = wired.rename({"wire.b": port, **names}).permute(*D.ports)
        require(law, back.to_projector(), D.to_projector(), JOINED, 1.0)


def _rounding(J: Array) -> float:
    """J grows without bound as its causality becomes impossible, and hides small entries beside large ones."""
    return 1.0 + float(np.abs(J).max(initial=0.0))


def symmetry(law: str, process: Onsager) -> None:
    """M = Mᵀ: Onsager's reciprocal relations."""
    require(law, process.M, process.M.T, EXACT)


def positivity(law: str, process: Onsager) -> None:
    """No eigenvalue of M is negative."""
    values = np.linalg.eigvalsh((process.M + process.M.T) / 2)
    require(law, np.minimum(values, 0.0), 0.0, EXACT, float(np.abs(values).max(initial=0.0)))


def energy_conservation(law: str, process: Onsager) -> None:
    """M dE = 0, hence dE·f = 0."""
    terms = float((np.abs(process.M) @ np.abs(process.dE)).max(initial=0.0))
    require(law, process.M @ process.dE, 0.0, EXACT, terms)
    require(law, process.dE @ process.flows(), 0.0, EXACT, _power(process))


def entropy_balance(law: str, process: Onsager) -> None:
    """f = M e / θ0; e·f = θ0 entropy production ≥ 0, and what is produced leaves by the entropy ports."""
    M, f, produced, power = process.M, process.flows(), process.entropy_production(), _power(process)
    terms = float((np.abs(M) @ (np.abs(process.dE) + np.abs(process.efforts()))).max(initial=0.0))
    require(law, f, M @ process.efforts() / process.theta0, EXACT, terms / process.theta0)
    require(law, process.efforts() @ f, process.theta0 * produced, EXACT, power)
    require(law, process.exergy_destruction(), process.theta0 * produced, EXACT, power)
    require(law, min(produced, 0.0), 0.0, EXACT, power / process.theta0)
    leaving = -sum(f[spans(process.ports)[port]].item() for port in process.entropy)
    require(law, leaving, produced, EXACT, power / process.theta0)


def _power(process: Onsager) -> float:
    """Size of the terms that cancel in the balances."""
    sizes = np.abs(process.dE) + np.abs(process.efforts())
    return float(sizes @ np.abs(process.M) @ sizes) / process.theta0


# In an order in which each law relies on those before it only.
DIRAC_LAWS: dict[str, Callable[[str, Dirac], None]] = {
    "dimension": dimension,
    "power conservation": power_conservation,
    "representations": representations,
    "causality": causality,
    "role swap": role_swap,
    "identity wire": identity_wire,
}
ONSAGER_LAWS: dict[str, Callable[[str, Onsager], None]] = {
    "symmetry": symmetry,
    "positivity": positivity,
    "energy conservation": energy_conservation,
    "entropy balance": entropy_balance,
}
