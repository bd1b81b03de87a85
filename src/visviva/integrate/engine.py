"""Whether a run is made in compiled code, and if it could not be, why."""

from __future__ import annotations

from visviva.compiler.elimination import check_rates
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine import machine_of
from visviva.compiler.machine_feedback import machine_feedback
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.integrate.adaptive import AdaptiveStepping
from visviva.integrate.integrator import AbstractIntegrator, AbstractOuter, Advancing
from visviva.integrate.phmpggl import PHMPGGL
from visviva.model import Model
from visviva.model.control_law import laws_in
from visviva.results.notes import Caution


def engine_of(stepping: Advancing) -> str:
    """ "compiled" or "NumPy"."""
    steps = stepping.inner if isinstance(stepping, AdaptiveStepping) else stepping
    return "compiled" if steps.compiled else "NumPy"


def fallback_note(model: Model, scheme: AbstractIntegrator, engine: str) -> list[str]:
    """What a user should know where control laws, or a scheme that has a compiled form, ran without it.

    The reason is sought anew. Not every scheme has the choice, and those in minimal velocities say it themselves.
    """
    laws: list[str] = [Caution(law.fallback) for law in laws_in(model) if law.fallback]
    while isinstance(scheme, AbstractOuter):
        scheme = scheme.inner
    if engine == "compiled" or not scheme.multipliers or not getattr(scheme, "compiled", False):
        return laws
    return [*laws, slower("it", _reason(model, scheme))]


def slower(what: str, reason: str) -> Caution:
    """The note on what ran in NumPy although compiled code was asked for."""
    return Caution(
        f"{what} ran in NumPy, not in compiled code, which is slower: {reason.rstrip('.')}. Where that is meant, say "
        "compiled=False of the integrator."
    )


def _reason(model: Model, scheme: AbstractIntegrator) -> str:
    try:
        if model.definition is not None or scheme.form == "directors":
            machine_feedback(model, 0, ())
            machine_of(model)
            if isinstance(scheme, PHMPGGL):
                check_rates(model)
        else:
            build_program(model, MIDPOINT)
    except NotCompilable as reason:
        return str(reason)
    return "something in it has no compiled form for this scheme"
