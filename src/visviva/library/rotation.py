"""Rotation about a fixed axis: inertias, springs, dampers, pendulums, gears.

An angle q has the effort torque; an angular momentum p has the effort angular velocity. Angles are real numbers, so
that they count whole turns. Friction of shafts: `friction`, with `of=angular_momentum`.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Irreversible, Reversible, Source, Storage, irreversible, reversible, source, storage
from visviva.library.kirchhoff import balance
from visviva.library.onsager import heating
from visviva.library.quantities import angle, angular_momentum, entropy, momentum

__all__ = ["damper", "gear", "inertia", "kinematic", "pendulum", "rack", "speed_source", "spring", "torque"]


def inertia(inertia: float) -> Storage:
    """A rotor: H(p) = p²/(2 I), angular velocity p/I.

    inertia: moment of inertia I [kg m²], positive.   Port: p.
    """
    number = finite_number(inertia, "moment of inertia [kg m²]", positive=True)
    return storage({"p": angular_momentum}, H=lambda x, inertia: x.p**2 / (2 * inertia), inertia=number)


def spring(k: float) -> Storage:
    """A torsion spring: H(q) = k q²/2, torque k q.

    k: stiffness [N m/rad], positive.   Port: q.
    """
    k = finite_number(k, "k of a torsion spring [N m/rad]", positive=True)
    return storage({"q": angle}, H=lambda x, k: 0.5 * k * x.q**2, k=k)


def pendulum(m: float, length: float, g: float = 9.81) -> Storage:
    """The height of a bob that hangs down at q = 0: H(q) = m g l (1 - cos q), torque m g l sin q.

    m: mass [kg], positive.   length: l [m], positive.   g: [m/s²]. Its inertia m l² is an `inertia`.   Port: q.
    """
    m = finite_number(m, "m of a pendulum [kg]", positive=True)
    length = finite_number(length, "length of a pendulum [m]", positive=True)
    return storage({"q": angle}, H=lambda x, m, g, ell: m * g * ell * (1 - np.cos(x.q)), m=m, g=g, ell=length)


def torque(tau: float) -> Storage:
    """A constant torque along +q: H(q) = -τ q, which shows the work that was drawn from it.

    tau: τ [N m]. A torque that varies is an input: show the junction as an outer port.   Port: q.
    """
    return storage({"q": angle}, H=lambda x, tau: -tau * x.q, tau=tau)


def speed_source() -> Source:
    """An angular velocity that is given over time [rad/s], by the input that is called like its box.

    It takes the torque that it needs.   Port: p.
    """
    return source({"p": angular_momentum})


def kinematic(**signs: int) -> Reversible:
    """An angle and the angular momenta that change it: q̇ = Σ σ_k ω_k, ṗ_k = -σ_k τ.

    kinematic() has the ports q and p; kinematic(a=1, b=-1) is the twist between two shafts, q̇ = ω_a - ω_b.
    """
    return balance("q", angle, angular_momentum, signs or {"p": 1}, "a kinematic coupling")


def damper(d: float) -> Irreversible:
    """A rotational damper: torque d ω, heat d ω².

    d: [N m s/rad], positive.   Ports: p, s (the heat).
    """
    d = finite_number(d, "d of a rotational damper [N m s/rad]", positive=True)
    return irreversible({"p": angular_momentum, "s": entropy}, M=lambda e, theta, d: heating(d, e.p, theta.s), d=d)


def gear(ratio: float) -> Reversible:
    """A gear without mass: ω_a = ratio · ω_b, τ_b = -ratio · τ_a.

    ratio: turns of a for one turn of b, not zero; negative for one outer pair of wheels.   Ports: a, b.
    """
    if finite_number(ratio, "ratio of a gear") == 0:
        raise ModelError("a gear of ratio 0 would hold its port a and leave b free: give the turns of a for one of b.")
    ports = {"a": angular_momentum, "b": angular_momentum}
    return reversible(ports, C=lambda ratio: np.array([[1, -ratio]]), ratio=ratio)


def rack(radius: float) -> Reversible:
    """A pinion and its rack, a drum and its rope: v = r ω.

    radius: r [m], positive.   Ports: a (momentum of the rack), b (angular momentum of the pinion).
    """
    radius = finite_number(radius, "radius of a pinion [m]", positive=True)
    return reversible({"a": momentum, "b": angular_momentum}, C=lambda r: np.array([[1, -r]]), r=radius)
