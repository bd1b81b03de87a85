"""Constraints beyond those that the coordinates satisfy by themselves, as rows Z ξ̇ = z of accelerations.

Source:  Konz, dissertation, 3.5, (3.125), and (A.13) for their stabilisation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np

from visviva._arrays import Array, finite_array, own_copy
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.body_motion import Frame
from visviva.numerics.rank import FLOOR, TOLERANCE


@final
@dataclass(frozen=True, eq=False)
class Instant:
    """A state at a time, with the motion of all frames."""

    t: float
    q: Array  # (ν,)
    xi: Array  # (n,)
    q_dot: Array  # A ξ
    q_ddot: Array  # Ȧ ξ: the second rate of q without ξ̇
    A: Array  # (ν, n)
    frames: Mapping[str, Frame]


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """What a constraint asks of the accelerations, Z ξ̇ = z, and how far the state is from satisfying it.

    position: ψ of a geometric constraint.   velocity: its rate, or η.   Both None where there is no such thing.
    stabilisation: the part -L1 ψ̇ - L0 ψ of z.
    terms: sizes of the numbers that add up to Z, entry by entry: where these cancel, a row says nothing.
    """

    Z: Array  # (c, n)
    z: Array  # (c,)
    terms: Array  # (c, n)
    position: Array | None = None
    velocity: Array | None = None
    stabilisation: Array = field(default_factory=lambda: np.zeros(0))


Law = Callable[[Instant], Rows]

NOTHING = 1e-14  # rows of this size, of functions that do not tell their terms, are zero


def terms_of(sizes: Array) -> Array:
    """Terms of rows (c, n) of which nothing but their own sizes is known, those of one constraint together.

    As in `numerics.rank`, a row that is short beside the longest one may be rounding of the numbers that made it.
    """
    length = np.linalg.norm(sizes, axis=1, keepdims=True)
    floor = max(FLOOR * float(length.max(initial=0.0)), NOTHING / TOLERANCE)
    return np.where(length < floor, floor / np.sqrt(max(sizes.shape[1], 1)), np.abs(sizes))


class AbstractConstraint(ABC):
    """A named condition on the motion.

    baumgarte: (L1, L0): errors decay by ψ̈ + L1 ψ̇ + L0 ψ = 0, and η̇ + L1 η = 0 of a condition on velocities. Zero by
               default: the condition is then kept as exactly as the integration is, and no better.
    """

    name: str
    baumgarte: tuple[float, float]

    @property
    def reach(self) -> float:
        """The longest arm that it has of its own [m]."""
        return 0.0

    @abstractmethod
    def law(self, p: Parameterisation) -> Law:
        """Its rows in the velocities of a parameterisation, without stabilisation."""

    def check(self, at: Instant) -> None:  # noqa: B027
        """An error at a state that has the rows of a constraint but not its meaning; most have no such states."""

    def stabilised(self, p: Parameterisation) -> Law:
        """Its rows with z - L1 ψ̇ - L0 ψ for z, checked for their shape."""
        law, n = self.law(p), p.n
        rates = finite_array(self.baumgarte, f"baumgarte of constraint '{self.name}'")
        if rates.shape != (2,) or (rates < 0).any():
            raise ModelError(
                f"baumgarte of constraint '{self.name}' must be two rates (L1, L0), not negative,"
                f" got {self.baumgarte!r}."
            )
        L1, L0 = rates

        def rows(at: Instant) -> Rows:
            found = law(at)
            if found.Z.ndim != 2 or found.Z.shape[1] != n or found.z.shape != found.Z.shape[:1]:
                raise ModelError(
                    f"constraint '{self.name}' has rows of shape {found.Z.shape} and right-hand sides of shape"
                    f" {found.z.shape};\nfor c conditions on {n} velocities they are (c, {n}) and (c,)."
                )
            pull = np.zeros_like(found.z)
            if found.velocity is not None:
                pull = pull - L1 * found.velocity
            if found.position is not None:
                pull = pull - L0 * found.position
            return Rows(found.Z, found.z + pull, found.terms, found.position, found.velocity, pull)

        return rows


@final
@dataclass(frozen=True, eq=False)
class Geometric(AbstractConstraint):
    """ψ(q) = 0, or ψ(q, t) = 0:  Z_i = ∂_i ψ,  z = -d²ψ/dt² without ξ̇.

    psi:   a function of q (and t), SymPy expressions, both differentiated exactly.
    slope, curvature: derivatives by hand, where wanted: ∂ψ/∂q (c, ν) of q, and q̇ᵀ (∂²ψ/∂q²) q̇ (c,) of q and q̇, of a
           psi that is a function of q alone.

    Source:  Konz (3.125a).
    """

    name: str
    psi: Any
    slope: Callable[[Array], Array] | None = None
    curvature: Callable[[Array, Array], Array] | None = None
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if (self.slope is None) != (self.curvature is None):
            raise ModelError(f"constraint '{self.name}': give both slope and curvature by hand, or neither.")

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        slope, curvature = self.slope, self.curvature
        if slope is not None and curvature is not None:
            own = map_of(self.psi, p.arguments, f"constraint '{self.name}'", None)
            return lambda at: self._by_hand(at, own.value(at.q), slope, curvature)
        psi = map_of(self.psi, Arguments((("q", p.coordinates),), time=True), f"constraint '{self.name}'", (None,))

        def rows(at: Instant) -> Rows:
            x = np.append(at.q, at.t)
            value, rate, second = psi.along(x, np.append(at.q_dot, 1.0), np.append(at.q_ddot, 0.0))
            slope = psi.slope(x)[:, :-1]
            terms = terms_of(np.abs(slope) @ np.abs(at.A))
            return Rows(slope @ at.A, -second, terms, value, rate)

        return rows

    def _by_hand(
        self, at: Instant, psi: Array, slope: Callable[[Array], Array], curvature: Callable[[Array, Array], Array]
    ) -> Rows:
        what, value = f"constraint '{self.name}'", np.atleast_1d(psi)
        psi_q = finite_array(slope(at.q), f"slope of {what}", (len(value), len(at.q)))
        bend = finite_array(curvature(at.q, at.q_dot), f"curvature of {what}", (len(value),))
        terms = terms_of(np.abs(psi_q) @ np.abs(at.A))
        return Rows(psi_q @ at.A, -(bend + psi_q @ at.q_ddot), terms, value, psi_q @ at.q_dot)


@final
@dataclass(frozen=True, eq=False)
class Pfaffian(AbstractConstraint):
    """N(q) q̇ = 0, or Z(q) ξ = 0: linear in velocities, holonomic or not; it does no work.

    rows: a function of q, SymPy expressions or numbers, shape (c, ν) or (c, n).
    of:   what the rows multiply: "xi" (the default) or "q_dot".

    Source:  Konz (3.125b).
    """

    name: str
    rows: Any
    of: Literal["xi", "q_dot"] = "xi"
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.of not in ("xi", "q_dot"):
            raise ModelError(f"constraint '{self.name}': rows are of 'xi' or of 'q_dot', got {self.of!r}.")
        object.__setattr__(self, "rows", own_copy(self.rows))

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        in_xi = self.of == "xi"
        shape = (None, p.n if in_xi else p.size_q)
        N = map_of(self.rows, p.arguments, f"constraint '{self.name}'", shape)

        def rows(at: Instant) -> Rows:
            value, slope = N.value(at.q), N.slope(at.q) @ at.q_dot
            if in_xi:
                return Rows(value, -slope @ at.xi, terms_of(value), None, value @ at.xi)
            terms = terms_of(np.abs(value) @ np.abs(at.A))
            return Rows(value @ at.A, -(slope @ at.q_dot + value @ at.q_ddot), terms, None, value @ at.q_dot)

        return rows


@final
@dataclass(frozen=True, eq=False)
class Kinematic(AbstractConstraint):
    """η(q, ξ, t) = 0:  Z = ∂η/∂ξ,  z = -∂_i η ξⁱ - ∂η/∂t.

    eta: a function of any of q, xi and t, or SymPy expressions. Where it is not linear and homogeneous in ξ, its
         reaction does work.

    Source:  Konz (3.125c).
    """

    name: str
    eta: Any
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        eta = map_of(self.eta, p.motion, f"constraint '{self.name}'", (None,))

        def rows(at: Instant) -> Rows:
            x = np.concatenate([at.q, at.xi, [at.t]])
            slope = eta.slope(x)
            rate = slope @ np.concatenate([at.q_dot, np.zeros(p.n), [1.0]])
            by_xi = slope[:, p.size_q : -1]
            return Rows(by_xi, -rate, terms_of(by_xi), None, eta.value(x))

        return rows


@final
@dataclass(frozen=True, eq=False)
class Acceleration(AbstractConstraint):
    """Z ξ̇ = z as they are given: functions of any of q, xi and t, SymPy expressions, or numbers.

    Source:  Konz (3.125d).
    """

    name: str
    Z: Any
    z: Any

    baumgarte = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "Z", own_copy(self.Z))
        object.__setattr__(self, "z", own_copy(self.z))

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        Z, z = (map_of(given, p.motion, f"constraint '{self.name}'", None) for given in (self.Z, self.z))

        def rows(at: Instant) -> Rows:
            x = np.concatenate([at.q, at.xi, [at.t]])
            value = np.atleast_2d(Z.value(x))
            return Rows(value, np.atleast_1d(z.value(x)), terms_of(value))

        return rows
