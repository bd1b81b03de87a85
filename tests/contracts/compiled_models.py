"""Small models that together have every kind of block, with a state of each: what compiled steps must agree on."""

from __future__ import annotations

import numpy as np
import sympy
from systems import damper, entropy, hot, mass
from test_models import series_damper
from test_rows import driven_mass

import visviva as vv
from visviva.compiler.laws import energy_law, symbols
from visviva.geometry.embedding import (
    SE2_SPACE,
    SE3_SPACE,
    SO2_SPACE,
    SO3_SPACE,
    Flat,
    ProductSpace,
    SO3xR3_SPACE,
    origin,
)
from visviva.language import compose, environment
from visviva.model import (
    Dissipation,
    Energy,
    Kinetic,
    Linear,
    Model,
    Port,
    QuadraticEnergy,
    Routing,
    Rows,
    Variable,
    canonical,
)
from visviva.model.law import LawEnergy

SPACES = {
    "R": Flat(1),
    "R3": Flat(3),
    "RxR": ProductSpace((Flat(1), Flat(1))),
    "SO2": SO2_SPACE,
    "SO3": SO3_SPACE,
    "SE2": SE2_SPACE,
    "SE3": SE3_SPACE,
    "SO3xR3": SO3xR3_SPACE,
    "RxSO2": ProductSpace((Flat(1), SO2_SPACE)),
}
M = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])


def point(space):
    """Some state, neither at the origin nor on an axis."""
    return space.retract(origin(space), np.array([0.5, -0.3, 0.8, 0.2, -0.6, 0.4])[: space.dim])


def resisted(space, *storages):
    """One variable whose efforts are resisted by a matrix that mixes them all."""
    drag = np.eye(space.dim) + 0.5 * np.ones((space.dim, space.dim))
    return Model("resisted", (Variable("x", space),), storages, (Dissipation("drag", ("x",), drag),))


def curved(n):
    """p0 x_n sin x0 + p1 exp x_{n/2}: every function has a rule for its divided difference."""
    x, p = symbols("x", n), symbols("p", 2)
    H = p[0] * x[-1] * sympy.sin(x[0]) + p[1] * sympy.exp(x[n // 2])
    return LawEnergy("curved", "x", energy_law(H, n, 2), np.array([0.7, 0.3]))


def ruleless(n):
    """arcsin has no rule: the gradient at the mean is corrected as Gonzalez does it."""
    x, p = symbols("x", n), symbols("p", 1)
    return LawEnergy("ruleless", "x", energy_law(p[0] * sympy.asin(x[0] / 4) * x[-1] ** 2, n, 1), np.array([3.1]))


def on_every_space():
    for name, space in SPACES.items():
        weight = Linear("weight", "x", np.linspace(-1.0, 2.0, space.size))
        yield f"several energies on {name}", (resisted(space, weight, curved(space.size)), point(space))
    for name in ("R", "R3", "SE2"):
        yield f"no rule on {name}", (resisted(SPACES[name], ruleless(SPACES[name].size)), point(SPACES[name]))


def spring(n=3):
    return QuadraticEnergy("spring", "x", M[:n, :n])


def pendulum():
    return Energy("pendulum", "x", lambda q: 9.81 * (1 - np.cos(q[..., 0])), lambda q: 9.81 * np.sin(q))


def bowl():
    """An energy of several coordinates that is given as NumPy functions."""

    def slope(q):
        return q * np.exp(0.5 * (q * q).sum(-1))[..., None]

    return Energy("bowl", "x", lambda q: np.exp(0.5 * (q * q).sum(-1)), slope)


def rows_of(*rows):
    return np.stack([np.stack(row, -1) for row in rows], -2)


def gyroscope(space):
    """A velocity in R³ that is turned, pushed and resisted by matrices that read a point of a space."""

    def J(q):
        a, b, c = q[..., 0], np.sin(q[..., -1]), 0.3 * q[..., 0] * q[..., -1]
        return rows_of([0 * a, a, -b], [-a, 0 * a, c], [b, -c, 0 * a])

    def R(q, e):
        d, zero = 1 + q[..., 0] ** 2 + 0.1 * e[..., 0] ** 2, 0 * q[..., 0]
        return rows_of([d, zero, zero], [zero, d, zero], [zero, zero, 0.4 * d * np.exp(0.1 * e[..., 2])])

    def B(q):
        a, b = np.cos(q[..., 0]), 0.7 * q[..., -1]
        return rows_of([a, 0 * a], [b, a * b], [0 * a, b])

    return Model(
        "gyroscope",
        (Variable("x", space), Variable("v", Flat(3))),
        (Linear("weight", "x", np.linspace(-1.0, 2.0, space.size)), Kinetic("body", "v", M)),
        (
            Routing("gyroscope", ("v",), J, ("x",)),
            Dissipation("drag", ("v",), R, ("x",)),
            Port("jets", ("v",), 2, B, ("x",)),
        ),
    )


def moving(space):
    """A pose that follows its velocity."""
    M = np.eye(space.dim) + 0.1
    return Model(
        "moving",
        (Variable("x", space), Variable("v", Flat(space.dim))),
        (Linear("weight", "x", np.linspace(-1.0, 2.0, space.size)), Kinetic("body", "v", M)),
        (canonical("kinematics", "x", "v", space.dim), Port("push", ("v",), space.dim, np.eye(space.dim))),
    )


def blade():
    """Rows that read where the blade points, and one that does not."""

    def C(q):
        s, c = np.sin(q[..., 2]), np.cos(q[..., 2])
        return rows_of([-s, c, 0.2 * q[..., 0]])

    return Model(
        "blade",
        (Variable("x", Flat(3)), Variable("v", Flat(3))),
        (spring(), Kinetic("body", "v", M)),
        (
            canonical("kinematics", "x", "v", 3),
            Rows("edge", ("v",), 1, C, ("x",)),
            Rows("rail", ("x", "v"), 1, np.array([[0.0, 0.3, 0.0, 1.0, 0.0, -0.7]])),
        ),
    )


def braked():
    """Friction between a mass and the environment, without anything between: a reservoir takes the heat."""
    boxes = {"ke": mass(), "mf": damper(), "env": environment({"s": entropy}, 280.0)}
    return compose("braked", boxes, {"p": ("ke.p", "mf.p"), "s": ("mf.s", "env.s")}, outer=("p",))


def spun():
    """A state that turns about a fixed axis of its efforts."""
    skewed = np.array([[0.0, 1.5, -0.3], [-1.5, 0.0, 0.25], [0.3, -0.25, 0.0]])
    return Model("spun", (Variable("x", Flat(3)),), (spring(), curved(3)), (Routing("swirl", ("x",), skewed),))


# by name: a model and a state
MODELS = dict(on_every_space()) | {
    "kinetic energy": (moving(Flat(3)), np.array([0.3, -0.2, 0.5, 1.0, -2.0, 0.4])),
    "quadratic energy": (resisted(Flat(3), spring()), np.array([0.3, -0.2, 0.5])),
    "energy of one coordinate, in NumPy": (resisted(Flat(1), pendulum()), np.array([1.2])),
    "energy of several coordinates, in NumPy": (resisted(Flat(3), bowl()), np.array([0.3, -0.2, 0.5])),
    "constant routing": (spun(), np.array([0.3, -0.2, 0.5])),
    "rows": (blade(), np.array([0.3, -0.2, 0.5, 1.0, -2.0, 0.4])),
    "driven rows": (driven_mass(), np.array([0.3, 0.7])),
    "junction without storage": (series_damper(), np.array([0.5, -1.0])),
    "reservoir": (vv.compile(braked()), np.array([0.8])),
    "heat": (vv.compile(hot()), np.array([0.5, 0.2, -0.7])),
}
MODELS |= {
    f"structures read {name}": (gyroscope(SPACES[name]), np.append(point(SPACES[name]), [1.0, -0.5, 0.3]))
    for name in ("R", "R3", "SO2", "SE3", "RxSO2")
}
MODELS |= {
    f"motion in {name}": (moving(space), np.append(point(space), np.linspace(-1, 1, space.dim)))
    for name, space in SPACES.items()
    if "S" in name
}
