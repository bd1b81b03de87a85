"""The motion of a Kane system as formulas: its own expressions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.bonds.formula import Formula
from visviva.bonds.kane import AbstractMotion, Closure
from visviva.forms.kane.autonomous import autonomous
from visviva.forms.kane.matrices import lie_poisson
from visviva.forms.kane.rates import momentum_drift
from visviva.forms.kane.system import KaneSystem
from visviva.language.slopes import slope

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

KNOWN = "known"


@final
class SymbolicMotion(AbstractMotion):
    """A `KaneSystem`; velocities that it prescribes are known flows, that of time among them where it is explicit."""

    def __init__(self, system: KaneSystem) -> None:
        self.system = system = autonomous(system)
        self.name = system.name
        self.coordinates, self.velocities = system.coordinates, system.velocities
        self._rows = self._moving()
        self.masses = len(self._rows)
        self.turns = bool((self._rows % 6 < 3).any())
        self.potential = system.V != 0
        self.loaded = any(load != 0 for load in system._loads)
        if system.prescribed:
            self.closures = (Closure(KNOWN, len(system.prescribed), True, "1"),)

    @property
    def holonomic(self) -> bool:  # type: ignore[override]
        """Whether ξ = q̇ with T monogenic."""
        return self.system.holonomic

    @property
    def with_momenta(self) -> tuple[str, ...]:
        """The unknown ones: (49), (50)."""
        return self.system.unknown

    def initial(self, momentum: bool) -> dict[str, float]:
        """Known velocities as they are at the start; their momenta are no states."""
        if momentum:
            return {}
        start = self.system._known((0.0,))[0]
        return dict(zip(self._known, map(float, start), strict=True))

    def check_inertia(self) -> None:
        """A description without inertia is refused when it is made."""

    def _moving(self) -> Any:
        """Rows of twists that have inertia and move: three of a particle or of a body in a plane, six of a body."""
        system = self.system
        heavy = np.array([[M[:3, :3].any()] * 3 + [M[3:, 3:].any()] * 3 for M in system._inertias])
        return np.flatnonzero(heavy & (system._S != 0).any(-1))

    @property
    def _known(self) -> list[str]:
        """Names of the known velocities, in order."""
        return [name for name in self.velocities if name in self.system.prescribed]

    @cached_property
    def _stacked(self) -> tuple[Any, Any, Any, Any]:
        """S, its rate, M and the skew matrix of gyroscopic forces, over the rows that move."""
        system, rows = self.system, self._rows
        S, S_dot = (part.reshape(-1, part.shape[-1])[rows] for part in (system._S, system._S_dot))
        M, G = (np.zeros((6 * len(system.bodies),) * 2, dtype=object) for _ in range(2))
        momenta = (system._inertias @ (system._S @ system.xi)[..., None])[..., 0]
        for b, (inertia, structure) in enumerate(zip(system._inertias, lie_poisson(momenta), strict=True)):
            at = slice(6 * b, 6 * b + 6)
            M[at, at], G[at, at] = inertia, -structure
        return S, S_dot, M[np.ix_(rows, rows)], G[np.ix_(rows, rows)]

    def _values(self, role: str) -> Any:
        system, raw = self.system, self.system.raw
        match role:
            case "Q":
                return system._rates
            case "S":
                return self._stacked[0]
            case "M":
                return self._stacked[2]
            case "gyroscopic":
                return self._stacked[3]
            case "A":
                return raw.A
            case "D xi":
                return raw.D @ system.xi
            case "gyration":
                return raw.gyration
            case "drift":
                return momentum_drift(system, raw.p)
            case "T_q":
                return np.array([system.raw_T.diff(x) for x in system.symbols.q], dtype=object)
            case "Z known" | "rows":
                return self._picking(self._known)
            case "unknown":
                return self._picking(system.unknown)
            case "f known" | "known":
                return np.array(system._laws, dtype=object)
            case "V":
                return np.array(system.V, dtype=object)
            case "V_q":
                return np.array([slope(system.V, x) for x in system.symbols.q], dtype=object)
            case _:
                return system._loads

    def _picking(self, names: Sequence[str]) -> Any:
        """Some velocities, of all."""
        return np.array([[int(name == other) for other in self.velocities] for name in names])

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """The expressions; velocities are inputs of the element where states are momenta."""
        import sympy

        for symbol, number in self.system.values.items():
            laws.parameter(str(symbol), number, f"a parameter of {self.name!r}")
        values = np.asarray(self._values(role), dtype=object)
        flat = np.empty(values.size, dtype=object)
        flat[:] = [sign * sympy.sympify(entry) for entry in values.ravel()]
        inputs = tuple(self.system.symbols.xi) if momentum else ()
        what = f"{role} of {self.name!r}"
        rates = None
        if role == "S":
            turning = np.array([sympy.sympify(e) for e in self._stacked[1].ravel()], dtype=object)
            rates = Formula(f"rate of {what}", laws.scope, values.shape, turning.reshape(values.shape))
        return Formula(what, laws.scope, values.shape, flat.reshape(values.shape), inputs, None, rates)
