"""What an identification found: values with intervals and units, what the model leaves, and a picture of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, frozen
from visviva._files import write_figure
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, eq=False)
class Identified:
    """Parameters of a model from measurements.

    values, half_widths: by name, of 95 % intervals, value ± half width; units: by name.
    at, at_label:        of the samples, times or squares of speeds, (n,).
    measured, residuals: (n, m) of each equation, whose sides are named in `equations`, with units; what is measured
                         minus what the model makes of it.
    remarks:             what else is to be known about the values.
    """

    title: str
    values: Mapping[str, float]
    half_widths: Mapping[str, float]
    units: Mapping[str, str]
    at: Array
    at_label: str
    equations: tuple[str, ...]
    measured: Array
    residuals: Array
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("values", "half_widths", "units"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("at", "measured", "residuals"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise unknown_name(name, self.values, f"the parameters of {self.title}")
        return self.values[name]

    def interval(self, name: str) -> tuple[float, float]:
        """Lowest and highest value that 95 % of recordings like this one would agree with."""
        return self[name] - self.half_widths[name], self[name] + self.half_widths[name]

    @property
    def unexplained(self) -> Array:
        """(m,) rms of residuals relative to that of what is measured about its mean."""
        spread = np.sqrt(np.mean((self.measured - self.measured.mean(axis=0)) ** 2, axis=0))
        return np.asarray(np.sqrt(np.mean(self.residuals**2, axis=0)) / np.where(spread > 0, spread, 1.0))

    def __str__(self) -> str:
        wide = max(map(len, self.values))
        lines = [f"{self.title}: {len(self.at)} samples"]
        lines += [
            f"  {name:{wide}}  {value:12.5g} ± {self.half_widths[name]:.2g} {self.units[name]}".rstrip()
            for name, value in self.values.items()
        ]
        lines += [
            f"  {name}: {100 * part:.3g} % unexplained"
            for name, part in zip(self.equations, self.unexplained, strict=True)
        ]
        return "\n".join([*lines, *(f"  {remark}" for remark in self.remarks)])

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Of each equation a row: what is measured and what the model makes of it, and beside it the residuals."""
        import matplotlib.pyplot as plt

        m = len(self.equations)
        figure, axes = plt.subplots(
            m, 2, figsize=(9.0, 1.2 + 1.8 * m), squeeze=False, sharex=True, layout="constrained"
        )
        for j, (name, (left, right)) in enumerate(zip(self.equations, axes, strict=True)):
            measured, rest = self.measured[:, j], self.residuals[:, j]
            left.plot(self.at, measured, ".", ms=2, color="0.6", label="measured")
            left.plot(self.at, measured - rest, ".", ms=1.5, color="C0", label="model")
            right.plot(self.at, rest, ".", ms=2, color="C3")
            right.axhline(0.0, color="black", lw=0.6)
            left.set_ylabel(name, parse_math=False)
            for place in (left, right):
                place.spines[["top", "right"]].set_visible(False)
                place.grid(alpha=0.25)
        axes[0, 0].set_title(self.title, loc="left", parse_math=False)
        axes[0, 1].set_title("residuals", loc="left")
        axes[0, 0].legend(loc="upper right", frameon=False, fontsize="small")
        for place in axes[-1]:
            place.set_xlabel(self.at_label, parse_math=False)
        if path is not None:
            write_figure(path, figure)
        return figure
