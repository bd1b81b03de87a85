"""Systems of particles in minimal velocities, with positions r(q, t) that may depend on time.

    ṙ = ∂_i r ξⁱ + ∂r/∂t,      M_ij = Σ m ∂_i r·∂_j r,      M ξ̇ = Σ ∂_i r·(F - m r̈|_{ξ̇=0})

The forces of a system are on the left side, f^M + f^D + f^K + f^G = f^E: inertia, dissipation, springs, gravity; f^E is
what acts from outside. Lagrange-d'Alembert, Gauss and Hamilton give the same equations.
Source: Konz, sections 3.1 and 3.2, (3.8)-(3.44); signs of (3.12), (3.26) and (3.32) corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.hamel import check_inertia
from visviva.forms.calculus.maps import AbstractMap
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.flows.flowing import AbstractFlowing
from visviva.forms.kinds import by_name, of_kind

if TYPE_CHECKING:
    from visviva.forms.rigid.system import RigidSystem


@final
@dataclass(frozen=True, eq=False)
class Tie:
    """Spring and damper between a particle and another one, or a place of the ground.

    k: stiffness [N/m].   length: of the unstressed spring [m].   d: damping [N s/m] of the relative velocity.
    of, to: names of particles, or a place (3,) for `to`.   drift: velocity (3,) of the fluid or place at `to` [m/s].
    """

    of: str
    to: str | ArrayLike
    k: float = 0.0
    length: float = 0.0
    d: float = 0.0
    drift: ArrayLike = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True, eq=False)
class ParticleMotion:
    """All particles at one state: positions, velocities, the Jacobians ∂_i r, and accelerations without ξ̇."""

    r: dict[str, Array]  # (3,)
    r_dot: dict[str, Array]  # (3,)
    J: dict[str, Array]  # (3, n)
    bias: dict[str, Array]  # (3,)


@final
class ParticleSystem(AbstractFlowing):
    """Particles with masses, gravity, springs and dampers.

    What takes a flow takes it as the `RigidSystem` that `flow` is: each particle is a body without extent there.

    particles: by name (mass [kg], position), the position a function of q and t, expressions, or numbers, (3,).
    gravity:   acceleration (3,) [m/s²].   ties: springs and dampers.   name: how errors and pages call it.
    """

    def __init__(
        self,
        p: Parameterisation,
        particles: Mapping[str, tuple[float, Any]],
        *,
        gravity: ArrayLike = (0.0, 0.0, 0.0),
        ties: Sequence[Tie] = (),
        name: str = "particle system",
    ) -> None:
        self.p, self.name = of_kind(p, Parameterisation, "the first argument", "a Parameterisation"), name
        for name, pair in by_name(particles, "particles", "{'bob': (1.0, lambda q: [q.x, 0, 0])}").items():
            if not (isinstance(pair, Sequence) and len(pair) == 2):
                raise ModelError(f"particle {name!r} is given by its mass and position, (m, r), got {pair!r}.")
        self.mass = {name: finite_number(m, f"mass of {name!r}", positive=True) for name, (m, _) in particles.items()}
        self.positions: dict[str, AbstractMap] = {
            name: map_of(r, p.places, f"position of {name!r}", (3,)) for name, (_, r) in particles.items()
        }
        self.gravity = frozen(finite_vector(gravity, "gravity", 3))
        self.ties = [self._checked(tie) for tie in ties]

    @cached_property
    def flow(self) -> RigidSystem:
        """The same as a rigid system, on a frame for each particle."""
        from visviva.forms.rigid.of_particles import rigid_system

        return rigid_system(self)

    def motion(self, q: Array, xi: Array, t: float = 0.0) -> ParticleMotion:
        """Where all particles are, and how they move."""
        A, xi = self.p.A(q), finite_vector(xi, "xi", self.p.n)
        q_dot = A @ xi
        x, x_dot = np.append(q, t), np.append(q_dot, 1.0)
        x_ddot = np.append(self.p.q_ddot(q, xi, np.zeros(self.p.n)), 0.0)
        motion = ParticleMotion({}, {}, {}, {})
        for name, r in self.positions.items():
            motion.r[name], motion.r_dot[name], motion.bias[name] = r.along(x, x_dot, x_ddot)
            motion.J[name] = r.slope(x)[:, :-1] @ A
        return motion

    def mass_matrix(self, q: Array, t: float = 0.0) -> Array:
        """M, shape (n, n)."""
        motion = self.motion(q, np.zeros(self.p.n), t)
        return self._sum(lambda name, m: m * motion.J[name].T @ motion.J[name], (self.p.n, self.p.n))

    def kinetic(self, q: Array, xi: Array, t: float = 0.0) -> float:
        """T = ½ Σ m |ṙ|²."""
        motion = self.motion(q, xi, t)
        return sum(0.5 * m * float(motion.r_dot[name] @ motion.r_dot[name]) for name, m in self.mass.items())

    def potential(self, q: Array, t: float = 0.0) -> float:
        """V = ½ Σ k (|d| - length)² - Σ m r·a_G."""
        motion = self.motion(q, np.zeros(self.p.n), t)
        weight = -sum(m * float(motion.r[name] @ self.gravity) for name, m in self.mass.items())
        return weight + sum(self._stored(tie, motion) for tie in self.ties)

    def dissipation(self, q: Array, xi: Array, t: float = 0.0) -> float:
        """Rayleigh's function ½ Σ d |relative velocity|²."""
        motion = self.motion(q, xi, t)
        rates = ((tie, self._relative(tie, motion)[1]) for tie in self.ties)
        return sum(0.5 * tie.d * float(rate @ rate) for tie, rate in rates)

    def gibbs(self, q: Array, xi: Array, xi_dot: Array, t: float = 0.0) -> float:
        """Energy of acceleration S = ½ Σ m |r̈|², with f^M = ∂S/∂ξ̇; Konz prints (3.26) with a minus sign."""
        motion = self.motion(q, xi, t)
        accelerations = {name: motion.bias[name] + motion.J[name] @ xi_dot for name in self.mass}
        return sum(0.5 * m * float(accelerations[name] @ accelerations[name]) for name, m in self.mass.items())

    def compulsion(self, q: Array, xi: Array, xi_dot: Array, t: float = 0.0, outer: ArrayLike | None = None) -> float:
        """Gauss' ½ Σ |m r̈ - F|²/m less a constant: ½ ξ̇·M ξ̇ - ξ̇·b. The motion has the least of all ξ̇."""
        M, b = self._equation(q, xi, t, outer)
        return float(0.5 * xi_dot @ M @ xi_dot - xi_dot @ b)

    def forces(self, q: Array, xi: Array, xi_dot: Array, t: float = 0.0) -> dict[str, Array]:
        """f^M, f^D, f^K and f^G by the keys "inertia", "dissipation", "stiffness", "gravity", shape (n,) each."""
        motion, n = self.motion(q, xi, t), self.p.n
        inertia = self._sum(lambda name, m: m * motion.J[name].T @ (motion.bias[name] + motion.J[name] @ xi_dot), (n,))
        gravity = self._sum(lambda name, m: -m * motion.J[name].T @ self.gravity, (n,))
        stiffness, dissipation = np.zeros(n), np.zeros(n)
        for tie in self.ties:
            d, rate, J = self._relative(tie, motion)
            stiffness += self._pull(tie, d) @ J
            dissipation += tie.d * rate @ J
        return {"inertia": inertia, "dissipation": dissipation, "stiffness": stiffness, "gravity": gravity}

    def acceleration(self, q: Array, xi: Array, t: float = 0.0, outer: ArrayLike | None = None) -> Array:
        """ξ̇ under forces f^E (n,) that belong to the velocities, none by default."""
        M, b = self._equation(q, xi, t, outer)
        check_inertia(M, self.p.velocities)
        return np.asarray(np.linalg.solve(M, b), dtype=np.float64)

    def energy(self, q: Array, xi: Array, t: float = 0.0) -> float:
        """H = ξ·∂T/∂ξ - T + V; it is T + V where no position depends on time."""
        motion = self.motion(q, xi, t)
        own = sum(m * float(motion.r_dot[name] @ (motion.J[name] @ xi)) for name, m in self.mass.items())
        return own - self.kinetic(q, xi, t) + self.potential(q, t)

    def lagrangian(self) -> Any:
        """L = T - V as a SymPy expression, of positions that are expressions or can be traced."""
        import sympy

        p = self.p
        q, xi = ([sympy.Symbol(name, real=True) for name in names] for names in (p.coordinates, p.velocities))
        t = sympy.Symbol("t", real=True)
        q_dot = p.A_map.expressions(q) @ np.array(xi, dtype=object)
        r = {name: f.expressions([*q, t]) for name, f in self.positions.items()}
        L = sympy.Integer(0)
        for name, m in self.mass.items():
            for place, a in zip(r[name], self.gravity, strict=True):
                rate = place.diff(t) + sum(place.diff(s) * d for s, d in zip(q, q_dot, strict=True))
                L += m * rate**2 / 2 + m * float(a) * place
        for tie in self.ties:
            end = r[tie.to] if isinstance(tie.to, str) else [sympy.Float(x) for x in np.asarray(tie.to)]
            square = sum((a - b) ** 2 for a, b in zip(r[tie.of], end, strict=True))
            stretch = square if tie.length == 0 else (sympy.sqrt(square) - tie.length) ** 2
            L -= tie.k * stretch / 2
        return L

    def _equation(self, q: Array, xi: Array, t: float, outer: ArrayLike | None) -> tuple[Array, Array]:
        rest = self.forces(q, xi, np.zeros(self.p.n), t)
        b = -(rest["inertia"] + rest["dissipation"] + rest["stiffness"] + rest["gravity"])
        if outer is not None:
            b = b + finite_vector(outer, "outer", self.p.n)
        return self.mass_matrix(q, t), b

    def _sum(self, term: Any, shape: tuple[int, ...]) -> Array:
        return np.asarray(sum((term(name, m) for name, m in self.mass.items()), np.zeros(shape)))

    def _relative(self, tie: Tie, motion: ParticleMotion) -> tuple[Array, Array, Array]:
        """Position, velocity and Jacobian of the particle relative to the other end."""
        r, rate, J = motion.r[tie.of], motion.r_dot[tie.of] - np.asarray(tie.drift), motion.J[tie.of]
        if isinstance(tie.to, str):
            return r - motion.r[tie.to], rate - motion.r_dot[tie.to], J - motion.J[tie.to]
        return r - np.asarray(tie.to), rate, J

    def _stored(self, tie: Tie, motion: ParticleMotion) -> float:
        d = self._relative(tie, motion)[0]
        return 0.5 * tie.k * (float(np.linalg.norm(d)) - tie.length) ** 2

    def _pull(self, tie: Tie, d: Array) -> Array:
        """Gradient of the energy of a spring, shape (3,)."""
        if tie.length == 0 or tie.k == 0:
            return tie.k * d
        distance = float(np.linalg.norm(d))
        if distance == 0:
            raise ModelError(
                f"the spring of {tie.of!r} has its ends at one point: its length of {tie.length:g} m has no direction."
            )
        return tie.k * (1 - tie.length / distance) * d

    def _checked(self, tie: Tie) -> Tie:
        for end in (tie.of, tie.to):
            if isinstance(end, str) and end not in self.mass:
                raise ModelError(f"a tie names the particle {end!r}; there are {', '.join(self.mass)}.")
        to = tie.to if isinstance(tie.to, str) else finite_vector(tie.to, f"end of the tie of {tie.of!r}", 3)
        drift = finite_vector(tie.drift, f"drift of the tie of {tie.of!r}", 3)
        for value, what in ((tie.k, "k"), (tie.length, "length"), (tie.d, "d")):
            finite_number(value, f"{what} of the tie of {tie.of!r}", minimum=0.0)
        return replace(tie, to=to, drift=drift)
