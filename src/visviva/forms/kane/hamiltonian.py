"""Kane's momentum form as a port-Hamiltonian system."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.compiler.laws import canonical, input_law
from visviva.errors import ModelError
from visviva.forms.hamiltonian.hamiltonian_model import STATE, hamiltonian_model
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.kane.autonomous import depends_on_time
from visviva.forms.kane.matrices import lie_poisson
from visviva.forms.kane.numbers import numbers_of
from visviva.forms.kane.system import KaneSystem, tidy
from visviva.model import Model, Port
from visviva.model.feedback import Feedback

LONGEST = 150  # operations of A: the inverse of a longer one takes minutes to be written down
DRAWS, SLACK = 5, 1e-12
LARGEST = 3  # rows of a damping matrix whose minors are looked at
IMPRESSED = "impressed"


def kane_hamiltonian(system: KaneSystem) -> PortHamiltonian:
    """x = (q, p), H = ½ p·A⁻¹p + V:   ẋ = [[0, Q], [-Qᵀ, Γ - R]] ∂H + [0; τ],   ∂H/∂p = ξ.

        Γ_ik = (∂_k S_i - ∂_i S_k)·M V + S_i·Λ(M V) S_k

    is skew, with Dᵀξ = Qᵀ ∂T*/∂q + Γ ξ: it is what T does not generate, zero for ξ = q̇. Forces -R(q) ξ with R = Rᵀ ⪰ 0
    are dissipation; each velocity has an input "tau_<velocity>" for others. Where motion is nonholonomic J is no
    Poisson bracket: the Jacobi identity fails, the balance of energy does not.

    Source: Phillips and Amirouche (25), (26), (38).
    """
    _check(system)
    names = (*system.coordinates, *(f"p_{name}" for name in system.velocities))
    inputs = tuple(f"tau_{name}" for name in system.velocities)
    H, J, R = _parts(system)
    G = np.concatenate([np.zeros((len(system.coordinates), len(inputs)), dtype=int), np.eye(len(inputs), dtype=int)])
    return PortHamiltonian(names, H, J, R=R, G=G, inputs=inputs, name=system.name)


def kane_model(system: KaneSystem) -> Model:
    """The same as a Model, with a port of impressed forces that are no dissipation, which follow their law."""
    import sympy

    made, s = hamiltonian_model(system.hamiltonian), system.symbols
    (x,), force = made.variables, _split(system)[1]
    efforts = (*("" for _ in system.coordinates), *system.velocities)
    made = replace(made, variables=(replace(x, efforts=efforts),))
    if not any(entry != 0 for entry in force):
        return made
    R, n = len(s.q), len(s.xi)
    unread = [sympy.Symbol(f"{IMPRESSED} {k}", real=True) for k in range(R)]  # efforts of positions
    given = {"t": [s.t], "x": list(s.q), "e": [*unread, *s.xi]}
    values, numbers = canonical([_numeric(system, entry) for entry in force], given, [])
    law = input_law(values, (R + n, R + n, len(numbers)))
    port = Port(IMPRESSED, (STATE,), n, np.eye(R + n, n, k=-R))
    feedback = Feedback(IMPRESSED, (STATE,), (STATE,), law, np.array(numbers), own=True)
    return replace(made, structures=(*made.structures, port), feedback=(feedback,))


def check_no_impressed_forces(system: KaneSystem) -> None:
    """An error where forces are neither those of a potential nor dissipation: a box has no place for them."""
    odd = [name for name, entry in zip(system.velocities, _split(system)[1], strict=True) if entry != 0]
    if odd:
        raise ModelError(
            f"{system.name!r} has forces along {', '.join(odd)} that no potential and no friction gives.\n"
            "A box of the language keeps its energy: leave them out, and let what exerts them act on a port."
        )


def _check(system: KaneSystem) -> None:
    if system.prescribed or depends_on_time(system):
        raise ModelError(
            f"{system.name!r} has velocities or a potential that are prescribed in time: H(q, p) is then no function\n"
            "of a state, and a Model keeps such an energy only. Use a scheme of flows: vv.DOP853(), or\n"
            "vv.BalancedGauss8(), which closes the balance with what drives supply."
        )
    if sum(entry.count_ops() for entry in system.A) > LONGEST:
        raise ModelError(
            f"A⁻¹ of {system.name!r} is too long to be written down, as H = ½ p·A⁻¹p + V has it.\n"
            "Use a scheme of flows, vv.DOP853() or vv.BalancedGauss8(), which solve with A in numbers."
        )


def _numeric(system: KaneSystem, entry: Any) -> Any:
    import sympy

    return sympy.sympify(entry).xreplace({symbol: sympy.Float(value) for symbol, value in system.values.items()})


def _parts(system: KaneSystem) -> tuple[Any, Any, Any]:
    """H, J and R in the symbols of (q, p)."""
    import sympy

    s, R, n = system.symbols, len(system.symbols.q), len(system.symbols.xi)
    p = sympy.Matrix([sympy.Symbol(f"p_{name}", real=True) for name in system.velocities])
    determinant = tidy([system.A.det()])[0]
    xi = tidy(system.A.adjugate() @ p) / determinant
    moving = dict(zip(s.xi, xi, strict=True))
    J = np.zeros((R + n, R + n), dtype=object)
    J[:R, R:], J[R:, :R] = system._rates, -system._rates.T
    J[R:, R:] = [[entry.xreplace(moving) for entry in row] for row in tidy(_turning(system)).tolist()]
    D = np.zeros_like(J)
    D[R:, R:] = _split(system)[0]
    number = np.vectorize(lambda entry: _numeric(system, entry), otypes=[object])
    return _numeric(system, p.dot(xi) / 2 + system.V), number(J), number(D)


def _turning(system: KaneSystem) -> Any:
    """Γ over (q, ξ), an object array (n, n)."""
    S, n = system._S, len(system.velocities)
    slopes = [np.vectorize(lambda e, w=w: _slope(e, w), otypes=[object])(system._S_dot) for w in system.symbols.xi]
    momenta = (system._inertias @ (S @ system.xi)[..., None])[..., 0]
    turned = (S.swapaxes(1, 2) @ lie_poisson(momenta) @ S).sum(0)
    along = np.array([[(slopes[k][..., i] * momenta).sum() for k in range(n)] for i in range(n)], dtype=object)
    return along - along.T + turned


def _slope(entry: Any, symbol: Any) -> Any:
    import sympy

    return sympy.sympify(entry).diff(symbol)


def _split(system: KaneSystem) -> tuple[Any, Any]:
    """R (n, n) of the part -R(q) ξ of the impressed forces, if it is symmetric and not negative, and the rest (n,).

    Where that cannot be proved for all q, the forces stay impressed ones, whose work may have any sign.
    """
    s, loads = system.symbols, system._loads
    n = len(s.xi)
    slopes = np.array([[-_slope(load, w) for w in s.xi] for load in loads], dtype=object).reshape(n, n)
    bent = {*s.xi, s.t}
    if not slopes.any() or any(entry.free_symbols & bent for entry in slopes.ravel()):
        return np.zeros((n, n), dtype=int), loads
    numbers = numbers_of([slopes], s.q, s.parameters, f"forces of {system.name!r}")
    draws = np.random.default_rng(0).uniform(0.3, 1.2, (DRAWS, len(s.q)))  # generic
    for (D,) in map(numbers, draws):
        size = SLACK * float(np.abs(D).max())
        if np.abs(D - D.T).max() > size or np.linalg.eigvalsh((D + D.T) / 2)[0] < -size:
            return np.zeros((n, n), dtype=int), loads
    if not _never_negative(system, slopes):
        return np.zeros((n, n), dtype=int), loads
    rest = [_slope_free(load, row, s.xi) for load, row in zip(loads, slopes, strict=True)]
    return slopes, np.array(rest, dtype=object)


def _never_negative(system: KaneSystem, R: Any) -> bool:
    """Whether R(q) = Rᵀ ⪰ 0 is proved for all q, R symmetric to rounding at some.

    Constant, or a sum of functions that SymPy knows to be nonnegative times constant matrices that are; or by all
    principal minors, of a matrix that is small.
    """
    import sympy

    exact = {symbol: sympy.Rational(value) for symbol, value in system.values.items()}
    n = len(R)
    M = sympy.Matrix(n, n, [sympy.expand(sympy.nsimplify(entry.xreplace(exact), rational=True)) for entry in R.ravel()])
    parts: dict[Any, Array] = {}
    for i, j in np.ndindex(n, n):
        for term in sympy.Add.make_args(M[i, j]):
            number, factor = term.as_coeff_Mul()
            parts.setdefault(factor, np.zeros((n, n)))[i, j] += float(number)
    if any(np.abs(part - part.T).max() > SLACK * np.abs(part).max() for part in parts.values()):
        return False
    if all(factor.is_nonnegative and _positive(part) for factor, part in parts.items() if part.any()):
        return True
    if n > LARGEST:
        return False
    M = (M + M.T) / 2
    choices = [rows for k in range(1, n + 1) for rows in combinations(range(n), k)]
    return all(_is_nonnegative(M.extract(list(rows), list(rows)).det()) for rows in choices)


def _positive(part: Array) -> bool:
    return bool(np.linalg.eigvalsh((part + part.T) / 2)[0] >= -SLACK * np.abs(part).max())


def _is_nonnegative(minor: Any) -> bool:
    """As it is, or in one of its simpler forms."""
    import sympy

    forms = (sympy.expand, sympy.factor, sympy.trigsimp, lambda e: sympy.factor(sympy.trigsimp(e)))
    return any(form(minor).is_nonnegative for form in forms)


def _slope_free(load: Any, row: Any, xi: Any) -> Any:
    import sympy

    return sympy.expand(sympy.sympify(load) + sum(a * w for a, w in zip(row, xi, strict=True)))
