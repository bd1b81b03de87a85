"""What makes steps of many runs one after the other: it begins again, and takes inputs that are held row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError, VisvivaError
from visviva.integrate.chunk import Chunk
from visviva.model import State
from visviva.results.tallies import Tallies


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

    def reserve(self, n: int) -> None:
        """Have memory for n steps that follow each other, of which all nodes are kept; 0: no longer."""
        return


@final
@dataclass(frozen=True, eq=False)
class Batched:
    """A run of n steps, of which states are left at the nodes that are kept.

    nodes:  (n + 1, ...) states at all nodes, where energies are read from them.   x, angles: at the nodes kept.
    heat, work: of each step.   tallies: what was counted.
    """

    nodes: Array
    x: Array
    angles: Array
    heat: Array
    work: Array
    tallies: Tallies
    final: State


class AbstractBatched(ABC):
    """An `Advancing` that makes several runs of n steps at once, without what only a `Run` can be asked for."""

    @abstractmethod
    def batch(self, starts: list[State], h: float, n: int, u: list[Array], every: int) -> Iterator[Batched] | None:
        """Runs from some states; None where one of them, or something in the equations, needs a closer look.

        u: inputs of each, (n or 1, inputs), held over steps.   every: keep each so many-th node, and the last.
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
