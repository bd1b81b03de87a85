"""Efforts: left-trivialised differentials of energies, zero at environments, unknowns at junctions without state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva.geometry.embedding import AbstractSpace, ProductSpace, Rotations
from visviva.language import Composite, Quantity
from visviva.language.slopes import slope
from visviva.views.equations_names import Names, candidates, relettered
from visviva.views.equations_pattern import holders, walk
from visviva.views.equations_terms import Vector, named_vector

POTENTIAL = {"displacement", "angle", "pose", "relative_pose"}  # quantities whose efforts are forces
Abbreviations = tuple[tuple[Vector, tuple[Any, ...]], ...]


def name_efforts(
    flat: Composite,
    energies: Mapping[str, Any],
    states: Mapping[str, tuple[Any, ...]],
    outer: Mapping[str, Vector],
    names: Names,
    theta0: Any,
) -> tuple[dict[str, Vector], Abbreviations]:
    """Efforts by junction, and what those of them stand for that are abbreviations.

    energies: of storages, by junction, in the symbols `states`.   outer: symbols of the efforts of outer ports.
    """
    import sympy

    quantity = {at: flat.junctions[at].quantity for at in walk(flat) if _has_power(flat, at)}
    holder = holders(flat)
    options = candidates(quantity, lambda at, name: _effort_name(quantity[at], name))
    efforts, abbreviations = {}, []
    for at, one in quantity.items():
        if at not in holder:
            efforts[at] = outer[at] if at in outer else named_vector(names, options[at], one.dim)
        elif at not in energies:
            efforts[at] = Vector((sympy.Integer(0),) * one.dim)
        else:
            entries = differential(energies[at], one.space.embedding, states[at])
            if not _deserves_a_name(one, entries):
                efforts[at] = Vector(entries)
                continue
            short = named_vector(names, options[at], one.dim)
            abbreviations.append((short, entries))
            efforts[at] = Vector((short.entries[0] - theta0,)) if one.is_entropy else short
    return efforts, tuple(abbreviations)


def _has_power(flat: Composite, at: str) -> bool:
    return any(flat.boxes[box].interface[port].power for box, port in flat.junctions[at].ends)


def _deserves_a_name(quantity: Quantity, entries: tuple[Any, ...]) -> bool:
    """Velocities, temperatures and vectors do; a force such as k q is shown as it is, and so is zero."""
    if all(entry == 0 for entry in entries):
        return False
    return quantity.dim > 1 or quantity.name == "momentum" or quantity.is_entropy


def _effort_name(quantity: Quantity, name: str) -> str:
    """v = p/m and u for twists, θ for temperatures, f_q for forces, e_x for all else."""
    if quantity.name == "momentum":
        return relettered(name, "p", "u" if quantity.space.group else "v")
    if quantity.is_entropy:
        return relettered(name, "s", "theta")
    return f"{'f' if quantity.name in POTENTIAL else 'e'}_{name}"


def differential(H: Any, space: AbstractSpace, x: tuple[Any, ...]) -> tuple[Any, ...]:
    """T_e*L_x dH in the embedding coordinates x: the derivative of H along x_dot = T_e L_x ξ, by components of ξ.

    Source: Lohmayer, Capobianco and Leyendecker, section 3.8.
    """
    match space:
        case ProductSpace(factors):
            entries: list[Any] = []
            start = 0
            for factor in factors:
                entries += differential(H, factor, x[start : start + factor.size])
                start += factor.size
            return tuple(entries)
        case Rotations():
            return _rotations(H, space, x)
    return tuple(slope(H, symbol) for symbol in x)


def _rotations(H: Any, space: Rotations, x: tuple[Any, ...]) -> tuple[Any, ...]:
    """R moves with R ω̂; r with R v in SE(n), with v in the direct product."""
    import sympy

    n = space.n
    head = n if space.moves else 0
    R = sympy.Matrix(n, n, x[head:]).T  # stored by columns
    H_R = R.applyfunc(lambda symbol: slope(H, symbol))
    turns = [(H_R.T * R * generator).trace() for generator in _generators(n)]
    if not space.moves:
        return tuple(turns)
    H_r = sympy.Matrix([slope(H, symbol) for symbol in x[:head]])
    return (*turns, *(R.T * H_r if space.moves == "body" else H_r))


def _generators(n: int) -> list[Any]:
    import sympy

    if n == 2:
        return [sympy.Matrix([[0, -1], [1, 0]])]
    return [sympy.Matrix(3, 3, lambda i, j, k=k: -sympy.LeviCivita(i, j, k)) for k in range(3)]
