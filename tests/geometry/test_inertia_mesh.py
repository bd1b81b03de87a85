"""Meshes: exact for polyhedra, convergent for curved solids, refused when they bound nothing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from visviva import ModelError, inertia

BOX = trimesh.creation.box((1.0, 2.0, 3.0))
CORNERS, FACES = np.array(BOX.vertices), np.array(BOX.faces)


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.sampled_from([1.0, 1e-3, 1e-5, 1e-8]))
def test_a_box_mesh_is_the_box(xi, size):
    R, r = Rotation.from_rotvec(xi[:3]).as_matrix(), size * np.array(xi[3:])
    body = inertia.mesh(size * CORNERS @ R.T + r, FACES, density=7850.0)
    box = inertia.box(size=size * np.array([1.0, 2.0, 3.0]), density=7850.0).moved(R, r)
    assert body.mass == pytest.approx(box.mass, rel=1e-13)
    assert_allclose(body.com, box.com, rtol=0, atol=1e-13 * size)
    assert_allclose(body.J, box.J, rtol=0, atol=1e-13 * np.trace(box.J))


def test_a_mesh_far_away_keeps_its_digits():
    assert_allclose(inertia.mesh(CORNERS + 2.0**20, FACES, mass=12.0).J, np.diag([13.0, 10.0, 5.0]), atol=1e-13)


def test_triangles_that_share_no_vertices_are_joined():
    soup = CORNERS[FACES].reshape(-1, 3)
    body = inertia.mesh(soup, np.arange(len(soup)).reshape(-1, 3), mass=12.0)
    assert_allclose(body.J, np.diag([13.0, 10.0, 5.0]), atol=1e-14)


def test_triangles_shrunk_to_an_edge_do_not_count():
    a, b, _ = FACES[0]
    body = inertia.mesh(CORNERS, [*FACES, (a, b, b)], mass=12.0)
    assert_allclose(body.J, np.diag([13.0, 10.0, 5.0]), atol=1e-14)


def test_an_inner_shell_is_a_cavity():
    hollow = inertia.mesh(
        np.concatenate([CORNERS, CORNERS / 2]),
        np.concatenate([FACES, FACES[:, ::-1] + len(CORNERS)]),
        density=1.0,
    )
    expected = inertia.box(size=(1, 2, 3), density=1.0) - inertia.box(size=(0.5, 1, 1.5), density=1.0)
    assert hollow.mass == pytest.approx(expected.mass)
    assert_allclose(hollow.J, expected.J, atol=1e-14)


def icosphere(n: int) -> trimesh.Trimesh:
    return trimesh.creation.icosphere(subdivisions=n)


def lathe(solid: str, n: int) -> trimesh.Trimesh:
    if solid == "cylinder":
        return trimesh.creation.cylinder(radius=1.0, height=2.0, sections=n)
    if solid == "cone":
        return trimesh.creation.cone(radius=1.0, height=2.0, sections=n)
    if solid == "tube":
        return trimesh.creation.annulus(r_min=0.5, r_max=1.0, height=2.0, sections=n)
    return trimesh.creation.capsule(radius=1.0, height=2.0, count=(n, n))


CURVED = {
    "sphere": (inertia.sphere(radius=1.0, density=1.0), icosphere, (3, 4)),
    "ellipsoid": (
        inertia.ellipsoid(semi_axes=(1, 2, 3), density=1.0),
        lambda n: icosphere(n).apply_scale((1, 2, 3)),
        (3, 4),
    ),
    "cylinder": (inertia.cylinder(radius=1, length=2, density=1.0), lambda n: lathe("cylinder", n), (32, 64)),
    "cone": (inertia.cone(radius=1, height=2, density=1.0), lambda n: lathe("cone", n), (32, 64)),
    "tube": (inertia.tube(outer=1, inner=0.5, length=2, density=1.0), lambda n: lathe("tube", n), (32, 64)),
    "capsule": (inertia.capsule(radius=1, length=2, density=1.0), lambda n: lathe("capsule", n), (32, 64)),
}


@pytest.mark.parametrize(("solid", "build", "levels"), CURVED.values(), ids=CURVED.keys())
def test_meshes_of_curved_solids_converge_with_order_two(solid, build, levels):
    def gap(n: int) -> float:
        surface = build(n)
        body = inertia.mesh(surface.vertices, surface.faces, density=1.0)
        assert_allclose(body.com, solid.com, rtol=0, atol=1e-9)
        return float(np.abs(body.J - solid.J).max() / np.trace(solid.J))

    coarse, fine = (gap(n) for n in levels)
    assert fine < 5e-3
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def two_boxes_at_an_edge() -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([CORNERS, CORNERS + np.array([1.0, 2.0, 0.0])]), np.concatenate([FACES, FACES + len(CORNERS)])


ONE_TURNED = np.concatenate([FACES[:1, ::-1], FACES[1:]])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: inertia.mesh(CORNERS, FACES[1:], mass=1.0),
            "not watertight: of 18 edges 3 are open, 0 belong",
        ),
        (lambda: inertia.mesh(*two_boxes_at_an_edge(), mass=1.0), "0 are open, 1 belong to more than two"),
        (
            lambda: inertia.mesh(CORNERS, ONE_TURNED, mass=1.0),
            "on 3 edges two triangles turn against each other",
        ),
        (
            lambda: inertia.mesh(CORNERS, FACES[:, ::-1], mass=1.0),
            r"negative volume, -6 m³(.|\n)*faces\[:, ::-1\]",
        ),
        (lambda: inertia.mesh(CORNERS * (1, 1, 0), FACES, mass=1.0), "no volume: it is flat"),
        (lambda: inertia.mesh(CORNERS * 0.0, FACES, mass=1.0), "no volume"),
        (lambda: inertia.mesh(CORNERS, FACES + 1, mass=1.0), "must be vertex numbers 0 to 7"),
        (lambda: inertia.mesh(CORNERS, FACES + 0.5, mass=1.0), "must be vertex numbers 0 to 7"),
        (
            lambda: inertia.mesh(CORNERS, FACES[:, :2], mass=1.0),
            r"faces of the mesh must have shape \(n, 3\)",
        ),
        (lambda: inertia.mesh(CORNERS[None], FACES, mass=1.0), r"points \(n, 3\), got shape \(1, 8, 3\)"),
        (lambda: inertia.mesh(CORNERS[:3], FACES, mass=1.0), "four or more points"),
        (lambda: inertia.mesh(CORNERS, FACES), "mesh got neither mass nor density"),
    ],
)
def test_errors_say_what_the_mesh_lacks(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_without_trimesh_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ModelError, match=r"pip install 'visviva\[mesh\]'"):
        inertia.mesh(CORNERS, FACES, mass=1.0)
