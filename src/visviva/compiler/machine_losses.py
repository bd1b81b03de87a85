"""Friction by laws, motors, end stops and thermal nodes as tables, see `kernels.multibody.losses`."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.laws import RateLaw
from visviva.compiler.machine_functions import Int, stack, table
from visviva.mechanism import Definition
from visviva.mechanism.other_states import entropy_of
from visviva.mechanism.thermal import Thermal
from visviva.model.friction import LawFriction

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Losses

NO_NODE = -1  # the heat goes to the environment


@final
class LossTables:
    """Grows part by part; places are those of measures and slopes among the elements."""

    def __init__(self, m: Definition) -> None:
        self.m = m
        self._boxed = [any(node is one for box in m.boxes for one in box.nodes.values()) for node in m.thermals]
        self.sinks: list[int] = []
        self.nodes: list[tuple[Thermal, int]] = []
        self.motors: list[tuple[list[int], list[float]]] = []
        self.stops: list[tuple[list[int], float]] = []
        self._rub: list[list[int]] = []
        self._laws: list[tuple[RateLaw, Array, float]] = []
        self._numbers = {entropy_of(node): k for k, node in enumerate(m.thermals)}

    def node(self, sink: str) -> int:
        """The number of a thermal node by its entropy; that of the environment is no node."""
        return self._numbers.get(sink, NO_NODE)

    def rub(self, part: LawFriction, measure: int, count: int, slope: int, node: int) -> int:
        """A friction along measures; its number."""
        if not isinstance(part.law, RateLaw):
            raise NotCompilable(f"the friction of {part.name!r} has no expression")
        if part.law.warm and node != NO_NODE and self._boxed[node]:
            name = self.m.thermals[node].name
            raise NotCompilable(f"the friction of {part.name!r} sees the temperature of {name!r}, which boxes heat")
        self._rub.append([measure, count, slope, node])
        self._laws.append((part.law, part.parameters, part.weight))
        return len(self._rub) - 1

    @property
    def any(self) -> bool:
        """Whether there are some."""
        return bool(self._rub or self.stops or self.motors or self.nodes or self.m.boxes)

    def tables(self) -> Losses:
        """As the kernels want them."""
        from visviva.kernels.multibody.tables import Losses

        k, law, law_rows, law_numbers = len(self._rub), *self._addresses()
        warm = np.array([law.warm for law, _, _ in self._laws], dtype=np.int64)
        nodes = [[node.capacity, node.temperature, node.conductance, node.temperature, 0.0] for node, _ in self.nodes]
        return Losses(
            rub=table(self._rub, 4),
            weight=np.array([weight for _, _, weight in self._laws]),
            rate=np.zeros(k),
            theta=np.full(k, self.m.theta0),
            force=np.zeros((k, 3)),
            law=law,
            law_rows=law_rows,
            law_numbers=law_numbers,
            warm=warm,
            stop=table([places for places, _ in self.stops], 2),
            stop_numbers=stack([np.array([loss, 0.0]) for _, loss in self.stops], 2),
            motor=table([places for places, _ in self.motors], 4),
            motor_numbers=stack([np.array([*numbers, 0.0]) for _, numbers in self.motors], 4),
            node=np.array([place for _, place in self.nodes], dtype=np.int64),
            node_numbers=stack([np.array(row) for row in nodes], 5),
            boxed=np.array(self._boxed, dtype=np.int64),
            given=np.zeros(len(nodes)),
            sinks=np.array(self.sinks, dtype=np.int64),
            feels=np.array([int(warm.any())], dtype=np.int64),
            theta0=np.array([self.m.theta0]),
        )

    def _addresses(self) -> tuple[Int, Int, Array]:
        """Addresses of the laws, numbers and places of parameters of their instances, parameters."""
        from visviva.compiler.build import rate_address

        found: dict[RateLaw, list[tuple[int, Array]]] = {}
        for k, (law, parameters, _) in enumerate(self._laws):
            found.setdefault(law, []).append((k, parameters))
        laws, rows, numbers = list[tuple[int, int, int]](), list[int](), [np.zeros(0)]
        p = 0
        for law, instances in found.items():
            laws.append((rate_address(law), len(instances), len(rows)))
            for k, parameters in instances:
                rows += [k, p]
                numbers.append(np.asarray(parameters, dtype=np.float64))
                p += len(parameters)
        return table(laws, 3), np.array(rows, dtype=np.int64), np.concatenate(numbers)
