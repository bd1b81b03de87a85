"""Kinds of what users give: the right one, or an error that says what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from visviva.errors import ModelError

T = TypeVar("T")


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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
