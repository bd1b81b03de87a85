"""Long runs in bounded memory: what is kept grows with the nodes that are asked for, not with the steps."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import json, re, resource, sys, time
import visviva as vv
from visviva.demo import double_pendulum

def peak():  # ru_maxrss counts the process that started this one, too
    try:
        status = open("/proc/self/status").read()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) / 1024

steps, options = int(sys.argv[1]), json.loads(sys.argv[2])
vv.simulate(double_pendulum(), 0.1, 0.001, **options)
before, began = peak(), time.perf_counter()
run = vv.simulate(double_pendulum(), steps * 0.001, 0.001, **options)
seconds = time.perf_counter() - began
audit = run.audit()
print(json.dumps({
    "before": before, "after": peak(), "seconds": seconds,
    "steps": audit.steps, "nodes": len(run.t), "first_law": audit.first_law, "ok": audit.ok, "drift": audit.drift,
    "g": float(abs(run.model.g(run.final.x)).max()),
}))
"""


def measured(steps, **options):
    """Resident memory [MB] before and after, and what the audit says, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(steps), json.dumps(options)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "options", [{"every": 1000}, {"every": 1000, "record": ["energy", "*.q"]}], ids=["every", "record"]
)
def test_a_million_steps_take_little_memory(options):
    found = measured(10**6, **options)
    assert found["steps"] == 10**6
    assert found["nodes"] == 1001
    assert found["after"] < 500
    assert found["after"] - found["before"] < 100
    assert found["ok"]
    assert found["first_law"] <= 1e-13
    assert found["drift"] <= 1e-10
    assert found["g"] <= 2e-15  # directors, too: the rounding of their lengths does not add up


def test_memory_does_not_grow_with_the_steps_of_an_interval():
    few, many = (measured(steps, every=steps // 100, record=["energy"]) for steps in (10**5, 10**6))
    assert many["after"] - many["before"] < few["after"] - few["before"] + 60
