"""Boxes of a mechanism as symbols: efforts of their junctions, the unknowns among them, and the flows that they make.

With e the efforts of all junctions, flows are J e - Cᵀλ - (M/θ0) e + u, and rows C e = 0. Efforts are slopes of
energies, rates of coordinates and temperatures of nodes over θ0; those of junctions without storage, and λ, solve the
rows and the balances of these junctions, one after the other, or all together where they are linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.forms.symbols.steps import zeros
from visviva.language import Irreversible, Reversible, Source, Storage
from visviva.language.expression import Expression
from visviva.language.slopes import slope
from visviva.mechanism.box import Box
from visviva.mechanism.other_states import entropy_of
from visviva.mechanism.parts import JointCoordinate
from visviva.views.equations_names import Label

if TYPE_CHECKING:
    from visviva.forms.calculus.moving import Moving
    from visviva.forms.symbols.acting import Acting
    from visviva.mechanism.parts import Along


@final
class BoxSymbols:
    """One box in what acts on a mechanism: adds its forces, energies, heats and rates of states."""

    def __init__(self, acting: Acting, box: Box) -> None:
        self.acting, self.box, self.flat = acting, box, box.flat
        self.at = {end: name for name, junction in self.flat.junctions.items() for end in junction.ends}
        self.dims = {name: junction.quantity.dim for name, junction in self.flat.junctions.items()}
        self._check()
        self.rates: dict[str, Moving] = {}
        self.tied: set[str] = set()
        self.states: dict[str, Any] = {}
        self.efforts: dict[str, Any] = {}
        self.unknown: list[str] = []
        self.flows = {name: zeros(dim) for name, dim in self.dims.items()}
        self.rows: list[Any] = []
        self.multipliers: list[Any] = []
        self._junctions()
        self._storages()
        for name, part in self.flat.boxes.items():
            if isinstance(part, Reversible):
                self._reversible(name, part)
            elif isinstance(part, Irreversible):
                self._irreversible(name, part)
            elif isinstance(part, Source):
                self._source(name, part)
        self._inputs()
        self._solve()
        self._give()

    def _check(self) -> None:
        quantities = {name: one.quantity for name, one in self.flat.junctions.items()}
        curved = [name for name, one in quantities.items() if one.space.embedding.size != one.dim]
        if curved:
            raise ModelError(
                f"box {self.box.name!r} has states in a group, at {', '.join(curved)}, which have no symbols in the "
                "equations of a mechanism. Its own equations are vv.equations(box.system)."
            )

    def _label(self, letter: str, name: str = "") -> Label:
        return Label(letter, (self.box.name, name) if name else (self.box.name,))

    def _u(self, name: str) -> Any:
        return self.acting.variables.box_inputs[self.box.inputs[name]]

    # -- efforts ------------------------------------------------------------------------------------------------

    def _junctions(self) -> None:
        """States and efforts that are known from outside; unknown symbols where nothing gives them."""
        acting, box, places = self.acting, self.box, self.acting.places
        for port, one in box.rates.items():
            name = self.flat.outer[port]
            self.rates[name] = places.along(one)
            self.efforts[name] = self.rates[name].rate
        for port, one in box.places.items():
            name = self.flat.outer[port]
            self.rates[name] = places.along(one)
            self.states[name] = self.rates[name].value
            self.efforts[name] = zeros(1)
        for port, node in box.nodes.items():
            theta = acting.environment if node is None else acting.temperature(node)
            self.efforts[self.flat.outer[port]] = np.array([theta - acting.environment], dtype=object)
        for port, one in box.rates.items():
            name = self.flat.outer[port]
            if name in box.states:
                self.states[name] = self._momentum(name, one)
                self.tied.add(name)
        for name in box.states:
            if name in self.tied:
                continue
            if box.variable(name) not in places.states.s:
                raise self._refusal()
            self.states[name] = acting.variables.s[places.states.s[box.variable(name)]]
        for name, dim in self.dims.items():
            holder = box.holder(name)
            if name in self.efforts or isinstance(holder, Storage):
                continue
            if holder is not None:  # an environment
                self.efforts[name] = zeros(dim)
                continue
            self.unknown.append(name)
            self.efforts[name] = self._fresh("e", name, dim)

    def _momentum(self, name: str, one: Along) -> Any:
        """J ẏ of a storage H = p²/(2J) on a coordinate of the tree, whose row is constant: an inertia of it."""
        holder = self.box.holder(name)
        own = self.acting.places.own(one.joint, one.number) if isinstance(one, JointCoordinate) else None
        if not isinstance(holder, Storage) or len(holder.interface) > 1 or self.dims[name] > 1 or own is None:
            raise self._refusal()
        part = next(part for part, held in self.flat.boxes.items() if held is holder)
        ((p,),) = holder.H.states.values()
        known = self._numbers(part, holder.H)
        effort = slope(holder.H.values.item(), p).xreplace(known)
        stiffness = slope(effort, p)
        if p in stiffness.free_symbols or effort.xreplace({p: 0 * p}) != 0:
            raise self._refusal()
        self.acting.inertias.append((1 / stiffness, own))
        return own.rate / stiffness

    def _fresh(self, letter: str, name: str, dim: int) -> Any:
        import sympy

        return np.array([sympy.Dummy(f"{letter}_{name}_{k}", real=True) for k in range(dim)], dtype=object)

    def _storages(self) -> None:
        for part_name, part in self.flat.boxes.items():
            if not isinstance(part, Storage):
                continue
            known = self._numbers(part_name, part.H)
            for port in part.interface:
                known |= zip(part.H.states[port], self.states[self.at[part_name, port]], strict=True)
            H = part.H.values.item()
            if any(self.at[part_name, port] in self.tied for port in part.interface):
                continue  # its energy is kinetic
            own = f"{self.box.name}.{part_name}" if f"{self.box.name}" in self.acting.potentials else self.box.name
            self.acting.potentials[own] = H.xreplace(known)
            for port in part.interface:
                name = self.at[part_name, port]
                slopes = [slope(H, symbol).xreplace(known) for symbol in part.H.states[port]]
                e = self.acting.steps.names(slopes, self._label("e", name))
                if self.flat.junctions[name].quantity.is_entropy:
                    e = e - self.acting.environment
                self.efforts[name] = e

    def _numbers(self, part: str, expression: Expression) -> dict[Any, Any]:
        """Parameters by the names of box and part, and θ0."""
        parameters = self.acting.parameters
        found = {
            symbol: parameters.signed(number, Label(letter, (self.box.name, part)), "")
            for letter, (symbol, number) in expression.parameters.items()
        }
        return found | {expression.theta0: self.acting.environment}

    # -- flows --------------------------------------------------------------------------------------------------

    def _values(self, part: str, expression: Expression) -> Any:
        """An array with the states, efforts and parameters of the mechanism."""
        known = self._numbers(part, expression)
        used = {symbol for entry in expression.values.ravel() for symbol in entry.free_symbols}
        for port, symbols in expression.states.items():
            if used & set(symbols):
                known |= zip(symbols, self.states[self.at[part, port]], strict=True)
        for port, symbols in expression.efforts.items():
            known |= zip(symbols, self.efforts[self.at[part, port]], strict=True)
        flat = np.empty(expression.values.size, dtype=object)
        flat[:] = [entry.xreplace(known) for entry in expression.values.ravel()]
        return flat.reshape(expression.values.shape)

    def _add(self, part: str, ports: Any, flow: Any) -> None:
        first = 0
        for port in ports:
            name = self.at[part, port.name]
            self.flows[name] = self.flows[name] + flow[first : first + self.dims[name]]
            first += self.dims[name]

    def _all(self, part: str, ports: Any) -> Any:
        return np.concatenate([self.efforts[self.at[part, port.name]] for port in ports])

    def _reversible(self, name: str, part: Reversible) -> None:
        e = self._all(name, part.power_ports)
        self._add(name, part.power_ports, self._values(name, part.J) @ e)
        if part.C is not None:
            C = self._values(name, part.C)
            lam = self._fresh("lam", name, len(C))
            self.multipliers += list(lam)
            self.rows += list(C @ e)
            self._add(name, part.power_ports, -C.T @ lam)

    def _irreversible(self, name: str, part: Irreversible) -> None:
        M, e = self._values(name, part.M), self._all(name, part.power_ports)
        self._add(name, part.power_ports, -(M @ e) / self.acting.environment)

    def _source(self, name: str, part: Source) -> None:
        """Rows e - u = 0."""
        (port,) = part.interface.values()
        lam = self._fresh("lam", name, self.dims[self.at[name, port.name]])
        self.multipliers += list(lam)
        self.rows += list(self.efforts[self.at[name, port.name]] - self._u(name))
        self._add(name, [port], -lam)

    def _inputs(self) -> None:
        for port in self.box.inputs:
            if port in self.flat.outer:
                name = self.flat.outer[port]
                self.flows[name] = self.flows[name] + self._u(port)

    # -- unknowns, and what the mechanism has of it -------------------------------------------------------------

    def _solve(self) -> None:
        """Unknowns by the balances of their junctions and by rows: linear equations, else an error."""
        import sympy

        unknowns = [*(symbol for name in self.unknown for symbol in self.efforts[name]), *self.multipliers]
        rest = [
            sympy.sympify(entry) for entry in (*self.rows, *(one for name in self.unknown for one in self.flows[name]))
        ]
        known: dict[Any, Any] = {}
        while unknowns:
            found = self._alone(rest, unknowns) or self._together(rest, unknowns)
            values = self.acting.steps.names(list(found.values()), self._label("w", str(len(known)) if known else ""))
            new = dict(zip(found, values, strict=True))
            known = {symbol: value.xreplace(new) for symbol, value in known.items()} | new
            unknowns = [symbol for symbol in unknowns if symbol not in new]
            rest = [entry.xreplace(new) for entry in rest]
        for parts in (self.flows, self.efforts):
            for name, part in parts.items():
                parts[name] = np.array([sympy.sympify(entry).xreplace(known) for entry in part], dtype=object)

    @staticmethod
    def _alone(rest: list[Any], unknowns: list[Any]) -> dict[Any, Any]:
        """An unknown that is the only one in an equation, linear there; the equation goes."""
        import sympy

        for entry in rest:
            own = [symbol for symbol in unknowns if symbol in entry.free_symbols]
            if len(own) == 1 and own[0] not in (slope_of := sympy.diff(entry, own[0])).free_symbols:
                rest.remove(entry)
                return {own[0]: -entry.xreplace({own[0]: sympy.Integer(0)}) / slope_of}
        return {}

    def _together(self, rest: list[Any], unknowns: list[Any]) -> dict[Any, Any]:
        """All that are left, by linear equations."""
        import sympy

        K = sympy.Matrix(len(rest), len(unknowns), lambda i, j: sympy.diff(rest[i], unknowns[j]))
        if K.free_symbols & set(unknowns):
            raise ModelError(
                f"junctions {', '.join(self.unknown)} of box {self.box.name!r} have efforts that no formula gives: a "
                "law is not linear in them.\nIts own equations are vv.equations(box.system)."
            )
        if K.rank() < len(unknowns):
            raise self._refusal()
        none = dict.fromkeys(unknowns, sympy.Integer(0))
        F = sympy.Matrix([entry.xreplace(none) for entry in rest])
        rest.clear()
        return dict(zip(unknowns, -K.LUsolve(F), strict=True))

    def _refusal(self) -> ModelError:
        return ModelError(
            f"box {self.box.name!r} ties a momentum of its own to a joint, by gears, on a joint that closes a loop, "
            "to a line between points, or with an energy that is not p²/(2J): it has no symbols.\nMake it a body with "
            "a joint, or inertia of one; vv.linearise and vv.dynamics take it as it is."
        )

    def _give(self) -> None:
        """Forces, heat and rates of states."""
        acting, box = self.acting, self.box
        for port in box.rates:  # of a momentum that is tied there, all that acts on it but its inertia
            name = self.flat.outer[port]
            force = acting.steps.names(self.flows[name], self._label("f", port))
            acting.act(box.name, self.rates[name].row.T @ force)
        for port in box.places:
            name = self.flat.outer[port]
            if box.holder(name) is not None:
                acting.act(box.name, -self.rates[name].row.T @ self.efforts[name])
        for port, node in box.nodes.items():
            if node is not None:
                s = entropy_of(node)
                heat = self.flows[self.flat.outer[port]][0] * acting.temperature(node)
                acting.heats[s] = acting.heats.get(s, 0) + heat
        for name in box.states:
            if name in self.tied:
                continue
            acting.s_dot[acting.places.states.s[box.variable(name)]] = self.flows[name]
