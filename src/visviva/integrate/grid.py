"""Steps of one length that end where a run ends, and what a user should know about them."""

from __future__ import annotations

from visviva.results.notes import Caution

FITS = 1e-6  # of a step: what may be missing at the end


def fitted_steps(span: float, h: float) -> tuple[int, float, list[str]]:
    """Number and length of the steps over a time span, at least one, and a note where that is not the h asked for."""
    n = max(1, round(span / h))
    if abs(n * h - span) <= FITS * h:
        return n, h, []
    fitted = span / n
    if round(span / h) == 0:
        return (
            n,
            fitted,
            [
                Caution(
                    f"the run of {span:g} s is shorter than half a step of h = {h:g} s, and was made in one step. "
                    "simulate() takes t_end before h: were they swapped?"
                )
            ],
        )
    return n, fitted, [f"h changed from {h:g} to {fitted:.12g} s, so that {n} steps end at t_end"]


def divided_notes(steps: int) -> list[Caution]:
    """The note on steps that had to be divided, if there were any."""
    if not steps:
        return []
    return [Caution(f"{steps} steps had no solution and were divided into smaller ones; reduce h where that matters")]
