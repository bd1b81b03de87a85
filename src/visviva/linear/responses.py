"""Responses of a linear system: to oscillations over frequency, and to steps over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.linear.eigen import kernel
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.linear.system import LinearSystem

Complex = NDArray[np.complex128]
AT = 1e-13  # of a pole: as near to it there is no response
POINTS = 500  # of times, where none are given


@final
@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """G (frequencies, outputs, inputs) at angular frequencies w [rad/s]; response["y", "u"] is one of them."""

    w: Array
    G: Complex
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    def __getitem__(self, pair: tuple[str, str]) -> Complex:
        i, j = _pair(pair, self.outputs, self.inputs)
        return self.G[:, i, j]

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
    """Outputs y (times, outputs, inputs) after a unit step of each input; response["y", "u"] is one of them.

    name: of the system.   units: by name.
    """

    t: Array
    y: Array
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    name: str = ""
    units: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, pair: tuple[str, str]) -> Array:
        i, j = _pair(pair, self.outputs, self.inputs)
        return self.y[:, i, j]

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Outputs over time, one line for each pair of output and input."""
        from visviva.linear.plots import plot_steps

        return plot_steps(self, path)


def frequency_response(system: LinearSystem, w: ArrayLike) -> FrequencyResponse:
    """G(iω) = C (iω - A)⁻¹ B + D; an error at a frequency that is a pole, where it has no value.

    At ω = 0 free motions that outputs do not show, or inputs do not reach, are left out: speeds have a value there.
    """
    _needs_both(system, "a frequency response")
    frequencies = np.atleast_1d(finite_array(w, "angular frequencies w"))
    if frequencies.ndim != 1 or not len(frequencies):
        raise ModelError(f"angular frequencies w must be one vector, not empty, got shape {frequencies.shape}.")
    poles = system.poles()
    G = np.empty((len(frequencies), *system.D.shape), dtype=np.complex128)
    for k, frequency in enumerate(frequencies.tolist()):
        at_pole = bool((np.abs(1j * frequency - poles) <= AT * np.abs(poles)).any())
        if at_pole and frequency == 0.0:
            G[k] = [[_at_rest(system.select([u], [y])) for u in system.inputs] for y in system.outputs]
        elif at_pole:
            raise _unbounded(system, frequency)
        else:
            matrix = 1j * frequency * np.eye(system.n) - system.A
            G[k] = system.C @ np.linalg.solve(matrix, system.B) + system.D
    return FrequencyResponse(frequencies, G, system.outputs, system.inputs)


def _at_rest(system: LinearSystem) -> float:
    """G(0) of one output and one input, without free motions between which and these there is nothing."""
    A, B, C = system.A, system.B, system.C
    for _ in range(2):  # once as it is, once transposed: what does not show, and what is not reached
        while len(A):
            P, N, X = kernel(A, C)
            if not len(P):
                break
            A, B, C = A[np.ix_(N, N)] - X @ A[np.ix_(P, N)], B[N] - X @ B[P], C[:, N]
        A, B, C = A.T, C.T, B.T
    if len(kernel(A)[0]):
        raise _unbounded(system, 0.0)
    return float((system.D - C @ np.linalg.solve(A, B) if len(A) else system.D).item())


def _unbounded(system: LinearSystem, frequency: float) -> ModelError:
    between = f" from {system.inputs[0]!r} to {system.outputs[0]!r}" if system.D.size == 1 else ""
    return ModelError(
        f"{system.name!r} has an undamped pole at {frequency:g} rad/s: its response{between} there has no bound.\n"
        "Ask for frequencies beside it, or give it damping."
    )


def step_response(system: LinearSystem, t: ArrayLike | None = None) -> StepResponse:
    """x(t) = ∫ e^{Aτ} B dτ by the exponential of [[A, B], [0, 0]], from one time to the next."""
    import scipy.linalg

    _needs_both(system, "a step response")
    times = _times(system) if t is None else np.atleast_1d(finite_array(t, "times t"))
    if times.ndim != 1 or not len(times) or (np.diff(times) < 0).any() or times[0] < 0:
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
    return StepResponse(times, y, system.outputs, system.inputs, system.name, system.units)


def _times(system: LinearSystem) -> Array:
    """Until the slowest motion has died out or swung a few times, or what grows has grown."""
    poles = system.poles()
    poles = poles[np.abs(poles) > 0]
    ends = [6.0 / abs(pole.real) if abs(pole.real) > 0.1 * abs(pole) else 40.0 / abs(pole) for pole in poles]
    return np.linspace(0.0, max(ends, default=1.0), POINTS)


def _needs_both(system: LinearSystem, what: str) -> None:
    if not system.inputs or not system.outputs:
        missing = "inputs" if not system.inputs else "outputs"
        raise ModelError(f"{what} goes from inputs to outputs, and {system.name!r} has no {missing}.")


def _pair(pair: tuple[str, str], outputs: tuple[str, ...], inputs: tuple[str, ...]) -> tuple[int, int]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ModelError(f"a response goes from one input to one output: response['output', 'input'], got {pair!r}.")
    return _index(pair[0], outputs, "outputs"), _index(pair[1], inputs, "inputs")


def _index(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise unknown_name(str(name), names, f"a response with the {what} {', '.join(names)}")
    return names.index(name)
