"""Poses that know their frames: products that make no sense are refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Pose:
    """Displacement H_src^dst: takes coordinates in frame `src` to coordinates in frame `dst`.

    `Pose(X_AB, src="B", dst="A")`. Poses compose as H_k^j H_i^k = H_i^j, the inner names must agree.
    Source: Stramigioli, Maschke and Bidard (13).
    """

    X: SE3
    src: str
    dst: str

    def __matmul__(self, other: Pose) -> Pose:
        if self.src != other.dst:
            raise ModelError(
                f"cannot compose {self.name} with {other.name}: the left pose starts from '{self.src}',"
                f" the right one ends in '{other.dst}'.\n"
                "In A @ B both must be the same frame; swap the factors or use inverse()."
            )
        return Pose(self.X @ other.X, src=other.src, dst=self.dst)

    def inverse(self) -> Pose:
        """H_dst^src."""
        return Pose(self.X.inverse(), src=self.dst, dst=self.src)

    def act(self, points: ArrayLike) -> Array:
        """Points (..., 3) given in `src`, in coordinates of `dst`."""
        return self.X.act(finite_array(points, f"points in frame '{self.src}'", (3,)))

    @property
    def name(self) -> str:
        """'src -> dst', for messages."""
        return f"'{self.src}' -> '{self.dst}'"


def seen_from_source(h: Pose, reference: Pose) -> Pose:
    """r⁻¹ ∘ h, a displacement of the frame `src` into itself; source: Stramigioli, Maschke and Bidard (11).

    Not intrinsic: it depends on the chosen reference r between the same two frames.
    """
    _same_frames(h, reference)
    return reference.inverse() @ h


def seen_from_target(h: Pose, reference: Pose) -> Pose:
    """h ∘ r⁻¹, a displacement of the frame `dst` into itself; source: Stramigioli, Maschke and Bidard (12).

    Not intrinsic: it depends on the chosen reference r between the same two frames.
    """
    _same_frames(h, reference)
    return h @ reference.inverse()


def _same_frames(h: Pose, reference: Pose) -> None:
    if (h.src, h.dst) != (reference.src, reference.dst):
        raise ModelError(
            f"the reference {reference.name} does not fit the pose {h.name}.\n"
            "A displacement is compared with a reference between the same two frames."
        )
