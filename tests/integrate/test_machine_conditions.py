"""The matrix of a compiled step with conditions is the derivative of its residual."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.compiler.elimination import sparse_pattern
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state
from visviva.kernels.multibody.advance import trial
from visviva.kernels.multibody.tables import FORCE

H = 0.05


def on_a_plate():
    """Discs and blades on the ground and on a body that flies, and rows over a frame and a particle."""
    m = vv.Mechanism("plate", gravity=(0, 0, -9.81))
    m.body("plate", mass=3.0, inertia=(0.5, 0.7, 1.1), com=(0.1, 0.05, -0.1))
    axis = (0.3, -np.sin(1.2), np.cos(1.2))
    for name, plane in (("a", m.ground), ("b", "plate")):
        m.body(name, mass=1.0, inertia=(0.2, 0.3, 0.4), com=(0.1, 0, 0.1), at=(0.2, 0, 0.25))
        m.rolling_disc(f"edge {name}", plane, name, radius=0.3, axis=axis)
        m.knife_edge(f"blade {name}", plane, name, at=(0.2, 0.1, 0), direction=(1, 2, 0.5))
    m.particle("dot", mass=0.5, at=(1, 1, 1))
    m.frame("tip", "plate", at=(0.5, 0.2, 0.1))
    m.velocity_constraint(
        "tow", ("tip", "dot"), A=lambda tip, dot: [*np.cross(dot.r, tip.R[:, 0]), *tip.R[:, 1], *-dot.r]
    )
    return m


@pytest.mark.parametrize("form", ["directors", "lie"])
def test_the_matrix_is_the_derivative_of_the_residual(form):
    model = vv.compile(on_a_plate(), form)
    scheme = vv.PHMP() if form == "directors" else vv.LieMidpoint()
    state, _ = start_state(model, None, scheme, lambda _: np.zeros(0))
    steps = MachineStepper(model, vv.Newton(), state, H)
    c, s, sparse, n = steps.c, steps.s, steps.sparse, len(model.definition.bodies)
    steps._read(state)

    def residual(y):
        trial(c.machine, c.elements, steps.losses, steps.conditions, steps.boxes, s, sparse, None, np.zeros(0), H, y)
        return np.concatenate([c.machine.B[:n, FORCE : FORCE + 6].ravel(), c.machine.gap])

    y = np.random.default_rng(0).normal(size=c.unknowns)
    residual(y)
    rows, cols, chosen = sparse_pattern(c, s)
    matrix = np.zeros((c.unknowns, c.unknowns))
    np.add.at(matrix, (rows, cols), sparse.graph.V[chosen])
    units = np.where(np.arange(c.unknowns) < 6 * n, 1.0, 1.0 / H)  # impulses are h λ
    delta = 1e-5
    differences = [(residual(y + delta * e) - residual(y - delta * e)) / (2 * delta) for e in np.eye(c.unknowns)]
    assert_allclose(matrix, np.array(differences).T * units, rtol=0, atol=2e-7 * np.abs(matrix).max())
