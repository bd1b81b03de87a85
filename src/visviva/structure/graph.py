"""The port connection graph: Kirchhoff's laws for twists and wrenches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.structure.dirac import Dirac
from visviva.structure.ports import quoted, unique

GROUND = "ground"  # the reference, which has no row and no port


def incidence(bodies: Sequence[str], edges: Mapping[str, tuple[str, str]]) -> Array:
    """B (bodies, edges) with -1 at the tail i and +1 at the head j of an edge (i, j), so that T_e = T_i - T_j.

    The wrench W_e on the edge's element is felt by i as -W_e and by j as +W_e.
    """
    unique([*bodies, *edges], "the graph")
    B = np.zeros((len(bodies), len(edges)))
    for column, (name, (tail, head)) in enumerate(edges.items()):
        if tail == head:
            raise ModelError(f"edge '{name}' joins '{tail}' to itself; an edge has two ends.")
        for body, sign in ((tail, -1.0), (head, 1.0)):
            if body == GROUND:
                continue
            if body not in bodies:
                raise ModelError(
                    f"edge '{name}' ends at '{body}', which is no body; the bodies are {quoted(bodies)},"
                    f" and '{GROUND}' is the reference."
                )
            B[bodies.index(body), column] = sign
    return B


def graph_structure(bodies: Sequence[str], edges: Mapping[str, tuple[str, str]], dim: int = 6) -> Dirac:
    """Dirac structure of a port connection graph over one port per body and per edge, f twists, e wrenches.

    C = (Bᵀ I), Q = (I -B), C Qᵀ = 0;   C T = 0 around every loop, Q W = 0 at every body;   F = [C; 0], E = [0; Q].

    All twists and wrenches are in one frame. T_e = T_i - T_j, and W is the wrench that the elements exert on the
    network, or the one on the elements: as twists and wrenches do not mix, both readings are the same structure.

    dim:    of a twist, 6 in space; 3 for planar motion, 1 for an electric circuit.
    Source: Stramigioli, Maschke and Bidard (26) to (29); the dimension is 6 (bodies + edges).
    """
    B = incidence(bodies, edges)
    q, n = B.shape
    eye = np.eye(dim)
    C, Q = np.kron(np.hstack([B.T, np.eye(n)]), eye), np.kron(np.hstack([np.eye(q), -B]), eye)
    F, E = np.vstack([C, np.zeros_like(Q)]), np.vstack([np.zeros_like(C), Q])
    return Dirac.kernel(F, E, dict.fromkeys([*bodies, *edges], dim))
