"""Shipped kernels compute what Numba would, to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from visviva.kernels.shipped import load

CATALOGUE = Path(__file__).parent.parent / "catalogue"

# Each call of a kernel is made twice, by the compiler's code and by the shipped one, with copies of all arrays.
COMPARED = """
import importlib
import warnings
import numpy as np
from visviva.kernels.functions import Kernel
from visviva.kernels.shipped import load
from visviva.kernels.shipped.entry import AbstractEntries
from visviva.kernels.shipped.layout import layout_of
from visviva.kernels.twins import kernel_of

warnings.simplefilter("ignore")
manifest = load.read_manifest()
level = load.library().level
shipped = load.linked(manifest, level, load.read_object(manifest, level))
calls, wrong, missing = {}, [], []


def copied(value):
    if isinstance(value, np.ndarray):
        copy = np.array(value, order="K")
        copy.flags.writeable = value.flags.writeable
        return copy
    if isinstance(value, tuple):
        members = [copied(member) for member in value]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    return value


def bits(value):
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return value.hex() if isinstance(value, float) else value


BY_ADDRESS = (".run_ticks", ".fly_fixed", ".fly_tilting")  # work in memory that is not among their arguments as well:
# a second call begins elsewhere


class Both(AbstractEntries):

    def __init__(self, name, sources):
        module, function = name.rsplit(".", 1)
        found = getattr(importlib.import_module(module), function)
        self.name, self.kernel = name, found if isinstance(found, Kernel) else kernel_of(found)
        self.entries = shipped.entries(name, sources)

    def function(self, arguments, layout):
        return None

    def call(self, arguments):
        given = copied(arguments)
        found, result = (False, None) if self.entries is None else self.entries.call(given)
        own = self.kernel.meaning(*arguments)
        if not found:
            missing.append((self.name, layout_of(arguments)))
        else:
            calls[self.name] = calls.get(self.name, 0) + 1
            if not self.name.endswith(BY_ADDRESS) and bits((*given, result)) != bits((*arguments, own)):
                wrong.append(self.name)
        return True, own


class Compared(load.AbstractLibrary):
    def entries(self, name, sources=None):
        ours = sources is not None or name.startswith("visviva.kernels.") and ".elementary." not in name
        return Both(name, sources) if ours else None

    def address(self, name, signature):
        return None

    def law(self, digest, signature, source):
        return None


load.use(Compared())
"""
SAMPLES = """
from visviva.cli.kernel_samples import KERNELS
for run in KERNELS.values():
    run()
"""
MOTIONS = """
import json
import warnings
import numpy as np
import visviva as vv
from visviva.errors import VisvivaError
from formulation_catalogue import CATALOGUE

warnings.simplefilter("ignore")
found = {}
for name, entry in CATALOGUE.items():
    for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4()):
        try:
            run = vv.simulate(entry.build(), t_end=0.05, h=0.005, integrator=scheme, inputs=entry.inputs)
        except VisvivaError:
            continue
        if run.engine == "compiled":
            found[f"{name}, {type(scheme).__name__}"] = [float(x).hex() for x in run.final.x]
print(json.dumps(found))
"""
FLIGHTS = """
import json
from dataclasses import replace
from visviva import copter

quad, sensors = copter.quadcopter(), copter.Sensors()
late = replace(quad, rotors=[replace(rotor, lag=0.02, drag=1e-4, radius=0.1) for rotor in quad.rotors])
found = {name: copter.fly(name, sensors=sensors).record.x for name in ("looping", "tricopter transitions")}
found["flip"] = copter.fly("flip").run["craft.r"]
found["late"] = copter.fly("looping", late, wind=(1, 0, 0), ground=0.0).run["craft.r"]
print(json.dumps({name: x.tobytes().hex() for name, x in found.items()}))
"""


def answer(program: str, **variables: str) -> dict:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(CATALOGUE), *filter(None, sys.path)])} | variables
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


FUSED = ("x86-64-v4", "x86-64-v3")  # levels whose processors round once after a product and a sum


@pytest.fixture(autouse=True)
def here():
    if not isinstance(load.library(), load.Library) or load.library().level not in FUSED:
        pytest.skip("the processor cannot fuse a product and a sum, or nothing is shipped for it")


@pytest.mark.slow
def test_every_entry_has_the_bits_of_the_compiler():
    """In every call of all samples: all arrays that it is given, and what it returns."""
    told = "import json\nprint(json.dumps([calls, sorted(set(wrong)), sorted(set(missing))]))\n"
    calls, wrong, missing = answer(COMPARED + SAMPLES + told)
    assert wrong == []
    assert missing == []
    packed = {
        "visviva.kernels.probe.probe",
        *(name for name in load.library().manifest["entries"] if ".reading." in name),
    }
    packed |= {"visviva.kernels.ticks.run_ticks", "visviva.kernels.trees.explicit.held_steps"}
    packed |= {f"visviva.copter.models.{name}" for name in ("craft_law.push_of_air", "rigid_rotors.push_of_rotors")}
    assert set(load.library().manifest["entries"]) - packed <= set(calls)


WITHOUT = """
from visviva.kernels.shipped import load
for level in {!r}:
    load.LEVELS.pop(level)
"""


@pytest.mark.slow
def test_motions_are_those_of_the_compiler_to_the_bit():
    """Whichever processor it compiles for, if that can fuse; without it, to rounding."""
    motions = answer(MOTIONS)
    assert len(motions) > 150
    assert answer(MOTIONS, VISVIVA_SHIPPED="0") == motions
    assert answer(WITHOUT.format(FUSED[:1]) + MOTIONS) == motions
    assert_close(answer(WITHOUT.format(FUSED) + MOTIONS), motions, 1e-9)


@pytest.mark.slow
def test_flights_are_those_of_the_compiler_to_the_bit():
    """By sensors and with perfect state; laws are called by address, whose memory no copy of arguments has."""
    flights = answer(FLIGHTS)
    assert len(flights) == 4
    assert answer(FLIGHTS, VISVIVA_SHIPPED="0") == flights


def assert_close(others: dict, motions: dict, bound: float) -> None:
    assert others.keys() == motions.keys()
    for name, x in motions.items():
        one, other = ([float.fromhex(value) for value in values] for values in (x, others[name]))
        size = max(1.0, *map(abs, one))
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < bound * size, name
