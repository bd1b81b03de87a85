"""Static equilibrium: where the potential energy of a mechanism is stationary under its joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.compiler import compile_mechanism
from visviva.errors import AssemblyError, ModelError
from visviva.integrate.descent import Descent
from visviva.integrate.inputs import AllInputs, input_function
from visviva.integrate.statics import Statics
from visviva.library.joints import Angle
from visviva.mechanism import Definition, Mechanism, Motion, definition_of
from visviva.mechanism.analysis import condition_forces, joint_wrenches
from visviva.mechanism.assembly import assembled, linkage_of, motion_at, motion_of
from visviva.mechanism.box import refuse_ties
from visviva.mechanism.closure import typical_length
from visviva.mechanism.coordinates import movers, space_of
from visviva.mechanism.joint_coordinates import coordinate_rows
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Joint
from visviva.mechanism.positions import close
from visviva.mechanism.singular import range_end, regularity
from visviva.model.holonomic import lift_rows
from visviva.numerics.nullspace import split
from visviva.numerics.rank import velocity_units
from visviva.numerics.saddle import FEW, symmetric_solver

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LANCZOS = 200  # iterations
NEUTRAL = 1e-8  # of the terms of a stiffness: below it is none
ROUNDED = 1e-13  # of the largest λ: eigenvalues are not known any better, whatever the terms of theirs are


@final
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration in which all forces balance.

    motion:    the configuration, at rest; `vv.simulate(m, initial=...)` takes it.
    reactions: wrench (m; f) on the child in the joint's frame on the child, by joint; of least norm where redundant.
               Of other conditions the generalised force.
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

    def motion_of(self, m: Definition) -> Motion:
        """Its motion, at rest: an equilibrium is a state."""
        return motion_of(m, self.motion, "the equilibrium")

    def __str__(self) -> str:
        lines = [f"{self.stability} equilibrium, potential energy {self.energy:.6g} J"]
        if self.lowest is not None and self.stability == "stable":
            lines.append(f"lowest frequency of small oscillations: {np.sqrt(self.lowest) / (2 * np.pi):.4g} Hz")
        return "\n".join(lines)


@helpful
def equilibrium(m: Mechanism | Definition, initial: Any = None, inputs: AllInputs | None = None) -> Equilibrium:
    """The equilibrium that a descent of the potential energy reaches from the assembled mechanism, or from `initial`.

    initial: values by name, e.g. {"hinge.q": 0.3}, a run or `run.final`, a motion of `m.assemble()`, an equilibrium, or
             a state x of the Model in Lie form. Velocities and currents do not count.
    inputs:  by port name: numbers, or laws u(t) and u(t, x, z), as they are at t = 0; all others are zero.

    Near it, by Newton's method on the energy under the joints:

        K Δ + Cᵀ Δλ = f - Cᵀλ,   C Δ = 0,   q ← retract(q, Δ), joints closed again

    with the tangent stiffness K of gravity, springs and joint forces; far from it by a damped fall. Forces balance to
    the rounding of the terms that they are the sums of. A start in balance is kept, stable or not. Dampers and friction
    have no force at rest. States of boxes stay as they are, see `visviva.linear.equilibrium`.
    """
    m = definition_of(m)
    if not isinstance(m, Definition):
        raise ModelError(f"equilibrium() takes a Mechanism, got {type(m).__name__}.")
    check_velocities(m)
    given, model = input_function(compile_mechanism(m, "lie"), inputs)
    return equilibrium_of(Statics(m, linkage_of(m), model, given), initial)


def check_velocities(m: Definition) -> None:
    """An error for conditions on velocities, by themselves or in boxes."""
    refuse_ties(m, "its equilibrium")
    blades = [repr(part.name) for part in m.conditions if part.kind == "nonholonomic"]
    if blades:
        raise ModelError(
            f"mechanism {m.name!r} has conditions on velocities, {', '.join(blades)}: where it comes to rest depends\n"
            "on the way it takes, and no energy decides whether it stays. Leave them out for an equilibrium of the\n"
            "others, or simulate it with friction until it stands."
        )


def equilibrium_of(statics: Statics, initial: Any = None) -> Equilibrium:
    """The same, of a mechanism whose inputs are known already."""
    m, linkage = statics.definition, statics.linkage
    x = statics.start(assembled(m, linkage)[0] if initial is None else initial)
    linkage.conditions.near |= statics.followed(x)
    linkage.conditions = linkage.conditions.held(statics.configuration(x))
    descent = Descent(statics, statics.moved(x, close(linkage, statics.configuration(x))))
    lam = descent.run()
    if lam is None:
        q = statics.configuration(descent.x)
        singular = _singular(linkage, q, m.name) if descent.nearly else None
        raise singular or _range_ended(descent, m.name) or _none_found(linkage, q, descent.fall, m.name)
    x = descent.x
    q = statics.configuration(x)
    lam = linkage.least(q[None], lam[None], regularity(linkage, q).kept)[0]
    K, place = statics.stiffness(x, lam), linkage.kinematics.place(q)
    lowest, stability = _stability(linkage, K, linkage.matrix(place), statics.stiffness_noise(K, descent.now.terms))
    wrenches = joint_wrenches(linkage, place, lam)
    return Equilibrium(
        motion_at(linkage, q, statics.angles(x)),
        {joint.name: F for joint, F in zip(linkage.joints, wrenches, strict=True)} | condition_forces(linkage, lam),
        statics.energy(x),
        lowest,
        stability,
    )


def _stability(linkage: Linkage, K: csr_array, C: csr_array, noise: csr_array) -> tuple[float | None, str]:
    """The smallest λ of K v = λ M v for all v with C v = 0, and what the stiffness vᵀK v of all such v means.

    It is none where it is below what its terms, or the largest λ, round to; noise: errors of K, since it was found by
    differences.
    """
    if sum(C.shape) <= FEW:
        found, modes = _modes_full(linkage, K.toarray(), C.toarray())
    else:
        found, modes = _modes_sparse(linkage, K, C)
    if not len(found):
        return None, "stable"
    size = np.abs(modes)
    stiffness = (modes * (K @ modes)).sum(axis=0)
    least = (size * ((NEUTRAL * abs(K) + noise) @ size)).sum(axis=0) + ROUNDED * np.abs(found).max()
    lowest = float(found.min())
    if (stiffness < -least).any():
        return lowest, "unstable"
    return lowest, "stable" if (stiffness > least).all() else "neutral"


def _modes_full(linkage: Linkage, K: Array, C: Array) -> tuple[Array, Array]:
    """All λ and v."""
    import scipy.linalg

    M = linkage.metric
    unit = velocity_units(M, C, np.where(linkage.turning, 1.0, linkage.length))
    Z = unit[:, None] * split(C * unit).Z
    if not Z.shape[1]:
        return np.zeros(0), Z
    found, modes = scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ (M[:, None] * Z))
    return found, Z @ modes


def _modes_sparse(linkage: Linkage, K: csr_array, C: csr_array) -> tuple[Array, Array]:
    """By Lanczos' method on the inverse of K + shift M: the smallest λ above -shift, or one below it, if there is any.

    What the joints forbid has the inverse zero, λ beyond all bounds, and does not count.
    """
    import scipy.sparse
    import scipy.sparse.linalg

    M, heavy = linkage.metric, linkage.masses == linkage.metric  # what has no inertia would be beyond all bounds
    stiffest = float(np.abs(K.diagonal() / M)[heavy].max(initial=0.0)) or 1.0
    (m, n), shift = C.shape, NEUTRAL * stiffest
    solve = symmetric_solver(K, shift * M, C, linkage.closes, linkage.row_scale)
    inverse = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda b: solve(b.ravel(), np.zeros(m))[0])
    start = inverse @ np.random.default_rng(0).standard_normal(n)
    try:
        found, modes = scipy.sparse.linalg.eigsh(
            K,
            2,
            M=scipy.sparse.diags_array(M),
            sigma=-shift,
            OPinv=inverse,
            which="BE",
            v0=start,
            maxiter=LANCZOS,
            tol=1e-6,
        )
    except scipy.sparse.linalg.ArpackNoConvergence:  # eigenvalues of many sizes
        return _modes_full(linkage, K.toarray(), C.toarray())
    allowed = np.abs(found) < 1e3 * stiffest
    return found[allowed], modes[:, allowed]


def _singular(linkage: Linkage, q: Array, name: str) -> AssemblyError | None:
    """Of a fall that ends where rows depend on each other: no reactions of theirs are found, and forces are left."""
    found = regularity(linkage, q)
    if found.rank == found.kept.sum():
        return None
    return AssemblyError(
        f"mechanism {name!r} is singular in this configuration, to which its energy falls: {found.rank} of the rows of "
        f"its\njoints are independent here, {found.kept.sum()} near by, and no reactions of theirs balance the forces."
        " Start from another side\n(initial=... of vv.equilibrium, at=... of vv.linearise), or build it so that it"
        " rests elsewhere."
    )


def _range_ended(descent: Descent, name: str) -> AssemblyError | None:
    """Of a fall against the end of the range of a joint, where no force holds it."""
    if not descent.ended:
        return None
    joint, product = descent.ended[0]
    return AssemblyError(
        f"no equilibrium of mechanism {name!r} was found: its energy falls until\n{range_end(joint, product)}.\n"
        "Nothing holds it there. Hold it by a spring, or start from another side (initial=... of vv.equilibrium,\n"
        "at=... of vv.linearise)."
    )


def _none_found(linkage: Linkage, q: Array, fall: Array, name: str) -> AssemblyError:
    """fall: accelerations from rest of all bodies, in the configuration q."""
    columns = linkage.kinematics.columns
    speeds = [float(np.linalg.norm(fall[part][-3:])) for part in columns]
    k = int(np.argmax(speeds))
    body, force = linkage.bodies[k], linkage.masses[columns[k]][-1] * speeds[k]
    x, y, z = fall[columns[k]][-3:] / max(speeds[k], 1e-300)
    moves = {f"{joint.name}.q": float(np.abs(rates).max()) for joint, rates in _joint_rates(linkage, q, fall)}
    along = max(moves, key=lambda joint: moves[joint], default="")
    way = f" as {along!r} changes" if moves.get(along, 0.0) > 0.1 * speeds[k] else ""
    return AssemblyError(
        f"no equilibrium of mechanism {name!r} was found: its energy still falls, and body\n"
        f"{body.name!r} would start with {speeds[k]:.3g} m/s² along ({x:.2g}, {y:.2g}, {z:.2g}){way}: a force of\n"
        f"{force:.3g} N is left. What nothing holds has none; else start nearer to it (initial=... of vv.equilibrium,\n"
        "at=... of vv.linearise), or build the mechanism nearer to it."
    )


def _joint_rates(linkage: Linkage, q: Array, V: Array) -> Iterator[tuple[Joint, Array]]:
    """Rates of the coordinates of each joint [m/s], angles by a typical length, where bodies have velocities V."""
    kinematics, length = linkage.kinematics, typical_length(linkage.kinematics)
    places = {body.name: k for k, body in enumerate(linkage.bodies)}
    for joint in linkage.joints:
        ends = movers(joint)
        if joint.joint.coordinates and ends:
            own = np.concatenate([q[kinematics.places[places[end.name]]] for end in ends])
            moving = np.concatenate([V[kinematics.columns[places[end.name]]] for end in ends])
            rows = lift_rows(coordinate_rows(joint, own), own, tuple(space_of(end) for end in ends))
            turns = [isinstance(part, Angle) for part in joint.joint.coordinates]
            yield joint, np.where(turns, length, 1.0) * (rows @ moving)
