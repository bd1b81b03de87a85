"""What may still be wrong with a run whose laws hold: steps too large, turns miscounted, friction not resolved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.parts import Body
from visviva.model import Kinetic, Model
from visviva.model.friction import LawFriction
from visviva.model.heat import Heated
from visviva.results.columns import highest
from visviva.results.notes import DRIVE_JUMPS, TOO_LONG
from visviva.results.powers import entropy_names
from visviva.results.run import FIRST_LAW
from visviva.results.singularity import singular_warning

if TYPE_CHECKING:
    from visviva.results.run import Run

SPEED_WARNING = 0.02  # |g_v| relative to the size of its terms: beyond it the step is too large
SPIN_WARNING = 1.0  # angle of a body per step; the schemes are of second order in it
TURN_WARNING = 0.75 * np.pi  # angle per step; half a turn could no longer be told from its opposite
DRIFT_WARNING = 1e-5  # of the energy, by schemes that do not keep it: what they miss of the motion is of this size
JUMPS_WARNING = 3  # steps over the speeds in which a regularised friction sets in


def audit_warnings(run: Run, g_v: float | None) -> Iterator[str]:
    """The notes and warnings of the run, and what else its record shows."""
    yield from dict.fromkeys([*run.notes, *run.warnings, *long_steps(run, g_v)])
    if 1e-9 * run.energy_unit < run.energy_scale < 1e-3 * run.energy_unit:  # not where everything is at rest
        yield (
            f"terms of the balance are so large that rounding hides changes below {FIRST_LAW * run.energy_unit:.2g} J; "
            "relative figures refer to that. Small motions on long springs round so, and places far from the origin."
        )
    singular = singular_warning(run)
    if singular:
        yield singular
    redundant = _redundant(run)
    if redundant:
        yield (
            f"redundant constraints in {', '.join(redundant)}: follow from the others and are checked at every step; "
            "their reactions are the ones of least norm."
        )


def long_steps(run: Run, g_v: float | None) -> Iterator[str]:
    """Signs in the record of a run that its steps are too long for its motion."""
    if g_v is not None and g_v > SPEED_WARNING and not _drive_jumps(run):
        yield (
            f"velocities violate the constraints by {g_v:.2g} of their size: the step is too large for this motion. "
            "Exact energy is no proof of accuracy; halve h, or use PHMPGGL."
        )
    if _spin_bound(run) <= SPIN_WARNING:
        return
    spin, body = _largest_spin(run)
    if spin > SPIN_WARNING:
        yield f"{body} turns by about {spin:.2g} rad per step: the motion is not resolved. Reduce h."


def record_warnings(run: Run, g_v: float) -> Iterator[str]:
    """What else the record of a run shows that `simulate` warns of; of signs of too long steps the first is enough."""
    if not any(note.startswith(TOO_LONG) for note in run.notes):
        yield from islice(long_steps(run, g_v), 1)
    drift = abs(float(run.record.drift.sum())) / run.energy_unit
    if not run.exact and drift > DRIFT_WARNING and not _drive_jumps(run):
        yield (
            f"energy is off by {drift:.2g} of its scale; {type(run.integrator).__name__} does not keep it, so "
            "that this measures the error of the motion. Take a smaller h or tolerance."
        )
    turn = float(run.record.turn.max(initial=0.0))
    if turn > TURN_WARNING:
        yield f"a joint turned by {turn:.2g} rad in one step: its angle may be wrong by whole turns. Reduce h."
    yield from _crossed_lines(run)
    yield from _unresolved_frictions(run)


def _crossed_lines(run: Run) -> Iterator[str]:
    """Distances below zero: the row ẏ = l̄ l_dot of compiled steps, y = ½ l², has two roots, which meet at zero."""
    for box in () if run.model.definition is None else run.model.definition.boxes:
        for port in box.lengths:
            below = run.record.x[:, run.model.layout.x[box.length(port)]].min(axis=1) < 0
            if below.any():
                yield (
                    f"the two points of port {port!r} of box {box.name!r} met before t = "
                    f"{run.record.t[int(np.argmax(below))]:.6g} s, and its distance went on below zero: nothing after "
                    "that is right. Keep them apart, run it with compiled=False, or give a point and an axis."
                )


def _drive_jumps(run: Run) -> bool:
    """Whether the rate of a drive jumps in the run, which its notes say: rates or energies are off by that."""
    return any(note.startswith(DRIVE_JUMPS) for note in run.notes)


def _spin_bound(run: Run) -> float:
    """An angle that no body of a mechanism turns by in a step: all energy would be in the one that turns most easily.

    T ≥ ½ min(e) Σ|ḋ_i|² = min(e) |ω|² where e are the moments of the directors, else T ≥ ½ min(I) |ω|²; and the energy
    scale of a run is at least T. So most runs need not be looked at node by node.
    """
    least = run.model.kept.get("moment")
    if least is None:
        least = run.model.kept["moment"] = _least_moment(run.model)
    return float(run.record.h.max(initial=0.0) * np.sqrt(run.energy_scale / least)) if least > 0 else np.inf


def _least_moment(model: Model) -> float:
    """min(e) or ½ min(I) of all bodies; zero where that is not known."""
    least = np.inf
    for body in () if model.definition is None else model.definition.bodies:
        if isinstance(body, Body):
            kinetic = model.kinetic.get(f"{body.name}.v")
            if not isinstance(kinetic, Kinetic):
                return 0.0
            M, directors = kinetic.M, len(kinetic.M) != 6
            turning = slice(3, None) if directors else slice(0, 3)
            plain = not np.any(M - np.diag(np.diag(M)))
            values = np.diag(M)[turning] if plain else np.linalg.eigvalsh(M)
            least = min(least, float(values.min()) * (1.0 if directors else 0.5))
    return least


def _largest_spin(run: Run) -> tuple[float, str]:
    """Largest angle that a body turns in a step, from the scheme's own velocities at the kept nodes.

    Directors d_i of a body turn with |ω|² = ½ Σ|ḋ_i|².
    """
    if run.model.definition is None or not run.record.steps:
        return 0.0, ""
    bodies = [part.name for part in run.model.definition.bodies if isinstance(part, Body)]
    if not bodies:
        return 0.0, ""
    at = [run.model.layout.x[f"{name}.v"] for name in bodies]
    directors = at[0].stop - at[0].start != 6
    starts, count = np.array([part.start + 3 * directors for part in at]), 9 if directors else 3
    v = _columns(run.record.x, starts, count)
    square = np.einsum("tbi,tbi->tb", v, v) * (0.5 if directors else 1.0)
    h = run.record.h
    if (h == h[0]).all():
        spins = h[0] * np.sqrt(highest(square))
    else:
        spins = (h[:, None] * np.sqrt(np.maximum(square[:-1], square[1:]))).max(0)
    worst = int(spins.argmax())
    return float(spins[worst]), f"body {bodies[worst]!r}"


def _columns(x: Array, starts: Any, count: int) -> Array:
    """Runs of so many columns, (rows, runs, count); where they begin an equal way apart, x is not copied."""
    apart = np.diff(starts)
    if len(starts) > 1 and apart[0] > 0 and (apart == apart[0]).all():
        strides = (x.strides[0], int(apart[0]) * x.strides[1], x.strides[1])
        return np.lib.stride_tricks.as_strided(
            x[:, starts[0] :], (len(x), len(starts), count), strides, writeable=False
        )
    return x[:, starts[:, None] + np.arange(count)]


def _unresolved_frictions(run: Run) -> Iterator[str]:
    """Frictions whose speed jumps over zero by more than `v_reg`, the speed within which they are made smooth.

    The speed is the effort in the middle of a step; only steps that follow each other directly are compared.
    """
    model, record = run.model, run.record
    inner = {part: part.inner if isinstance(part, Heated) else part for part in model.dissipations}
    smooth = {part: v for part in model.dissipations if (v := getattr(inner[part], "v_reg", None)) is not None}
    if not smooth or record.steps < 2:
        return
    ends = record.x_before, record.x[1:]
    z = model.mean_z(*ends, record.w_mid)
    consecutive = record.count[1:] == 1
    hot = entropy_names(model)
    for part, v_reg in smooth.items():
        if isinstance(rubbing := inner[part], LawFriction):
            q, e = model.local(part, 0.5 * (ends[0] + ends[1]), z, ends)
            v = rubbing.speed(q, e)[:, None]
        else:
            v = z[:, model.layout.act(tuple(name for name in part.acts if name not in hot))]
        jumps = (v[:-1] * v[1:] < 0) & (np.abs(np.diff(v, axis=0)) > v_reg)
        count = int((jumps.any(-1) & consecutive).sum())
        if count >= JUMPS_WARNING:
            yield (
                f"the speed of {part.name!r} jumps over zero by more than its v_reg = {v_reg:g} in {count} steps: how "
                "friction sets in is not resolved. Energy is exact all the same; reduce h, or enlarge v_reg."
            )


def _redundant(run: Run) -> list[str]:
    rows = zip(run.model.kinds, run.final.active, strict=True)
    return list(dict.fromkeys(name for (name, _), solved in rows if not solved))
