"""Elements, laws of friction, stops and inputs of a mechanism that is a tree, as tables of its compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine import machine_of
from visviva.compiler.machine_functions import table
from visviva.compiler.sensors import sensor_tables
from visviva.forms.trees.acting import TreeActing
from visviva.mechanism.parts import WrenchPort
from visviva.model.sensor import AngleSensor

if TYPE_CHECKING:
    from visviva.forms.minimal.model_flow import ModelFlow
    from visviva.forms.trees.dynamics import TreeDynamics
    from visviva.kernels.multibody.states import Places
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.trees.acting import Acting, Feedback, Limbs
    from visviva.kernels.trees.wrenches import Pushes


def tree_acting(flow: ModelFlow, dynamics: TreeDynamics) -> TreeActing:
    """All that acts on the bodies of a tree besides gravity, or `NotCompilable` with what has no compiled form."""
    from visviva.kernels.trees.acting import Acting

    form = flow.form
    found = machine_of(form.model, instants=True)
    feedback = _feedback(flow, found.places)
    tables = Acting(
        found.machine, found.elements, found.losses, _limbs(flow, dynamics, found.elements.twists), feedback
    )
    plain = not found.conditioned
    return TreeActing(
        tables, lambda q, xi: flow.energy_size(q, xi, np.zeros(0)), found.places, plain, _pushes(flow, dynamics, tables)
    )


def _pushes(flow: ModelFlow, dynamics: TreeDynamics, acting: Acting) -> Pushes | None:
    """Wrenches in axes of bodies that fly above the ground; None where something else acts."""
    from visviva.kernels.trees.tables import AT_V, COUNT, PARENT
    from visviva.kernels.trees.wrenches import Pushes

    form, l, S = flow.form, acting.limbs, dynamics.parts.tables.S
    m = form.definition
    others = [*m.elements, *m.joint_elements, *m.stops, *m.boxes, *form.model.feedback, *form.model.dissipations]
    if others or not m.ports:
        return None
    number = {body.name: k for k, body in enumerate(m.bodies)}
    B, at = np.zeros((len(l.u), 6)), np.zeros((len(l.u), 3), dtype=np.int64)
    for k, (name, columns) in enumerate(form.model.port_columns.items()):
        port = next(one for one in m.ports if one.name == name)
        if not isinstance(port, WrenchPort) or port.R_CB is None:
            return None
        body = number[port.carrier.name]
        link, centre = int(l.carrier[body]), l.centre[body]
        if link == len(l.K) or l.K[link, PARENT] < len(l.K) or l.K[link, COUNT] != 6:
            return None
        first = int(l.K[link, AT_V])
        if not np.array_equal(S[first : first + 6], np.eye(6)):
            return None
        R = centre[:9].reshape(3, 3) @ port.R_CB
        B[columns, :3] = np.concatenate([R.T, np.cross(centre[9:], R.T)])
        B[columns, 3:] = np.concatenate([np.zeros((3, 3)), R.T])
        at[columns] = link, first, k
    return Pushes(B, at)


def _limbs(flow: ModelFlow, dynamics: TreeDynamics, twists: Int) -> Limbs:
    from visviva.kernels.trees.acting import Limbs
    from visviva.kernels.trees.tables import memory

    form, parts = flow.form, dynamics.parts
    T, X_KL = parts.tables, parts.X_KL[form.link]
    R = X_KL[:, :3, :3] @ form.R_LC
    r = np.einsum("bij,bj->bi", X_KL[:, :3, :3], form.arm) + X_KL[:, :3, 3]
    X = np.zeros((len(T.K) + 1, 4, 4))
    X[-1] = np.eye(4)
    centre = np.concatenate([R.reshape(-1, 9), r], axis=1)
    return Limbs(
        T.C, T.K, T.S, memory(T), X, parts.carrier[form.link], centre, form.rigid.astype(np.int64),
        _turns(flow, twists), np.zeros(form.size_q), np.zeros(form.n), np.zeros(len(form.inputs.base)),
    )  # fmt: skip


def _turns(flow: ModelFlow, twists: Int) -> Int:
    """Turns that something acts about or that laws see, and where their angles are in q."""
    sensors = [sensor for part in flow.form.model.feedback for sensor in part.sensors]
    seen = {sensor.turn for sensor in sensors if isinstance(sensor, AngleSensor)}
    places, wanted = flow.form.turns.places, sorted({*twists[:, 0].tolist(), *seen})
    for k in wanted:
        if k not in places:
            raise NotCompilable(f"something acts about {flow.form.model.turns[k].name!r}, which closes a loop")
    return table([(k, places[k]) for k in wanted], 2)


def _feedback(flow: ModelFlow, places: Places) -> Feedback:
    """Inputs that follow from states: poses, velocities, lengths and angles; and from the motion by sensors."""
    from visviva.compiler.build import law_of_inputs
    from visviva.kernels.trees.acting import Feedback

    model, states = flow.form.model, flow.form.states
    laws, rows, numbers = list[tuple[int, int]](), list[int](), [np.zeros(0)]
    sensors, seen = sensor_tables(model, model.layout.size)
    for part, own in zip(model.feedback, seen, strict=True):
        felt = [name for name in part.feels if name not in model.kinetic]
        address = law_of_inputs(part.law)
        if felt or address is None:
            why = f"on the effort of {felt[0]!r}" if felt else "on states by a law without expression"
            raise NotCompilable(f"the input of port {part.port!r} depends {why}")
        laws.append((address, len(rows)))
        rows += [sum(map(len, numbers)), model.port_columns[part.port].start]
        rows += [*model.layout.read(part.reads).tolist(), *own, *model.layout.read(part.feels).tolist()]
        numbers.append(part.parameters)
    turned = [(model.layout.x[name].start, at.start) for name, at in states.turned.items()]
    return Feedback(
        table(laws, 2), np.array(rows, dtype=np.int64), np.concatenate(numbers), places.bodies, places.y,
        table(turned, 2), np.zeros(max((own.stop for own in seen), default=model.layout.size)), *sensors,
    )  # fmt: skip
