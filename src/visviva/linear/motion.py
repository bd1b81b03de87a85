"""The linear system of equations of motion about an instant: at rest, in steady motion, or with consent anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.minimal.closing import AT_REST
from visviva.geometry.differences import each, slopes
from visviva.linear.assembly import in_increments, second_order, state_space
from visviva.linear.equations import AbstractEquations, Reference
from visviva.linear.excitation import ORDERS, Excitation, excitation, excited
from visviva.linear.reduction import Basis, Choice, basis, chosen
from visviva.linear.second_order import SecondOrder
from visviva.linear.system import LinearSystem
from visviva.linear.variation import Variation, variation

BALANCED = 1e-6  # what may be left of forces, relative to those that balance
ROUNDING = 2e-13  # the same where these are differences of large numbers
NOTHING = 1e-10  # of forces that a tenth of the size of an increment makes
STEADY = 1e-6  # of the largest coefficient: what may change along a steady motion
EPS = float(np.finfo(np.float64).eps)
ANGLE = 0.4  # [rad] about as far as the motion goes between two looks at it


@final
@dataclass(frozen=True, eq=False)
class Linearised:
    """A linear system with what it was made from."""

    system: LinearSystem
    basis: Basis


def about(
    equations: AbstractEquations, ref: Reference, steady: bool, residual_ok: bool, velocities: Sequence[str] | None
) -> Linearised:
    """The linear system about an instant.

    steady:      it may move, if accelerations vanish in axes that turn evenly and all coefficients are constant.
    residual_ok: it may be any instant of any motion: the Jacobian of the equations there, with frozen coefficients.
    """
    b = basis(equations, ref, chosen(equations, ref, velocities))
    if not residual_ok and _creeps(equations, ref, b, EPS if steady else BALANCED):
        ref = equations.continued(ref.q, np.zeros(equations.n), ref.s, ref.t)
        b = basis(equations, ref, b.choice)
    W = equations.spin(ref) if steady else np.zeros((equations.n, equations.n))
    if not residual_ok:
        _check_balance(equations, ref, b, W, steady)
    v = variation(equations, ref, b)
    rate = _basis_rate(equations, ref, b) if residual_ok and not steady else None
    M, turn = equations.mass(ref.q), equations.turn(ref.q, ref.xi)
    raw = second_order(v, b, M, turn, W, rate)
    system = _system(equations, v, b, raw, excitation(v, b, raw, M, turn, W, rate))
    if steady and not residual_ok and ref.xi.any():
        _check_constant(equations, ref, W, b.choice, system)
    return Linearised(system, b)


def _system(equations: AbstractEquations, v: Variation, b: Basis, raw: SecondOrder, by: Excitation) -> LinearSystem:
    found = excited(state_space(v, raw, equations.name), by, equations.drives, equations.outputs)
    A, B, C, D = found.A, found.B, found.C, found.D
    units = {name: equations.units.get(name, "") for name in (*equations.positions, *equations.others)}
    units |= {
        rate: f"{units[name]}/s" if units[name] else ""
        for rate, name in zip(equations.velocities, equations.positions, strict=True)
    }
    positions = tuple(equations.positions[k] for k in b.choice.p)
    states = (*positions, *(equations.velocities[k] for k in b.choice.eta), *equations.others)
    states = (*(f"{name}*" if k in found.taken else name for k, name in enumerate(states)), *found.added)
    outputs = equations.outputs
    if not outputs:
        C, D, outputs = np.eye(len(A)), np.zeros((len(A), B.shape[1])), states
    inputs = (*equations.inputs, *(f"{name}.{ORDERS[order]}" for name, order in equations.drives.items()))
    units |= {f"{name}*": unit for name, unit in units.items() if f"{name}*" in states}
    units |= {name: equations.units.get(name, units.get(name, "")) for name in (*inputs, *outputs, *found.added)}
    mechanics = in_increments(raw) if equations.has_mass else None
    return LinearSystem(equations.title, A, B, C, D, states, inputs, outputs, units, mechanics)


def _creeps(equations: AbstractEquations, ref: Reference, b: Basis, part: float) -> bool:
    """Whether velocities are a small part of what forces could make, as a run that came to rest leaves them.

    What is prescribed must be at rest by itself.
    """
    slow = np.maximum(part * equations.sizes * _natural_rates(equations, ref, b), AT_REST)
    still = equations.rows(replace(ref, xi=np.zeros(equations.n)), np.zeros((1, equations.n)))
    return bool((np.abs(ref.xi) <= slow).all() and np.abs(still).max(initial=0.0) <= AT_REST)


def _natural_rates(equations: AbstractEquations, ref: Reference, b: Basis) -> Array:
    """Those of the forces at hand."""
    return equations.natural_rates(ref, b.N, b.choice.eta, equations.force_sizes(ref))


def _check_balance(equations: AbstractEquations, ref: Reference, b: Basis, W: Array, steady: bool) -> None:
    """An error that states the residual by name where this is no equilibrium, or no steady motion.

    Along each independent velocity forces are compared with the terms that they are sums of.
    """
    if not steady and ref.xi.any():
        k = int(np.abs(ref.xi).argmax())
        raise AssemblyError(
            f"{equations.name} moves in the state that was given: {equations.velocities[k]!r} is {ref.xi[k]:.4g}.\n"
            "About a steady motion, with all rates constant, linearise with steady=True; about its configuration at "
            "rest,\nwithout the velocities; about this instant of a motion, with residual_ok=True."
        )
    xi_dot, M, N = ref.xi_dot + W @ ref.xi, equations.mass(ref.q), b.N
    left, bound = N.T @ M @ xi_dot, BALANCED * np.abs(N).T @ equations.force_sizes(ref)
    if (np.abs(left) > bound).any():  # where all forces vanish, what is left of them may be rounding
        inertia = np.maximum(equations.inertia(ref, b.N), 1e-300)
        beside = equations.near_forces(ref) + equations.slight_forces(ref)
        near = np.abs(N.T @ M @ N) @ (np.abs(N).T @ beside / inertia)
        bound = np.maximum(bound, max(NOTHING, ROUNDING * equations.offset) * near)
    driven = np.abs(xi_dot - N @ xi_dot[b.choice.eta])
    fast = np.maximum(BALANCED * equations.sizes * _natural_rates(equations, ref, b) ** 2, AT_REST)
    if (driven > fast).any():
        k = int((driven / fast).argmax())
        raise AssemblyError(
            f"{equations.name} does not stay as it is: constraints accelerate {equations.velocities[k]!r} by "
            f"{xi_dot[k]:.3g}.\nresidual_ok=True linearises about any instant."
        )
    k = int((np.abs(left) / np.maximum(bound, 1e-300)).argmax()) if len(left) else 0
    if len(left) and abs(left[k]) > bound[k]:
        own = b.choice.eta[k]
        what = "steady motion" if steady else "equilibrium"
        raise AssemblyError(
            f"this is no {what} of {equations.name}: along {equations.velocities[own]!r} a force of {left[k]:.3g} is "
            f"left, which\naccelerates it by {xi_dot[own]:.3g}. "
            + (
                "Rates are constant in a steady motion: a body that spins wants a hinge of its own for that."
                if steady
                else "Leave at= out to have an equilibrium found, or start vv.equilibrium(m, initial=...) here."
            )
            + "\nresidual_ok=True linearises about any instant."
        )
    rates = equations.rates(ref)
    relative = np.abs(rates) / np.maximum(equations.other_sizes(ref), 1.0)
    if len(rates) and relative.max() > BALANCED:
        k = int(relative.argmax())
        raise AssemblyError(
            f"{equations.name} is not at rest in {equations.others[k]!r}, which changes by {rates[k]:.3g} per second.\n"
            "Start where it has settled, or allow it with residual_ok=True."
        )


def _basis_rate(equations: AbstractEquations, ref: Reference, b: Basis) -> Basis:
    """How N and Q, with those of drives, change along the motion, by differences over time."""
    parts = (b.N, b.Q, b.N_s, b.Q_s)
    cuts = np.cumsum([part.size for part in parts])

    def at(h: Array) -> Array:
        t = float(h[0])
        q = equations.advance(ref.q, t * ref.xi + 0.5 * t**2 * ref.xi_dot)
        now = basis(equations, replace(ref, t=ref.t + t, q=q, xi=ref.xi + t * ref.xi_dot), b.choice)
        return np.concatenate([part.ravel() for part in (now.N, now.Q, now.N_s, now.Q_s)])

    size = 1.0 / max(1.0, float((np.abs(ref.xi) / equations.sizes).max(initial=0.0)))
    moves = len(equations.holonomic) and (ref.xi.any() or ref.xi_dot.any())
    found = slopes(each(at), 1, np.array([size])).J[:, 0] if moves else np.zeros(cuts[-1])
    N, Q, N_s, Q_s = (x.reshape(part.shape) for x, part in zip(np.split(found, cuts[:-1]), parts, strict=True))
    return replace(b, N=N, Q=Q, N_s=N_s, Q_s=Q_s)


def _check_constant(
    equations: AbstractEquations, ref: Reference, W: Array, choice: Choice, system: LinearSystem
) -> None:
    """An error where coefficients change along the motion: no linear system with constant ones describes it."""
    import scipy.linalg

    t = ANGLE / float((np.abs(ref.xi) / equations.sizes).max())
    later = equations.later(ref, W, t)
    R = np.asarray(scipy.linalg.expm(t * W))
    b = basis(equations, later, choice, R)
    v = variation(equations, later, b)
    M, turn = (R @ part @ R.T for part in (equations.mass(later.q), equations.turn(later.q, later.xi)))
    A = state_space(v, second_order(v, b, M, turn, W), equations.name)[0]
    gap = np.abs(A - system.A)
    if gap.max(initial=0.0) > STEADY * float(np.abs(system.A).max(initial=0.0)):
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        raise ModelError(
            f"the motion of {equations.name} is steady, but small deviations from it are not: the coefficient of\n"
            f"{system.states[j]!r} in the rate of {system.states[i]!r} goes from {system.A[i, j]:.4g} to {A[i, j]:.4g} "
            f"in {t:.3g} s.\nCoefficients are constant where what turns is a body of revolution, and all else looks "
            "the same from it.\nresidual_ok=True takes those of this instant."
        )
