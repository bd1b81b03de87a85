"""Energies of springs, as storages of what they measure: y of an `Element`, or coordinates of a `JointElement`.

Numbers are parameters of an energy, and those that are zero are left out of it: springs of one kind share their law.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language import Quantity, Storage, storage
from visviva.language.expression import Expression, traced
from visviva.language.functions import logarithm
from visviva.language.quantity import interface
from visviva.language.regularity import ENERGY, require_regular
from visviva.language.trace import Traced
from visviva.library.joints import Product, along, along_child, cosine, rod
from visviva.library.stops import stop_energy

LINE: tuple[Product, ...] = (rod(),)  # y = ½ d·d
POSE: tuple[Product, ...] = (*(cosine(i, j) for i in range(3) for j in range(3)), *(along(i) for i in range(3)))  # R, p
POINTS: tuple[Product, ...] = (rod(), *(along(i) for i in range(3)), *(along_child(i) for i in range(3)), *POSE[:9])

ROUNDING = 1e-15  # of the largest coefficient: what is smaller is none

SQUARE = {"y": Quantity("R", "half the squared distance")}
ANGLE = {"angle": Quantity("R", "angle")}
PLACEMENT = {"y": Quantity(f"R{len(POSE)}", "placement")}
Energy = Callable[[list[Any], dict[str, Any]], Any]  # of y and of parameters by name
COORDINATE = {"y": Quantity("R", "coordinate of a joint")}


def linear_in_length(k: float, length: float) -> Storage:
    """½ k (l - length)² with l = √(2 y); k y where the natural length is zero."""
    return _with_numbers(_line_law(length != 0), {"k": k} if length == 0 else {"k": k, "length": length})


def linear_in_angle(k: float, angle: float) -> Storage:
    """½ k (θ - angle)²."""
    return _with_numbers(_angle_law(angle != 0), {"k": k} if angle == 0 else {"k": k, "rest": angle})


@cache
def _line_law(relaxed: bool) -> Storage:
    if not relaxed:
        return storage(SQUARE, H=lambda x, k: k * x.y, k=1.0)
    return storage(SQUARE, H=lambda x, k, length: 0.5 * k * (np.sqrt(2 * x.y) - length) ** 2, k=1.0, length=1.0)


@cache
def _angle_law(relaxed: bool) -> Storage:
    if not relaxed:
        return storage(ANGLE, H=lambda x, k: 0.5 * k * x.angle**2, k=1.0)
    return storage(ANGLE, H=lambda x, k, rest: 0.5 * k * (x.angle - rest) ** 2, k=1.0, rest=1.0)


def _with_numbers(law: Storage, numbers: Mapping[str, float]) -> Storage:
    """A storage of the same law with other numbers: it is traced once."""
    parameters = {name: (law.H.parameters[name][0], number) for name, number in numbers.items()}
    return Storage(law.interface, replace(law.H, parameters=parameters))


def of_length(V: object, where: str) -> Storage:
    """V(l) with l = √(2 y), for a function of one argument."""
    function = _of_arguments(V, where, ("l",), "the length [m]", "lambda l: 5.0 * l**4")
    return _given(SQUARE, lambda x: function(np.sqrt(2 * x.y)), where, lambda y: _length(*y))


def of_angle(V: object, where: str) -> Storage:
    """V(θ), for a function of one argument."""
    function = _of_arguments(V, where, ("angle",), "the angle [rad]", "lambda a: 5.0 * a**4")
    return _given(ANGLE, lambda x: function(x.angle), where)


def of_coordinates(V: object, where: str, k: int) -> Storage:
    """V(q_1, ..., q_k) of coordinates of joints, for a function of k arguments."""
    names = tuple(f"q{i + 1}" for i in range(k))
    arguments = ", ".join(names)
    function = _of_arguments(V, where, names, f"the coordinates {arguments}", f"lambda {arguments}: 5.0 * q1**4")
    port = {"y": Quantity("R" if k == 1 else f"R{k}", "coordinate of a joint" if k == 1 else "coordinates of joints")}
    if k == 1:
        return _given(port, lambda x: function(x.y), where, lambda y: _coordinate_names(y, names))
    return _given(port, lambda x: function(*x.y), where, lambda y: _coordinate_names(y, names))


def of_pose(V: object, where: str) -> Storage:
    """V(R, p) over y = (R row by row, p), for a function of two arguments."""
    function = _of_arguments(V, where, ("R", "p"), "the rotation R and the position p", "lambda R, p: 5.0 * (p @ p)")
    return _given(PLACEMENT, lambda x: function(x.y[:9].reshape(3, 3), x.y[9:]), where, _pose_names)


def end_stops(low: float, high: float, k: float, width: float) -> Storage:
    """Of one coordinate: `library.stops.stop_energy`."""
    return _with_numbers(_stop_law(), {"low": low, "high": high, "k": k, "width": width})


@cache
def _stop_law() -> Storage:
    law, numbers = stop_energy, {"low": -1.0, "high": 1.0, "k": 1.0, "width": 1e-3}
    return storage(COORDINATE, H=lambda x, low, high, k, width: law(x.y, low, high, k, width), **numbers)


def trace_energy(G: Array, K: Array) -> Storage:
    """tr(G (I - R)) + ½ pᵀ K p over y = (R row by row, p): C16a."""

    return _with_numbers(*_law_of(_turn_and_stretch, len(POSE), _named("G", G) | _named("K", np.triu(K))))


def _turn_and_stretch(y: list[Any], numbers: dict[str, Any]) -> Any:
    turned = [
        numbers[f"G{i}{j}"] * ((1.0 if i == j else 0.0) - y[3 * j + i])
        for i in range(3)
        for j in range(3)
        if f"G{i}{j}" in numbers
    ]
    return sum([*turned, *_quadratic(y[9:], numbers, "K")], 0 * y[0])


def bushing_energy(K: Array) -> Storage:
    """½ ξᵀ K ξ over y = (R row by row, p), ξ = (ω; v) the logarithm of the pose (R, p): C16b."""

    return _with_numbers(*_law_of(_of_logarithm, len(POSE), _named("K", np.triu(K))))


def _of_logarithm(y: list[Any], numbers: dict[str, Any]) -> Any:
    w, v = logarithm([y[0:3], y[3:6], y[6:9]], y[9:])
    return sum(_quadratic([*w, *v], numbers, "K"), 0 * y[0])


def point_energy(k: Array, a: Array, b: Array) -> Storage:
    """½ Σ k |d + C b - P a|² of springs between points a of the frame P and b of the frame C; d between the origins."""
    square = float(0.5 * k @ ((a * a).sum(-1) + (b * b).sum(-1)))
    return affine_energy(float(k.sum()), _sum(k, a), _sum(k, b), _sum(k, a[:, :, None] * b[:, None, :]), square)


def _sum(k: Array, terms: Array) -> Array:
    """Σ k_n terms_n, zero where it is rounding of what cancels: a law then is the same for other stiffnesses."""
    total, size = np.tensordot(k, terms, 1), np.tensordot(np.abs(k), np.abs(terms), 1)
    return np.where(np.abs(total) > ROUNDING * size, total, 0.0)


def moment_energy(moments: Array) -> Storage:
    """½ tr((X - I) K' (X - I)ᵀ) of the pose X = (PᵀC, Pᵀd), for the moments K' (4, 4) of a stiffness."""
    first, second = moments[:3, 3], moments[:3, :3]
    return affine_energy(float(moments[3, 3]), first, first, second, float(np.trace(second)))


def chord_energy(form: Array) -> Storage:
    """½ Δ·B Δ of the entries Δ of (R - I, p), row by row (3, 4), for B (12, 12): 21 parameters of a stiffness."""
    B = np.where(np.abs(form) > ROUNDING * np.abs(form).max(), form, 0.0)
    return _with_numbers(*_law_of(_of_chord, len(POSE), _named("B", np.triu(B))))


def _of_chord(y: list[Any], numbers: dict[str, Any]) -> Any:
    place = [3 * i + j if j < 3 else 9 + i for i in range(3) for j in range(4)]
    gap = [y[at] - 1.0 if at in (0, 4, 8) else y[at] for at in place]
    return sum(_quadratic(gap, numbers, "B"), 0 * y[0])


def affine_energy(k: float, a: Array, b: Array, ab: Array, constant: float) -> Storage:
    """k ½ d·d + b·Cᵀd - a·Pᵀd - Σ ab_ij (PᵀC)_ij + constant: linear in y = (½ d·d, Pᵀd, Cᵀd, PᵀC row by row).

    The energy of any linear springs: k is the sum of their stiffnesses, a, b and ab are Σ k a, Σ k b and Σ k a bᵀ.
    """
    coefficients = np.concatenate([[k], -a, b, -ab.ravel()])
    numbers = {f"c{i}": float(c) for i, c in enumerate(coefficients) if c != 0}
    return _with_numbers(*_law_of(_affine, len(POINTS), numbers | {"c": constant}))


def _affine(y: list[Any], numbers: dict[str, Any]) -> Any:
    return sum((numbers[f"c{i}"] * y[i] for i in range(len(y)) if f"c{i}" in numbers), numbers["c"])


def _of_arguments(V: object, where: str, names: tuple[str, ...], what: str, example: str) -> Callable[..., Any]:
    """A function of as many arguments as there are names."""
    if not callable(V):
        raise ModelError(f"energy of {where} must be a function of {what}, e.g. {example}; got {V!r}.")
    try:
        arguments = inspect.signature(V).parameters.values()
    except (TypeError, ValueError):
        return V
    places = [a for a in arguments if a.kind not in (a.VAR_KEYWORD, a.KEYWORD_ONLY)]
    needed = [a.name for a in arguments if a.default is a.empty and a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    room = any(a.kind is a.VAR_POSITIONAL for a in places) or len(places) >= len(names)
    if len(needed) > len(names) or not room:
        count = "one argument" if len(names) == 1 else f"{len(names)} arguments"
        raise ModelError(f"energy of {where} must be a function of {count}, {what}; it has {len(needed)}.")
    return V


def _length(y: Any) -> dict[Any, Any]:
    import sympy

    return {y: sympy.Symbol("l", nonnegative=True) ** 2 / 2}


def _coordinate_names(y: list[Any], names: tuple[str, ...]) -> dict[Any, Any]:
    import sympy

    return {symbol: sympy.Symbol(name, real=True) for symbol, name in zip(y, names, strict=True)}


def _pose_names(y: list[Any]) -> dict[Any, Any]:
    import sympy

    names = [f"R[{i}, {j}]" for i in range(3) for j in range(3)] + [f"p[{i}]" for i in range(3)]
    return {symbol: sympy.Symbol(name, real=True) for symbol, name in zip(y, names, strict=True)}


def _given(
    ports: dict[str, Quantity],
    H: Callable[[Any], Any],
    where: str,
    seen: Callable[[list[Any]], dict[Any, Any]] = lambda y: {},
) -> Storage:
    """seen: what the user's function sees in the place of y, for errors."""
    box = interface(ports, "spring")
    energy = traced(H, box, {}, f"the energy of {where}")
    if energy.shape != ():
        raise ModelError(f"the energy of {where} must be one number, got shape {energy.shape}.")
    if not energy.values.item().free_symbols:
        raise ModelError(f"the energy of {where} is constant: such a spring has no force. Leave it out.")
    value = energy.values.item().xreplace(seen(next(iter(energy.states.values()))))
    require_regular(value, sorted(value.free_symbols, key=str), {}, f"the energy of {where}", ENERGY)
    return Storage(box, energy)


def _law_of(U: Energy, n: int, numbers: dict[str, float]) -> tuple[Storage, dict[str, float]]:
    """A storage of y ∈ Rⁿ whose energy is U(y, parameters by name), and the numbers."""
    return _law(U, n, tuple(numbers)), numbers


@lru_cache(256)
def _law(U: Energy, n: int, names: tuple[str, ...]) -> Storage:
    import sympy

    y = [sympy.Symbol(f"y_{i + 1}", real=True) for i in range(n)]
    symbols = {name: sympy.Symbol(name, real=True) for name in names}
    value = U([Traced(symbol) for symbol in y], {name: Traced(symbol) for name, symbol in symbols.items()})
    parameters = {name: (symbol, 1.0) for name, symbol in symbols.items()}
    energy = Expression(np.array(value.expr, dtype=object), {"y": y}, {}, parameters, sympy.Symbol("theta_0"))
    return Storage(interface({"y": Quantity(f"R{n}", "placement")}, "spring"), energy)


def _quadratic(x: list[Any], numbers: dict[str, Any], letter: str) -> Iterator[Any]:
    """Terms of ½ xᵀ K x, one per row, from the entries of the upper triangle that have a number."""
    for i in range(len(x)):
        row = [
            (0.5 if i == j else 1.0) * numbers[f"{letter}{i}{j}"] * x[j]
            for j in range(i, len(x))
            if f"{letter}{i}{j}" in numbers
        ]
        if row:
            yield x[i] * sum(row[1:], row[0])


def _entries(matrix: Array) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(matrix != 0)]


def _named(letter: str, matrix: Array) -> dict[str, float]:
    return {f"{letter}{i}{j}": float(matrix[i, j]) for i, j in _entries(matrix)}
