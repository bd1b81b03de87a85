"""No kernel reads or writes outside of its arrays: runs of all schemes with Numba's checks switched on.

Laws are called by address and see no array bounds; `contracts/test_compiled.py` runs them between guards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
PROGRAM = """
import numba
import numpy as np
from compiled_models import gyroscope, point
from physics_systems import GASES, charging, two_gases
from samples import sample
from systems import hot, oscillator
import visviva as vv
from visviva.geometry.embedding import SE2_SPACE, SE3_SPACE
from visviva.integrate.collocation import EnergyCollocation

try:
    numba.njit(lambda a: a[3])(np.zeros(3))
except IndexError:
    print("checks are on")

def run(what, start, integrator, h=0.1, **options):
    vv.simulate(what, t_end=5 * h, h=h, initial=start, integrator=integrator, **options)

gradient = vv.DiscreteGradient()
run(hot(), {"osc.q": 1.0, "p": 0.2, "s": 0.0}, gradient, inputs={"p": np.sin})
run(hot(), {"osc.q": 1.0, "p": 0.2, "s": 0.0}, EnergyCollocation(), inputs={"p": np.sin})
run(oscillator(), {"q": 1.0, "p": 0.2}, vv.Suzuki4(gradient))
run(charging(), {"drawn": 0.0, "q": 0.0}, gradient)
run(two_gases(), GASES, gradient, h=0.02)
for space in (SE2_SPACE, SE3_SPACE):
    run(gyroscope(space), {"x": point(space), "v": [1.0, -0.5, 0.3]}, gradient, inputs={"jets": [0.1, 0.2]})
for seed, bodies in ((21, 2), (22, 3), (25, 6)):
    drawn = sample(seed, bodies)
    for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()):
        run(drawn.mechanism, drawn.motion, scheme, h=0.005, inputs=drawn.inputs)
chain = sample(7, 3, dissipates=False)
for inner in (vv.PHMP(), vv.PHMPGGL()):
    run(chain.mechanism, chain.motion, vv.Suzuki4(inner), h=0.005, inputs=chain.inputs)
print("all ran")
"""


def test_kernels_stay_within_their_arrays(tmp_path):
    folders = ("catalogue", "contracts", "language", "library", "verification")
    paths = os.pathsep.join(str(TESTS / name) for name in folders)
    settings = {"NUMBA_BOUNDSCHECK": "1", "VISVIVA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], env=os.environ | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["checks are on", "all ran"]
