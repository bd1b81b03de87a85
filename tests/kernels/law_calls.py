"""Laws called by address with arguments that are drawn, ordinary ones and those at the edges of arithmetic."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from visviva.kernels import laws
from visviva.kernels.direct.module import ELEMENTARY
from visviva.kernels.signatures import FLOW

SIZE = 512  # of every array: places are drawn far from its end
EDGES = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 5e-324, 1e-310, 1e-9, 0.05, 2.0, 0.5])
KINDS = {"n": ctypes.c_int64, "x": ctypes.c_double, "I": ctypes.c_void_p, "F": ctypes.c_void_p}


def drawn(signature: str, draw: np.random.Generator, edges: float) -> list[object]:
    """Arguments; edges: how many of the floats are from `EDGES`."""
    given: list[object] = []
    for k, letter in enumerate(signature):
        if letter == "n":
            given.append(3 if k == 0 else int(draw.integers(0, 3)))  # instances, or a mode
        elif letter == "x":
            given.append(float(floats(1, draw, edges)[0]))
        elif letter == "I":
            given.append(draw.integers(0, 12, SIZE))
        else:
            given.append(floats(SIZE, draw, edges))
    if signature == FLOW:
        given[13] = 0  # the stage: places of others may be beyond those of a law with one
    return given


def floats(n: int, draw: np.random.Generator, edges: float) -> np.ndarray:
    sizes = draw.choice([1.0, 1.0, 1e-3, 1e-8, 30.0], n)
    ordinary = draw.normal(size=n) * sizes if edges else draw.uniform(0.1, 1.0, n)
    return np.where(draw.random(n) < edges, draw.choice(EDGES, n), ordinary)


def called(address: int, signature: str, given: list[object]) -> list[np.ndarray]:
    """All arrays after a call; those given stay as they are."""
    arrays = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    function = ctypes.CFUNCTYPE(None, *(KINDS[letter] for letter in signature))(address)
    function(*(one.ctypes.data if isinstance(one, np.ndarray) else one for one in arrays))
    return [one for one in arrays if isinstance(one, np.ndarray)]


def seed(source: str) -> int:
    """For what is drawn for a law: the same in every run."""
    return int(hashlib.sha256(source.encode()).hexdigest()[:8], 16)


def assert_same_bits(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    """Signed zeros and infinities as well; of nan, its sign and payload do not count."""
    for a, b in zip(one, other, strict=True):
        same = (a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b) if a.dtype == float else False)
        at = np.flatnonzero(~same)[:4]
        assert same.all(), f"at {at}: {a[at]} and {b[at]}"


def plain_call(signature: str, source: str, given: list[object]) -> list[np.ndarray]:
    """All arrays after a call of a law in plain Python; raises where Python does, as for a division by zero."""
    arrays = [one.tolist() if isinstance(one, np.ndarray) else one for one in given]
    _plain_law(source)(*arrays)
    kinds = {"I": np.int64, "F": np.float64}
    return [np.array(one, kinds[letter]) for one, letter in zip(arrays, signature, strict=True) if letter in kinds]


@lru_cache(1)
def _plain_law(source: str) -> Callable[..., None]:
    scope: dict[str, Any] = {}
    lines = [line for line in source.splitlines() if not line.startswith("from visviva.kernels.elementary")]
    exec("\n".join([_plain_elementary(), *lines]), scope)
    law: Callable[..., None] = scope["law"]
    return law


@cache
def _plain_elementary() -> str:
    lines = ELEMENTARY.read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith(("@kernel", "from ")))


def numba_address(signature: str, source: str) -> int:
    """Of the same law, compiled by Numba."""
    return laws._by_numba(laws.law_digest(signature, source), signature, source)
