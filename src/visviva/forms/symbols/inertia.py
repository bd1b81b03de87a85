"""Inertia of all bodies in minimal velocities, as symbols: M, c, momenta, Kane's matrices, Γ, γ and kinetic energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva.forms.calculus.moving import Moving
from visviva.forms.kane.matrices import kane_matrices
from visviva.forms.symbols.frames import Frame, Part, inner, jacobian_rates
from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class Carried:
    """A body on a frame: mass, centre of mass and inertia about it, in the axes of the frame."""

    name: str
    frame: int
    mass: Any
    com: Any  # (3,)
    J: Any  # (3, 3)


@final
class Inertia:
    """Sums over bodies. With the Jacobians S_ω and S_c of the spin and the centre of mass of each body:

        M = Σ m S_cᵀS_c + S_ωᵀJ S_ω,      c = Σ S_cᵀ m a_c + S_ωᵀ(J b_ω + ω x Jω),      T = ½ ξᵀM ξ

    a_c, b_ω: accelerations without ξ̇. What turns is in the axes of the body, what moves in those of its parts, see
    `frames`. Source: Konz (3.108), (3.110).

    tied: inertias of rotors in boxes, with the coordinates of joints that they turn with: ½ J ẏ², with constant rows.
    """

    def __init__(self, bodies: Sequence[Carried], frames: Sequence[Frame], xi: Any, steps: Steps) -> None:
        self.bodies, self.frames, self.xi, self.steps, self.n = bodies, frames, xi, steps, len(xi)
        self.parts = [self._centre(body) for body in bodies]
        self.tied: tuple[tuple[Any, Moving], ...] = ()

    def _centre(self, body: Carried) -> list[Part]:
        """Parts of the motion of the centre of mass."""
        frame = self.frames[body.frame]
        *closed, last = parts = frame.at(body.com)
        if len(closed) > 1:  # so many rotations between parts are longer than one sum in the axes of the body
            J, v, a = (frame.own([getattr(part, field) for part in parts]) for field in "Jva")
            closed, last = [], replace(last, J=J, v=v, a=a)
        values = {
            field: self.steps.names(getattr(last, field), Label(letter, (body.name, "c")))
            for field, letter in (("J", "S"), ("v", "V"), ("a", "a"))
        }
        return [*closed, replace(last, **values)]

    def _each(self) -> Iterator[tuple[Carried, Frame, list[Part]]]:
        for body, parts in zip(self.bodies, self.parts, strict=True):
            yield body, self.frames[body.frame], parts

    @cached_property
    def M(self) -> Any:
        """(n, n)."""
        M = zeros(self.n, self.n)
        for body, frame, parts in self._each():
            J = [part.J for part in parts]
            turned = self.steps.names(body.J @ frame.Jw, Label("L", (body.name,)))
            M = M + body.mass * inner(parts, J, J) + frame.Jw.T @ turned
        for J, y in self.tied:
            M = M + J * (y.row.T @ y.row)
        return np.triu(M) + np.triu(M, 1).T

    @cached_property
    def c(self) -> Any:
        """(n,)."""
        c = zeros(self.n)
        for body, frame, parts in self._each():
            w = frame.w
            spin = self.steps.names(body.J @ w, Label("pi", (body.name,)))
            moment = self.steps.names(body.J @ frame.bw + cross(w, spin), Label("n", (body.name,)))
            moved = inner(parts, [part.J for part in parts], [part.a for part in parts])
            c = c + body.mass * moved + frame.Jw.T @ moment
        return c

    @cached_property
    def momenta(self) -> Any:
        """p = Σ Sᵀ M_b V = M ξ, (n,)."""
        p = zeros(self.n)
        for body, frame, parts in self._each():
            moved = inner(parts, [part.J for part in parts], [part.v for part in parts])
            p = p + body.mass * moved + frame.Jw.T @ (body.J @ frame.w)
        for J, y in self.tied:
            p = p + J * (y.row.T @ y.rate)
        return p

    @cached_property
    def T(self) -> Any:
        """Kinetic energy [J]."""
        import sympy

        T = sympy.Integer(0)
        for body, frame, parts in self._each():
            v = [part.v for part in parts]
            T += (body.mass * inner(parts, v, v) + frame.w @ (body.J @ frame.w)) / 2
        for J, y in self.tied:
            T += J * (y.rate @ y.rate) / 2
        return T

    def weight(self, gravity: Any) -> tuple[Any, Any]:
        """Force Σ m S_cᵀRᵀ g (n,) of gravity, an acceleration in world axes, and its potential -Σ m g·r."""
        total, V = zeros(self.n), 0
        for body, frame, parts in self._each():
            for part in parts:
                down = self.steps.names(part.R_W.T @ gravity, Label("g", (body.name,)))
                total = total + body.mass * (part.J.T @ down)
            V -= body.mass * (gravity @ (frame.r + frame.R @ body.com))
        return total, V

    def _columns(self, body: Carried, J: Any, letter: str) -> Any:
        """(ω; v) at the centre of mass in the axes of the body, of a twist or of the columns of a Jacobian."""
        linear = self.steps.names(J[3:] - cross(body.com, J[:3]), Label(letter, (body.name, "c")))
        return np.concatenate([J[:3], linear])

    @cached_property
    def S(self) -> list[Any]:
        """(S_ω; S_c) of each body, in its axes."""
        return [self._columns(body, self.frames[body.frame].J, "S") for body in self.bodies]

    def _rates(self, along: Any, letter: str) -> list[Any]:
        rates = jacobian_rates(self.frames, along, self.steps, letter)
        return [self._columns(body, rates[body.frame], letter) for body in self.bodies]

    @cached_property
    def kane(self) -> tuple[Any, Any]:
        """D (n, n) and the gyration force Dᵀξ (n,) of Kane's equations; Phillips and Amirouche (56), (57)."""
        inertias = zeros(len(self.bodies), 6, 6)
        for k, body in enumerate(self.bodies):
            inertias[k, :3, :3] = body.J
            inertias[k, range(3, 6), range(3, 6)] = body.mass
        V = [self._columns(body, self.frames[body.frame].V, "V") for body in self.bodies]
        found = kane_matrices(np.stack(self.S), np.stack(self._rates(self.xi, "Sdot")), np.stack(V), inertias)
        return found.D, found.gyration

    @cached_property
    def Gamma(self) -> Any:
        """Γ_ijk = Σ m ∂_i r·∂_k ∂_j r, (n, n, n), the last index that of the derivative; c_i = Γ_ijk ξʲ ξᵏ.

        Over the particles of a body Σ m ρ x (w_j x (w_k x ρ)) = (P w_j) x w_k with P = ½ tr(J) I - J; Konz (3.109).
        """
        import sympy

        n, found = self.n, zeros(self.n, self.n, self.n)
        for k in range(n):
            unit = np.array([sympy.Integer(i == k) for i in range(n)], dtype=object)
            for body, S, dS in zip(self.bodies, self.S, self._rates(unit, f"d{k + 1}S"), strict=True):
                P = -body.J
                P[range(3), range(3)] += np.trace(body.J) / 2
                w = S[:3, k]
                for j in range(n):
                    bent = dS[3:, j] + cross(w, S[3:, j])  # in the axes of the body, which turn with w
                    moment = body.J @ (dS[:3, j] + cross(w, S[:3, j])) + cross(P @ S[:3, j], w)
                    found[:, j, k] = found[:, j, k] + body.mass * (S[3:].T @ bent) + S[:3].T @ moment
        return found
