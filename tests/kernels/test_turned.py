"""Retraction and pull-back of rotations as compiled code, against the spaces of `geometry`."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
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
from visviva.integrate.compiled import memory
from visviva.kernels.program import AT_D, AT_DD, AT_E, AT_P, AT_Q, AT_S, AT_X
from visviva.kernels.turned import turning
from visviva.model import Model, Variable

SPACES = {"SO2": SO2_SPACE, "SO3": SO3_SPACE, "SE2": SE2_SPACE, "SE3": SE3_SPACE, "SO3xR3": SO3xR3_SPACE}
PRODUCTS = {
    "RxSO3": ProductSpace((Flat(1), SO3_SPACE)),
    "SE2xR2xSO2": ProductSpace((SE2_SPACE, ProductSpace((Flat(2), SO2_SPACE)))),
}
FLOATS, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
RETRACT = ctypes.CFUNCTYPE(None, INTS, ctypes.c_double, *5 * [FLOATS])
PULL = ctypes.CFUNCTYPE(None, INTS, ctypes.c_double, ctypes.c_int64, *4 * [FLOATS])


class Kernel:
    """The compiled functions on the memory of a model, where a space comes after other variables."""

    def __init__(self, space, h):
        others = (Variable("flat", Flat(2)), Variable("turn", SO2_SPACE))
        c = build_program(Model("last", (*others, Variable("x", space)), ()), MIDPOINT)
        self.rows = [row for row in c.program.turned if row[AT_X] >= c.model.layout.x["x"].start]
        self.work, self.h, (self.size, self.dim) = memory(c, 0), h, (space.size, space.dim)
        first = self.rows[0]
        self.x = c.model.layout.x["x"]
        self.z = c.model.layout.z["x"]
        self.s = slice(first[AT_S], first[AT_S] + space.size)
        self.Q = slice(first[AT_Q], None)
        self.D = slice(first[AT_D], first[AT_D] + space.size)
        self.dD = slice(first[AT_DD], first[AT_DD] + space.size**2)
        self.E = slice(first[AT_E], first[AT_E] + space.dim**2)
        self.P = slice(first[AT_P], None)

    def retract(self, x0, y):
        """x1, mean, Q, and ∂x1/∂y, ∂Q/∂y."""
        work = self.work
        work.x[self.x], work.y[self.z] = x0, y
        for row in self.rows:
            self._call(RETRACT, 0, row, work.x, work.y, work.end, work.s, work.dX)
        derivatives = work.dX[self.P].reshape(-1, self.dim).copy()
        values = (work.end[self.x], work.s[0, self.s], work.s[0, self.Q])
        return *(value.copy() for value in values), *np.split(derivatives, [self.size])

    def pull(self, D, dD):
        """Efforts, and their derivatives by the rates, from a gradient and h times its derivative by x1."""
        work = self.work
        work.z[0, self.D], work.dE[0, self.dD], work.dE[0, self.E] = D, dD.ravel(), 0.0
        for row in self.rows:
            self._call(PULL, 1, row, 1, work.s, work.z, work.dE, work.dX)
        return work.z[0, self.z].copy(), work.dE[0, self.E].reshape(self.dim, self.dim).copy()

    def _call(self, kind, which, row, *arguments):
        function = kind(turning()[which])
        values = [a.ctypes.data_as(FLOATS) if isinstance(a, np.ndarray) else a for a in arguments]
        function(np.ascontiguousarray(row).ctypes.data_as(INTS), self.h, *values)


def rotation_part(space, q):
    return q[-(space.n**2) :].reshape(space.n, space.n).T


@st.composite
def motions(draw, spaces):
    """A space, a point of it, and rates whose increments are of any size."""
    space = spaces[draw(st.sampled_from(sorted(spaces)))]
    numbers = st.lists(st.floats(-2, 2), min_size=space.dim, max_size=space.dim)
    x0 = space.retract(origin(space), np.array(draw(numbers)))
    return space, x0, draw(st.sampled_from([1.0, 1e-3, 1e-5, 1e-8])) * np.array(draw(numbers))


@given(motion=motions(SPACES | PRODUCTS), h=st.sampled_from([0.3, -0.2, 1e-3]))
def test_the_end_of_a_step_is_that_of_the_space(motion, h):
    space, x0, y = motion
    x1, mean, _, _, _ = Kernel(space, h).retract(x0, y)
    expected = space.retract(x0, h * y)
    assert_allclose(x1, expected, rtol=0, atol=8e-16 * max(1.0, np.abs(x0).max(), np.abs(h * y).max() ** 2))
    assert_allclose(mean, 0.5 * (x0 + x1), rtol=1e-15)


@given(motion=motions(SPACES))
def test_the_inverse_of_the_mean_rotation_comes_without_an_inverse(motion):
    space, x0, y = motion
    _, mean, Q, _, _ = Kernel(space, 0.3).retract(x0, y)
    inverse = np.linalg.inv(rotation_part(space, mean)).T
    assert_allclose(Q.reshape(space.n, space.n).T, inverse, rtol=0, atol=1e-14 * np.abs(inverse).max())


@given(motion=motions(SPACES | PRODUCTS))
def test_efforts_are_pulled_back_at_the_mean(motion):
    space, x0, y = motion
    kernel, D = Kernel(space, 0.3), np.linspace(-1.0, 2.0, space.size)
    mean = kernel.retract(x0, y)[1]
    e, _ = kernel.pull(D, np.zeros((space.size, space.size)))
    N = space.lift(mean)
    assert_allclose(e, N.T @ D, rtol=0, atol=1e-14 * np.abs(N).max() * np.abs(D).sum())


@pytest.mark.parametrize("space", (SPACES | PRODUCTS).values(), ids=SPACES | PRODUCTS)
def test_derivatives_are_those_of_the_functions(space):
    """Of the end, of Q, and of the efforts of a gradient D = K x1 that changes with the end."""
    random = np.random.default_rng(1)
    x0, h = space.retract(origin(space), random.normal(size=space.dim)), 0.4
    y, K = random.normal(size=space.dim), random.normal(size=(space.size, space.size))
    kernel = Kernel(space, h)

    def values(y):
        x1, _, Q, _, _ = kernel.retract(x0, y)
        return np.concatenate([x1, Q, kernel.pull(K @ x1, h * K)[0]])

    *_, dx1, dQ = kernel.retract(x0, y)
    de = kernel.pull(K @ space.retract(x0, h * y), h * K)[1]
    steps = 1e-3 * np.eye(space.dim)
    wide, narrow = (
        np.stack([(values(y + k * d) - values(y - k * d)) / (2e-3 * k) for d in steps], -1) for k in (1, 0.5)
    )
    assert_allclose(np.concatenate([dx1, dQ, de]), (4 * narrow - wide) / 3, rtol=0, atol=1e-10)
