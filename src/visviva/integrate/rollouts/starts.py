"""Where the members of a rollout start: a list, arrays by name, or coordinates and velocities of the joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva._arrays import Array, with_own_arrays
from visviva.errors import ModelError, VisvivaError
from visviva.integrate.integrator import Advancing
from visviva.integrate.repeated import AbstractCoordinated, with_member
from visviva.model import State

Start = Callable[[Any], State]


def start_states(initial: Any, counts: dict[str, int], start: Start, stepping: Callable[[], Advancing]) -> list[State]:
    """The states that members start from.

    counts: how many members other arguments have, by what they are called.   start: as `Simulator.reset` takes it.
    stepping: what makes the steps, whose coordinates arrays (q, v) are in.
    """
    if isinstance(initial, tuple) and len(initial) == 2 and all(np.ndim(part) == 2 for part in initial):
        q, v = (np.array(part, dtype=np.float64) for part in initial)
        members = _members({"q": len(q), "v": len(v)} | counts, [])
        return _at_coordinates(q, v, members, start, stepping())
    if isinstance(initial, Mapping):
        lengths = {f"initial {name!r}": len(value) for name, value in initial.items() if np.ndim(value)}
        members = _members(lengths | counts, _scalars(initial))
        each = [{name: _of(value, i) for name, value in initial.items()} for i in range(members)]
    elif isinstance(initial, Sequence | np.ndarray) and not isinstance(initial, str):
        members = _members({"initial": len(initial)} | counts, [])
        each = [initial[i if len(initial) > 1 else 0] for i in range(members)]
    else:
        members = _members(counts, ["initial"])
        one = start(initial)
        return [one if i == 0 else with_own_arrays(one, writeable=True) for i in range(members)]
    return [_started(start, one, i, members) for i, one in enumerate(each)]


def _members(counts: dict[str, int], others: list[str]) -> int:
    """How many there are, or an error that says who has how many."""
    several = {what: count for what, count in counts.items() if count != 1}
    if len(set(several.values())) > 1 or 0 in several.values():
        found = ", ".join(f"{what} {count}" for what, count in counts.items())
        raise ModelError(
            f"the arguments of a rollout are of different numbers of members: {found}.\n"
            "The first axis of all arrays is the member; length 1 is for all of them."
        )
    if not counts:
        names = f" ({', '.join(others)} is one for all)" if others else ""
        raise ModelError(
            f"nothing says how many runs a rollout is{names}. Give a list of starts, or arrays whose first axis is the "
            'member:\nsim.rollout({"hinge.q": np.linspace(-1, 1, 100)}, steps=1000).'
        )
    return max(several.values(), default=1)


def _scalars(initial: Mapping[Any, Any]) -> list[str]:
    return [f"initial {name!r}" for name, value in initial.items() if not np.ndim(value)]


def _of(value: Any, i: int) -> Any:
    """A value of one member; as a plain number where it is one."""
    if not np.ndim(value):
        return value
    own = value[i if len(value) > 1 else 0]
    return float(own) if np.ndim(own) == 0 and isinstance(own, np.floating) else own


def _started(start: Start, initial: Any, i: int, members: int) -> State:
    try:
        return start(initial)
    except VisvivaError as error:
        raise with_member(error, i, members) from error


def _at_coordinates(q: Array, v: Array, members: int, start: Start, stepping: Advancing) -> list[State]:
    if not isinstance(stepping, AbstractCoordinated):
        raise ModelError(
            "arrays (q, v) are coordinates of schemes in minimal velocities: vv.RK4(), vv.DOP853(), vv.Gauss8(), "
            "vv.Relaxed().\nFor others give values by name, {'hinge.q': q[:, 0], 'hinge.rate': v[:, 0]}, or motions: "
            "[vv.analytical(m).motion(q[i], v[i]) for i in range(len(q))]."
        )
    nq, nv = stepping.sizes()
    if q.shape[1] != nq or v.shape[1] != nv:
        raise ModelError(
            f"arrays (q, v) of a rollout have the shapes (B, {nq}) and (B, {nv}), in the order of\n"
            f"vv.dynamics(m).q_names and .names; got {q.shape} and {v.shape}."
        )
    for name, values in (("q", q), ("v", v)):
        if not np.isfinite(values).all():
            i, k = np.argwhere(~np.isfinite(values))[0]
            raise ModelError(f"member {i} of {members} (from 0) cannot start: {name}[{i}, {k}] is {values[i, k]}.")
    q, v = (np.array(np.broadcast_to(part, (members, part.shape[1]))) for part in (q, v))
    return stepping.starts(q, v, start(None))
