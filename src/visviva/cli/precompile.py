"""`visviva precompile`: the kernels and the laws of the library, compiled before anybody waits for them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import visviva as vv
from visviva.cli.samples import DOMAINS, alone, arm, driven, mechanisms, oscillator
from visviva.compiler.flows import NotCompilable
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.integrate import AbstractIntegrator
from visviva.kernels import cache
from visviva.language import AbstractSystem

SCHEMES: dict[str, AbstractIntegrator] = {
    "DiscreteGradient": vv.DiscreteGradient(),
    "EnergyCollocation": vv.EnergyCollocation(),
    "Suzuki4(DiscreteGradient)": vv.Suzuki4(vv.DiscreteGradient()),
}
TREE_SCHEMES: tuple[AbstractIntegrator, ...] = (
    vv.RK4(), vv.DOP853(), vv.DOP853(tolerance=None), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8(),
)  # fmt: skip


def precompile() -> None:
    """Compile every scheme and every law of the library, one line each; what is in the cache is only loaded."""
    began = time.perf_counter()
    for name, scheme in SCHEMES.items():
        line = _Line(f"steps of {name}")
        vv.simulate(oscillator(), t_end=0.02, h=0.01, integrator=scheme, initial={"q": 1.0, "p": 0.0})
        line.end()
    line = _Line("steps of mechanisms")
    for mechanism in mechanisms():
        for integrator in (vv.PHMP(), vv.PHMPGGL()):
            vv.simulate(mechanism, t_end=0.02, h=0.01, integrator=integrator)
        read(mechanism)
    line.end()
    line = _Line("steps of trees in minimal velocities")
    for scheme in TREE_SCHEMES:
        vv.simulate(arm(), t_end=0.02, h=0.01, integrator=scheme)
    line.end()
    line = _Line("ticks of sampled laws")
    for stepped in (vv.PHMP(), vv.RK4()):
        law = vv.Sampled(lambda now: {"motor": -now["hinge.q"] - now["hinge.rate"]}, period=0.01)
        vv.simulate(driven(), t_end=0.02, h=0.01, integrator=stepped, sampled=law)
    line.end()
    line = _Line("equations of motion in the hand")
    evaluate(arm())
    line.end()
    for domain, systems in DOMAINS.items():
        line = _Line(f"laws of {domain}")
        line.end(compile_laws(systems()))
    path = cache.folder()
    print(f"{time.perf_counter() - began:.1f} s in all; {size(path) / 1e6:.1f} MB in {path}")


def read(mechanism: vv.Mechanism) -> None:
    """A position and a velocity in a Simulator, and in a Run."""
    sim, body = vv.Simulator(mechanism, h=0.01), mechanism.bodies[0].name
    velocity = f"{body}.twist" if f"{body}.twist" in sim.run(0.01) else f"{body}.v"
    sim[f"{body}.r"], sim[velocity], sim.run(0.02)[velocity]


def evaluate(tree: vv.Mechanism) -> None:
    """Every compiled function of `vv.dynamics`, once."""
    d = vv.dynamics(tree)
    q, v = d.q_built, np.zeros(d.nv)
    frame = d.frames[-1]
    d.mass_matrix(q), d.inverse(q, v, v), d.forward(q, v), d.derivatives(q, v)
    d.pose(frame, q), d.jacobian(frame, q), d.bias_acceleration(frame, q, v)


def compile_laws(systems: list[AbstractSystem]) -> str:
    """Write, compile and keep the functions of all laws in some systems; says how many have no compiled form."""
    without = 0
    for system in systems:
        try:
            build_program(vv.compile(alone(system)), MIDPOINT)
        except NotCompilable:
            without += 1
    return f"{without} of {len(systems)} have no compiled form" if without else ""


def clean_cache() -> None:
    """Remove folders of other versions and settings that nobody used for a month."""
    removed = cache.clean()
    for path in removed:
        print(f"removed {path}")
    print(f"{len(removed)} stale folders removed from {cache.root()}")


def size(path: Path) -> int:
    """Of all files in a folder, in bytes."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


class _Line:
    """Says what is done before it is done, and behind it how long it took."""

    def __init__(self, what: str) -> None:
        print(f"{what:<36}", end="", flush=True)
        self.began = time.perf_counter()

    def end(self, note: str = "") -> None:
        print(f"{time.perf_counter() - self.began:6.1f} s  {note}".rstrip(), flush=True)
