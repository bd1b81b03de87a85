"""Electric circuits and machines.

A charge q has the flow current and the effort voltage; a flux linkage phi has the flow voltage and the effort current.
So a junction of charges is a node (one voltage, currents balance: Kirchhoff's first law), and a junction of flux
linkages is a loop (one current, voltages balance: his second). `series` and `parallel` lead from one to the other.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Irreversible, Reversible, Source, Storage, irreversible, reversible, source, storage
from visviva.library.diode import diode
from visviva.library.kirchhoff import balance
from visviva.library.onsager import heating
from visviva.library.quantities import angular_momentum, charge, entropy, flux

__all__ = [
    "capacitor",
    "conductor",
    "current_source",
    "diode",
    "inductor",
    "motor",
    "nonlinear_capacitor",
    "parallel",
    "resistor",
    "series",
    "transformer",
    "voltage_source",
]


def inductor(L: float) -> Storage:
    """A coil: H(φ) = φ²/(2L), current φ/L.

    L: inductance [H], positive.   Port: phi.
    """
    L = finite_number(L, "L of an inductor [H]", positive=True)
    return storage({"phi": flux}, H=lambda x, L: x.phi**2 / (2 * L), L=L)


def capacitor(C: float) -> Storage:
    """A capacitor: H(q) = q²/(2C), voltage q/C.

    C: capacitance [F], positive.   Port: q.
    """
    C = finite_number(C, "C of a capacitor [F]", positive=True)
    return storage({"q": charge}, H=lambda x, C: x.q**2 / (2 * C), C=C)


def nonlinear_capacitor(C: float, b: float) -> Storage:
    """A capacitor whose dielectric saturates: H(q) = q²/(2C) + b q⁴/4, voltage q/C + b q³.

    C: capacitance at rest [F], positive.   b: [V/C³], positive.   Port: q.
    """
    C = finite_number(C, "C of a nonlinear capacitor [F]", positive=True)
    b = finite_number(b, "b of a nonlinear capacitor [V/C³]", positive=True)
    return storage({"q": charge}, H=lambda x, C, b: x.q**2 / (2 * C) + b * x.q**4 / 4, C=C, b=b)


def resistor(R: float) -> Irreversible:
    """A resistor in a loop: voltage drop R i, heat R i².

    R: resistance [Ω], positive.   Ports: phi (the loop), s (the heat).
    """
    R = finite_number(R, "R of a resistor [Ω]", positive=True)
    return irreversible({"phi": flux, "s": entropy}, M=lambda e, theta, R: heating(R, e.phi, theta.s), R=R)


def conductor(G: float) -> Irreversible:
    """A resistor across a node: current G u, heat G u².

    G: conductance [S], positive; 1/R.   Ports: q (the node), s (the heat).
    """
    G = finite_number(G, "G of a conductor [S]", positive=True)
    return irreversible({"q": charge, "s": entropy}, M=lambda e, theta, G: heating(G, e.q, theta.s), G=G)


def voltage_source(U: float | None = None) -> Storage | Source:
    """A battery of constant voltage: H(q) = U q; q falls by the charge that was drawn.

    U: [V]; None: given over time, by the input that is called like its box.   Port: q.
    """
    if U is None:
        return source({"q": charge})
    U = finite_number(U, "U of a voltage source [V]")
    return storage({"q": charge}, H=lambda x, U: U * x.q, U=U)


def current_source(i: float | None = None) -> Storage | Source:
    """A source of constant current: H(φ) = i φ; its energy falls by the work it gave.

    i: [A]; None: given over time, by the input that is called like its box.   Port: phi.
    """
    if i is None:
        return source({"phi": flux})
    i = finite_number(i, "i of a current source [A]")
    return storage({"phi": flux}, H=lambda x, i: i * x.phi, i=i)


def series(**signs: int) -> Reversible:
    """A loop through charges: one current i, voltages add up: q̇_k = σ_k i, φ̇ = -Σ σ_k u_k.

    series() has the ports phi and q; series(battery=-1, c=1) drives the loop's current by a source and charges c.
    """
    opposite = {name: -sign for name, sign in (signs or {"q": 1}).items()}
    return balance("phi", flux, charge, opposite, "a series connection")


def parallel(**signs: int) -> Reversible:
    """A node that loops feed: one voltage u, currents add up: q̇ = Σ σ_k i_k, φ̇_k = -σ_k u.

    parallel() has the ports q and phi; parallel(a=1, b=-1) is charged by loop a and discharged by loop b.
    """
    return balance("q", charge, flux, signs or {"phi": 1}, "a parallel connection")


def transformer(n: float) -> Reversible:
    """An ideal transformer between two loops: u_a = n u_b, i_b = n i_a.

    n: ratio of the turns a : b, not zero.   Ports: a, b (flux linkages).
    """
    if finite_number(n, "n of a transformer") == 0:
        raise ModelError("a transformer of ratio 0 would cut its loop b off: give the ratio of the turns a : b.")
    return reversible({"a": flux, "b": flux}, C=lambda n: np.array([[n, -1]]), n=n)


def motor(K: float) -> Reversible:
    """A direct-current machine: torque K i, induced voltage K ω (a gyrator).

    K: constant [N m/A = V s/rad], not zero.   Ports: phi (the loop), p (the rotor's angular momentum).
    """
    if finite_number(K, "K of a motor [N m/A]") == 0:
        raise ModelError("a motor of constant K = 0 couples nothing: give its torque per current [N m/A].")
    return reversible({"phi": flux, "p": angular_momentum}, J=lambda K: np.array([[0, -K], [K, 0]]), K=K)
