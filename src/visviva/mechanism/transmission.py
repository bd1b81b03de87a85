"""How rates and forces go through a mechanism from inputs to outputs, and where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.mechanism.motions import Coordinate, Motions, carrier_of, rate_rows
from visviva.mechanism.parts import Body, Carrier, Ground, Particle
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE, counted, singular_values

if TYPE_CHECKING:
    from visviva.mechanism.network import MechanismNetwork

Side = Literal["input", "output"]
AXES = ("wx", "wy", "wz", "vx", "vy", "vz")


@final
@dataclass(frozen=True, eq=False)
class Transmission:
    """Rates of inputs θ̇ = A y and of outputs ẋ = B y over all motions y that either of them sees.

    inputs, outputs: names of the rows of A and B: coordinates of joints, or components of twists (ω; v) of bodies, v of
                     the centre of mass, all in world axes.
    motions:         twists (bodies, 6, k) of all bodies for each y, orthonormal where lengths are counted by `length`.
    input_margin:    smallest singular value of A, lengths counted so: 0 where motions are left with all inputs locked,
                     so that no input force can stop them (parallel singularity, dead point of the inputs), and
                     everywhere if there are fewer inputs than motions.
    output_margin:   the same of B: 0 where the mechanism moves with all outputs at rest, so that the outputs lose a
                     freedom and bear a load without any input force (serial singularity, end of a range).

    Source: the two kinds of singularities are those of C. Gosselin and J. Angeles (1990), stated with null spaces.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Array  # (inputs, k)
    B: Array  # (outputs, k)
    motions: Array  # (bodies, 6, k)
    input_units: Array  # (inputs,) 1, or the length
    output_units: Array  # (outputs,)
    unused: int  # motions that neither sees

    @property
    def input_margin(self) -> float:
        """How far the inputs are from losing hold of the mechanism."""
        return self.margin("input")

    @property
    def output_margin(self) -> float:
        """How far the outputs are from losing a freedom."""
        return self.margin("output")

    def margin(self, side: Side, spare: int = 0) -> float:
        """How far inputs or outputs are from leaving more than a spare number of motions open, and 0 where they do."""
        if side not in ("input", "output"):
            raise ModelError(f"a margin is that of side 'input' or 'output', got {side!r}.")
        M = self.A / self.input_units[:, None] if side == "input" else self.B / self.output_units[:, None]
        number = M.shape[1] - spare  # of the singular value that vanishes where they do
        if number <= 0:
            return 1.0
        values = np.linalg.svd(M, compute_uv=False)
        return float(values[number - 1]) if number <= len(values) else 0.0

    @property
    def jacobian(self) -> Array:
        """∂ẋ/∂θ̇, (outputs, inputs); an error where the inputs leave a motion open."""
        self._check_determined()
        return self.B @ np.linalg.pinv(self.A)

    def rates(self, theta_dot: ArrayLike) -> Array:
        """Rates of the outputs for those of the inputs, (outputs,); an error where the inputs contradict each other."""
        given = finite_vector(np.atleast_1d(theta_dot), "rates of the inputs", len(self.inputs))
        self._check_determined()
        y = np.linalg.pinv(self.A) @ given
        if np.abs(self.A @ y - given).max() > 1e-9 * np.abs(given).max():
            raise ModelError(
                f"the {len(self.inputs)} inputs {', '.join(self.inputs)} have {len(self.A[0])} independent rates;"
                " those given contradict each other."
            )
        return np.asarray(self.B @ y)

    def holding(self, load: ArrayLike) -> Array:
        """Input forces τ that hold a load on the outputs at rest, (inputs,): Aᵀτ + Bᵀ load = 0, the least τ.

        load: by output: forces on coordinates, and wrenches (m; f) on bodies at their centres of mass, world axes.
        An error where no τ does, at a singularity of the inputs.
        """
        W = finite_vector(np.atleast_1d(load), "load on the outputs", len(self.outputs))
        return self._balanced(self.A, self.input_units, -self.B.T @ W, "input forces", "outputs")

    def reached(self, tau: ArrayLike) -> Array:
        """What the outputs press on if they are held while the inputs drive with τ, (outputs,): Bᵀ W = Aᵀ τ, least W.

        An error where the outputs cannot stop the inputs, at a singularity of the outputs.
        """
        given = finite_vector(np.atleast_1d(tau), "forces of the inputs", len(self.inputs))
        return self._balanced(self.B, self.output_units, self.A.T @ given, "forces at the outputs", "inputs")

    def _balanced(self, M: Array, units: Array, rest: Array, what: str, other: str) -> Array:
        U, s, Vt = np.linalg.svd((M / units[:, None]).T, full_matrices=False)
        kept = np.arange(len(s)) < counted(s)
        found = Vt[kept].T @ ((U.T @ rest)[kept] / s[kept]) / units
        if np.abs(M.T @ found - rest).max(initial=0.0) > 1e-6 * np.abs(rest).max(initial=0.0):
            raise ModelError(f"no {what} balance these forces on the {other}: {self._state}.")
        return np.asarray(found)

    def _check_determined(self) -> None:
        rank = self._rank
        if rank < self.A.shape[1]:
            raise ModelError(
                f"the inputs {', '.join(self.inputs)} leave {self.A.shape[1] - rank} of {self.A.shape[1]} motions open:"
                " rates of the outputs do not follow from theirs.\n"
                "Add inputs, or leave this configuration if it is a singularity of the inputs: see `input_margin`."
            )

    @property
    def _rank(self) -> int:
        """How many motions the inputs determine."""
        return counted(singular_values(self.A / self.input_units[:, None]))

    @property
    def _state(self) -> str:
        k, sides = self.A.shape[1], ((len(self.A), "inputs locked"), (len(self.B), "outputs at rest"))
        if few := [f"{k - rows} of {k} motions left with all {how}" for rows, how in sides if rows < k]:
            return ", ".join(few)
        if self.input_margin <= TOLERANCE and self.output_margin <= TOLERANCE:
            return "singular for inputs and outputs"
        if self.input_margin <= TOLERANCE:
            return "singular for the inputs: something moves while all of them are locked"
        if self.output_margin <= TOLERANCE:
            return "singular for the outputs: something moves while all of them rest"
        return "regular"

    def __str__(self) -> str:
        k = self.A.shape[1]
        lines = [
            f"{_count(k, 'motion')} seen by {_count(len(self.inputs), 'input')} and"
            f" {_count(len(self.outputs), 'output')}: {self._state}",
            f"margin of the inputs {self.input_margin:.3g}, of the outputs {self.output_margin:.3g} (0: singular)",
        ]
        if self.unused:
            lines.append(f"{_count(self.unused, 'more motion')} that neither sees")
        if k and self._rank == k:
            width = max(map(len, self.outputs))
            lines.append(" " * (width + 2) + "".join(f"{name:>12}" for name in self.inputs))
            for name, row in zip(self.outputs, self.jacobian, strict=True):
                lines.append(f"  {name:<{width}}" + "".join(f"{_clean(a):12.5g}" for a in row))
        return "\n".join(lines)


def transmission_of(
    network: MechanismNetwork, inputs: Sequence[Coordinate], outputs: Sequence[Carrier | Coordinate]
) -> Transmission:
    """Rows of inputs and outputs over the motions of a network."""
    motions = Motions(network)
    ins = [_rows(network, motions, one, bodies=False) for one in _listed(inputs, "inputs")]
    outs = [_rows(network, motions, one, bodies=True) for one in _listed(outputs, "outputs")]
    units = [np.concatenate([part[2] for part in side]) for side in (ins, outs)]
    A, B = (np.vstack([part[1] for part in side]) for side in (ins, outs))
    rates = np.vstack([A, B]) / np.concatenate(units)[:, None]
    seen = split(rates, np.ones(len(rates))).V  # of motions of size one
    return Transmission(
        tuple(name for part in ins for name in part[0]),
        tuple(name for part in outs for name in part[0]),
        A @ seen,
        B @ seen,
        motions.twists @ seen,
        units[0],
        units[1],
        motions.mobility - seen.shape[1],
    )


def _listed(given: Iterable[Carrier | Coordinate], what: str) -> list[Any]:
    parts = [] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if not parts:
        raise ModelError(f"{what} of a transmission are several names, e.g. {what}=['A'], got {given!r}.")
    return parts


def _rows(
    network: MechanismNetwork, motions: Motions, given: Carrier | Coordinate, bodies: bool
) -> tuple[list[str], Array, Array]:
    """Names, rates over all motions, and units of an input or output."""
    name = given if isinstance(given, str) else getattr(given, "name", None)
    parts = network.definition.parts
    is_body = isinstance(given, Ground) or name == network.definition.ground.name
    is_body |= name is not None and isinstance(parts.get(name), Body | Particle)
    if is_body and not bodies:
        raise ModelError(f"an input is a joint or a coordinate (joint, number) of one, got {name!r}.")
    if not is_body:
        rates = rate_rows(network, given)  # type: ignore[arg-type]
        units = np.where(rates.turning, 1.0, motions.length)
        return list(rates.names), motions.rates(rates), units
    body = carrier_of(network.definition, name or "", "output")
    if isinstance(body, Ground):
        raise ModelError("the ground is no output: it does not move. Give a body, a particle or a joint.")
    r = network.motion.q[body.name][:3]
    T = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]]) @ motions.of(body)
    first = 0 if isinstance(body, Body) else 3
    units = np.repeat([1.0, motions.length], 3)[first:]
    return [f"{body.name}.{axis}" for axis in AXES[first:]], T[first:], units


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' if n != 1 else ''}"


def _clean(a: float) -> float:
    return 0.0 if abs(a) < 1e-12 else a
