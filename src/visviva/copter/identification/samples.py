"""Recordings: columns of a table on one clock, checked before anything is fitted to them."""

from __future__ import annotations

import csv
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name

UNIFORM = 1e-3  # of the period: what times may be off by
RPM = 2000.0  # [rad/s], 19 000 rpm: speeds above are rather in rpm


@helpful
def read_columns(path: str | PathLike[str], *names: str) -> tuple[Array, ...]:
    """Columns of a CSV file by their headers, each an array (n,); a unit in brackets may be left out, "t" for "t [s]".

    Columns are divided by commas, semicolons or tabs. Numbers have a point.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        divider = max(",;\t", key=first.count)
        file.seek(0)
        rows = [row for row in csv.reader(file, delimiter=divider) if row]
    if len(rows) < 2:
        raise ModelError(f"{path} has {len(rows)} lines: a line of headers and one for each sample are needed.")
    headers = [head.strip() for head in rows[0]]
    short = [head.partition("[")[0].strip() for head in headers]
    found = []
    for name in names:
        if name not in headers and short.count(name) != 1:
            raise unknown_name(name, headers, f"the columns of {path}")
        column = headers.index(name) if name in headers else short.index(name)
        values = list[float]()
        for line, row in enumerate(rows[1:], 2):
            try:
                values.append(float(row[column]))
            except (ValueError, IndexError):
                given = repr(row[column]) if column < len(row) else "nothing"
                raise ModelError(
                    f"{path}, line {line}: column {headers[column]!r} has {given}, not a number."
                ) from None
        found.append(finite_array(values, f"column {headers[column]!r} of {path}"))
    return tuple(found)


def sample_times(t: ArrayLike, least: int) -> tuple[Array, float]:
    """Times [s] and their period, or an error where they are not equally spaced, or too few."""
    times = finite_array(t, "times t [s]")
    if times.ndim != 1:
        raise ModelError(f"times t [s] must be one list, got shape {times.shape}.")
    if len(times) < least:
        raise ModelError(f"{len(times)} samples are too few: at least {least} are needed for this window and model.")
    steps = np.diff(times)
    T = float(np.median(steps))
    worst = int(np.argmax(np.abs(steps - T)))
    if not T > 0 or abs(steps[worst] - T) > UNIFORM * T:
        raise ModelError(
            f"times t [s] must have one period: most are {T:g} s apart, samples {worst} and {worst + 1} are "
            f"{steps[worst]:g} s.\nDerivatives need equal steps: interpolate to a common clock, or cut gaps out and "
            "fit the longest part."
        )
    return times, T


def signal(values: ArrayLike, what: str, n: int, columns: int | None = None) -> Array:
    """One signal (n,), or several (n, columns), on the clock of n samples."""
    array = finite_array(values, what)
    shape = (n,) if columns is None else (n, columns)
    if array.shape != shape:
        raise ModelError(f"{what} must have shape {shape}, one row for each time, got {array.shape}.")
    return array


def speeds_in_radians(values: Array, unit: str | None, what: str) -> Array:
    """Speeds [rad/s] of values in "rad/s", "rpm" or "Hz"; without a unit they must look like rad/s."""
    factors = {None: 1.0, "rad/s": 1.0, "rpm": 2 * np.pi / 60, "Hz": 2 * np.pi}
    if unit not in factors:
        raise ModelError(f"speed_unit is 'rad/s', 'rpm' or 'Hz', got {unit!r}.")
    if values.min() < 0:
        raise ModelError(
            f"{what} must not be negative, got {values.min():g}: speeds are counted in the direction in which the "
            "propeller is made to spin."
        )
    if unit is None and values.max() > RPM:
        raise ModelError(
            f"{what} reach {values.max():g}: that looks like rpm.\nSay speed_unit='rpm', or speed_unit='rad/s' if they "
            "are in rad/s."
        )
    return values * factors[unit]
