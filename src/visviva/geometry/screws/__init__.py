"""Screws: twists and wrenches as lines with a pitch, `vv.screws.chasles(T)`, `vv.screws.System(s, t)`.

    chasles poinsot                      axis, pitch and magnitude of twists and of wrenches
    turns_of forces_of                   translations as pairs of turns, couples as pairs of forces
    reciprocal perpendicular bracket     products s∘t, s◇t and s∧t
    polar polar_wrench                   translation along the axis of a twist, couple about that of a wrench
    as_wrench as_twist                   the identification of twists and wrenches by the Klein form
    bi_invariant kernel is_involutive    the forms that no displacement changes
    Screw GeometricScrew                 one screw as a value, with a magnitude and up to a factor
    System                               spans of screws: rank, reciprocal system, principal screws, type

Functions take batches (..., 6); screws are (ω; v), wrenches (m; f).
"""

from visviva.geometry.screws.classification import Type
from visviva.geometry.screws.decomposition import Decomposition, chasles, forces_of, poinsot, turns_of
from visviva.geometry.screws.forms import (
    HYPERBOLIC,
    KILLING,
    KLEIN,
    PERPENDICULAR,
    bi_invariant,
    is_involutive,
    kernel,
)
from visviva.geometry.screws.kinds import Kind, is_bound_line, is_free, is_line_vector, kind
from visviva.geometry.screws.principal import Principal
from visviva.geometry.screws.products import (
    as_twist,
    as_wrench,
    bracket,
    perpendicular,
    polar,
    polar_wrench,
    reciprocal,
)
from visviva.geometry.screws.screw import GeometricScrew, Screw
from visviva.geometry.screws.systems import System

__all__ = [
    "HYPERBOLIC",
    "KILLING",
    "KLEIN",
    "PERPENDICULAR",
    "Decomposition",
    "GeometricScrew",
    "Kind",
    "Principal",
    "Screw",
    "System",
    "Type",
    "as_twist",
    "as_wrench",
    "bi_invariant",
    "bracket",
    "chasles",
    "forces_of",
    "is_bound_line",
    "is_free",
    "is_involutive",
    "is_line_vector",
    "kernel",
    "kind",
    "perpendicular",
    "poinsot",
    "polar",
    "polar_wrench",
    "reciprocal",
    "turns_of",
]
