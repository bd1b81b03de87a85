"""Pictures of a flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.flight import Flight

SHOWN = 24  # attitudes along a trace


def plot_flight(flight: Flight) -> Figure:
    """Trace and attitude in the plane x-z, errors, thrusts."""
    import matplotlib.pyplot as plt

    run, plan, e = flight.run, flight.plan, flight.errors
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    wanted = plan.path.position(np.linspace(0, plan.duration, 200))
    left.plot(wanted[:, 0], wanted[:, 2], "k:", lw=1)
    left.plot(*run["craft.r"][:, [0, 2]].T, "0.7", lw=0.8)
    arm = flight.vehicle.arm
    R = run["craft.R"].reshape(-1, 3, 3)
    for k in np.linspace(0, len(run.t) - 1, SHOWN).astype(int):
        r, x, z = run["craft.r"][k], arm * R[k, :, 0], 0.5 * arm * R[k, :, 2]
        left.plot(*np.transpose([r - x, r + x])[[0, 2]], "C0", lw=2)
        left.plot(*np.transpose([r, r + z])[[0, 2]], "C1", lw=1)
    left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title=plan.name)
    middle.plot(e["t"], 100 * e["e_r"], label="position [cm]")
    middle.plot(e["t"], np.degrees(e["e_R"]), label="attitude [°]")
    middle.plot(e["t"], np.degrees(e["e_phi"]), label="heading [°]")
    middle.set(xlabel="t [s]", title="errors")
    middle.legend(frameon=False)
    right.plot(run.t_mid, flight.thrusts, lw=1)
    right.set(xlabel="t [s]", ylabel="[N]", title="thrusts")
    return figure
