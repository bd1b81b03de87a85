"""The audit as a table in plain text."""

from __future__ import annotations

import textwrap

import numpy as np

from visviva.results.audit import CONSTRAINT, Audit
from visviva.results.audit_warnings import SPEED_WARNING
from visviva.results.rounding import ROUNDINGS

WIDTH = 78
FEW = 6  # components that only pass power on; more of them share a line


def audit_text(a: Audit) -> str:
    """What `print(run.audit())` shows."""
    lines = [
        f"Audit of {a.name!r}: {a.integrator}, {a.steps} steps, t = {a.t[0]:g} … {a.t[1]:g} s",
        "─" * WIDTH,
        _figure(a, "first law", "first_law", "largest |ΔH + heat − work| of a step / scale", _closed(a)),
        _figure(a, "  drift", "drift", "the same, summed over the run"),
        _figure(
            a, "  rounding", "rounding", f"[J] of a step, ε Σ|terms|; {a.roundings:.2g} missed, {ROUNDINGS:.0f} allowed"
        ),
        *_without_verdict(a),
        _figure(a, "second law", "second_law", "smallest entropy production of a step [J/K]", a.heat_flows_forward),
        _constraints(a),
        *_nonholonomic(a),
        _figure(a, "their rate g_v", "g_v", "largest violation, relative", _within(a.g_v, SPEED_WARNING), bad="!"),
        f"{'scale':<16}{a.unit:>11.4g}  J;  {a.iterations:.1f} Newton iterations per step",
        "─" * WIDTH,
        f"{'component':<20}{'energy in [J]':>18}{'stored [J]':>18}{'exergy destroyed [J]':>22}",
    ]
    rows = {name: (part.energy_in, part.stored, part.exergy_destroyed) for name, part in a.components.items()}
    idle = [name for name, row in rows.items() if not any(row)]
    for name, row in rows.items():
        if len(idle) <= FEW or any(row):
            lines.append(f"{name:<20}{row[0]:>18.9g}{row[1]:>18.9g}{row[2]:>22.9g}")
    if len(idle) > FEW:
        lines.append(f"{f'{len(idle)} others':<20}{0:>18}{0:>18}{0:>22}  all passed on")
    if "supplied" in a.unmeasured:
        lines.append(f"{'supplied':<20}{'not measured':>18}    {a.unmeasured['supplied']}")
    accounts = a.components.values()
    total = sum(account.energy_in for account in accounts)
    stored, destroyed = sum(account.stored for account in accounts), sum(a.exergy_destroyed for a in accounts)
    lines += ["─" * WIDTH, f"{'sum':<20}{total:>18.3g}{stored:>18.9g}{destroyed:>22.9g}"]
    if a.is_thermal:
        lines += _entropies(a)
    for text in a.law_texts():
        lines += ["─" * WIDTH, text]
    for warning in a.warnings:
        lines += textwrap.wrap(f"note: {warning}", WIDTH, subsequent_indent="      ")
    lines.append(_verdict(a))
    return "\n".join(lines)


def _closed(a: Audit) -> bool | None:
    """Whether the first law is closed; None where the scheme does not claim it and it is not, or without a step."""
    if "first_law" in a.vacuous:
        return None
    return True if a.is_closed else False if a.exact else None


def _without_verdict(a: Audit) -> list[str]:
    """Why the first law has neither ✓ nor ✗, if so."""
    if _closed(a) is not None or "first_law" in a.vacuous or a.first_law is None:
        return []
    return [f"{'  no verdict':<31}{a.integrator} is not made to keep energy: this is its error"]


def _constraints(a: Audit) -> str:
    kept = _within(a.g, CONSTRAINT)
    if a.held:
        return _figure(a, "constraints g", "g", "largest violation, relative", kept)
    return _figure(a, "joints open by g", "g", "largest angle [rad] or shift / longest arm", kept or None)


def _nonholonomic(a: Audit) -> list[str]:
    """A line for constraints that have no g beside those that have one."""
    if not a.without_g:
        return []
    shown = ", ".join(a.without_g[:FEW]) + (f" and {len(a.without_g) - FEW} more" if len(a.without_g) > FEW else "")
    return textwrap.wrap(
        f"{'  on velocities':<16}{'none':>11}    rows without positions, see g_v: {shown}", WIDTH,
        subsequent_indent=" " * 31,
    )  # fmt: skip


def _within(value: float | None, bound: float) -> bool | None:
    return None if value is None else value <= bound


def _verdict(a: Audit) -> str:
    if not a.ok:
        return "NOT CLOSED: see the lines marked ✗"
    if "first_law" in a.vacuous:
        return "nothing to account for: no step was made"
    if a.first_law is None:
        return f"energy was not measured: {a.unmeasured['first_law']}"
    if _closed(a):
        return "every joule accounted for"
    return f"every joule accounted for but {a.drift:.1e} of the scale: {a.integrator} keeps energy to its accuracy only"


def _entropies(a: Audit) -> list[str]:
    """Exergy and entropy by component, where they are not the energy once more."""
    heads = f"{'component':<20}{'exergy stored [J]':>18}{'entropy stored [J/K]':>22}{'produced [J/K]':>18}"
    lines, totals = ["─" * WIDTH, heads], np.zeros(3)
    for name, account in a.components.items():
        row = np.array([account.exergy_stored, account.entropy_stored, account.entropy_produced])
        totals += row
        if row.any():
            lines.append(f"{name:<20}{row[0]:>18.9g}{row[1]:>22.9g}{row[2]:>18.9g}")
    return [*lines, f"{'sum':<20}{totals[0]:>18.9g}{totals[1]:>22.9g}{totals[2]:>18.9g}"]


def _figure(a: Audit, name: str, figure: str, meaning: str, good: bool | None = None, bad: str = "✗") -> str:
    """One line; of what was not measured it says why not, and of what is not there, that it is not."""
    value: float | None = getattr(a, figure)
    if figure in a.vacuous:
        return f"{name:<16}{'none':>11}    {a.vacuous[figure]}"
    if value is None:
        return f"{name:<15}not measured    {a.unmeasured[figure]}"
    mark = " " if good is None else "✓" if good else bad
    return f"{name:<16}{value:>11.2e}  {mark} {meaning}"
