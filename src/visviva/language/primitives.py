"""The kinds of primitive systems, as functions that check what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language.expression import Expression, traced
from visviva.language.quantity import Port, interface
from visviva.language.regularity import ENERGY, LAW
from visviva.language.system import Environment, Irreversible, Reversible, Source, Storage
from visviva.structure import Dirac

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
    energy.require_regular("the energy H of a storage", ENERGY)
    return Storage(box, energy)


def reversible(
    ports: dict[str, Any], J: Any = None, C: Any = None, *, dirac: Dirac | None = None, **parameters: Any
) -> Reversible:
    """A coupling without loss: J skew over the power ports (sign as in ẋ = J e), C the rows of constraints C e = 0.

    dirac: a Dirac structure over the power ports by name, in any representation, instead of J and C.
    """
    box = interface(ports, "reversible component")
    n = _power(box)
    if n == 0:
        raise ModelError("a reversible component needs at least one power port.")
    if dirac is not None:
        J, C = _matrices_of(dirac, box, J, C)
    if J is None and C is None:
        raise ModelError("a reversible component needs J or C (or both).")
    what = "J of a reversible component"
    skew = traced(np.zeros((n, n)) if J is None else J, box, _split(parameters, J), what)
    _check_square(skew, n, box, what)
    _check_law(skew, box, _mirror(1.0), "must be skew, or it would create energy: |J + Jᵀ| is")
    conserves = "must leave entropy alone, or energy would not be conserved: the sum of its entropy columns is"
    _check_law(skew, box, _entropy_columns(box), conserves)
    skew.require_regular(what, LAW)
    unused = [name for name in parameters if name not in skew.parameters and name not in _split(parameters, C)]
    if unused:
        raise ModelError(f"a reversible component does not depend on its parameter {unused[0]!r}: a misprint?")
    rows = None
    if C is not None:
        rows = traced(C, box, _split(parameters, C), "C of a reversible component")
        if len(rows.shape) != 2 or rows.shape[1] != n or not rows.shape[0]:
            raise ModelError(
                f"C of a reversible component must have {n} columns ({_columns(box)}), got shape {rows.shape}."
            )
    if rows is not None:
        _check_law(rows, box, _entropy_columns(box), conserves, "C")
        rows.require_regular("C of a reversible component", LAW)
    return Reversible(box, skew, rows)


def _matrices_of(dirac: Dirac, box: dict[str, Port], J: Any, C: Any) -> tuple[Any, Any]:
    if J is not None or C is not None:
        raise ModelError("a reversible component has J and C or a Dirac structure, not both.")
    wanted = {port.name: port.quantity.dim for port in box.values() if port.power}
    if dirac.ports != wanted:
        raise ModelError(f"the Dirac structure has the ports {dirac.ports}, the component {wanted}: they must agree.")
    J, C = dirac.permute(*wanted).to_constrained()
    return J, C if len(C) else None


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
    _check_law(onsager, box, _mirror(-1.0), "must be symmetric (Onsager): |M - Mᵀ| is")
    _check_law(onsager, box, _negative, "must be positive semidefinite: it has an eigenvalue below zero by")
    _check_law(onsager, box, _kernel, "must conserve energy, M (e with absolute temperatures) = 0: it misses by")
    efforts = [symbol for symbols in onsager.efforts.values() for symbol in symbols]
    onsager.require_regular("a flow M e of an irreversible component", LAW, onsager.values @ efforts)
    return Irreversible(box, onsager)


def environment(ports: dict[str, Any], theta0: float = 300.0) -> Environment:
    """The surroundings at the temperature theta0 [K]: takes up heat, gives no exergy."""
    box = interface(ports, "environment")
    if not all(port.power for port in box.values()):
        raise ModelError("an environment has power ports only.")
    return Environment(box, finite_number(theta0, "theta0 of an environment [K]", positive=True))


def source(ports: dict[str, Any], law: Callable[[float], Any] | None = None) -> Source:
    """An effort that is given: drive = source({"p": momentum}) moves what is at its junction with the velocity u(t).

    u is the input that has the name of the box: vv.simulate(..., inputs={"drive": lambda t: 0.1 * np.sin(t)}). Of
    entropy it is θ - θ0, as all of its efforts are. A flow that is given is an outer port: compose(..., outer=...).

    law: u as a function of time, where that input is not given.
    """
    if law is not None and not callable(law):
        raise ModelError(f"the law of a source is a function of time, e.g. law=lambda t: 0.1 * np.sin(t), got {law!r}.")
    box = interface(ports, "source")
    if len(box) != 1 or not next(iter(box.values())).power:
        raise ModelError(
            f"a source has exactly one power port, got {', '.join(map(str, box.values()))}.\n"
            "Several efforts are given by several sources, or by one of a product space."
        )
    return Source(box, law)


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


def _check_law(matrix: Expression, box: dict[str, Port], excess: Any, message: str, name: str = "") -> None:
    """A law on random states: `excess` returns what must vanish and the size of its terms."""
    theta0 = 300.0
    y, efforts = _random_arguments(matrix, box, theta0)
    values = matrix.numeric(theta0)(y)
    finite = np.isfinite(values).reshape(len(y), -1).all(-1)
    if not finite.any():
        return  # outside the domain of the expression on random states; the run checks it where it is used
    gap, size = excess(values[finite], efforts[finite] if efforts is not None else None)
    worst = np.abs(gap) - TOLERANCE * size
    if worst.size and worst.max() > 0:
        amount = float(np.abs(gap).ravel()[worst.argmax()])
        name = name or ("M" if matrix.efforts else "J")
        raise ModelError(f"{name} of a component with ports {_columns(box)} {message} {amount:.3g}.")


def _mirror(sign: float) -> Any:
    """M + sign Mᵀ, entry by entry relative to both."""

    def excess(matrix: Any, _: Any) -> tuple[Any, Any]:
        other = np.swapaxes(matrix, -1, -2)
        return matrix + sign * other, np.abs(matrix) + np.abs(other)

    return excess


def _entropy_columns(box: dict[str, Port]) -> Any:
    """The sum of the columns of entropy ports: what an absolute temperature common to all of them would do."""
    chi = np.concatenate([np.full(p.quantity.dim, float(p.quantity.is_entropy)) for p in box.values() if p.power])

    def excess(matrix: Any, _: Any) -> tuple[Any, Any]:
        return matrix @ chi, np.abs(matrix) @ chi

    return excess


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


def _negative(matrix: Any, _: Any) -> tuple[Any, Any]:
    lowest = np.minimum(np.linalg.eigvalsh(0.5 * (matrix + np.swapaxes(matrix, -1, -2))), 0.0)
    return lowest, np.abs(matrix).max((-1, -2))[:, None] * np.ones_like(lowest)


def _kernel(matrix: Any, absolute: Any) -> tuple[Any, Any]:
    """Row by row, relative to the terms that cancel."""
    return (matrix @ absolute[..., None])[..., 0], (np.abs(matrix) @ np.abs(absolute)[..., None])[..., 0]
