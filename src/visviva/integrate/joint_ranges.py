"""Whether joints stay within their ranges in a run: looked at where nodes are recorded, not in steps."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.singular import range_end
from visviva.model import Model
from visviva.model.linked import configuration
from visviva.results.notes import Caution


@final
class RangeWatch:
    """Looks for nodes at which products of axes that bound the range of a joint, `AbstractJoint.bounds`, are negative.

    Rows hold beyond the end of a range as well, so that steps alone do not tell. Nothing is looked at where no joint
    of a mechanism has such an end.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        m = model.definition
        bounded = m is not None and any(
            kind.bounds for kind in {joint.joint for joint in m.joints if joint.joint.upright}
        )
        self._linkage = Linkage(m) if m is not None and bounded else None
        self._first: dict[int, float] = {}  # when each product was first found to be negative [s]

    @property
    def looks(self) -> bool:
        """Whether there is anything to look at."""
        return self._linkage is not None

    def look(self, t: Array, x: Array) -> None:
        """Look at states x (N, size) at times t (N,)."""
        if self._linkage is None:
            return
        linkage = self._linkage
        upright = linkage.upright(linkage.kinematics.place(configuration(self._model, linkage, x)))
        beyond = linkage.bounding & (upright < 0)
        for k in np.flatnonzero(beyond.any(axis=0)).tolist():
            self._first.setdefault(k, float(t[int(beyond[:, k].argmax())]))

    def notes(self) -> list[str]:
        """A caution for each joint that left its range."""
        if self._linkage is None:
            return []
        found = dict[str, str]()
        for k, t in sorted(self._first.items(), key=lambda each: each[1]):
            joint, product = self._linkage.upright_products[k]
            text = (
                f"at t = {t:.4g} s {range_end(joint, product)}, and the motion goes on as no such joint would. "
                "Hold it by a spring, or take a joint that bends further, as a ball"
            )
            found.setdefault(joint.name, text)
        return [Caution(text) for text in found.values()]
