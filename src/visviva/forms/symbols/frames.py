"""How frames move, as symbols: poses, body Jacobians and biases by recursion from the ground.

With the pose (R, r) of a frame in its parent's, and its own twist V_e = S_e ξ against it,

    J = Ad⁻¹ J_P + S_e,    V = Ad⁻¹ V_P + V_e,    B = J̇ ξ = Ad⁻¹ B_P - ad(V_e) Ad⁻¹ V_P + Ṡ_e ξ

in the axes of the frame, at its origin. Source: Konz (3.101)-(3.107), (3.122), with the indices of Ad corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class Edge:
    """A frame against its parent.

    parent: index of the parent's frame, -1: the ground.   R, r: its pose there.   S: (6, n), in its own axes.
    S_bias: Ṡ ξ (6,), and `slopes`: ∂_k S by k, (n, 6, n), where S depends on q; None where it is constant.
    R_W:    its orientation in the world, where it is known in a shorter form than the product.
    """

    name: str
    parent: int
    R: Any  # (3, 3)
    r: Any  # (3,)
    S: Any  # (6, n)
    S_bias: Any = None  # (6,)
    slopes: Any = None  # (n, 6, n)
    R_W: Any = None  # (3, 3)


@final
@dataclass(frozen=True, eq=False)
class Frame:
    """R, r in the world; J = (Jw; Jv), V = J ξ and B = J̇ ξ in the axes of the frame, at its origin."""

    edge: Edge
    R: Any  # (3, 3)
    r: Any  # (3,)
    J: Any  # (6, n)
    V: Any  # (6,)
    B: Any  # (6,)


def ground(n: int) -> Frame:
    """The frame that does not move."""
    import sympy

    eye = np.array([[sympy.Integer(i == j) for j in range(3)] for i in range(3)], dtype=object)
    none = Edge("ground", -1, eye, zeros(3), zeros(6, n))
    return Frame(none, eye, zeros(3), zeros(6, n), zeros(6), zeros(6))


def frames_of(edges: Sequence[Edge], xi: Any, steps: Steps) -> list[Frame]:
    """All frames, and the ground as the last one."""
    frames: list[Frame] = []
    still = ground(len(xi))
    for edge in edges:
        P = frames[edge.parent] if edge.parent >= 0 else still
        own = edge.name

        def label(letter: str, own: str = own) -> Label:
            return Label(letter, (own,))

        R = steps.names(P.R @ edge.R if edge.R_W is None else edge.R_W, label("R"))
        r = steps.names(P.r + P.R @ edge.r, label("r"))
        carried, V_e = _back(edge, P.V), edge.S @ xi
        J = steps.names(_back(edge, P.J) + edge.S, label("S"))
        B = _back(edge, P.B) - ad(V_e, carried)
        if edge.S_bias is not None:
            B = B + edge.S_bias
        V = np.concatenate(
            [steps.names((carried + V_e)[:3], label("omega")), steps.names((carried + V_e)[3:], label("v"))]
        )
        frames.append(Frame(edge, R, r, J, V, steps.names(B, label("b"))))
    return [*frames, still]


def jacobian_rates(frames: Sequence[Frame], along: Any, steps: Steps, letter: str = "S'") -> list[Any]:
    """Derivatives (6, n) of all J where the motion has the velocities `along`: J̇ for ξ, ∂_k J for the unit vector k."""
    n, rates = len(along), list[Any]()
    for frame in frames[:-1]:
        edge = frame.edge
        P = frames[edge.parent] if edge.parent >= 0 else frames[-1]
        before = rates[edge.parent] if edge.parent >= 0 else zeros(6, n)
        rate = _back(edge, before) - ad(edge.S @ along, _back(edge, P.J))
        if edge.slopes is not None:
            rate = rate + sum(edge.slopes[k] * along[k] for k in range(n))
        rates.append(steps.names(rate, Label(letter, (edge.name,))))
    return rates


def ad(V: Any, X: Any) -> Any:
    """ad_V X = (ω x X_ω; v x X_ω + ω x X_v), of a vector or of columns."""
    w, v = V[:3], V[3:]
    return np.concatenate([cross(w, X[:3]), cross(v, X[:3]) + cross(w, X[3:])])


def _back(edge: Edge, X: Any) -> Any:
    """Ad⁻¹ X = (Rᵀ X_ω; Rᵀ (X_v - r x X_ω))."""
    return np.concatenate([edge.R.T @ X[:3], edge.R.T @ (X[3:] - cross(edge.r, X[:3]))])
