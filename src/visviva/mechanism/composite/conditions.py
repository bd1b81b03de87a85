"""Gears, drives, rolling, blades and own constraints as boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from visviva.language import AbstractSystem, Composite, Reversible, compose, source
from visviva.language.trace import Pose, Traced, expressions
from visviva.library.multibody import rate_coupling, twist_rows
from visviva.library.multibody.conditions import gradient_rows
from visviva.library.multibody.coordinates import turn_counter
from visviva.library.multibody.rows import BODY, POSITION
from visviva.library.quantities import angle, momentum_along
from visviva.mechanism.composite.closure import ConditionClosure, CouplingClosure, counter_box
from visviva.mechanism.composite.joints import coupled
from visviva.mechanism.composite.wiring import Wiring, unit_of
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.contacts import height_on_body, height_on_ground
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.function_condition import FunctionCondition
from visviva.mechanism.parts import Particle
from visviva.mechanism.placements import PlacementForm
from visviva.mechanism.velocity_conditions import VelocityCondition


def add_conditions(net: Wiring) -> None:
    """One box for each condition that no joint has of its own."""
    for part in net.m.conditions:
        if part.name not in net.names:
            continue
        box = net.names[part.name]
        if isinstance(part, Coupling):
            _add_coupling(net, box, part)
            continue
        ports = {f"{letter}_{k + 1}": f"{letter}_{net.names[mover.name]}"
                 for k, mover in enumerate(part.movers) for letter in "qp"}  # fmt: skip
        closure = None if isinstance(part, VelocityCondition) else ConditionClosure(part)
        net.add(box, replace(_rows(part), closure=closure), ports)


def _add_coupling(net: Wiring, box: str, part: Coupling) -> None:
    """A row on the rates of coordinates; a drive gives the rate of its only one."""
    at = coupled(part)
    if part.law is None:
        rates = {f"r{k + 1}": net.rate(one) for k, one in enumerate(at)}
        net.add(box, _coupling(part), rates | {f"q_{k + 1}": f"q_{net.names[mover.name]}"
                                               for k, mover in enumerate(part.movers)})  # fmt: skip
        return
    (one,) = at
    net.add(box, source({"p": momentum_along(unit_of(one))}, law=part.law.rate), {"p": net.rate(one)})


def _coupling(part: Coupling) -> Composite:
    """The row of a coupling, and one turn counter for each of its angles, by which its drift is measured."""
    closure = CouplingClosure(part)
    states = {f"q_{k + 1}": (POSITION if isinstance(mover, Particle) else BODY.pose).state
              for k, mover in enumerate(part.movers)}  # fmt: skip
    counters = {counter_box(k): f"r{k + 1}" for k, term in enumerate(part.terms) if term.turns}
    units = ["rad" if term.turns else "m" for term in part.terms]
    row = rate_coupling(units, part.coefficients.tolist(), states | dict.fromkeys(counters, angle.state))
    boxes: dict[str, AbstractSystem] = {"row": replace(row, closure=closure)}
    junctions = {port: [f"row.{port}"] for port in row.interface}
    for name, rate in counters.items():
        boxes[name] = turn_counter()
        junctions[rate].append(f"{name}.r")
        junctions[name].append(f"{name}.angle")
    return compose("coupling", boxes, junctions, outer=[port for port in junctions if port not in counters])


def _rows(part: AbstractCondition) -> Reversible:
    """Of conditions over the velocities of bodies and particles."""
    particles = [isinstance(mover, Particle) for mover in part.movers]
    if isinstance(part, VelocityCondition):
        law = part.twists.law
        values, numbers = np.array(law.values, dtype=object).reshape(law.shape), part.twists.numbers
    elif isinstance(part, ContactHeight):
        values, numbers = _height(len(particles), len(part.numbers)), part.numbers
    else:
        assert isinstance(part, FunctionCondition)
        form = part.placements.form
        values, numbers = _gradients(part.g, form, tuple(particles)), part.placements.numbers
    q = _symbols("x", sum(3 if particle else 12 for particle in particles))
    return twist_rows(values, q, list(zip(_symbols("p", len(numbers)), numbers.tolist(), strict=True)), particles)


@lru_cache(256)
def _gradients(g: tuple[Any, ...], form: PlacementForm, particles: tuple[bool, ...]) -> Any:
    """Rows of functions of placements y = L q + c."""
    (L, c), q = form.matrices(), _symbols("x", form.size)
    y = expressions(L @ np.array([Traced(symbol) for symbol in q], dtype=object) + c, "a placement")
    at = dict(zip(_symbols("y", len(y)), y, strict=True))
    return gradient_rows([one.xreplace(at) for one in g], q, particles)


@lru_cache(4)
def _height(bodies: int, width: int) -> Any:
    """The row of the height of a disc's edge over its plane, on the ground or on a body."""
    q = np.array([Traced(symbol) for symbol in _symbols("x", 12 * bodies)], dtype=object).reshape(-1, 4, 3)
    numbers = np.array([Traced(symbol) for symbol in _symbols("p", width)], dtype=object)
    poses = [Pose(one[1:].T, one[0]) for one in q]
    law = height_on_ground if bodies == 1 else height_on_body
    return expressions(law(poses, poses, numbers)[:-1], "the height of a disc")[None]


def _symbols(letter: str, n: int) -> Sequence[Any]:
    import sympy

    return [sympy.Symbol(f"{letter}{k}", real=True) for k in range(n)]
