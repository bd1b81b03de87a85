"""What dissipates in a step: energy that becomes heat, what it warms, and what the environment takes up."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import dot, vector
from visviva.kernels.multibody.damping import damped, damped_spin, reciprocal
from visviva.kernels.multibody.losses import warm_up
from visviva.kernels.multibody.tables import DM, LINE, SPIN_OF_PAIR, Elements, Losses

BY_ELEMENT, BY_TWIST, BY_LAW, BY_MOTOR, BY_STOP, BY_COOLING, BY_STACK, BY_BOX = range(8)  # who made heat


@woven
def dissipated(X: Array, e: Elements, l: Losses | None, k: int, h: float) -> float:
    """Energy that a dissipation turns into heat over the step; cooling makes none of its own, boxes count theirs."""
    which, i = e.heats[k, 0], e.heats[k, 1]
    if which == BY_BOX:
        return 0.0
    if which == BY_TWIST:
        rate = e.y[2, e.twists[i, 1]]
        return h * e.friction[i] * rate * rate
    if l is not None:
        if which == BY_LAW:
            return h * l.force[i, 0] * l.rate[i]
        if which == BY_MOTOR:
            return h * l.motor_numbers[i, 0] * l.motor_numbers[i, 3] * l.motor_numbers[i, 3]
        if which == BY_STOP:
            return h * l.stop_numbers[i, 1]
        if which == BY_COOLING:
            return 0.0
    if which == BY_STACK:
        return h * damped(e.y, e.damping, e.stacks[i, 0], e.stacks[i, 1], e.stacks[i, 3])
    at, n, d, unit = e.element[i, 0], e.element[i, 1], e.element[i, 3], h
    if e.element[i, 4] == SPIN_OF_PAIR:
        return h * damped_spin(X, e.element[i, 5], e.y, e.damping, at, d)
    if e.element[i, 4] == LINE:
        v = vector(X, e.element[i, 5], DM)
        unit *= reciprocal(dot(v, v))
    return unit * damped(e.y, e.damping, at, n, d)


@inner
def give_heat(X: Array, e: Elements, l: Losses, h: float) -> None:
    """Heat of the step that nodes get, but for that of laws which see their temperatures."""
    for j in range(l.node.size):
        l.given[j] = 0.0
    for k in range(e.heats.shape[0]):
        if l.sinks[k] >= 0 and not (e.heats[k, 0] == BY_LAW and l.warm[e.heats[k, 1]]):
            l.given[l.sinks[k]] += dissipated(X, e, l, k, h)


@inner
def warm_nodes(X: Array, e: Elements, l: Losses, h: float) -> None:
    """Temperatures of all nodes from the heat of the step."""
    give_heat(X, e, l, h)
    warm_up(l, e.y, h)


@woven
def heat_of(X: Array, e: Elements, l: Losses | None, k: int, h: float) -> float:
    """Exergy that a dissipation destroys over the step: its heat times θ0/θ where it goes to a node at θ."""
    if l is None:
        return dissipated(X, e, l, k, h)
    if e.heats[k, 0] == BY_COOLING:
        j = e.heats[k, 1]
        warmer = l.node_numbers[j, 3] - l.theta0[0]
        return h * l.node_numbers[j, 2] * warmer * warmer / l.node_numbers[j, 3]
    heat = dissipated(X, e, l, k, h)
    return heat if l.sinks[k] < 0 else heat * l.theta0[0] / l.node_numbers[l.sinks[k], 3]


@inner
def taken_of(X: Array, e: Elements, l: Losses, h: float) -> float:
    """Entropy that the environment takes up over the step."""
    heat = 0.0
    for k in range(e.heats.shape[0]):
        if l.sinks[k] < 0:
            heat += dissipated(X, e, l, k, h)
    for j in range(l.node.size):
        if l.boxed[j]:
            continue
        heat += h * l.node_numbers[j, 2] * (l.node_numbers[j, 3] - l.theta0[0])
    return heat / l.theta0[0]
