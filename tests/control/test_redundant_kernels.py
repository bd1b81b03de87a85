"""Kernels of redundant inputs, run as plain Python, for forces of any rank: what `control.allocation` finds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.control.allocation import limited, redundancy, unlimited
from visviva.control.compiled_law import _redundant
from visviva.kernels.control import tracking
from visviva.kernels.control.redundant import Redundant
from visviva.kernels.functions import Kernel
from visviva.kernels.quadratic_program import workspace


def spd(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


def memory(M, b, B, M_bar, b_bar, weight, limits):
    """What `choose_inputs` takes of a `Control`."""
    (n, nu), (W, l) = B.shape, limits
    own = dict(zip(Redundant._fields, _redundant(weight, len(l)), strict=True))
    parts = {f"re_{name}": x for name, x in own.items()}
    parts |= {f"qp_{name}": x for name, x in workspace(nu, len(l))._asdict().items()}
    return SimpleNamespace(
        **parts, M=M[None].copy(), b=b.copy(), B=B, M_bar=M_bar.copy(), b_bar=b_bar, W=W, l=l, Y=np.zeros((nu, n)),
        Z=np.zeros((nu, n)), H=np.zeros((nu, nu)), u0=np.zeros(nu), u=np.zeros(nu), active=np.full(nu, -1),
        multipliers=np.zeros(len(l)), report=np.zeros(2), status=np.zeros(3, dtype=np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_inputs_are_those_of_the_two_programmes(seed, monkeypatch):
    monkeypatch.setattr(Kernel, "__call__", lambda kernel, *arguments: kernel.py_func(*arguments))
    rng = np.random.default_rng(seed)
    n, nu = rng.integers(2, 7), rng.integers(2, 10)
    rank = rng.integers(1, min(n, nu) + 1)
    M, b, M_bar, b_bar = spd(rng, n), rng.normal(size=n), spd(rng, n), 10 * rng.normal(size=n)
    B, weight = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, nu)), spd(rng, nu)
    room = rng.uniform(0.1, 2.0, 2 * nu) + (1e3 if seed % 4 == 0 else 0.0)
    limits = np.vstack([np.eye(nu), -np.eye(nu)]), room
    u0, H = unlimited(M, b, B, M_bar, b_bar, weight)
    wanted = limited(H, u0, limits, redundant=redundancy(B, weight))
    c = memory(M, b, B, M_bar, b_bar, weight, limits)
    assert tracking.choose_inputs(c) == tracking.FINE
    assert_allclose(c.u0, u0, atol=1e-9 * np.abs(u0).max())
    assert_allclose(c.u, wanted.u, atol=1e-9 * np.abs(wanted.u).max())
    costs = H @ (wanted.u - u0) @ (wanted.u - u0) > 1e-10 * u0 @ H @ u0
    assert c.status[1] == costs
