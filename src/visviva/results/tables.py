"""Results as tables and files: pandas, xarray, CSV, NPZ."""

from __future__ import annotations

import codecs
import csv
import importlib
import zipfile
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva._files import output_file
from visviva.errors import ModelError
from visviva.results.port_names import power_readers

if TYPE_CHECKING:
    from visviva.results.run import Run

UNITS = "(units)"  # member of an NPZ file: pairs of name and unit; no quantity has such a name


def columns(run: Run, names: tuple[str, ...]) -> tuple[Array, dict[str, Array], dict[str, str]]:
    """Times, numbers and units of one table, one column for each component: `rod.r[0]`, `rod.r[1]`, …

    A table has one clock: what lives at the nodes and what lives at the midpoints of steps go into two.
    """
    values = _selected(run, names)
    if not names:
        values = {name: value for name, value in values.items() if len(value) == len(run.t)}
    values.pop("t", None)
    nodes = [name for name, value in values.items() if len(value) == len(run.t)]
    steps = [name for name in values if name not in nodes]
    if nodes and steps:
        raise ModelError(
            f"one table has one clock: {_some(nodes)} live at the nodes run.t, {_some(steps)} at the midpoints\n"
            "run.t_mid. Make two tables, or take run.to_npz or run.to_xarray, which hold both."
        )
    flat: dict[str, Array] = {}
    units: dict[str, str] = {}
    for name, value in values.items():
        for at in np.ndindex(value.shape[1:]):
            column = name + (f"[{','.join(map(str, at))}]" if at else "")
            flat[column], units[column] = value[(slice(None), *at)], _unit_at(run.unit(name), at, value.shape[1:])
    return run.t_mid if steps else run.t, flat, units


def _unit_at(unit: str, at: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """The unit of one component: twists and wrenches have one for each half, "rad/s, m/s"."""
    units = unit.split(", ")
    return units[at[0] * len(units) // shape[0]] if at else unit


def to_pandas(run: Run, names: tuple[str, ...]) -> Any:
    """One table, indexed by time; units are in `attrs["units"]`."""
    pandas = _library("pandas")
    t, flat, units = columns(run, names)
    frame = pandas.DataFrame(flat, index=pandas.Index(t, name="t"))
    frame.attrs["units"] = units
    return frame


def to_xarray(run: Run, names: tuple[str, ...]) -> Any:
    """One data set with both clocks, `t` and `t_mid`; units are attributes of its variables."""
    xarray = _library("xarray")
    values = _selected(run, names)
    values.pop("t", None)
    variables = {}
    for name, value in values.items():
        clock = "t" if len(value) == len(run.t) else "t_mid"
        axes = [f"{letter}{n}" for letter, n in zip("ijk", value.shape[1:], strict=False)]  # shared by equal lengths
        unit = run.unit(name)
        variables[name] = ((clock, *axes), value, {"units": unit} if unit else {})
    clocks = {"t": ("t", run.t, {"units": "s"}), "t_mid": ("t_mid", run.t_mid, {"units": "s"})}
    return xarray.Dataset(variables, coords=clocks, attrs={"title": run.model.name})


def to_csv(run: Run, path: str | PathLike[str], names: tuple[str, ...]) -> None:
    """One table with a line of headers, `rod.r[0] [m]`; numbers are written so that they read back exactly."""
    t, flat, units = columns(run, names)
    write_csv(path, t, {f"{name} [{units[name]}]" if units[name] else name: column for name, column in flat.items()})


def write_csv(path: str | PathLike[str], t: Array, columns: dict[str, Array]) -> None:
    """A line of headers and one line for each time."""
    with output_file(path) as file:
        writer = csv.writer(codecs.getwriter("utf-8")(file))
        writer.writerow(["t [s]", *columns])
        writer.writerows(np.column_stack([t, *columns.values()]).tolist())


def to_npz(run: Run, path: str | PathLike[str], names: tuple[str, ...]) -> None:
    """One array for each name, with `t`, `t_mid` and the units; `numpy.load` reads it without pickle."""
    values = _selected(run, names)
    units = np.array([[name, run.unit(name)] for name in values]).reshape(-1, 2)
    members = values | {"t": run.t, "t_mid": run.t_mid, UNITS: units}
    with output_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():  # numpy.savez takes no array named "file"
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(value), allow_pickle=False)


def _selected(run: Run, names: tuple[str, ...]) -> dict[str, Array]:
    """What was asked for; if nothing was, everything that the record of this scheme can tell."""
    if names:
        return run.select(*names)
    powers = set(power_readers(run))
    try:
        run.powers  # noqa: B018 - it is kept, and fails where the steps are no midpoints
    except ModelError:
        return {name: run[name] for name in run.names if name not in powers}
    return run.select(*run.names)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as cause:
        raise ModelError(
            f"run.to_{name}() needs {name}, which is not installed: pip install 'visviva[files]'.\n"
            "run.to_csv and run.to_npz need nothing."
        ) from cause


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
