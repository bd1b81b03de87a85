"""Boxes of a mechanism in its composite: their systems as they are, at the rates of coordinates and at heat."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from visviva.language import Reversible, Storage, reversible, storage
from visviva.library.multibody import tie
from visviva.library.multibody.rows import Rate, TwistRate
from visviva.library.multibody.spatial import coupling
from visviva.library.quantities import displacement, momentum, momentum_along
from visviva.mechanism.body_twists import pair_rates, relative_twist
from visviva.mechanism.box import Box
from visviva.mechanism.composite.wiring import Wiring, offsets, particles, unit_of
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.parts import JointCoordinate, PairCoordinate, PairTwist
from visviva.mechanism.spring_slopes import coordinate_at
from visviva.mechanism.storage_states import energy_slope, state_with_effort

if TYPE_CHECKING:
    from visviva._arrays import Array
    from visviva.mechanism.assembly import Motion
    from visviva.mechanism.parts import Along


def add_boxes(net: Wiring) -> None:
    """One box for each, one for each coordinate that is a state of it, y_dot = u, and rows of what is between frames.

    Ports that are at no part are outer ports: by the name of the box where it has one input, else <box>_<port>.
    """
    for box in net.m.boxes:
        name, at = net.names[box.name], junctions_of(net, box)
        loose = [port for port in at if port not in {*box.rates, *box.nodes, *box.places}]
        net.outer |= {name if len(box.inputs) == 1 else at[port]: at[port] for port in loose}
        net.add(name, box.system, at)
        for port, one in box.places.items():
            y = box.system.interface[port].quantity
            follower = reversible({"y": y, "r": momentum_along(unit_of(one))}, J=coupling(1))
            net.add(f"{name}_{port}", follower, {"y": at[port], "r": net.rate(one)})
            if box.holder(box.flat.outer[port]) is None:  # what is read only is a state as well
                net.add(f"{name}_{port}_state", storage({"y": y}, H=0.0), {"y": at[port]})
        for port, line in box.pairs.items():
            _add_pair(net, line, f"{name}_{port}", at[port] if port in box.places else None)


def _add_pair(net: Wiring, one: PairCoordinate | PairTwist, box: str, state: str | None) -> None:
    """Rows for the rate of a displacement, or for a twist, of two frames; state: the junction where it is one of a box.

    Rates of products are exact over a step, and so is that of a length l, by l̄ l_dot = ẏ with y = ½ l² and the state l.
    """
    if isinstance(one, PairTwist):
        rates: tuple[Rate, ...] = tuple(TwistRate(entry, one.twist.of_child) for entry in one.twist.entries)
    else:
        rates = (one.product,)
    rows = tie((), *offsets(one), particles=particles(one), rates={"r": rates}, theta0=None)
    rate = net.rate(one)
    if isinstance(one, PairTwist) or not one.is_length:
        net.add_between(one, f"{box}_line", rows, {"r": rate})
        return
    net.add_between(one, f"{box}_line", rows, {"r": f"{rate}_line"})
    if state is None:
        state = _length_at(net, one)
        net.add(f"{box}_length", reversible({"l": displacement, "r": momentum}, J=coupling(1)), {"l": state, "r": rate})
        net.add(f"{box}_state", storage({"l": displacement}, H=0.0), {"l": state})
    net.add(f"{box}_lever", _lever(), {"l": state, "r": rate, "y": f"{rate}_line"})


def _length_at(net: Wiring, one: PairCoordinate) -> str:
    """The junction of a length that no box has as a state."""
    return f"{net.rate(one)}_length"


@cache
def _lever() -> Reversible:
    """0 = u_y - l u_r."""
    ports = {"l": displacement.state, "r": momentum, "y": momentum}
    return reversible(ports, C=lambda x: np.array([[-x.l, 1.0]], dtype=object))


def junctions_of(net: Wiring, box: Box) -> dict[str, str]:
    """The junction of each of its ports."""
    name = net.names[box.name]
    found = {port: f"{name}_{port}" for port in box.system.interface}
    found |= {port: net.rate(one) for port, one in box.rates.items()}
    found |= {port: net.heat(node) for port, node in box.nodes.items()}
    return found | {port: f"y_{name}_{port}" for port in box.places}


def box_values(net: Wiring, motion: Motion) -> dict[str, Array]:
    """States of boxes by variables of the composite; those of rotors move as their coordinates do, dH(p) = y_dot."""
    found: dict[str, Array] = {}
    for box in net.m.boxes:
        at, start = junctions_of(net, box), box.start(motion.others)
        shown = {inner: at[port] for port, inner in box.flat.outer.items()}
        own = {name: start[box.variable(name)] for name in box.states}
        for port, one in box.rates.items():
            inner = box.flat.outer[port]
            holder = box.holder(inner)
            if isinstance(holder, Storage) and box.variable(inner) not in motion.others and len(holder.interface) == 1:
                dH = energy_slope(holder, net.m.theta0)
                own[inner] = state_with_effort(dH, own[inner], _rate_at(net, one, motion))
        found |= {shown.get(name, f"{net.names[box.name]}.{name}"): value for name, value in own.items()}
        found |= {at[port]: np.array([coordinate_at(one, motion)]) for port, one in box.places.items()}
        found |= {_length_at(net, one): np.array([coordinate_at(one, motion)]) for one in box.lengths.values()}
    return found


def _rate_at(net: Wiring, one: Along, motion: Motion) -> Array:
    """The rate of a coordinate of a joint, or rates of a displacement or twist of two frames, (k,)."""
    if not isinstance(one, JointCoordinate):
        return np.asarray(pair_rates(one, motion) @ relative_twist(one, motion))
    bodies = net.m.bodies
    q, V = (np.concatenate([values[body.name] for body in bodies]) for values in (motion.q, motion.V))
    return (JointRates(bodies, [one.joint]).matrix(q) @ V)[[one.number]]
