"""Jumps of traced functions: what has one is refused where it is given, since no step could balance it.

|x|, max, min and clip never jump. Where an expression changes its branch (np.where, np.sign, np.heaviside) by the sign
of some c, it is followed through c = 0 along lines in the space of its variables, one for each variable that c depends
on: from samples of the others, to the two neighbouring numbers between which c changes its sign. The values there must
be equal, to 1e-9 of the values along the line. So what counts is the expression as a whole: x² sign x has no jump.
Where no sample meets c = 0, nothing is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.language.crossings import crossings, numeric, spelled
from visviva.language.kinks import kinks_of

TOLERANCE = 1e-9  # of the values along a line: branches that are nearer meet


def refuse_jumps(value: Any, variables: Sequence[Any], what: str, way_out: str) -> None:
    """An error that names where an expression jumps as some of its symbols, the variables, move."""
    switches = {node.args[0] for node in kinks_of(value, "sign_", "case_")}
    for c in sorted(switches, key=str):
        _follow(value, c, [symbol for symbol in variables if symbol in c.free_symbols], what, way_out)


def _follow(value: Any, c: Any, moving: Sequence[Any], what: str, way_out: str) -> None:
    free = sorted(value.free_symbols, key=str)
    at = numeric([value, c], free)
    for symbol in moving:
        k = free.index(symbol)
        found = crossings(lambda y: np.sign(at(y)[1]), len(free), k)
        left, right, *ends = (at(points)[0] for points in (found.before, found.after, found.low, found.high))
        size = np.abs([left, right, *ends]).max(axis=0)
        jumps = np.flatnonzero(np.isfinite(size) & (np.abs(right - left) > TOLERANCE * size))
        if jumps.size:
            i = jumps[np.abs(found.after[jumps, k]).argmin()]
            raise ModelError(
                f"{what} jumps at {spelled(free, found.after[i], k)}:"
                f" it is {left[i]:.6g} before and {right[i]:.6g} after.\n{way_out}"
            )
