"""Projective geometry of space: points, free vectors, lines and planes, also at infinity, on batches of any shape.

point infinite_point cartesian difference same_point     points (..., 4)
free_vector scalar_product vector_product orientation    differences of points, (..., 4)
line join meet distance angle common_perpendicular       lines (..., 6), (u; r × u)
plane join_point join_lines meet_plane meet_planes       planes (..., 4), (n; d)
Collineation                                             displacements and reflections, on all of them
Frame EuclideanSystem                                    coordinates of a space, and spaces that move
"""

from visviva.geometry.projective.collineations import Collineation, keeps_adjoint, keeps_polarity
from visviva.geometry.projective.euclidean import EuclideanSystem
from visviva.geometry.projective.frames import Frame
from visviva.geometry.projective.free_vectors import (
    free_vector,
    norm,
    orientation,
    polar_plane,
    scalar_product,
    vector_product,
)
from visviva.geometry.projective.line_pairs import (
    angle,
    are_coplanar,
    common_perpendicular,
    distance,
    feet,
    join_lines,
    meet,
)
from visviva.geometry.projective.lines import (
    foot,
    is_at_infinity,
    is_line,
    join,
    klein,
    line,
    line_at_infinity,
    passes_through,
    point_on,
    same_line,
)
from visviva.geometry.projective.planes import join_point, meet_plane, meet_planes, plane
from visviva.geometry.projective.points import (
    adjoint_polarity,
    cartesian,
    difference,
    infinite_point,
    is_infinite,
    normalised,
    p_norm,
    point,
    polarity,
    same_point,
    sigma,
)

__all__ = [
    "Collineation",
    "EuclideanSystem",
    "Frame",
    "adjoint_polarity",
    "angle",
    "are_coplanar",
    "cartesian",
    "common_perpendicular",
    "difference",
    "distance",
    "feet",
    "foot",
    "free_vector",
    "infinite_point",
    "is_at_infinity",
    "is_infinite",
    "is_line",
    "join",
    "join_lines",
    "join_point",
    "keeps_adjoint",
    "keeps_polarity",
    "klein",
    "line",
    "line_at_infinity",
    "meet",
    "meet_plane",
    "meet_planes",
    "norm",
    "normalised",
    "orientation",
    "p_norm",
    "passes_through",
    "plane",
    "point",
    "point_on",
    "polar_plane",
    "polarity",
    "same_line",
    "same_point",
    "scalar_product",
    "sigma",
    "vector_product",
]
