"""Named ports side by side: where each one lies in the vectors of all flows and of all efforts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate

import numpy as np

from visviva._arrays import Mask
from visviva.errors import ModelError

Ports = dict[str, int]  # name and dimension of each port, in order


def checked_ports(ports: Mapping[str, int]) -> Ports:
    """A copy of the ports, or an error if a dimension is no positive integer."""
    for name, dim in ports.items():
        if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or dim < 1:
            raise ModelError(f"the dimension of port '{name}' must be a positive integer, got {dim!r}.")
    return {name: int(dim) for name, dim in ports.items()}


def total(ports: Ports) -> int:
    """Dimension of the space of flows."""
    return sum(ports.values())


def spans(ports: Ports) -> dict[str, slice]:
    """The entries of each port in the vector of all flows, or of all efforts."""
    stops = accumulate(ports.values())
    return {name: slice(stop - dim, stop) for (name, dim), stop in zip(ports.items(), stops, strict=True)}


def known(names: Iterable[str], ports: Ports) -> tuple[str, ...]:
    """The names, or an error that says which ports there are."""
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in ports:
            raise ModelError(f"there is no port '{name}'; the ports are {quoted(ports)}.")
    return names


def mask(names: Iterable[str], ports: Ports) -> Mask:
    """True at the entries of the named ports, shape (n,)."""
    at, chosen = spans(ports), np.zeros(total(ports), dtype=np.bool_)
    for name in known(names, ports):
        chosen[at[name]] = True
    return chosen


def owners(chosen: Mask, ports: Ports) -> list[str]:
    """The ports that have a chosen entry."""
    return [name for name, at in spans(ports).items() if chosen[at].any()]


def unique(names: Iterable[str], what: str) -> None:
    """An error if a name appears twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ModelError(f"{what} has a port twice: {quoted(twice)}. Names are unique.")


def quoted(names: Iterable[str]) -> str:
    """'a', 'b', for messages."""
    return ", ".join(f"'{name}'" for name in names) or "none"
