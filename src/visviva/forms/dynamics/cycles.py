"""Cycles: the joints of a tree that a row of its loops depends on.

What two frames are to each other depends on the joints between them, on the way from one up to where both ways meet and
down to the other. Rows of a loop that is open also turn with the joints that carry all of it, by as much as it is open:
they are the same condition in other axes, and no reason to move what carries it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from visviva._arrays import Array, Mask
from visviva.forms.minimal.form import MinimalForm
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.coordinates import movers
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.model.conditioned import Conditioned
from visviva.model.holonomic import Holonomic
from visviva.model.structure import AbstractConstraint


def row_cycles(form: MinimalForm) -> Mask:
    """Which velocities of the tree each row of what it does not hold depends on, (k, n)."""
    rows = [np.zeros((0, form.n), dtype=bool)]
    for part in form.open.constraints:
        rows.append(np.tile(_reached(form, part), (part.rows, 1)))
    return np.concatenate(rows)


def joint_cycle(form: MinimalForm, joint: Joint | ContactHeight) -> Mask:
    """Velocities that move both ends of a joint against each other, (n,)."""
    return _between(form, [mover.name for mover in movers(joint)])


def within(cycles: Mask, Z: Array) -> Array:
    """Rows over the velocities of their cycles alone."""
    return np.where(cycles, Z, 0.0)


def _reached(form: MinimalForm, part: AbstractConstraint) -> Mask:
    if isinstance(part, Holonomic):
        return _between(form, [name.removesuffix(".q") for name in part.reads])
    own = part.condition if isinstance(part, Conditioned) else None
    if isinstance(own, ContactHeight):
        return joint_cycle(form, own)
    if isinstance(own, Coupling):
        return _any(form, (joint_cycle(form, term.joint) for term in own.terms))
    carriers: Sequence[Body | Particle] = form.definition.bodies if own is None else own.movers
    return _any(form, (_path(form, carrier.name) for carrier in carriers))  # it may be about places in the world


def _between(form: MinimalForm, names: Sequence[str]) -> Mask:
    """Velocities between two carriers, or between one and the ground."""
    one, other = (_path(form, name) for name in (names[0], names[-1]))
    return one ^ other if len(names) == 2 else one


def _path(form: MinimalForm, name: str) -> Mask:
    """Velocities of all links from the ground to a carrier, (n,)."""
    found, k = np.zeros(form.n, dtype=bool), form.spanning.link[name]
    while k >= 0:
        found[form.spanning.places[k].xi] = True
        k = form.tree.links[k].parent
    return found


def _any(form: MinimalForm, masks: Iterable[Mask]) -> Mask:
    return np.logical_or.reduce([np.zeros(form.n, dtype=bool), *masks])
