"""Singular configurations along a path of a mechanism or along a run, those of inputs, outputs and loops told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from visviva._arrays import Array
from visviva._files import write_figure
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.mechanism.assembly import Motion, StateLike, motion_of
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.motions import Coordinate
from visviva.mechanism.network import kinestatics_of
from visviva.mechanism.parts import Body, Carrier
from visviva.mechanism.paths import AbstractPath, BodyPath, JointPath
from visviva.mechanism.singular import regularity
from visviva.mechanism.transmission import Side, Transmission
from visviva.results.margin_zeros import Determinant, zeros
from visviva.results.run import Run
from visviva.results.run_path import RunPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES: tuple[Side, ...] = ("input", "output")
Kind = Side | Literal["loop"]
MEANING = {
    "input": "the mechanism moves with all inputs locked, and no input force can hold it",
    "output": "the inputs move with all outputs at rest, which then bear loads without any input force",
    "loop": "the rows of loops depend on each other, and the motion may branch off",
}


@final
@dataclass(frozen=True, eq=False)
class Singular:
    """A singular configuration. s: where on the path.   margin: what was left of the smallest singular value there."""

    s: float
    kind: Kind
    margin: float
    motion: Motion
    label: str

    def __str__(self) -> str:
        return f"{self.label} = {self.s:.8g}: singular {self.kind}, {MEANING[self.kind]}"


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """Margins along a path, 0 at singular configurations, and those that were found; prints as a list.

    s:       places on the path, (n,); `label` says what they are.
    margins: "input" and "output" of the transmission, see `Transmission`, and "loop", see `Linkage.margin`; (n,) each.
             Where there are fewer inputs or outputs than motions, it counts how far they are from leaving more open.
    """

    name: str
    label: str
    s: Array
    margins: dict[Kind, Array]
    singular: tuple[Singular, ...]

    def __str__(self) -> str:
        least = ", ".join(f"{kind} {values.min():.3g}" for kind, values in self.margins.items())
        head = f"{self.name!r}, {self.label} from {self.s[0]:.4g} to {self.s[-1]:.4g}: least margins {least}"
        found = [f"  {one}" for one in self.singular] or ["  no singular configuration"]
        return "\n".join([head, *found])

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Margins over the path; singular configurations are marked."""
        import matplotlib.pyplot as plt

        from visviva.results.plot_style import lighten, name_axes

        figure, axes = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
        colours = dict(zip(self.margins, ("tab:red", "tab:blue", "0.5"), strict=False))
        for kind, values in self.margins.items():
            axes.plot(self.s, values, color=colours[kind], lw=1.4, label=kind)
        for one in self.singular:
            axes.axvline(one.s, color=colours[one.kind], lw=0.7, ls="--")
            axes.plot(one.s, one.margin, "o", color=colours[one.kind], ms=5)
        axes.set_xlabel(self.label, parse_math=False)
        axes.set_ylabel("smallest singular value")
        axes.set_ylim(bottom=0.0)
        name_axes(axes, f"{self.name}: distance from singular configurations")
        lighten(axes)
        if path is not None:
            write_figure(path, figure, dpi=150)
        return figure


@helpful
def sweep(
    subject: Mechanism | Definition | Run,
    along: Coordinate | Body | None = None,
    *,
    to: float | SE3 | None = None,
    steps: int = 60,
    inputs: Sequence[Coordinate] | None = None,
    outputs: Sequence[Carrier | Coordinate] | None = None,
    hold: Sequence[Coordinate] = (),
    at: StateLike | None = None,
    motion: Motion | None = None,
) -> Sweep:
    """Margins of inputs, outputs and loops along a path, and the singular configurations on it.

    subject: a mechanism, with a path; or a run, whose nodes are the path.
    along:   a joint or (joint, number) that goes to the value `to` [rad, m], or a body that goes to the pose `to` of
             its frame, an SE3, along one screw. All else follows by the least motion.
    inputs, outputs: of the transmission; default: the joint of the path, and all bodies.
    hold:    coordinates that stay, where the mechanism has more than one motion.
    at:      where the path begins: values by name, run.final, a motion; default: as assembled. `motion` is its older
             name.
    """
    if not isinstance(steps, int) or steps < 2:
        raise ModelError(f"steps of a sweep is a whole number of at least 2, got {steps!r}.")
    at = motion if at is None else at
    if isinstance(subject, Run):
        if along is not None or to is not None or hold or at is not None:
            raise ModelError("the path of a run is its motion: leave out along, to, hold and at.")
        return _along_run(subject, inputs, outputs)
    m = definition_of(subject)
    if not isinstance(m, Definition):
        raise ModelError(f"sweep takes a mechanism or a run of one, got {type(subject).__name__}.")
    path = _path(m, along, to, hold, motion_of(m, at))
    if inputs is None:
        if isinstance(path, BodyPath):
            raise ModelError("a sweep along the way of a body needs inputs=[...], the joints that drive it.")
        inputs = [along]  # type: ignore[list-item]
    return _swept(m, path, np.linspace(path.start, path.end, steps + 1), inputs, outputs)


def _path(
    m: Definition, along: Coordinate | Body | None, to: float | SE3 | None, hold: Sequence[Coordinate], motion: Motion
) -> AbstractPath:
    name = along if isinstance(along, str) else getattr(along, "name", None)
    part = m.parts.get(name) if name is not None else None
    if along is None or to is None:
        raise ModelError("sweep(m, along, to=...) needs a joint and a value, or a body and a pose (SE3).")
    if isinstance(part, Body):
        if not isinstance(to, SE3):
            raise ModelError(f"body {part.name!r} goes to a pose: give to=SE3(R, r) of its frame, got {to!r}.")
        if hold:
            raise ModelError(
                f"hold goes with the path of a joint; of body {part.name!r} the pose is given: leave it out."
            )
        return BodyPath(m, motion, part, to)
    if isinstance(to, SE3):
        raise ModelError(f"only a body goes to a pose; {name!r} is none. A joint goes to a number.")
    return JointPath(m, motion, along, to, hold)  # type: ignore[arg-type]


def _along_run(
    run: Run,
    inputs: Sequence[Coordinate] | None,
    outputs: Sequence[Carrier | Coordinate] | None,
) -> Sweep:
    if run.motion is None:
        raise ModelError(f"the run of {run.model.name!r} is not one of a mechanism: it has no joints to look at.")
    if inputs is None:
        raise ModelError("a sweep along a run needs inputs=[...], the joints that drive it.")
    return _swept(run.motion.definition, RunPath(run), run.record.t, inputs, outputs)


def _swept(
    m: Definition,
    path: AbstractPath,
    s: Array,
    inputs: Sequence[Coordinate],
    outputs: Sequence[Carrier | Coordinate] | None,
) -> Sweep:
    outputs = list(m.bodies) if outputs is None else outputs
    linkage = Linkage(m)
    kept = regularity(linkage, path.at(float(s[0]))).kept

    def passing(at: float) -> Transmission:
        return kinestatics_of(m, path.motion(at)).transmission(inputs, outputs)

    def loop(at: float) -> float:
        return float(linkage.margin(linkage.kinematics.place(path.at(at)), kept))

    each = [passing(at) for at in s.tolist()]
    motions = min(one.A.shape[1] for one in each)
    spare = {"input": max(0, motions - len(each[0].A)), "output": max(0, motions - len(each[0].B))}  # left open anyway
    margins: dict[Kind, Array] = {side: np.array([one.margin(side, spare[side]) for one in each]) for side in SIDES}
    if linkage.topology.loops:
        margins["loop"] = np.array([loop(at) for at in s.tolist()])
    found = []
    for kind, values in margins.items():
        at_node = Determinant(each, passing, kind) if kind != "loop" else None

        def margin(at: float, kind: Kind = kind) -> float:
            return loop(at) if kind == "loop" else passing(at).margin(kind, spare[kind])

        for at in zeros(s, values, margin, at_node):
            found.append(Singular(at, kind, margin(at), path.motion(at), path.label))
    return Sweep(m.name, path.label, s, margins, tuple(sorted(found, key=lambda one: one.s)))
