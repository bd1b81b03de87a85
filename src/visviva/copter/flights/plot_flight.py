"""Pictures of a flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.agents.agent_flight import AgentFlight
    from visviva.copter.flights.flight import Flight

SHOWN = 17  # attitudes along a trace


def plot_flight(flight: Flight | AgentFlight) -> Figure:
    """Trace and attitude in the plane x-z, errors, thrusts."""
    import matplotlib.pyplot as plt

    plan, e, (r, R) = flight.plan, flight.errors, flight.trace
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    wanted = plan.path.position(np.linspace(0, plan.duration, 200))
    left.plot(wanted[:, 0], wanted[:, 2], "k:", lw=1, label="reference")
    left.plot(*r[:, [0, 2]].T, "0.7", lw=0.8, label="flown")
    arm = flight.vehicle.arm
    for k in _evenly(r, R, arm):
        x, z = arm * R[k, :, 0], 0.5 * arm * R[k, :, 2]
        left.plot(*np.transpose([r[k] - x, r[k] + x])[[0, 2]], "C0", lw=2)
        left.plot(*np.transpose([r[k], r[k] + z])[[0, 2]], "C1", lw=1)
    left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title=plan.name)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=2, frameon=False, fontsize="small")
    middle.plot(e["t"], 100 * e["e_r"], label="position [cm]")
    middle.plot(e["t"], np.degrees(e["e_R"]), label="attitude [°]")
    middle.plot(e["t"], np.degrees(e["e_phi"]), label="heading [°]")
    middle.set(xlabel="t [s]", title="errors")
    middle.legend(frameon=False)
    names = [rotor.name for rotor in flight.vehicle.rotors]
    right.plot(flight.thrust_times, flight.thrusts, lw=1, label=names)
    right.set(xlabel="t [s]", ylabel="[N]", title="thrusts")
    right.legend(frameon=False, fontsize="small", ncols=1 + len(names) // 5)
    return figure


def _evenly(r: Array, R: Array, arm: float) -> list[int]:
    """Nodes at equal steps of the ends of the arms, so that attitudes do not pile up where a vehicle hovers."""
    ends = np.concatenate([r, arm * R[:, :, 0], arm * R[:, :, 2]], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ends, axis=0), axis=1))])
    return [int(k) for k in np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], SHOWN)))]
