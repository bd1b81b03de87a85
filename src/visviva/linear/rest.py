"""Where a mechanism rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.errors import AssemblyError
from visviva.forms.minimal.closing import AT_REST
from visviva.integrate.equilibrium import equilibrium, equilibrium_of
from visviva.integrate.statics import Statics
from visviva.linear.equations import Reference
from visviva.linear.equilibrium import rest_with_boxes
from visviva.linear.motion import about
from visviva.linear.of_mechanisms import MechanismEquations
from visviva.mechanism.assembly import linkage_of
from visviva.model.rows import RowKind
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.nullspace import split

ITERATIONS = 40
EXACT, NEARLY = 1e-14, 1e-11  # [rad, m, ...] changes that are rounding, and that are where they shrink no further
FAR = 0.3  # of the size of an increment: no step is longer


def rest(equations: MechanismEquations, near: Any = None) -> Reference:
    """The equilibrium of a mechanism under its inputs; near: a state beside which it is looked for.

    With conditions on velocities it is the mechanism as assembled, if that is one.

    Where inputs have values, Newton's method brings what is no part of the configuration to rest as well; it starts
    without them where the configuration has no equilibrium under them that a descent finds.
    """
    form = equations.form
    for drive in form.open.prescribed.values():
        rate = float(form.inputs(0.0)[form.open.port_columns[drive.name]][0])
        if abs(rate) > AT_REST:
            raise AssemblyError(
                f"drive {drive.name!r} of {equations.name} moves at the start, by {rate:.4g} per second: nothing rests."
                "\nLinearise about a steady motion with steady=True, or about an instant with residual_ok=True."
            )
    if near is not None:
        return _loaded(equations, equations.start(near, steady=False))
    if any(kind is RowKind.NONHOLONOMIC for _, kind in form.open.kinds):
        return equations.start(None, steady=False)
    m, linkage = form.definition, linkage_of(form.definition)
    if any(box.states for box in m.boxes):
        return rest_with_boxes(equations, equations.start(None, steady=False))
    if not (form.inputs.base.any() or form.inputs.functions or form.open.feedback):
        return equations.start(equilibrium(m), steady=False)
    try:
        found = equilibrium_of(Statics(m, linkage, form.model, form.inputs))
    except AssemblyError as error:
        try:
            found = equilibrium(m)
        except AssemblyError:
            raise error from None
    return _loaded(equations, equations.start(found, steady=False))


def _loaded(equations: MechanismEquations, ref: Reference) -> Reference:
    """ξ̇ = 0 and ṡ = 0 at rest, by their derivatives along independent increments and other states."""
    still = np.zeros(equations.n)

    def step(ref: Reference) -> tuple[float, Callable[[], Reference]]:
        found = about(equations, ref, steady=False, residual_ok=True, velocities=None)
        b, A = found.basis, found.system.A
        free, moving = b.H.shape[1], b.N.shape[1]
        left = np.concatenate([ref.xi_dot[b.choice.eta], equations.rates(ref)])
        columns = [k for k in range(len(A)) if not free <= k < free + moving]
        change = split(A[free:, columns]).solve(-left)
        eps, sigma = b.H @ change[:free], change[free:]
        shorter = min(1.0, FAR / max(float((np.abs(eps) / equations.sizes).max(initial=0.0)), 1e-300))

        def following() -> Reference:
            s = ref.s.copy()
            s[equations.kept] += shorter * sigma
            q, _, s = equations.form.projected(ref.t, equations.advance(ref.q, shorter * eps), still, s)
            return equations.continued(q, still, s, ref.t)

        return float(np.abs(change).max(initial=0.0)), following

    ref, reached = newton(ref, step, Convergence(EXACT, NEARLY), ITERATIONS)
    if reached:
        return ref
    k = int(np.abs(ref.xi_dot).argmax())
    raise AssemblyError(
        f"no equilibrium of {equations.name} under its inputs was found: {equations.velocities[k]!r} would still "
        f"accelerate by {ref.xi_dot[k]:.3g}.\nWhat nothing holds has none; else start nearer to it, with at=..., or "
        "linearise about a steady motion, with steady=True."
    )
