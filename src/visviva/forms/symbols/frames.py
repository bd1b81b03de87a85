"""How frames move, as symbols: orientations, spins, and the motion of their origins, by recursion from the ground.

With the pose (R, r) of a frame in its parent's, and its own twist (ω_e; v_e) = S_e ξ against it, in its axes

    ω = Rᵀ ω_P + ω_e,    ω̇ = Rᵀ ω̇_P - ω_e x Rᵀ ω_P + …
    v = v_P + ω_P x r + v_e,    a = a_P + ω̇_P x r + ω_P x (ω_P x r) + (Rᵀ ω_P + ω) x v_e + …

Spins and velocities of origins are sums of parts, ω = Σ R_k ω_k and v = Σ R_k v_k, each in axes of its own: where a
ball or a free body turns, a part is closed and stays in the axes before it. In |v|² its rotation cancels then.

Source: Konz (3.101)-(3.107), (3.122), with the indices of Ad corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
    turns:  whether it turns about no fixed axis: R is no cosine and sine of one angle.
    """

    name: str
    parent: int
    R: Any  # (3, 3)
    r: Any  # (3,)
    S: Any  # (6, n)
    S_bias: Any = None  # (6,)
    slopes: Any = None  # (n, 6, n)
    R_W: Any = None  # (3, 3)
    turns: bool = False


@final
@dataclass(frozen=True, eq=False)
class Part:
    """A part of the motion of a frame, in axes of its own: spin w = Jw ξ, and v = J ξ and a of a point.

    R: from the axes of the frame to these.   R_W: from these to the world.   a is without ξ̇.
    """

    R: Any  # (3, 3)
    R_W: Any  # (3, 3)
    Jw: Any  # (3, n)
    w: Any  # (3,)
    J: Any  # (3, n)
    v: Any  # (3,)
    a: Any  # (3,)


@final
@dataclass(frozen=True, eq=False)
class Frame:
    """R, r in the world; Jw, w = Jw ξ and bw = J̇w ξ of its spin in its own axes; parts of its spin and of its origin.

    The last part is in the axes of the frame.
    """

    edge: Edge
    R: Any  # (3, 3)
    r: Any  # (3,)
    Jw: Any  # (3, n)
    w: Any  # (3,)
    bw: Any  # (3,)
    parts: tuple[Part, ...]

    def at(self, p: Any) -> list[Part]:
        """The parts where the point is p, fixed in the frame, in place of the origin."""
        found = []
        for part in self.parts:
            arm = p if part is self.parts[-1] else part.R @ p
            found.append(replace(part, J=part.J - cross(arm, part.Jw), v=part.v + cross(part.w, arm)))
        bias = cross(self.bw, p) + cross(self.w, cross(self.w, p))
        return [*found[:-1], replace(found[-1], a=found[-1].a + bias)]

    @cached_property
    def J(self) -> Any:
        """(Jw; Jv) in its axes, (6, n)."""
        return np.concatenate([self.Jw, self.own([part.J for part in self.parts])])

    @cached_property
    def V(self) -> Any:
        """(ω; v) = J ξ in its axes, (6,)."""
        return np.concatenate([self.w, self.own([part.v for part in self.parts])])

    def own(self, values: Sequence[Any]) -> Any:
        """The sum of all parts in the axes of the frame."""
        return sum((part.R.T @ x for part, x in zip(self.parts[:-1], values[:-1], strict=True)), values[-1])


def inner(parts: Sequence[Part], a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Σ a_kᵀ R_kl b_l of vectors or columns in the axes of all parts."""
    total: Any = 0
    for part, x in zip(parts, a, strict=True):
        for other, y in zip(parts, b, strict=True):
            total = total + x.T @ (y if part is other else part.R @ (other.R.T @ y))
    return total


def ground(n: int) -> Frame:
    """The frame that does not move."""
    eye, none = _eye(), zeros(3, n)
    still = Part(eye, eye, none, zeros(3), none, zeros(3), zeros(3))
    return Frame(Edge("ground", -1, eye, zeros(3), zeros(6, n)), eye, zeros(3), none, zeros(3), zeros(3), (still,))


def frames_of(edges: Sequence[Edge], xi: Any, steps: Steps) -> list[Frame]:
    """All frames, and the ground as the last one."""
    frames: list[Frame] = []
    still = ground(len(xi))
    for edge in edges:
        frames.append(_next(frames[edge.parent] if edge.parent >= 0 else still, edge, xi, steps))
    return [*frames, still]


def _next(P: Frame, edge: Edge, xi: Any, steps: Steps) -> Frame:
    """A frame from its parent's."""

    def named(letter: str, values: Any) -> Any:
        return steps.names(values, Label(letter, (edge.name,)))

    R = named("R", P.R @ edge.R if edge.R_W is None else edge.R_W)
    S_w, S_v, w_P = edge.S[:3], edge.S[3:], edge.R.T @ P.w
    w_e, v_e = S_w @ xi, S_v @ xi
    Jw, w = named("S", edge.R.T @ P.Jw + S_w), named("omega", w_P + w_e)
    bw = edge.R.T @ P.bw - cross(w_e, w_P)
    a_e = cross(w_P + w, v_e)
    if edge.S_bias is not None:
        bw, a_e = bw + edge.S_bias[:3], a_e + edge.S_bias[3:]
    *closed, last = P.at(edge.r)
    closed = [replace(part, R=named("R", part.R @ edge.R)) for part in closed]
    last = replace(last, R=edge.R)
    if edge.turns:
        closed += [replace(last, J=named("Sv", last.J), v=named("v", last.v), a=named("a", last.a))]
        last = Part(_eye(), R, S_w, w_e, S_v, v_e, a_e)
    else:
        spin = (
            (Jw, w) if not closed else (named("S", edge.R.T @ last.Jw + S_w), named("omega", edge.R.T @ last.w + w_e))
        )
        moved = (edge.R.T @ last.J + S_v, edge.R.T @ last.v + v_e, edge.R.T @ last.a + a_e)
        last = Part(_eye(), R, *spin, *(named(*pair) for pair in zip(("Sv", "v", "a"), moved, strict=True)))
    kept = [part for part in closed if any(part.J.ravel()) or any(part.Jw.ravel()) or any(part.a)]
    return Frame(edge, R, named("r", P.r + P.R @ edge.r), Jw, w, named("b", bw), (*kept, last))


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


def _eye() -> Any:
    import sympy

    return np.array([[sympy.Integer(i == j) for j in range(3)] for i in range(3)], dtype=object)
