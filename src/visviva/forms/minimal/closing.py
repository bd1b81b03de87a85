"""Constraints of a state: whether it satisfies them, and the nearest one that does, in the metric of kinetic energy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.forms.minimal.constrained import constrained
from visviva.forms.minimal.point import Point
from visviva.model.driven import row_inputs
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point, relative

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm

ITERATIONS = 20
ON_ROWS = 1e-8  # what a state may leave of its constraints, in units of their terms
CLOSED = 1e-14  # g in units of its terms
NEARLY = 1e-9  # of the same: from here on no progress is rounding
SMALL = 1e-6  # [m or rad] what is relative is relative to no less: a drive at its origin has terms of rounding only
AT_REST = ON_ROWS * SMALL  # [m/s or rad/s] slower is no motion


def closed(form: MinimalForm, point: Point) -> Point:
    """The configuration that Gauss and Newton's steps of least kinetic energy reach; s and ξ are as they were.

    Each step must come nearer, else an error names what stays open: a projection repairs what a step of a run leaves,
    and does not search.
    """

    def gap(point: Point) -> Gap:
        return Gap(form.open.g(point.x), _sizes(form, point), partial(_correction, form, point))

    def moved(point: Point, delta: Array) -> Point:
        return Point(form, form.advance_q(point.q, delta), point.xi, point.s)

    point, is_closed = nearest_point(point, gap, moved, Convergence(CLOSED, NEARLY, grown=1.0), ITERATIONS)
    if is_closed:
        return point
    g, worst = form.open.g(point.x), gap(point).worst
    raise AssemblyError(
        f"{form.open.kinds[worst][0]!r} of mechanism {form.name!r} cannot be closed from this state: "
        f"g = {g[worst]:.3g} is left.\nStart from one that is nearer, e.g. form.initial."
    )


def _correction(form: MinimalForm, point: Point, z: Array) -> Array:
    """The increment that a step takes. Rows without a g are about velocities: configurations may move against them."""
    held, zero = form.open.has_g, np.zeros(form.n)
    if held.all():
        return form.constrained(point, zero, z).a
    who, terms = f"mechanism {form.name!r}", point.row_terms[held]
    names, rank, lengths = form.xi_names, form.position_rank, form.lengths
    return constrained(point.M, point.Z[held], zero, z[held], names, who, rank, terms, sizes=lengths).a


def tangent(form: MinimalForm, point: Point, u: Array) -> Array:
    """ξ nearest to that of a state among those that satisfy Z ξ = ṡ."""
    return form.constrained(point, point.M @ point.xi, -row_inputs(form.open, point.x, u)).a


def check_state(form: MinimalForm, point: Point, u: Array) -> None:
    """An error that names the constraint if a state violates one, in positions or in velocities."""
    model = form.open
    if not model.constraints:
        return
    gap, what = relative(model.g(point.x), _sizes(form, point)), "it is"
    if gap.max(initial=0.0) <= ON_ROWS:
        driven = float(np.abs(row_inputs(model, point.x, u)).max(initial=0.0))
        size = float(np.abs(point.C).max(initial=0.0) * np.abs(point.V).max(initial=0.0)) + driven
        gap, what = np.abs(model.g_v(point.x, u)) / max(size, SMALL), "its rate is"
    if gap.max(initial=0.0) > ON_ROWS:
        worst = int(gap.argmax())
        raise AssemblyError(
            f"the state of mechanism {form.name!r} violates {model.kinds[worst][0]!r}: {what} {gap[worst]:.3g}\n"
            "of its terms. Start from one that satisfies it: form.initial or form.projected(t, q, xi, s),\n"
            "of vv.dynamics d.coordinates({...}) or d.close(q)."
        )


def _sizes(form: MinimalForm, point: Point) -> Array:
    """Of the terms that cancel in g."""
    return np.maximum(form.open.g_scale(point.x), SMALL)
