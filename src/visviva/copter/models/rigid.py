"""A rigid vehicle whose rotors are forces, and what the air does to it."""

from __future__ import annotations

import numpy as np

from visviva._suggestions import helpful
from visviva.control import moments
from visviva.copter.models.craft_law import CraftAir
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.copter.vehicles.wind import WindLike
from visviva.mechanism import Mechanism


@helpful
def rigid(vehicle: Vehicle, *, damped: bool = False) -> Mechanism:
    """A vehicle whose rotors are forces: Konz (5.16a,b), (5.17a,b), with the mass data of the description.

    Ports in axes of the body: "rotors", their wrench (m; f) about the origin of the frame, and "craft_air", what the
    air does, see `rigid_air`.   damped: in its place, what a law knows of it: the mean drag d at the origin, and Υ.
    """
    check_vehicle(vehicle)
    m = Mechanism(vehicle.name, gravity=(0.0, 0.0, -vehicle.gravity))
    craft = m.body("craft", mass=vehicle.mass, com=vehicle.com, inertia=vehicle.inertia_about_com)
    hub = m.body("hub", massless=True)  # wrench ports act at centres of mass, rotors do not
    m.fixed("mount", craft, hub)
    m.wrench("rotors", hub, frame="body")
    m.wrench("craft_air", craft, frame="body")
    drag = vehicle.drag
    if damped and drag.matrix.any():
        m.damper("drag", m.ground, craft, D=moments(drag.mean, Pi=drag.Upsilon), at=np.zeros(3))
    return m


def rigid_air(vehicle: Vehicle, *, wind: WindLike = None) -> CraftAir:
    """Drag (5.4) in the wind, and bias (5.9e), on a rigid vehicle as a law of its motion, for `vv.Sampled`."""
    return CraftAir(vehicle, Surroundings(wind))
