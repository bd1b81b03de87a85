"""Composition in the builder: whole mechanisms inside others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from visviva._arrays import finite_vector
from visviva.errors import ModelError
from visviva.mechanism.builder import Builder, RotationLike, rotation_matrix
from visviva.mechanism.inventory import kind_of
from visviva.mechanism.parts import Body, Frame, Ground

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.inclusion import Shapes
    from visviva.mechanism.mechanism import Mechanism
    from visviva.mechanism.module import Module


class InclusionMethods(Builder):
    """A module is any mechanism: a gripper, a leg, the corner of a vehicle."""

    shapes: dict[str, Any]
    inclusions: dict[str, Shapes]

    def include(
        self,
        module: Mechanism | Definition,
        name: str,
        *,
        on: Body | Ground | Frame | str = "ground",
        at: ArrayLike | None = None,
        rotation: RotationLike = None,
    ) -> Module:
        """Put all parts of another mechanism into this one, under a prefix; returns a handle, left["hinge"].

        module: the mechanism, as it is now; it stays as it is, and can be included any number of times.
        name:   the prefix: part "hinge" of it becomes "left.hinge", in runs "left.hinge.q" and so on.
        on:     what the module's ground becomes: a frame, with the module's world in its axes; a body; or the ground.
        at, rotation: pose of the module's world, in the world as built, in place of that of the body or ground.

        All that stood on the module's ground stands on the carrier then. Its world is the frame "left.ground": points,
        axes, matrices and functions of places that were given in it are meant there, also while the carrier moves.
        Gravity and the environment are those of this mechanism, and so are the axes of wrench ports in world axes.
        """
        from visviva.mechanism.definition import Definition
        from visviva.mechanism.inclusion import include_module, with_shapes
        from visviva.mechanism.mechanism import Mechanism, definition_of
        from visviva.mechanism.module import Module

        if not isinstance(module, Mechanism | Definition):
            raise ModelError(f"m.include(module, name) takes a vv.Mechanism and its prefix, got {module!r} first.")
        self._new_name(name, "module")
        if module is self:
            raise ModelError(
                f"mechanism {self.name!r} cannot include itself as {name!r}: build the module first, on its own, and\n"
                "include it as often as it is needed."
            )
        if not module.parts:
            raise ModelError(f"module {name!r} ({module.name!r}) is empty: it has no parts to include.")
        frame = self._mount(name, on, at, rotation)
        shapes = include_module(self, definition_of(module), name, frame)  # type: ignore[arg-type]
        self.shapes = with_shapes(self.shapes, shapes)
        self.inclusions |= {name: shapes} | {f"{name}.{inner}": {} for inner in module.inclusions}
        return Module(self, name)  # type: ignore[arg-type]

    def _mount(self, name: str, on: Body | Ground | Frame | str, at: ArrayLike | None, rotation: RotationLike) -> Frame:
        """The frame that the module's ground becomes."""
        part, where = self._find(on, f"module {name!r}"), f"module {name!r}"
        if not isinstance(part, Body | Ground | Frame):
            raise ModelError(
                f"{where} cannot be mounted on {kind_of(part)} {part.name!r}: give a frame, body or ground."
            )
        if isinstance(part, Frame):
            if at is not None or rotation is not None:
                raise ModelError(
                    f"{where} is placed by frame {part.name!r} already: leave out at and rotation, or give\n"
                    f"{part.carrier.name!r} in place of the frame."
                )
            return Frame(f"{name}.ground", part.carrier, part.R_WF, part.r_WF)
        own = Frame("", part) if isinstance(part, Ground) else Frame("", part, part.R_WB, part.r_WB)
        R = own.R_WF if rotation is None else rotation_matrix(rotation, f"rotation of {where}")
        r = own.r_WF if at is None else finite_vector(at, f"at of {where}", 3)
        return Frame(f"{name}.ground", part, R, r)
