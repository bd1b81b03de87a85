"""Modes: the motions e^{λt} v of a linear system, with what moves in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.linear.eigen import CLOSE, eigen

if TYPE_CHECKING:
    from visviva.linear.second_order import SecondOrder
    from visviva.linear.system import LinearSystem
    from visviva.views import MechanismPicture
    from visviva.views.mechanism_film import Film

Complex = NDArray[np.complex128]
NEUTRAL = 1e-10  # of the terms of a stiffness: where they cancel to less there is none
SHOWN = 3  # bodies or states that a line of the table names
SHOWN_RATIO = 1e-12  # damping ratios below are rounding
SHARE = 0.02  # those below are not named


@final
@dataclass(frozen=True, eq=False)
class Mode:
    """One motion e^{λt} v: an oscillation, with its conjugate, or a real one.

    eigenvalue: λ [1/s], with the positive imaginary part.   vector: v over all states, the largest increment (or,
    without increments, the largest entry) is one.   shares: of the kinetic energy by body, or, where nothing moves,
    of the states by participation.
    """

    system: LinearSystem
    eigenvalue: complex
    vector: Complex
    shares: dict[str, float]

    @property
    def frequency(self) -> float:
        """Natural frequency |λ|/2π [Hz]; of what does not oscillate zero."""
        return abs(self.eigenvalue) / (2 * np.pi) if self.eigenvalue.imag else 0.0

    @property
    def damped_frequency(self) -> float:
        """Frequency at which it is seen to oscillate, Im λ/2π [Hz]."""
        return self.eigenvalue.imag / (2 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re λ/|λ|: 0 undamped, 1 without oscillation, negative where it grows."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0

    @property
    def shape(self) -> dict[str, complex]:
        """The vector by name of state."""
        return dict(zip(self.system.states, self.vector.tolist(), strict=True))

    def draw(
        self,
        path: str | PathLike[str] | None = None,
        *,
        amplitude: float | None = None,
        view: tuple[float, float] | None = None,
    ) -> MechanismPicture:
        """The mechanism at one end of the oscillation in full, at other phases faintly, with the paths of its points.

        amplitude: how far the farthest centre of mass goes [m]; by default a twelfth of the mechanism.
        """
        from visviva.linear.pictures import draw_mode

        return draw_mode(self, path, amplitude, view)

    def animate(
        self,
        path: str | PathLike[str] | None = None,
        *,
        amplitude: float | None = None,
        view: tuple[float, float] | None = None,
        seconds: float = 2.0,
        frames: int = 30,
    ) -> Film:
        """One oscillation as a moving picture, without growth or decay, again and again. Notebooks show it.

        path:    where to write it as well: .gif, or .html.   amplitude: as of `draw`.
        seconds: how long the oscillation takes in the picture, whatever its frequency.   frames: how many pictures.
        """
        from visviva.linear.pictures import animate_mode

        return animate_mode(self, path, amplitude, view, seconds, frames)

    def __str__(self) -> str:
        return f"{_rate(self.eigenvalue)} 1/s, {self.frequency:.5g} Hz, damping ratio {_ratio(self):.4g}"


@final
@dataclass(frozen=True, eq=False)
class Modes:
    """All modes of a system, slowest first; an oscillation is one of them, with both of its eigenvalues.

    eigenvalues: all of them [1/s].   errors: how far rounding may have moved each [1/s].   real: whether all shapes are
    real, with real squares λ², as those of a conservative system are.
    """

    system: LinearSystem
    eigenvalues: Complex
    errors: Array
    modes: tuple[Mode, ...]
    real: bool

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, k: int) -> Mode:
        if not isinstance(k, int | np.integer) or not -len(self.modes) <= k < len(self.modes):
            raise ModelError(f"{self.system.name!r} has {len(self.modes)} modes; there is no mode {k!r}.")
        return self.modes[k]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    @property
    def frequencies(self) -> Array:
        """Natural frequencies [Hz], one for each mode."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def damping_ratios(self) -> Array:
        """One for each mode."""
        return np.array([mode.damping_ratio for mode in self.modes])

    def __str__(self) -> str:
        title = f"modes of {self.system.name!r}"
        head = f"{'':>4}  {'eigenvalue [1/s]':>22}  {'frequency [Hz]':>14}  {'damping ratio':>13}  what moves"
        lines = [title, head]
        for k, mode in enumerate(self.modes):
            largest = sorted(mode.shares.items(), key=lambda item: -item[1])[:SHOWN]
            who = ", ".join(f"{name} {100 * part:.0f} %" for name, part in largest if part >= SHARE)
            lines.append(f"{k:>4}  {_rate(mode.eigenvalue):>22}  {mode.frequency:>14.5g}  {_ratio(mode):>13.4g}  {who}")
        return "\n".join(lines)


def modes_of(system: LinearSystem) -> Modes:
    """The modes of a system; where it is conservative, by the symmetric problem K v = ω² M v, so that ω² is real."""
    mechanics = system.mechanics
    if mechanics is not None and mechanics.conservative and _in_order(system, mechanics):
        return _conservative(system)
    of = eigen(system.A)
    order = np.lexsort((np.sign(of.values.imag), np.abs(of.values)))
    found = []
    for k in order:
        if of.values[k].imag >= 0:
            v = _scaled(of.vectors[:, k], system)
            found.append(Mode(system, complex(of.values[k]), v, _shares(system, v, of.parts[:, k])))
    return Modes(system, of.values[order], of.errors[order], tuple(found), False)


def _conservative(system: LinearSystem) -> Modes:
    """ω² by a symmetric problem: pairs ±iω, ±σ where ω² = -σ² < 0, and a double zero where nothing brings it back."""
    import scipy.linalg

    mechanics = system.mechanics
    assert mechanics is not None
    K = mechanics.stiffness
    vectors = scipy.linalg.eigh(K, mechanics.M)[1]  # with pᵀM p = 1
    squares = (vectors * (K @ vectors)).sum(axis=0)  # slow ones are more exact so
    terms = (np.abs(vectors) * (np.abs(K) @ np.abs(vectors))).sum(axis=0)
    squares = np.where(np.abs(squares) <= NEUTRAL * terms, 0.0, squares)
    found, eigenvalues = [], []
    for square, p in zip(squares, vectors.T, strict=True):
        rate = complex(np.sqrt(complex(-square)))
        rates = [rate, -rate]
        eigenvalues += rates
        for value in rates if square < 0 else rates[:1]:
            v = _scaled(np.concatenate([p, value * p]).astype(np.complex128), system)
            found.append(Mode(system, value, v, _shares(system, v, np.abs(v))))
    found.sort(key=lambda mode: abs(mode.eigenvalue))
    values = np.array(sorted(eigenvalues, key=abs), dtype=np.complex128)
    return Modes(system, values, CLOSE * np.abs(values), tuple(found), True)


def _in_order(system: LinearSystem, mechanics: SecondOrder) -> bool:
    """Whether the states are increments and then their rates, and nothing else."""
    n = len(mechanics.M)
    return system.n == 2 * n and np.array_equal(system.A[:n], np.hstack([mechanics.F, mechanics.E]))


def _scaled(v: Complex, system: LinearSystem) -> Complex:
    """With the largest increment equal to one, or the largest entry where there are no increments."""
    p = v if system.mechanics is None else v[: system.mechanics.K.shape[1]]
    leading = p if np.abs(p).max(initial=0.0) > 1e-9 * np.abs(v).max() else v
    return v / leading[np.abs(leading).argmax()]


def _shares(system: LinearSystem, v: Complex, parts: NDArray[Any]) -> dict[str, float]:
    """Kinetic energy by body; of what hardly moves, and where there are no bodies, participation by state."""
    mechanics, total = system.mechanics, float(parts.sum()) or 1.0
    by_state = {name: float(part) / total for name, part in zip(system.states, parts, strict=True)}
    if mechanics is None or system.shapes is None:
        return by_state
    free, moving = mechanics.K.shape[1], len(mechanics.M)
    mechanical = float(parts[: free + moving].sum()) / total
    bodies = {name: part * mechanical for name, part in system.shapes.shares(v[:free], v[free : free + moving]).items()}
    return bodies | {name: part for name, part in by_state.items() if name in system.states[free + moving :]}


def _ratio(mode: Mode) -> float:
    """The damping ratio without rounding."""
    return mode.damping_ratio if abs(mode.damping_ratio) >= SHOWN_RATIO else 0.0


def _rate(value: complex) -> str:
    if not value.imag:
        return f"{value.real:.5g}"
    if abs(value.real) < SHOWN_RATIO * abs(value):
        return f"±{value.imag:.5g}i"
    return f"{value.real:.4g} ± {value.imag:.5g}i"
