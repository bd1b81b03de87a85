"""Results as tables and files: pandas, xarray, CSV, NPZ."""

from __future__ import annotations

import codecs
import csv
import importlib
import zipfile
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva._files import output_file
from visviva.errors import ModelError
from visviva.results.plot_quantities import unit_at

if TYPE_CHECKING:
    from visviva.results.run import Run

ALL = ("*",)
LEFT_OUT = "(left out)"  # member of an NPZ file, where there are any: names that the record does not tell
UNITS = "(units)"  # member of an NPZ file: pairs of name and unit; no quantity has such a name


@final
@dataclass(frozen=True, eq=False)
class Table:
    """Times and columns, one for each component: `rod.r[0]`, `rod.r[1]`, …

    A row of the nodes holds what is at that time, and of what lives in steps the step that ends there; the first row
    has the first step. So no number is made up. A table of what lives in steps alone has their midpoints.

    units: of the columns.   steps: which columns are of steps, in a table of nodes.
    """

    t: Array
    columns: dict[str, Array]
    units: dict[str, str]
    steps: frozenset[str]


def table_of(run: Run, names: tuple[str, ...]) -> Table:
    """What was asked for as one table; all that lives at the nodes by default."""
    values = run.select(*(names or ALL))
    if not names:
        values = {name: value for name, value in values.items() if len(value) == len(run.t)}
    values.pop("t", None)
    at_nodes = {name for name, value in values.items() if len(value) == len(run.t)}
    mixed = bool(at_nodes) and len(at_nodes) < len(values)
    if mixed and not len(run.t_mid):
        missing = _some([name for name in values if name not in at_nodes])
        raise ModelError(
            f"the run of {run.model.name!r} has no steps, and so nothing of {missing}.\n"
            "Ask for what lives at the nodes, or make the run longer."
        )
    flat: dict[str, Array] = {}
    units: dict[str, str] = {}
    steps: set[str] = set()
    for name, value in values.items():
        held = mixed and name not in at_nodes
        numbers = np.concatenate([value[:1], value]) if held else value
        for at in np.ndindex(value.shape[1:]):
            column = name + (f"[{','.join(map(str, at))}]" if at else "")
            flat[column], units[column] = numbers[(slice(None), *at)], unit_at(run.unit(name), at, value.shape[1:])
            if held:
                steps.add(column)
    return Table(run.t if at_nodes or not values else run.t_mid, flat, units, frozenset(steps))


def to_pandas(run: Run, names: tuple[str, ...]) -> Any:
    """One table, indexed by time; units are in `attrs["units"]`, columns of steps among nodes in `attrs["steps"]`."""
    pandas = _library("pandas")
    table = table_of(run, names)
    frame = pandas.DataFrame(table.columns, index=pandas.Index(table.t, name="t"))
    frame.attrs["units"] = table.units
    frame.attrs["steps"] = sorted(table.steps)
    frame.attrs["left_out"] = list(run.left_out(*names))
    return frame


def to_xarray(run: Run, names: tuple[str, ...]) -> Any:
    """One data set with both clocks, `t` and `t_mid`; units are attributes of its variables."""
    xarray = _library("xarray")
    values = run.select(*(names or ALL))
    values.pop("t", None)
    variables = {}
    for name, value in values.items():
        clock = "t" if len(value) == len(run.t) else "t_mid"
        axes = [f"{letter}{n}" for letter, n in zip("ijk", value.shape[1:], strict=False)]  # shared by equal lengths
        unit = run.unit(name)
        variables[name] = ((clock, *axes), value, {"units": unit} if unit else {})
    clocks = {"t": ("t", run.t, {"units": "s"}), "t_mid": ("t_mid", run.t_mid, {"units": "s"})}
    left = run.left_out(*names)
    about = {"title": run.model.name} | ({"left_out": ", ".join(left)} if left else {})
    return xarray.Dataset(variables, coords=clocks, attrs=about)


def to_csv(run: Run, path: str | PathLike[str], names: tuple[str, ...]) -> None:
    """One table with a line of headers, `rod.r[0] [m]`; numbers are written so that they read back exactly.

    What lives in steps is `motor.power (step) [W]` beside what lives at the nodes.
    """
    table = table_of(run, names)

    def head(name: str) -> str:
        unit = table.units[name]
        return name + (" (step)" if name in table.steps else "") + (f" [{unit}]" if unit else "")

    write_csv(path, table.t, {head(name): column for name, column in table.columns.items()})


def write_csv(path: str | PathLike[str], t: Array, columns: dict[str, Array]) -> None:
    """A line of headers and one line for each time."""
    with output_file(path) as file:
        writer = csv.writer(codecs.getwriter("utf-8")(file))
        writer.writerow(["t [s]", *columns])
        writer.writerows(np.column_stack([t, *columns.values()]).tolist())


def to_npz(run: Run, path: str | PathLike[str], names: tuple[str, ...]) -> None:
    """One array for each name, with `t`, `t_mid`, units and names left out; `numpy.load` reads it without pickle."""
    values = run.select(*(names or ALL))
    units = np.array([[name, run.unit(name)] for name in values]).reshape(-1, 2)
    members = values | {"t": run.t, "t_mid": run.t_mid, UNITS: units}
    left = run.left_out(*names)
    if left:
        members[LEFT_OUT] = np.array(left)
    with output_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():  # numpy.savez takes no array named "file"
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(value), allow_pickle=False)


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
