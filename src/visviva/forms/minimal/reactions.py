"""Reactions of joints and constraints, from the accelerations in minimal velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.point import Point
from visviva.model.inner import inner_rows
from visviva.numerics.nullspace import split
from visviva.results.reactions import reaction

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm


def reactions(form: MinimalForm, point: Point, u: Array, u_dot: Array) -> dict[str, Array]:
    """By name: of a joint the wrench (m; f) on its child in the joint frame there, of a constraint the forces -λ.

    What the bodies need beyond the forces that act on them, M_b V̇ - f = -Cᵀλ, gives the multipliers of all joints, in
    the tree or not; where constraints are redundant, those of least Euclidean norm in SI units. What boxes tie to
    joints is among the forces that act.
    """
    model = form.model
    inside = inner_rows(model)
    own_rows = model.layout.act(tuple(part.name for part in model.constraints if part not in inside))
    lam = np.zeros(len(model.kinds))
    V_dot = form.solve(point, u, u_dot).V_dot
    missing = point.flow(u, V_dot)[form.at_z] - form.masses * V_dot
    C = model.J(point.x)[np.ix_(own_rows, form.at_z)]
    lam[own_rows - model.layout.dim] = split(C).solve_transposed(missing)
    found = {joint.name: reaction(model, joint, point.x, lam) for joint in form.definition.joints if joint.joint.rows}
    own = {name for joint in form.definition.joints for name in joint.sum_names}
    for condition in form.definition.conditions:
        if condition.name not in own:
            found[condition.name] = -lam[model.layout.act((condition.name,)) - model.layout.dim]
    return found
