"""What a compiled mechanism is: one row of numbers per body, per function of two frames and per joint that turns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array

Int = NDArray[np.int64]


def columns(*widths: int) -> list[np.int64]:
    """First columns of consecutive parts, and the number of all.

    They are typed: a plain Python number would be a constant of its own type, and every helper compiled once for each.
    """
    return [np.int64(k) for k in np.cumsum((0, *widths))]


# Columns of a body. E: Euler tensor for directors, moments of inertia for the Lie form. SPIN: velocities of the
# directors as a matrix, or ω in the body in its first three places. U, W: velocity of the centre of mass and angular
# velocity in world axes, in the middle of a step: the unknowns. A = ½ h W, SHRINK = 1/(1 + A·A).
# LOAD_F, LOAD_M: force and moment in world axes; OWN_F, OWN_M: in principal axes, which turn with the body.
# REACH: length of the longest arm, by which the rounding of forces turns up in moments.
(
    MASS, E, PHI, ROT, VEL, SPIN, U, W, A, SHRINK, INERTIA, MOMENTUM, FORCE, TORQUE, SIZE_T, SIZE_R,
    KVV, KVW, KWV, KWW, DU, DW, LOAD_F, LOAD_M, OWN_F, OWN_M, H_START, REACH, BODY,
) = columns(1, 3, 3, 9, 3, 9, 3, 3, 3, 1, 9, 3, 3, 3, 1, 1, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 2, 1)  # fmt: skip

# Columns of a function of two frames: a vector on the parent (A) and one on the child (B), a point on each, constant;
# the same in the world at the start of a step, the distance of the points and the value there; in the middle of a
# step; force on the child's point, moments on both; the same for the derivative of the value at the end; size.
(
    XU, XW, XA, XB, CONST, UN, WN, AN, BN, DN, G, UM, WM, AM, BM, DM, F, MA, MB, F1, MA1, MB1, SIZE_G, FUNCTION,
) = columns(3, 3, 3, 3, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1)  # fmt: skip
KIND, PARENT, CHILD, PLACE, TWIN = range(5)  # whole numbers of a function; PLACE: of its multipliers, or of its value y
# TWIN: of the first of two products of axes, as hinges have them: which axis they share; of the second: that it is one
ALONE, SHARED_ON_PARENT, SHARED_ON_CHILD, SECOND = range(4)
MEET, DOT, ALONG, ALONG_CHILD, ROD = range(5)

# Columns of a joint that turns: x and y on the parent, x on the child, constant; in the world at the start; cos and
# sin there, the angle; the axis over a step; cos and sin at its end; see `turns.turn_middle`.
XX, XY, XZ, XN, YN, ZN, COS, SIN, ANGLE, SECANT, COS1, SIN1, RATIO, BEND, TURN = columns(
    3, 3, 3, 3, 3, 3, 1, 1, 1, 3, 1, 1, 1, 1
)


class Machine(NamedTuple):
    """Bodies, joints and the memory of their steps. The ground is the last body: it stays as it is.

    Arrays are handed to the functions of a step one by one: a tuple of all would be counted in and out at every call.
    """

    sizes: (
        Int  # (2,) whether rotations are integrated by momenta in the body; number of functions that are rows of joints
    )
    gravity: Array  # (3,)
    B: Array  # (bodies + 1, BODY)
    X: Array  # (functions, FUNCTION) rows of joints, then functions of elements
    K: Int  # (functions, 5)
    T: Array  # (turns, TURN)
    TK: Int  # (turns, 2) parent and child
    lam: Array  # (m,) impulses of the joints' multipliers
    dlam: Array  # (m,)
    gap: Array  # (m,) rows: g(q1)/h
    active: NDArray[np.bool_]  # (m,) rows that are solved


# Whole numbers of a generated function: its address, bodies, rows, first multiplier, first number, first of its
# bodies in the list of all, whether it has a g, constraint of the model.
ADDRESS, BODIES, ROWS, FIRST, NUMBERS, MOVERS, HAS_G, OWNER = range(8)


class GeneratedRows(NamedTuple):
    """Rows over any bodies from generated functions, see `rows`."""

    table: Int  # (functions, 8)
    movers: Int  # bodies, one function after the other
    numbers: Array
    size: Array  # (m,) what the rows are measured by, times h
    q: Array  # (3, 12 bodies) coordinates at both ends, and how the end moves
    A: Array  # rows (ω; v) of all bodies, then g
    dA: Array  # their derivatives
    push: Array  # (6 bodies,) how impulses change


class Losses(NamedTuple):
    """Friction by laws, end stops, motors and thermal nodes, and the memory of their step; see `losses`."""

    rub: Int  # (k, 4) first measure, number of measures, first slope, node
    weight: Array  # (k,) of the squares of several measures in the rate
    rate: Array  # (k,)
    theta: Array  # (k,) temperature that the law sees
    force: Array  # (k, 3) force and its derivatives by rate and temperature
    law: Int  # (laws, 3) address, instances, first place in `law_rows`
    law_rows: Int
    law_numbers: Array
    warm: Int  # (k,) whether a law depends on its temperature
    stop: Int  # (k, 2) measure, slope
    stop_numbers: Array  # (k, 2) loss; then what it dissipates per unit of rate
    motor: Int  # (k, 4) measure, slope, measure of the flux linkage, input
    motor_numbers: Array  # (k, 4) R, L, k; then the mean current
    node: Int  # (nodes,) measure of the entropy
    node_numbers: Array  # (nodes, 5) c, temperature at s = 0, G; then the mean temperature and its slope by heat
    boxed: Int  # (nodes,) whether boxes heat it, and solve its balance, see `boxes`
    given: Array  # (nodes,) heat that does not depend on its temperature
    sinks: Int  # (dissipations,) node that each heats, or -1
    feels: Int  # (1,) whether some law depends on its temperature
    theta0: Array  # (1,)


class Couplings(NamedTuple):
    """Rows over coordinates of several joints, see `couplings`."""

    rows: Int  # (rows, 7) multiplier; terms, from and to; its s or -1; bodies, from and to; constraint of the model
    terms: Int  # (terms, 4) first measure, first slope, turn or -1 for a displacement, first function
    coefficients: Array  # (terms,)
    constant: Array  # (rows,)
    size: Array  # (rows,) of the terms that cancel in it
    bodies: Int  # those of all rows
    shifts: Int  # (k, 2) place of s in the state, and input that moves it or -1
    shift: Array  # (k,) s at the start of a step
    followed: Int  # (k, 2) turn, and place of its angle in the state
    secant: Array  # (measures,) coefficient times the derivative of its coordinate between both ends of a step
    end: Array  # (measures,) the same at the end
    rate: Array  # (COUPLED_RATES, measures) of schemes that keep rates, see `ggl_couplings`
    speed: Array  # (rows, 2) rates at the start and at the end of a step
    pad: Array  # (2, 3, 24) scratch


class Conditions(NamedTuple):
    """Rows that no joint has; mechanisms without any leave their code out."""

    couplings: Couplings
    generated: GeneratedRows


PLAIN, LINE, SPIN_OF_PAIR = range(3)  # damping of functions y, of the length √(2y), of the angular velocity of a ball


class Elements(NamedTuple):
    """Springs, dampers, friction and inputs."""

    y: Array  # (3, measures) values of the functions of elements at the start and at the end of a step, and rates
    effort: Array  # (measures,) ∂U/∂y between both ends, damping and inputs included
    slope: Array  # (slopes,) derivative of the effort by y at the end, blocks of all elements
    law: Int  # (laws, 3) address, instances, first place in `law_rows`
    law_rows: Int
    law_numbers: Array
    element: Int  # (elements, 6) first measure, their number, first slope, first of damping or -1, its kind, function
    damping: Array
    stacks: Int  # (k, 4) coordinates together: first measure, their number, first slope, first of damping or -1
    pushed: Int  # (k, 2) measure and input that acts along it
    loads: Int  # (k, 4) body, first input, their number: 6 for a wrench, 3 for a force; row of `axes`, or -1
    axes: Array  # (k, 9) those of wrenches that turn with their bodies, in principal ones
    twists: Int  # (k, 3) what acts along an angle: turn, measure, slope
    friction: Array  # (k,) its viscous coefficient, or zero
    heats: Int  # (dissipations, 2) kind and number
    works: Int  # (ports, 2) kind and number
