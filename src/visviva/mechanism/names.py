"""Names given by the user: one namespace per mechanism, and helpful answers to a wrong one."""

from __future__ import annotations

from collections.abc import Container, Iterable

from visviva._suggestions import hint_of
from visviva.errors import ModelError

RESERVED = frozenset(
    {"energy", "entropy", "entropy_stored", "environment", "exergy", "first_law", "g", "g_v", "ground", "heat"}
    | {"local_error", "loop_margin", "momentum", "newton", "second_law", "step_size", "t", "work"}
)

COUPLINGS = frozenset({"gear", "rack", "coupler"})  # their results are "<name>.reaction" and the like: g may be one


def check_new_name(name: object, taken: Iterable[str], what: str) -> str:
    """`name` if it can be given to a new part, else an error."""
    if not isinstance(name, str) or not name or name != name.strip():
        raise ModelError(f"the name of a {what} must be a non-empty string without blanks at its ends, got {name!r}.")
    if "." in name or any(mark in name for mark in "*?[]"):
        raise ModelError(
            f"the name {name!r} of a {what} has one of the characters . * ? [ ] in it.\n"
            "Results are addressed by dotted names such as 'rod.r', and patterns such as '*.r': use another name."
        )
    if name in RESERVED and not (name == "g" and what in COUPLINGS):
        reserved = ", ".join(sorted(RESERVED))
        raise ModelError(f"the name {name!r} of a {what} is reserved for results ({reserved}): use another name.")
    if name in taken:
        raise ModelError(f"the name {name!r} is taken already. Names are unique within a mechanism: use another one.")
    return name


def split_name(text: str, parts: Container[str]) -> tuple[str, str]:
    """The part that a dotted name begins with, and the rest: ("left.hinge", "q[1]") of "left.hinge.q[1]".

    Parts of modules have dots in their names: the longest beginning that is a part is meant, the first word if none is.
    """
    part, rest = text, ""
    while part not in parts and "." in part:
        part, _, word = part.rpartition(".")
        rest = f"{word}.{rest}" if rest else word
    return part, rest


def unknown_name(name: str, known: Iterable[str], where: str) -> ModelError:
    """The error for a name that is not there, with the nearest ones that are."""
    return ModelError(f"{where} has no {name!r}. {hint_of(name, known)}")
