"""Drives whose rate jumps: what is true of the motion, of velocities and of energy from there on."""

from __future__ import annotations

from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.jumps import SMALL, WALKED, rounded
from visviva.mechanism.motion_laws import MotionLaw
from visviva.results.notes import DRIVE_JUMPS, Caution

FARTHER = 4.0  # times the distance from a break at which its sides are compared


def drive_notes(inputs: TimeInputs, scheme: AbstractIntegrator, start: float, end: float, *, quiet: bool) -> list[str]:
    """What a user should know where the rate of a drive jumps inside of a run, as far as its breaks are known.

    quiet: whether functions of the user must not be called for it.
    """
    if "g_v" in scheme.preserves and scheme.multipliers:  # velocities follow in one step, with the work of that
        return []
    laws = {name: law for name, law in inputs.laws.items() if not (quiet and law.calls)}
    found = {name: t for name, law in laws.items() if (t := first_jump(law, start, end)) is not None}
    return [Caution(f"{DRIVE_JUMPS} {name!r} jumps at t = {t:.6g} s{_what(scheme)}") for name, t in found.items()]


def first_jump(law: MotionLaw, start: float, end: float) -> float | None:
    """The first time inside of a time span at which the rate of a law jumps, as far as its breaks are known [s]."""
    apart, t = rounded(start, end), start
    for _ in range(WALKED):
        t = law.next_break(t + apart)
        if not t < end - apart:
            return None
        before, after = law.rate(t - apart), law.rate(t + apart)
        around = abs(law.rate(t + FARTHER * apart) - law.rate(t - FARTHER * apart))  # of a bend, as much larger
        if abs(after - before) > max(SMALL * max(abs(before), abs(after)), 0.5 * around):
            return t
    return None


def _what(scheme: AbstractIntegrator) -> str:
    if "g_v" not in scheme.preserves:
        return (
            ": it takes an impulse to follow that. From there on the velocities of the scheme alternate about the "
            "motion, with the energies and forces that go with them, at any h; positions do not. vv.PHMPGGL has none "
            "of that, nor has a rate with a ramp of some steps."
        )
    return (
        ": it takes an impulse to follow that. The work of the impulse is not in the balance of energy, which is off "
        "by it, at any h. vv.PHMPGGL accounts for it, and so does a rate with a ramp of some steps."
    )
