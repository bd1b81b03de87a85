"""Steps of one length in compiled code, as `kernels.ticks` makes them between the ticks of sampled laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from visviva._arrays import Array
from visviva.integrate.chunk import Chunk
from visviva.model import State

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.packed import PackedCall


@final
@dataclass(frozen=True, eq=False)
class Nodes:
    """States of the model from nodes in a and b; write: a packed call that makes one in an array.

    turns: places of angles in a.
    """

    write: Callable[[Array], PackedCall]
    a: Array
    b: Array
    turns: Int


@final
@dataclass(frozen=True, eq=False)
class StepsCall:
    """A packed call that makes steps of one length with inputs that are held, and what it leaves; see `Stepped`.

    words: arguments that are solutions known, first step, number of steps, their length, time; None where there is no
    such one.   u: where it finds inputs, None: in `inputs`.   nodes: what makes states of the model of A and B, None:
    these are x and angles.
    """

    call: PackedCall
    words: tuple[int | None, int, int, int, int | None]
    history: tuple[int, int, int]
    inputs: Array
    A: Array
    B: Array
    u: Array | None = None
    nodes: Nodes | None = None


class AbstractTicked(ABC):
    """What makes steps of one length in compiled code with inputs that are held."""

    @abstractmethod
    def steps_from(self, state: State) -> StepsCall | None:
        """Be ready to go on from a state; None where it cannot be."""

    @abstractmethod
    def chunk(self, before: State, n: int, lengths: Array) -> Chunk:
        """The first n of the steps that were made from a state."""

    def columns(self, name: str) -> list[tuple[int, int]] | None:
        """Where a quantity is in what steps leave, 0: in A, 1: in B, and its column; None where it is to be read."""
        return None


class AbstractTicking(ABC):
    """An `Advancing` whose steps can be made between ticks in compiled code."""

    @property
    @abstractmethod
    def ticked(self) -> AbstractTicked | None:
        """What makes them; None where something keeps it from that."""
