"""Suzuki's composition: a scheme of order 4 from five steps of one of order 2."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.integrator import AbstractIntegrator, AbstractOuter, AbstractStepper, Advancing, Inputs, Step
from visviva.integrate.phmp import PHMP
from visviva.integrate.phmpggl import PHMPGGL
from visviva.integrate.redundancy import check_left_out
from visviva.model import Model, State

p = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
SUBSTEPS = np.array([p, p, 1.0 - 4.0 * p, p, p])  # of h; their cubes add up to zero
STARTS = np.cumsum([0.0, *SUBSTEPS[:-1]])
MIDPOINTS = STARTS + 0.5 * SUBSTEPS


@final
@helpful
@dataclass(frozen=True)
class Suzuki4(AbstractOuter):
    """Φ(h) = φ(p h) φ(p h) φ((1 - 4p) h) φ(p h) φ(p h),  p = 1/(4 - 4^(1/3)), for a symmetric φ of order 2.

    Suzuki (1990), Phys. Lett. A 146, 319-323; Hairer, Lubich, Wanner (2006), section II.4. It keeps what the inner
    scheme keeps. Where that leaves raw velocities off the constraints (PHMP, DiscreteGradient), they stay at order 2;
    configurations have order 4, and so have the public velocities, which are projected, with an error whose constant
    alternates between even and odd steps.

    1 - 4p is negative, about -0.66: that substep runs backwards in time, where friction gives its heat back. Models
    that dissipate are therefore refused, unless `allow_dissipation` says that the second law may fail within a step.
    """

    inner: AbstractIntegrator = field(default_factory=PHMP)
    allow_dissipation: bool = False
    order: ClassVar[int] = 4

    def __post_init__(self) -> None:
        if not isinstance(self.inner, AbstractIntegrator) or not self.inner.fixed_step:
            raise ModelError(f"Suzuki4 composes an integrator such as vv.PHMP(), got {self.inner!r}.")
        if self.inner.order != 2:
            raise ModelError(
                f"Suzuki4 raises a scheme of order 2 to order 4; {type(self.inner).__name__} has order "
                f"{self.inner.order}.\nCompose vv.PHMP(), vv.PHMPGGL() or vv.DiscreteGradient()."
            )

    @property
    def feedback(self) -> bool:  # type: ignore[override]
        """Whether the inner scheme solves inputs that depend on states and efforts inside a step."""
        return self.inner.feedback

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        if not self.allow_dissipation:
            _check_reversible(model)
        return _Stepper(model, self.inner.prepare(model))

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        if isinstance(self.inner, DiscreteGradient | PHMP | PHMPGGL) and self.inner.compiled:
            from visviva.compiler.tableau import MIDPOINT
            from visviva.integrate.compiled import compiled_stepping
            from visviva.integrate.machine import machine_stepping

            if not self.allow_dissipation:
                _check_reversible(model)
            rates = isinstance(self.inner, PHMPGGL)
            steps: Advancing | None = machine_stepping(model, self.inner.newton, inputs, state, h, SUBSTEPS, rates)
            if steps is None and not rates and (isinstance(self.inner, DiscreteGradient) or model.coordinates):
                steps = compiled_stepping(model, MIDPOINT, self.inner.newton, inputs, state, h, SUBSTEPS)
            if steps is not None:
                return steps
        return super().stepping(model, inputs, state, h)


def _check_reversible(model: Model) -> None:
    parts = [part.name for part in model.dissipations] + [part.name for part in model.reservoirs]
    if parts:
        raise ModelError(
            f"Suzuki4 is for models without dissipation; {model.name!r} has: {', '.join(dict.fromkeys(parts))}.\n"
            "One of its five substeps runs backwards in time, where friction would take entropy away. Use\n"
            "vv.EnergyCollocation() (order 4, flat states) or a scheme of order 2; or accept that the second law may\n"
            "fail within a step: vv.Suzuki4(..., allow_dissipation=True)."
        )


@final
@dataclass(frozen=True, eq=False)
class _Stepper(AbstractStepper):
    model: Model
    inner: AbstractStepper

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the rates of a step."""
        return self.inner.width

    @cached_property
    def nodes(self) -> tuple[float, ...]:  # type: ignore[override]
        """The nodes of all substeps."""
        return tuple((STARTS[:, None] + np.outer(SUBSTEPS, self.inner.nodes)).ravel())

    @cached_property
    def weights(self) -> tuple[float, ...]:  # type: ignore[override]
        """The weights of all substeps, each in proportion to its length."""
        return tuple(np.outer(SUBSTEPS, self.inner.weights).ravel())

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """Those of the substeps."""
        return tuple(np.outer(SUBSTEPS, self.inner.lengths).ravel())

    def step(self, state: State, h: float, u: Array) -> Step:
        """Five steps of the inner scheme, each started from the rates of the last two substeps.

        Of every step before, `state.rate` has the rate of its last substep: a mean, so it belongs to that midpoint.
        """
        u = u.reshape(len(SUBSTEPS), len(self.inner.nodes), -1)
        steps: list[Step] = []
        times, rates = [MIDPOINTS[-1] - 1.0 - k for k in range(len(state.rate))], list(state.rate)  # newest first
        begun = state.t
        for part, t, start, inputs in zip(SUBSTEPS, MIDPOINTS, STARTS, u, strict=True):
            now = dataclasses.replace(state, rate=_extrapolate(times, rates, t), t0=begun + start * h, steps=0)
            step = self.inner.step(now, part * h, inputs)
            self._check_rows(state, step, inputs)
            angles = self.model.followed_angles(step.x, state.angles) if self.model.feedback else state.angles
            state = dataclasses.replace(state, x=step.x, w=step.w, gam=step.gam, angles=angles)
            times, rates = [t, *times[:1]], [step.rate, *rates[:1]]
            steps.append(step)
        return Step(
            x=steps[-1].x,
            w=SUBSTEPS @ np.array([step.w for step in steps]),
            gam=steps[-1].gam,
            rate=steps[-1].rate,
            heat=np.sum([step.heat for step in steps], axis=0),
            work=np.sum([step.work for step in steps], axis=0),
            iterations=sum(step.iterations for step in steps),
            residual=max(step.residual for step in steps),
            taken=np.sum([step.taken for step in steps], axis=0),
            u=SUBSTEPS @ np.array([step.u for step in steps]) if self.model.feedback else None,
        )

    def _check_rows(self, state: State, step: Step, u: Array) -> None:
        """Rows that a substep left out, at its middle; an inner scheme with several stages checks its own."""
        if len(u) == 1:
            xm, z = 0.5 * (state.x + step.x), self.model.mean_z(state.x, step.x, step.w)
            check_left_out(self.model, state.active, xm[None], z[None], u)

    def check(self, state: State, h: float, u: Array) -> None:
        """The inner scheme's own check, of the first substep."""
        self.inner.check(state, p * h, u)


def _extrapolate(times: list[float], rates: list[Array], t: float) -> tuple[Array, ...]:
    """The line through the last two mean rates, at t; as the only rate it is what the inner scheme starts from."""
    if len(rates) < 2:
        return tuple(rates)
    return (rates[0] + (t - times[0]) / (times[0] - times[1]) * (rates[0] - rates[1]),)
