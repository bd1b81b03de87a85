"""Dirac structures drawn at random: any rank, any constraints, weak and strong couplings."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from visviva.structure import Dirac

SIZES = [1.0, 1e-3, 1e-5, 1e-8]

sizes = st.sampled_from(SIZES)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def port_sets(draw, most=8):
    """Ports of dimension 1 to 3, at most `most` flows together."""
    dims = draw(st.lists(st.integers(1, 3), min_size=1, max_size=most))
    while sum(dims) > most:
        dims.pop()
    return {f"p{i}": dim for i, dim in enumerate(dims)}


def skew(n, rank, size, rng):
    """A skew matrix of at most the given rank."""
    A, K = rng.uniform(-1, 1, (n, rank)), rng.uniform(-1, 1, (rank, rank))
    J = size * A @ (K - K.T) @ A.T
    return (J - J.T) / 2


@st.composite
def structures(draw, most=8):
    """J of any rank and size, constraints, some of them redundant, and some ports with their roles swapped."""
    ports = draw(port_sets(most))
    n, rng = sum(ports.values()), np.random.default_rng(draw(seeds))
    J = skew(n, draw(st.integers(0, n)), draw(sizes), rng)
    C = rng.uniform(-1, 1, (draw(st.integers(0, n)), n)) * draw(sizes)
    C = np.vstack([C, rng.uniform(-1, 1, (draw(st.integers(0, 2)), len(C))) @ C])
    swapped = draw(st.lists(st.sampled_from(list(ports)), unique=True))
    return Dirac.constrained(J, C, ports).role_swap(*swapped)


def projector_gap(A, B):
    """Largest difference of the projectors, ports matched by name."""
    return np.abs(A.to_projector() - B.permute(*A.ports).to_projector()).max(initial=0.0)
