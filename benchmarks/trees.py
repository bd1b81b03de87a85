"""Trees in minimal velocities: forward dynamics, derivatives and steps against MuJoCo and Pinocchio.

Peers are called from Python, and what a call costs is subtracted: for Pinocchio that of the same call for a tree of one
link, for MuJoCo that of `mj_checkPos` for one link, which does next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import visviva as vv
from benchmarks import peers_mujoco, peers_pinocchio
from benchmarks.mechanisms import chain as chain_of_bodies
from benchmarks.peers_trees import MuJoCoTree, PinocchioTree
from benchmarks.row import Row, against, duration
from benchmarks.timing import Call, fastest
from benchmarks.tree_models import arm, bent, chain, figure
from benchmarks.work_precision import Curve
from visviva._arrays import Array
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import TreeLoop
from visviva.mechanism.spanning.tree import Tree

T_END = 1.0
GOALS = (1e-6, 1e-9)
STEPS = {"RK4": (64, 1024), "DOP853": (8, 128), "Gauss8": (8, 128)}


def rows(quick: bool = False) -> list[Row]:
    """Evaluations, steps, and time at the same error."""
    repeats = 1 if quick else 15
    trees = {"arm, 7 hinges": arm(), "chain, 10 hinges": chain(10)}
    if not quick:
        trees |= {"figure, 30 hinges": figure(), "chain, 100 hinges": chain(100), "chain, 1000 hinges": chain(1000)}
    found = list[Row]()
    times = dict[int, float]()
    for name, tree in trees.items():
        evaluated = _Evaluated(name, tree, 20 if quick else 40_000 // len(tree.links), repeats)
        found += evaluated.rows()
        if name.startswith("chain"):
            times[len(tree.links)] = evaluated.ours
    if len(times) > 1:
        exponent = np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0]
        found.append(Row("growth of forward dynamics with N, from 10 to 1000 hinges, exponent", f"{exponent:.2f}"))
    found += steps(10, 20 if quick else 5000, repeats)
    return [*found, sprung(7, quick), *accuracy(10, quick)]


def _states(tree: Tree, count: int) -> tuple[Array, Array]:
    N, rng = len(tree.links), np.random.default_rng(0)
    return bent(N) + 0.1 * rng.normal(size=(count, N)), rng.normal(size=(count, N))


class _Evaluated:
    """Forward dynamics and derivatives of one tree, by all who can."""

    def __init__(self, name: str, tree: Tree, count: int, repeats: int) -> None:
        self.name, self.tree, self.count, self.repeats = name, tree, count, repeats
        self.dynamics = TreeDynamics(tree)
        self.Q, self.XI = _states(tree, count)
        self.ours = math.nan
        self.times = max(3, min(count, 2_000_000 // len(tree.links) ** 2))  # evaluations of a peer
        self.derived = len(tree.links) <= 100  # n² numbers per state

    def rows(self) -> list[Row]:
        ours: list[Call] = [
            lambda: self.dynamics.accelerations(self.Q, self.XI),
            lambda: self.dynamics.directional_derivative(self.Q, self.XI, along_q=self.XI, along_xi=self.XI),
        ]
        few = max(1, self.count // 10)
        rounds = self.count // few
        if self.derived:
            out = np.empty((3, few, self.dynamics.n, self.dynamics.n))  # peers write to the same memory again as well

            def derive() -> None:
                for _ in range(rounds):
                    self.dynamics.derivatives(self.Q[:few], self.XI[:few], out=out)

            ours.append(derive)
        peers = self._peers(self.tree)
        calls = [*ours, *peers.values(), *self._peers(chain(1)).values()]
        for call in calls:
            call()  # loads compiled code
        times = fastest(calls, self.repeats)
        self.ours = times[0] / self.count
        theirs, alone = times[len(ours) : len(ours) + len(peers)], times[len(ours) + len(peers) :]
        net = {name: (t - one) / self.times for name, t, one in zip(peers, theirs, alone, strict=True)}
        derivatives = {name: t for name, t in net.items() if "Derivatives" in name}
        found = [
            against(f"{self.name}: forward dynamics", self.ours, name, t)
            for name, t in net.items()
            if name not in derivatives
        ] or [Row(f"{self.name}: forward dynamics", duration(self.ours))]
        along = times[1] / self.count
        what = f"{self.name}: derivative along a direction, {along / self.ours:.1f} evaluations"
        found.append(Row(what, duration(along)))
        if self.derived:
            own = times[2] / (rounds * few)
            what = f"{self.name}: derivatives, {own / self.ours:.1f} evaluations"
            found += [against(what, own, name, t) for name, t in derivatives.items()] or [Row(what, duration(own))]
        return found

    def _peers(self, tree: Tree) -> dict[str, Call]:
        """Evaluations by those that are installed, after they have given the same accelerations."""
        N = len(tree.links)
        q, xi = self.Q[0, :N], self.XI[0, :N]
        wanted, found = TreeDynamics(tree).accelerations(q, xi), dict[str, Call]()
        if peers_pinocchio.INSTALLED and N <= 100:  # with more it reserves more memory than there is
            import pinocchio as pin

            peer = PinocchioTree(tree)
            _check(peer.accelerations(q, xi, 0 * xi), wanted, "Pinocchio")
            given = peer.model, peer.data, *peer.given(q, xi, 0 * xi)
            found["Pinocchio, aba"] = lambda: _repeat(self.times, pin.aba, given)
            if self.derived:
                found["Pinocchio, computeABADerivatives"] = lambda: _repeat(
                    self.times, pin.computeABADerivatives, given
                )
        if peers_mujoco.INSTALLED:
            import mujoco

            other = MuJoCoTree(tree)
            _check(other.accelerations(q, xi, 0 * xi), wanted, "MuJoCo")
            call = mujoco.mj_forward if N > 1 else mujoco.mj_checkPos
            found["MuJoCo, mj_forward"] = lambda: _repeat(self.times, call, (other.model, other.data))
        if len(self.tree.links) > 100:  # what the larger tree has no peer for
            found = {name: call for name, call in found.items() if "Pinocchio" not in name}
        return found


def _repeat(n: int, function: Callable[..., object], given: tuple[object, ...]) -> None:
    for _ in range(n):
        function(*given)


def _check(found: Array, wanted: Array, who: str) -> None:
    """The mass matrix of a long chain is badly conditioned: with a thousand links six digits are left to MuJoCo."""
    gap = np.abs(found - wanted).max() / np.abs(wanted).max()
    if not gap < 1e-9 + 1e-14 * len(wanted) ** 3:
        raise RuntimeError(f"accelerations by {who} differ from ours by {gap:.1e}")


def steps(N: int, n: int, repeats: int) -> list[Row]:
    """A step of each scheme, in runs of n steps."""
    dynamics, q, xi = TreeDynamics(chain(N)), bent(N), np.zeros(N)
    loops = {name: TreeLoop(dynamics, name) for name in ("RK4", "DOP853", "Relaxed", "Gauss8", "BalancedGauss8")}
    h = {"RK4": 1e-3}
    calls: list[Call] = [lambda name=name: loops[name](q, xi, h.get(name, 1 / 128), 1, n) for name in loops]
    if peers_mujoco.INSTALLED:
        peer = MuJoCoTree(chain(N))
        calls.append(lambda: peer.steps(q, xi, n, 1e-3))
    for call in calls:
        call()
    ours = dict(zip(loops, times := fastest(calls, repeats), strict=False))
    what = f"chain, {N} hinges: a step of "
    found = [Row(what + name, duration(t / n)) for name, t in ours.items()]
    if peers_mujoco.INSTALLED:
        found[0] = against(what + "RK4", times[0] / n, "MuJoCo, RK4", times[-1] / n)
    return found


def sprung(N: int, quick: bool) -> Row:
    """A step of `simulate` with springs on every second link, records included, in compiled code and in NumPy.

    It is the difference of a longer and a shorter run, by the number of steps between.
    """
    m = chain_of_bodies(N, "revolute")
    for k, body in enumerate(m.bodies[::2]):
        m.spring(f"stay{k}", m.ground, body, at_a=(2.0 * k, 0.0, 3.0), k=50.0, damping=1.0)
    times = list[float]()
    for compiled, n in ((True, 20 if quick else 2000), (False, 2 if quick else 20)):
        calls: list[Call] = [
            lambda n=n, c=compiled: vv.simulate(m, n * 1e-3, 1e-3, integrator=vv.RK4(compiled=c)) for n in (n, 3 * n)
        ]
        calls[0]()
        short, long = fastest(calls, 1 if quick else 5)
        times.append((long - short) / (2 * n))
    what = f"chain, {N} hinges, {len(m.elements)} springs and dampers: a step of RK4 in simulate"
    return against(what, times[0], "in NumPy", times[1])


def accuracy(N: int, quick: bool) -> list[Row]:
    """Time for one second from rest at the same error: root of the mean square of all centres of mass."""
    tree = chain(N)
    dynamics, q, xi = TreeDynamics(tree), bent(N), np.zeros(N)

    def centres(q: Array) -> Array:
        X = dynamics.poses(q)
        return np.array([x[:3, :3] @ link.com + x[:3, 3] for x, link in zip(X, tree.links, strict=True)])

    exact = centres(TreeLoop(dynamics, "Gauss8")(q, xi, T_END / 1024, 1, 1024).q[-1])
    ends = dict[str, Callable[[int], Array]]()
    for name in STEPS:
        loop = TreeLoop(dynamics, name)
        ends[name] = lambda n, loop=loop: loop(q, xi, T_END / n, 1, n).q[-1]
    counts = dict(STEPS)
    if peers_mujoco.INSTALLED:
        peer = MuJoCoTree(tree)
        ends["MuJoCo, RK4"], counts["MuJoCo, RK4"] = lambda n: peer.steps(q, xi, n, T_END / n), STEPS["RK4"]
    curves = dict[str, Curve]()
    for name, end in ends.items():
        first, last = counts[name]
        each = [n for n in (2**k for k in range(20)) if first <= n <= (2 * first if quick else last)]
        errors = [float(np.sqrt(np.mean((centres(end(n)) - exact) ** 2))) for n in each]
        times = fastest([lambda n=n, end=end: end(n) for n in each], 1 if quick else 15)
        curves[name] = Curve(name, tuple(errors), tuple(times))
    found = list[Row]()
    for goal in GOALS:
        for name in STEPS:
            ours, what = curves[name].time(goal), f"chain, {N} hinges, 1 s, error {goal:.0e}: {name}"
            theirs = curves["MuJoCo, RK4"].time(goal) if peers_mujoco.INSTALLED else math.nan
            if math.isfinite(ours):
                found.append(against(what, ours, "MuJoCo, RK4", theirs) if theirs > 0 else Row(what, duration(ours)))
    return found
