"""The inertia of a solid bounded by a closed triangle mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.geometry.inertia.amount import mass_of
from visviva.geometry.inertia.inertia import Inertia

FLAT = 1e-12  # volume relative to the cube of the largest extent


def mesh(vertices: ArrayLike, faces: ArrayLike, *, mass: float | None = None, density: float | None = None) -> Inertia:
    """Homogeneous solid within triangles, by mass or density [kg/m³]; exact for a polyhedron.

    vertices: (n, 3) [m]; faces: (k, 3) vertex numbers, counter-clockwise seen from outside. Vertices
    at the same place are taken as one. Inner shells that look into the cavity are cavities.

    Needs trimesh (`pip install 'visviva[mesh]'`).
    """
    trimesh = _trimesh()
    x = finite_array(vertices, "vertices of the mesh", (None, 3))
    if x.ndim != 2 or len(x) < 4:
        raise ModelError(f"vertices of the mesh must be four or more points (n, 3), got shape {x.shape}.")
    # trimesh has absolute tolerances: give it a centred mesh of size one
    centre = (x.max(axis=0) + x.min(axis=0)) / 2
    size = float(np.ptp(x, axis=0).max())
    unit = trimesh.Trimesh((x - centre) / (size or 1.0), _vertex_numbers(faces, len(x)), process=True)
    unit.update_faces((unit.faces != np.roll(unit.faces, 1, axis=1)).all(axis=1))  # shrunk to an edge
    _check_closed(np.asarray(unit.faces))
    volume = float(np.linalg.det(unit.triangles).sum()) / 6
    _check_volume(volume, size)
    m = mass_of(mass, density, volume * size**3, "mesh")
    return Inertia(m, unit.moment_inertia * (m / volume * size**2), centre + unit.center_mass * size)


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as cause:
        raise ModelError("inertia.mesh needs trimesh: pip install 'visviva[mesh]'") from cause
    return trimesh


def _vertex_numbers(faces: ArrayLike, n: int) -> NDArray[np.int64]:
    numbers = finite_array(faces, "faces of the mesh", (None, 3))
    whole = numbers.astype(np.int64)
    if (whole != numbers).any() or (whole < 0).any() or (whole >= n).any():
        raise ModelError(f"faces of the mesh must be vertex numbers 0 to {n - 1}, three for each triangle.")
    return whole


def _check_closed(faces: NDArray[np.int64]) -> None:
    """Every edge belongs to two triangles, which run through it in opposite directions."""
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    _, uses = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    if (uses != 2).any():
        raise ModelError(
            f"mesh is not watertight: of {len(uses)} edges {np.sum(uses == 1)} are open, "
            f"{np.sum(uses > 2)} belong to more than two triangles.\n"
            "A solid is bounded by a closed surface. Close the holes in the tool that made the mesh, or try\n"
            "trimesh.repair.fill_holes(mesh)."
        )
    doubled = len(edges) - len(np.unique(edges, axis=0))
    if doubled:
        raise ModelError(
            f"mesh is not consistently oriented: on {doubled} edges two triangles turn against each other.\n"
            "All must run counter-clockwise seen from outside: trimesh.repair.fix_normals(mesh) turns them."
        )


def _check_volume(volume: float, size: float) -> None:
    if abs(volume) < FLAT:
        raise ModelError("mesh has no volume: it is flat. For thin bodies use inertia.plate or inertia.disc.")
    if volume < 0:
        raise ModelError(
            f"mesh has negative volume, {volume * size**3:.6g} m³: its triangles look inward.\n"
            "Reverse them: faces[:, ::-1]."
        )
