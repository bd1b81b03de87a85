"""The kinestatic network of a mechanism at an instant of a run."""

from __future__ import annotations

from visviva.errors import ModelError
from visviva.mechanism import Mechanism
from visviva.mechanism.assembly import Motion
from visviva.mechanism.network import MechanismNetwork, kinestatics_of
from visviva.model import State
from visviva.views.mechanism_placement import motion_in


def kinestatics(m: Mechanism, motion: Motion | State | None = None) -> MechanismNetwork:
    """Twists and wrenches that a mechanism allows, its screws, transmission and mobility: see `MechanismNetwork`.

    motion: the first result of `m.assemble()`, or an instant of a run such as `run.final`, whose configuration counts,
            at rest; default: as assembled.
    """
    if not isinstance(m, Mechanism):
        raise ModelError(f"kinestatics takes a mechanism, got {type(m).__name__}.")
    return kinestatics_of(m, motion_in(m, motion) if isinstance(motion, State) else motion)
