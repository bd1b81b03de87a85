"""Steps of a scheme without what a run adds to them: records, accounts, a check of the end of each step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import final

from visviva.integrate import AbstractIntegrator
from visviva.integrate.chunk import Chunk
from visviva.integrate.inputs import Input, input_function
from visviva.integrate.start import Initial, start_state
from visviva.model import Model, State

CHUNK = 2_000_000  # numbers in the states of a chunk


@final
class Steps:
    """A scheme made ready for a model: `Steps(...)(n)` makes n steps of length h from the initial state."""

    def __init__(
        self,
        model: Model,
        scheme: AbstractIntegrator,
        initial: Initial,
        h: float,
        inputs: Mapping[str, Input] | None = None,
    ) -> None:
        u, model = input_function(model, inputs)  # inputs that are laws become part of the model
        state, _ = start_state(model, initial, scheme, u)
        self.model = model
        self.state = dataclasses.replace(state, h=h)
        self.stepping = scheme.stepping(model, u, self.state, h)

    def __call__(self, n: int) -> Chunk:
        return self._made(self.state, n)

    def last(self, n: int) -> State:
        """The state after n steps, made in chunks as a run makes them: of a large model no more than that is kept."""
        state, done, most = self.state, 0, max(1, CHUNK // len(self.state.x))
        while done < n:
            chunk = self._made(state, min(most, n - done))
            state = chunk.state(state, chunk.steps, state.taken, state.angles)
            done += chunk.steps
        return state

    def _made(self, state: State, n: int) -> Chunk:
        chunk = self.stepping.advance(state, n)
        if chunk.steps != n:
            raise RuntimeError(f"only {chunk.steps} of {n} steps were made: {chunk.failure}")
        return chunk
