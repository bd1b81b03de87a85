"""AbstractFlowing: descriptions whose equations of motion are a flow."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from visviva.forms.flows.flow import Flow
from visviva.integrate.system import AbstractSystem

if TYPE_CHECKING:
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.results.trajectory import Trajectory


class AbstractFlowing(AbstractSystem):
    """Something that is no flow itself, but has one: what is simulated, linearised and reported is that flow."""

    @property
    @abstractmethod
    def flow(self) -> Flow:
        """Its equations of motion as a flow, in the names that the user gave."""

    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """The motion of its flow."""
        return self.flow.simulated(t_end, h, integrator=integrator, initial=initial, every=every)


def flow_of(subject: Any) -> Any:
    """The flow of a description that has one; anything else as it is."""
    return subject.flow if isinstance(subject, AbstractFlowing) else subject
