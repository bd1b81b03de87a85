"""What laws of a rigid vehicle share: what they read, the air around it, and their form in compiled code."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.gyrostat import Gyrostat, gyrostat, moving_air, put_air_drag
from visviva.copter.models.plant import put_surroundings
from visviva.copter.vehicles.surroundings import Surroundings, WindCalls
from visviva.copter.vehicles.vectors import cross, minus, put_vector, vector_at
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.kernels.calls import call_inputs
from visviva.kernels.packed_laws import PackedLaw, packed_law_address, parameters_of
from visviva.kernels.twins import kernel_of
from visviva.model.control_law import AbstractControlLaw

R_AT, V_AT, SIZE = 3, 12, 18  # places in what laws read: r, R row by row, twist


class Craft(NamedTuple):
    """A rigid vehicle among what is around it."""

    p: Gyrostat
    y: Array  # (18,) what is read
    air: Array  # (4,) the wind that blows now [m/s], and minus the height of the ground
    R: Array  # (3, 3)
    V: Array  # (6,) against the air, in axes of the body
    around: Array  # (4,) wind, and height above the ground
    F: Array  # (6,) drag and bias about the origin of the body


class WindAccess(NamedTuple):
    """A wind by address, see `WindCalls`."""

    address: int  # 0: it is steady
    r: Array  # (3,) where it is asked
    w: Array  # (3,) what it tells


def blow(c: Craft, wind: WindAccess, t: float) -> None:
    """The wind at a time, where the vehicle is."""
    if wind.address != 0:
        put_vector(wind.r, 0, vector_at(c.y, 0))
        call_inputs(wind.address, (3, 0, 0, t, 0, 0))
        put_vector(c.air, 0, vector_at(wind.w, 0))


def look_around(c: Craft) -> None:
    """R, V and surroundings of what is read."""
    for i in range(3):
        put_vector(c.R[i], 0, vector_at(c.y, R_AT + 3 * i))
    put_surroundings(c.air, c.y[2], c.around)
    put_vector(c.V, 0, vector_at(c.y, V_AT))
    put_vector(c.V, 3, vector_at(c.y, V_AT + 3))
    put_vector(c.V, 3, moving_air(c.R, c.V, c.around))


def put_air_wrench(c: Craft, out: Array, at: int) -> None:
    """Drag (5.4) and bias (5.9e), (m; f) about the centre of mass."""
    put_air_drag(c.p, vector_at(c.V, 0), vector_at(c.V, 3), c.F)
    force = vector_at(c.F, 3)
    put_vector(out, at, minus(vector_at(c.F, 0), cross(vector_at(c.p.com, 0), force)))
    put_vector(out, at + 3, force)


class AbstractCraftLaw(AbstractControlLaw):
    """A law of "craft" that is one plain function of its memory, compiled as `law(memory, wind, t, u)`.

    craft, u: memory that it works in, and its inputs.
    """

    reads = ("craft.r", "craft.R", "craft.twist")
    size = SIZE
    around: Surroundings
    craft: Craft
    u: Array

    @abstractmethod
    def function(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """The plain function, and what it works in, beside wind, time and inputs."""

    def see(self, t: float, y: Array) -> None:
        """What is read, and the wind there: what compiled code asks for by address."""
        if "_packed" in vars(self) and isinstance(stop := self._packed[1][1].error, KeyboardInterrupt):
            raise stop
        self.craft.y[:] = y
        self.craft.air[:3] = self.around.wind(t, y[:3])

    def address(self, first: int, width: int) -> int:
        """Of the compiled function."""
        return packed_law_address()

    def parameters(self, first: int, width: int) -> Array:
        """Where it finds its memory."""
        return parameters_of(self._packed[0], first, width)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("lock", "_packed")}

    @cached_property
    def _packed(self) -> tuple[PackedLaw, Any]:
        """The compiled function, and what must live as long as it is called."""
        from visviva.kernels.packed import PackedCall

        blows = WindCalls(self.around, np.nan)
        function, memory = self.function()
        wind = WindAccess(blows.address, blows.r, blows.w)
        call = PackedCall(kernel_of(function), (*memory, wind, 0.0, self.u), 1)
        where = np.array(call.address, dtype=np.int64)
        return PackedLaw(where, call.real(len(memory) + 1), self.craft.y, self.u), (call, blows)


def craft(vehicle: Vehicle, around: Surroundings) -> Craft:
    """A vehicle somewhere."""
    return Craft(
        gyrostat(vehicle), np.zeros(SIZE), np.array(around.air), np.zeros((3, 3)), np.zeros(6), np.zeros(4), np.zeros(6)
    )


@final
class CraftAir(AbstractCraftLaw):
    """Drag (5.4) in the wind, and bias (5.9e), on a rigid vehicle as a law of its motion."""

    writes = ("craft_air",)
    widths = (6,)

    def __init__(self, vehicle: Vehicle, around: Surroundings) -> None:
        self.around, self.craft, self.u = around, craft(vehicle, around), np.zeros(6)

    def inputs(self, t: float, y: Array) -> Array:  # noqa: D102
        self.see(t, y)
        look_around(self.craft)
        put_air_wrench(self.craft, self.u, 0)
        return self.u.copy()

    def function(self) -> tuple[Callable[..., None], tuple[Any, ...]]:  # noqa: D102
        return push_of_air, (self.craft,)


def push_of_air(c: Craft, wind: WindAccess, t: float, u: Array) -> None:
    """`CraftAir` in compiled code."""
    blow(c, wind, t)
    look_around(c)
    put_air_wrench(c, u, 0)
