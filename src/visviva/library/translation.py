"""Motion along a line: masses, springs, dampers, levers, stops.

A displacement q has the flow velocity and the effort force; a momentum p has the flow force and the effort velocity.
A junction holds one storage, so that each spring has a displacement of its own, tied to momenta by `kinematic`.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Irreversible, Reversible, Source, Storage, irreversible, reversible, source, storage
from visviva.library.kirchhoff import balance
from visviva.library.onsager import heating
from visviva.library.quantities import displacement, entropy, momentum
from visviva.library.stops import damped_stops, stops

__all__ = [
    "damped_stops",
    "damper",
    "force",
    "hard_spring",
    "kinematic",
    "lever",
    "mass",
    "spring",
    "stops",
    "velocity_source",
    "weight",
]


def mass(m: float) -> Storage:
    """A point mass: H(p) = p²/(2m), velocity p/m.

    m: mass [kg], positive.   Port: p.
    """
    m = finite_number(m, "m of a mass [kg]", positive=True)
    return storage({"p": momentum}, H=lambda x, m: x.p**2 / (2 * m), m=m)


def spring(k: float) -> Storage:
    """A linear spring: H(q) = k q²/2, force k q.

    k: stiffness [N/m], positive.   Port: q.
    """
    k = finite_number(k, "k of a spring [N/m]", positive=True)
    return storage({"q": displacement}, H=lambda x, k: 0.5 * k * x.q**2, k=k)


def hard_spring(k: float, k3: float) -> Storage:
    """A spring that stiffens: H(q) = k q²/2 + k3 q⁴/4, force k q + k3 q³ (Duffing).

    k: stiffness at rest [N/m], at least 0.   k3: [N/m³], positive.   Port: q.
    """
    k = finite_number(k, "k of a hard spring [N/m]", minimum=0.0)
    k3 = finite_number(k3, "k3 of a hard spring [N/m³]", positive=True)
    return storage({"q": displacement}, H=lambda x, k, k3: 0.5 * k * x.q**2 + 0.25 * k3 * x.q**4, k=k, k3=k3)


def weight(m: float, g: float = 9.81) -> Storage:
    """A mass in the field of gravity: H(q) = m g q, with q the height.

    m: mass [kg], positive.   g: acceleration [m/s²].   Port: q.
    """
    m = finite_number(m, "m of a weight [kg]", positive=True)
    return storage({"q": displacement}, H=lambda x, m, g: m * g * x.q, m=m, g=g)


def force(F: float) -> Storage:
    """A constant force along +q: H(q) = -F q, which shows the work that was drawn from it.

    F: [N]. A force that varies is an input: show the momentum's junction as an outer port.   Port: q.
    """
    return storage({"q": displacement}, H=lambda x, F: -F * x.q, F=F)


def velocity_source() -> Source:
    """A velocity that is given over time [m/s], by the input that is called like its box; it takes the force it needs.

    Port: p.
    """
    return source({"p": momentum})


def kinematic(**signs: int) -> Reversible:
    """A displacement and the momenta that change it: q̇ = Σ σ_k v_k, ṗ_k = -σ_k F.

    kinematic() has the ports q and p; kinematic(a=1, b=-1) is a displacement between two masses, q̇ = v_a - v_b.
    """
    return balance("q", displacement, momentum, signs or {"p": 1}, "a kinematic coupling")


def damper(d: float) -> Irreversible:
    """A viscous damper: force d v, heat d v².

    d: [N s/m], positive.   Ports: p, s (the heat).
    """
    d = finite_number(d, "d of a damper [N s/m]", positive=True)
    return irreversible({"p": momentum, "s": entropy}, M=lambda e, theta, d: heating(d, e.p, theta.s), d=d)


def lever(ratio: float) -> Reversible:
    """A lever without mass: v_a = ratio · v_b, F_b = -ratio · F_a.

    ratio: signed ratio of the arms a : b, not zero.   Ports: a, b (momenta).
    """
    if finite_number(ratio, "ratio of a lever") == 0:
        raise ModelError("a lever of ratio 0 would hold its port a and leave b free: give the ratio of its arms a : b.")
    return reversible({"a": momentum, "b": momentum}, C=lambda ratio: np.array([[1, -ratio]]), ratio=ratio)
