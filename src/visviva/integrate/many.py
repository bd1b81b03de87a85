"""Many steps at a time in compiled code: what the engine of models and that of mechanisms have in common."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.chunk import Chunk
from visviva.integrate.inputs import BadInput
from visviva.integrate.integrator import AbstractStepper, Inputs, Step
from visviva.integrate.repeated import AbstractRepeated
from visviva.integrate.stepping import Stepping
from visviva.model import Model, State

WHOLE = np.array([1.0])  # a step that is not composed of parts


class AbstractMany(AbstractStepper):
    """A stepper that makes many steps in compiled code; inputs: how many there are."""

    inputs: int

    @abstractmethod
    def many(self, state: State, h: float, u: Array) -> Chunk:
        """As many steps as there are inputs, (n, nodes, inputs), or as can be solved."""

    @abstractmethod
    def choose_pivots(self, state: State, h: float) -> bool:
        """Choose pivots that suit a state; False if there are none to choose."""

    def restart(self, state: State, h: float) -> bool:
        """Be ready for a run from another state, as if made anew; False where it has to be made anew."""
        return False

    def reserve(self, n: int) -> None:
        """Have memory for n steps that follow each other, of which all nodes are kept; 0: no longer."""
        return

    def step(self, state: State, h: float, u: Array) -> Step:  # noqa: D102
        chunk = self.many(state, h, u[None])
        if not chunk.steps and self.choose_pivots(state, h):
            chunk = self.many(state, h, u[None])
        if not chunk.steps:
            assert chunk.failure is not None
            raise chunk.failure
        columns = {name: getattr(chunk, name)[0] for name in ("w", "gam", "rate", "heat", "work", "taken", "u")}
        return Step(x=chunk.x[1], iterations=int(chunk.iterations[0]), residual=float(chunk.residual[0]), **columns)


@final
class ManyStepping(AbstractRepeated):
    """Makes the steps of a run in compiled code; a step that fails there is tried again one by one."""

    compiled = True
    t_end = np.inf  # it counts steps

    def __init__(self, model: Model, stepper: AbstractMany, inputs: Inputs) -> None:
        self.stepper = stepper
        self.inputs = inputs
        self.width = stepper.width
        self._single = Stepping(model, stepper, inputs)

    def notes(self) -> list[str]:
        """None: what is divided is counted by the loop."""
        return []

    @property
    def halvings(self) -> int:
        """How often a step that has no solution may be divided in two."""
        return self._single.halvings

    @halvings.setter
    def halvings(self, times: int) -> None:
        self._single.halvings = times

    def advance(self, state: State, n: int) -> Chunk:
        """Up to n steps."""
        u, failure = self._inputs(state, n)
        chunk = self.stepper.many(state, state.h, u)
        if chunk.steps == len(u):
            return chunk if failure is None else dataclasses.replace(chunk, failure=failure)
        if chunk.steps:
            return dataclasses.replace(chunk, failure=None)  # what failed is tried by itself when it comes first
        return self.alone(state)

    def restart(self, state: State, h: float) -> bool:  # noqa: D102
        return self.stepper.restart(state, h)

    def reserve(self, n: int) -> None:  # noqa: D102
        self.stepper.reserve(n)

    def held(self, state: State, u: Array) -> Chunk:  # noqa: D102
        return self.stepper.many(state, state.h, np.repeat(u[:, None], len(self.stepper.nodes), axis=1))

    def alone(self, state: State) -> Chunk:
        """One step by itself."""
        return self._single.advance(state, 1)

    def _inputs(self, state: State, n: int) -> tuple[Array, BaseException | None]:
        """Inputs at the nodes of n steps, (n, nodes, inputs); fewer where one fails, and how."""
        nodes, width, rows = self.stepper.nodes, self.stepper.inputs, list[list[Array]]()
        if self.inputs.constant is not None:
            return np.tile(self.inputs.constant, (n, len(nodes), 1)), None
        for k in range(n):
            try:
                places = [state.steps + k + node for node in nodes]
                parts = zip(places, self.stepper.lengths, strict=True)
                rows.append([self.inputs.over(state.t0, place, part, state.h) for place, part in parts])
            except (BadInput, KeyboardInterrupt) as error:
                return np.array(rows).reshape(len(rows), len(nodes), width), error
        return np.array(rows).reshape(n, len(nodes), width), None


def warmed(model: Model, stepper: AbstractMany, inputs: Inputs, state: State, h: float) -> ManyStepping:
    """Stepping with a stepper whose kernels are compiled: no step is made."""
    stepper.many(state, h, np.zeros((0, len(stepper.nodes), stepper.inputs)))
    return ManyStepping(model, stepper, inputs)


def pivots_at(state: State, h: float) -> Array:
    """What the order of elimination is chosen by, see `State`."""
    return np.concatenate([[state.t, h], state.x, state.w, state.active.astype(np.float64)])
