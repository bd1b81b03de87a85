"""What has no rotation, and what has no mass, as composites."""

from __future__ import annotations

from numpy.typing import ArrayLike

from visviva._arrays import finite_number, finite_vector
from visviva.language import Composite, compose, reversible, storage
from visviva.library.multibody.body import DOWN
from visviva.library.multibody.rows import BODY, POSITION, PUSH
from visviva.library.multibody.spatial import coupling


def particle(mass: float, gravity: ArrayLike = DOWN) -> Composite:
    """A point mass; boxes pe, ke and pkc, outer ports q (position) and p.

        r_dot = v,   p_dot = m γ + p.f,   p.e = v = p / m

    mass, gravity: m [kg], γ [m/s²].
    """
    m = finite_number(mass, "mass of a particle [kg]", positive=True)
    w = m * finite_vector(gravity, "gravity", 3)
    boxes = {
        "pe": storage(
            {"q": POSITION},
            H=lambda x, w1, w2, w3: -(w1 * x.q[0] + w2 * x.q[1] + w3 * x.q[2]),
            **{f"w{k + 1}": float(w[k]) for k in range(3)},
        ),
        "ke": storage({"p": PUSH}, H=lambda x, m: (x.p[0] ** 2 + x.p[1] ** 2 + x.p[2] ** 2) / (2 * m), m=m),
        "pkc": reversible({"q": POSITION, "p": PUSH}, J=coupling(3)),
    }
    return compose("particle", boxes, {"q": ("pe.q", "pkc.q"), "p": ("pkc.p", "ke.p")}, outer=("q", "p"))


def massless_body() -> Composite:
    """A body without inertia and weight: it has a pose of SO3xR3, and takes no wrench; outer ports q and p."""
    boxes = {
        "pe": storage({"q": BODY.pose}, H=0.0),
        "pkc": reversible({"q": BODY.pose, "p": BODY.momentum}, J=coupling(6)),
    }
    return compose("massless", boxes, {"q": ("pe.q", "pkc.q"), "p": ("pkc.p",)}, outer=("q", "p"))
