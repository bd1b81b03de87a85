"""Minimal coordinates read from the states that models, runs and assemblies have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array, finite_vector
from visviva.compiler import initial_x
from visviva.errors import AssemblyError
from visviva.forms.minimal.closing import SMALL, check_state
from visviva.forms.minimal.constrained import constrained
from visviva.forms.minimal.point import Point
from visviva.forms.minimal.state import Coordinates
from visviva.geometry import SO3
from visviva.geometry.quaternion import quaternion
from visviva.geometry.turning import continued
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion, motion_of
from visviva.mechanism.coordinates import POSES, movers
from visviva.mechanism.joint_coordinates import built_turns, coordinate_values, turn_names
from visviva.mechanism.other_states import other_states
from visviva.mechanism.parts import Body, Joint
from visviva.mechanism.spanning.links import pose
from visviva.model import State
from visviva.model.driven import row_inputs
from visviva.results import Run

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm

OFF = 1e-8  # [of the extent] that a body may be away from where the tree would have it


def coordinates(form: MinimalForm, state: Any) -> Coordinates:
    """(q, ξ, s) of a state x of the Lie model, a `State` of either form, or what else is a state of a mechanism.

    A configuration that violates a joint is an error that names it, and so are such velocities. Only those of a
    `State` are projected, in the metric of kinetic energy: schemes with directors keep velocities between the steps
    on the constraints, not at their ends.
    """
    state = state.final if isinstance(state, Run) else state
    x, V, angles, t = _given(form, state)
    q = _positions(form, x, angles)
    s = form.states.s_of(x)
    point = Point(form, q, np.zeros(form.n), s)
    _check_places(form, x, point.x)
    u = form.inputs(t)
    exact = not isinstance(state, State)
    metric = np.where(form.linkage.turning, form.linkage.length**2, 1.0) if exact else form.linkage.metric
    M = point.S.T @ (metric[:, None] * point.S)
    rows = -row_inputs(form.open, point.x, u)
    who, terms = f"mechanism {form.name!r}", point.row_terms
    force = point.S.T @ (metric * V)
    here = lambda: form.rank_at(q)  # noqa: E731
    xi = constrained(M, point.Z, force, rows, form.xi_names, who, form.rank, terms, here, form.lengths).a
    if exact:
        moving = Point(form, q, xi, s)
        check_state(form, moving, u)
        _check_velocities(form, V, point.S @ xi)
        _check_tied(form, x, moving.x)
    return Coordinates(q, xi, s)


def motion_at_point(form: MinimalForm, point: Point) -> Motion:
    """Poses, velocities, angles, currents and temperatures; angles of cut joints with the turns that s has, if any."""
    model, m = form.model, form.definition
    values = {name: point.x[at] for name, at in model.layout.x.items()}
    at = {(place.joint.name, place.coordinate): place.q for place in form.spanning.places if place.joint is not None}
    known = {place: values[name][0] for name, place in form.states.angles.items()}
    angles: dict[str, float] = {}
    for joint in m.joints:
        for name, angle in turn_names(joint).items():
            k = joint.joint.coordinates.index(angle)
            place = at.get((joint.name, k))
            angles[name] = float(point.q[place][0]) if place else _named(form, joint, k, point.x, known, {})
    q, V = ({part.name: values[f"{part.name}.{letter}"] for part in m.bodies} for letter in "qv")
    return Motion(q, V, angles, other_states(m, values))


def _given(form: MinimalForm, state: Any) -> tuple[Array, Array, dict[str, float], float]:
    """State of the Lie model, velocities of all bodies, known angles by turn, and time."""
    model = form.model
    at = model.layout.read(tuple(model.kinetic))
    if isinstance(state, State) and state.places == model.layout.x:
        turns = [turn.name for turn in model.turns]
        return state.x, state.x[at], dict(zip(turns, state.angles.tolist(), strict=True)), state.t
    if isinstance(state, State):
        motion = state.motion_of(form.definition)
        x = initial_x(model, motion, inside=False)
        moving = {f"{body.name}.{letter}" for body in form.definition.bodies for letter in "qv"}
        for name, own in model.layout.x.items():
            if name not in moving:
                x[own] = state.x[state.places[name]]
        return x, x[at], motion.angles, state.t
    if isinstance(state, np.ndarray):
        x = finite_vector(state, f"state x of {form.name!r}", model.layout.size)
        return x, x[at], {}, 0.0
    motion = motion_of(form.definition, state, "the initial state")
    x = initial_x(model, motion)
    return x, x[at], motion.angles, 0.0


def _positions(form: MinimalForm, x: Array, angles: dict[str, float]) -> Array:
    """Coordinates of all links, from the poses of the bodies."""
    model, q = form.model, np.zeros(form.size_q)
    known = {place: x[model.layout.x[name]][0] for name, place in form.states.angles.items()}
    links, places = form.tree.links, form.spanning.places
    R, r = [np.eye(3)] * (len(links) + 1), [np.zeros(3)] * (len(links) + 1)
    for k, (link, place) in enumerate(zip(links, places, strict=True)):
        R_WJ = R[link.parent] @ link.X_PJ[:3, :3]
        r_WJ = r[link.parent] + R[link.parent] @ link.X_PJ[:3, 3]
        if place.joint is not None and place.coordinate is not None:
            q[place.q] = _named(form, place.joint, place.coordinate, x, known, angles)
        else:
            R_WL, r_WL = _target(form, k, x)
            if link.kind == "slider":
                q[place.q] = R_WJ[:, 2] @ (r_WL - r_WJ)
            elif link.kind == "ball":
                q[place.q] = quaternion(SO3.nearest(R_WJ.T @ R_WL).R)
            elif link.kind == "free":
                q[place.q] = np.concatenate([R_WJ.T @ (r_WL - r_WJ), quaternion(SO3.nearest(R_WJ.T @ R_WL).R)])
        R_JL, r_JL = pose(link, q[place.q])
        R[k], r[k] = R_WJ @ R_JL, r_WJ + R_WJ @ r_JL
    return q


def _named(
    form: MinimalForm,
    joint: Joint,
    coordinate: int,
    x: Array,
    known: dict[tuple[Joint, int], float],
    angles: dict[str, float],
) -> float:
    """A coordinate of a joint; of an angle the turns that are known."""
    movers_q = np.concatenate([x[form.model.layout.x[f"{end.name}.q"]] for end in movers(joint)])
    value = float(coordinate_values(joint, movers_q)[coordinate])
    part = joint.joint.coordinates[coordinate]
    if not isinstance(part, Angle):
        return value
    turn = next(name for name, angle in turn_names(joint).items() if angle == part)
    near = angles.get(turn, known.get((joint, coordinate), built_turns(joint)[turn]))
    return float(continued(np.asarray(value), np.asarray(near)))


def _target(form: MinimalForm, k: int, x: Array) -> tuple[Array, Array]:
    """Orientation and origin in the world of a link, from the body that its joint carries.

    What follows the link within the joint are sliders, which do not turn.
    """
    body = form.spanning.places[k].carrier
    b = form.definition.bodies.index(body)
    coordinates = x[form.model.layout.x[f"{body.name}.q"]]
    if not isinstance(body, Body):
        return np.eye(3), coordinates
    last = form.spanning.link[body.name]
    R_WL = POSES.rotation(coordinates) @ form.R_LC[b].T
    r_WL = POSES.translation(coordinates) - R_WL @ form.arm[b]
    for later in range(last, k, -1):
        R_WL = R_WL @ form.tree.links[later].X_PJ[:3, :3].T
    return R_WL, r_WL


def _check_places(form: MinimalForm, x: Array, reached: Array) -> None:
    """An error if the tree does not reach the bodies where the state has them."""
    gaps = {}
    extent = 1.0
    for body in form.definition.bodies:
        at = form.model.layout.x[f"{body.name}.q"]
        gaps[body.name] = float(np.abs(x[at] - reached[at]).max())
        extent = max(extent, float(np.abs(x[at][:3]).max()))
    for place in form.spanning.places:  # from the ground outwards: the first one is the cause
        if gaps[place.carrier.name] > OFF * extent:
            joint = "its pose is no rotation" if place.joint is None else f"violates joint {place.joint.name!r}"
            raise AssemblyError(
                f"the state of mechanism {form.name!r} {joint}: {place.carrier.name!r} is off by "
                f"{gaps[place.carrier.name]:.3g}.\nStart from a consistent configuration, e.g. that of m.assemble()."
            )


def _check_tied(form: MinimalForm, x: Array, reached: Array) -> None:
    """An error for a momentum in a box that does not belong to the velocity of its joint."""
    for name in () if form.inner is None else form.inner.tied:
        at = form.model.layout.x[name]
        gap, size = float(np.abs(x[at] - reached[at]).max()), float(np.abs(reached[at]).max())
        if gap > OFF * max(size, SMALL):
            raise AssemblyError(
                f"the state {name!r} of mechanism {form.name!r} is {x[at][0]:.4g}, but the joint that it is tied to "
                f"moves so that it is {reached[at][0]:.4g}.\nLeave it out: it follows from the velocities."
            )


def _check_velocities(form: MinimalForm, V: Array, reached: Array) -> None:
    fastest = float(np.abs(V).max(initial=0.0))
    gap = np.abs(V - reached)
    if gap.max(initial=0.0) <= OFF * max(fastest, SMALL):
        return
    widths = np.cumsum([6 if rigid else 3 for rigid in form.rigid])
    body = form.definition.bodies[int(np.searchsorted(widths, int(gap.argmax()), side="right"))]
    raise AssemblyError(
        f"the velocities of mechanism {form.name!r} violate its joints: that of {body.name!r} is off by "
        f"{gap.max():.3g}.\nStart from consistent ones, e.g. those of m.assemble()."
    )
