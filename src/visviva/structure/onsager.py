"""Onsager structures: how ports exchange energy while exergy is destroyed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.structure.checks import check_kernel, check_semidefinite
from visviva.structure.ports import Ports, checked_ports, known, mask, quoted, spans, total


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Onsager:
    """Flows f = M e / θ0 into an irreversible process at one point, M symmetric ⪰ 0 with M dE = 0.

    dE is the gradient of the total energy: the absolute temperature θ at an entropy port, elsewhere the effort.
    Efforts are derivatives of exergy, so e = dE - θ0 χ, with χ = 1 at entropy ports and 0 elsewhere. Hence

        first law      dE·f = 0,
        second law     e·f = θ0 χᵀ M χ ≥ 0:  exergy destruction, θ0 times the entropy production.

    The constructor trusts its arrays; `from_matrix` checks them.

    Source: Lohmayer, Capobianco and Leyendecker (6), (29) and (30).
    """

    M: Array  # (n, n)
    dE: Array  # (n,)
    ports: Ports
    entropy: tuple[str, ...]
    theta0: float  # temperature of the environment [K]

    @classmethod
    def from_matrix(
        cls,
        M: ArrayLike,
        ports: Mapping[str, int],
        *,
        dE: Mapping[str, ArrayLike],
        entropy: Iterable[str],
        theta0: float,
    ) -> Self:
        """M and dE by port, checked: symmetric, ⪰ 0, energy conserved, temperatures positive."""
        ports = checked_ports(ports)
        theta0 = finite_number(theta0, "the temperature θ0 of the environment", positive=True)
        gradient = _gradient(dE, ports)
        entropy = known(entropy, ports)
        _check_entropy(entropy, gradient, ports)
        M = finite_array(M, "M", (total(ports),) * 2)
        if M.ndim != 2:
            raise ModelError(f"M must be one matrix, got shape {M.shape}.")
        check_semidefinite(M, ports)
        check_kernel(M, gradient, ports)
        return cls(M, gradient, ports, entropy, theta0)

    def efforts(self) -> Array:
        """e = dE - θ0 χ, shape (n,)."""
        return self.dE - self.theta0 * self._chi()

    def flows(self) -> Array:
        """f = M e / θ0 = -M χ into the process; the second form has no cancellation. Entropy leaves the process."""
        return -self.M @ self._chi()

    def exergy_destruction(self) -> float:
        """e·f = θ0 χᵀ M χ [W], never negative."""
        return self.theta0 * self.entropy_production()

    def entropy_production(self) -> float:
        """χᵀ M χ [W/K], minus the sum of the entropy flows."""
        return float(self._chi() @ self.M @ self._chi())

    def _chi(self) -> Array:
        return mask(self.entropy, self.ports).astype(np.float64)


def _gradient(dE: Mapping[str, ArrayLike], ports: Ports) -> Array:
    known(dE, ports)
    missing = [name for name in ports if name not in dE]
    if missing:
        raise ModelError(f"dE has no value for {quoted(missing)}; the energy gradient is given at every port.")
    parts = [finite_vector(np.atleast_1d(dE[name]), f"dE of port '{name}'", dim) for name, dim in ports.items()]
    return np.concatenate([np.zeros(0), *parts])


def _check_entropy(entropy: tuple[str, ...], dE: Array, ports: Ports) -> None:
    """Somewhere the heat must go, at an absolute temperature."""
    if not entropy:
        raise ModelError(
            f"none of the ports {quoted(ports)} is an entropy port. An irreversible process turns energy into heat:\n"
            "name the port that takes its entropy, for example entropy=('s',)."
        )
    for name in entropy:
        if ports[name] != 1:
            raise ModelError(f"the entropy port '{name}' must have dimension 1, got {ports[name]}.")
        theta = dE[spans(ports)[name]].item()
        if not theta > 0:
            raise ModelError(
                f"dE of the entropy port '{name}' is its absolute temperature and must be positive, got {theta:g} K."
            )
