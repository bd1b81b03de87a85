"""Pictures of modes."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.views import MechanismPicture
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strobe import strobe

if TYPE_CHECKING:
    from visviva.linear.modes import Mode

PHASES = 33  # of one oscillation, for paths
SHOWN = 5  # phases at which bodies are drawn: both ends, the middle, and what lies between in a whirl
PART = 0.08  # of the extent of the mechanism: how far the picture goes by default


def draw_mode(
    mode: Mode, path: str | PathLike[str] | None, amplitude: float | None, view: tuple[float, float] | None
) -> MechanismPicture:
    """Re(v e^{iφ}) over one turn of φ, without growth or decay."""
    shapes, mechanics = mode.system.shapes, mode.system.mechanics
    if shapes is None or mechanics is None:
        raise ModelError(f"{mode.system.name!r} has no bodies to draw: modes of mechanisms have pictures.")
    p = mode.vector[: mechanics.K.shape[1]]
    reach = max(shapes.reach(p.real), shapes.reach(p.imag))
    if not reach > 0:
        raise ModelError(f"nothing moves in this mode of {mode.system.name!r} ({mode}): there is no shape to draw.")
    wanted = PART * shapes.extent if amplitude is None else finite_number(amplitude, "amplitude", positive=True)
    phases = np.linspace(0.0, 2 * np.pi, PHASES)
    places = [shapes.displaced(wanted / reach * (p * np.exp(1j * phase)).real) for phase in phases]
    place = Placement({name: np.array([q[name] for q in places]) for name in places[0]})
    picture = MechanismPicture(strobe(shapes.form.mechanism, place, phases, view, SHOWN))
    if path is not None:
        picture.save(Path(path))
    return picture
