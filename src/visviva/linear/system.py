"""LinearSystem: ẋ = A x + B u, y = C x + D u, with names, modes and responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, frozen
from visviva.errors import ModelError
from visviva.linear.listed import listed
from visviva.linear.modes import Modes, modes_of
from visviva.linear.second_order import SecondOrder
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.linear.responses import FrequencyResponse, StepResponse
    from visviva.linear.shapes import Shapes
    from visviva.linear.transfer import TransferFunction

Complex = NDArray[np.complex128]


@final
@dataclass(frozen=True, eq=False)
class LinearSystem:
    """ẋ = A x + B u,   y = C x + D u: small deviations from a state, all by name.

    states:    names of x: increments of the configuration, velocities, other states.   inputs, outputs: names.
    units:     by name; empty where nobody said it.
    mechanics: M, D and K of the mechanical part, see `SecondOrder`; None where there is none.
    shapes:    what moves how, for pictures and shares of bodies; None where there are no bodies.
    """

    name: str
    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    mechanics: SecondOrder | None = None
    shapes: Shapes | None = None

    def __post_init__(self) -> None:
        """Shapes and names must fit; a short error says which do not."""
        n, m, r = len(self.states), len(self.inputs), len(self.outputs)
        for letter, shape in (("A", (n, n)), ("B", (n, m)), ("C", (r, n)), ("D", (r, m))):
            what = f"{letter} of the linear system {self.name!r}"
            matrix = finite_array(getattr(self, letter), what)
            if matrix.shape != shape:
                raise ModelError(
                    f"{what} must have shape {shape}, for {n} states, {m} inputs and {r} outputs, got {matrix.shape}."
                )
            object.__setattr__(self, letter, frozen(matrix))

    @property
    def n(self) -> int:
        """Number of states."""
        return len(self.A)

    @property
    def M(self) -> Array:
        """Mass matrix of the mechanical part."""
        return self._mechanics.M

    @property
    def K(self) -> Array:
        """Stiffness and circulatory forces of the mechanical part."""
        return self._mechanics.K

    @property
    def _mechanics(self) -> SecondOrder:
        if self.mechanics is None:
            raise ModelError(
                f"{self.name!r} has A, B, C and D, but no form of second order, with M, D and K: that takes as many\n"
                "positions as momenta, whose rates are all that moves them."
            )
        return self.mechanics

    def unit(self, name: str) -> str:
        """The unit of a state, an input or an output; empty where nobody said it."""
        if name not in (*self.states, *self.inputs, *self.outputs):
            raise unknown_name(
                str(name), (*self.states, *self.inputs, *self.outputs), f"the linear system {self.name!r}"
            )
        return self.units.get(name, "")

    # -- modes --------------------------------------------------------------------------------------------------

    @cached_property
    def _modes(self) -> Modes:
        return modes_of(self)

    def modes(self) -> Modes:
        """Eigenvalues, frequencies, damping ratios and shapes, slowest first."""
        return self._modes

    def poles(self) -> Complex:
        """Eigenvalues of A [1/s], all of them."""
        return self.modes().eigenvalues

    @property
    def stable(self) -> bool:
        """Whether every small deviation dies out: all poles left of the imaginary axis, by more than rounding."""
        return bool((self.poles().real < -self.modes().errors).all())

    @property
    def grows(self) -> bool:
        """Whether some small deviation grows: a pole right of the imaginary axis, by more than rounding."""
        return bool((self.poles().real > self.modes().errors).any())

    # -- responses ----------------------------------------------------------------------------------------------

    def zeros(self, output: str | None = None, input: str | None = None) -> Complex:  # noqa: A002
        """Transmission zeros [1/s] from one input to one output; see `responses.zeros`."""
        from visviva.linear.structure import zeros

        return zeros(self.select(None if input is None else [input], None if output is None else [output]))

    def frequency_response(self, w: ArrayLike) -> FrequencyResponse:
        """G(iω) = C (iω - A)⁻¹ B + D at angular frequencies ω [rad/s]."""
        from visviva.linear.responses import frequency_response

        return frequency_response(self, w)

    def step_response(self, t: ArrayLike | None = None) -> StepResponse:
        """Outputs at times t [s] after each input went from 0 to 1 alone at t = 0, exact at any spacing.

        t: by default until the slowest motion has died out, or has swung a few times.
        """
        from visviva.linear.responses import step_response

        return step_response(self, t)

    def bode(self, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
        """Magnitudes and phases of all responses over frequency; w: angular frequencies, chosen by the poles."""
        from visviva.linear.plots import bode

        return bode(self, w, path)

    def nyquist(self, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
        """All responses in the complex plane, with the point -1 that decides on stability in a closed loop."""
        from visviva.linear.loop_plots import nyquist

        return nyquist(self, w, path)

    def nichols(self, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
        """Magnitude [dB] over phase of all responses, with lines of equal magnitude of the closed loop."""
        from visviva.linear.loop_plots import nichols

        return nichols(self, w, path)

    def pole_zero_map(self, path: str | PathLike[str] | None = None) -> Figure:
        """Poles as crosses and, where there are as many inputs as outputs, zeros as circles, in the complex plane."""
        from visviva.linear.loop_plots import pole_zero_map

        return pole_zero_map(self, path)

    def transfer_function(self, output: str | None = None, input: str | None = None) -> TransferFunction:  # noqa: A002
        """G(s) from one input to one output by zeros, poles and gain, without what cancels."""
        from visviva.linear.transfer import transfer_function

        return transfer_function(self.select(None if input is None else [input], None if output is None else [output]))

    def controllable(self) -> int:
        """How many states the inputs reach: the rank of controllability."""
        from visviva.linear.structure import controllable

        return controllable(self)

    def observable(self) -> int:
        """How many states show in the outputs: the rank of observability."""
        from visviva.linear.structure import observable

        return observable(self)

    # -- other systems ------------------------------------------------------------------------------------------

    def select(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> LinearSystem:
        """The same with some of its inputs and outputs, in this order; None: all of them."""
        rows = self._indices(outputs, self.outputs, "outputs")
        columns = self._indices(inputs, self.inputs, "inputs")
        return replace(
            self,
            B=self.B[:, columns],
            C=self.C[rows],
            D=self.D[np.ix_(rows, columns)],
            inputs=tuple(self.inputs[k] for k in columns),
            outputs=tuple(self.outputs[k] for k in rows),
        )

    def _indices(self, names: Sequence[str] | None, known: tuple[str, ...], what: str) -> list[int]:
        if names is None:
            return list(range(len(known)))
        found: list[int] = []
        for name in listed(names, what):
            several = [k for k, other in enumerate(known) if other == name or other.startswith(f"{name}[")]
            if not several:
                raise unknown_name(name, known, f"{what} of {self.name!r}")
            found += several
        return found

    def to_control(self) -> Any:
        """A `control.StateSpace` with the same names (python-control, extra "control")."""
        from visviva.linear.hand_over import to_control

        return to_control(self)

    def __repr__(self) -> str:
        return f"<LinearSystem {self.name!r}: {self.n} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    def __str__(self) -> str:
        lines = [
            f"linear system {self.name!r}: {self.n} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        ]
        for word, names in (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs)):
            listed = ", ".join(f"{name} [{self.units[name]}]" if self.units.get(name) else name for name in names)
            lines.append(f"  {word + ':':9}{listed or 'none'}")
        return "\n".join(lines)
