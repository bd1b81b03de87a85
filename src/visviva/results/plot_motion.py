"""The picture of motion: the mechanism at several instants of the run, and the paths of its points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.errors import ModelError
from visviva.views.mechanism_canvas import paint
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strobe import strobe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run


def plot_motion(run: Run) -> Figure:
    """Bodies at the last node in full, at earlier ones fainter, and the paths of frames and particles."""
    import matplotlib.pyplot as plt

    motion = run.motion
    if motion is None:
        raise ModelError(f"{run.model.name!r} is no mechanism: run.plot('motion') shows bodies and joints in space.")
    m = motion.definition
    drawing = strobe(m, Placement({part.name: motion.q(part) for part in m.bodies}), motion.record.t)
    figure = plt.figure()
    paint(drawing, figure, title=f"{m.name}: {motion.record.t[0]:g} … {motion.record.t[-1]:g} s")
    return figure
