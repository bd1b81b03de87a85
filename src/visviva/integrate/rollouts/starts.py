"""Where the members of a rollout start: a list, arrays by name, or coordinates and velocities of the joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError, VisvivaError
from visviva.integrate.integrator import Advancing
from visviva.integrate.repeated import AbstractCoordinated, with_member
from visviva.model import State

Start = Callable[[Any, int], State]


def first_axis(values: Mapping[Any, Any], what: str) -> dict[str, int]:
    """How many members values by name have, of those that are not one for all."""
    if not isinstance(values, Mapping):
        raise ModelError(f"{what}s of a rollout are given by name, with the member as first axis, got {values!r}.")
    return {f"{what} {name!r}": len(value) for name, value in values.items() if _axes(value, f"{what} {name!r}")}


def _axes(value: Any, what: str) -> int:
    """Number of axes of a value, or an error where it has rows of different lengths."""
    try:
        return np.ndim(value)
    except ValueError as error:
        raise ModelError(f"{what} of a rollout is no array: its rows have different lengths, {value!r}.") from error


def of_member(values: Mapping[Any, Any], i: int) -> dict[Any, Any]:
    """Values by name of one member."""
    return {name: _of(value, i) for name, value in values.items()}


def start_states(
    initial: Any, counts: dict[str, int], start: Start, stepping: Callable[[], Advancing] | None
) -> list[State]:
    """The states that members start from.

    counts: how many members other arguments have, by what they are called.   start: that of a member, from what
    `Simulator.reset` takes.   stepping: what makes the steps of all of them, if it is one.
    """
    if is_coordinates(initial):
        q, v = (np.array(part, dtype=np.float64) for part in initial)
        members = members_in({"q": len(q), "v": len(v)} | counts)
        return _at_coordinates(q, v, members, start, stepping)
    if isinstance(initial, Mapping):
        members = members_in(first_axis(initial, "initial") | counts, _scalars(initial))
        each = [of_member(initial, i) for i in range(members)]
    elif isinstance(initial, Sequence | np.ndarray) and not isinstance(initial, str):
        members = members_in({"initial": len(initial)} | counts)
        each = [initial[i if len(initial) > 1 else 0] for i in range(members)]
    else:
        members = members_in(counts, ["initial"])
        each = [initial] * members
    return [_started(start, one, i, members) for i, one in enumerate(each)]


def is_coordinates(initial: Any) -> bool:
    """Whether starts are arrays (q, v) of all members; a tuple of two pairs (q, v) is two starts."""
    if not isinstance(initial, tuple) or len(initial) != 2 or any(isinstance(part, tuple) for part in initial):
        return False
    return all(_axes(part, name) == 2 for part, name in zip(initial, "qv", strict=True))


def starts_in(initial: Any) -> dict[str, int]:
    """How many members starts are of, by what they are called, where they say it."""
    if isinstance(initial, Mapping):
        return first_axis(initial, "initial")
    if is_coordinates(initial):
        return {name: len(part) for name, part in zip("qv", initial, strict=True)}
    return {"initial": len(initial)} if isinstance(initial, Sequence) and not isinstance(initial, str) else {}


def members_in(counts: dict[str, int], others: Sequence[str] = ()) -> int:
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
        return start(initial, i)
    except VisvivaError as error:
        raise with_member(error, i, members) from error


def _at_coordinates(
    q: Array, v: Array, members: int, start: Start, stepping: Callable[[], Advancing] | None
) -> list[State]:
    for name, values in (("q", q), ("v", v)):
        if not np.isfinite(values).all():
            i, k = np.argwhere(~np.isfinite(values))[0]
            raise ModelError(f"member {i} of {members} (from 0) cannot start: {name}[{i}, {k}] is {values[i, k]}.")
    q, v = (np.array(np.broadcast_to(part, (members, part.shape[1]))) for part in (q, v))
    steps: object = None if stepping is None else stepping()
    if not isinstance(steps, AbstractCoordinated):
        return [_started(start, (q[i], v[i]), i, members) for i in range(members)]
    nq, nv = steps.sizes()
    if q.shape[1] != nq or v.shape[1] != nv:
        raise ModelError(
            f"arrays (q, v) of a rollout have the shapes (B, {nq}) and (B, {nv}), in the order of\n"
            f"vv.dynamics(m).q_names and .names; got {q.shape} and {v.shape}."
        )
    return steps.starts(q, v, start(None, 0))
