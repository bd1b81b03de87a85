"""What `simulate` integrates besides Models: systems that bring their own way to a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.results.trajectory import Trajectory


class AbstractSystem(ABC):
    """Something with a motion that is no Model, such as a `visviva.forms.flows.flow.Flow`."""

    @abstractmethod
    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """Its motion until t_end with steps of h, see `visviva.simulate`."""
