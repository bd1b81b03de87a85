"""Systems that several tests use: the paper's oscillator and what can be attached to it."""

from __future__ import annotations

import numpy as np

from visviva.language import Quantity, compose, environment, irreversible, reversible, storage

displacement = Quantity("R", "displacement")
momentum = Quantity("R", "momentum")
entropy = Quantity("R", "entropy")


def spring(k=1.5):
    return storage({"q": displacement}, H=lambda x, k: 0.5 * k * x.q**2, k=k)


def hard_spring(k=1.5):
    return storage({"q": displacement}, H=lambda x, k: k * (np.cosh(x.q) - 1) + 0.1 * x.q**4, k=k)


def mass(m=1.0):
    return storage({"p": momentum}, H=lambda x, m: x.p**2 / (2 * m), m=m)


def coupling():
    return reversible({"q": displacement, "p": momentum}, J=[[0, 1], [-1, 0]])


def damper(d=0.2):
    return irreversible(
        {"p": momentum, "s": entropy},
        M=lambda e, theta, d: [[theta.s * d, -d * e.p], [-d * e.p, d * e.p**2 / theta.s]],
        d=d,
    )


def conduction(k=0.5):
    return irreversible(
        {"s1": entropy, "s2": entropy},
        M=lambda theta, k: [[k * theta.s2 / theta.s1, -k], [-k, k * theta.s1 / theta.s2]],
        k=k,
    )


def capacity(c=2.0):
    return storage({"s": entropy}, H=lambda x, c, theta0: c * theta0 * np.expm1(x.s / c), c=c)


def oscillator(pe=None):
    return compose(
        "osc",
        {"pe": pe or spring(), "ke": mass(), "pkc": coupling()},
        junctions={"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")},
        outer=("p",),
    )


def damped(pe=None, theta0=300.0):
    return compose(
        "damped",
        {"osc": oscillator(pe), "mf": damper(), "env": environment({"s": entropy}, theta0)},
        junctions={"p": ("osc.p", "mf.p"), "s": ("mf.s", "env.s")},
    )


def hot(pe=None):
    """Friction heats a body that conducts to the environment."""
    return compose(
        "hot",
        {
            "osc": oscillator(pe),
            "mf": damper(),
            "body": capacity(),
            "wall": conduction(),
            "env": environment({"s": entropy}),
        },
        junctions={"p": ("osc.p", "mf.p"), "s": ("mf.s", "body.s", "wall.s1"), "s_env": ("wall.s2", "env.s")},
        outer=("p",),
    )
