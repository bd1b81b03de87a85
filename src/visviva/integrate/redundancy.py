"""Redundant constraints: which rows a step solves. The others follow from them, and are checked at every step."""

from __future__ import annotations

import itertools

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.linear import apply
from visviva.integrate.names import row_name
from visviva.integrate.newton import NotConverged
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.singular import regularity
from visviva.model import Model
from visviva.model.linked import configuration, linkage_in
from visviva.numerics.rank import independent_blocks

ROW_TOLERANCE = 1e-9  # of the size of its terms: a row that was not solved must hold as well


def select_rows(model: Model, x: Array) -> Mask:
    """The algebraic rows that a step at x solves: all junctions, and an independent set of constraint rows.

    Constraints of one body (its directors) are always among them, so that only joints are found redundant.
    """
    if not model.constraints:
        return np.ones(len(model.kinds), dtype=bool)
    linkage = linkage_in(model)
    if linkage is not None:
        return solved_rows(model, linkage, regularity(linkage, configuration(model, linkage, x)).kept)
    C = model.C(x)
    ends = np.cumsum([0, *(part.rows for part in model.constraints)])
    slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
    order = sorted(range(len(slices)), key=lambda k: not model.constraints[k].internal)
    mask = np.zeros(len(C), dtype=bool)
    at = 0
    chosen = independent_blocks([C[slices[k]] for k in order])
    for k in order:
        rows = model.constraints[k].rows
        mask[slices[k]] = chosen[at : at + rows]
        at += rows
    return np.concatenate([np.ones(sum(junction.dim for junction in model.junctions), dtype=bool), mask])


def solved_rows(model: Model, linkage: Linkage, kept: Mask) -> Mask:
    """The rows that a step solves, if it keeps these rows of a mechanism's linkage: those of directors as well."""
    rows = {joint.name: kept[part] for joint, part in zip(linkage.joints, linkage.kinematics.rows, strict=True)}
    others, first = linkage.conditions, linkage.kinematics.m
    rows |= {one.name: kept[first:][at] for one, at in zip(others.conditions, others.rows, strict=True)}
    parts = [rows[part.name] if part.name in rows else np.ones(part.rows, bool) for part in model.constraints]
    return np.concatenate([np.ones(sum(junction.dim for junction in model.junctions), dtype=bool), *parts])


def left_out_gaps(model: Model, active: Mask, x: Array, z: Array, u: Array, slowest: float = 0.0) -> Array:
    """What rows without a g that were left out miss of their size, per algebraic row; else zero.

    The size is that of their terms; for constraints that of a row times the fastest motion of what it is about, since
    a motion that it does not hinder makes no terms, and rounding all the same.
    x, z, u: of all stages, first axis; the worst counts.   slowest: speeds below it do not count.
    """
    rates = ~model.has_g & ~active
    gaps = np.zeros(len(active))
    if rates.any():
        rows = model.layout.dim + np.flatnonzero(rates)
        J = np.abs(model.J(x)[..., rows, :])
        size = apply(J, np.abs(z))
        owners = {row: part for part in model.constraints for row in model.layout.act((part.name,)).tolist()}
        for k, row in enumerate(rows.tolist()):
            if row in owners:
                fastest = np.abs(z[..., model.acts(owners[row])]).max(-1, initial=0.0)
                size[..., k] = np.maximum(size[..., k], J[..., k, :].max(-1) * np.maximum(fastest, slowest))
        gaps[rates] = (np.abs(model.flow(x, z, u)[..., rows]) / np.maximum(size, 1e-300)).max(0)
    return gaps


def check_left_out(model: Model, active: Mask, x: Array, z: Array, u: Array) -> None:
    """Refuse a step in which such a row fails at a stage."""
    refuse(model, left_out_gaps(model, active, x, z, u))


def refuse(model: Model, gaps: Array) -> None:
    """An error that names the worst row, if it misses too much."""
    if gaps.max(initial=0.0) > ROW_TOLERANCE:
        violated = NotConverged("a redundant constraint is violated", -1, float(gaps.max()))
        violated.where = row_name(model, int(gaps.argmax()))
        raise violated
