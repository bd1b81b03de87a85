"""What moves in a mode of a mechanism: bodies, their shares of kinetic energy, and where they are in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_drawing import skeleton
from visviva.views.mechanism_placement import Placement

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm


@final
@dataclass(frozen=True, eq=False)
class Shapes:
    """H: increments ε of the tree from the independent ones.   N: velocities from the independent ones.

    q, s: where the mechanism is.   S: velocities of all bodies are S ξ.
    """

    form: MinimalForm
    q: Array
    s: Array
    H: Array
    N: Array
    S: Array

    def shares(self, p: NDArray[Any], eta: NDArray[Any]) -> dict[str, float]:
        """The part of the kinetic energy that each body has when the independent velocities are η; the sum is one.

        Of what is displaced by p and rests there, the part that it had if it moved so in a unit of time.
        """
        form, motion = self.form, self.N @ eta
        energy = form.masses * np.abs(self.S @ (motion if motion.any() else self.H @ p)) ** 2
        total, first, found = float(energy.sum()), 0, dict[str, float]()
        for body, rigid in zip(form.definition.bodies, form.rigid, strict=True):
            width = 6 if rigid else 3
            found[body.name] = float(energy[first : first + width].sum()) / (total or 1.0)
            first += width
        return found

    def reach(self, p: NDArray[Any]) -> float:
        """How far the farthest centre of mass goes at increments p [m]; what turns goes a quarter of the extent."""
        V = np.abs(self.S @ (self.H @ p))
        first, moved, turned = 0, 0.0, 0.0
        for rigid in self.form.rigid:
            width = 6 if rigid else 3
            moved = max(moved, float(np.linalg.norm(V[first + width - 3 : first + width])))
            turned = max(turned, float(np.linalg.norm(V[first : first + width - 3])))
            first += width
        return max(moved, 0.25 * turned * self.extent)

    @property
    def extent(self) -> float:
        """Size of the mechanism: of the box around centres of mass and joints, or much larger solids [m]."""
        scene, place = Scene(self.form.definition), Placement(self.displaced(np.zeros(self.H.shape[1])))
        return float(np.linalg.norm(np.ptp(skeleton(scene, place), axis=0))) or 1.0

    def displaced(self, p: Array) -> dict[str, Array]:
        """Coordinates of all bodies, by name, at increments p, with the loops closed."""
        form, still = self.form, np.zeros(self.form.n)
        try:
            q, _, s = form.projected(0.0, form.advance_q(self.q, self.H @ p), still, self.s)
        except AssemblyError as error:
            raise AssemblyError(
                f"{error}\nA picture of a mode goes too far for its loops: give a smaller amplitude=."
            ) from None
        x = form.x(q, still, s)
        return {body.name: x[form.model.layout.x[f"{body.name}.q"]] for body in form.definition.bodies}
