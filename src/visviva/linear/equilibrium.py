"""Equilibria of mechanisms with boxes: configuration and states of boxes come to rest together.

Where a state of a box rests is no matter of an energy: windings cool, oil leaks, and what a box keeps, as the amount of
a gas or the play of gears, it has from where it started. With f the rates of all states x and their slopes A, steps

    (1/τ - A) Δ = f,   τ → ∞

are those of the implicit Euler rule from rest: they fall to where the motion would end, keep nᵀx where nᵀA = 0, and are
Newton's steps in the end. (Kelley, Keyes, SIAM J. Numer. Anal. 35 (1998) 508.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.errors import AssemblyError
from visviva.forms.minimal.form import MinimalForm
from visviva.integrate import equilibrium as equilibrium_of_energy
from visviva.integrate.equilibrium import Equilibrium, check_velocities
from visviva.integrate.inputs import AllInputs
from visviva.linear.equations import Reference
from visviva.linear.motion import about
from visviva.linear.of_mechanisms import MechanismEquations
from visviva.mechanism import Definition, Mechanism, definition_of

ITERATIONS = 120
SHORT = 1.0  # [s/s] of the slowest natural rate: the first τ
GROWTH, SHRINKING = 10.0, 0.2
FAR = 0.3  # of the size of an increment: no step is longer
EXACT, NEARLY = 1e-13, 1e-10  # of the sizes: changes that are rounding, and that are where they shrink no further
LONG = 1e12  # of τ: from here on steps are Newton's
NEUTRAL = 1e-7  # of the largest rate: slower is no motion


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
    have no force at rest.

    Boxes with states of their own, thermal nodes and currents beside them, come to rest with the configuration, from
    the states that they start with; `motion` has them all.
    """
    m = definition_of(m)
    if not isinstance(m, Definition) or not any(box.states for box in m.boxes):
        return equilibrium_of_energy(m, initial, inputs)
    check_velocities(m)
    equations = MechanismEquations(MinimalForm(m, inputs=inputs), None, {})
    return _found(equations, rest_with_boxes(equations, equations.start(initial, steady=False)))


def rest_with_boxes(equations: MechanismEquations, ref: Reference) -> Reference:
    """The state at rest that the motion from one would come to."""
    still, tau, last = np.zeros(equations.n), None, np.inf
    ref = equations.continued(ref.q, still, ref.s, ref.t)
    for _ in range(ITERATIONS):
        found = about(equations, ref, steady=False, residual_ok=True, velocities=None)
        b, A = found.basis, found.system.A
        free, moving = b.H.shape[1], b.N.shape[1]
        f = np.concatenate([np.zeros(free), ref.xi_dot[b.choice.eta], equations.rates(ref)])
        sizes = np.concatenate([equations.sizes[b.choice.p], np.ones(moving), equations.other_sizes(ref)])
        if tau is None:
            tau = SHORT / max(float(np.abs(np.linalg.eigvals(A)).max(initial=0.0)), 1e-9)
        step = np.linalg.solve(np.eye(len(A)) / tau - A, f)
        eps, sigma = b.H @ step[:free], step[free + moving :]
        reach = float((np.abs(eps) / equations.sizes).max(initial=0.0))
        change = float((np.abs(step) / sizes)[[*range(free), *range(free + moving, len(A))]].max(initial=0.0))
        newton = tau * float(np.abs(A).max(initial=0.0)) > LONG
        if newton and (change <= EXACT or change >= last <= NEARLY):
            return ref
        last = change if newton else np.inf
        if reach > FAR:
            tau *= SHRINKING
            continue
        s = ref.s.copy()
        s[equations.kept] += sigma
        q, _, s = equations.form.projected(ref.t, equations.advance(ref.q, eps), still, s)
        ref, tau = equations.continued(q, still, s, ref.t), tau * GROWTH
    k = int(np.abs(ref.xi_dot).argmax())
    raise AssemblyError(
        f"no equilibrium of {equations.name} was found: {equations.velocities[k]!r} would still accelerate by "
        f"{ref.xi_dot[k]:.3g}.\nWhat nothing holds has none; else start nearer to it (initial=... of vv.equilibrium, "
        "at=... of vv.linearise)."
    )


def _found(equations: MechanismEquations, ref: Reference) -> Equilibrium:
    form = equations.form
    A = about(equations, ref, steady=False, residual_ok=True, velocities=None).system.A
    point = form.at(ref.q, ref.xi, ref.s)
    return Equilibrium(
        form.motion(ref.q, ref.xi, ref.s),
        form.reactions(ref.q, ref.xi, ref.s),
        float(form.open.H(point.x)),
        None,
        _stability(A),
    )


def _stability(A: Array) -> str:
    """By the eigenvalues: whether small motions grow, go on, or end where they began."""
    rates = np.linalg.eigvals(A)
    least = NEUTRAL * float(np.abs(rates).max(initial=0.0))
    if (rates.real > least).any():
        return "unstable"
    return "neutral" if (np.abs(rates) <= least).any() else "stable"
