"""The state a run starts from: as built, as given, or where another run ended; checked either way."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, with_own_arrays
from visviva.compiler import check_consistent, check_massless_motion, initial_x
from visviva.compiler.consistent import TOLERANCE, is_consistent
from visviva.errors import AssemblyError, ModelError
from visviva.integrate.integrator import AbstractIntegrator, Inputs
from visviva.integrate.names import row_name
from visviva.integrate.redundancy import ROW_TOLERANCE, select_rows, solved_rows
from visviva.mechanism import Motion
from visviva.mechanism.assembly import StateLike, assembled, coordinates, count_turns, motion_of
from visviva.mechanism.drives import check_drives
from visviva.mechanism.linkage import LIGHTEST, Linkage
from visviva.mechanism.positions import extent, is_closed
from visviva.mechanism.singular import regularity
from visviva.mechanism.topology import check_connected
from visviva.model import Model, State
from visviva.model.driven import row_inputs
from visviva.model.inner import inner_rows
from visviva.model.linked import configuration, linkage_in
from visviva.model.model import HUGE
from visviva.model.tangent import check_inertia, tangent_velocities
from visviva.numerics.saddle import Saddle
from visviva.results import Run
from visviva.results.notes import Caution

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Initial = State | StateLike | Mapping[str, ArrayLike] | None


def start_state(
    model: Model, initial: Initial, scheme: AbstractIntegrator, inputs: Inputs, linkage: Linkage | None = None
) -> tuple[State, list[str]]:
    """The state for `initial`, and notes on what had to change; linkage: that of the model, if it is known."""
    if isinstance(initial, Run):
        initial = initial.final
    if isinstance(initial, State) and not _is_of_other_form(model, initial):
        _check_same_model(model, initial)
        initial = with_own_arrays(initial, writeable=True)
        return _on_constraints(model, initial, inputs) if "g_v" in scheme.preserves else (initial, [])
    if initial is None and model.start:
        initial = model.start
    linkage = linkage_in(model) if linkage is None else linkage
    if isinstance(initial, State):
        return _converted(model, linkage, initial, inputs)
    motion = _motion(model, linkage, initial)
    x = initial_x(model, motion) if motion is not None else model.pack(_values(initial))
    if linkage is not None and motion is not None:
        count_turns(linkage, motion)
    _check_temperatures(model, x)
    model.check(x)
    _check_domain(model, x)
    moved: list[str] = []
    if model.coordinates:
        check_inertia(model, x)
        _check_g(model, x)
        x, moved = _with_tangent_velocities(model, x)
    along_tree = linkage is not None and linkage.is_tree and isinstance(initial, Mapping | tuple)
    if linkage is None or motion is None or _is_bound(model) or not (along_tree or _is_consistent(linkage, motion)):
        _check_g(model, x)
        check_consistent(model, x, model.supplied(0.0, x, model.z(x), inputs(0.0)))
    active, notes = _rows(model, linkage, x)
    state = State(
        x=x,
        w=np.zeros(len(model.kinds)),
        gam=np.zeros(0),
        taken=np.zeros(model.layout.total - model.layout.solved),
        angles=model.angles(x) if motion is None else np.array([motion.angles[turn.name] for turn in model.turns]),
        active=active,
        names=model.names,
        places=model.layout.x,
    )
    return state, [*moved, *notes]


def state_at(model: Model, values: Mapping[str, ArrayLike], t: float) -> State | Mapping[str, ArrayLike]:
    """Where a run of a Model without mechanism starts at time t: values by variable, from t = 0 [s] these alone."""
    if t == 0.0:
        return values
    x = model.pack(values)
    _check_domain(model, x)
    return State(
        x=x,
        w=np.zeros(len(model.kinds)),
        gam=np.zeros(0),
        taken=np.zeros(model.layout.total - model.layout.solved),
        angles=model.angles(x),
        active=_rows(model, None, x)[0],
        names=model.names,
        t0=t,
        places=model.layout.x,
    )


def _is_bound(model: Model) -> bool:
    """Whether boxes of a mechanism bind what does not follow from the motion: joints, and states of several numbers."""
    if model.definition is None:
        return False
    bound = {name for part in inner_rows(model) for name in part.acts} & (set(model.layout.x) - set(model.kinetic))
    vectors = any(model.layout.x[name].stop - model.layout.x[name].start > 1 for name in bound)
    return vectors or any(box.may_tie for box in model.definition.boxes)


def _check_domain(model: Model, x: Array) -> None:
    """An error that names an energy without a value at the start, such as q**1.5 at a negative q."""
    if model.is_quadratic and np.abs(x).max(initial=0.0) < HUGE:
        return
    with np.errstate(all="ignore"):
        found = {name: float(energy) for name, energy in model.energies(x).items()}
    outside = [name for name, energy in found.items() if not np.isfinite(energy)]
    if outside:
        values = ", ".join(
            f"{part.variable} = {np.array2string(x[model.layout.x[part.variable]], precision=4)}"
            for part in model.storages
            if part.name == outside[0]
        )
        raise ModelError(
            f"the energy {outside[0]!r} of {model.name!r} has no finite value where the run starts, at {values}.\n"
            "Start inside the domain of its energies and laws."
        )


def _is_of_other_form(model: Model, state: State) -> bool:
    """Whether a state is one of the same mechanism, integrated in another form: all variables but velocities agree."""
    if model.definition is None or state.names == model.names or set(state.places) != set(model.layout.x):
        return False
    sizes = [{name: at.stop - at.start for name, at in places.items()} for places in (state.places, model.layout.x)]
    return all(sizes[0][name] == size or name in model.kinetic for name, size in sizes[1].items())


def _converted(model: Model, linkage: Linkage | None, state: State, inputs: Inputs) -> tuple[State, list[str]]:
    """The state of a mechanism in another form: its motion, and all other variables as they are."""
    assert model.definition is not None
    motion = state.motion_of(model.definition)
    if linkage is not None:
        count_turns(linkage, motion)
    x = initial_x(model, motion, inside=False)
    moving = {f"{part.name}.{letter}" for part in model.definition.bodies for letter in "qv"}
    for name, at in model.layout.x.items():
        if name not in moving:
            x[at] = state.x[state.places[name]]
    return state_from(model, linkage, x, state, inputs)


def state_from(
    model: Model, linkage: Linkage | None, x: Array, before: State, inputs: Inputs
) -> tuple[State, list[str]]:
    """The state with variables x that goes on at the time of another one, once it satisfies all rows then."""
    _check_g(model, x)
    check_consistent(model, x, model.supplied(before.t, x, model.z(x), inputs(before.t)))
    active, notes = _rows(model, linkage, x)
    found = State(
        x=x,
        w=np.zeros(len(model.kinds)),
        gam=np.zeros(0),
        taken=before.taken.copy(),
        angles=before.angles.copy(),
        active=active,
        names=model.names,
        t0=before.t,
        places=model.layout.x,
    )
    return found, [*notes]


def _values(initial: object) -> Mapping[str, ArrayLike]:
    assert isinstance(initial, Mapping)
    return initial


def _motion(model: Model, linkage: Linkage | None, initial: object) -> Motion | None:
    """The motion of a mechanism, as given or as assembled; None where values of all variables were given."""
    if isinstance(initial, Mapping) and (model.definition is None or set(initial) == set(model.layout.x)):
        return None
    if model.definition is None:
        raise ModelError(f"simulate() of model {model.name!r} needs initial= with: {', '.join(model.layout.x)}.")
    if initial is None:
        check_connected(model.definition)
        return assembled(model.definition, linkage or Linkage(model.definition))[0]
    return motion_of(model.definition, initial, "the initial state")  # type: ignore[arg-type]


def _is_consistent(linkage: Linkage, motion: Motion) -> bool:
    """Whether a motion satisfies all joints, as fast as it can be said; the checks that name what fails are slower."""
    q, kinematics = coordinates(linkage, motion), linkage.kinematics
    if not is_closed(linkage, q, ROW_TOLERANCE * extent(linkage, q)):
        return False
    V = np.concatenate([motion.V[body.name] for body in linkage.bodies])
    if not V.any():
        return not linkage.speeds.any()
    C = linkage.matrix(kinematics.place(q))
    return bool(
        np.abs(C @ V - linkage.speeds).max(initial=0.0) <= TOLERANCE * float((abs(C) @ np.abs(V)).max(initial=0.0))
    )


def _rows(model: Model, linkage: Linkage | None, x: Array) -> tuple[Mask, list[Caution]]:
    """The rows that are solved, and a note if the start is a singular configuration."""
    if linkage is None:
        return select_rows(model, x), []
    if linkage.is_tree and not linkage.without_inertia.any():
        return np.ones(len(model.kinds), dtype=bool), []
    q = configuration(model, linkage, x)
    check_massless_motion(linkage, q)
    if linkage.is_tree:
        return np.ones(len(model.kinds), dtype=bool), []
    check_drives(linkage, q)
    found = regularity(linkage, q)
    way_out = "Start a little beside it, where the motion is the only one"
    notes = [Caution(f"start: {found.warning}. {way_out}.")] if found.warning else []
    return solved_rows(model, linkage, found.kept), notes


def _check_same_model(model: Model, state: State) -> None:
    fits = state.x.shape == (model.layout.size,) and state.w.shape == (len(model.kinds),)
    if not fits or state.names != model.names:
        raise ModelError(
            f"the initial state does not fit model {model.name!r}: it has {state.x.size} coordinates and "
            f"{state.w.size} multipliers of\n{', '.join(state.names)};\nthe model has {model.layout.size} and "
            f"{len(model.kinds)} of\n{', '.join(model.names)}.\n"
            "Continue with the same mechanism and the same kind of integrator."
        )


def _on_constraints(model: Model, state: State, inputs: Inputs) -> tuple[State, list[str]]:
    """The state with velocities projected on the constraints, in the metric of kinetic energy, if they are off them."""
    if model.coordinates:
        x, notes = _with_tangent_velocities(model, state.x)
        return (dataclasses.replace(state, x=x, rate=(), gam=np.zeros(0)), notes) if notes else (state, [])
    u = inputs(state.t)
    if is_consistent(model, state.x, u):
        return state, []
    places = model.layout.read(tuple(model.kinetic))
    M = np.concatenate([np.diag(model.mass(name, state.x)) for name in model.kinetic])
    M = np.maximum(M, LIGHTEST * M.max())  # where kinetic energy says nothing, the least change
    C, rates = _velocity_rows(model, state.x)[state.active], -row_inputs(model, state.x, u)[state.active]
    x = state.x.copy()
    v = x[places]
    x[places] = Saddle(M, C, np.zeros(C.shape[0], dtype=bool)).solve(M * v, rates)[0]
    note = f"initial velocities were projected on the constraints, by up to {np.abs(x[places] - v).max():.2g}"
    return dataclasses.replace(state, x=x, rate=(), gam=np.zeros(0)), [note]


def _with_tangent_velocities(model: Model, x: Array) -> tuple[Array, list[str]]:
    """The state of a Lagrangian system with velocities on its constraints, and a note if they were not."""
    if is_consistent(model, x):
        return x, []
    at = model.layout.x["v"]
    projected = x.copy()
    projected[at] = tangent_velocities(model, x)
    before, after = (", ".join(f"{value:.4g}" for value in end[at]) for end in (x, projected))
    return projected, [f"initial velocities were projected on the constraints: ({before}) became ({after})"]


def _velocity_rows(model: Model, x: Array) -> csr_array:
    """All constraint rows over the velocities of a model without junctions."""
    import scipy.sparse

    column = np.full(model.layout.total, -1, dtype=np.intp)
    column[model.layout.act(tuple(model.kinetic))] = np.arange(len(model.layout.act(tuple(model.kinetic))))
    rows, columns, values = [], [], []
    for part in model.constraints:
        C, at = part.C(model.local(part, x)[0]), column[model.acts(part)]
        own = np.arange(part.rows) + model.layout.z[part.name].start - model.layout.dim
        rows.append(np.repeat(own, (at >= 0).sum()))
        columns.append(np.tile(at[at >= 0], part.rows))
        values.append(C[:, at >= 0].ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.csr_array(entries, shape=(len(model.kinds), int(column.max()) + 1))


def _check_temperatures(model: Model, x: Array) -> None:
    temperatures = model.temperatures(model.z(x)) if model.is_thermal else {}
    for name, theta in temperatures.items():
        if not theta > 0:
            raise AssemblyError(
                f"the initial entropy at junction {name!r} of {model.name!r} means a temperature of {theta:.4g} K.\n"
                "Absolute temperatures are positive: start with more entropy, or check the energy U(s)."
            )


def _check_g(model: Model, x: Array) -> None:
    g = np.abs(model.g(x))
    relative = g / model.g_scale(x)
    if relative.max(initial=0.0) > ROW_TOLERANCE:
        worst = int(relative.argmax())
        name = row_name(model, worst + len(model.kinds) - len(g))
        way_out = "one whose q satisfies g(q) = 0" if model.coordinates else "e.g. the first result of m.assemble()"
        raise AssemblyError(
            f"the initial state violates the {name}: g = {g[worst]:.3g}, {relative[worst]:.3g} of its scale.\n"
            f"Start from a consistent configuration, {way_out}."
        )
