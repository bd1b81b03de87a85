"""Poses in batches: time of one call on 10⁵ elements, divided by the time of a peer for the same work."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import RigidTransform

from visviva.geometry import SE3

BATCH = 100_000
LOOP = 1_000  # single calls timed, and scaled to the batch
REPEATS = 7


def rows() -> list[tuple[str, str, float]]:
    """(case, peer, time of visviva / time of the peer)."""
    xi, eta = np.random.default_rng(0).uniform(-1, 1, (2, BATCH, 6))
    return [*against_scipy(xi, eta), *against_a_loop(xi, eta)]


def against_scipy(xi, eta):
    A, B = SE3.exp(xi), SE3.exp(eta)
    a, b = A.as_scipy(), B.as_scipy()
    cases = {
        "SE3 exp": (lambda: SE3.exp(xi), lambda: RigidTransform.from_exp_coords(xi)),
        "SE3 log": (lambda: A.log(), lambda: a.as_exp_coords()),
        "SE3 compose": (lambda: A @ B, lambda: a * b),
        "SE3 inverse": (lambda: A.inverse(), lambda: a.inv()),
    }
    return [(case, "scipy RigidTransform", ratio(ours, peer)) for case, (ours, peer) in cases.items()]


def against_a_loop(xi, eta):
    A, B = SE3.exp(xi), SE3.exp(eta)
    singles = [(x, SE3(A.R[i], A.r[i]), SE3(B.R[i], B.r[i])) for i, x in enumerate(xi[:LOOP])]
    cases = {
        "SE3 exp": (lambda: SE3.exp(xi).matrix, lambda: np.stack([SE3.exp(x).matrix for x, _, _ in singles])),
        "SE3 log": (lambda: A.log(), lambda: np.stack([a.log() for _, a, _ in singles])),
        "SE3 Ad": (lambda: A.Ad(), lambda: np.stack([a.Ad() for _, a, _ in singles])),
        "SE3 compose": (lambda: (A @ B).matrix, lambda: np.stack([(a @ b).matrix for _, a, b in singles])),
    }
    share = LOOP / BATCH
    return [(case, "Python loop", share * ratio(ours, peer)) for case, (ours, peer) in cases.items()]


def ratio(ours: Callable[[], object], peer: Callable[[], object]) -> float:
    """Best of interleaved repeats, so that a busy moment of the machine hits both."""
    times = [(seconds(ours), seconds(peer)) for _ in range(REPEATS)]
    return min(t for t, _ in times) / min(t for _, t in times)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    for case, peer, value in rows():
        print(f"{case:12}  {peer:22}  {value:.4f}  ({1 / value:.1f} times faster)")
