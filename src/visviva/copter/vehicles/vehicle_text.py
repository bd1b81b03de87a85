"""A vehicle as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from visviva.copter.vehicles.units import vector_text

if TYPE_CHECKING:
    from visviva.copter.vehicles.vehicle import Vehicle

UNITS = {
    "kappa_F": "N s²/rad²", "kappa_T": "N m s²/rad²", "inertia": "kg m²", "k_M": "N m/A", "tau_MB": "N m",
    "resistance": "Ω", "lag": "s", "drag": "N s²/(m rad)", "inflow": "N s²/(m rad)", "flapping": "rad²/m",
    "hub": "N s²/rad", "radius": "m",
}  # fmt: skip
SMALLEST = 1e-12  # coordinate that is not zero


class Row(NamedTuple):
    """What rotors have, one cell for each."""

    what: str
    unit: str
    cells: list[str]

    @property
    def alike(self) -> bool:
        """Whether all have the same."""
        return len(self.cells) > 1 and len(set(self.cells)) == 1


def vehicle_text(vehicle: Vehicle) -> str:
    """What `print(vehicle)` shows: the body, its hover, what all rotors have, and what each of them has."""
    rows, k = [*_rows(vehicle)], len(vehicle.rotors)
    lines = [f"{vehicle.name}: {k} rotors", *_body(vehicle), *_hover(vehicle), "each rotor"]
    lines += [_line(row.what, f"{row.cells[0]} {row.unit}") for row in rows if row.alike]
    names = [rotor.name for rotor in vehicle.rotors]
    wide = max(map(len, [*names, *(cell for row in rows for cell in row.cells)])) + 2
    for row in [Row("rotor", "", names), *(row for row in rows if not row.alike)]:
        lines.append(f"  {row.what:18}" + "".join(f"{cell:>{wide}}" for cell in row.cells) + f"  {row.unit}")
    return "\n".join(line.rstrip() for line in lines)


def _body(vehicle: Vehicle) -> Iterator[str]:
    J, drag = vehicle.inertia_about_com, vehicle.drag
    yield _line("mass", f"{vehicle.mass:.4g} kg, weight {vehicle.weight:.4g} N")
    yield _line("centre of mass", f"{vector_text(vehicle.com)} m")
    yield _line("inertia about it", f"{vector_text(np.diag(J))} kg m²")
    if (products := J[[0, 0, 1], [1, 2, 2]]).any():
        yield _line("  xy, xz, yz", f"{vector_text(products)} kg m²")
    if drag.d.any():
        yield _line("drag", f"{vector_text(np.diag(drag.d))} kg/s at {vector_text(drag.centre)} m")
    if drag.Upsilon.any():
        yield _line("  of rotation", f"{vector_text(np.diag(drag.Upsilon))} N m s")
    if vehicle.bias.any():
        yield _line("bias", f"{vector_text(vehicle.bias[:3])} N m, {vector_text(vehicle.bias[3:])} N")


def _hover(vehicle: Vehicle) -> Iterator[str]:
    hover, rotors = vehicle.hover, vehicle.rotors
    k_M, R = (np.array([getattr(rotor, name) for rotor in rotors]) for name in ("k_M", "resistance"))
    watts = float((k_M * hover.speeds + R * hover.currents) @ hover.currents)
    lift = sum(max(float(rotor.axis[2]), 0.0) * rotor.thrusts[1] for rotor in rotors)
    yield _line("power at hover", f"{watts:.4g} W{'' if R.any() else ', none in windings'}")
    yield _line("thrust to weight", f"{lift / vehicle.weight:.3g}, {lift:.4g} N upwards at highest speeds")
    ends = min(rotor.drag_length * w for rotor, w in zip(rotors, hover.speeds, strict=True))
    yield _line("law of thrust", f"up to {ends:.3g} m/s along an axis, at speeds of hover")
    if (battery := vehicle.battery) is not None:
        empty, full = np.broadcast_to(battery.voltage, 2).tolist()
        yield _line("battery", f"{empty:g} to {full:g} V, {battery.resistance:g} Ω, {battery.capacity:g} A h")


def _rows(vehicle: Vehicle) -> Iterator[Row]:
    rotors, hover = vehicle.rotors, vehicle.hover
    yield Row("turn", "seen from where it pushes to", ["left" if rotor.spin > 0 else "right" for rotor in rotors])
    for k, axis in enumerate("xyz"):
        yield Row(f"place {axis}", "m", [f"{_number(rotor.position[k]):.4g}" for rotor in rotors])
    if any(rotor.axis[2] < 1 for rotor in rotors):
        for k, axis in enumerate("xyz"):
            yield Row(f"axis {axis}", "", [f"{_number(rotor.axis[k]):.3g}" for rotor in rotors])
    for name, unit in UNITS.items():
        if any(getattr(rotor, name) for rotor in rotors):
            yield Row(name, unit, [f"{getattr(rotor, name):.4g}" for rotor in rotors])
    yield Row("speed", "rad/s", [f"{low:.4g}…{high:.4g}" for low, high in (rotor.speeds for rotor in rotors)])
    yield Row("thrust", "N", [f"{low:.3g}…{high:.3g}" for low, high in (rotor.thrusts for rotor in rotors)])
    if vehicle.tilting:
        ranges = [np.degrees(rotor.servo.range) if rotor.servo else np.zeros(2) for rotor in rotors]
        yield Row("tilt", "°", [f"{low:.3g}…{high:.3g}" for low, high in ranges])
        yield Row("tilt at hover", "°", [f"{x:.3g}" for x in np.degrees(hover.tilts)])
    yield Row("thrust at hover", "N", [f"{x:.3g}" for x in hover.thrusts])
    yield Row("speed at hover", "rad/s", [f"{x:.4g}" for x in hover.speeds])
    yield Row("current at hover", "A", [f"{x:.3g}" for x in hover.currents])


def _number(x: float) -> float:
    return float(x) if abs(x) > SMALLEST else 0.0


def _line(what: str, text: str) -> str:
    return f"  {what:18}{text}"
