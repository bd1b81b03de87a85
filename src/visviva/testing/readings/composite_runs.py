"""Runs of a mechanism as a composite of the language: alone, and joined to another composite."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.errors import RunWarning
from visviva.integrate import DiscreteGradient, LieMidpoint, simulate
from visviva.language import Composite, Quantity, compose, storage
from visviva.library.joints import rod
from visviva.library.multibody import spring
from visviva.mechanism import Mechanism
from visviva.mechanism.composite.wiring import box_names
from visviva.mechanism.parts import Particle
from visviva.testing.laws import require
from visviva.testing.readings.instant import Instant

if TYPE_CHECKING:
    from visviva.results import Run

FIRST_LAW = 1e-13
CLOSED = 1e-11  # of angles, and of shifts over arms, that joints of products of axes keep
SAME = 1e-11  # of poses, in units of length: rounding
MEASURE = Quantity("R1", "measure")
SHORTER = (1, 8, 64)  # parts of the step of the case at which the order is looked for; stiff ones need short steps


def composite_run(now: Instant) -> None:
    """The composite moves as the mechanism does, with order 2 between them; the first law holds, joints stay closed.

    Joints that keep an angle beside a length or another angle, screws and gears, open by O(h²).
    """
    for part in SHORTER:
        h = now.case.h / part
        (coarse, wide), (fine, narrow) = (_gap(now, step, n) for step, n in ((h, 4), (h / 2, 8)))
        if coarse >= 3.0 * fine or fine <= SAME:
            break
    if not (coarse >= 3.0 * fine or fine <= SAME):
        raise AssertionError(f"order: both differ by {coarse:.3g}, with half the step by {fine:.3g}")
    if not (narrow <= CLOSED or wide >= 3.0 * narrow):
        raise AssertionError(f"joints: open by {wide:.3g}, with half the step by {narrow:.3g}")


def joined_composite(now: Instant) -> None:
    """The composite, joined by a spring to that of another mechanism: energy goes between them, and none is lost."""
    m, unit = now.case.mechanism, now.units
    body = next(part for part in m.bodies if part.mass)
    own = box_names(m.definition)[body.name]
    place = np.asarray(now.motion.q[body.name])[:3]
    other = Mechanism("other")
    other.particle("weight", mass=unit.mass, at=place + unit.length)
    stiffness, y = unit.energy / unit.length**4, 1.5 * unit.length**2
    line = spring(
        (rod(),),
        particles=(isinstance(body, Particle), True),
        energy=storage({"y": MEASURE}, H=lambda x, k, y0: 0.5 * k * (x.y - y0) ** 2, k=stiffness, y0=0.5 * y),
    )
    boxes = {"own": m.system(expose=body.name), "other": other.system(expose="weight"), "line": line}
    junctions: dict[str, tuple[str, ...]] = {
        f"{letter}_{own}": (f"own.{letter}_{own}", f"line.{letter}_1") for letter in "qp"
    }
    junctions |= {f"{letter}_weight": (f"other.{letter}_weight", f"line.{letter}_2") for letter in "qp"}
    state = m.system_state(now.motion)
    inputs = {port: f"flux_{port}" if f"flux_{port}" in state else port
              for port in boxes["own"].interface if port not in junctions}  # fmt: skip
    junctions |= {junction: (f"own.{port}",) for port, junction in inputs.items()}
    pair = compose("pair", boxes, junctions, outer=inputs)
    start = {name if name in junctions else f"own.{name}": x for name, x in state.items()}
    start |= other.system_state() | {"line.y": np.array([y])}
    run = _run(now, pair, now.case.h, 4, initial=start)
    require("first law", run.audit().first_law or 0.0, 0.0, FIRST_LAW, 1.0)
    given = float(np.ptp(run["energy.line.pe"]))
    if not given > 0.0:
        raise AssertionError(f"nothing goes through the spring between {body.name!r} and another mechanism")


def _gap(now: Instant, h: float, n: int) -> tuple[float, float]:
    """How far poses of both are apart after n steps, in units of length, and how far joints of the composite open."""
    m = now.case.mechanism
    names = box_names(m.definition)
    own = _run(now, m, h, n, initial=now.motion)
    run = _run(now, m.system(), h, n, initial=m.system_state(now.motion))
    audit = run.audit()
    require("first law", audit.first_law or 0.0, 0.0, FIRST_LAW, 1.0)
    apart = [run[f"q_{names[body.name]}"][-1] - own.final.x[own.model.layout.x[f"{body.name}.q"]] for body in m.bodies]
    sizes = [np.where(np.arange(len(one)) < 3, now.units.length, 1.0) for one in apart]
    return float(np.abs(np.concatenate(apart) / np.concatenate(sizes)).max()), float(audit.g or 0.0)


def _run(now: Instant, what: Mechanism | Composite, h: float, n: int, **options: Any) -> Run:
    """A few steps in NumPy, without warnings: what they would say is measured."""
    scheme = LieMidpoint if isinstance(what, Mechanism) else DiscreteGradient
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return simulate(what, n * h, h, inputs=now.case.inputs, integrator=scheme(compiled=False), **options)
