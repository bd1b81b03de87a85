"""Responses of a linear system: to oscillations over frequency, and to steps over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from visviva.linear.system import LinearSystem

Complex = NDArray[np.complex128]


@final
@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """G (frequencies, outputs, inputs) at angular frequencies w [rad/s]; response["y", "u"] is one of them."""

    w: Array
    G: Complex
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    def __getitem__(self, pair: tuple[str, str]) -> Complex:
        output, input = pair  # noqa: A001
        return self.G[:, _index(output, self.outputs, "outputs"), _index(input, self.inputs, "inputs")]

    @property
    def magnitude(self) -> Array:
        """|G|."""
        return np.abs(self.G)

    @property
    def phase(self) -> Array:
        """Continuous over frequency [rad]."""
        return np.unwrap(np.angle(self.G), axis=0)


@final
@dataclass(frozen=True, eq=False)
class StepResponse:
    """Outputs y (times, outputs, inputs) after a unit step of each input; response["y", "u"] is one of them."""

    t: Array
    y: Array
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    def __getitem__(self, pair: tuple[str, str]) -> Array:
        output, input = pair  # noqa: A001
        return self.y[:, _index(output, self.outputs, "outputs"), _index(input, self.inputs, "inputs")]


def frequency_response(system: LinearSystem, w: ArrayLike) -> FrequencyResponse:
    """G(iω) = C (iω - A)⁻¹ B + D; an error at a frequency that is a pole, where it has no value."""
    _needs_both(system, "a frequency response")
    frequencies = np.atleast_1d(finite_array(w, "angular frequencies w"))
    if frequencies.ndim != 1:
        raise ModelError(f"angular frequencies w must be one vector, got shape {frequencies.shape}.")
    eye, G = np.eye(system.n), np.empty((len(frequencies), *system.D.shape), dtype=np.complex128)
    for k, frequency in enumerate(frequencies):
        matrix = 1j * frequency * eye - system.A
        if system.n and 1.0 / np.linalg.cond(matrix) < 1e-15:
            raise ModelError(
                f"{system.name!r} has an undamped pole at {frequency:g} rad/s: its response there has no bound.\n"
                "Ask for frequencies beside it, or give it damping."
            )
        G[k] = system.C @ np.linalg.solve(matrix, system.B) + system.D
    return FrequencyResponse(frequencies, G, system.outputs, system.inputs)


def step_response(system: LinearSystem, t: ArrayLike) -> StepResponse:
    """x(t) = ∫ e^{Aτ} B dτ by the exponential of [[A, B], [0, 0]], from one time to the next."""
    import scipy.linalg

    _needs_both(system, "a step response")
    times = np.atleast_1d(finite_array(t, "times t"))
    if times.ndim != 1 or (np.diff(times) < 0).any() or times[0] < 0:
        raise ModelError("times t of a step response must be one vector that rises from zero or later.")
    n, m = system.B.shape
    block = np.zeros((n + m, n + m))
    block[:n, :n], block[:n, n:] = system.A, system.B
    y, z, before = np.empty((len(times), *system.D.shape)), np.eye(n + m)[:, n:], 0.0
    steps = dict[float, Array]()
    for k, now in enumerate(times.tolist()):
        h = round(now - before, 15)
        if h not in steps:
            steps[h] = np.asarray(scipy.linalg.expm(h * block))
        z, before = steps[h] @ z, now
        y[k] = system.C @ z[:n] + system.D
    return StepResponse(times, y, system.outputs, system.inputs)


def _needs_both(system: LinearSystem, what: str) -> None:
    if not system.inputs or not system.outputs:
        missing = "inputs" if not system.inputs else "outputs"
        raise ModelError(f"{what} goes from inputs to outputs, and {system.name!r} has no {missing}.")


def _index(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise unknown_name(str(name), names, f"a response with the {what} {', '.join(names)}")
    return names.index(name)
