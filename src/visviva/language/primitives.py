"""The four kinds of primitive systems, as functions that check what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language.expression import Expression, traced
from visviva.language.quantity import Port, interface
from visviva.language.system import Environment, Irreversible, Reversible, Storage

TOLERANCE = 1e-9  # relative, for laws tested on random states
SAMPLES = 24


def storage(ports: dict[str, Any], H: Any, **parameters: float) -> Storage:
    """Energy of one quantity: storage({"q": displacement}, H=lambda x, k: 0.5 * k * x.q**2, k=1.5).

    Give the energy itself (for entropy the internal energy U(s)); exergy and efforts are derived.
    """
    box = interface(ports, "storage")
    if len(box) != 1 or not next(iter(box.values())).power:
        raise ModelError(
            f"a storage has exactly one power port, got {', '.join(map(str, box.values()))}.\n"
            "Energies of several quantities are storages of a product space, or several storages."
        )
    energy = traced(H, box, parameters, "the energy H of a storage")
    if energy.shape != ():
        raise ModelError(f"the energy H of a storage must be one number, got shape {energy.shape}.")
    return Storage(box, energy)


def reversible(ports: dict[str, Any], J: Any = None, C: Any = None, **parameters: float) -> Reversible:
    """A coupling without loss: J skew over the power ports (sign as in ẋ = J e), C the rows of constraints C e = 0."""
    box = interface(ports, "reversible component")
    n = _power(box)
    if J is None and C is None:
        raise ModelError("a reversible component needs J or C (or both).")
    what = "J of a reversible component"
    skew = traced(np.zeros((n, n)) if J is None else J, box, _split(parameters, J), what)
    _check_square(skew, n, box, what)
    _check_law(
        skew, box, lambda m, _: m + np.swapaxes(m, -1, -2), "must be skew, or it would create energy: |J + Jᵀ| is"
    )
    unused = [name for name in parameters if name not in skew.parameters and name not in _split(parameters, C)]
    if unused:
        raise ModelError(f"a reversible component does not depend on its parameter {unused[0]!r}: a misprint?")
    rows = None
    if C is not None:
        rows = traced(C, box, _split(parameters, C), "C of a reversible component")
        if len(rows.shape) != 2 or rows.shape[1] != n:
            raise ModelError(
                f"C of a reversible component must have {n} columns ({_columns(box)}), got shape {rows.shape}."
            )
    return Reversible(box, skew, rows)


def irreversible(ports: dict[str, Any], M: Any, **parameters: float) -> Irreversible:
    """A process that destroys exergy: flows M(x, e) e / θ0 with M symmetric ⪰ 0 over the power ports.

    M may depend on x, e (efforts) and theta (absolute temperatures of the entropy ports). Its kernel must hold the
    efforts with absolute temperatures: then energy is conserved, and what is destroyed is θ0 times the entropy made.
    """
    box = interface(ports, "irreversible component")
    n, what = _power(box), "M of an irreversible component"
    if not any(port.quantity.is_entropy for port in box.values() if port.power):
        raise ModelError(
            f"an irreversible component has no entropy port among {_columns(box)}.\n"
            "What it destroys becomes heat: add a port of Quantity('R', 'entropy')."
        )
    onsager = traced(M, box, parameters, what, efforts=True)
    _check_square(onsager, n, box, what)
    _check_law(onsager, box, lambda m, _: m - np.swapaxes(m, -1, -2), "must be symmetric (Onsager): |M - Mᵀ| is")
    _check_law(onsager, box, _negative, "must be positive semidefinite: it has an eigenvalue below zero by")
    _check_law(onsager, box, _kernel, "must conserve energy, M (e with absolute temperatures) = 0: it misses by")
    return Irreversible(box, onsager)


def environment(ports: dict[str, Any], theta0: float = 300.0) -> Environment:
    """The surroundings at the temperature theta0 [K]: takes up heat, gives no exergy."""
    box = interface(ports, "environment")
    if not all(port.power for port in box.values()):
        raise ModelError("an environment has power ports only.")
    return Environment(box, finite_number(theta0, "theta0 of an environment [K]", positive=True))


# -- checks ------------------------------------------------------------------------------------------------------


def _power(box: dict[str, Port]) -> int:
    return sum(port.quantity.dim for port in box.values() if port.power)


def _columns(box: dict[str, Port]) -> str:
    return ", ".join(f"{port.name} ({port.quantity.dim})" for port in box.values() if port.power)


def _split(parameters: dict[str, float], function: Any) -> dict[str, float]:
    """The parameters that a function asks for."""
    import inspect

    return (
        {k: v for k, v in parameters.items() if k in inspect.signature(function).parameters}
        if callable(function)
        else {}
    )


def _check_square(matrix: Expression, n: int, box: dict[str, Port], what: str) -> None:
    if matrix.shape != (n, n):
        raise ModelError(f"{what} must have shape ({n}, {n}) over its power ports {_columns(box)}, got {matrix.shape}.")


def _check_law(matrix: Expression, box: dict[str, Port], excess: Any, message: str) -> None:
    """A law on random states: `excess` must vanish, relative to the matrix."""
    theta0 = 300.0
    y, efforts = _random_arguments(matrix, box, theta0)
    values = matrix.numeric(theta0)(y)
    if not np.isfinite(values).all():
        return  # outside the domain of the expression on random states; the run checks it where it is used
    gap = np.abs(excess(values, efforts)).reshape(len(y), -1).max(-1, initial=0.0)
    scale = np.abs(values).reshape(len(y), -1).max(-1, initial=0.0)
    worst = int((gap - TOLERANCE * scale).argmax())
    if gap[worst] > TOLERANCE * scale[worst]:
        name = "M" if matrix.efforts else "J"
        raise ModelError(f"{name} of a component with ports {_columns(box)} {message} {gap[worst]:.3g}.")


def _random_arguments(matrix: Expression, box: dict[str, Port], theta0: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    columns, absolute = [], []
    for name in matrix.states:
        embedding = box[name].quantity.space.embedding
        columns.append(_random_point(embedding, rng))
    for name in matrix.efforts:
        e = rng.uniform(-1, 1, (SAMPLES, box[name].quantity.dim)) * (
            0.3 * theta0 if box[name].quantity.is_entropy else 2.0
        )
        columns.append(e)
        absolute.append(e + theta0 if box[name].quantity.is_entropy else e)
    return np.concatenate(columns, axis=-1), np.concatenate(absolute, axis=-1) if absolute else None


def _random_point(embedding: Any, rng: np.random.Generator) -> Any:
    from visviva.geometry.embedding import origin

    start = np.broadcast_to(origin(embedding), (SAMPLES, embedding.size))
    return embedding.retract(start, rng.uniform(-1, 1, (SAMPLES, embedding.dim)))


def _negative(matrix: Any, _: Any) -> Any:
    return np.minimum(np.linalg.eigvalsh(0.5 * (matrix + np.swapaxes(matrix, -1, -2))), 0.0)


def _kernel(matrix: Any, absolute: Any) -> Any:
    scale = np.abs(absolute).max(-1)[:, None]
    return (matrix @ absolute[..., None])[..., 0] / scale
