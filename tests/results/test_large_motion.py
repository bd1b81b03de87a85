"""Public velocities and reactions: the same for few bodies and for many, whatever the linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import MECHANISMS
from large_mechanisms import chain, four_bars, net
from numpy.testing import assert_allclose

import visviva as vv
from visviva.mechanism import linkage as linkage_module
from visviva.results.reactions import Reactions

CASES = MECHANISMS | {"chain": lambda: chain(4), "net": lambda: net(3), "four-bars": lambda: four_bars(2)}


@pytest.mark.parametrize("build", CASES.values(), ids=CASES.keys())
def test_full_and_sparse_matrices_give_the_same_velocities_and_reactions(build, monkeypatch):
    run = vv.simulate(build(), t_end=0.05, h=0.01)
    names = run.match("*.twist") + run.match("*.reaction") + run.match("*.rate")
    full = run.select(*names)
    monkeypatch.setattr(linkage_module, "FEW", 0)
    again = vv.Run(run.model, run.record, run.final, run.integrator, run.notes)
    for name, values in full.items():
        scale = max(1.0, np.abs(values).max())
        assert_allclose(again[name], values, rtol=0, atol=1e-9 * scale, err_msg=name)


@pytest.mark.parametrize("build", CASES.values(), ids=CASES.keys())
def test_reactions_are_those_of_the_index_1_form(build):
    m = build()
    run = vv.simulate(m, t_end=0.03, h=0.01)
    lie = vv.compile(m)
    x = np.zeros((len(run.t), lie.layout.size))
    for body in m.bodies:
        x[:, lie.layout.x[f"{body.name}.q"]] = run.motion.q(body)
    V = run.motion.tangent_velocities
    rows = {joint.name: lie.layout.act((joint.name,)) - lie.layout.dim for joint in m.joints if joint.joint.rows}
    multipliers = Reactions(run.motion)._node_multipliers
    for k in (0, len(x) - 1):
        w = lie.accelerations(x[k], V[k], run.record.u[k]).w
        order = np.concatenate([rows[joint.name] for joint in m.joints])
        assert_allclose(multipliers[k], w[order], rtol=0, atol=1e-8 * max(1.0, np.abs(w).max()))


@pytest.mark.slow
def test_a_thousand_links_are_read_in_seconds():
    run = vv.simulate(chain(1000), t_end=0.05, h=0.01)
    assert np.isfinite(run["joint0.reaction"]).all()
    linkage, motion = run.motion.linkage, run.motion
    C = linkage.matrix(linkage.kinematics.place(motion.configurations[-1]))
    assert np.abs(C @ motion.tangent_velocities[-1]).max() < 1e-10
