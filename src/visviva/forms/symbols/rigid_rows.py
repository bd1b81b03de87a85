"""Constraints of a rigid system, as symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.rigid.constraints import AbstractConstraint, Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.rigid.joint_rows import Functions, joint_rows, products, upright_factor
from visviva.forms.rigid.loops import Closure, Loop
from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.moving import named
from visviva.forms.symbols.parameters import Parameters, exact
from visviva.forms.symbols.rigid_motion import RigidMotion
from visviva.forms.symbols.rows import ConstraintRows
from visviva.forms.symbols.steps import zeros
from visviva.geometry.se3 import SE3
from visviva.language.slopes import slope
from visviva.library.joints import AbstractJoint, Fixed
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
            return _closing(at, part.name, part.joint, a, b, part.X_aJ, part.X_bJ)
        case Closure():
            return _closing(at, part.name, Fixed(), at.frames[part.name], at.frames[part.edge.b])
    raise ModelError(f"{what} has no symbols: it is given by functions of numbers ({type(part).__name__}).")


def _geometric(at: RigidMotion, name: str, psi: Any) -> ConstraintRows:
    Z = np.array([[at.slope(entry, i) for i in range(len(at.xi))] for entry in psi], dtype=object)
    r = -np.array([slope(entry, at.t) for entry in psi], dtype=object)
    return ConstraintRows(name, "holonomic", psi, Z, r, -at.along(Z) @ at.xi + at.along(r))


def _closing(
    at: RigidMotion, name: str, joint: AbstractJoint, a: Frame, b: Frame, X_a: SE3 | None = None, X_b: SE3 | None = None
) -> ConstraintRows:
    """Rows of a joint between two frames: see `forms.rigid.joint_rows`."""
    import sympy

    f = Functions(sympy.sin, sympy.cos, sympy.atan2, exact)
    vectors = at.vectors(a, b, X_a, X_b)
    y = joint_rows(joint, vectors, upright_factor(products(joint.upright, vectors, f), f), f)
    y = named(y, at.steps, Label("y"))
    return ConstraintRows(name, "holonomic", y.value, y.row, zeros(len(y.value)), -y.bias)
