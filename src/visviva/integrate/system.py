"""What `simulate` integrates besides Models: systems that bring their own way to a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.model import Model
    from visviva.results.trajectory import Trajectory


class AbstractSystem(ABC):
    """Something with a motion that is no Model, such as a `visviva.forms.flows.flow.Flow`."""

    def model_for(self, integrator: AbstractIntegrator | None) -> Model | None:
        """The Model that a scheme integrates in its place, if there is one; None for the scheme: the default one."""
        return None

    def model_start(self, initial: Any) -> Any:
        """Where a run of that Model starts, from what a user gives."""
        return initial

    @abstractmethod
    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """Its motion until t_end with steps of h, see `visviva.simulate`."""
