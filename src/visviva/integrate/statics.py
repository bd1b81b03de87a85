"""A mechanism at rest: its potential energy, the forces on its velocities, and their tangent stiffness, sparse."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, finite_vector
from visviva.compiler import initial_x, lie_state
from visviva.compiler.conditions import angle_variable
from visviva.geometry.linear import apply, transpose
from visviva.integrate.inputs import TimeInputs
from visviva.mechanism import Definition, Motion
from visviva.mechanism.assembly import StateLike, motion_of
from visviva.mechanism.elements import Element
from visviva.mechanism.joint_coordinates import turn_name
from visviva.mechanism.kinematics import Placement
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.other_states import flux_of
from visviva.mechanism.parts import Ground, Joint
from visviva.model import Model, State
from visviva.model.course import Instant
from visviva.model.instant import check_mechanism
from visviva.results import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MANY = 2_000_000  # numbers in one batch
EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 100.0  # of a force that is a sum of many terms
STEP = 1e-5  # of differences: of a typical length, and in radians


@final
class Statics:
    """States without velocities, in Lie form: x holds the configuration and what springs measure of it.

    inputs: as they are at t = 0.
    """

    def __init__(self, m: Definition, linkage: Linkage, model: Model, inputs: TimeInputs) -> None:
        self.definition, self.linkage, self.model = m, linkage, model
        self._base = inputs(0.0)
        self._loaded = bool(self._base.any() or model.feedback)
        layout = self.model.layout
        self._places = layout.read(tuple(f"{body.name}.q" for body in linkage.bodies))
        self._velocities = layout.act(tuple(self.model.kinetic))
        self._turned = np.zeros(len(model.turns))  # angles of the start, for laws: over many turns

    def start(self, given: StateLike | Array) -> Array:
        """What is given as a state of the model, at rest and without currents."""
        m, model = self.definition, self.model
        given = given.final if isinstance(given, Run) else given
        if isinstance(given, State):  # with all that it has beside its motion
            check_mechanism(given, m)
            x, self._turned = _still(model, given), given.angles
        elif isinstance(given, np.ndarray):
            x = lie_state(model, model, finite_vector(given, f"state x of {m.name!r}", model.layout.size))
            self._turned = model.angles(x)
        else:
            motion = motion_of(m, given, "the initial state")
            still = {name: np.zeros_like(V) for name, V in motion.V.items()}
            x = initial_x(model, Motion(motion.q, still, motion.angles, motion.others))
            self._turned = np.array([motion.angles[turn.name] for turn in model.turns])
        x[model.layout.read(tuple(flux_of(motor) for motor in m.motors))] = 0.0
        return x

    def configuration(self, x: Array) -> Array:
        """Coordinates of all bodies, (..., size)."""
        return x[..., self._places]

    def moved(self, x: Array, q: Array) -> Array:
        """The state at another configuration q (..., size); angles continue from those of x."""
        ahead = np.broadcast_to(x, (*q.shape[:-1], len(x))).copy()
        ahead[..., self._places] = q
        for name, part in self.model.measured.items():
            reads, at = self.model.layout.read(part.reads), self.model.layout.x[name]
            now = ahead[..., reads]
            ahead[..., at] = part.follow(x[at], np.broadcast_to(x[reads], now.shape), now)
        return ahead

    def followed(self, x: Array) -> dict[str, float]:
        """The angles that conditions count over many turns."""
        names = self.linkage.conditions.near
        return {name: float(x[self.model.layout.x[angle_variable(name)]][0]) for name in names}

    def angles(self, x: Array) -> dict[str, float]:
        """The angles of joints with springs, stops or boxes along them, continuous over many turns, by their turns."""
        m, found = self.definition, dict[str, float]()
        stored = [(part.variable, part.coordinates) for part in m.joint_elements if part.energy is not None]
        stored += [(stop.variable, (stop.at,)) for stop in m.stops]
        stored += [(variable, (one,)) for box in m.boxes for variable, one in box.joint_states.items()]
        for variable, coordinates in stored:
            values = x[self.model.layout.x[variable]]
            found |= {turn_name(one): float(value) for one, value in zip(coordinates, values, strict=True) if one.turns}
        return found

    def energy(self, x: Array) -> float:
        """Potential energy of gravity and springs [J]."""
        return float(self.model.H(x))

    def forces(self, x: Array) -> Array:
        """Generalised forces on all velocities, without those of joints, (..., n)."""
        model, z, u = self.model, self.model.z(x), self._base
        if model.feedback:
            u = model.supplied(0.0, x, z, u, Instant(model, x, model.followed_angles(x, self._turned)))
        return model.flow(x, z, u)[..., self._velocities]

    def force_sizes(self, x: Array) -> Array:
        """Sums of the absolute values of all terms in `forces`: what they may cancel to, (n,)."""
        z, total = np.abs(self.model.z(x)), np.zeros(self.model.layout.total)
        for part in self.model.routings:
            total[self.model.acts(part)] += np.abs(part.J(self.model.local(part, x)[0])) @ z[self.model.acts(part)]
        return total[self._velocities]

    def work(self, x: Array, ahead: Array, delta: Array) -> float:
        """What inputs do along an increment between two states [J], by the mean of their forces."""
        if not self._loaded:
            return 0.0
        return 0.5 * float(delta @ (self._input_forces(x) + self._input_forces(ahead)))

    def _input_forces(self, x: Array) -> Array:
        return self.forces(x) - self.model.flow(x, self.model.z(x), np.zeros_like(self._base))[self._velocities]

    def size(self, x: Array) -> float:
        """How far bodies, and the points of the ground that hold them, are from their middle [m], in x, y or z."""
        kinematics, m = self.linkage.kinematics, self.definition
        q = self.configuration(x)
        pairs: list[Joint | Element] = [*m.joints, *m.elements]
        fixed = [
            pair.frame_on(end)[1] for pair in pairs for end in (pair.parent, pair.child) if isinstance(end, Ground)
        ]
        points = np.array([*(q[part][:3] for part in kinematics.places), *fixed])
        return max(float(np.abs(points - points.mean(axis=0)).max()), self.linkage.length)

    def moments(self, sizes: Array) -> Array:
        """Of forces of such sizes where joints and springs hold the bodies, whatever the direction; zero besides, (n,).

        A force along its arm has no moment, but what a body that turns a little has is a part of force times arm.
        """
        found = np.zeros_like(sizes)
        for part, arm in zip(self.linkage.kinematics.columns, self._arms, strict=True):
            if part.stop - part.start == 6:
                found[part][:3] = arm * sizes[part][3:]
        return found

    @cached_property
    def _arms(self) -> Array:
        """How far from its centre of mass joints and springs hold each body, at most [m]."""
        kinematics, number = self.linkage.kinematics, {body.name: k for k, body in enumerate(self.linkage.bodies)}
        pairs: list[Joint | Element] = [*self.definition.joints, *self.definition.elements]
        found = np.zeros(len(number))
        for pair in pairs:
            for end in (pair.parent, pair.child):
                if not isinstance(end, Ground):
                    k = number[end.name]
                    arm = pair.frame_on(end)[1] - kinematics.as_built[kinematics.places[k]][:3]
                    found[k] = max(found[k], float(np.linalg.norm(arm)))
        return found

    def unbalance(self, x: Array, lam: Array) -> Array:
        """Cᵀλ - f, (..., n)."""
        kinematics, conditions = self.linkage.kinematics, self.linkage.conditions
        place: Placement = kinematics.place(self.configuration(x))
        pull = kinematics.transposed(kinematics.blocks(place), lam[..., : kinematics.m])
        if conditions.m:
            pull = pull + apply(transpose(conditions.dense(place.q)), lam[..., kinematics.m :])
        return pull - self.forces(x)

    def stiffness(self, x: Array, lam: Array) -> csr_array:
        """The derivative of `unbalance` along increments of all bodies at constant λ, symmetric, (n, n).

        By differences: bodies that have no neighbour in common are moved at the same time (Curtis, Powell, Reid, IMA J.
        Appl. Math. 13 (1974) 117).
        """
        import scipy.sparse

        kinematics, steps = self.linkage.kinematics, self._steps
        owner = np.repeat(np.arange(len(kinematics.bodies)), [part.stop - part.start for part in kinematics.columns])
        first = np.array([part.start for part in kinematics.columns])
        moved = [
            np.array([first[body] + k for body in group if first[body] + k < kinematics.columns[body].stop], np.intp)
            for group in self._groups
            for k in range(6)
        ]
        delta = np.zeros((len(moved), kinematics.n))
        for line, at in zip(delta, moved, strict=True):
            line[at] = steps[at]
        slopes = np.concatenate(
            [self._difference(x, lam, part) for part in np.array_split(delta, 1 + delta.size // MANY)]
        )
        rows, columns, values = [], [], []
        for slope, at in zip(slopes, moved, strict=True):
            for column in at:
                own = self._felt[owner[column]]
                rows.append(own)
                columns.append(np.full(len(own), column))
                values.append(slope[own] / steps[column])
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        K = scipy.sparse.csr_array(entries, shape=(kinematics.n, kinematics.n))
        return (0.5 * (K + K.T)).tocsr()

    def stiffness_noise(self, K: csr_array, terms: Array) -> csr_array:
        """Errors that `stiffness` may have, in the entries that it has, where forces are sums of such terms (n,)."""
        import scipy.sparse

        pattern = K.copy()
        pattern.data = np.ones_like(pattern.data)
        rows, columns = (scipy.sparse.diags_array(part) for part in (ROUNDINGS * EPS * terms, 1.0 / self._steps))
        return (rows @ pattern @ columns).tocsr()

    @cached_property
    def _steps(self) -> Array:
        """Of differences (n,)."""
        return STEP * np.where(self.linkage.turning, 1.0, self.linkage.length)

    def _difference(self, x: Array, lam: Array, delta: Array) -> Array:
        """Half the change of `unbalance` between increments Δ and -Δ, (k, n)."""
        q = self.linkage.kinematics.retract(self.configuration(x), np.stack([delta, -delta]))
        ahead, behind = self.unbalance(self.moved(x, q), lam)
        return 0.5 * (ahead - behind)

    @cached_property
    def _neighbours(self) -> list[set[int]]:
        """Of every body, itself and those that a joint, spring or condition connects it with."""
        number = {body.name: k for k, body in enumerate(self.linkage.bodies)}
        found = [{k} for k in range(len(number))]
        pairs: list[Joint | Element] = [*self.definition.joints, *self.definition.elements]
        for pair in pairs:
            if not isinstance(pair.parent, Ground) and not isinstance(pair.child, Ground):
                a, b = number[pair.parent.name], number[pair.child.name]
                found[a].add(b)
                found[b].add(a)
        for condition in self.definition.conditions:
            together = {number[mover.name] for mover in condition.movers}
            for k in together:
                found[k] |= together
        return found

    @cached_property
    def _felt(self) -> list[NDArray[np.intp]]:
        """Velocities whose forces change if a body moves."""
        columns = self.linkage.kinematics.columns
        return [
            np.concatenate([np.arange(columns[k].start, columns[k].stop) for k in sorted(near)])
            for near in self._neighbours
        ]

    @cached_property
    def _groups(self) -> list[list[int]]:
        """Bodies without common neighbours, first come, first served."""
        groups: list[list[int]] = []
        taken: list[set[int]] = []
        for body, near in enumerate(self._neighbours):
            for group, used in zip(groups, taken, strict=True):
                if not used & near:
                    group.append(body)
                    used |= near
                    break
            else:
                groups.append([body])
                taken.append(set(near))
        return groups


def _still(model: Model, state: State) -> Array:
    """A state of a run, of either form, in Lie form and at rest: all variables but velocities as they are."""
    x = np.zeros(model.layout.size)
    for name, at in model.layout.x.items():
        if name not in model.kinetic:
            x[at] = state.x[state.places[name]]
    return x
