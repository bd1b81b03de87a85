"""What `visviva demo` does: simulate each system, audit it, draw it."""

from __future__ import annotations

from pathlib import Path

import visviva as vv
from visviva._files import write_figure
from visviva.demo.linkage import four_bar
from visviva.demo.motor import at_rest, motor_loop, temperatures
from visviva.demo.pendulum import double_pendulum


def show(out: Path) -> bool:
    """Print the audits and write pictures and pages to a folder; whether every joule is accounted for."""
    import matplotlib

    matplotlib.use("Agg")
    out.mkdir(parents=True, exist_ok=True)
    runs = {
        "double_pendulum": vv.simulate(double_pendulum(), t_end=6.0, h=0.01),
        "four_bar": vv.simulate(four_bar(), t_end=2.0, h=0.005),
        "motor_loop": driven_loop(),
    }
    closed = True
    for stem, run in runs.items():
        audit = run.audit()
        print(audit, end="\n\n")
        print("wrote", ", ".join(map(str, pictures(run, out / stem))), end="\n\n")
        closed = closed and audit.ok
    return closed


def driven_loop() -> vv.Run:
    """The motor loop, switched on at 24 V."""
    model = vv.compile(motor_loop())
    return vv.simulate(
        model, t_end=1.0, h=0.01, integrator=vv.DiscreteGradient(), initial=at_rest(model), inputs={"supply": 24.0}
    )


def pictures(run: vv.Run, stem: Path) -> list[Path]:
    """Files of one run: its energy, of a mechanism its motion and a page that plays it, of heat where it went."""
    import matplotlib.pyplot as plt

    energy = stem.with_suffix(".png")
    plt.close(run.plot("energy", path=energy))
    if run.motion is not None:
        page, motion = stem.with_suffix(".html"), stem.with_name(f"{stem.name}_motion.png")
        plt.close(run.plot("motion", path=motion))
        run.page(page)
        return [energy, motion, page]
    flows, warmth = (stem.with_name(f"{stem.name}_{what}.png") for what in ("sankey", "temperatures"))
    plt.close(run.sankey(flows))
    plot_temperatures(run, warmth)
    return [energy, flows, warmth]


def plot_temperatures(run: vv.Run, path: Path) -> None:
    """Winding and housing against time."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 4.0), layout="constrained")
    for name, theta in temperatures(run).items():
        axes.plot(run.t, theta, lw=1.3, label=name)
    axes.axhline(run.model.theta0, color="0.45", lw=0.9, ls=":", label="environment")
    axes.set_title(f"{run.model.name}: temperatures", loc="left")
    axes.set(xlabel="time [s]", ylabel="temperature [K]")
    axes.legend(loc="upper left", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    write_figure(path, figure, dpi=150)
    plt.close(figure)
