"""What acts on bodies of trees in compiled loops: the plain schemes, the director engine, SciPy, energy, and refusals."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from acted_trees import FRICTIONS, GIVEN, KINDS, acted_on, everything
from numpy.testing import assert_allclose

import visviva as vv

SCHEMES = [vv.RK4(), vv.DOP853(None), vv.DOP853(), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()]


def both(m, scheme, t_end=0.02, h=0.01, inputs=None):
    """The same run in compiled code and in NumPy."""
    runs = [
        vv.simulate(m, t_end, h, integrator=dataclasses.replace(scheme, compiled=c), inputs=inputs)
        for c in (True, False)
    ]
    assert [run.engine for run in runs] == ["compiled", "NumPy"]
    assert not runs[0].notes
    return runs


def assert_same(one, two, close=1e-10):
    """States, energies, heat and work."""
    size = np.abs(two.states[-1].x).max()
    assert_allclose(one.states[-1].x, two.states[-1].x, rtol=0, atol=close * size)
    for name in two.names:
        if name.startswith(("heat.", "energy.")) or name.endswith((".work", ".u")):
            assert_allclose(one[name], two[name], rtol=0, atol=close * (1 + np.abs(two[name]).max()), err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_what_acts_is_what_acts_in_numpy(kind):
    assert_same(*both(acted_on(kind), vv.RK4(), inputs=GIVEN if kind == "inputs" else None))
