"""The composite of a whole mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from visviva.errors import ModelError
from visviva.language import Composite, compose, starting
from visviva.mechanism.composite.boxes import add_boxes
from visviva.mechanism.composite.carriers import add_carriers
from visviva.mechanism.composite.conditions import add_conditions
from visviva.mechanism.composite.elements import add_elements
from visviva.mechanism.composite.exposure import Exposure, exposure_of
from visviva.mechanism.composite.heat import add_heat
from visviva.mechanism.composite.joints import add_joints
from visviva.mechanism.composite.ports import add_ports
from visviva.mechanism.composite.state import state_of
from visviva.mechanism.composite.wiring import Wiring

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def composite_of(m: Definition, expose: Any = ()) -> Composite:
    """The mechanism as a composite that starts as assembled; `state_of` has the values of its variables at any motion.

    Boxes go by the names of the parts, of which letters, digits and underscores are kept; others become underscores.
    Bodies are `rigid_body` boxes with the principal frame at the centre of mass and poses of SO(3) x R³: junctions
    q_<body> and p_<body>. Joints are `tie` boxes, rows on the velocities of bodies that stay closed over a run. Every
    coordinate of a joint on which something acts has a junction rate_<joint>_<coordinate> with the quantity of what
    moves there: friction, springs, stops, motors, gears, drives and input ports plug in there. Heat goes to thermal
    nodes, junctions s_<node>, or to the environment, junction s. Input ports are outer ports; drives are sources,
    whose law an input of that name replaces. Boxes of the mechanism are there as they are. A free joint is no box: it
    constrains nothing.

    expose: what is shown as further outer ports: the name of a body (or "ground") shows its pose q_<body> and its
            momentum p_<body>, for joints to other composites; that of a thermal node its entropy s_<node>; "s" what
            else would go to the environment: all heat that has no node, to be taken up by something outside.

    Source: Lohmayer, Capobianco and Leyendecker, Figs. 1 to 3.
    """
    shown = exposure_of(m, expose)
    return starting(_wired(m, shown), state_of(m, ground=shown.ground))


def _wired(m: Definition, shown: Exposure) -> Composite:
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    net = Wiring(m)
    add_carriers(net, shown.ground)
    add_joints(net)
    add_elements(net)
    add_conditions(net)
    add_ports(net)
    add_boxes(net)
    add_heat(net, shown)
    return compose(m.name or "mechanism", net.boxes, net.junctions, net.outer | shown.ports(net))
