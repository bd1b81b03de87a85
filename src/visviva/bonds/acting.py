"""What acts in the graph of a mechanism: springs, friction, stops, motors, inputs, and where their heat goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.construction import Parts, plain
from visviva.bonds.elements import GY, PORTS, TF, C, Element, I, Se, one, zero
from visviva.bonds.mechanism_boxes import add_box
from visviva.bonds.placed import Placed
from visviva.bonds.placed_laws import PlacedLaw, Placements, ReadingLaw, TimeLaw
from visviva.forms.minimal.form import MinimalForm
from visviva.geometry.hat import skew
from visviva.language.discrete import FUNCTIONS
from visviva.language.slopes import slope
from visviva.library.thermal import conduction
from visviva.mechanism.body_twists import pair_rates, relative_rates
from visviva.mechanism.elements import Element as Spring
from visviva.mechanism.elements import JointElement, Stop
from visviva.mechanism.joint_pairs import friction_rates, pair_of
from visviva.mechanism.losses import rubbing, stop_loss
from visviva.mechanism.parts import Along, Body, Ground, Joint, JointCoordinate, Motor, Particle, WrenchPort
from visviva.mechanism.placement import frame_pose
from visviva.mechanism.thermal import Thermal

PLACE = "y"  # the port of a spring's energy


@final
class Acting:
    """Adds elements to the parts of a graph.

    rates: of joints, their 1-junction, the column of each coordinate, and its width.   laws: whether inputs have one.
    """

    def __init__(
        self,
        form: MinimalForm,
        placements: Placements,
        parts: Parts,
        rates: dict[str, tuple[str, dict[int, int], int]],
        laws: bool,
    ) -> None:
        self.form, self.m, self.placements, self.parts, self.rates = form, form.definition, placements, parts, rates
        self.laws = laws
        self.x0 = form.x(*form.initial)

    def all(self) -> None:
        """Everything."""
        for node in self.m.thermals:
            self._node(node)
        for joint in self.m.joints:
            self._friction(joint)
        for spring in self.m.elements:
            self._spring(spring)
        for part in self.m.joint_elements:
            self._joint_element(part)
        for stop in self.m.stops:
            self._stop(stop)
        for port in self.m.ports:
            if isinstance(port, WrenchPort):
                self._wrench(port)
            elif isinstance(port, Motor):
                self._motor(port)
            else:
                here = self.coordinate(port.name, port.joint, port.at.number)
                self.parts.add(plain(port.name), self.source(port.name, 1), f"> {here}")
        for box in self.m.boxes:
            add_box(self, box)

    # -- where things act ---------------------------------------------------------------------------------------
    def coordinate(self, name: str, joint: Joint, k: int) -> str:
        """The 1-junction of the rate of one coordinate of a joint."""
        rate, columns, wide = self._rate(joint)
        if wide == 1:
            return rate
        here = f"{plain(name)}.rate"
        self.parts.add(here, replace(one(), label=""))
        self.parts.add(f"{plain(name)}.n", replace(TF(np.eye(wide)[[columns[k]]]), label="1"), f"< {rate}", f"> {here}")
        return here

    def along(self, name: str, one_of: Along) -> str:
        """The 1-junction of the rate of a coordinate of a joint, or of a displacement or twist of two frames."""
        if isinstance(one_of, JointCoordinate):
            return self.coordinate(name, one_of.joint, one_of.number)
        here = plain(name)
        if f"{here}.rate" not in self.parts.elements:
            k = one_of.width
            self.parts.add(f"{here}.between", replace(zero(width=k), label=""))
            self._between(f"{here}.between", one_of, k, lambda placed: pair_rates(one_of, placed.motion))
            self.parts.add(f"{here}.rate", replace(one(width=k), label=""), f"< {here}.between")
        return f"{here}.rate"

    def _rate(self, joint: Joint) -> tuple[str, dict[int, int], int]:
        """That of all; of a joint that closes a loop the rates that follow from both bodies."""
        if joint.name in self.rates:
            return self.rates[joint.name]
        k = len(joint.joint.coordinates) or 3
        self.rates[joint.name] = self._rates_between(plain(joint.name), joint, k), {i: i for i in range(k)}, k
        return self.rates[joint.name]

    def _rates_between(self, name: str, joint: Joint, k: int) -> str:
        """The 1-junction of what friction of a joint acts on, from the twists of both bodies."""

        def rows(placed: Placed) -> Array:
            return placed.keep(
                joint.name, lambda: friction_rates(joint, placed.motion, pair_of(joint, placed.motion).S)
            )

        self.parts.add(f"{name}.between", replace(zero(width=k), label=""))
        self._between(f"{name}.between", joint, k, rows)
        self.parts.add(f"{name}.rate", replace(one(width=k), label=f"ξ {joint.name}"), f"< {name}.between")
        return f"{name}.rate"

    def _between(self, here: str, pair: Any, k: int, rows: Any) -> None:
        """Rates of functions of two frames at a 0-junction; rows: over the relative twist in the world."""
        for end, sign, side in ((pair.parent, -1.0, "a"), (pair.child, 1.0, "b")):
            if isinstance(end, Ground):
                continue

            def value(placed: Placed, end: Body | Particle = end, sign: float = sign) -> Array:
                return sign * rows(placed) @ placed.to_world(end)

            law = PlacedLaw(self.placements, f"Y of {here!r}", "matrix", (k, 6 if isinstance(end, Body) else 3), value)
            self.parts.transform(f"{here}.{side}", law, "Y", plain(end.name), here)

    # -- elements -----------------------------------------------------------------------------------------------
    def _storage(self, name: str, energy: Any, variable: str, here: str) -> None:
        values = self.x0[self.form.model.layout.x[variable]]
        names = (variable,) if len(values) == 1 else tuple(f"{variable}[{k}]" for k in range(len(values)))
        element = Element("C", None, {}, None, (len(values),), energy=True, system=energy, label=name, names=names)
        self.parts.add(f"{plain(name)}.C", element, f"< {here}")
        self.parts.start(names, values)

    def _resistor(self, label: str, law: Any, width: int, here: str, node: Thermal | None, shown: str) -> None:
        """R, or RS with its heat to a thermal node."""
        label = plain(label)
        if node is None:
            self.parts.add(label, Element("R", law, widths=(width,), label=shown), f"< {here}")
            return
        ports = PORTS["RS"]
        self.parts.add(
            label,
            Element("RS", law, widths=(width, 1), ports=ports, label=shown),
            f"< {here}",
            f"> {plain(node.name)}",
        )

    def _joint_element(self, part: JointElement) -> None:
        """A spring and a damper along coordinates of joints: at the rate of one, or of several side by side."""
        here, k = self._rates_of(part), len(part.coordinates)
        if part.energy is not None:
            self._storage(part.name, part.energy, part.variable, here)
        if part.damping is not None:
            d = float(part.damping[0, 0]) if k == 1 else part.damping
            self._resistor(f"{part.name}.R", d, k, here, part.heat_to, "d")

    def _rates_of(self, part: JointElement) -> str:
        """The 1-junction of the rates of its coordinates; several are gathered at a 0-junction, by joint."""
        if len(part.coordinates) == 1:
            (one_of,) = part.coordinates
            return self.coordinate(part.name, one_of.joint, one_of.number)
        name, k = plain(part.name), len(part.coordinates)
        self.parts.add(f"{name}.between", replace(zero(width=k), label=""))
        for joint in dict.fromkeys(one_of.joint for one_of in part.coordinates):
            rate, columns, wide = self._rate(joint)
            rows = np.zeros((k, wide))
            for i, one_of in enumerate(part.coordinates):
                if one_of.joint is joint:
                    rows[i, columns[one_of.number]] = 1.0
            label = f"{name}.of.{plain(joint.name)}"
            self.parts.add(label, replace(TF(rows), label="n"), f"< {rate}", f"> {name}.between")
        self.parts.add(f"{name}.rate", replace(one(width=k), label=""), f"< {name}.between")
        return f"{name}.rate"

    def _friction(self, joint: Joint) -> None:
        n = rubbing(joint)
        if not n:
            return
        label = f"{plain(joint.name)}.friction"
        if joint.spin_friction is not None:
            here = self._rates_between(f"{plain(joint.name)}.spin", joint, 3)
            self._resistor(label, joint.spin_friction, 3, here, joint.heat_to, "friction")
            return
        rate, columns, wide = self._rate(joint)
        at = [columns[k] for k in range(len(joint.friction))]
        D = np.zeros((wide, wide))
        D[at, at] = joint.friction
        if not any(joint.laws):
            self._resistor(label, D if wide > 1 else float(D[0, 0]), wide, rate, joint.heat_to, "friction")
            return
        forces = [None if law is None else _force_of(law) for law in joint.laws]
        node = joint.heat_to

        def value(f: Array, s: Array) -> Array:
            theta = node.temperature * np.exp(s[0] / node.capacity) if node is not None else 0.0
            if not len(joint.friction):
                (force,), size = forces, float(np.linalg.norm(f))
                assert force is not None
                return np.asarray(force(size, theta) * f / size if size > 0 else 0.0 * f)
            found = D @ f
            for k, force in enumerate(forces):
                if force is not None:
                    found[at[k]] = force(f[at[k]], theta)
            return found

        reads = () if node is None else (f"{node.name}.s",)
        law = ReadingLaw(f"friction of {joint.name!r}", wide, reads, value)
        self._resistor(label, law, wide, rate, node, "friction")

    def _spring(self, spring: Spring) -> None:
        name = plain(spring.name)
        k = len(self._rows(spring, self.placements.at(*self.form.initial[:2])))
        self.parts.add(name, replace(zero(width=k), label=spring.name))
        self._between(name, spring, k, lambda placed: self._rows(spring, placed))
        here = name
        if spring.energy is not None and spring.damping is not None:
            here = f"{name}.rate"
            self.parts.add(here, replace(one(width=k), label=""), f"< {name}")
        if spring.energy is not None:
            self._storage(spring.name, spring.energy, f"{spring.name}.{PLACE}", here)
        if spring.damping is not None:
            D = np.atleast_2d(spring.damping)

            def resistance(placed: Placed) -> Array:
                """Of a line, y = ½ l² has ẏ = l l_dot; where its ends meet it has no direction, and no force."""
                a, b = (frame_pose(spring, end, placed.motion).r for end in (spring.parent, spring.child))
                square = float((b - a) @ (b - a))
                return D / square if square > 0 else 0.0 * D

            law = PlacedLaw(self.placements, f"D of {spring.name!r}", "matrix", (k, k), resistance)
            self._resistor(f"{name}.R", law if spring.line else D, k, here, spring.heat_to, "d")

    @staticmethod
    def _rows(spring: Spring, placed: Placed) -> Array:
        return placed.keep(spring.name, lambda: relative_rates(spring.rows, spring, placed.motion))

    def _stop(self, stop: Stop) -> None:
        here = self.coordinate(stop.name, stop.joint, stop.at.number)
        self._storage(stop.name, stop.energy, stop.variable, here)
        if not stop.loss:
            return
        slope = _slope_of(stop.energy)

        def value(f: Array, y: Array) -> Array:
            return -stop_loss(stop, np.array([slope(float(y[0]))]), f)

        law = ReadingLaw(f"loss of {stop.name!r}", 1, (stop.variable,), value)
        self._resistor(f"{stop.name}.R", law, 1, here, stop.heat_to, "loss")

    # -- inputs, motors, heat -----------------------------------------------------------------------------------
    def source(self, name: str, width: int, kind: str = "Se") -> Element:
        """What gives an input, by a law where there are some."""
        if not self.laws:
            return Element(kind, None, widths=(width,))
        inputs, at = self.form.inputs, self.form.model.port_columns[name]
        return Element(kind, TimeLaw(f"{name}(t)", width, lambda t: inputs(t)[at]), widths=(width,))

    def _wrench(self, port: WrenchPort) -> None:
        """At the centre of mass, in axes of the world or of the body."""
        body, name = port.carrier, plain(port.name)
        if isinstance(body, Particle):
            self.parts.add(name, self.source(port.name, 3), f"> {plain(body.name)}")
            return

        def value(placed: Placed) -> Array:
            R = np.eye(3) if port.frame == "body" else placed.R(body).T
            return np.block([[R, np.zeros((3, 3))], [skew(body.com) @ R, R]])

        law = PlacedLaw(self.placements, f"axes of {port.name!r}", "matrix", (6, 6), value)
        self.parts.add(name, self.source(port.name, 6))
        self.parts.transform(f"{name}.axes", law, "X", name, plain(body.name))

    def _motor(self, motor: Motor) -> None:
        name, add = plain(motor.name), self.parts.add
        rate = self.coordinate(motor.name, motor.joint, motor.at.number)
        add(f"{name}.i", one(domain="electric"))
        add(name, self.source(motor.name, 1), f"> {name}.i")
        flux = (f"{motor.name}.flux",)
        add(f"{name}.L", replace(I(motor.inductance), label="L", names=flux), f"< {name}.i")
        self.parts.start(flux, np.array([motor.inductance * motor.current]))
        self._resistor(f"{name}.R", motor.resistance, 1, f"{name}.i", motor.heat_to, "R")
        add(f"{name}.k", replace(GY(motor.k), label="k"), f"< {name}.i", f"> {rate}")

    def _node(self, node: Thermal) -> None:
        """Its entropy, and heat that it gives to the environment."""
        name, c, start = plain(node.name), node.capacity, node.temperature
        self.parts.add(name, zero(domain="thermal"))
        element = C(H=lambda q, c, start: c * start * (np.exp(q / c) - 1), c=c, start=start)
        self.parts.add(f"{name}.C", replace(element, names=(f"{node.name}.s",), label=node.name), f"< {name}")
        if node.conductance:
            wall = conduction(node.conductance)
            field = Element("RS", None, {}, None, (1, 1), ("s1", "s2"), system=wall, label="wall")
            self.parts.add(f"{name}.wall", field)
            self.parts.bonds.append(f"{name} -> {name}.wall.s1")
            self.parts.add(f"{name}.env", Se(self.m.theta0, domain="thermal", label="θ0"))
            self.parts.bonds.append(f"{name}.env -> {name}.wall.s2")


def _force_of(law: Any) -> Any:
    """The force of a friction law as a function of rate and temperature."""
    import sympy

    from visviva.mechanism.friction import rate_symbol, temperature_symbol

    expression = law.force.subs(dict(law.parameters))
    return sympy.lambdify([rate_symbol(), temperature_symbol()], expression, modules="numpy")


def _slope_of(energy: Any) -> Any:
    """U' of the energy of a stop."""
    import sympy

    ((symbol,),) = energy.H.states.values()
    force = slope(energy.H.values.item(), symbol).subs(dict(energy.H.parameters.values()))
    return sympy.lambdify([symbol], force, modules=[FUNCTIONS, "numpy"])
