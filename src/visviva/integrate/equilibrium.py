"""Static equilibrium: where the potential energy of a mechanism is stationary under its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.nullspace import split
from visviva.geometry.saddle import FEW, Saddle, symmetric_solver
from visviva.integrate.statics import Statics
from visviva.mechanism import Mechanism, Motion
from visviva.mechanism.analysis import joint_wrenches
from visviva.mechanism.assembly import assembled, linkage_of, motion_at
from visviva.mechanism.closure import typical_length
from visviva.mechanism.kinematics import Placement
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.positions import extent, settled
from visviva.mechanism.singular import regularity

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BALANCED = 1e-10  # of the size of the forces
EXACT = 1e-14  # the same, to rounding
DAMPING = 1e-9  # of the largest stiffness per mass: makes directions without any regular
LARGEST_STEP = 0.5  # of the size of the mechanism, or in radians, in one iteration
INERTIA = 0.9  # β of the damped fall
ITERATIONS = 1000
NOISE = 1e-13  # of an energy
NEUTRAL = 1e-8  # of the largest stiffness per mass: below it is none


@final
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration in which all forces balance.

    motion:    the configuration, at rest; `vv.simulate(m, initial=...)` takes it.
    reactions: wrench (m; f) on the child in the joint's frame on the child, by joint; of least norm where redundant.
    energy:    potential energy of gravity and springs [J].
    lowest:    smallest stiffness over mass on the motions that the joints allow [1/s²]: the square of the lowest
               angular frequency of small oscillations if it is positive; None if nothing can move.
    stability: "stable" if the energy is a strict minimum to second order, "neutral" if it has directions without
               stiffness, "unstable" if it falls in some direction.
    """

    motion: Motion
    reactions: dict[str, Array]
    energy: float
    lowest: float | None
    stability: str

    @property
    def stable(self) -> bool:
        """Whether the second derivative of the energy is positive definite on what the joints allow."""
        return self.stability == "stable"

    def __str__(self) -> str:
        lines = [f"{self.stability} equilibrium, potential energy {self.energy:.6g} J"]
        if self.lowest is not None and self.stability == "stable":
            lines.append(f"lowest frequency of small oscillations: {np.sqrt(self.lowest) / (2 * np.pi):.4g} Hz")
        return "\n".join(lines)


def equilibrium(m: Mechanism, initial: Motion | None = None) -> Equilibrium:
    """The equilibrium that a descent of the potential energy reaches from the assembled mechanism, or from `initial`.

    Near it, by Newton's method on the energy under the joints:

        K Δ + Cᵀ Δλ = f - Cᵀλ,   C Δ = 0,   q ← retract(q, Δ), joints closed again

    with the tangent stiffness K of gravity, springs and joint forces; far from it by a damped fall. A start in balance is kept, stable or not. Inputs
    are zero, and so are dampers and friction, which have no force at rest.
    """
    if not isinstance(m, Mechanism):
        raise ModelError(f"equilibrium() takes a Mechanism, got {type(m).__name__}.")
    linkage = linkage_of(m)
    statics = Statics(m, linkage)
    x = statics.start(assembled(m, linkage)[0] if initial is None else initial)
    descent = _Descent(statics, x)
    lam = descent.run()
    if lam is None:
        raise _none_found(linkage, descent.fall, m.name)
    x = descent.x
    q = statics.configuration(x)
    lam = linkage.least(q[None], lam[None], regularity(linkage, q).kept)[0]
    K, place = statics.stiffness(x, lam), linkage.kinematics.place(q)
    lowest, stability = _stability(linkage, K, linkage.matrix(place))
    wrenches = joint_wrenches(linkage, place, lam)
    return Equilibrium(
        motion_at(linkage, q, statics.angles(x)),
        {joint.name: F for joint, F in zip(linkage.joints, wrenches, strict=True)},
        statics.energy(x),
        lowest,
        stability,
    )


@final
class _Descent:
    """A descent of the potential energy: steps of Newton's method where these help, else a damped fall.

    The fall goes along δ = τ a + β δ_last, with the accelerations a from rest: the heavy ball of Polyak (1964), in the
    metric of kinetic energy and projected on what the joints allow.
    """

    def __init__(self, statics: Statics, x: Array) -> None:
        self.statics = statics
        self.linkage = statics.linkage
        self.x = x
        self.energy = statics.energy(x)
        self.units = np.where(self.linkage.turning, 1.0, extent(self.linkage, statics.configuration(x)))
        self.length = typical_length(self.linkage.kinematics)
        self.last = np.zeros(self.linkage.kinematics.n)
        self.tau = 0.0

    def run(self) -> Array | None:
        """Multipliers in balance, at the state x reached; None if there is none."""
        no_rows = np.zeros(self.linkage.kinematics.m)
        newton, far, before = True, 1e6 * float(self.units.max()), np.inf
        for k in range(ITERATIONS):
            saddle = self.linkage.saddle(self._place())
            f = self.statics.forces(self.x)
            self.fall, lam = saddle.solve(f, no_rows)
            left = self._unbalance(f, lam)
            if left <= EXACT or (left > 0.5 * before and left <= BALANCED):
                return lam
            before = left
            if newton or k % 5 == 0:
                newton = self._newton(f, lam)
            if not newton:
                self._fall(saddle, f)
            if not np.abs(self.statics.configuration(self.x)).max() < far:
                return None
        return None

    def _newton(self, f: Array, lam: Array) -> bool:
        K, C = self.statics.stiffness(self.x, lam), self.linkage.matrix(self._place())
        stiffest = float(np.abs(K.diagonal() / self.linkage.metric).max())
        fastest = float(np.abs(self.fall / np.where(self.linkage.turning, 1.0, self.length)).max())
        mu = max(DAMPING * stiffest, fastest)  # as directions without stiffness would else go far with any small force
        solve = symmetric_solver(K, mu * self.linkage.metric, C, self.linkage.closes)
        delta = solve(f - C.T @ lam, np.zeros(len(lam)))[0]
        if not np.abs(delta / self.units).max(initial=0.0) < LARGEST_STEP:
            return False  # far from the equilibrium, or at the edge of stability
        promised = float(delta @ f - 0.5 * (delta @ (K @ delta)))
        return bool(delta @ f > 0) and promised > 0 and self._go(delta, 0.5 * promised)

    def _fall(self, saddle: Saddle, f: Array) -> None:
        self.tau = self.tau or 0.1 / max(float(np.abs(self.fall / self.units).max()), 1e-300)
        if not self.last @ (self.linkage.metric * self.fall) > 0:
            self.last = np.zeros_like(self.last)
        pull = self.tau * f + INERTIA * self.linkage.metric * self.last
        delta = self._limited(saddle.solve(pull, np.zeros(self.linkage.kinematics.m))[0])
        if self._go(delta, 0.0):
            self.tau, self.last = 1.5 * self.tau, delta
        else:
            self.tau, self.last = 0.25 * self.tau, np.zeros_like(delta)

    def _go(self, delta: Array, least: float) -> bool:
        """Step ahead, if the joints can be closed there and the energy has fallen by some least amount."""
        q = settled(self.linkage, self.linkage.kinematics.retract(self.statics.configuration(self.x), delta))
        if q is None:
            return False
        ahead = self.statics.moved(self.x, q)
        energy = self.statics.energy(ahead)
        if not self.energy - energy > least - NOISE * abs(self.energy):
            return False
        self.x, self.energy = ahead, energy
        return True

    def _limited(self, delta: Array) -> Array:
        return delta * min(1.0, LARGEST_STEP / max(float(np.abs(delta / self.units).max(initial=0.0)), 1e-300))

    def _place(self) -> Placement:
        return self.linkage.kinematics.place(self.statics.configuration(self.x))

    def _unbalance(self, f: Array, lam: Array) -> float:
        """The largest force that is left, over the largest there is, moments by a typical length."""
        units = np.where(self.linkage.turning, self.length, 1.0)
        C = self.linkage.matrix(self._place())
        sizes = (self.statics.force_sizes(self.x) + np.abs(C).T @ np.abs(lam)) / units
        left = float((np.abs(f - C.T @ lam) / units).max(initial=0.0))
        return left / max(float(sizes.max(initial=0.0)), 1e-300)


def _stability(linkage: Linkage, K: csr_array, C: csr_array) -> tuple[float | None, str]:
    """The smallest λ of K v = λ M v for all v with C v = 0, and what it means."""
    M = linkage.metric
    stiffest = float(np.abs(K.diagonal() / M).max(initial=0.0)) or 1.0
    shift = NEUTRAL * stiffest
    if sum(C.shape) <= FEW:
        lowest = _lowest_full(M, K.toarray(), C.toarray())
    else:
        lowest = _lowest_sparse(linkage, K, C, stiffest)
    if lowest is None or lowest > shift:
        return lowest, "stable"
    return lowest, "unstable" if lowest < -shift else "neutral"


def _lowest_full(M: Array, K: Array, C: Array) -> float | None:
    import scipy.linalg

    Z = split(C).Z
    if not Z.shape[1]:
        return None
    return float(scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ (M[:, None] * Z), eigvals_only=True)[0])


def _lowest_sparse(linkage: Linkage, K: csr_array, C: csr_array, stiffest: float) -> float | None:
    """By Lanczos' method on the inverse of K + shift M: the smallest λ above -shift, or one below it, if there is any.

    What the joints forbid has the inverse zero, λ beyond all bounds, and does not count.
    """
    import scipy.sparse
    import scipy.sparse.linalg

    (m, n), M, shift = C.shape, linkage.metric, NEUTRAL * stiffest
    solve = symmetric_solver(K, shift * M, C, linkage.closes)
    inverse = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda b: solve(b.ravel(), np.zeros(m))[0])
    start = inverse @ np.random.default_rng(0).standard_normal(n)
    found = scipy.sparse.linalg.eigsh(
        K,
        2,
        M=scipy.sparse.diags_array(M),
        sigma=-shift,
        OPinv=inverse,
        which="BE",
        v0=start,
        tol=1e-6,
        return_eigenvectors=False,
    )
    allowed = found[np.abs(found) < 1e3 * stiffest]
    return float(allowed.min()) if len(allowed) else None


def _none_found(linkage: Linkage, fall: Array, name: str) -> AssemblyError:
    """fall: accelerations from rest."""
    speeds = [float(np.abs(fall[columns][-3:]).max()) for columns in linkage.kinematics.columns]
    k = int(np.argmax(speeds))
    return AssemblyError(
        f"no equilibrium of mechanism {name!r} was found: its energy still falls, and body {linkage.bodies[k].name!r} would\n"
        f"start with {speeds[k]:.3g} m/s². A body that nothing holds has none; else start nearer to it, with\n"
        "initial=..., or build the mechanism nearer to it."
    )
