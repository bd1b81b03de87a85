"""The sparse matrix of a compiled step, and differences of the rows that it is the derivative of."""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva.compiler.elimination import both_levels, sparse_pattern
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state

SCHEMES = {"PHMP": vv.PHMP, "PHMPGGL": vv.PHMPGGL, "LieMidpoint": vv.LieMidpoint}
H = 0.01


def stepper(m, scheme, along_tree=None):
    model = vv.compile(m, SCHEMES[scheme].form)
    state, _ = start_state(model, None, SCHEMES[scheme](), lambda _: np.zeros(0))
    return MachineStepper(model, vv.Newton(), state, H, along_tree=along_tree, rates=scheme == "PHMPGGL"), state


def matrix_and_slopes(m, scheme):
    """The sparse matrix of a step at its solution, and differences of its rows there."""
    from visviva.kernels.multibody.advance import trial
    from visviva.kernels.multibody.ggl_tables import KIN_T
    from visviva.kernels.multibody.tables import FORCE

    steps, state = stepper(m, scheme, along_tree=False)
    u = np.zeros((1, len(steps.nodes), steps.inputs))
    y = steps.many(state, H, u).rate[0]
    steps._read(state)
    c, s, k = steps.c, steps.s, steps.c.unknowns - len(steps.c.w)

    def residual(y):
        trial(
            c.machine,
            c.elements,
            steps.losses,
            steps.conditions,
            steps.boxes,
            s,
            steps.sparse,
            steps.level,
            u[0, 0],
            H,
            y,
        )
        found = [c.machine.B[:-1, FORCE : FORCE + 6].ravel(), c.machine.gap]
        if steps.level is None:
            return np.concatenate(found)
        return np.concatenate([steps.level.B[:-1, KIN_T : KIN_T + 6].ravel(), c.machine.gap, found[0], steps.level.gap])

    residual(y)
    rows, cols, chosen = pattern = sparse_pattern(c, s)
    values = steps.sparse.graph.V
    if steps.level is not None:
        (rows, cols, chosen), values = both_levels(pattern, c, s), steps.level.V
    matrix = np.zeros((len(y), len(y)))
    np.add.at(matrix, (rows, cols), values[chosen])
    exact = np.array([(residual(y + d) - residual(y - d)) / 2e-5 for d in 1e-5 * np.eye(len(y))]).T
    lam = slice(k, c.unknowns)
    exact[:, lam] /= H  # impulses are h λ
    if steps.level is not None:
        gam = slice(c.unknowns + k, None)
        exact[:, lam], exact[:, gam] = exact[:, gam], exact[:, lam].copy()
    return matrix, exact
