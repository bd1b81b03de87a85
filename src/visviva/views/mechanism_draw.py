"""draw(): a picture of whatever can be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar, overload, runtime_checkable

from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism
from visviva.mechanism.assembly import StateLike
from visviva.views.mechanism_picture import MechanismPicture, draw_mechanism
from visviva.views.mechanism_screws import Shown
from visviva.views.pattern_picture import Picture
from visviva.views.pattern_picture import draw as draw_pattern

Drawn = TypeVar("Drawn", covariant=True)


@runtime_checkable
class Drawable(Protocol[Drawn]):
    """What knows its own picture: bond graphs, shapes of modes."""

    def draw(self, path: str | Path | None = None, **options: Any) -> Drawn:
        """The picture, written to a file as well if there is a path."""
        ...


@overload
def draw(
    subject: Mechanism | Definition,
    path: str | Path | None = None,
    *,
    at: StateLike | None = None,
    state: StateLike | None = None,
    view: tuple[float, float] | None = None,
    names: bool | None = None,
    solids: bool | None = None,
    screws: Shown | Sequence[Shown] = (),
) -> MechanismPicture: ...


@overload
def draw(
    subject: Composite,
    path: str | Path | None = None,
    flat: bool = False,
    expand: Iterable[str] | bool = (),
    legend: bool = False,
) -> Picture: ...


@overload
def draw(subject: Drawable[Drawn], path: str | Path | None = None, **options: Any) -> Drawn: ...


def draw(subject: Any, path: str | Path | None = None, *arguments: Any, **options: Any) -> Any:
    """A mechanism in space, or the interconnection pattern of a composite. Notebooks show the picture.

    What has a method `draw`, as bond graphs and modes have, is drawn by it, with its options.

    A mechanism is drawn as built, or at a state, in an orthographic projection. Bodies are lines between their
    joints, over the solid of uniform density that has their inertia; joints are drawn by kind, springs as zig-zags,
    the ground is hatched. What moves in one plane is seen along its normal.

    A composite is drawn as in the figures of Lohmayer, Capobianco and Leyendecker. Round boxes are subsystems,
    coloured by kind; dots are junctions, that is shared energy domains; solid lines are power ports, dashed ones
    state ports; the rectangle is the composite, through which its outer ports leave.

    path:    where to write it as well: .svg, .png or .pdf.

    at:      of a mechanism: values by name, e.g. {"hinge.q": 0.3}, the first result of `m.assemble()`, a run or
             `run.final`; left out, it is shown as built. `state` is its older name.
    view:    azimuth and elevation of the viewer [degrees].
    names:   whether parts are named; by default those of a mechanism of few are.
    solids:  whether solids are shown; by default those of few bodies are.
    screws:  whose screws are shown: a body by name (its motion against the ground), a pair of names, a
             `m.kinestatics().freedom(...)` (its motions and what holds it), a `vv.screws.System`, or a list of these.

    flat:    of a composite: draw the flattened system, system.flatten().
    expand:  names of composite boxes to draw with what is inside, "b" or, deeper, "b.inner"; True for all.
    legend:  explain the colours below.
    """
    if isinstance(subject, Mechanism | Definition):
        return draw_mechanism(subject, path, *arguments, **options)
    if isinstance(subject, Drawable):
        return subject.draw(path, *arguments, **options)
    return draw_pattern(subject, path, *arguments, **options)
