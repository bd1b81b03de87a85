"""Mass, centre of mass and inertia tensor of rigid bodies: `vv.inertia.box(2.0, (1, 2, 3))`.

    Inertia                           the value: +, -, moved, matrix, principal, euler
    sphere box ellipsoid              solids about their centre
    cylinder tube cone capsule        solids of revolution
    rod plate disc                    thin bodies
    points mesh density               particles, closed triangle meshes, any density by a function
    check_inertia                     can any mass distribution have this tensor?

Every solid takes its mass [kg] first, or `density=` in its place.
"""

from visviva.geometry.inertia.consistency import check_inertia
from visviva.geometry.inertia.density import density
from visviva.geometry.inertia.inertia import Inertia
from visviva.geometry.inertia.mesh import mesh
from visviva.geometry.inertia.points import points
from visviva.geometry.inertia.revolution import capsule, cone, cylinder, tube
from visviva.geometry.inertia.solids import box, ellipsoid, sphere
from visviva.geometry.inertia.thin import disc, plate, rod

__all__ = [
    "Inertia",
    "box",
    "capsule",
    "check_inertia",
    "cone",
    "cylinder",
    "density",
    "disc",
    "ellipsoid",
    "mesh",
    "plate",
    "points",
    "rod",
    "sphere",
    "tube",
]
