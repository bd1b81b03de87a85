"""A simulator in the hand: steps, readings, resets and control from Python, and runs of it with every node recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import visviva as vv
from benchmarks import peers_exudyn, peers_mujoco
from benchmarks.mechanisms import chain, four_bar, slider_crank
from benchmarks.row import Row, against, duration
from benchmarks.steps import Steps
from benchmarks.timing import Call, fastest

H = 1e-3
JOINTS = 7
STIFFNESS, DAMPING = 50.0, 5.0


def rows(quick: bool = False) -> list[Row]:
    """Times per step, reading, reset and tick; MuJoCo makes RK4 through its Python binding, Exudyn all of a run."""
    calls, repeats = (3, 1) if quick else (2_000, 7)
    return [*by_hand(calls, repeats), *sampled(calls // 4 + 1, repeats), *runs(quick, repeats)]


def by_hand(calls: int, repeats: int) -> list[Row]:
    """Of a double pendulum."""
    m = chain(2, "revolute")
    m.torque("motor", "joint0")
    m.frame("tool", "link1", at=(2, 0, 0))
    sim = vv.Simulator(m, h=H)
    peer = _mujoco(chain(2, "revolute"))

    def step_and_read(name: str) -> None:
        sim.step()
        sim[name]

    ours: dict[str, Call] = {
        "a step": sim.step,
        "a step with an input": lambda: sim.step({"motor": 0.1}),
        "reset to a coordinate": lambda: sim.reset({"joint0.q": 0.3}),
        "reset to (q, v)": lambda: sim.reset((np.array([0.3, 0.1]), np.zeros(2))),
        "simulate of ten steps, again": lambda: vv.simulate(m, 10 * H, H, progress=False),
    }
    readings = {f"reading {name} after a step": name for name in ("tool.r", "joint0.q", "joint0.rate")}
    every = [*ours.values(), *(lambda name=name: step_and_read(name) for name in readings.values())]
    theirs = [] if peer is None else [peer.step, peer.step_with_input, peer.reset]
    slow = (1, 1, 20, 20, 20, *[1] * len(readings), *[1] * len(theirs))  # fewer of what takes long
    found = fastest(
        [
            _repeated(call, max(1, calls // fewer))
            for call, fewer in zip([*every, *theirs], slow, strict=True)
        ],
        repeats,
    )  # fmt: skip
    times = [time / max(1, calls // fewer) for time, fewer in zip(found, slow, strict=True)]
    step = times[0]
    peers = dict(zip(("a step", "a step with an input", "reset to a coordinate"), times[len(every) :], strict=False))
    table = []
    for what, time in zip(ours, times, strict=False):
        name = f"double pendulum: {what}"
        table.append(against(name, time, "MuJoCo", peers[what]) if what in peers else Row(name, duration(time)))
    for what, time in zip(readings, times[len(ours) :], strict=False):
        table.append(against(f"double pendulum: {what}", max(time - step, 1e-9), "the step", step))
    return table


def sampled(ticks: int, repeats: int) -> list[Row]:
    """A law that reads fourteen quantities and gives seven torques, every millisecond: in Python, and compiled."""
    m = chain(JOINTS, "revolute")
    for k in range(JOINTS):
        m.torque(f"motor{k}", f"joint{k}")
    names = [(f"motor{k}", f"joint{k}.q", f"joint{k}.rate") for k in range(JOINTS)]

    def law(now: Any) -> dict[str, float]:
        return {motor: -STIFFNESS * now[q] - DAMPING * now[rate] for motor, q, rate in names}

    def ours(scheme: Any, *, compiled: bool, count: int) -> Call:
        pd = vv.Sampled(law, period=H, compiled=compiled)
        return lambda: vv.simulate(m, count * H, H, integrator=scheme, sampled=pd, progress=False)

    many = 4 * ticks  # compiled ones take a fraction of the time
    calls = {
        "in Python": (ours(vv.PHMP(), compiled=False, count=ticks), ticks),
        "compiled": (ours(vv.PHMP(), compiled=True, count=many), many),
        "compiled, RK4": (ours(vv.RK4(), compiled=True, count=many), many),
    }
    for call, _ in calls.values():
        call()
    peer = _mujoco(chain(JOINTS, "revolute"))
    theirs = [] if peer is None else [(_repeated(peer.tick, ticks), ticks)]
    every = [*calls.values(), *theirs]
    found = fastest([call for call, _ in every], repeats)
    times = [time / count for time, (_, count) in zip(found, every, strict=True)]
    table = []
    for what, time in zip(calls, times, strict=False):
        name = f"arm of {JOINTS} joints: a tick of a PD law, {what}"
        table.append(against(name, time, "MuJoCo", times[-1]) if theirs else Row(name, duration(time)))
    return table


def runs(quick: bool, repeats: int) -> list[Row]:
    """Prepared runs whose every node is kept; the kernel alone; all of a call of Exudyn."""
    sizes = (2,) if quick else (10, 100, 1000)
    n = 3 if quick else 1000
    cases: dict[str, tuple[vv.Mechanism, float]] = {
        f"chain of {size} hinges": (chain(size, "revolute"), H) for size in sizes
    }
    cases |= {"loop of four bars": (four_bar(thrown=True), H), "slider-crank": (slider_crank(), H)}
    table = []
    for what, (m, h) in cases.items():
        count, tries = n, min(repeats, 3) if len(m.bodies) >= 50 else 3 * repeats  # short ones feel a busy machine more
        sim, steps = (
            vv.Simulator(m, h=h, integrator=vv.PHMP()),
            Steps(vv.compile(m, vv.PHMP().form), vv.PHMP(), None, h),
        )
        steps.last(min(count, 2))

        def run(sim: vv.Simulator = sim, h: float = h, count: int = count) -> object:
            sim.reset()
            return sim.run(count * h, progress=False)

        run()
        peers = peers_exudyn.solvers(m) if peers_exudyn.INSTALLED else []
        calls = [run, lambda steps=steps, count=count: steps.last(count)]
        calls += [lambda peer=peer, h=h, count=count: peer(count, h) for peer in peers]
        whole, kernel, *theirs = (time / count for time in fastest(calls, tries))
        name = f"{what}: a step of a recorded run"
        table.append(against(name, whole, "its kernel", kernel))
        if theirs:
            table.append(against(name, whole, "Exudyn", min(theirs)))
    return table


def _repeated(call: Call, times: int) -> Call:
    def repeat() -> None:
        for _ in range(times):
            call()

    return repeat


def _mujoco(m: vv.Mechanism) -> _InHand | None:
    return _InHand(m) if peers_mujoco.INSTALLED else None


class _InHand:
    """The same in MuJoCo, through its Python binding."""

    def __init__(self, m: vv.Mechanism) -> None:
        import mujoco

        peer = peers_mujoco.MuJoCo(m)
        self._model, self._data = peer.model, peer.data
        self._model.opt.integrator, self._model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, H
        self._step: Callable[[Any, Any], None] = mujoco.mj_step
        self._reset, self._forward = mujoco.mj_resetData, mujoco.mj_forward

    def step(self) -> None:
        self._step(self._model, self._data)

    def step_with_input(self) -> None:
        self._data.qfrc_applied[0] = 0.1
        self._step(self._model, self._data)

    def reset(self) -> None:
        self._reset(self._model, self._data)
        self._data.qpos[0] = 0.3
        self._forward(self._model, self._data)

    def tick(self) -> None:
        data = self._data
        data.qfrc_applied[:] = [
            -STIFFNESS * q - DAMPING * rate for q, rate in zip(data.qpos, data.qvel, strict=True)
        ]  # fmt: skip
        self._step(self._model, data)
