"""Poses and screws in batches: one call on many elements."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import RigidTransform

from benchmarks.row import Row, against
from benchmarks.timing import fastest
from visviva._arrays import Array
from visviva.geometry import SE3, projective, screws


def rows(quick: bool = False) -> list[Row]:
    """Against SciPy's transforms of the same batch, and against a Python loop over a part of it."""
    batch, loop, repeats = (1_000, 10, 1) if quick else (100_000, 1_000, 7)
    xi, eta = np.random.default_rng(0).uniform(-1, 1, (2, batch, 6))
    return [
        *against_scipy(xi, eta, repeats),
        *against_a_loop(xi, eta, loop, repeats),
        *screws_against_loops(xi, eta, loop, repeats),
    ]


def against_scipy(xi: Array, eta: Array, repeats: int) -> list[Row]:
    A, B = SE3.exp(xi), SE3.exp(eta)
    a, b = A.as_scipy(), B.as_scipy()
    cases = {
        "exp": (lambda: SE3.exp(xi), lambda: RigidTransform.from_exp_coords(xi)),
        "log": (lambda: A.log(), lambda: a.as_exp_coords()),
        "composition": (lambda: A @ B, lambda: a * b),
        "inverse": (lambda: A.inverse(), lambda: a.inv()),
    }
    found = []
    for case, calls in cases.items():
        ours, theirs = fastest(calls, repeats)
        found.append(against(f"SE3 {case}, per element", ours / len(xi), "SciPy RigidTransform", theirs / len(xi)))
    return found


def against_a_loop(xi: Array, eta: Array, loop: int, repeats: int) -> list[Row]:
    A, B = SE3.exp(xi), SE3.exp(eta)
    singles = [(x, SE3(A.R[i], A.r[i]), SE3(B.R[i], B.r[i])) for i, x in enumerate(xi[:loop])]
    cases = {
        "exp": (lambda: SE3.exp(xi).matrix, lambda: np.stack([SE3.exp(x).matrix for x, _, _ in singles])),
        "log": (lambda: A.log(), lambda: np.stack([a.log() for _, a, _ in singles])),
        "Ad": (lambda: A.Ad(), lambda: np.stack([a.Ad() for _, a, _ in singles])),
        "composition": (lambda: (A @ B).matrix, lambda: np.stack([(a @ b).matrix for _, a, b in singles])),
    }
    found = []
    for case, calls in cases.items():
        ours, theirs = fastest(calls, repeats)
        found.append(against(f"SE3 {case}, per element", ours / len(xi), "Python loop", theirs / loop))
    return found


def screws_against_loops(xi: Array, eta: Array, loop: int, repeats: int) -> list[Row]:
    """The same functions one by one, and for Chasles also a loop written by hand in NumPy."""
    k, l = screws.chasles(xi).line, screws.chasles(eta).line
    pairs = list(zip(xi[:loop], eta[:loop], strict=True))
    lines = list(zip(k[:loop], l[:loop], strict=True))
    cases = [
        ("Chasles", lambda: screws.chasles(xi), "Python loop", lambda: [screws.chasles(x) for x, _ in pairs]),
        ("Chasles", lambda: screws.chasles(xi), "loop by hand", lambda: [axis(x) for x, _ in pairs]),
        (
            "reciprocal product",
            lambda: screws.reciprocal(xi, eta),
            "Python loop",
            lambda: [screws.reciprocal(x, y) for x, y in pairs],
        ),
        (
            "distance of lines",
            lambda: projective.distance(k, l),
            "Python loop",
            lambda: [projective.distance(a, b) for a, b in lines],
        ),
    ]
    found = []
    for case, batch, peer, by_one in cases:
        ours, theirs = fastest((batch, by_one), repeats)
        found.append(against(f"{case}, per element", ours / len(xi), peer, theirs / loop))
    return found


def axis(T: Array) -> tuple[float, Array, Array, float]:
    """Chasles' theorem as one would write it down for one twist."""
    w, v = T[:3], T[3:]
    square = w @ w
    if square == 0:
        speed = np.sqrt(v @ v)
        return speed, v / speed, np.zeros(3), np.inf
    return np.sqrt(square), w / np.sqrt(square), np.cross(w, v) / square, (w @ v) / square
