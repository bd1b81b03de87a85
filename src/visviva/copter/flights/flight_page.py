"""The page of a flight: the vehicle on its trace beside the reference, its pictures, figures and audit."""

from __future__ import annotations

import html
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva._files import write_text
from visviva.copter.energy.energy_account import thrust_axes
from visviva.copter.flights.plot_flight import plot_flight, reference
from visviva.copter.vehicles.plot_vehicle import disc_radius
from visviva.results.page import page_text, picture_section, text_section
from visviva.results.page_motion import NUMBERS, rounded_points
from visviva.views.mechanism_strobe import instants

if TYPE_CHECKING:
    from visviva.copter.agents.agent_flight import AgentFlight
    from visviva.copter.flights.flight import Flight

RATE = 60  # frames per second
RING = 16  # corners of a disc
PUSH = 0.6  # arms, of the thrust at hover
NOSE = 0.5  # arms, of the line along x
LEGEND = (
    "Dots: the reference, and a circle where the vehicle should be; red: flown. Blue discs turn counter-clockwise, red "
    "ones clockwise, seen from where they push to. Thin orange lines are thrusts, the thick one points along x."
)


def write_flight_page(flight: Flight | AgentFlight, path: str | PathLike[str]) -> None:
    """Nothing in it refers to another file or to the network."""
    audit = flight.audit()
    title, *figures = flight.lines
    sections = [f"<p>{LEGEND}</p>"]
    sections += [f'<p class="caution">{html.escape(text)}</p>' for text in (*flight.cautions, *audit.warnings)]
    sections += [
        text_section("Figures", "\n".join(figures)),
        picture_section(plot_flight(flight)),
        text_section("Audit", str(audit)),
        picture_section(audit.plot()),
        picture_section(audit.sankey()),
    ]
    write_text(
        path, page_text(f"{flight.plan.name} of {flight.vehicle.name}", "flight", title, moving(flight), sections)
    )


def moving(flight: Flight | AgentFlight) -> dict[str, Any]:
    """Points over time, in the form of `results.page_motion.moving_picture`."""
    (r, R), t, own = flight.trace, flight.trace_times, flight.vehicle
    t, r, R = (values[np.isfinite(r).all(axis=1)] for values in (t, r, R))
    count = 3 + len(own.rotors) * (RING + 2)
    kept = instants(t, max(2, min(round(RATE * (t[-1] - t[0])), NUMBERS // count)))
    t, r, R = t[kept], r[kept], R[kept]
    nearest = np.searchsorted(flight.thrust_times, t).clip(max=len(flight.thrust_times) - 1)
    axes, thrusts = thrust_axes(own, flight.tilts[nearest]), flight.thrusts[nearest]
    goal = flight.plan.path.position(t.clip(max=flight.plan.duration))
    points, lines, strokes = (
        [r, goal, _in_world(r, R, NOSE * own.arm * np.array([1.0, 0, 0]))],
        list[Any](),
        list[Any](),
    )
    push = PUSH * own.arm / own.hover.thrusts.mean()
    for i, rotor in enumerate(own.rotors):
        at = len(points)
        h = axes[:, i]
        points += [_in_world(r, R, rotor.position), _in_world(r, R, rotor.position + push * thrusts[:, i, None] * h)]
        points += [_in_world(r, R, rotor.position + edge) for edge in _ring(h, disc_radius(own, rotor))]
        lines.append((0, at, own.name))
        strokes.append(([*range(at + 2, at + 2 + RING), at + 2], "left" if rotor.spin > 0 else "right"))
        strokes.append(([at, at + 1], "thrust"))
    return {
        "t": np.round(t, 6).tolist(),
        "points": rounded_points(np.stack(points, axis=1)),
        "lines": [*lines, (0, 2, "front")],
        "strokes": strokes,
        "marks": [(0, "craft"), (1, "target")],
        "paths": [rounded_points(reference(flight.plan))],
    }


def _in_world(r: Array, R: Array, p: Array) -> Array:
    """Of points p of the body, (3,) or (n, 3), in the world (n, 3)."""
    return np.asarray(r + np.einsum("nij,...j->ni" if p.ndim == 1 else "nij,nj->ni", R, p))


def _ring(h: Array, radius: float) -> list[Array]:
    """Corners of discs across directions h (n, 3), (n, 3) each."""
    helper = np.eye(3)[np.argmin(np.abs(h[0]))]
    u = np.cross(h, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(h, u)
    return [radius * (np.cos(a) * u + np.sin(a) * v) for a in 2 * np.pi * np.arange(RING) / RING]
