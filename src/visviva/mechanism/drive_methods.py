"""What drives, stops and heats, in the builder: motors, end stops and thermal nodes."""

from __future__ import annotations

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.mechanism.builder import Builder
from visviva.mechanism.elements import Stop
from visviva.mechanism.inventory import Coordinate
from visviva.mechanism.parts import Motor
from visviva.mechanism.stops import stop_of
from visviva.mechanism.thermal import Thermal


class DriveMethods(Builder):
    """Motors and stops act on joints; thermal nodes take up heat."""

    theta0: float

    def thermal(
        self,
        name: str,
        *,
        capacity: float,
        temperature: float | None = None,
        conductance_to_environment: float = 0.0,
    ) -> Thermal:
        """A body that gets warm, for `heat_to=` of joints and motors; `run["<name>.temperature"]` is its temperature.

        capacity:    heat capacity [J/K], positive.   temperature: at the start [K]; default: that of the environment.
        conductance_to_environment: [W/K], at least 0; the heat that it lets through goes from warm to cold.
        """
        self._new_name(name, "thermal node")
        where = f"thermal node {name!r}"
        start = self.theta0 if temperature is None else temperature
        return self._add(
            Thermal(
                name,
                finite_number(capacity, f"capacity of {where} [J/K]", positive=True),
                finite_number(start, f"temperature of {where} [K], absolute,", positive=True),
                finite_number(conductance_to_environment, f"conductance of {where} [W/K]", minimum=0.0),
            )
        )

    def motor(
        self,
        name: str,
        joint: Coordinate,
        *,
        resistance: float,
        inductance: float,
        k: float,
        current: float = 0.0,
        heat_to: Thermal | str | None = None,
    ) -> Motor:
        """A direct-current motor on an angle of a joint; an input port: its voltage [V].

        The torque k i of the parent on the child follows from the current i, L di/dt = voltage - R i - k θ_dot.
        The output of the port is the current [A].

        resistance: R of the winding [Ω].   inductance: L [H].   k: constant [N m/A = V s/rad].   All positive; k may be
        negative, where the motor is mounted the other way.   current: at the start [A].
        heat_to:    a thermal node that takes up the heat R i² of the winding; default: the environment.
        """
        self._new_name(name, "motor")
        where = f"motor {name!r}"
        at = self._coordinate(joint, where, turns=True)
        constant = finite_number(k, f"k of {where} [N m/A]")
        if constant == 0:
            raise ModelError(f"{where} with k = 0 couples nothing: give its torque per current [N m/A].")
        return self._add(
            Motor(
                name,
                at,
                finite_number(resistance, f"resistance of {where} [Ω]", positive=True),
                finite_number(inductance, f"inductance of {where} [H]", positive=True),
                constant,
                finite_number(current, f"current of {where} [A]"),
                self._heat_sink(heat_to, where),
            )
        )

    def stop(
        self,
        name: str,
        joint: Coordinate,
        low: float,
        high: float,
        *,
        stiffness: float,
        damping: float = 0.0,
        width: float | None = None,
        coordinate: int | str = 0,
        heat_to: Thermal | str | None = None,
    ) -> Stop:
        """End stops of one coordinate of a joint: beyond the range [low, high] it is pushed back.

        low, high:  ends [rad, m]; angles count full turns.   stiffness: [N m/rad, N/m], positive.
        damping:    d of the additional force d δ v at the indentation δ [N m s/rad², N s/m²], at least 0; it is limited
                    where the contact opens, so that the stop never pulls.
        width:      over which contact sets in [rad, m]; default: a thousandth of the range.
        joint:      a joint, or (joint, number) or (joint, name).
        coordinate: number or name of the coordinate, in place of such a pair, for joints with several.
        """
        self._new_name(name, "stop")
        where = f"stop {name!r}"
        if not isinstance(joint, tuple):
            joint = (joint, coordinate)
        elif coordinate != 0 and len(joint) > 1:
            raise ModelError(f"{where} has {joint[1]!r} and coordinate={coordinate!r}: name its coordinate once.")
        at = self._coordinate(joint, where)
        sink = self._heat_sink(heat_to, where)
        stop = stop_of(name, where, at, (low, high), stiffness, damping, width=width, heat_to=sink)
        return self._add(stop)
