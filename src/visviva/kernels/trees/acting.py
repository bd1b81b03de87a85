"""What acts on the bodies of a tree: springs, dampers, friction, stops and inputs, by the tables of `multibody`.

A step of no length of the director engine is an instant: its efforts are those of energies, dampers and laws, and the
impulses per unit of time are forces. From coordinates q and velocities ξ follow poses and velocities of all bodies,

    R_WC, r_WC,   ω = R_WL ω_L,   v = R_WL (v_L + ω_L × c),

from those the functions of all elements with their rates, inputs by feedback, efforts, and wrenches on links. Lanes are
treated one after the other.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from visviva._arrays import Array
from visviva.kernels.announce import announce
from visviva.kernels.calls import call_energy, call_inputs, call_stored
from visviva.kernels.functions import addressable, inner, kernel
from visviva.kernels.multibody.accounts import work_of
from visviva.kernels.multibody.bodies import force_on, moment_on
from visviva.kernels.multibody.elements import efforts, push_elements, read_inputs
from visviva.kernels.multibody.functions import place_function
from visviva.kernels.multibody.heats import dissipated
from visviva.kernels.multibody.sensors import Sensors, sense
from visviva.kernels.multibody.states import write_state
from visviva.kernels.multibody.turns import place_turn
from visviva.kernels.signatures import ACT, STORED
from visviva.kernels.stowed import carray, kind_of, stowed, taker
from visviva.kernels.trees.kinematics import move, origin_of, place_links, rotation_of

from visviva.kernels.multibody.algebra import (  # isort: skip
    ZERO, cross, matmul, matrix, minus, mul, mul_t, plus, put, put_matrix, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, FORCE, PHI, PLACE, ROT, SPIN, TORQUE, VEL, Elements, G, Int, Losses, Machine, U, W,
)  # fmt: skip
from visviva.kernels.trees.tables import LINEAR, OMEGA  # isort: skip

GRADIENT, ENERGY = 0, 2  # what a law of energy gives


class Limbs(NamedTuple):
    """The tree that carries the bodies, and the memory of an evaluation; see `tables`."""

    C: Array
    K: Int
    S: Array
    W: Array
    X: Array  # (links + 1, 4, 4) poses
    carrier: Int  # (bodies,) link that carries each; their number for the ground
    centre: Array  # (bodies, 12) principal axes in that link, row by row, and centre of mass
    rigid: Int  # (bodies,) 0 for particles
    turns: Int  # (k, 2) turns that something acts about, and places of their angles in q
    q: Array  # (size_q,)
    xi: Array  # (n,)
    u: Array  # (inputs,)


class Feedback(NamedTuple):
    """Inputs by laws of the state."""

    laws: Int  # (laws, 2) address, first place in `rows`
    rows: Int
    numbers: Array
    bodies: Int  # see `multibody.states.Places`
    y: Int
    turned: Int  # (k, 2) place of an angle in x and in q
    x: Array  # state of the model, then the numbers of sensors
    table: Int  # of sensors, see `multibody.sensors.Sensors`
    constants: Array


class Acting(NamedTuple):
    """All that acts on bodies."""

    machine: Machine
    elements: Elements
    losses: Losses
    limbs: Limbs
    feedback: Feedback


def _kind() -> Any:
    from numba import types

    parts = (
        kind_of(Machine, "i f F F I F I f f f b"),
        kind_of(Elements, "F f f I i f I f I I I F I f I I"),
        kind_of(Losses, "I f f f F I i f i I F I F i F i f i i f"),
        kind_of(Limbs, "F I F F P i F i I f f f"),
        kind_of(Feedback, "I i f I I I f I F"),
    )
    return types.NamedTuple(parts, Acting)


SIZES = 6  # lanes, coordinates, velocities, inputs, links, powers: whole numbers before the tables
take = taker(_kind)


@inner
def _place(M: Machine, e: Elements, l: Limbs) -> None:
    """Poses of links and bodies, values of functions, and angles."""
    B, X = M.B, l.X
    place_links(l.C, l.K, l.q, X, l.W)
    for b in range(l.carrier.shape[0]):
        R = rotation_of(X, l.carrier[b])
        put(B, b, PHI, plus(origin_of(X, l.carrier[b]), mul(R, vector(l.centre, b, 9))))
        if l.rigid[b]:
            put_matrix(B, b, ROT, matmul(R, matrix(l.centre, b, 0)))
    place_elements(M, e, l)


@inner
def place_elements(M: Machine, e: Elements, l: Limbs) -> None:
    """Values of functions, and angles, where bodies are placed."""
    B = M.B
    for i in range(M.sizes[1], M.X.shape[0]):
        place_function(B, M.X, M.K, i)
        e.y[0, M.K[i, PLACE]] = M.X[i, G]
    for k in range(l.turns.shape[0]):
        M.T[l.turns[k, 0], ANGLE] = l.q[l.turns[k, 1]]
        place_turn(B, M.T, M.TK, l.turns[k, 0])
    for k in range(e.twists.shape[0]):
        e.y[0, e.twists[k, 1]] = M.T[e.twists[k, 0], ANGLE]


@inner
def _move(B: Array, l: Limbs) -> None:
    """Velocities of links and bodies."""
    for i in range(l.K.shape[0]):
        move(l.K, l.S, l.W, i, l.xi)
    for b in range(l.carrier.shape[0]):
        i = l.carrier[b]
        R, w = rotation_of(l.X, i), vector(l.W, i, OMEGA)
        v = mul(R, plus(vector(l.W, i, LINEAR), cross(w, vector(l.centre, b, 9))))
        put(B, b, U, v)
        put(B, b, VEL, v)
        if l.rigid[b]:
            w = mul(R, w)
            put(B, b, W, w)
            put(B, b, SPIN, mul_t(matrix(B, b, ROT), w))


@inner
def _feed(M: Machine, y: Array, l: Limbs, feedback: Feedback, t: float) -> None:
    """Inputs by laws of the state."""
    B = M.B
    sense(B, M.T, M.TK, Sensors(feedback.table, feedback.constants), feedback.x, 0.0)
    write_state(B, y, feedback.bodies, feedback.y, feedback.x)
    for k in range(feedback.turned.shape[0]):
        feedback.x[feedback.turned[k, 0]] = l.q[feedback.turned[k, 1]]
    for k in range(feedback.laws.shape[0]):
        call_inputs(
            feedback.laws[k, 0],
            (
                1, feedback.rows[feedback.laws[k, 1] :].ctypes.data, feedback.numbers.ctypes.data, t,
                feedback.x.ctypes.data, l.u.ctypes.data,
            ),
        )  # fmt: skip


@inner
def _pull(M: Machine, l: Limbs, L: Array, lane: int) -> None:
    """Wrenches of all bodies on the links that carry them, in their axes."""
    B = M.B
    for b in range(l.carrier.shape[0]):
        i = l.carrier[b]
        if i == L.shape[0]:
            continue
        R = rotation_of(l.X, i)
        f, m = minus(force_on(B, b, ZERO), vector(B, b, FORCE)), ZERO
        if l.rigid[b]:
            m = minus(moment_on(B, b, ZERO), vector(B, b, TORQUE))
        m = plus(m, cross(minus(vector(B, b, PHI), origin_of(l.X, i)), f))
        m, f = mul_t(R, m), mul_t(R, f)
        for k in range(3):
            L[i, k, lane] += m[k]
            L[i, 3 + k, lane] += f[k]


@inner
def _account(M: Machine, e: Elements, losses: Losses, u: Array, P: Array, lane: int) -> None:
    """See `field.powers`."""
    ports, inputs, heats = e.works.shape[0], u.shape[0], e.heats.shape[0]
    P[0, lane], P[1, lane] = 0.0, 0.0
    for k in range(ports):
        power = work_of(M, e, losses, None, k, u, 1.0)
        P[2 + k, lane] = power
        P[0, lane] += power
    for k in range(inputs):
        P[2 + ports + k, lane] = u[k]
    for k in range(heats):
        power = dissipated(M.X, e, losses, k, 1.0)
        P[2 + ports + inputs + k, lane] = power
        P[1, lane] += power


@inner
def act(tables: Int, t: Array, q: Array, xi: Array, u: Array, L: Array, P: Array) -> None:
    """Wrenches L on links, powers P and inputs by feedback, at all lanes."""
    a = take(tables, SIZES)
    M, e, losses, l = a.machine, a.elements, a.losses, a.limbs
    for i in range(L.shape[0]):
        for k in range(6):
            for lane in range(L.shape[2]):
                L[i, k, lane] = 0.0
    for lane in range(t.shape[0]):
        for k in range(q.shape[0]):
            l.q[k] = q[k, lane]
        for k in range(xi.shape[0]):
            l.xi[k] = xi[k, lane]
        for k in range(u.shape[0]):
            l.u[k] = u[k, lane]
        _place(M, e, l)
        _move(M.B, l)
        if a.feedback.laws.shape[0] > 0:
            _feed(M, e.y, l, a.feedback, t[lane])
            for k in range(u.shape[0]):
                u[k, lane] = l.u[k]
        for b in range(l.carrier.shape[0]):
            put(M.B, b, FORCE, ZERO)
            put(M.B, b, TORQUE, ZERO)
        read_inputs(M.B, e.loads, e.axes, l.u)
        efforts(M, e, losses, l.u, 0.0, GRADIENT)
        push_elements(M, e, 1.0)
        _pull(M, l, L, lane)
        _account(M, e, losses, l.u, P, lane)


@inner
def stored(tables: Int, q: Array) -> float:
    """Energy of all elements [J]."""
    a = take(tables, SIZES)
    e, l = a.elements, a.limbs
    for k in range(q.shape[0]):
        l.q[k] = q[k]
    _place(a.machine, e, l)
    for k in range(e.effort.shape[0]):
        e.effort[k] = 0.0
    for k in range(e.law.shape[0]):
        call_energy(
            e.law[k, 0],
            (
                e.law[k, 1], e.law_rows[e.law[k, 2] :].ctypes.data, e.law_numbers.ctypes.data, e.y[0].ctypes.data,
                e.y[0].ctypes.data, e.effort.ctypes.data, e.slope.ctypes.data, 1.0, ENERGY,
            ),
        )  # fmt: skip
    total = 0.0
    for k in range(e.effort.shape[0]):
        total += e.effort[k]
    return total


def _act(tables: Int, t: Array, q: Array, xi: Array, u: Array, L: Array, P: Array) -> None:
    lanes, size_q, n, inputs, links, powers = carray(tables, (SIZES,))
    act(
        carray(tables, (SIZES,)), carray(t, (lanes,)), carray(q, (size_q, lanes)), carray(xi, (n, lanes)),
        carray(u, (inputs, lanes)), carray(L, (links, 6, lanes)), carray(P, (powers, lanes)),
    )  # fmt: skip


def _stored(tables: Int, q: Array) -> float:
    sizes = carray(tables, (SIZES,))
    return stored(sizes, carray(q, (sizes[1],)))


@cache
def acts() -> int:
    """Address of `act`."""
    with announce("forces on bodies of trees"):
        return addressable(ACT, _act)


@cache
def stores() -> int:
    """Address of `stored`."""
    with announce("energy of springs on trees"):
        return addressable(STORED, _stored)


@kernel
def stored_at(address: int, tables: Int, q: Array) -> float:
    """Energy of all elements at q [J], by the address of `stored`."""
    found: float = call_stored(address, (tables.ctypes.data, q.ctypes.data))
    return found


def tables_of(acting: Acting, lanes: int) -> Int:
    """As loops hand them on: keep `acting` as long as they are used."""
    l, e = acting.limbs, acting.elements
    powers = 2 + len(e.works) + len(l.u) + len(e.heats)
    return stowed([lanes, len(l.q), len(l.xi), len(l.u), len(l.K), powers], acting)
