"""HandFlow: equations of motion that are given as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.forms.flows.configuration import Configuration
from visviva.forms.flows.flow import Flow
from visviva.forms.kinds import function_in_order

Rates = Callable[..., Any]


@final
class HandFlow(Flow):
    """A flow whose equations are given as functions.

    rates(t, q, xi):  ξ̇; with `extra` other states rates(t, q, xi, s), which returns (ξ̇, ṡ).
    energy, power:    of (q, xi) and (t, q, xi), with s as the last argument where there are other states. Without an
                      energy the run has none to show, and schemes that keep it refuse the flow. Without a power the
                      energy counts as constant, and what is supplied is not measured.
    configuration:    blocks of q, see `Configuration`; default: as many coordinates as velocities, ξ = q̇.
    names:            of the coordinates, the velocities and the other states, in this order.
    """

    def __init__(
        self,
        rates: Rates,
        n: int | None = None,
        *,
        energy: Callable[..., float] | None = None,
        power: Callable[..., float] | None = None,
        configuration: Sequence[int | str] | None = None,
        extra: int = 0,
        names: Sequence[str] = (),
        name: str = "flow",
    ) -> None:
        blocks = configuration if configuration is not None else (n,)
        if (n is None) == (configuration is None) or isinstance(blocks, str):
            raise ModelError(
                f"{name!r} needs either n, the number of velocities of a vector q, or configuration=('ball', 2, ...)."
            )
        self.configuration = Configuration(tuple(block for block in blocks if block is not None))
        if not isinstance(extra, int) or extra < 0:
            raise ModelError(f"extra of {name!r} is a number of other states, got {extra!r}.")
        self.n, self.size_q, self.extra = self.configuration.n, self.configuration.size_q, extra
        self.name, self.names = name, tuple(names)
        if self.names and len(self.names) != self.size_q + self.n + extra:
            raise ModelError(
                f"{name!r} has {self.size_q} coordinates, {self.n} velocities and {extra} other states; names= gives "
                f"{len(self.names)}: {', '.join(self.names)}."
            )
        shown = {*self.names, "q", "xi", "s", "t", "energy", "power"}
        if len(shown) < len(self.names) + 6:
            raise ModelError(
                f"names of {name!r} must be different, and none of q, xi, s, t, energy, power, which its run has"
                f" anyway; got {', '.join(self.names)}."
            )
        arguments = "t, q, xi, s" if extra else "t, q, xi"
        self._rates = function_in_order(rates, f"rates of {name!r}", arguments)
        self._energy = energy if energy is None else function_in_order(energy, f"energy of {name!r}", arguments[3:])
        self._power = power if power is None else function_in_order(power, f"power of {name!r}", arguments)
        self.has_energy, self.has_power = energy is not None, power is not None

    @property
    def given(self) -> dict[str, Callable[..., Any]]:
        """The functions that it was made of, by name."""
        each = {"rates": self._rates, "energy": self._energy, "power": self._power}
        return {name: one for name, one in each.items() if one is not None}

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """As given, checked for its shape."""
        found = self._rates(t, q, xi, s) if self.extra else (self._rates(t, q, xi), s)
        if not isinstance(found, Sequence) or len(found) != 2:
            raise ModelError(f"the rates of {self.name!r} must be a pair (xi_dot, s_dot), got {found!r}.")
        try:
            xi_dot, s_dot = (np.array(part, dtype=np.float64) for part in found)
        except (TypeError, ValueError):
            raise ModelError(f"the rates of {self.name!r} must be numbers, got {found!r}.") from None
        if xi_dot.shape != (self.n,) or s_dot.shape != (self.extra,):
            wanted = f"({self.n},)" + (f" and ({self.extra},)" if self.extra else "")
            got = f"{xi_dot.shape}" + (f" and {s_dot.shape}" if self.extra else "")
            raise ModelError(f"the rates of {self.name!r} must have shape {wanted}, got {got}.")
        return xi_dot, s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.advance(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.inverse_tangent(delta, xi)

    def sizes(self, q: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.sizes(q)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """As given."""
        if self._energy is None:
            raise ModelError(f"{self.name!r} has no energy: give energy=, or integrate with a scheme that needs none.")
        value = self._energy(q, xi, s) if self.extra else self._energy(q, xi)
        return finite_number(value, f"energy of {self.name!r}")

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """As given, or zero."""
        if self._power is None:
            return 0.0
        value = self._power(t, q, xi, s) if self.extra else self._power(t, q, xi)
        return finite_number(value, f"power of {self.name!r}")
