"""Steps of a scheme without what a run adds to them: records, accounts, a check of the end of each step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import final

from numpy.typing import ArrayLike

from visviva.integrate import AbstractIntegrator
from visviva.integrate.chunk import Chunk
from visviva.integrate.inputs import Input, input_function
from visviva.integrate.start import start_state
from visviva.model import Model


@final
class Steps:
    """A scheme made ready for a model: `Steps(...)(n)` makes n steps of length h from the initial state."""

    def __init__(
        self,
        model: Model,
        scheme: AbstractIntegrator,
        initial: Mapping[str, ArrayLike],
        h: float,
        inputs: Mapping[str, Input] | None = None,
    ) -> None:
        u, model = input_function(model, inputs)  # inputs that are laws become part of the model
        state, _ = start_state(model, initial, scheme, u)
        self.state = dataclasses.replace(state, h=h)
        self.stepping = scheme.stepping(model, u, self.state, h)

    def __call__(self, n: int) -> Chunk:
        chunk = self.stepping.advance(self.state, n)
        if chunk.steps != n:
            raise RuntimeError(f"only {chunk.steps} of {n} steps were made: {chunk.failure}")
        return chunk
