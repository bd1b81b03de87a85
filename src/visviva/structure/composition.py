"""Structures joined at their ports, and what is left to the outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.linear import block_diagonal
from visviva.structure.dirac import Dirac
from visviva.structure.pivots import close_entries, strong_inputs
from visviva.structure.ports import Ports, checked_ports, known, mask, quoted, spans, unique
from visviva.structure.representations import input_output_matrix

Zero = Literal["flow", "effort"]


def direct_sum(structures: Mapping[str, Dirac]) -> Dirac:
    """Structures side by side; port p of structure a becomes 'a.p'."""
    names = [f"{box}.{port}" for box, structure in structures.items() for port in structure.ports]
    unique(names, "the sum")
    dims = [dim for structure in structures.values() for dim in structure.ports.values()]
    F, E = (block_diagonal([getattr(s, name) for s in structures.values()]) for name in ("F", "E"))
    return Dirac(F, E, dict(zip(names, dims, strict=True)))


def compose(
    structures: Mapping[str, Dirac], junctions: Mapping[str, Sequence[str]], outer: Iterable[str] = ()
) -> Dirac:
    """Structures joined at junctions, as one structure over the ports that stay open.

    junctions: name and the ports 'a.p' that meet there. They have equal efforts, and flows that sum to zero;
               two ports a, b thus have e_a = e_b and f_a = -f_b.
    outer:     junctions that are a port of the result, with that effort, and with the sum of the flows as its flow.

    The result does not depend on the order in which one joins, and exists for any wiring: constraints that repeat
    each other leave multipliers undetermined, never the structure.

    Limits: a coupling below 1e-12 of the others counts as absent.
    Source: Lohmayer, Capobianco and Leyendecker (4) for junctions. Stramigioli, Maschke and Bidard (33) intersect,
    which leaves too little; the joined variables must be eliminated.
    """
    ports = direct_sum(structures).ports
    outer = _known_junctions(outer, junctions)
    joined = _joined(junctions, ports)
    kept = {name: name for name in ports if name not in joined}
    kept |= {members[0]: junction for junction, members in junctions.items() if junction in outer}
    unique(kept.values(), "the composite")
    F, E, found = list[Array](), list[Array](), dict[str, int]()
    box_of = {f"{box}.{port}": box for box, structure in structures.items() for port in structure.ports}
    for boxes in _clusters(box_of, junctions):
        own = {junction: members for junction, members in junctions.items() if box_of[members[0]] in boxes}
        part = _composed(direct_sum({box: structures[box] for box in boxes}), own, outer)
        F, E, found = [*F, part.F], [*E, part.E], found | part.ports
    return Dirac(block_diagonal(F), block_diagonal(E), found).permute(*kept).rename(kept)


def _composed(parts: Dirac, junctions: Mapping[str, Sequence[str]], outer: Sequence[str]) -> Dirac:
    """Structures that are joined to each other, over the ports that are left; outer junctions by their first port."""
    Z, at = parts.to_basis(), spans(parts.ports)
    f, e = np.split(Z, 2)
    zero: dict[str, Zero] = {}
    for junction, (first, *others) in junctions.items():
        # Pairs (Σf, e_first) and (f_i, e_i - e_first) have the same power as the pairs (f, e).
        for other in others:
            f[at[first]] += f[at[other]]
            e[at[other]] -= e[at[first]]
            zero[other] = "effort"
        if junction not in outer:
            zero[first] = "flow"
    return _closed(Z, parts.ports, zero)


def _clusters(box_of: Mapping[str, str], junctions: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Structures that junctions join, by the structure of each port: what is apart does not round by other numbers."""
    cluster = {box: [box] for box in box_of.values()}
    for members in junctions.values():
        first, *others = (box_of[member] for member in members)
        for other in others:
            if cluster[first] is not cluster[other]:
                cluster[first].extend(cluster[other])
                for box in cluster[other]:
                    cluster[box] = cluster[first]
    return list({id(boxes): boxes for boxes in cluster.values()}.values())


def close(structure: Dirac, port: str, zero: Zero) -> Dirac:
    """The structure without a port at which flow or effort is held at zero: an open or a shorted port.

    A body without inertia takes no wrench; where wrenches are efforts, close its port with zero="effort".
    """
    if zero not in ("flow", "effort"):
        raise ModelError(f"port '{port}' is closed by zero='flow' or zero='effort', got {zero!r}.")
    known((port,), structure.ports)
    return _closed(structure.to_basis(), structure.ports, {port: zero})


def wire(a: str, b: str, dim: int = 1) -> Dirac:
    """e_a = e_b and f_a = -f_b: what joins two ports and changes nothing."""
    unique((a, b), "the wire")
    checked_ports({a: dim, b: dim})
    return transformer(np.eye(dim), a, b)


def transformer(M: ArrayLike, a: str, b: str) -> Dirac:
    """f_b = -M f_a and e_a = Mᵀ e_b with M (dim b, dim a): flows are mapped one way, efforts the other.

    Joined to a port with the flow f and the effort e it shows M f at b, and gives Mᵀ e_b.
    """
    unique((a, b), "the transformer")
    M = finite_array(M, "M of the transformer", (None, None))
    if M.ndim != 2:
        raise ModelError(f"M of the transformer must be one matrix, got shape {M.shape}.")
    rows, columns = M.shape
    J = np.block([[np.zeros((columns, columns)), -M.T], [M, np.zeros((rows, rows))]])  # f_a and e_b in
    return Dirac.input_output(J, {a: columns, b: rows}, effort_in=(b,))


def _closed(Z: Array, ports: Ports, zero: Mapping[str, Zero]) -> Dirac:
    """The structure with basis Z after flow or effort of some ports is set to zero and the ports are forgotten."""
    effort_in, at = strong_inputs(Z), spans(ports)
    held = [(entry, kind == "effort") for p, kind in zero.items() for entry in range(at[p].start, at[p].stop)]
    J, effort_in = close_entries(input_output_matrix(Z, effort_in, ports), effort_in, held)
    left = ~mask(zero, ports)
    entries = {str(entry): 1 for entry in np.flatnonzero(left)}
    taking = [str(entry) for entry in np.flatnonzero(left & effort_in)]
    D = Dirac.input_output(J[np.ix_(left, left)], entries, taking)
    return Dirac(D.F, D.E, {name: dim for name, dim in ports.items() if name not in zero})


def _known_junctions(outer: Iterable[str], junctions: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    outer = (outer,) if isinstance(outer, str) else tuple(outer)
    for name in outer:
        if name not in junctions:
            raise ModelError(f"outer port '{name}' is no junction; the junctions are {quoted(junctions)}.")
    return outer


def _joined(junctions: Mapping[str, Sequence[str]], ports: Ports) -> dict[str, str]:
    """The junction of each port that has one."""
    joined: dict[str, str] = {}
    for junction, members in junctions.items():
        if isinstance(members, str) or not members:
            raise ModelError(f"junction '{junction}' must list its ports, got {members!r}; write ('a.p', 'b.q').")
        for member in known(members, ports):
            if member in joined:
                raise ModelError(
                    f"port '{member}' is at the junctions '{joined[member]}' and '{junction}'.\n"
                    "A port meets one junction, once: merge the two, or join them by a wire."
                )
            joined[member] = junction
        dims = {member: ports[member] for member in members}
        if len(set(dims.values())) > 1:
            found = ", ".join(f"'{name}' ({dim})" for name, dim in dims.items())
            raise ModelError(f"junction '{junction}' joins ports of different dimension: {found}.")
    return joined
