"""Every solid against textbook numbers, against integration, and against its neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from visviva import ModelError, inertia

# Moments about the centre of mass that every table of solids prints.
TABLE = {
    "sphere": (inertia.sphere(5.0, 2.0), (8.0, 8.0, 8.0)),
    "shell": (inertia.sphere(3.0, 2.0, inner=2.0), (8.0, 8.0, 8.0)),
    "hollow sphere": (inertia.sphere(35.0, 2.0, inner=1.0), (62.0, 62.0, 62.0)),
    "box": (inertia.box(12.0, (1.0, 2.0, 3.0)), (13.0, 10.0, 5.0)),
    "ellipsoid": (inertia.ellipsoid(5.0, (1.0, 2.0, 3.0)), (13.0, 10.0, 5.0)),
    "cylinder": (inertia.cylinder(12.0, 2.0, 1.0), (13.0, 13.0, 24.0)),
    "tube": (inertia.tube(12.0, 2.0, 1.0, 3.0), (24.0, 24.0, 30.0)),
    "hoop": (inertia.tube(12.0, 1.0, 1.0, 1e-9), (6.0, 6.0, 12.0)),
    "cone": (inertia.cone(80.0, 1.0, 2.0), (24.0, 24.0, 24.0)),
    "capsule": (inertia.capsule(70.0, 1.0, 2.0), (84.7, 84.7, 32.2)),
    "rod": (inertia.rod(12.0, 2.0), (0.0, 4.0, 4.0)),
    "plate": (inertia.plate(12.0, (1.0, 2.0)), (4.0, 1.0, 5.0)),
    "disc": (inertia.disc(4.0, 3.0), (9.0, 9.0, 18.0)),
}


@pytest.mark.parametrize(("body", "moments"), TABLE.values(), ids=TABLE.keys())
def test_textbook_moments(body, moments):
    assert_allclose(body.J, np.diag(moments), rtol=1e-14, atol=1e-15 * body.mass)


# integration over slices across z: radius of the slice, or of its hole, at height z

R, S, H = 0.7, 0.3, 1.9
PROFILES = {
    "sphere": (inertia.sphere(radius=R, density=2.0), -R, R, lambda z: np.sqrt(R**2 - z**2), lambda z: 0.0),
    "hollow sphere": (
        inertia.sphere(radius=R, inner=S, density=2.0),
        -R,
        R,
        lambda z: np.sqrt(R**2 - z**2),
        lambda z: np.sqrt(max(S**2 - z**2, 0.0)),
    ),
    "ellipsoid": (
        inertia.ellipsoid(semi_axes=(R, R, H), density=2.0),
        -H,
        H,
        lambda z: R * np.sqrt(1 - (z / H) ** 2),
        lambda z: 0.0,
    ),
    "cylinder": (
        inertia.cylinder(radius=R, length=H, density=2.0),
        -H / 2,
        H / 2,
        lambda z: R,
        lambda z: 0.0,
    ),
    "tube": (inertia.tube(outer=R, inner=S, length=H, density=2.0), -H / 2, H / 2, lambda z: R, lambda z: S),
    "cone": (inertia.cone(radius=R, height=H, density=2.0), 0.0, H, lambda z: R * (1 - z / H), lambda z: 0.0),
    "capsule": (
        inertia.capsule(radius=R, length=H, density=2.0),
        -H / 2 - R,
        H / 2 + R,
        lambda z: np.sqrt(R**2 - max(abs(z) - H / 2, 0.0) ** 2),
        lambda z: 0.0,
    ),
}


@pytest.mark.parametrize(("body", "bottom", "top", "outer", "inner"), PROFILES.values(), ids=PROFILES.keys())
def test_moments_are_the_integrals_over_the_solid(body, bottom, top, outer, inner):
    def integral(f):
        breaks = [-H / 2, -S, S, H / 2]
        return quad(f, bottom, top, points=breaks, limit=200, epsrel=1e-12)[0]

    def area(z):
        return 2.0 * np.pi * (outer(z) ** 2 - inner(z) ** 2)  # times the density

    mass = integral(area)
    height = integral(lambda z: z * area(z)) / mass
    across = integral(lambda z: 2.0 * np.pi * (outer(z) ** 4 - inner(z) ** 4) / 4)
    along = integral(lambda z: (z - height) ** 2 * area(z))
    assert body.mass == pytest.approx(mass, rel=1e-9)
    assert_allclose(body.com, [0, 0, height], rtol=0, atol=1e-9)
    assert_allclose(body.euler(), np.diag([across, across, along]), rtol=0, atol=1e-9 * body.mass)


def test_box_and_plate_are_sums_over_gauss_points():
    """Two points per edge integrate second moments exactly."""
    edges = np.array([0.3, 0.5, 0.7])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / np.sqrt(12)
    assert_allclose(inertia.box(2.0, edges).J, inertia.points(np.full(8, 0.25), edges * corners).J, atol=1e-16)
    flat = np.array([0.3, 0.5, 0.0])
    assert_allclose(inertia.plate(2.0, (0.3, 0.5)).J, inertia.points(np.full(8, 0.25), flat * corners).J, atol=1e-16)


# limits

NEIGHBOURS = {
    "capsule of length 0 = sphere": (inertia.capsule(2.0, 0.3, 0.0), inertia.sphere(2.0, 0.3)),
    "tube without bore = cylinder": (inertia.tube(2.0, 0.3, 0.0, 0.8), inertia.cylinder(2.0, 0.3, 0.8)),
    "round ellipsoid = sphere": (inertia.ellipsoid(2.0, (0.3, 0.3, 0.3)), inertia.sphere(2.0, 0.3)),
    "flat box = plate": (inertia.box(2.0, (0.3, 0.5, 1e-12)), inertia.plate(2.0, (0.3, 0.5))),
    "flat cylinder = disc": (inertia.cylinder(2.0, 0.3, 1e-12), inertia.disc(2.0, 0.3)),
    "slim cylinder = rod": (inertia.cylinder(2.0, 1e-12, 0.8), inertia.rod(2.0, 0.8, axis="z")),
    "long capsule = rod": (inertia.capsule(2.0, 1e-15, 0.8), inertia.rod(2.0, 0.8, axis="z")),
    "thin hollow sphere = shell": (
        inertia.sphere(2.0, 0.3, inner=0.3 * (1 - 1e-15)),
        inertia.sphere(2.0, 0.3, inner=0.3),
    ),
    "tube = cylinder - bore": (
        inertia.tube(outer=0.3, inner=0.2, length=0.8, density=3.0),
        inertia.cylinder(radius=0.3, length=0.8, density=3.0) - inertia.cylinder(radius=0.2, length=0.8, density=3.0),
    ),
    "hollow sphere = sphere - sphere": (
        inertia.sphere(radius=0.3, inner=0.2, density=3.0),
        inertia.sphere(radius=0.3, density=3.0) - inertia.sphere(radius=0.2, density=3.0),
    ),
}


@pytest.mark.parametrize(("body", "limit"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
def test_neighbours_agree(body, limit):
    assert body.mass == pytest.approx(limit.mass, rel=1e-14)
    assert_allclose(body.J, limit.J, rtol=0, atol=1e-14 * np.trace(limit.J))


def test_a_cone_cut_from_a_cone_is_a_frustum():
    """Centre at (h/4) (R² + 2 R r + 3 r²)/(R² + R r + r²), J_a = 0.3 m (R⁵ - r⁵)/(R³ - r³), here r = R/2."""
    whole, tip = inertia.cone(8.0, 1.0, 2.0), inertia.cone(1.0, 0.5, 1.0).moved(at=(0, 0, 1.0))
    frustum = whole - tip
    assert frustum.mass == 7.0
    assert frustum.com[2] == pytest.approx(11 / 28, rel=1e-14)
    assert frustum.J[2, 2] == pytest.approx(0.3 * 7 * (1 - 0.5**5) / (1 - 0.5**3), rel=1e-14)


# density and axes

BY_DENSITY = {
    "sphere": (inertia.sphere(radius=2.0, density=3.0), 3.0 * 4 / 3 * np.pi * 8),
    "box": (inertia.box(size=(1, 2, 3), density=3.0), 18.0),
    "ellipsoid": (inertia.ellipsoid(semi_axes=(1, 2, 3), density=3.0), 24 * np.pi),
    "cylinder": (inertia.cylinder(radius=2, length=5, density=3.0), 60 * np.pi),
    "tube": (inertia.tube(outer=2, inner=1, length=5, density=3.0), 45 * np.pi),
    "cone": (inertia.cone(radius=2, height=5, density=3.0), 20 * np.pi),
    "capsule": (inertia.capsule(radius=3, length=1, density=1.0), 45 * np.pi),
    "rod per length": (inertia.rod(length=2, density=3.0), 6.0),
    "plate per area": (inertia.plate(size=(2, 5), density=3.0), 30.0),
    "disc per area": (inertia.disc(radius=2, density=3.0), 12 * np.pi),
}


@pytest.mark.parametrize(("body", "mass"), BY_DENSITY.values(), ids=BY_DENSITY.keys())
def test_mass_is_density_times_measure(body, mass):
    assert body.mass == pytest.approx(mass, rel=1e-14)


ALONG = {
    "cylinder": lambda axis: inertia.cylinder(1.0, 0.2, 0.9, axis),
    "tube": lambda axis: inertia.tube(1.0, 0.2, 0.1, 0.9, axis),
    "cone": lambda axis: inertia.cone(1.0, 0.2, 0.9, axis),
    "capsule": lambda axis: inertia.capsule(1.0, 0.2, 0.9, axis),
    "rod": lambda axis: inertia.rod(1.0, 0.9, axis),
    "disc": lambda axis: inertia.disc(1.0, 0.9, axis),
}
ROTVECS = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(np.array)


@pytest.mark.parametrize("along", ALONG.values(), ids=ALONG.keys())
@given(w=ROTVECS, size=st.sampled_from([1e200, 1.0, 1e-8, 1e-200]))
def test_an_axis_is_a_rotation_of_z(along, w, size):
    turn = Rotation.from_rotvec(w).as_matrix()
    turned, given_axis = along("z").moved(turn), along(size * turn[:, 2])
    assert_allclose(given_axis.J, turned.J, rtol=0, atol=1e-15)
    assert_allclose(given_axis.com, turned.com, rtol=0, atol=1e-15)


@pytest.mark.parametrize("along", ALONG.values(), ids=ALONG.keys())
def test_named_axes_are_cyclic(along):
    J = np.diag(along("x").J)
    assert_allclose(np.diag(along("y").J), np.roll(J, 1), rtol=1e-15)
    assert_allclose(np.diag(along("z").J), np.roll(J, 2), rtol=1e-15)


def test_edges_of_a_plate_follow_its_normal():
    assert_allclose(np.diag(inertia.plate(12.0, (1.0, 2.0), "x").euler()), [0, 1, 4])
    assert_allclose(np.diag(inertia.plate(12.0, (1.0, 2.0), "y").euler()), [4, 0, 1])
    assert_allclose(np.diag(inertia.plate(12.0, (1.0, 2.0), "z").euler()), [1, 4, 0])


@given(st.sampled_from([1e-12, 1e-8, 1e-5, 1e-3, 1e12]))
def test_moments_scale_with_the_square_of_size(size):
    unit, scaled = (
        inertia.capsule(1.0, 0.2, 0.9, (1, 2, 3)),
        inertia.capsule(1.0, 0.2 * size, 0.9 * size, (1, 2, 3)),
    )
    assert_allclose(scaled.J / size**2, unit.J, rtol=1e-13)


# errors


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: inertia.sphere(radius=1.0),
            r"sphere got neither mass nor density: .*\[kg/m³\], exactly one",
        ),
        (
            lambda: inertia.sphere(0.1, density=1000.0),
            r"sphere needs its radius \[m\]. The first argument is the mass(.|\n)*name the sizes",
        ),
        (
            lambda: inertia.sphere(0.1, 0.2, density=1000.0),
            "sphere got both mass=0.1 and density=1000.0",
        ),
        (lambda: inertia.rod(length=1.0), r"density \[kg/m\]"),
        (lambda: inertia.plate(size=(1, 1)), r"density \[kg/m²\]"),
        (lambda: inertia.disc(radius=1.0), r"density \[kg/m²\]"),
        (lambda: inertia.box(-1.0, (1, 1, 1)), "mass of the box must be positive, got -1"),
        (lambda: inertia.box(size=(1, 1, 1), density=0.0), "density of the box must be positive, got 0"),
        (lambda: inertia.box(1.0, (1, 0, 1)), "size of the box must be 3 positive lengths"),
        (lambda: inertia.box(1.0), "box needs its size"),
        (lambda: inertia.box(1.0, 2.0), r"size of the box must have shape \(3,\)"),
        (lambda: inertia.ellipsoid(1.0, (1, -1, 1)), "semi-axes of the ellipsoid must be 3 positive"),
        (lambda: inertia.sphere(1.0), r"sphere needs its radius \[m\]"),
        (lambda: inertia.sphere(1.0, 0.0), "radius of the sphere must be positive, got 0"),
        (lambda: inertia.sphere(1.0, 1.0, inner=2.0), "inner radius of the sphere must not exceed .* 2 > 1"),
        (lambda: inertia.sphere(radius=1.0, inner=1.0, density=1.0), "wall of no thickness"),
        (lambda: inertia.tube(1.0, 1.0, -0.5, 1.0), "inner radius of the tube must be at least 0"),
        (lambda: inertia.tube(1.0, 1.0), "tube needs its length"),
        (lambda: inertia.tube(1.0, 1.0, length=2.0), "tube needs its inner radius"),
        (lambda: inertia.cone(1.0, 1.0, np.inf), "height of the cone must be finite"),
        (lambda: inertia.capsule(1.0, 1.0, -1.0), "length of the capsule must be at least 0"),
        (
            lambda: inertia.cylinder(1.0, 1.0, 1.0, axis="w"),
            "axis of the cylinder must be a direction: 'x', 'y', 'z'",
        ),
        (lambda: inertia.rod(1.0, 1.0, axis=(0, 0, 0)), "axis of the rod must have a direction"),
        (lambda: inertia.plate(1.0), "plate needs its size"),
        (lambda: inertia.plate(1.0, (1, 0)), "size of the plate must be 2 positive lengths"),
        (
            lambda: inertia.plate(1.0, (1, 1), normal=(0, 0, 1)),
            r"normal of the plate(.|\n)*\.moved\(rotation\)",
        ),
    ],
)
def test_errors_name_the_solid_and_the_size(build, message):
    with pytest.raises(ModelError, match=message):
        build()
