"""The template of a mechanism by pairs of frames and coordinates of joints that have gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva._suggestions import hint_of
from visviva.control.gains import Gains
from visviva.control.kinematics import GROUND, PairMotion, pair_motion
from visviva.control.templates import (
    APPROACHES,
    EnergyRate,
    Errors,
    Parameters,
    Reference,
    Template,
    Transport,
    energy_rate,
    errors,
    potential,
    template,
)
from visviva.control.transport import (
    MAPS,
    WIDTHS,
    SingularTemplateError,
    TransportMaps,
    conflicts_of,
    maps_of_stiffness,
    transport_map,
    transport_rows,
)
from visviva.errors import ModelError
from visviva.forms.dynamics.entries import find
from visviva.forms.dynamics.handle import Dynamics
from visviva.geometry.moments import moment_wrench
from visviva.mechanism.names import unknown_name

TRANSPORT_RTOL = 1e-8  # of the gradients in (4.30)
TransportFunction = Callable[[Array, Array, Array, Array], tuple[Array, Array]]


@final
@dataclass(frozen=True, eq=False)
class TemplatePoint:
    """A template at a state; energy_rate: Ẇ̄ as a function of the accelerations."""

    template: Template
    energy_rate: EnergyRate


class AbstractTemplate(Protocol):
    """A closed loop that a law aims at."""

    @property
    def title(self) -> str:
        """In a line."""

    def lines(self) -> list[str]:
        """Its gains as text."""

    def at(self, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array) -> TemplatePoint:
        """M̄, b̄ and energies."""

    def linear(self, q_R: Array) -> tuple[Array, Array, Array]:
        """M̄0, D̄0, K̄0 (n, n) of small errors about a reference at rest; Konz (4.48)."""


@final
class PairTemplate:
    """One of the three approaches with its gains; Konz (4.66).

    pairs: ordered pairs (a, b) of frames or bodies, b as seen from a, and gains of each; (b, a) is another pair.
    joints: coordinates by name, and gains of each.
    """

    def __init__(self, d: Dynamics, given: Mapping[Any, Gains], approach: str, transport: Any = None) -> None:
        if approach not in APPROACHES:
            raise ModelError(f"approach={approach!r} is none of the templates. {hint_of(str(approach), APPROACHES)}")
        if d.loops is not None and d.loops.independent is None:
            raise ModelError(
                f"mechanism {d.name!r} has loops: a law needs independent velocities, "
                "vv.control.tracking(m, ..., independent='rank')."
            )
        self.d, self.approach = d, approach
        self.pairs, self.joints = _gains_by_name(d, given)
        self.parameters = _parameters(d, self.pairs, self.joints)
        self.places_q = np.array([entry for entry, _ in _coordinates(d, self.joints)], dtype=np.intp)
        self.centres = np.array([_centre(own) for own in self.pairs.values()]).reshape(-1, 3)
        self.transport = self._transport(transport)
        self._check_inertia()
        if approach == "energy":
            self._check_transport(given_map=transport is not None)

    # -- evaluation -------------------------------------------------------------------------------------------------

    def motion(self, q: Array, v: Array | None = None) -> PairMotion:
        """Poses and Jacobians of the pairs."""
        return pair_motion(self.d, tuple(self.pairs), q, v)

    def at(self, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array) -> TemplatePoint:
        """M̄, b̄ and energies at a state and a reference, or at many of them."""
        P, x, R = self.parameters, self.motion(q, v), Reference(self.motion(q_R, v_R), v_R, a_R)
        E = errors(x, R, v, (q - q_R)[..., self.places_q])
        Q = self.map_at(q, v, q_R, v_R, x, R, E) if self.approach == "energy" else None
        found = template(self.approach, P, x, R, v, E, Q)
        return TemplatePoint(found, energy_rate(self.approach, P, x, R, v, E, found, Q))

    def map_at(self, q: Array, v: Array, q_R: Array, v_R: Array, x: PairMotion, R: Reference, E: Errors) -> Transport:
        """Q and Q̇."""
        if isinstance(self.transport, TransportMaps):
            return transport_map(transport_rows(self.transport, self.centres, self.parameters, x, R, E))
        n, shape = self.d.nv, q.shape[:-1]
        rows = [state.reshape(-1, state.shape[-1]) for state in (q, v, q_R, v_R)]
        found = [self.transport(*one) for one in zip(*rows, strict=True)]
        Q, Q_dot = (
            finite_array([pair[k] for pair in found], what, (n, n)).reshape(*shape, n, n)
            for k, what in enumerate(("transport map", "its rate"))
        )
        return Transport(Q, Q_dot)

    def potential(self, q: Array, q_R: Array) -> float:
        """V̄(q, q_R) [J]."""
        x, R = self._still(q), self._still(q_R)
        return float(potential(self.parameters, x.G, R.G, (q - q_R)[self.places_q]))

    def potential_gradient(self, q: Array, q_R: Array) -> Array:
        """∇V̄ = f̄K (n,), along the velocities at q."""
        x, R = self._still(q), self._still(q_R)
        return self._gradient(x, R, (q - q_R)[self.places_q])

    def linear(self, q_R: Array) -> tuple[Array, Array, Array]:
        """Σ JᵀVee(P')J at the reference, of all three."""
        x, P = self._still(q_R), self.parameters
        found = []
        for matrices, own in ((P.M, P.m), (P.D, P.d), (P.K, P.k)):
            total = np.einsum("pik,pij,pjl->kl", x.J, matrices, x.J)
            total[P.rows, P.rows] += own
            found.append((total + total.T) / 2)
        return found[0], found[1], found[2]

    def critical_points(self, q_R: Array | None = None, *, starts: int = 60, seed: int = 0) -> list[Any]:
        """Configurations with ∇V̄ = 0 and their kinds: see `critical_points.critical_points`."""
        from visviva.control.critical_points import critical_points

        return critical_points(self, q_R, starts=starts, seed=seed)

    def transport_defect(self, q: Array, q_R: Array) -> float:
        """‖∇_R V̄ + Qᵀ ∇V̄‖ relative to the gradients: zero where (4.30) holds."""
        still = np.zeros(self.d.nv)
        x, R = self._still(q), Reference(self._still(q_R), still, still)
        e = (q - q_R)[self.places_q]
        Q = self.map_at(q, still, q_R, still, x, R, errors(x, R, still, e)).Q
        own, other = self._gradient(x, R.pairs, e), self._gradient(R.pairs, x, -e)
        size = max(float(np.linalg.norm(own)), float(np.linalg.norm(other)), 1e-300)
        return float(np.linalg.norm(other + Q.T @ own)) / size

    # -- text -------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """In a line."""
        known = "" if self.approach != "energy" else f", transport by {self._transport_name()}"
        return f"{self.approach}-based template{known}"

    def lines(self) -> list[str]:
        """Pairs with totals and centres, joints with their numbers."""
        out = []
        for (a, b), own in self.pairs.items():
            parts = []
            for name, P in (("mass", own.mass), ("damping", own.damping), ("stiffness", own.stiffness)):
                h = "" if not P[3, 3] or not P[:3, 3].any() else f" at {np.round(P[:3, 3] / P[3, 3], 5).tolist()}"
                parts.append(f"{name} {P[3, 3]:.6g}{h}")
            out.append(f"{a} → {b}: {', '.join(parts)}")
        for name, one in self.joints.items():
            out.append("{}: inertia {:.6g}, damping {:.6g}, stiffness {:.6g}".format(name, *one.scalars))
        return out

    # -- construction -----------------------------------------------------------------------------------------------

    def _still(self, q: Array) -> PairMotion:
        return self.motion(q)

    def _gradient(self, x: PairMotion, R: PairMotion, e: Array) -> Array:
        P = self.parameters
        inverse = np.linalg.inv(x.G) @ R.G if len(x.G) else np.zeros((0, 4, 4))
        f = np.einsum("pik,pi->k", x.J, moment_wrench((np.eye(4) - inverse) @ P.K_))
        f[P.rows] += P.k * np.where(P.turning, np.sin(e), e)
        return f

    def _transport(self, given: Any) -> TransportMaps | TransportFunction:
        tied = np.ones(len(self.joints), dtype=bool)
        if callable(given):
            return given
        if given is None:
            return TransportMaps(tuple("twist" if own.point is None else "point" for own in self.pairs.values()), tied)
        table = given if isinstance(given, Mapping) else dict.fromkeys(self.pairs, given)
        unknown = [kind for kind in table.values() if kind not in MAPS]
        if unknown:
            raise ModelError(
                f"transport={unknown[0]!r} is none of the maps, nor a function (q, v, q_R, v_R) -> (Q, Q_dot). "
                f"{hint_of(str(unknown[0]), MAPS)}"
            )
        missing = [pair for pair in self.pairs if pair not in table]
        if missing:
            raise ModelError(f"transport names no map for the pair {missing[0]}; there are {', '.join(MAPS)}.")
        return TransportMaps(tuple(table[pair] for pair in self.pairs), tied)

    def _transport_name(self) -> str:
        if not isinstance(self.transport, TransportMaps):
            return "a function"
        kinds = [kind for kind in dict.fromkeys(self.transport.kinds) if kind != "free"]
        return " and ".join(kinds) or "equal rates"

    def _check_inertia(self) -> None:
        """M̄ ⪰ 0 as built: single gains may be indefinite, their sum may not."""
        M, D, K = self.linear(np.array(self.d.q_built))
        for name, total in (("inertia", M), ("damping", D), ("stiffness", K)):
            lowest = np.linalg.eigvalsh(total)
            if lowest[0] < -TRANSPORT_RTOL * max(lowest[-1], 1e-300):
                raise ModelError(
                    f"the desired {name} of {self.d.name!r} is indefinite as built: its eigenvalues go from "
                    f"{lowest[0]:.3g} to {lowest[-1]:.3g}.\nOf several pairs the sum Σ JᵀP J must be positive."
                )

    def _check_transport(self, *, given_map: bool) -> None:
        """(4.30) beside the mechanism as built. By default pairs have as few rows as their stiffness asks for."""
        defect = self._largest_defect()
        if defect <= TRANSPORT_RTOL:
            return
        usual = self.transport
        if not given_map:
            self.transport = maps_of_stiffness([own.stiffness for own in self.pairs.values()], self.parameters.k)
            if self._largest_defect(most_singular=0) <= TRANSPORT_RTOL:
                return
            self.transport = usual
        raise ModelError(
            f"the transport map of {self.d.name!r} violates ∇_R V̄ = -Qᵀ∇V̄ (4.30) by {defect:.2g} of the gradients: "
            f"energy would not be a Lyapunov function.\n{self._conflicts()}"
            "Take approach='body', gains of pairs and joints that each velocity belongs to once, stiffness of a point\n"
            "(vv.control.point_gains) or of turning alone (k = 0), which ask for less, or a transport= of your own."
        )

    def _samples(self) -> list[tuple[Array, Array]]:
        """Some configurations and references beside the mechanism as built."""
        rng, d = np.random.default_rng(0), self.d
        built = np.array(d.q_built)
        steps = 0.4 * rng.normal(size=(3, 2, d.nv))
        return [(d.integrate(built, d.sizes * one), d.integrate(built, d.sizes * two)) for one, two in steps]

    def _largest_defect(self, most_singular: int = 3) -> float:
        """Of (4.30) at the samples; singular ones do not count, unless there are too many of them."""
        defects = list[float]()
        for q, q_R in self._samples():
            try:
                defects.append(self.transport_defect(q, q_R))
            except SingularTemplateError:
                most_singular -= 1
        return max(defects, default=0.0) if most_singular >= 0 else np.inf

    def _conflicts(self) -> str:
        """Which parts ask for rates that their velocities cannot make, alone or together."""
        if not isinstance(self.transport, TransportMaps):
            return ""
        q, q_R = self._samples()[0]
        still = np.zeros(self.d.nv)
        x, R = self._still(q), Reference(self._still(q_R), still, still)
        E = errors(x, R, still, (q - q_R)[self.places_q])
        A, A_R, _, _ = transport_rows(self.transport, self.centres, self.parameters, x, R, E)
        return conflicts_of(self._part_rows(), A, A_R, self.d.names)

    def _part_rows(self) -> dict[str, tuple[int, str]]:
        """By part, in the order of rows: how many it has, and what they are."""
        assert isinstance(self.transport, TransportMaps)
        pairs = zip(self.pairs, self.transport.kinds, strict=True)
        found = {f"{a} → {b}": (WIDTHS[kind], kind) for (a, b), kind in pairs if kind != "free"}
        tied = zip(self.joints, self.transport.tied.tolist(), strict=True)
        return found | {name: (1, "rate") for name, is_tied in tied if is_tied}


def _gains_by_name(d: Dynamics, given: Any) -> tuple[dict[tuple[str, str], Gains], dict[str, Gains]]:
    """Gains by pair and by coordinate, names checked."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            "gains are given by ordered pairs of frames or bodies, {('ground', 'tool'): vv.control.gains(...)}, and by "
            f"joints, {{'hinge': ...}}; got {given!r}."
        )
    pairs, joints = dict[tuple[str, str], Gains](), dict[str, Gains]()
    where = f"mechanism {d.name!r}"
    for key, own in given.items():
        if not isinstance(own, Gains):
            raise ModelError(f"gains of {key!r} are made by vv.control.gains(mass=..., damping=..., stiffness=...).")
        if isinstance(key, tuple):
            names = tuple(str(getattr(end, "name", end)) for end in key)
            if len(names) != 2 or names[0] == names[1]:
                raise ModelError(f"gains are of pairs of two different frames or bodies, got {key!r}.")
            for name in names:
                if name not in d.frames:
                    raise unknown_name(name, d.frames, f"{where} with its frames, bodies and particles")
            pairs[names] = own
            continue
        name = str(getattr(key, "name", key))
        if name in d.frames:
            raise ModelError(
                f"{name!r} is a frame or body: its gains are those of a pair, e.g. ({GROUND!r}, {name!r})."
            )
        entry = find(d.entries, name, d.form)
        if len(entry.xi) != 1 or not len(entry.q):
            raise ModelError(
                f"{name!r} has {len(entry.xi)} velocities: give gains to one coordinate of it, e.g. '{name}.q[0]', "
                "or to the pair of bodies that it joins."
            )
        if not own.is_scalar:
            raise ModelError(f"gains of the coordinate {name!r} are numbers, not moment matrices: {own!r}.")
        joints[name] = own
    return pairs, joints


def _coordinates(d: Dynamics, joints: Mapping[str, Gains]) -> list[tuple[int, int]]:
    """Places in q and in v."""
    found = []
    for name in joints:
        entry = find(d.entries, name, d.form)
        place = int(entry.xi[0])
        if d.loops is not None and d.loops.independent is not None:
            own = np.flatnonzero(d.loops.independent == place)
            if not len(own):
                raise ModelError(
                    f"{name!r} is no independent velocity of {d.name!r} ({', '.join(d.names)}): give gains to the "
                    "pair of bodies that it joins, or take it as independent."
                )
            place = int(own[0])
        found.append((int(entry.q[0]), place))
    return found


def _parameters(d: Dynamics, pairs: Mapping[tuple[str, str], Gains], joints: Mapping[str, Gains]) -> Parameters:
    def stacked(parts: Sequence[Array], size: int) -> Array:
        return np.array(parts).reshape(-1, size, size)

    own = list(pairs.values())
    matrices = [gains.matrices for gains in own]
    scalars = np.array([gains.scalars for gains in joints.values()]).reshape(-1, 3)
    kinds = {place.xi.start: link for link, place in zip(d.form.tree.links, d.form.spanning.places, strict=True)
             if place.xi.stop > place.xi.start}  # fmt: skip
    links = [kinds[int(find(d.entries, name, d.form).xi[0])] for name in joints]
    M_, D_, K_ = (stacked([getattr(gains, name) for gains in own], 4) for name in ("mass", "damping", "stiffness"))
    M, D, K = (stacked([three[k] for three in matrices], 6) for k in range(3))
    m, c, k = scalars.T.copy()
    turning = np.array([link.kind == "hinge" and link.pitch == 0.0 for link in links], dtype=bool)
    rows = np.array([place for _, place in _coordinates(d, joints)], dtype=np.intp)
    return Parameters(M_, D_, K_, M, D, K, m, c, k, turning, rows)


def _centre(own: Gains) -> Array:
    k = own.stiffness[3, 3]
    return own.stiffness[:3, 3] / k if k else np.zeros(3)
