"""The multibond graph of a mechanism; its moduli depend on the configuration.

Bodies    a 1-junction of the twist in body axes, with I (mass and inertia), MGY (Euler's junction structure, ad_Vᵀ) and
          MSe (weight); of a particle, its velocity.
Joints    parent -> MTF -> 0 -> MTF -> child: twists in the world at its origin, one wrench, that of the parent on the
          child; rate -> MTF (S) -> 0 adds the relative twist S ξ. The flow ξ of a joint is a state, its integrals are
          the coordinates, and the inertias that hang on it follow.
Closures  what a tree of joints cannot hold, joints that close loops, gears, rolling, drives: flows that balance at a
          0-junction whose effort is whatever does this. A drive adds Sf(t).
Acting    friction, springs about the joint, stops, motors and inputs are at the 1-junction of ξ; springs between
          bodies are both bodies -> MTF -> 0 -> C, R: the flows add up to the rates of what the spring measures. Heat
          goes to the environment, or through RS to a thermal node.
Boxes     the graph of each, whose junctions at coordinates and thermal nodes are those of the mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.bonds.acting import Acting
from visviva.bonds.closures import Closures
from visviva.bonds.construction import Parts, plain
from visviva.bonds.elements import PORTS, Element, I, one, zero
from visviva.bonds.graph import BondGraph
from visviva.bonds.placed import Placed
from visviva.bonds.placed_laws import PlacedLaw, Placements
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.mechanism import Definition
from visviva.mechanism.body_twists import inertia_of
from visviva.mechanism.parts import Body, Ground, Joint, Particle
from visviva.mechanism.spanning.links import q_dot

SPATIAL, PLAIN = "spatial", "translation"


def mechanism_graph(m: Definition, inputs: Mapping[str, Any] | None = None) -> BondGraph:
    """The graph of a mechanism, which starts as assembled.

    inputs: by port; sources without a law where there are none at all.
    """
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    form = MinimalForm(m, inputs=inputs)
    if form.open.feedback:
        raise ModelError(
            f"inputs of {m.name!r} that depend on its state have no element in its graph: give numbers or functions of "
            "time."
        )
    return _Builder(form, inputs is not None).graph()


class _Builder:
    def __init__(self, form: MinimalForm, laws: bool) -> None:
        self.form, self.m = form, form.definition
        self.placements = Placements(form)
        self.parts = Parts()
        self.rates: dict[str, tuple[str, dict[int, int], int]] = {}  # of joints: junction, column by coordinate, width
        self.grounded: dict[str, Body | Particle] = {}  # by the 0-junction of the joint
        self.acting = Acting(form, self.placements, self.parts, self.rates, laws)

    def graph(self) -> BondGraph:
        """All parts, in the order of building."""
        for body in self.m.bodies:
            self._body(body)
        for body in self.m.bodies:
            self._carried(body)
        Closures(self.form, self.placements, self.parts, self.rates).all()
        self.acting.all()
        self._ground()
        self._insulation()
        parts = self.parts
        return BondGraph(
            self.m.name, parts.elements, parts.bonds, coordinates=parts.coordinates, theta0=self.m.theta0,
            initial=parts.initial,
        )  # fmt: skip

    def _law(self, what: str, shape: tuple[int, ...], value: Any, rate: Any = None, **more: Any) -> PlacedLaw:
        return PlacedLaw(self.placements, what, more.pop("role", "matrix"), shape, value, rate, **more)

    # -- bodies -------------------------------------------------------------------------------------------------
    def _body(self, body: Body | Particle) -> None:
        name, g, add = plain(body.name), self.m.gravity, self.parts.add
        if isinstance(body, Particle):
            add(name, replace(one(domain=PLAIN, width=3), label=body.name))
            add(f"{name}.m", replace(I(body.mass), label="m"), f"< {name}")
            if g.any():
                law = self._weight(body, lambda p: body.mass * g, 3)
                add(f"{name}.g", Element("Se", law, widths=(3,), label="mg"), f"> {name}")
            return
        add(name, replace(one(domain=SPATIAL, width=6), label=body.name))
        if not body.mass and not body.J.any():
            return
        M = inertia_of(body)
        add(f"{name}.M", replace(I(M), label="M"), f"< {name}")

        def weight(placed: Placed) -> Array:
            down = placed.R(body).T @ g * body.mass
            return np.concatenate([np.cross(body.com, down), down])

        gyrator = self._law(f"-ad* of {body.name!r}", (6, 6), lambda p: p.structure(body))
        add(
            f"{name}.ad",
            Element("GY", gyrator, widths=(6, 6), ports=PORTS["GY"], modulated=True, label="ad*"),
            f"< {name}",
        )
        if g.any() and body.mass:
            law = self._weight(body, weight, 6)
            add(f"{name}.g", Element("Se", law, widths=(6,), modulated=True, label="mg"), f"> {name}")

    def _weight(self, body: Body | Particle, value: Any, wide: int) -> PlacedLaw:
        """With its potential energy."""
        weight = body.mass * self.m.gravity
        number = self.placements.bodies.number[body.name]
        return self._law(
            f"weight of {body.name!r}", (wide,), value, role="output", energy=lambda p: -(p.centres[number] @ weight)
        )

    # -- joints -------------------------------------------------------------------------------------------------
    def _carried(self, body: Body | Particle) -> None:
        """What carries a body: its joint in the tree, or nothing but its own velocities."""
        places = [(k, p) for k, p in enumerate(self.form.spanning.places) if p.carrier is body]
        joint, last = places[0][1].joint, places[-1][0]
        own = slice(places[0][1].xi.start, places[-1][1].xi.stop)
        shown = body.name if joint is None else joint.name
        name, child = plain(shown), plain(body.name)
        wide = 6 if isinstance(body, Body) else 3
        wrench = f"{name}.F"
        self.parts.add(wrench, replace(zero(domain=SPATIAL if wide == 6 else PLAIN, width=wide), label=shown))
        above = self.m.ground if joint is None else joint.parent if joint.child is body else joint.child
        if isinstance(above, Ground):
            self.grounded[wrench] = body
        else:
            self._hung_on(name, wrench, above, body)
        if isinstance(body, Body):
            out = self._law(
                f"Ad⁻¹ of {body.name!r}", (6, 6), lambda p: p.from_world(body), lambda p: p.from_world_rate(body)
            )
            self.parts.transform(f"{name}.child", out, "Ad⁻¹", wrench, child)
        else:
            self.parts.bonds.append(f"{wrench} -> {child}")
        if own.stop > own.start:
            self._rate(name, joint, own, places, wrench, body, last)

    def _hung_on(self, name: str, wrench: str, above: Body | Particle, body: Body | Particle) -> None:
        """Velocities of what carries the joint, where it is."""
        if isinstance(body, Particle):
            value = self._law(
                f"velocity at {body.name!r}", (3, 6 if isinstance(above, Body) else 3),
                lambda p: p.at_point(body) @ p.to_world(above),
                lambda p: p.at_point_rate(body) @ p.to_world(above) + p.at_point(body) @ p.to_world_rate(above),
            )  # fmt: skip
            self.parts.transform(f"{name}.parent", value, "Ad", plain(above.name), wrench)
            return
        wide = 6 if isinstance(above, Body) else 3
        value = self._law(
            f"Ad of {above.name!r}", (6, wide), lambda p: p.to_world(above), lambda p: p.to_world_rate(above)
        )
        self.parts.transform(f"{name}.parent", value, "Ad", plain(above.name), wrench)
        turning = self._turning(above) if isinstance(above, Particle) else None
        if turning is not None:
            value = self._law(
                f"turning of {turning.name!r}", (6, 6), lambda p: p.turning_about(turning, above),
                lambda p: p.turning_about_rate(turning, above),
            )  # fmt: skip
            self.parts.transform(f"{name}.turning", value, "Ad", plain(turning.name), wrench)

    def _ground(self) -> None:
        """The ground, which does not move: it has bonds where nothing else joins the bodies, or where it holds one."""
        if self._connected() and not any(self._alone(wrench) for wrench in self.grounded):
            return
        self.parts.add("ground", one(domain=SPATIAL, width=6))
        self.parts.add("ground.f", Element("Sf", np.zeros(6), widths=(6,), label="0"), "> ground")
        for wrench, body in self.grounded.items():
            if isinstance(body, Body):
                self.parts.bonds.append(f"ground -> {wrench}")
            else:
                law = self._velocity_at(body)
                self.parts.transform(f"{wrench}.ground", law, "Ad", "ground", wrench)

    def _insulation(self) -> None:
        """No entropy flows to a thermal node that nothing heats or cools."""
        for node in self.m.thermals:
            if self._alone(plain(node.name)):
                element = Element("Sf", 0.0, widths=(1,), domain="thermal", label="0")
                self.parts.add(f"{plain(node.name)}.f", element, f"> {plain(node.name)}")

    def _velocity_at(self, particle: Particle) -> PlacedLaw:
        return self._law(
            f"velocity at {particle.name!r}",
            (3, 6),
            lambda p: p.at_point(particle),
            lambda p: p.at_point_rate(particle),
        )

    def _alone(self, junction: str) -> bool:
        """Whether it has one bond, as at a joint that fixes a body to the ground."""
        return sum(junction in ends for ends in self._bonds()) == 1

    def _bonds(self) -> list[list[str]]:
        """What each bond joins."""
        names = self.parts.elements
        return [
            [end if end in names else end.rpartition(".")[0] for end in bond.split(" -> ")] for bond in self.parts.bonds
        ]

    def _connected(self) -> bool:
        """Whether bonds lead from every body to all others."""
        group = {name: {name} for name in self.parts.elements}
        for a, b in self._bonds():
            if group[a] is not group[b]:
                group[a] |= group[b]
                for name in group[b]:
                    group[name] = group[a]
        return len({id(group[plain(body.name)]) for body in self.m.bodies}) == 1

    def _turning(self, particle: Particle) -> Body | None:
        """The body with which the link of a particle turns."""
        spanning = self.form.spanning
        k = spanning.link[particle.name]
        while k >= 0:
            carrier = spanning.places[k].carrier
            if isinstance(carrier, Body) and spanning.link[carrier.name] == k:
                return carrier
            k = spanning.tree.links[k].parent
        return None

    def _rate(
        self, name: str, joint: Joint | None, own: slice, places: Any, wrench: str, body: Body | Particle, last: int
    ) -> None:
        """The 1-junction of ξ with the coordinates."""
        rate, k = f"{name}.rate", own.stop - own.start
        form = self.form
        names = tuple(form.xi_names[own])
        junction = replace(
            one(width=k, free=True), names=names, label=f"ξ {body.name if joint is None else joint.name}"
        )
        self.parts.add(rate, junction)
        wide = 6 if isinstance(body, Body) else 3

        def S(p: Placed) -> Array:
            return p.S(last, own) if wide == 6 else p.point.tree.Jv[last][:, own]

        def S_rate(p: Placed) -> Array:
            return p.S_rate(last, own) if wide == 6 else p.point.tree.Jv_dot[last][:, own]

        self.parts.transform(f"{name}.S", self._law(f"S of {name!r}", (wide, k), S, S_rate), "S", rate, wrench)
        self._coordinates(name, rate, own, slice(places[0][1].q.start, places[-1][1].q.stop))
        self.parts.start(names, form.initial.xi[own])
        columns = {p.coordinate: p.xi.start - own.start for _, p in places if p.coordinate is not None}
        if joint is not None:
            self.rates[joint.name] = rate, columns, k

    def _coordinates(self, name: str, rate: str, own: slice, at: slice) -> None:
        """Integrals of ξ, or of q̇ = Q(q) ξ where there are quaternions."""
        form, k, R = self.form, own.stop - own.start, at.stop - at.start
        names = tuple(form.q_names[at])
        both = zip(form.tree.links, form.spanning.places, strict=True)
        links = [(link, place) for link, place in both if own.start <= place.xi.start and place.xi.stop <= own.stop]
        self.parts.start(names, form.initial.q[at])
        if k == R:
            self.parts.coordinates[names] = rate
            return

        def Q(p: Placed) -> Array:
            found = np.zeros((R, k))
            for link, place in links:
                rows, columns = (
                    slice(a.start - b.start, a.stop - b.start) for a, b in ((place.q, at), (place.xi, own))
                )
                for j, unit in enumerate(np.eye(columns.stop - columns.start)):
                    found[rows, columns.start + j] = q_dot(link.kind, p.point.q[place.q], unit)
            return found

        self.parts.add(f"{name}.q", replace(one(width=R), label="q̇"))
        self.parts.transform(f"{name}.Q", self._law(f"Q of {name!r}", (R, k), Q), "Q", rate, f"{name}.q")
        self.parts.coordinates[names] = f"{name}.q"
