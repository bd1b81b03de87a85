"""Chains of N links: a step of PHMP against explicit steps in joint coordinates, and one evaluation of the forces."""

from __future__ import annotations

import visviva as vv
from benchmarks import peers_mujoco, peers_pinocchio
from benchmarks.mechanisms import chain
from benchmarks.row import Row, against, duration
from benchmarks.steps import Steps
from benchmarks.timing import Call, fastest

STEP = 1e-3
SIZES = {"spherical": (1, 10, 100), "revolute": (1, 10, 100, 1_000)}  # MuJoCo builds 1000 ball joints for minutes


def rows(quick: bool = False) -> list[Row]:
    """MuJoCo's own integrators, and Pinocchio's articulated-body algorithm."""
    most, repeats = (2, 1) if quick else (500, 3)
    return [
        row
        for joint, sizes in SIZES.items()
        for N in (sizes[:2] if quick else sizes)
        for row in compared(N, joint, most, repeats)
    ]


def compared(N: int, joint: str, most: int, repeats: int) -> list[Row]:
    m = chain(N, joint)
    steps = Steps(vv.compile(m, vv.PHMP().form), vv.PHMP(), None, STEP)
    steps.last(2)  # loads compiled code
    few = max(1, min(most, 200_000 // N**2))  # the cost of ball joints grows with the square of N, or faster
    peers = dict[str, tuple[int, Call]]()
    if peers_mujoco.INSTALLED:
        mujoco = peers_mujoco.MuJoCo(m)
        for integrator in ("Euler", "RK4"):
            peers[f"MuJoCo, {integrator}"] = few, lambda scheme=integrator: mujoco(few, STEP, scheme)
    if peers_pinocchio.INSTALLED and N < 1_000:  # it reserves more memory than there is
        pinocchio = peers_pinocchio.Pinocchio(m)
        peers["Pinocchio, one ABA"] = most, lambda: pinocchio(most)
    ours, *theirs = fastest([lambda: steps.last(most), *(call for _, call in peers.values())], repeats)
    what = f"{joint}, N = {N}: a step"
    if not peers:
        return [Row(what, duration(ours / most))]
    counts = [n for n, _ in peers.values()]
    return [against(what, ours / most, name, t / n) for name, n, t in zip(peers, counts, theirs, strict=True)]
