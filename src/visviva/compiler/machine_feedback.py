"""Laws of feedback as compiled steps of a mechanism call them, see `kernels.multibody.feedback`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine_functions import table
from visviva.compiler.sensors import sensor_tables
from visviva.model import Model

if TYPE_CHECKING:
    from visviva.kernels.multibody.feedback import Feedback


def machine_feedback(model: Model, unknowns: int, nodes: tuple[float, ...]) -> Feedback | None:
    """The laws of a model's inputs, None where there are none; nodes: middles of the parts of a step."""
    from visviva.compiler.build import law_of_inputs
    from visviva.kernels.multibody.feedback import Feedback

    if not model.feedback:
        return None
    assert model.definition is not None
    sensors, places = sensor_tables(model)
    laws, rows, numbers, columns = list[tuple[int, int]](), list[int](), [np.zeros(0)], list[int]()
    for part, own in zip(model.feedback, places, strict=True):
        address = None if part.reads or part.feels else law_of_inputs(part.law)
        if address is None:
            raise NotCompilable(f"the input of port {part.port!r} depends on states or efforts besides the motion")
        at = model.port_columns[part.port]
        laws.append((address, len(rows)))
        rows += [sum(map(len, numbers)), at.start, *own]
        numbers.append(part.parameters)
        columns += range(at.start, at.stop)
    n, inputs = len(columns), sum(port.width for port in model.ports)
    return Feedback(
        sensors, np.zeros(max(own.stop for own in places)), table(laws, 2), np.array(rows, dtype=np.int64),
        np.concatenate(numbers), np.array(columns, dtype=np.int64), np.zeros(2), np.array(nodes),
        np.zeros((n + 1, unknowns)), np.zeros((n, n)), np.zeros((n + 1, n)),
        np.zeros(6 * len(model.definition.bodies)), np.zeros(inputs),
    )  # fmt: skip
