"""Mechanisms drawn by `visviva.testing` in SI units, assembled: with the motion they start from, and their inputs."""

from __future__ import annotations

from dataclasses import dataclass

import visviva as vv
from visviva.mechanism import Motion
from visviva.testing import random_mechanism

ROUGH = ("coulomb", "stribeck")  # laws of friction that change within small parts of a motion


@dataclass(frozen=True)
class Sample:
    """mechanism: made anew, to add to.   motion: assembled.   inputs: by port, functions of time."""

    mechanism: vv.Mechanism
    motion: Motion
    inputs: dict

    @property
    def bodies(self):
        """Names of the bodies, without the particles."""
        return [part.name for part in self.mechanism.bodies if hasattr(part, "J_C")]


def sample(seed, bodies, *, dissipates=None):
    """That of `random_mechanism` with these arguments."""
    drawn = random_mechanism(seed, bodies, dissipates=dissipates, scaled=False)
    m = drawn.build()
    return Sample(m, m.assemble(fixed=())[0], drawn.input_functions)


def drawn_seeds(seeds, wanted, *, dissipates=None):
    """(seed, bodies) of those seeds whose mechanism, of two to eight bodies, is as wanted."""
    cases = ((seed, 2 + seed % 7) for seed in seeds)
    return [case for case in cases if wanted(random_mechanism(*case, dissipates=dissipates, scaled=False))]


def is_smooth(drawn):
    """Nothing in it changes within a step of a hundredth of a second: no end stops, no dry friction; no drive."""
    return not any(
        call.method == "drive" or "limits" in call.options or any(law in repr(call.options) for law in ROUGH)
        for call in drawn.calls
    )


def has_joint_rows_only(drawn):
    """No screw, coupling, drive or row of one's own, whose rates PHMPGGL has in NumPy only."""
    return not any(call.method == "screw" or call.name.startswith("condition") for call in drawn.calls)


def is_tree(drawn):
    """Whether nothing closes a loop."""
    return not any(call.name.startswith(("loop", "condition")) for call in drawn.calls)
