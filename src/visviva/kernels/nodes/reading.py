"""What is read of a motion at one state: poses and twists of frames, coordinates of joints and their rates."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import kernel
from visviva.kernels.multibody.algebra import cross, matmul, matrix, mul, mul_t, plus, put, put_matrix, vector
from visviva.kernels.multibody.tables import Int
from visviva.kernels.nodes.nearest import give_velocities, nearest
from visviva.kernels.nodes.rows import momenta, place_bodies, place_rows, rate
from visviva.kernels.nodes.tables import PAIR, Linked, Loops, Memory

TURN, FUNCTION = range(2)  # whole numbers of a coordinate: the angle that is followed or -1, its first function


class Frames(NamedTuple):
    """Frames on bodies, and coordinates as functions of pairs: cos and sin of an angle, or a displacement."""

    body: Int  # (frames,)
    R: Array  # (frames, 9) in principal axes
    r: Array  # (frames, 3)
    coordinates: Int  # (k, 2)
    rows: Int  # (functions, 4)
    C: Array  # (functions, 12)
    g: Array  # (functions,)


@kernel
def read_places(t: Linked, m: Memory, f: Frames, x: Array, angles: Array, R: Array, r: Array, q: Array) -> int:
    """R (frames, 9) and r (frames, 3) in the world; q (k,) of joints, angles as they are followed."""
    place_bodies(t.bodies, x, m.R, m.r)
    for k in range(f.body.size):
        b = f.body[k]
        R_WC = matrix(m.R, b, 0)
        put_matrix(R, k, 0, matmul(R_WC, matrix(f.R, k, 0)))
        put(r, k, 0, plus(vector(m.r, b, 0), mul(R_WC, vector(f.r, k, 0))))
    if q.size:
        place_rows(t.bodies, t.ends, t.arms, t.axes, f.rows, m.R, m.r, f.C, f.g)
    for k in range(q.size):
        turn = f.coordinates[k, TURN]
        q[k] = angles[turn] if turn >= 0 else f.g[f.coordinates[k, FUNCTION]]
    return 1


@kernel
def read_velocities(
    t: Linked, m: Memory, o: Loops | None, f: Frames, x: Array, b: Array, V: Array, q_dot: Array, out: Array
) -> int:
    """Twists V (frames, 6) in their axes, q_dot (k,), and out (velocities,) as in a Run; 0 where they are not found.

    b: what closing rows and others must be, see `nearest`.
    """
    place_bodies(t.bodies, x, m.R, m.r)
    place_rows(t.bodies, t.ends, t.arms, t.axes, t.rows, m.R, m.r, m.C, m.g)
    momenta(t.bodies, t.inertia, t.directors, x, m.R, m.p)
    if not nearest(t, m, o, b):
        return 0
    give_velocities(t.bodies, m.V, out)
    read_rates(t, m, f, V, q_dot)
    return 1


@kernel
def read_rates(t: Linked, m: Memory, f: Frames, V: Array, q_dot: Array) -> None:
    """The same from velocities that are there."""
    for k in range(f.body.size):
        body = f.body[k]
        w, R_CF = vector(m.V, body, 0), matrix(f.R, k, 0)
        v = mul_t(matrix(m.R, body, 0), vector(m.V, body, 3))
        put(V, k, 0, mul_t(R_CF, w))
        put(V, k, 3, mul_t(R_CF, plus(v, cross(w, vector(f.r, k, 0)))))
    if q_dot.size:
        place_rows(t.bodies, t.ends, t.arms, t.axes, f.rows, m.R, m.r, f.C, f.g)
    for k in range(q_dot.size):
        i = f.coordinates[k, FUNCTION]
        pair = f.rows[i, PAIR]
        speed = rate(f.C, t.ends, pair, m.V, i)
        if f.coordinates[k, TURN] >= 0:
            c, s = f.g[i], f.g[i + 1]
            speed = (c * rate(f.C, t.ends, pair, m.V, i + 1) - s * speed) / (c * c + s * s)
        q_dot[k] = speed
