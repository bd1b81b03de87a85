"""What makes steps of many runs one after the other: it begins again, and takes inputs that are held row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError, VisvivaError
from visviva.integrate.chunk import Chunk
from visviva.model import State


class AbstractRepeated(ABC):
    """An `Advancing` that is prepared once for many runs of the same equations."""

    @abstractmethod
    def restart(self, state: State, h: float) -> bool:
        """Be ready for a run from another state, as if made anew; False where it has to be made anew."""

    @abstractmethod
    def held(self, state: State, u: Array) -> Chunk | None:
        """As many steps as there are inputs, (n, inputs), each held over its step, or as can be solved.

        None where it cannot hold them without being asked step by step.
        """


class AbstractCoordinated(ABC):
    """An `Advancing` whose states have coordinates q and velocities v of joints, those of `vv.dynamics`."""

    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many coordinates and velocities there are."""

    @abstractmethod
    def starts(self, q: Array, v: Array, built: State) -> list[State]:
        """States at many coordinates and velocities, (B, nq) and (B, nv); built: the one as built.

        What is not consistent raises, and the error names its member.
        """


def with_member(error: VisvivaError, i: int, members: int) -> ModelError:
    """The same error, and of which member it is."""
    kind = AssemblyError if isinstance(error, AssemblyError) else ModelError
    return kind(f"member {i} of {members} (from 0) cannot start: {error}")
