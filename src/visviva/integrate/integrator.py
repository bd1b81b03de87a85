"""What an integrator is: it declares what it keeps, and makes one step at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol, final

import numpy as np

from visviva._arrays import Array
from visviva.model import Model, State

if TYPE_CHECKING:
    from visviva.integrate.chunk import Chunk


class Inputs(Protocol):
    """Inputs over time; constant: their value, if they do not depend on it."""

    @property
    def constant(self) -> Array | None: ...  # noqa: D102

    def __call__(self, t: float) -> Array: ...  # noqa: D102

    def over(self, t0: float, place: float, length: float, h: float) -> Array:
        """Those of a step h, or of a part of one, with its middle at t0 + place h, as long as `length` steps."""

    def next_break(self, t: float) -> float:
        """The next time after t at which one of them may jump or bend, as far as that is known; else infinite."""


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What one accepted step leaves.

    x:     new state.   rate: mean rate, for the predictor.
    w:     algebraic unknowns, gam: multipliers of the velocity level; both live at the midpoint of the step.
    heat:  exergy destroyed by each dissipation [J].   work: work of each port [J].
    taken: what flowed into each reservoir.   u: mean inputs, where the step solved for some of them.
    """

    x: Array
    w: Array
    gam: Array
    rate: Array
    heat: Array
    work: Array
    iterations: int
    residual: float
    taken: Array = field(default_factory=lambda: np.zeros(0))
    u: Array | None = None


class AbstractStepper(ABC):
    """An integrator made ready for one model.

    nodes:   where in a step it wants the inputs, as fractions of h.
    weights: of the inputs in the sum that enters over the step, h Σ w_k u_k; they add up to one. Where steps are made
             of parts, nodes are their middles and weights their lengths.
    lengths: of the parts of a step whose middles the nodes are; zero where they are instants.
    width:   length of the rates that it keeps for its predictor; those of other schemes are of no use to it.
    """

    nodes: tuple[float, ...] = (0.5,)
    weights: tuple[float, ...] = (1.0,)
    width: int

    @property
    def lengths(self) -> tuple[float, ...]:
        """Those of the parts of a step."""
        return self.weights

    pivots: Array = np.zeros(0)  # see `State`

    @abstractmethod
    def step(self, state: State, h: float, u: Array) -> Step:
        """One step of length h with the inputs u, (nodes, inputs); raises `NotConverged`, `where` in user's names."""

    def check(self, state: State, h: float, u: Array) -> None:  # noqa: B027 - many schemes have nothing to check
        """An error if the equations of a step at this state have no unique solution."""


class Advancing(Protocol):
    """What makes the steps of a run.

    width:    as that of a stepper.   halvings: how often a step may be divided in two.
    compiled: whether it makes them in compiled code.
    t_end:    where the last step ends [s], for schemes that choose the lengths of their steps.
    """

    width: int
    halvings: int
    compiled: bool
    t_end: float

    def advance(self, state: State, n: int) -> Chunk:
        """Up to n steps from a state, each of length state.h."""

    def alone(self, state: State) -> Chunk:
        """One step from a state with all checks, divided where it is no solution."""

    def notes(self) -> list[str]:
        """What a user should know about the steps made."""


class AbstractIntegrator(ABC):
    """A scheme. Contract (measured by the tests for every integrator in `visviva.integrate.INTEGRATORS`):

    order:     the error at a fixed time falls with this power of h.
    preserves: what it keeps to rounding at any h: "energy" (the balance of stored energy, work and heat),
               "momentum" (linear and angular, of free systems), "g" (holonomic constraints), "g_v" (their rates).
    form:      the form in which it wants a mechanism.
    feedback:  whether it solves inputs that depend on states and efforts inside a step.
    fixed_step: whether all steps have the length that was asked for.
    multipliers: whether its steps have multipliers of their own, which belong to their midpoints.
    follows_jumps: whether states have an effort that is given after the step in which it jumps.
    """

    feedback: ClassVar[bool] = False
    fixed_step: ClassVar[bool] = True
    multipliers: ClassVar[bool] = True
    follows_jumps: ClassVar[bool] = True

    order: ClassVar[int]
    preserves: ClassVar[frozenset[str]]
    form: ClassVar[str]

    @abstractmethod
    def prepare(self, model: Model) -> AbstractStepper:
        """Make ready for a model, or say why it cannot be integrated by this scheme."""

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:
        """What makes the steps of a run that starts at a state; checks that a step has a solution there."""
        from visviva.integrate.stepping import Stepping

        stepper = self.prepare(model)
        stepper.check(state, h, np.zeros(sum(port.width for port in model.ports)))
        return Stepping(model, stepper, inputs)


class AbstractOuter(AbstractIntegrator):
    """A scheme made of steps of another, which keeps what that keeps."""

    inner: AbstractIntegrator

    @property
    def preserves(self) -> frozenset[str]:  # type: ignore[override]
        """What the inner scheme preserves."""
        return self.inner.preserves

    @property
    def follows_jumps(self) -> bool:  # type: ignore[override]
        """Whether states of the inner scheme do."""
        return self.inner.follows_jumps

    @property
    def form(self) -> str:  # type: ignore[override]
        """The form in which the inner scheme wants a mechanism."""
        return self.inner.form


def predict(rates: tuple[Array, ...], default: Array) -> Array:
    """Linear extrapolation of the last two mean rates; the last one, or the default, where there are fewer."""
    if len(rates) >= 2:
        return 2.0 * rates[0] - rates[1]
    return rates[0] if rates else default
