"""A run can be sent to another process and kept in a file."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from systems import hot

import visviva as vv


@pytest.fixture
def hot_run() -> vv.Run:
    start = {"p": 0.0, "s": 0.1, "osc.q": 1.0}
    return vv.simulate(hot(), t_end=0.5, h=0.05, initial=start, inputs={"p": lambda t: 0.1 * np.sin(t)})


@pytest.mark.parametrize("fixture", ["machine_run", "hot_run"])
def test_a_run_comes_back_with_the_same_values(request, fixture):
    run = request.getfixturevalue(fixture)
    before = {name: run[name] for name in run.names}  # what was read is not what is kept
    again = pickle.loads(pickle.dumps(run))
    assert again.names == run.names
    for name, values in before.items():
        assert_array_equal(again[name], values)
    assert str(again.audit()) == str(run.audit())
    assert repr(again) == repr(run)


def test_what_comes_back_cannot_be_changed_either(machine_run):
    again = pickle.loads(pickle.dumps(machine_run))
    with pytest.raises(ValueError, match="read-only"):
        again.t[0] = 1.0


def test_what_comes_back_continues_exactly(machine, inputs):
    run = vv.simulate(machine(), t_end=0.1, h=0.01, inputs=inputs)
    again = pickle.loads(pickle.dumps(run))
    runs = [vv.simulate(machine(), t_end=0.2, h=0.01, inputs=inputs, initial=one.final) for one in (run, again)]
    assert_array_equal(runs[0]["rod.r"], runs[1]["rod.r"])


def test_another_process_reads_it(hot_run, tmp_path):
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(hot_run))
    program = "import pickle, sys; run = pickle.load(open(sys.argv[1], 'rb')); print(repr(float(run['energy'][-1])))"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert float(done.stdout) == hot_run["energy"][-1]
