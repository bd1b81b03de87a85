"""Retraction and pull-back of rotations as compiled code, against the spaces of `geometry`."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from visviva.geometry.embedding import SE2_SPACE, SE3_SPACE, SO2_SPACE, SO3_SPACE, SO3xR3_SPACE, origin
from visviva.kernels.turned import turning

SPACES = {"SO2": SO2_SPACE, "SO3": SO3_SPACE, "SE2": SE2_SPACE, "SE3": SE3_SPACE, "SO3xR3": SO3xR3_SPACE}
BEFORE = 2  # places in front of every array: nothing may rely on starting at zero
FLOATS, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
RETRACT = ctypes.CFUNCTYPE(None, INTS, ctypes.c_double, *5 * [FLOATS])
PULL = ctypes.CFUNCTYPE(None, INTS, ctypes.c_double, ctypes.c_int64, *4 * [FLOATS])


class Kernel:
    """The compiled functions for one space, with their places."""

    def __init__(self, space, h):
        n, self.size, self.dim, self.h = space.n, space.size, space.dim, h
        self.turn = n * n
        moves = {None: 0, "body": 1, "space": 2}[space.moves]
        places = (BEFORE, BEFORE, BEFORE, BEFORE + self.dim, BEFORE, BEFORE + self.dim**2, BEFORE)
        self.row = np.array([n, moves, *places, self.size, self.dim], dtype=np.int64)

    def retract(self, x0, y):
        """x1, mean, Q, and ∂x1/∂y, ∂Q/∂y."""
        x1, s = np.full(BEFORE + self.size, np.nan), np.full(BEFORE + self.size + self.turn, np.nan)
        self.dX = np.full(BEFORE + (self.size + self.turn) * self.dim, np.nan)
        self._call(RETRACT, 0, pad(x0), pad(y), x1, s, self.dX)
        self.s = s
        derivatives = self.dX[BEFORE:].reshape(-1, self.dim)
        return x1[BEFORE:], s[BEFORE : BEFORE + self.size], s[BEFORE + self.size :], *np.split(derivatives, [self.size])

    def pull(self, D, dD):
        """Efforts, and their derivatives by the rates, from a gradient and h times its derivative by x1."""
        z = np.concatenate([np.zeros(BEFORE + self.dim), D])
        dE = np.concatenate([np.zeros(BEFORE + self.dim**2), dD.ravel()])
        self._call(PULL, 1, 1, self.s, z, dE, self.dX)
        return z[BEFORE : BEFORE + self.dim], dE[BEFORE : BEFORE + self.dim**2].reshape(self.dim, self.dim)

    def _call(self, kind, which, *arguments):
        function = kind(turning()[which])
        values = [a.ctypes.data_as(FLOATS) if isinstance(a, np.ndarray) else a for a in arguments]
        function(self.row.ctypes.data_as(INTS), self.h, *values)


def pad(values):
    return np.concatenate([np.full(BEFORE, np.nan), values])


def rotation_part(space, q):
    return q[-(space.n**2) :].reshape(space.n, space.n).T


@st.composite
def motions(draw):
    """A space, a point of it, and rates whose increments are of any size."""
    space = SPACES[draw(st.sampled_from(sorted(SPACES)))]
    numbers = st.lists(st.floats(-2, 2), min_size=space.dim, max_size=space.dim)
    x0 = space.retract(origin(space), np.array(draw(numbers)))
    return space, x0, draw(st.sampled_from([1.0, 1e-3, 1e-5, 1e-8])) * np.array(draw(numbers))


@given(motion=motions(), h=st.sampled_from([0.3, -0.2, 1e-3]))
def test_the_end_of_a_step_is_that_of_the_space(motion, h):
    space, x0, y = motion
    x1, mean, Q, _, _ = Kernel(space, h).retract(x0, y)
    expected = space.retract(x0, h * y)
    assert_allclose(x1, expected, rtol=0, atol=8e-16 * max(1.0, np.abs(x0).max(), np.abs(h * y).max() ** 2))
    assert_allclose(mean, 0.5 * (x0 + x1), rtol=1e-15)
    inverse = np.linalg.inv(rotation_part(space, mean)).T
    assert_allclose(Q.reshape(space.n, space.n).T, inverse, rtol=0, atol=1e-14 * np.abs(inverse).max())


@given(motion=motions())
def test_efforts_are_pulled_back_at_the_mean(motion):
    space, x0, y = motion
    kernel, D = Kernel(space, 0.3), np.linspace(-1.0, 2.0, space.size)
    mean = kernel.retract(x0, y)[1]
    e, _ = kernel.pull(D, np.zeros((space.size, space.size)))
    N = space.lift(mean)
    assert_allclose(e, N.T @ D, rtol=0, atol=1e-14 * np.abs(N).max() * np.abs(D).sum())


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
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
    dx1, dQ = dx1.copy(), dQ.copy()
    de = kernel.pull(K @ space.retract(x0, h * y), h * K)[1]
    steps = 1e-3 * np.eye(space.dim)
    wide, narrow = (
        np.stack([(values(y + k * d) - values(y - k * d)) / (2e-3 * k) for d in steps], -1) for k in (1, 0.5)
    )
    assert_allclose(np.concatenate([dx1, dQ, de]), (4 * narrow - wide) / 3, rtol=0, atol=1e-10)
