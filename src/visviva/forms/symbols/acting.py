"""What acts on a mechanism, as symbols: gravity, springs, dampers, friction, stops, motors and inputs.

Forces are generalised ones, by the name of the part; powers that become heat go to where the part sends them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.calculus.moving import Moving, stacked
from visviva.forms.symbols.boxes import BoxSymbols
from visviva.forms.symbols.element_units import LINE, TURN_UNITS, damping_unit, pose_units
from visviva.forms.symbols.moving import named
from visviva.forms.symbols.parameters import directions
from visviva.forms.symbols.places import AbstractPlaces
from visviva.forms.symbols.steps import zeros
from visviva.language import Storage
from visviva.language.slopes import slope
from visviva.library.joints import Angle
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.friction import FrictionLaw, rate_symbol, temperature_symbol
from visviva.mechanism.other_states import entropy_of, flux_of
from visviva.mechanism.parts import Body, Force, Joint, Motor, Particle, Torque, WrenchPort
from visviva.mechanism.thermal import Thermal
from visviva.views.equations_names import Label


@final
class Acting:
    """forces: (n,) by part.   potentials: energies by part.   slope: of all of them, along the velocities.

    s_dot: rates of other states.   R: dissipation matrix (n, n) of the forces -R ξ against velocities.
    """

    def __init__(self, places: AbstractPlaces) -> None:
        self.places, self.steps, self.parameters = places, places.steps, places.parameters
        self.variables, m = places.variables, places.m
        self.forces: dict[str, Any] = {}
        self.potentials: dict[str, Any] = {}
        self.slope = zeros(places.n)
        self.R = zeros(places.n, places.n)
        self.driven = zeros(places.n)  # forces of what is neither potential, loss nor input: motors
        self.heats: dict[str, Any] = {}
        self.inertias: list[tuple[Any, Moving]] = []  # of rotors in boxes, with their coordinates
        self._numbers: dict[str, tuple[Any, Any]] = {}  # start and capacity of thermal nodes
        self.s_dot = zeros(len(self.variables.s))
        warm = m.thermals or any(box.is_thermal for box in m.boxes)
        self.theta0 = self.parameters.number(m.theta0, Label("theta", ("0",)), "K") if warm else None
        for element in m.elements:
            self._element(element)
        for along in m.joint_elements:
            self._joint_element(along)
        for stop in m.stops:
            self._stop(stop)
        for joint in m.joints:
            self._frictions(joint)
        for port in m.ports:
            self._port(port)
        for box in m.boxes:
            BoxSymbols(self, box)
        for node in m.thermals:
            self._node(node)
        for name, (joint, k) in places.states.angles.items():
            if name in places.states.s:
                rate = places.coordinate(joint, joint.joint.coordinates[k]).rate
                self.s_dot[places.states.s[name]] = rate

    def _add(self, name: str, force: Any) -> None:
        self.forces[name] = self.forces[name] + force if name in self.forces else force

    def pull(self, name: str, force: Any, potential: Any) -> None:
        """A force that has a potential."""
        self.potentials[name] = potential
        self._add(name, force)
        self.slope = self.slope - force

    def act(self, name: str, force: Any) -> None:
        """A force of a box, whatever it comes from; what inputs do of it is counted with these."""
        import sympy

        self._add(name, force)
        still = dict.fromkeys(self.variables.u, sympy.Integer(0))
        self.driven = self.driven + np.array([sympy.sympify(entry).xreplace(still) for entry in force], dtype=object)

    @property
    def environment(self) -> Any:
        """θ0."""
        import sympy

        return sympy.Integer(0) if self.theta0 is None else self.theta0

    # -- springs and dampers ------------------------------------------------------------------------------------

    def _spring(self, name: str, energy: Storage, port: str, y: Moving, units: Mapping[str, str]) -> Any:
        """An energy of y, with the units of its parameters; returns its efforts."""
        symbols = energy.H.states[port]
        given = {
            symbol: self.parameters.signed(number, Label(letter, (name,)), units.get(letter, ""))
            for letter, (symbol, number) in energy.H.parameters.items()
        }
        H, at = energy.H.values.item().xreplace(given), dict(zip(symbols, y.value, strict=True))
        e = self.steps.names([slope(H, s).xreplace(at) for s in symbols], Label("e", (name,)))
        self.pull(name, -y.row.T @ e, H.xreplace(at))
        return e

    def _element(self, part: Element) -> None:
        y = self.places.functions(part, part.rows)
        if part.energy is not None:
            self._spring(part.name, part.energy, "y", y, LINE if part.line else pose_units(part.energy.H.parameters))
        if part.damping is not None:
            D = self._matrix(part.damping, part.name)
            self._dissipate(
                part, y, self.steps.names(D / (2 * y.value[0]), Label("D", (part.name,))) if part.line else D
            )

    def _matrix(self, D: Any, name: str, units: Sequence[str] = ()) -> Any:
        """Equal numbers of a damper's matrix, of one unit, are one parameter; units: of its diagonal, where known."""
        made: dict[tuple[float, str], Any] = {}
        found = zeros(*np.shape(D))
        for at in np.ndindex(found.shape):
            unit = damping_unit(len(D), *at) if not units else units[at[0]] if units[at[0]] == units[at[1]] else "N s"
            key = abs(float(D[at])), unit
            if key[0] and key not in made:
                letter = Label("d", (name,) if not made else (name, str(len(made) + 1)))
                made[key] = self.parameters.number(key[0], letter, key[1])
            if key[0]:
                found[at] = made[key] * (1 if D[at] > 0 else -1)
        return found

    def _dissipate(self, part: Any, y: Moving, D: Any, f: Any = None) -> None:
        """A force D ẏ against ẏ, whose power heats; f: the same without a quotient, where D has one."""
        f = self.steps.names(D @ y.rate if f is None else f, Label("f", (part.name,)))
        self._add(part.name, -y.row.T @ f)
        self.R = self.R + y.row.T @ D @ y.row
        if part.heat_to is not None:
            s = entropy_of(part.heat_to)
            self.heats[s] = self.heats.get(s, 0) + y.rate @ f

    def _viscous(self, part: Any, y: Moving, d: Any) -> None:
        self._dissipate(part, y, np.array([[d]], dtype=object))

    def _joint_element(self, part: JointElement) -> None:
        y = stacked([self.places.coordinate(one.joint, one.scalar) for one in part.coordinates])
        turns = all(one.turns for one in part.coordinates)
        if part.energy is not None:
            self._spring(part.name, part.energy, part.port, y, TURN_UNITS if turns else {})
        if part.damping is not None:
            units = ["N m s/rad" if one.turns else "N s/m" for one in part.coordinates]
            self._dissipate(part, y, self._matrix(part.damping, part.name, units))

    def _stop(self, part: Stop) -> None:
        """U'(y) (1 + χ(β v)); see `mechanism.elements.Stop`."""
        import sympy

        y = self.places.coordinate(part.joint, part.at.scalar)
        e = self._spring(part.name, part.energy, "y", y, TURN_UNITS if part.at.turns else LINE)
        if part.loss > 0:
            unit = "s/rad" if part.at.turns else "s/m"
            loss = self.parameters.number(part.loss, Label("beta", (part.name,)), unit)
            opening = sympy.Max(0, -loss * y.rate[0] * sympy.sign(e[0]))
            self._viscous(part, y, self.steps.name(loss * sympy.Abs(e[0]) / (1 + opening), Label("mu", (part.name,))))

    # -- joints ---------------------------------------------------------------------------------------------------

    def _frictions(self, joint: Joint) -> None:
        import sympy

        coordinates = joint.joint.coordinates
        for k, d in enumerate(joint.friction):
            if d > 0:
                y = self.places.coordinate(joint, coordinates[k])
                unit = "N m s/rad" if isinstance(coordinates[k], Angle) else "N s/m"
                label = Label("d", (joint.name,) if len(coordinates) == 1 else (joint.name, str(k + 1)))
                self._viscous(joint, y, self.parameters.number(d, label, unit))
        if joint.spin_friction is not None:
            self._spin_friction(joint, joint.spin_friction)
        if joint.joint.spins:
            for law in joint.laws:
                if law is not None:
                    self._ball(joint, law)
            return
        for coordinate, law in zip(coordinates, joint.laws, strict=False):
            if law is not None:
                y = self.places.coordinate(joint, coordinate)
                force = self._law(joint, law, isinstance(coordinate, Angle))
                at = {rate_symbol(): y.rate[0]}
                D = np.array([[sympy.cancel(force / rate_symbol()).xreplace(at)]], dtype=object)
                self._dissipate(joint, y, D, [force.xreplace(at)])

    def _ball(self, joint: Joint, law: FrictionLaw) -> None:
        """A torque (F(r)/r) ω against the relative angular velocity ω, r = |ω|."""
        import sympy

        P, C = (self._spin(end) for end in (joint.parent, joint.child))
        y = named(C - P, self.steps, Label("omega", (joint.name,)))
        r = self.steps.name(sympy.sqrt(y.rate @ y.rate), Label("omega", (joint.name, "r")))
        factor = sympy.cancel(self._law(joint, law, True) / rate_symbol()).xreplace({rate_symbol(): r})
        mu = self.steps.name(factor, Label("mu", (joint.name,)))
        self._dissipate(joint, y, np.diag(np.full(3, mu, dtype=object)))

    def _spin_friction(self, joint: Joint, D: Array) -> None:
        """A torque -D ω with the relative angular velocity ω in axes of the joint frame on the child."""
        P, C = (self._spin(end) for end in (joint.parent, joint.child))
        y = named(C - P, self.steps, Label("omega", (joint.name,)))
        own = self._matrix(D, joint.name, ("N m s/rad",) * 3)
        R_W, body = joint.frame_on(joint.child)[0], joint.child
        axes = directions(R_W)
        if isinstance(body, Body):
            turned = np.stack([axis.value for axis in self.places.principal(body)], axis=1)
            axes = turned @ directions(body.R_WC.T @ R_W)
        world = self.steps.names(axes @ own @ axes.T, Label("D", (joint.name,)))
        self._dissipate(joint, y, world)

    def _spin(self, end: Any) -> Moving:
        if not isinstance(end, Particle) and end is not self.places.m.ground:
            return self.places.twist(end)[:3]
        return Moving(zeros(3), zeros(3, self.places.n), zeros(3), zeros(3))

    def _law(self, joint: Joint, law: FrictionLaw, turns: bool) -> Any:
        units = {"F": "N m", "v": "rad/s", "d": "N m s/rad"} if turns else {"F": "N", "v": "m/s", "d": "N s/m"}
        given = {
            symbol: self.parameters.signed(number, Label(str(symbol), (joint.name,)), units.get(str(symbol)[0], ""))
            for symbol, number in law.parameters
        }
        if law.warm:
            assert joint.heat_to is not None
            given[temperature_symbol()] = self.temperature(joint.heat_to)
        return law.force.xreplace(given)

    # -- inputs, motors and heat ------------------------------------------------------------------------------------

    def _port(self, port: Torque | Force | WrenchPort | Motor) -> None:
        ports = self.places.m.ports
        first = sum(other.width for other in ports[: ports.index(port)])
        u = self.variables.u[first : first + port.width]
        if isinstance(port, Torque | Force):
            self._add(port.name, self.places.coordinate(port.joint, port.at.scalar).row.T @ u)
        elif isinstance(port, WrenchPort):
            if port.R_CB is not None:
                u = self._turned_with(port.carrier, port.R_CB, u)
            self._add(port.name, self.places.twist(port.carrier).row.T @ u)
        else:
            self._motor(port, u[0])

    def _turned_with(self, body: Body | Particle, R_CB: Array, u: Any) -> Any:
        """A wrench in axes of a body, in axes of the world."""
        assert isinstance(body, Body)
        D = np.stack([axis.value for axis in self.places.principal(body)], axis=1) @ directions(R_CB)
        return np.concatenate([D @ u[:3], D @ u[3:]])

    def _motor(self, motor: Motor, voltage: Any) -> None:
        """ψ̇ = u - R i - k θ̇, torque k i, i = ψ/L."""
        at = self.places.states.s[flux_of(motor)]
        R, L, k = (
            self.parameters.number(value, Label(letter, (motor.name,)), unit)
            for value, letter, unit in (
                (motor.resistance, "R", "Ω"), (motor.inductance, "L", "H"), (motor.k, "k", "N m/A"),
            )
        )  # fmt: skip
        psi, y = self.variables.s[at][0], self.places.coordinate(motor.joint, motor.at.scalar)
        torque = y.row.T @ np.array([k * psi / L], dtype=object)
        self._add(motor.name, torque)
        self.driven = self.driven + torque
        self.s_dot[at] = voltage - R * psi / L - k * y.rate
        self.potentials[motor.name] = psi**2 / (2 * L)
        if motor.heat_to is not None:
            s = entropy_of(motor.heat_to)
            self.heats[s] = self.heats.get(s, 0) + R * (psi / L) ** 2

    def temperature(self, node: Thermal) -> Any:
        """θ = θ_start exp(S/C) [K]."""
        import sympy

        at = self.places.states.s[entropy_of(node)]
        label = Label("theta", (node.name,))
        if node.name not in self._numbers:
            start = self.parameters.number(node.temperature, label.at("0"), "K")
            self._numbers[node.name] = start, self.parameters.number(node.capacity, Label("C", (node.name,)), "J/K")
        start, capacity = self._numbers[node.name]
        return self.steps.name(start * sympy.exp(self.variables.s[at][0] / capacity), label)

    def _node(self, node: Thermal) -> None:
        """Ṡ = (heat - k (θ - θ0))/θ."""
        at, theta = self.places.states.s[entropy_of(node)], self.temperature(node)
        k = self.parameters.number(node.conductance, Label("k", (node.name,)), "W/K")
        heat = self.heats.get(entropy_of(node), 0)
        self.s_dot[at] = (heat - k * (theta - self.theta0)) / theta
        start, capacity = self._numbers[node.name]
        self.potentials[node.name] = capacity * (theta - start)
