"""Pictures of modes."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.mechanism import Definition
from visviva.views import MechanismPicture
from visviva.views.mechanism_film import Film, film
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
    phases = np.linspace(0.0, 2 * np.pi, PHASES)
    m, place = _placed(mode, phases, amplitude)
    picture = MechanismPicture(strobe(m, place, phases, view, SHOWN))
    if path is not None:
        picture.save(Path(path))
    return picture


def animate_mode(
    mode: Mode,
    path: str | PathLike[str] | None,
    amplitude: float | None,
    view: tuple[float, float] | None,
    seconds: float,
    frames: int,
) -> Film:
    """The same as a moving picture of one oscillation."""
    count = int(finite_number(frames, "frames", minimum=2))
    m, place = _placed(mode, np.linspace(0.0, 2 * np.pi, count, endpoint=False), amplitude)
    moving = film(m, place, finite_number(seconds, "seconds", positive=True), view)
    if path is not None:
        moving.save(Path(path))
    return moving


def _placed(mode: Mode, phases: Array, amplitude: float | None) -> tuple[Definition, Placement]:
    """The mechanism, and where it is at each phase."""
    shapes, mechanics = mode.system.shapes, mode.system.mechanics
    if shapes is None or mechanics is None:
        raise ModelError(f"{mode.system.name!r} has no bodies to draw: modes of mechanisms have pictures.")
    p = mode.vector[: mechanics.K.shape[1]]
    reach = max(shapes.reach(p.real), shapes.reach(p.imag))
    if not reach > 0:
        raise ModelError(f"nothing moves in this mode of {mode.system.name!r} ({mode}): there is no shape to draw.")
    wanted = PART * shapes.extent if amplitude is None else finite_number(amplitude, "amplitude", positive=True)
    places = [shapes.displaced(wanted / reach * (p * np.exp(1j * phase)).real) for phase in phases]
    return shapes.form.definition, Placement({name: np.array([q[name] for q in places]) for name in places[0]})
