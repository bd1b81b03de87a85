"""Sources whose efforts jump: schemes whose states do not follow refuse that, others say what is true from there on."""

from __future__ import annotations

import dataclasses

import numpy as np

from visviva.errors import ModelError
from visviva.integrate.given_efforts import alternating_sources
from visviva.integrate.inputs import BadInput, TimeInputs
from visviva.integrate.integrator import AbstractIntegrator, AbstractOuter
from visviva.integrate.jumps import SAMPLES, SMALL, WALKED, JumpFinder, breaks_between, rounded
from visviva.model import Model
from visviva.results.notes import Caution


def refuse_jumps(inputs: TimeInputs, scheme: AbstractIntegrator, start: float, end: float) -> None:
    """An error where an effort that is given jumps inside of a run, and states of the scheme would not follow."""
    if scheme.follows_jumps:
        return
    for name in inputs.efforts:
        t = first_jump(inputs, name, start, end)
        if t is not None:
            raise ModelError(
                f"the effort of source {name!r} jumps at t = {t:.6g} s: it takes an impulse to follow that, and states "
                f"of {_named(scheme)} never would.\nUse vv.DiscreteGradient(), whose states have it after one step, or "
                "a ramp of some steps; or go on from\nvv.consistent(...) in a run that starts there."
            )


def source_notes(
    model: Model, inputs: TimeInputs, scheme: AbstractIntegrator, start: float, end: float, *, quiet: bool
) -> list[str]:
    """What a user should know where the effort of a source jumps, and states alternate about it from there on.

    quiet: whether functions of the user must not be called for it.
    """
    if quiet or not inputs.efforts or not scheme.follows_jumps:
        return []
    missed = {name: mean.storage.name for name, mean in inputs.means.items() if mean.missed}
    curved = {name: part for name, part in (alternating_sources(model) | missed).items() if name in inputs.efforts}
    found = {name: t for name in curved if (t := first_jump(inputs, name, start, end)) is not None}
    return [
        Caution(
            f"the source {name!r} jumps at t = {t:.6g} s, and the energy of {curved[name]!r} is not quadratic: from "
            "there on its states alternate about what is given, at any h. A ramp of some steps does not do that, nor "
            "do storages of one number each whose effort grows with it from zero on."
        )
        for name, t in found.items()
    ]


def _named(scheme: AbstractIntegrator) -> str:
    return type(scheme.inner if isinstance(scheme, AbstractOuter) else scheme).__name__


def first_jump(inputs: TimeInputs, name: str, start: float, end: float) -> float | None:
    """The first time inside of a time span at which the effort of a source jumps [s].

    By the breaks that are known; else by samples.
    """
    own = dataclasses.replace(inputs, functions={}, laws={}, efforts={name: inputs.efforts[name]}, breaks=(), means={})
    apart = rounded(start, end)
    known = breaks_between(own, start, end, WALKED)
    try:
        if not known:
            return JumpFinder(own).first(start, end)
        times = np.concatenate([np.linspace(start, end, SAMPLES), known])
        size = np.abs([own(t) for t in times.tolist()]).max(0)
        for t in known:
            if (np.abs(own(t + apart) - own(t - apart)) > SMALL * size).any():
                return t
    except BadInput:  # the step that asks for it says so
        pass
    return None
