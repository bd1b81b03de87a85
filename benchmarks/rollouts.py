"""Many runs at once: rollouts of arms and chains against `mujoco.rollout`, threads against one, and one by one."""

from __future__ import annotations

import time
from typing import Any, final

import numpy as np

import visviva as vv
from benchmarks import peers_mujoco
from benchmarks.mechanisms import GRAVITY, chain
from benchmarks.row import Row, against, duration
from benchmarks.timing import Call
from visviva._arrays import Array

H = 1e-3
ACCURATE = 1e-6  # largest error of an angle [rad]
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)


def rows(quick: bool = False) -> list[Row]:
    """All times are CPU times of the process, threads in sum, per member."""
    members, steps, repeats = (8, 20, 1) if quick else (1000, 1000, 2)
    found = at_one_step(members, steps, repeats)
    found += at_one_error(8 if quick else 100, repeats)
    return found + one_by_one(3 if quick else 40, steps, repeats)


def arm(n: int) -> vv.Mechanism:
    """n hinges with axes z and y in turn."""
    m = vv.Mechanism(f"arm of {n} joints", gravity=GRAVITY)
    above: Any = m.ground
    for k in range(n):
        link = m.body(f"link{k}", inertia=vv.inertia.box(1.0, (0.3, 0.08, 0.1)), at=(0.3 * k + 0.15, 0, 0))
        m.revolute(f"joint{k}", above, link, at=(0.3 * k, 0, 0), axis=((0, 0, 1), (0, 1, 0))[k % 2])
        above = link
    m.frame("tool", above, at=(0.3 * n, 0, 0))
    return m


def at_one_step(members: int, steps: int, repeats: int) -> list[Row]:
    """RK4 of both with the same h."""
    m, what = arm(7), f"{members} rollouts of {steps} steps of RK4, 7 joints: one member"
    q, v = starts(7, members)
    sim = vv.Simulator(m, h=H, integrator=vv.RK4())

    def ours(workers: int) -> vv.Rollouts:
        return sim.rollout((q, v), steps=steps, record=("tool.r",), workers=workers)

    sim.rollout((q[:4], v[:4]), steps=4, record=("tool.r",))  # loads compiled code
    calls: list[Call] = [lambda: ours(1), lambda: ours(2)]
    if peers_mujoco.INSTALLED:
        peer = MuJoCoRollouts(m)
        calls.append(lambda: peer(q, v, steps, H))
    one, two, *theirs = (t / members for t in cpu_times(calls, repeats))
    first = against(what, one, "mujoco.rollout, RK4", theirs[0]) if theirs else Row(what, duration(one))
    return [first, against("the same by two threads, CPU of both", two, "one thread", one)]


def at_one_error(members: int, repeats: int) -> list[Row]:
    """One second of a chain of ten hinges, the error of all angles at the end below ACCURATE."""
    m = chain(10, "revolute")
    q, v = starts(10, members, 0.5)
    exact = angles(vv.Simulator(m, h=0.1, integrator=vv.DOP853(1e-12)).rollout((q, v), steps=10))
    sims = (vv.Simulator(m, h=0.1, integrator=vv.DOP853(tolerance)) for tolerance in TOLERANCES)
    sim = next(s for s in sims if np.abs(angles(s.rollout((q, v), steps=10)) - exact).max() < ACCURATE)
    calls: list[Call] = [lambda: sim.rollout((q, v), steps=10)]
    what = f"{members} starts of 1 s, 10 hinges, error {ACCURATE:.0e}: one member"
    if not peers_mujoco.INSTALLED:
        return [Row(what, duration(cpu_times(calls, repeats)[0] / members))]
    peer, n = MuJoCoRollouts(m), 125
    while np.abs(peer(q, v, n, 1.0 / n) - exact).max() > ACCURATE:
        n = int(n * 1.25)
    calls.append(lambda: peer(q, v, n, 1.0 / n))
    ours, theirs = cpu_times(calls, repeats)
    return [against(what, ours / members, f"mujoco.rollout, RK4 with {n} steps", theirs / members)]


def one_by_one(members: int, steps: int, repeats: int) -> list[Row]:
    """PHMP of a rollout against resets and runs."""
    sim = vv.Simulator(arm(7), h=H)
    initial = [{"joint1.q": float(q)} for q in np.linspace(-1.0, 1.0, members)]

    def runs() -> None:
        for start in initial:
            sim.reset(start)
            sim.run(steps * H, record=("tool.r",))

    def many() -> None:
        sim.rollout(initial, steps=steps, record=("tool.r",))

    many()
    ours, theirs = (t / members for t in cpu_times([many, runs], repeats))
    return [against(f"{steps} steps of PHMP, 7 joints: one member", ours, "reset and run", theirs)]


def starts(n: int, members: int, size: float = 1.0) -> tuple[Array, Array]:
    """Coordinates at random, at rest."""
    return np.random.default_rng(0).uniform(-size, size, (members, n)), np.zeros((members, n))


def angles(many: vv.Rollouts) -> Array:
    """At the ends of all members."""
    return np.array([state.angles for state in many.final])


def cpu_times(calls: list[Call], repeats: int) -> list[float]:
    """The least CPU time of the process for each call [s], taken in turn."""

    def seconds(call: Call) -> float:
        began = time.process_time()
        call()
        return time.process_time() - began

    rounds = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


@final
class MuJoCoRollouts:
    """`MuJoCoRollouts(m)(q, v, n, h)`: coordinates of a chain at the ends of n steps of RK4, in one thread."""

    def __init__(self, m: vv.Mechanism) -> None:
        import mujoco

        self.peer = peers_mujoco.MuJoCo(m)
        self.model = self.peer.model
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)

    def __call__(self, q: Array, v: Array, n: int, h: float) -> Array:
        from mujoco import rollout

        self.model.opt.timestep = h
        initial = np.zeros((len(q), self.size))
        initial[:, 1 : 1 + q.shape[1]], initial[:, 1 + q.shape[1] : 1 + 2 * q.shape[1]] = q, v
        states, _ = rollout.rollout(self.model, [self.peer.data], initial, nstep=n)
        return np.asarray(states[:, -1, 1 : 1 + q.shape[1]])
