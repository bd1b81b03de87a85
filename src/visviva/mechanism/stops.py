"""End stops of joints, checked."""

from __future__ import annotations

from visviva._arrays import finite_number, finite_vector
from visviva.errors import ModelError
from visviva.mechanism.elements import Stop
from visviva.mechanism.energies import end_stops
from visviva.mechanism.parts import Joint, JointCoordinate
from visviva.mechanism.thermal import Thermal

ROUNDED = 1e-3  # of the range: width over which contact sets in, if none is given


def stop_of(
    name: str,
    where: str,
    at: JointCoordinate,
    limits: tuple[float, float],
    stiffness: float,
    damping: float,
    *,
    width: float | None = None,
    heat_to: Thermal | None = None,
) -> Stop:
    """The stops of one coordinate of a joint; where: how errors call them."""
    unit, per, rate = ("rad", "N m/rad", "N m s/rad²") if at.turns else ("m", "N/m", "N s/m²")
    try:
        low, high = finite_vector(limits, f"limits of {where} [{unit}]", 2).tolist()
    except ModelError:
        raise ModelError(
            f"limits of {where} must be two finite numbers, (low, high) [{unit}], got {limits!r}.\n"
            "For a stop at one end alone use m.stop(...) with the other end out of reach, and a width."
        ) from None
    if not low < high:
        raise ModelError(f"{where} leaves no room from {low:g} to {high:g} {unit}: low must be less than high.")
    k = finite_number(stiffness, f"stiffness of {where} [{per}]", positive=True)
    d = finite_number(damping, f"damping of {where} [{rate}]", minimum=0.0)
    w = ROUNDED * (high - low) if width is None else finite_number(width, f"width of {where} [{unit}]", positive=True)
    if w > 0.5 * (high - low):
        raise ModelError(
            f"width of {where} is {w:g} {unit}, more than half of its range from {low:g} to {high:g} {unit}: contact\n"
            "would set in everywhere. Give a small part of the range, or a spring in place of the stop."
        )
    return Stop(name, at, low, high, end_stops(low, high, k, w), d / k, heat_to)


def limits_of(
    joint: Joint, limits: tuple[float, float] | None, stiffness: float | None, damping: float | None
) -> Stop | None:
    """The stops that a joint has by its limits, if it has any: they go by its name with ".stop" behind."""
    where = f"joint {joint.name!r}"
    if limits is None:
        if stiffness is not None or damping is not None:
            raise ModelError(f"{where} has the stiffness or damping of stops, but no limits=(low, high).")
        return None
    if stiffness is None:
        raise ModelError(f"{where} has limits, but no stop_stiffness: stops are elastic, give one [N m/rad, N/m].")
    where = f"the stop of {where}"
    return stop_of(
        f"{joint.name}.stop", where, JointCoordinate(joint, 0), limits, stiffness, damping or 0.0, heat_to=joint.heat_to
    )
