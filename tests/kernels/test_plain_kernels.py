"""Kernels of mechanisms as plain Python, one by one: what a run never shows, because its steps are good."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONTRACTS = Path(__file__).parent.parent / "contracts"
PROGRAM = """
import dataclasses
import json
import numpy as np
import visviva as vv
from catalogue import MECHANISMS
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state
from visviva.kernels.multibody.accounts import worst_gap

found = {}
for name in ("sleeve", "table", "flyers", "heavy top", "four bar"):
    model = vv.compile(MECHANISMS[name](), "directors")
    state, _ = start_state(model, None, vv.PHMP(), lambda _: np.zeros(0))
    steps = MachineStepper(model, vv.Newton(), state, 0.01)
    for body in model.definition.bodies:
        at = model.layout.x[f"{body.name}.q"]
        for axis in range(3):
            x = state.x.copy()
            x[at.start + axis] += 1e-3
            steps._read(dataclasses.replace(state, x=x))
            theirs = float((np.abs(model.g(x)) / model.g_scale(x)).max())
            ours = float(worst_gap(steps.c.machine.X, steps.c.machine.K, steps.c.machine.sizes[1]))
            found[f"{name}: {body.name} {axis}"] = (ours, theirs)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def gaps():
    """Largest relative g that compiled steps would report, and that of the model, by mechanism, body and direction."""
    paths = os.pathsep.join([str(CONTRACTS), *filter(None, sys.path)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_body_out_of_place_shows_in_any_direction(gaps):
    """The same to a factor, for the model measures each row by its largest term, and steps by the sum of all."""
    assert len(gaps) == 42
    moved = {name: pair for name, pair in gaps.items() if pair[1] > 1e-8}
    assert len(moved) > 30
    wrong = {name: pair for name, pair in moved.items() if not 0.05 < pair[0] / pair[1] < 2.5}
    assert not wrong


def test_not_a_number_is_the_largest_wherever_it_comes():
    from visviva.kernels.multibody.algebra import exceeds as kernel

    exceeds = kernel.py_func  # type: ignore[attr-defined]

    nan = float("nan")
    assert exceeds(2.0, 1.0)
    assert not exceeds(1.0, 1.0)
    assert exceeds(nan, 1.0)
    assert not exceeds(1.0, nan)
