"""Singular configurations along a path of a mechanism or along a run, those of inputs, outputs and loops told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3
from visviva.mechanism import Mechanism
from visviva.mechanism.assembly import Motion, motion_of
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.motions import Coordinate
from visviva.mechanism.network import kinestatics_of
from visviva.mechanism.parts import Body, Carrier
from visviva.mechanism.paths import AbstractPath, BodyPath, JointPath
from visviva.mechanism.positions import settled
from visviva.mechanism.singular import regularity
from visviva.mechanism.transmission import SINGULAR, Transmission
from visviva.results.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["input", "output", "loop"]
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
            figure.savefig(path, dpi=150)
        return figure


def sweep(
    subject: Mechanism | Run,
    along: Coordinate | Body | None = None,
    *,
    to: float | SE3 | None = None,
    steps: int = 60,
    inputs: Sequence[Coordinate] | None = None,
    outputs: Sequence[Carrier | Coordinate] | None = None,
    hold: Sequence[Coordinate] = (),
    motion: Motion | None = None,
) -> Sweep:
    """Margins of inputs, outputs and loops along a path, and the singular configurations on it.

    subject: a mechanism, with a path; or a run, whose nodes are the path.
    along:   a joint or (joint, number) that goes to the value `to` [rad, m], or a body that goes to the pose `to` of
             its frame, an SE3, along one screw. All else follows by the least motion.
    inputs, outputs: of the transmission; default: the joint of the path, and all bodies.
    hold:    coordinates that stay, where the mechanism has more than one motion.
    motion:  where the path begins; default: as assembled.
    """
    if not isinstance(steps, int) or steps < 2:
        raise ModelError(f"steps of a sweep is a whole number of at least 2, got {steps!r}.")
    if isinstance(subject, Run):
        return _along_run(subject, along, to, inputs, outputs)
    if not isinstance(subject, Mechanism):
        raise ModelError(f"sweep takes a mechanism or a run of one, got {type(subject).__name__}.")
    m = subject.snapshot()
    path = _path(m, along, to, hold, motion_of(m, motion))
    if inputs is None:
        if isinstance(path, BodyPath):
            raise ModelError("a sweep along the way of a body needs inputs=[...], the joints that drive it.")
        inputs = [along]  # type: ignore[list-item]
    return _swept(m, path, np.linspace(path.start, path.end, steps + 1), inputs, outputs)


def _path(
    m: Mechanism, along: Coordinate | Body | None, to: float | SE3 | None, hold: Sequence[Coordinate], motion: Motion
) -> AbstractPath:
    name = along if isinstance(along, str) else getattr(along, "name", None)
    part = m.parts.get(name) if name is not None else None
    if along is None or to is None:
        raise ModelError("sweep(m, along, to=...) needs a joint and a value, or a body and a pose (SE3).")
    if isinstance(part, Body):
        if not isinstance(to, SE3):
            raise ModelError(f"body {part.name!r} goes to a pose: give to=SE3(R, r) of its frame, got {to!r}.")
        return BodyPath(m, motion, part, to)
    if isinstance(to, SE3):
        raise ModelError(f"only a body goes to a pose; {name!r} is none. A joint goes to a number.")
    return JointPath(m, motion, along, to, hold)  # type: ignore[arg-type]


@final
class _RunPath(AbstractPath):
    """The configurations of a run; between nodes, the nearest closed one to their mean."""

    def __init__(self, run: Run) -> None:
        assert run.motion is not None
        self.linkage, self.label = run.motion.linkage, "t [s]"
        self._t, self._q = run.record.t, run.motion.configurations
        self.start, self.end = float(self._t[0]), float(self._t[-1])

    def at(self, s: float) -> Array:
        k = int(np.clip(np.searchsorted(self._t, s, side="right") - 1, 0, len(self._t) - 2))
        w = (s - self._t[k]) / (self._t[k + 1] - self._t[k])
        if w in (0.0, 1.0):
            return self._q[k + int(w)]
        mean = self.linkage.kinematics.orthonormal((1 - w) * self._q[k] + w * self._q[k + 1])
        found = settled(self.linkage, mean)
        if found is None:
            raise AssemblyError(
                f"between t = {self._t[k]:.6g} s and {self._t[k + 1]:.6g} s no closed configuration is near."
            )
        return found


def _along_run(
    run: Run,
    along: object,
    to: object,
    inputs: Sequence[Coordinate] | None,
    outputs: Sequence[Carrier | Coordinate] | None,
) -> Sweep:
    if run.motion is None:
        raise ModelError(f"the run of {run.model.name!r} is not one of a mechanism: it has no joints to look at.")
    if along is not None or to is not None:
        raise ModelError("the path of a run is its motion: leave out along and to.")
    if inputs is None:
        raise ModelError("a sweep along a run needs inputs=[...], the joints that drive it.")
    return _swept(run.motion.mechanism, _RunPath(run), run.record.t, inputs, outputs)


def _swept(
    m: Mechanism,
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
    margins: dict[Kind, Array] = {
        "input": np.array([one.input_margin for one in each]),
        "output": np.array([one.output_margin for one in each]),
    }
    if linkage.topology.loops:
        margins["loop"] = np.array([loop(at) for at in s.tolist()])
    found = []
    for kind, values in margins.items():
        signs = _signs(each, kind) if kind != "loop" else None

        def margin(at: float, kind: Kind = kind) -> float:
            return loop(at) if kind == "loop" else getattr(passing(at), f"{kind}_margin")

        for at in _zeros(s, values, signs, margin, _signed(each, passing, kind)):
            found.append(Singular(at, kind, margin(at), path.motion(at), path.label))
    return Sweep(m.name, path.label, s, margins, tuple(sorted(found, key=lambda one: one.s)))


def _rows(one: Transmission, kind: Kind) -> Array:
    return one.A if kind == "input" else one.B


def _signs(each: list[Transmission], kind: Kind) -> Array | None:
    """Signs of the determinants along the path, in bases of motions that are carried on; None where there are none."""
    if any(_rows(one, kind).shape != (each[0].A.shape[1],) * 2 for one in each):
        return None
    orientation = np.cumprod([1.0, *(_turn(a, b) for a, b in pairwise(each))])
    return np.asarray(orientation * np.sign([np.linalg.det(_rows(one, kind)) for one in each]), dtype=np.float64)


def _turn(a: Transmission, b: Transmission) -> float:
    """Whether two bases of motions have one orientation: 1, or -1."""
    M, N = (one.motions.reshape(-1, one.motions.shape[-1]) for one in (a, b))
    return float(np.sign(np.linalg.det(np.linalg.pinv(M) @ N)))


def _signed(
    each: list[Transmission], passing: Callable[[float], Transmission], kind: Kind
) -> Callable[[int], Callable[[float], float]]:
    """The margin with the sign of the determinant, in the basis of node k."""

    def from_node(k: int) -> Callable[[float], float]:
        def value(at: float) -> float:
            one = passing(at)
            sign = _turn(each[k], one) * np.sign(np.linalg.det(_rows(one, kind)))
            return float(sign * getattr(one, f"{kind}_margin"))

        return value

    return from_node


def _zeros(
    s: Array,
    values: Array,
    signs: Array | None,
    margin: Callable[[float], float],
    signed: Callable[[int], Callable[[float], float]],
) -> list[float]:
    """Where a margin vanishes: between nodes of different sign, at nodes, and at minima that reach zero."""
    from scipy.optimize import brentq, minimize_scalar

    found = [float(at) for at, value in zip(s, values, strict=True) if value < SINGULAR]
    crossed = np.zeros(len(s), dtype=bool)
    if signs is not None:
        changes = (signs[:-1] * signs[1:] < 0) & (np.minimum(values[:-1], values[1:]) >= SINGULAR)
        for k in np.flatnonzero(changes).tolist():
            found.append(float(brentq(signed(k), s[k], s[k + 1], xtol=1e-12 * max(1.0, float(np.abs(s).max())))))
            crossed[k : k + 2] = True
    for k in range(1, len(s) - 1):
        low, here, high = values[k - 1 : k + 2]
        reaches = here < max(low - here, high - here)
        if here <= min(low, high) and reaches and here >= SINGULAR and not crossed[k]:
            best = minimize_scalar(
                margin, bounds=(s[k - 1], s[k + 1]), method="bounded", options={"xatol": 1e-9 * (s[k + 1] - s[k - 1])}
            )
            if best.fun < SINGULAR:
                found.append(float(best.x))
    return sorted(found)
