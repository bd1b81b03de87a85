"""Recordings: columns of a table on one clock, checked before anything is fitted to them."""

from __future__ import annotations

import codecs
import csv
import io
import math
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name

UNIFORM = 1e-3  # of the period: what times may be off by
RPM = 2000.0  # [rad/s], 19 000 rpm: speeds above are rather in rpm
HERTZ = 150.0  # [rad/s], 1400 rpm: a record that stays below is rather in Hz
LONGEST = 0.2  # [s], a period of samples: above, times are rather in ms or µs


@helpful
def read_columns(path: str | PathLike[str], *names: str) -> tuple[Array, ...]:
    """Columns of a CSV file by their headers, each an array (n,); a unit in brackets may be left out, "t" for "t [s]".

    Columns are divided by commas, semicolons or tabs. Numbers have a point. Text is UTF-8, or else Latin-1.
    """
    text = _text(path)
    divider = max(",;\t", key=text.lstrip().partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=divider)
    rows = [(reader.line_num, row) for row in reader if row]
    if len(rows) < 2:
        raise ModelError(f"{path} has {len(rows)} lines: a line of headers and one for each sample are needed.")
    headers = [head.strip() for head in rows[0][1]]
    return tuple(_column(path, headers, rows[1:], name) for name in names)


def _text(path: str | PathLike[str]) -> str:
    """Of a file, without a mark of its encoding."""
    given = Path(path).read_bytes()
    wide = given.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return given.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return given.decode("latin-1")


def _column(path: str | PathLike[str], headers: list[str], rows: list[tuple[int, list[str]]], name: str) -> Array:
    """Numbers (n,) below one header; rows: with the number of their line."""
    short = [head.partition("[")[0].strip() for head in headers]
    found = [j for j, head in enumerate(headers) if head == name] or [j for j, head in enumerate(short) if head == name]
    if not found:
        raise unknown_name(name, headers, f"the columns of {path}")
    if len(found) > 1:
        raise ModelError(
            f"{path} has {len(found)} columns {name!r}, numbers {', '.join(str(j + 1) for j in found)}: "
            f"{', '.join(repr(headers[j]) for j in found)}.\nGive the header with its unit, or rename one of them."
        )
    column, values = found[0], list[float]()
    for line, row in rows:
        try:
            values.append(float(row[column]))
        except (ValueError, IndexError):
            values.append(math.nan)
        if not math.isfinite(values[-1]):
            given = repr(row[column]) if column < len(row) else "nothing"
            raise ModelError(f"{path}, line {line}: column {headers[column]!r} has {given}, not a number.")
    return np.array(values)


def sample_times(t: ArrayLike, least: int) -> tuple[Array, float]:
    """Times [s] and their period, or an error where they are not equally spaced, or too few."""
    times = finite_array(t, "times t [s]")
    if times.ndim != 1:
        raise ModelError(f"times t [s] must be one list, got shape {times.shape}.")
    if len(times) < least:
        raise ModelError(f"{len(times)} samples are too few: at least {least} are needed for this window and model.")
    steps = np.diff(times)
    T = float(np.median(steps))
    if T > LONGEST:
        raise ModelError(
            f"times t [s] are {T:g} s apart, more than {LONGEST:g} s, in which drives and vehicles move unseen.\n"
            "Are they in ms or µs? Multiply them by 1e-3 or 1e-6."
        )
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
    """Speeds [rad/s] of values in "rad/s", "rpm" or "Hz"; without a unit the highest is 150 to 2000 rad/s."""
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
    if unit is None and values.max() < HERTZ:
        raise ModelError(
            f"{what} reach {values.max():.3g} at most: that looks like Hz.\nSay speed_unit='Hz', or speed_unit='rad/s' "
            "if they are in rad/s."
        )
    return values * factors[unit]
