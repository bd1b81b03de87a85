"""The frames of a spanning tree as symbols: coordinates, kinematics and edges of its links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.forms.symbols.frames import Edge
from visviva.forms.symbols.parameters import Parameters, directions, exacts
from visviva.forms.symbols.steps import Steps, zeros
from visviva.forms.symbols.variables import Variables
from visviva.geometry.quaternion import product
from visviva.mechanism.spanning.links import subspace
from visviva.mechanism.spanning.spanning import Place, Spanning
from visviva.mechanism.spanning.tree import Link
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class TreeSymbols:
    """edges: one for each link.   A: kinematics q̇ = A ξ, (size_q, n).   mass, com, inertia: of what links carry."""

    edges: list[Edge]
    A: Any
    mass: list[Any]
    com: list[Any]  # (3,) in the axes of the link
    inertia: list[Any]  # (3, 3) the same


def tree_symbols(spanning: Spanning, variables: Variables, parameters: Parameters, steps: Steps) -> TreeSymbols:
    """All links; lengths, masses and inertias are parameters, directions are numbers."""
    links, places, n = spanning.tree.links, spanning.places, spanning.n
    scale = max((float(np.abs(link.X_PJ[:3, 3]).max()) for link in links), default=0.0)
    edges: list[Edge] = []
    angles: list[tuple[Any, Any]] = []  # orientation of each link as a matrix and an angle about z after it
    A = zeros(spanning.size_q, n)
    mass, com, inertia = list[Any](), list[Any](), list[Any]()
    for link, place in zip(links, places, strict=True):
        own = _name(link, place, len(edges))
        q, xi = variables.q[place.q], np.arange(n)[place.xi]
        R_X = directions(link.X_PJ[:3, :3])
        l = parameters.vector(link.X_PJ[:3, 3], Label("l", (_joint(link, place),)), "m", scale)
        R_L, r_L, A[place.q, place.xi] = motion(link, q, own, parameters, steps)
        R_W = turned_orientation(link, R_X, q, angles, steps, own)
        S = zeros(6, n)
        S[:, xi] = exacts(subspace(link)) if not link.pitch else _screw(r_L, q)
        R = steps.names(R_X @ R_L, Label("R", (f"{own}'",)))
        turns = link.kind in ("ball", "free")
        edges.append(Edge(own, link.parent, R, l + R_X @ r_L, S, R_W=R_W, turns=turns))
        carrier = place.carrier.name
        mass.append(parameters.number(link.mass, Label("m", (carrier,)), "kg"))
        com.append(parameters.vector(link.com, Label("l_c", (carrier,)), "m", scale))
        inertia.append(parameters.inertia(link.inertia, Label("J", (carrier,))))
    return TreeSymbols(edges, A, mass, com, inertia)


def motion(link: Link, q: Any, own: str, parameters: Parameters, steps: Steps) -> tuple[Any, Any, Any]:
    """Orientation and origin of a link in its joint's frame, and A of its coordinates; quaternions have length 1."""
    import sympy

    one, none = sympy.Integer(1), zeros(3)
    match link.kind:
        case "hinge":
            pitch = parameters.number(link.pitch, Label("h", (own,)), "m/rad")
            return about_z(q[0], own, steps), np.array([0, 0, pitch * q[0]], dtype=object), [[one]]
        case "slider":
            return _eye(), np.array([0, 0, q[0]], dtype=object), [[one]]
        case "ball":
            return turned(q, own, steps), none, _spin(q)
        case "free":
            R, A = turned(q[3:], own, steps), zeros(7, 6)
            A[:3, 3:], A[3:, :3] = R, _spin(q[3:])
            return R, q[:3], A
    return _eye(), none, zeros(0, 0)


def turned_orientation(link: Link, R_X: Any, q: Any, angles: list[tuple[Any, Any]], steps: Steps, own: str) -> Any:
    """Orientation in the world: angles about parallel axes are added, so that no products of their cosines appear."""
    B, angle = angles[link.parent] if link.parent >= 0 else (_eye(), 0)
    up = R_X[2, 2]
    if abs(up) == 1:
        B, angle = B @ R_X, up * angle
    else:
        B, angle = _named(B @ about_z(angle, own, steps) @ R_X, own, steps), 0
    if link.kind == "hinge":
        angle = angle + q[0]
    elif link.kind in ("ball", "free"):
        R = about_z(angle, own, steps) @ turned(q[-4:], own, steps)
        B, angle = _named(B @ R, own, steps), 0
    angles.append((B, angle))
    return B @ about_z(angle, own, steps)


def about_z(angle: Any, own: str, steps: Steps) -> Any:
    """The rotation by an angle about z, its cosine and sine named."""
    import sympy

    angle = sympy.sympify(angle)
    sign, size = (-1, -angle) if angle.could_extract_minus_sign() else (1, angle)
    c, s = steps.name(sympy.cos(size), Label("c", (own,))), sign * steps.name(sympy.sin(size), Label("s", (own,)))
    zero, one = sympy.Integer(0), sympy.Integer(1)
    return np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], dtype=object)


def turned(quaternion: Any, own: str, steps: Steps) -> Any:
    """R of a quaternion, its entries named."""
    return steps.names(rotation(quaternion), Label("R", (own,)), keep=True)


def rotation(quaternion: Any) -> Any:
    """R of a quaternion (w, x, y, z) of length one."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
        ],
        dtype=object,
    )


def _spin(quaternion: Any) -> Any:
    """½ q ∘ (0, ω) as a matrix over ω, (4, 3)."""
    import sympy

    units = np.array([[sympy.Integer(i == j) for j in range(4)] for i in range(4)], dtype=object)[1:]
    return np.array([product(quaternion, unit) / 2 for unit in units], dtype=object).T


def _screw(r: Any, q: Any) -> Any:
    """(0, 0, 1; 0, 0, pitch) of a link that advances as it turns."""
    column = zeros(6, 1)
    column[2, 0] += 1
    column[5, 0] = r[2].diff(q[0])
    return column


def _named(R: Any, own: str, steps: Steps) -> Any:
    return steps.names(R, Label("R", (own,)))


def _eye() -> Any:
    return exacts(np.eye(3))


def _name(link: Link, place: Place, k: int) -> str:
    if place.last:
        return place.carrier.name
    return f"{_joint(link, place)} {k + 1}"


def _joint(link: Link, place: Place) -> str:
    return place.carrier.name if place.joint is None else place.joint.name
