"""Pictures of a flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.agent_flight import AgentFlight
    from visviva.copter.flight import Flight

SHOWN = 24  # attitudes along a trace


def plot_flight(flight: Flight | AgentFlight) -> Figure:
    """Trace and attitude in the plane x-z, errors, thrusts."""
    import matplotlib.pyplot as plt

    plan, e, (r, R) = flight.plan, flight.errors, flight.trace
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    wanted = plan.path.position(np.linspace(0, plan.duration, 200))
    left.plot(wanted[:, 0], wanted[:, 2], "k:", lw=1)
    left.plot(*r[:, [0, 2]].T, "0.7", lw=0.8)
    arm = max(float(np.linalg.norm(rotor.position)) for rotor in flight.vehicle.rotors)
    for k in np.linspace(0, len(r) - 1, SHOWN).astype(int):
        x, z = arm * R[k, :, 0], 0.5 * arm * R[k, :, 2]
        left.plot(*np.transpose([r[k] - x, r[k] + x])[[0, 2]], "C0", lw=2)
        left.plot(*np.transpose([r[k], r[k] + z])[[0, 2]], "C1", lw=1)
    left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title=plan.name)
    middle.plot(e["t"], 100 * e["e_r"], label="position [cm]")
    middle.plot(e["t"], np.degrees(e["e_R"]), label="attitude [°]")
    middle.plot(e["t"], np.degrees(e["e_phi"]), label="heading [°]")
    middle.set(xlabel="t [s]", title="errors")
    middle.legend(frameon=False)
    right.plot(flight.thrust_times, flight.thrusts, lw=1)
    right.set(xlabel="t [s]", ylabel="[N]", title="thrusts")
    return figure
