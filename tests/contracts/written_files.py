"""Every kind of file that the package writes, and readers that accept whole files only."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

import visviva as vv
from visviva.cli.samples import oscillator
from visviva.reports.blocks import Figure, Section
from visviva.reports.report import Report

FLOW = vv.HandFlow(lambda t, q, v: -q, 1, energy=lambda q, v: 0.5 * (q @ q + v @ v), name="flow")


@cache
def mechanism() -> vv.Mechanism:
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("rod", inertia=vv.inertia.cylinder(1.0, 0.02, 1.0), at=(0, 0, -0.5))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    m.torque("motor", "hinge")
    return m


@cache
def run() -> vv.Run:
    return vv.simulate(mechanism(), t_end=0.4, h=0.01, inputs={"motor": 1.0})


@cache
def trajectory() -> vv.Trajectory:
    return vv.simulate(FLOW, 2.0, 0.1, initial=([1.0], [0.0]))


@cache
def linear() -> vv.LinearSystem:
    return vv.linearise(mechanism())


@cache
def sweep() -> vv.Sweep:
    return vv.sweep(run(), inputs=["hinge"])


@cache
def graph() -> vv.BondGraph:
    parts = {"e": vv.bonds.Se(1.0), "m": vv.bonds.I(1.0), "r": vv.bonds.R(1.0), "j": vv.bonds.one()}
    return vv.BondGraph("line", parts, ["e -> j", "j -> m", "j -> r"])


@cache
def report() -> Report:
    return Report("pendulum", "", (Section("Picture", (Figure(vv.draw(mechanism()), "as built"),)),))


# what the file is called, and what writes it
KINDS: dict[str, Callable[[Path], object]] = {
    "run.csv": lambda path: run().to_csv(path),
    "run.npz": lambda path: run().to_npz(path),
    "run.html": lambda path: run().page(path),
    "energy.png": lambda path: run().plot("energy", path),
    "motion.svg": lambda path: run().plot("motion", path),
    "sankey.pdf": lambda path: run().sankey(path),
    "trajectory.csv": lambda path: trajectory().to_csv(path),
    "trajectory.png": lambda path: trajectory().plot("q", path),
    "sweep.png": lambda path: sweep().plot(path),
    "bode.png": lambda path: linear().bode(path=path),
    "mode.pdf": lambda path: linear().modes()[0].draw(path),
    "mode.gif": lambda path: linear().modes()[0].animate(path, seconds=0.2, frames=4),
    "film.html": lambda path: linear().modes()[0].animate(path, seconds=0.2, frames=4),
    "mechanism.svg": lambda path: vv.draw(mechanism(), path),
    "mechanism.png": lambda path: vv.draw(mechanism(), path),
    "pattern.svg": lambda path: vv.draw(oscillator(), path),
    "pattern.png": lambda path: vv.draw(oscillator(), path),
    "graph.pdf": lambda path: graph().draw(path),
    "report.html": lambda path: report().save(path),
    "report.tex": lambda path: Report("pendulum", "It has no pictures.", ()).save(path),
}


def write(name: str, folder: Path) -> Path:
    """One of the files; figures on the way are closed."""
    import matplotlib.pyplot as plt

    KINDS[name](folder / name)
    plt.close("all")
    return folder / name


def is_whole(path: Path) -> bool:
    """Whether a file can be read to its end."""
    return READERS[path.suffix](path)


def _csv(path: Path) -> bool:
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    times = run().t if path.stem == "run" else trajectory().t
    return len(rows) == 1 + len(times) and {len(row) for row in rows} == {len(rows[0])} and _ends(b"\n")(path)


def _npz(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        sound = archive.testzip() is None
    with np.load(path) as file:
        return sound and len(file["t"]) == len(run().t)


def _image(path: Path) -> bool:
    with Image.open(path) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()
    return True


def _ends(*ends: bytes) -> Callable[[Path], bool]:
    return lambda path: path.read_bytes().endswith(ends)


READERS: dict[str, Callable[[Path], bool]] = {
    ".csv": _csv,
    ".npz": _npz,
    ".png": _image,
    ".gif": _image,
    ".svg": lambda path: ElementTree.parse(path).getroot().tag.endswith("svg"),
    ".pdf": _ends(b"%%EOF\n"),
    ".html": _ends(b"</html>\n", b'">\n'),
    ".tex": _ends(b"\\end{document}\n"),
}
