"""Reactions of joints and constraints, from the accelerations in minimal velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva._arrays import Array
from visviva.forms.minimal.point import Point
from visviva.numerics.nullspace import split
from visviva.results.reactions import reaction

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm


def reactions(form: MinimalForm, point: Point, u: Array, u_dot: Array) -> dict[str, Array]:
    """By name: of a joint the wrench (m; f) on its child in the joint frame there, of a constraint the forces -λ.

    What the bodies need beyond the forces that act on them, M_b V̇ - f = -Cᵀλ, gives the multipliers of all joints, in
    the tree or not; where constraints are redundant, those of least Euclidean norm in SI units.
    """
    model = form.model
    V_dot = form.solve(point, u, u_dot).V_dot
    missing = point.flow(u, V_dot)[form.at_z] - form.masses * V_dot
    lam = split(model.C(point.x)[:, form.at_z]).solve_transposed(missing)
    found = {joint.name: reaction(model, joint, point.x, lam) for joint in form.definition.joints if joint.joint.rows}
    own = {name for joint in form.definition.joints for name in joint.sum_names}
    for condition in form.definition.conditions:
        if condition.name not in own:
            found[condition.name] = -lam[model.layout.act((condition.name,)) - model.layout.dim]
    return found
