"""Mechanisms drawn at random that want assembling, or have bodies without mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from visviva._arrays import Array
from visviva.testing.random_mechanisms import Call, RandomMechanism, random_mechanism

OPEN = 0.01  # of the unit of length: how far joints are open as built


def varied_mechanism(seed: int) -> RandomMechanism:
    """The mechanism of a seed; of every third one rods and balls that close loops do not fit as built, and every fourth
    one swings a particle on a massless rod.
    """
    drawn, dice = random_mechanism(seed), np.random.default_rng([seed, 0, 1])
    if seed % 3 == 0:
        drawn = replace(drawn, calls=tuple(part for call in drawn.calls for part in _opened(call, drawn, dice)))
    if seed % 4 == 0:
        drawn = replace(drawn, calls=(*drawn.calls, *_massless(drawn, dice)))
    return drawn


def _opened(call: Call, drawn: RandomMechanism, dice: np.random.Generator) -> Iterator[Call]:
    """A rod of another length than as built; a ball whose halves are apart."""
    shift = OPEN * drawn.length * _direction(dice)
    if call.method == "distance":
        built = float(np.linalg.norm(np.subtract(call.options["at_b"], call.options["at_a"])))
        yield replace(call, options=call.options | {"length": _short(built + shift[0])})
    elif call.method == "spherical" and call.name.startswith("loop"):
        at = np.array(call.options["at"])
        for end, place in zip(call.ends, (at, at + shift), strict=True):
            yield Call("frame", f"{call.name}_{end}", (end,), {"at": [_short(value) for value in place]})
        options = {key: value for key, value in call.options.items() if key != "at"}
        yield Call("spherical", call.name, tuple(f"{call.name}_{end}" for end in call.ends), options)
    else:
        yield call


def _massless(drawn: RandomMechanism, dice: np.random.Generator) -> Iterator[Call]:
    """A rod without mass on a hinge of a body or the ground, and a particle at its end."""
    bodies = [call for call in drawn.calls if call.method == "body"]
    carrier = bodies[int(dice.integers(len(bodies)))] if bodies else None
    pin = np.array(carrier.options["at"] if carrier else [0.0, 0.0, 0.0]) + 0.2 * drawn.length * _direction(dice)
    arm = 0.4 * drawn.length * _direction(dice)
    axis = np.cross(arm, _direction(dice))
    middle, end = ([_short(value) for value in pin + part * arm] for part in (0.5, 1.0))
    yield Call("body", "rod", (), {"massless": True, "at": middle})
    yield Call("revolute", "pin", (carrier.name if carrier else "ground", "rod"), {
        "at": [_short(value) for value in pin], "axis": [_short(value) for value in axis / np.linalg.norm(axis)],
    })  # fmt: skip
    yield Call("particle", "bob", (), {"mass": _short(drawn.mass * dice.uniform(0.2, 2.0)), "at": end})
    yield Call("spherical", "eye", ("rod", "bob"), {})


def _direction(dice: np.random.Generator) -> Array:
    v = dice.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _short(value: float) -> float:
    """Four digits, which can be read."""
    return float(f"{value:.4g}")
