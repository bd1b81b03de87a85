"""Laws of any mechanism: its schemes agree, its energies are those computed on the side, its audit is ok."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SO3
from visviva.integrate import PHMP, PHMPGGL, AbstractIntegrator, LieMidpoint, simulate
from visviva.testing.laws import require
from visviva.testing.random_mechanisms import Call, RandomMechanism, Source

if TYPE_CHECKING:
    from visviva.results import Run

CONDITIONS = ("screw", "gear", "rack", "drive", "knife_edge", "constraint", "velocity_constraint")  # NumPy in PHMPGGL
ENERGY = 1e-10  # of the unit of energy: what may lie between the energies of a run and those on the side
APART = 20.0  # schemes of second order may be so many of their own errors apart
STEPS = 20


def check_mechanism(drawn: RandomMechanism, steps: int = STEPS, *, compare: bool = True) -> dict[str, Run]:
    """Run a mechanism in compiled schemes; AssertionError names the law that one of them breaks.

    Laws: the audit is ok;   energies of bodies and springs are those computed from their placements and velocities;
    schemes differ from each other by no more than the errors that halved steps show, if they are to be compared.
    """
    m = drawn.build()
    motion, _ = m.assemble(fixed=())
    conditions = any(call.method in CONDITIONS for call in drawn.calls)
    schemes: list[AbstractIntegrator] = [
        PHMP(),
        *([] if conditions else [PHMPGGL()]),
        *([LieMidpoint()] if compare else []),
    ]

    def run_with(scheme: AbstractIntegrator, h: float) -> Run:
        run = simulate(m, steps * drawn.h, h, integrator=scheme, initial=motion, inputs=drawn.input_functions)
        audit = run.audit()
        if not audit.ok:
            raise AssertionError(f"audit of {type(scheme).__name__}:\n{audit}")
        return run

    runs = {type(scheme).__name__: run_with(scheme, drawn.h) for scheme in schemes}
    for name, run in runs.items():
        nodes = slice(None) if name == "PHMPGGL" else slice(1)  # where velocities at the nodes are the scheme's own
        for part, side in energies_on_the_side(drawn, run):
            require(f"energy of {part} in {name}", run[f"energy.{part}"][nodes], side[nodes], ENERGY, run.energy_unit)
    if compare:
        ends = {name: _end(drawn, run) for name, run in runs.items()}
        halved = (_end(drawn, run_with(scheme, 0.5 * drawn.h)) for scheme in schemes)
        error = max(float(np.abs(end - fine).max()) for end, fine in zip(ends.values(), halved, strict=True))
        for name, end in ends.items():
            require(f"PHMP and {name} agree", ends["PHMP"], end, APART * error + 1e-9, 1.0)
    return runs


def _end(drawn: RandomMechanism, run: Run) -> Array:
    """Placements of all bodies at the end, lengths in units of the mechanism."""
    places = [run[f"{call.name}.r"][-1] / drawn.length for call in drawn.calls if call.method in ("body", "particle")]
    turns = [run[f"{call.name}.R"][-1].ravel() for call in drawn.calls if call.method == "body"]
    return np.concatenate([*places, *turns])


def energies_on_the_side(drawn: RandomMechanism, run: Run) -> Iterator[tuple[str, Array]]:
    """Names and energies [J] of bodies, particles, springs and torsions, from their numbers and the motion alone."""
    carriers = {call.name: _Carrier.of(call, run) for call in drawn.calls if call.method in ("body", "particle")}
    for call in drawn.calls:
        options = {key: value.value if isinstance(value, Source) else value for key, value in call.options.items()}
        if call.method == "body":
            yield call.name, _body_energy(options, run, call.name, np.array(drawn.gravity))
        elif call.method == "particle":
            r, v = run[f"{call.name}.r"], run[f"{call.name}.v"]
            yield call.name, options["mass"] * (0.5 * (v * v).sum(-1) - r @ np.array(drawn.gravity))
        elif call.method == "spring":
            ends = [
                carriers[end].point(options.get(side)) if end in carriers else np.array(options[side])
                for end, side in zip(call.ends, ("at_a", "at_b"), strict=True)
            ]
            length = np.linalg.norm(ends[1] - ends[0], axis=-1)
            if "energy" in options:
                yield call.name, options["energy"](length)
            else:
                yield call.name, 0.5 * options["k"] * (length - options["length"]) ** 2
        elif call.method == "torsion":
            q = run[f"{call.ends[0]}.q"].reshape(len(run.t), -1)[:, 0]
            law = options.get("energy", lambda angle, o=options: 0.5 * o["k"] * (angle - o["angle"]) ** 2)
            yield call.name, law(q)


@final
@dataclass(frozen=True, eq=False)
class _Carrier:
    """A body or particle in motion: where its frame is, and was as built."""

    r: Array  # (n, 3)
    R: Array  # (n, 3, 3)
    at: Array
    rotation: Array

    @classmethod
    def of(cls, call: Call, run: Run) -> _Carrier:
        """That of the call that made it."""
        r, at = run[f"{call.name}.r"], np.array(call.options["at"])
        if call.method == "particle":
            return cls(r, np.broadcast_to(np.eye(3), (len(r), 3, 3)), at, np.eye(3))
        rotation = call.options["rotation"].value
        return cls(r, run[f"{call.name}.R"], at, rotation.matrix if isinstance(rotation, SO3) else np.array(rotation))

    def point(self, built: list[float] | None) -> Array:
        """Where a point is that was given in the world as built, (n, 3); by default the origin of the frame."""
        inside = np.zeros(3) if built is None else self.rotation.T @ (np.array(built) - self.at)
        return self.r + self.R @ inside


def _body_energy(options: dict[str, object], run: Run, name: str, gravity: Array) -> Array:
    mass, com, J = (np.array(options[key]) for key in ("mass", "com", "inertia"))
    R, r, twist = run[f"{name}.R"], run[f"{name}.r"], run[f"{name}.twist"]
    w, v = twist[:, :3], twist[:, 3:] + np.cross(twist[:, :3], com)
    height = (r + R @ com) @ gravity
    return 0.5 * mass * (v * v).sum(-1) + 0.5 * (w * w * J).sum(-1) - mass * height
