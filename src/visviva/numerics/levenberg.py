"""Levenberg and Marquardt's search: damped steps, each of which comes nearer, to where a residual is rounding.

From far away full steps of Gauss and Newton's overshoot. With a damping μ they are shorter and turn downhill; what does
not come nearer is tried again with more of it. How μ grows and falls, each search says for itself; it ends by the rule
that all iterations have, see `numerics.convergence`.

Source: Levenberg, Quart. Appl. Math. 2 (1944) 164; Marquardt, SIAM J. Appl. Math. 11 (1963) 431.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from visviva.numerics.convergence import Convergence


class Place(Protocol):
    """Where a search is: its matrices are made once, whatever dampings are tried from there."""

    @property
    def size(self) -> float:
        """Norm of the residual."""

    def tried(self, damping: float) -> Self | None:
        """After a step with this damping; None where it leads to no place."""


P = TypeVar("P", bound=Place)


def search(
    now: P, damping: float, adapted: Callable[[float, P, bool], float | None], rule: Convergence, iterations: int
) -> P:
    """The place that damped steps lead to, the nearest that was found.

    adapted:    the next damping, from the last one, the place reached, and whether the step came nearer; None: no more.
    iterations: steps that are tried, also those that are not made.
    """
    near = rule.ended(now.size)
    for _ in range(iterations):
        if near:
            break
        ahead, mu = now.tried(damping), damping
        nearer = ahead is not None and ahead.size < now.size
        if ahead is not None and nearer:
            now, near = ahead, rule.ended(ahead.size)
        elif now.size <= rule.nearly:  # rounding
            break
        following = adapted(mu, now, nearer)
        if following is None:
            break
        damping = following
    return now
