"""Constraints of a rigid system, as symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.rigid.constraints import AbstractConstraint, Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.rigid.loops import LOCKED, Closure, Loop
from visviva.forms.symbols.moving import Moving, function_of, stacked
from visviva.forms.symbols.parameters import Parameters
from visviva.forms.symbols.rigid_motion import RigidMotion
from visviva.forms.symbols.rows import ConstraintRows
from visviva.forms.symbols.steps import zeros
from visviva.language.slopes import slope
from visviva.views.equations_names import Label


def rigid_rows(at: RigidMotion, part: AbstractConstraint, parameters: Parameters) -> ConstraintRows:
    """Rows of one constraint, with z - L1 (Z ξ - r) - L0 g for z where it is stabilised; Konz (A.13)."""
    found = _rows(at, part)
    L1, L0 = (
        parameters.number(float(rate), Label("L", (part.name, order)), unit)
        for rate, order, unit in zip(part.baumgarte, "10", ("1/s", "1/s²"), strict=True)
    )
    g = zeros(len(found.z)) if found.g is None else found.g
    z = found.z - L1 * (found.Z @ at.xi - found.r) - L0 * g
    return ConstraintRows(found.name, found.kind, found.g, found.Z, found.r, z)


def _rows(at: RigidMotion, part: AbstractConstraint) -> ConstraintRows:
    what, p, q = f"constraint '{part.name}'", at.p, list(at.q)
    match part:
        case Geometric() if part.slope is None:
            map_ = map_of(part.psi, Arguments((("q", p.coordinates),), time=True), what, (None,))
            return _geometric(at, part.name, map_.expressions([*q, at.t]))
        case Pfaffian():
            map_ = map_of(part.rows, p.arguments, what, (None, p.n if part.of == "xi" else p.size_q))
            Z = map_.expressions(q)
            Z = Z if part.of == "xi" else Z @ at.A
            return ConstraintRows(part.name, "nonholonomic", None, Z, zeros(len(Z)), -at.along(Z) @ at.xi)
        case Kinematic():
            map_ = map_of(part.eta, p.motion, what, (None,))
            eta = map_.expressions([*q, *at.xi, at.t])
            Z = np.array([[slope(entry, x) for x in at.xi] for entry in eta], dtype=object)
            return ConstraintRows(part.name, "nonholonomic", None, Z, Z @ at.xi - eta, -at.along(eta))
        case Acceleration():
            x = [*q, *at.xi, at.t]
            Z, z = (map_of(given, p.motion, what, None).expressions(x) for given in (part.Z, part.z))
            Z, z = Z.reshape(-1, p.n), z.reshape(-1)
            return ConstraintRows(part.name, "acceleration", None, Z, Z @ at.xi, z)
        case Loop():
            a, b = at.frames[part.a], at.frames[part.b]
            return _closing(at, part.name, at.pose(a, b, part.X_aJ, part.X_bJ), part.kind)
        case Closure():
            return _closing(at, part.name, at.pose(at.frames[part.name], at.frames[part.edge.b]), "fixed")
    raise ModelError(f"{what} has no symbols: it is given by functions of numbers ({type(part).__name__}).")


def _geometric(at: RigidMotion, name: str, psi: Any) -> ConstraintRows:
    Z = np.array([[at.slope(entry, i) for i in range(len(at.xi))] for entry in psi], dtype=object)
    r = -np.array([slope(entry, at.t) for entry in psi], dtype=object)
    return ConstraintRows(name, "holonomic", psi, Z, r, -at.along(Z) @ at.xi + at.along(r))


def _closing(at: RigidMotion, name: str, X: Moving, kind: str) -> ConstraintRows:
    """2 tan(θ/2) n and shifts: see `forms.rigid.loops`."""
    import sympy

    x = sympy.symbols("X0:12", real=True)
    M = [x[4 * i : 4 * i + 4] for i in range(3)]
    turns, shifts = LOCKED[kind]
    rows: list[Any] = []
    if turns == "all":
        below = 1 + M[0][0] + M[1][1] + M[2][2]
        rows += [2 * (M[i][j] - M[j][i]) / below for i, j in ((2, 1), (0, 2), (1, 0))]
    elif turns == "tilt":
        rows += [2 * M[i][2] / (1 + M[2][2]) for i in range(2)]
    rows += [M[i][3] for i in shifts]
    y = stacked([function_of(row, x, X) for row in rows]).named(at.steps, Label("y"))
    return ConstraintRows(name, "holonomic", y.value, y.row, zeros(len(rows)), -y.bias)
