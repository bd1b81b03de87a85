"""Kinds of what users give: the right one, or an error that says what was expected."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from visviva.errors import ModelError

T = TypeVar("T")
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def of_kind(value: Any, kind: type[T] | tuple[type[T], ...], what: str, wanted: str) -> T:
    """The value, if it is of a kind.

    what: how the error calls it.   wanted: what it should be, e.g. "a Parameterisation".
    """
    if not isinstance(value, kind):
        raise ModelError(f"{what} must be {wanted}, got {_shown(value)}.")
    return value


def all_of_kind(values: Any, kind: type[T] | tuple[type[T], ...], what: str, wanted: str) -> tuple[T, ...]:
    """A tuple of values that are all of a kind.   what: one of them, e.g. "a spring"."""
    if isinstance(values, kind) or not isinstance(values, Iterable):
        raise ModelError(f"{what}: give a list of them, each {wanted}; got {_shown(values)}.")
    return tuple(of_kind(value, kind, what, wanted) for value in values)


def by_name(values: Any, what: str, example: str) -> Mapping[Any, Any]:
    """A mapping from names, or an error with an example of one."""
    return of_kind(values, Mapping, what, f"a dict such as {example}")


def function(value: Any, what: str, arguments: str) -> Callable[..., Any]:
    """Something that can be called with some arguments."""
    if not callable(value):
        raise ModelError(f"{what} must be a function of ({arguments}), got {_shown(value)}.")
    found: Callable[..., Any] = value
    return found


def function_in_order(value: Any, what: str, arguments: str) -> Callable[..., Any]:
    """Something that is called with some arguments in this order, whatever it calls them, unless it mixes them up."""
    found, order = function(value, what, arguments), arguments.split(", ")
    try:
        own = [name for name, each in inspect.signature(found).parameters.items() if each.kind in _BY_PLACE]
    except (TypeError, ValueError):  # what is written in C has no signature
        return found
    if any(name in order and order.index(name) != place for place, name in enumerate(own[: len(order)])):
        raise ModelError(
            f"{what} is called with ({arguments}), in this order; its arguments are ({', '.join(own)}).\n"
            "Write them in this order, or give them other names."
        )
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
