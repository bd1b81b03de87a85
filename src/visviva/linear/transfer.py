"""Transfer functions: one input to one output by zeros, poles and gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.linear.system import LinearSystem

Complex = NDArray[np.complex128]
SAME = 1e-6  # of the largest pole, by which poles and zeros that cancel may differ
EXACT = 1e-9  # of the response: what factors may be off by


@final
@dataclass(frozen=True, eq=False)
class TransferFunction:
    """G(s) = gain ∏ (s - zero) / ∏ (s - pole), without what cancels.

    Poles cancel that the input does not reach, or the output does not show.
    """

    output: str
    input: str
    zeros: Complex
    poles: Complex
    gain: float

    @property
    def num(self) -> Array:
        """Coefficients of the numerator, highest power first."""
        return self.gain * np.real(np.poly(self.zeros))

    @property
    def den(self) -> Array:
        """Coefficients of the denominator, highest power first; the first is one."""
        return np.atleast_1d(np.real(np.poly(self.poles)))

    def __call__(self, s: ArrayLike) -> Complex:
        """G at complex s."""
        at = np.asarray(s, dtype=np.complex128)[..., None]
        n = min(len(self.zeros), len(self.poles))  # in pairs, as many factors would overflow
        pairs = np.prod((at - self.zeros[:n]) / (at - self.poles[:n]), axis=-1)
        rest = np.prod(at - self.zeros[n:], axis=-1) / np.prod(at - self.poles[n:], axis=-1)
        return np.asarray(self.gain * pairs * rest)

    def __str__(self) -> str:
        top, bottom = _factors(self.zeros), _factors(self.poles)
        ratio = f"{self.gain:.6g}" + (f" {top}" if top else "") + (f" / [{bottom}]" if bottom else "")
        return f"{self.output} / {self.input} = {ratio}"


def transfer_function(system: LinearSystem) -> TransferFunction:
    """Of a system with one input and one output."""
    if (len(system.inputs), len(system.outputs)) != (1, 1):
        raise ModelError(
            f"a transfer function goes from one input to one output; {system.name!r} has {len(system.inputs)} and "
            f"{len(system.outputs)}.\nName one of each: transfer_function('arm.q', 'motor')."
        )
    output, input = system.outputs[0], system.inputs[0]  # noqa: A001
    poles = system.poles()
    probes = (float(np.abs(poles).max(initial=0.0)) or 1.0) * np.array([1.9 + 0.3j, 0.13 + 0.61j, 0.7 - 0.23j])
    exact = np.array([_value(system, s) for s in probes])
    if not exact.any():
        return TransferFunction(output, input, np.zeros(0, complex), np.zeros(0, complex), 0.0)
    zeros = system.zeros()
    size = float(np.abs(np.concatenate([poles, zeros])).max(initial=0.0)) or 1.0
    for kept in (_cancelled(zeros, poles, SAME * size), (zeros, poles)):
        raw = TransferFunction(output, input, *kept, 1.0)
        gain = exact[0] / raw(probes[0])
        found = TransferFunction(output, input, *kept, float(gain.real))
        if (np.abs(found(probes) - exact) <= EXACT * np.abs(exact)).all():
            return found
    raise ModelError(
        f"the poles or zeros of {output!r} / {input!r} in {system.name!r} lie too close together to be told apart:\n"
        "factors would be off by more than 1e-9. Use A, B, C, D, or frequency_response(w), which are exact."
    )


def _value(system: LinearSystem, s: complex) -> complex:
    """G(s), zero where its terms cancel."""
    inside = np.linalg.solve(s * np.eye(system.n) - system.A, system.B[:, 0])
    terms = np.append(system.C[0] * inside, system.D[0])
    return complex(terms.sum()) if abs(terms.sum()) > 1e-13 * np.abs(terms).sum() else 0.0


def _cancelled(zeros: Complex, poles: Complex, close: float) -> tuple[Complex, Complex]:
    """Without pairs of a zero and a pole that are the same but for rounding."""
    left = list(poles)
    kept = []
    for zero in zeros:
        distances = [abs(zero - pole) for pole in left]
        if distances and min(distances) <= close:
            left.pop(int(np.argmin(distances)))
        else:
            kept.append(zero)
    return np.array(kept, dtype=np.complex128), np.array(left, dtype=np.complex128)


def _factors(roots: Complex) -> str:
    """(s + 2) (s² + 0.1 s + 4)."""
    found = []
    for root in roots:
        size = abs(root)
        if abs(root.imag) <= 1e-9 * size:
            found.append(_polynomial([1.0, -root.real]))
        elif root.imag > 0:
            found.append(_polynomial([1.0, -2 * root.real if abs(root.real) > 1e-12 * size else 0.0, size**2]))
    return " ".join(found)


def _polynomial(coefficients: list[Any]) -> str:
    powers = ("", " s", " s²")[: len(coefficients)][::-1]
    text = powers[0].strip()
    for value, power in zip(coefficients[1:], powers[1:], strict=True):
        if value:
            text += f" {'+' if value > 0 else '-'} {abs(value):.6g}{power}"
    return f"({text})" if " " in text else text
