"""The picture of a tracking law in a run: errors, energy of the template with its balance, inputs with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.control.tracking_record import TrackingRecord

MANY = 8  # lines with a name of their own
SMALL = 1e-9  # of the scale: a term that is not drawn


def plot_tracking(record: TrackingRecord) -> Figure:
    """Four rows: angles and places, W̄ on a logarithmic scale, its balance, inputs."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 1, figsize=(8.0, 9.0), sharex=True, layout="constrained")
    _errors(record, axes[0])
    _energies(record, axes[1])
    _balance(record, axes[2])
    _inputs(record, axes[3])
    title = f"{record.law.d.name}: {record.law.template.title}"
    axes[0].set_title(title, loc="left", parse_math=False)
    axes[-1].set_xlabel("time [s]")
    for place in axes:
        place.spines[["top", "right"]].set_visible(False)
        place.grid(alpha=0.25)
        _legend(place)
    return figure


def _legend(axes: Any) -> None:
    if axes.get_legend_handles_labels()[1]:
        legend = axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
        for text in legend.get_texts():
            text.set_parse_math(False)


def _errors(record: TrackingRecord, axes: Any) -> None:
    for k, (name, error) in enumerate(record.errors.items()):
        colour = f"C{k % 10}"
        if error.ndim == 1:
            axes.plot(record.t, error, color=colour, label=_label(k, name))
            continue
        axes.plot(record.t, np.linalg.norm(error[:, 3:], axis=1), color=colour, label=_label(k, f"{name} [m]"))
        axes.plot(
            record.t, np.linalg.norm(error[:, :3], axis=1), color=colour, ls="--", label=_label(k, f"{name} [rad]")
        )
    axes.set_ylabel("errors [rad, m]")


def _energies(record: TrackingRecord, axes: Any) -> None:
    floor = 1e-12 * float(record.W.max()) or 1e-300
    for values, name, style in ((record.W, "W̄", "k-"), (record.V, "V̄", "C0--"), (record.T, "T̄", "C1--")):
        axes.semilogy(record.t, np.maximum(values, floor), style, lw=1.6 if name == "W̄" else 1.0, label=name)
    axes.set_ylabel("energy of errors [J]")


def _balance(record: TrackingRecord, axes: Any) -> None:
    axes.plot(record.t, record.W - record.W[0], "k-", lw=1.6, label="ΔW̄")
    total = np.zeros(len(record.t))
    for k, (name, work) in enumerate(record.work.items()):
        total = total + work
        if np.abs(work).max() > SMALL * record.scale:
            axes.plot(record.t, work, color=f"C{k}", lw=1.0, label=name)
    axes.plot(record.t, total, color="0.8", ls=":", lw=1.6, label="sum of the terms")
    axes.set_ylabel("work since start [J]")


def _inputs(record: TrackingRecord, axes: Any) -> None:
    drawn = set[float]()
    for k, name in enumerate(record.law.input_names):
        axes.plot(record.t, record.u[:, k], color=f"C{k % 10}", lw=1.0, label=_label(k, name))
        for bound in _bounds(record, k):
            if bound not in drawn:
                axes.axhline(bound, color=f"C{k % 10}", lw=0.8, ls=":")
                drawn.add(bound)
    acting = record.active.any(-1) if record.active.shape[1] else np.zeros(len(record.t), dtype=bool)
    if acting.any():
        low, high = axes.get_ylim()
        axes.fill_between(
            record.t, low, high, where=acting, step="post", color="tab:red", alpha=0.12, lw=0, label="limits act"
        )
        axes.set_ylim(low, high)
    axes.set_ylabel("inputs [N, N m]")


def _bounds(record: TrackingRecord, k: int) -> Array:
    """Limits of one input alone."""
    if record.law.limits is None:
        return np.zeros(0)
    W, l = record.law.limits
    alone = (np.abs(W[:, k]) > 0) & (np.abs(np.delete(W, k, axis=1)).max(axis=1, initial=0.0) == 0)
    return np.asarray(l[alone] / W[alone, k])


def _label(k: int, name: str) -> str:
    return name if k < MANY else "_hidden"
