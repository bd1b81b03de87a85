"""Systems of Lohmayer, Capobianco and Leyendecker, and what the tests do to them."""

from __future__ import annotations

from visviva.language import Composite, Quantity, compose, environment, irreversible, renamed, reversible, storage

DISPLACEMENT, MOMENTUM, ENTROPY = Quantity("R", "displacement"), Quantity("R", "momentum"), Quantity("R", "entropy")


def friction():
    return irreversible(
        {"p": MOMENTUM, "s": ENTROPY},
        M=lambda e, theta, d: [[d * theta.s, -d * e.p], [-d * e.p, d * e.p**2 / theta.s]],
        d=0.2,
    )


def oscillator() -> Composite:
    """Fig. 5."""
    boxes = {
        "pe": storage({"q": DISPLACEMENT}, H=lambda x, k: 0.5 * k * x.q**2, k=1.5),
        "ke": storage({"p": MOMENTUM}, H=lambda x, m: x.p**2 / (2 * m), m=2.0),
        "pkc": reversible({"q": DISPLACEMENT, "p": MOMENTUM}, J=[[0, 1], [-1, 0]]),
    }
    return compose("osc", boxes, {"q": ("pe.q", "pkc.q"), "p": ("pkc.p", "ke.p")}, outer=("p",))


def damped_oscillator() -> Composite:
    """Fig. 6."""
    boxes = {"osc": oscillator(), "mf": friction(), "env": environment({"s": ENTROPY}, 300.0)}
    return compose("damped", boxes, {"p": ("osc.p", "mf.p"), "s": ("mf.s", "env.s")})


def with_other_ports(system: Composite) -> Composite:
    """The same composite with every port of every box renamed, at every level."""
    inside = {name: with_other_ports(box) if isinstance(box, Composite) else box for name, box in system.boxes.items()}
    boxes = {name: renamed(box, {port: f"{port}X" for port in box.interface}) for name, box in inside.items()}
    ends = {at: [f"{box}.{port}X" for box, port in junction.ends] for at, junction in system.junctions.items()}
    return compose(system.name, boxes, ends, system.outer)
