"""What all methods that add parts to a mechanism share: names, handles, and what can carry what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.mechanism.inventory import Part, Parts, kind_of
from visviva.mechanism.names import check_new_name
from visviva.mechanism.parts import Carrier, Frame
from visviva.mechanism.thermal import Thermal

End = Carrier | Frame | str
RotationLike = SO3 | ArrayLike | None
P = TypeVar("P", bound=Part)
L = TypeVar("L")

PLAIN = (float, int, str, type(None))


class Builder(Parts):
    """The parts of a mechanism that grows."""

    parts: dict[str, Part]
    inclusions: dict[str, Any]
    _laws: dict[Any, tuple[Any, Any]]

    def _new_name(self, name: str, what: str) -> None:
        check_new_name(name, self.parts, what)
        check_new_name(name, self.inclusions, what)

    def _add(self, part: P) -> P:
        _freeze(part)
        self.parts[part.name] = part
        return part

    def _traced(self, trace: Callable[..., L], *given: object) -> L:
        """trace(*given), once for the functions among them: a mechanism with other numbers has the same law."""
        if not any(map(callable, given)) or not all(callable(one) or isinstance(one, PLAIN) for one in given):
            return trace(*given)
        return self._once(given, (trace, *(id(one) if callable(one) else one for one in given)), lambda: trace(*given))

    def _once(self, given: object, key: object, make: Callable[[], L]) -> L:
        """make(), once for a key that has the id of what is given, which is kept so that nothing else gets it."""
        if key not in self._laws:
            self._laws[key] = given, make()
        law: L = self._laws[key][1]
        return law

    def _heat_sink(self, node: Thermal | str | None, where: str) -> Thermal | None:
        """The thermal node that takes up the heat of something; None: the environment."""
        if node is None:
            return None
        part = self._find(node, f"heat_to of {where}")
        if not isinstance(part, Thermal):
            raise ModelError(
                f"heat_to of {where} is {kind_of(part)} {part.name!r}, which takes up no heat: give a node made by\n"
                "m.thermal(...), or leave it out: then the heat goes to the environment."
            )
        return part

    def _end(self, part: End, where: str) -> tuple[Carrier, Frame | None]:
        """What carries one end of a joint or spring, and the named frame there, if one was given."""
        found = self._find(part, where)
        if isinstance(found, Frame):
            return found.carrier, found
        if not isinstance(found, Carrier):
            raise ModelError(
                f"{where} cannot hold {kind_of(found)} {found.name!r}: give a body, particle or ground, or a frame."
            )
        return found, None


def _freeze(part: Part) -> None:
    """Nothing that is written into the arrays of a handle can change the mechanism: they are read-only."""
    for value in vars(part).values():
        for array in value if isinstance(value, tuple) else (value,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False


def rotation_matrix(rotation: RotationLike, what: str) -> Array:
    """One rotation from the ways in which it can be given."""
    if rotation is None:
        return np.eye(3)
    if hasattr(rotation, "as_matrix"):  # a SciPy Rotation
        rotation = rotation.as_matrix()
    if np.shape(rotation) == (4,):
        raise ModelError(f"{what} is a quaternion: give SO3.from_quat((w, x, y, z)) of visviva.geometry, or a matrix.")
    R = SO3.from_matrix(rotation.R if isinstance(rotation, SO3) else rotation, name=what).R
    if R.shape != (3, 3):
        raise ModelError(f"{what} must be one rotation, a (3, 3) matrix; got shape {R.shape}.")
    return R
