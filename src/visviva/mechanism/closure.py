"""Loops of a mechanism, seen from its tree: which of their rows say anything beyond the tree joints.

A joint that hangs body c on body p leaves V_c = T V_p + Z s, with its own velocities s, where T carries c along with p
as if both were one body. Carried up both branches to where they meet, a row of a loop joint becomes a row W over the s
of the joints on the way, and a sum D of their rows; what both branches share moves all of the loop as one, and is left
out. A particle does not turn what hangs on it: beyond one, rows are carried to the ground.

    row = W s - D (rows of the tree joints)

Rows of tree joints are independent of each other, so that a row of a loop says something new if and only if its W
does: see `numerics.rank`. Rotations count by the way of a point at a typical distance from the joints, so that all
numbers are lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.hat import skew
from visviva.geometry.linear import transpose
from visviva.mechanism.kinematics import Int, Kinematics, Placement
from visviva.mechanism.topology import Topology
from visviva.numerics.rank import TOLERANCE, independent_rows

ROUNDING = 1e-13  # of coordinates: shorter differences of them are none

Fold = tuple[dict[int, Array], dict[int, Array]]  # W and D of one loop joint, by body


@final
@dataclass(frozen=True, eq=False)
class Loops:
    """Loops with common tree joints, at one configuration or at a batch of them.

    rows: numbers of their rows.   W: (..., rows, velocities s).   D: (..., rows, rows of the tree joints `tree`).
    """

    rows: Int
    W: Array
    tree: Int
    D: Array

    def independent(self) -> Mask:
        """A largest set of independent rows, the best conditioned ones, at one configuration."""
        return independent_rows(self.W, np.ones(len(self.rows)))  # terms are about one: see `row_scale`

    def stresses(self, kept: Mask, m: int) -> Array:
        """Multipliers of all m rows that hold each other in balance, (..., m, k), one column per row left out.

        W_out = X W_kept; the rows of the tree take up the rest.
        """
        X = self.W[..., ~kept, :] @ np.linalg.pinv(self.W[..., kept, :], rcond=TOLERANCE)
        own = np.zeros((*X.shape[:-1], len(kept)))
        own[..., ~kept], own[..., kept] = np.eye(X.shape[-2]), -X
        Y = np.zeros((*X.shape[:-2], m, X.shape[-2]))
        Y[..., self.rows, :], Y[..., self.tree, :] = transpose(own), transpose(own @ self.D)
        return Y


@final
class Closure:
    """Tree and loops of a mechanism at one configuration, or at a batch of them.

    blocks: the rows of `Kinematics.blocks`, all in lengths.   scale: what each row was divided by.
    """

    def __init__(self, kinematics: Kinematics, topology: Topology, place: Placement) -> None:
        self.kinematics = kinematics
        self.topology = topology
        self.scale = row_scale(kinematics)
        self.length = typical_length(kinematics)
        self.place = place
        lengths = np.append(np.full(3, 1.0 / self.length), np.ones(3))
        self.blocks = kinematics.blocks(place) * lengths / self.scale[:, None, None]

    def loops(self, joints: tuple[int, ...]) -> Loops:
        """The loops that these joints close."""
        cycles = {joint: self._way(*self.kinematics.ends[joint].tolist()) for joint in joints}
        maps = {body: self._hang(body) for body in sorted({body for cycle in cycles.values() for body in cycle})}
        return self._merged({joint: self._fold(joint, cycle, maps) for joint, cycle in cycles.items()}, maps)

    def _side(self, joint: int, body: int) -> Array:
        """Rows of a joint over one of its ends, (..., rows, 6 or 3)."""
        end = int(self.kinematics.ends[joint, 1] == body)
        rows = self.blocks[..., self.kinematics.rows[joint], end, :]
        return rows if self.kinematics.rigid[body] else rows[..., 3:]

    def _hang(self, body: int) -> tuple[Array, Array, Array]:
        """T, Z, and the inverse of the rows of its tree joint over itself."""
        joint, above = int(self.topology.joint[body]), int(self.topology.parent[body])
        own = self._side(joint, body)
        U, s, Vt = np.linalg.svd(own)
        m = own.shape[-2]
        inverse = transpose(Vt[..., :m, :]) @ (transpose(U) / s[..., None])
        T = self._carried_along(body, above) if above < len(self.topology.parent) else inverse[..., :0]
        return T, transpose(Vt[..., m:, :]), inverse

    def _carried_along(self, body: int, above: int) -> Array:
        """Velocities of a body that moves as if fixed to another, over those of that one; all in lengths."""
        R, (r, r_above) = self.place.R, (self._centre(one) for one in (body, above))
        T = np.zeros((*R.shape[:-3], 6, 6))
        T[..., :3, :3] = transpose(R[..., body, :, :]) @ R[..., above, :, :]
        T[..., 3:, :3] = skew(r_above - r) @ R[..., above, :, :] / self.length
        T[..., 3:, 3:] = np.eye(3)
        rows, columns = (slice(0 if self.kinematics.rigid[one] else 3, 6) for one in (body, above))
        return T[..., rows, columns]

    def _centre(self, body: int) -> Array:
        return self.place.q[..., self.kinematics.places[body]][..., :3]

    def _way(self, a: int, b: int) -> list[int]:
        """Bodies whose tree joints lie between two: up to where both branches meet, or to the ground."""
        parent, ground = self.topology.parent, len(self.topology.parent)
        way = self.topology.cycle(a, b)
        if any(parent[body] != ground and not self.kinematics.rigid[parent[body]] for body in way):
            ends = [one for one in (a, b) if one != ground]
            above = {body for end in ends for body in self._ancestors(end)}
            way = sorted(above, key=lambda body: -int(self.topology.depth[body]))
        return way

    def _ancestors(self, body: int) -> list[int]:
        """The body and all that it hangs on, but the ground."""
        found = list[int]()
        while body != len(self.topology.parent):
            found.append(body)
            body = int(self.topology.parent[body])
        return found

    def _fold(self, joint: int, cycle: list[int], maps: dict[int, tuple[Array, Array, Array]]) -> Fold:
        ground = len(self.topology.parent)
        carried = {end: self._side(joint, end) for end in self.kinematics.ends[joint].tolist() if end != ground}
        W, D = {}, {}
        for body in cycle:
            T, Z, inverse = maps[body]
            rows, above = carried.pop(body), int(self.topology.parent[body])
            W[body], D[body] = rows @ Z, -rows @ inverse
            if above != ground:
                carried[above] = carried[above] + rows @ T if above in carried else rows @ T
        return W, D

    def _merged(self, folds: dict[int, Fold], maps: dict[int, tuple[Array, Array, Array]]) -> Loops:
        """Several loops as one matrix."""
        at = self.kinematics.rows
        rows = np.concatenate([_range(at[joint]) for joint in folds])
        tree = np.concatenate([np.zeros(0, np.intp), *(_range(at[self.topology.joint[body]]) for body in maps)])
        columns = dict(zip(maps, _ends([Z.shape[-1] for _, Z, _ in maps.values()]), strict=False))
        places = dict(zip(maps, _ends([inverse.shape[-1] for _, _, inverse in maps.values()]), strict=False))
        batch = self.blocks.shape[:-3]
        W = np.zeros((*batch, len(rows), sum(Z.shape[-1] for _, Z, _ in maps.values())))
        D = np.zeros((*batch, len(rows), len(tree)))
        first = 0
        for joint, fold in folds.items():
            here = slice(first, first := first + at[joint].stop - at[joint].start)
            for target, starts, parts in ((W, columns, fold[0]), (D, places, fold[1])):
                for body, part in parts.items():
                    target[..., here, starts[body] : starts[body] + part.shape[-1]] = part
        return Loops(rows, W, tree, D)


def typical_length(kinematics: Kinematics) -> float:
    """How far joints are from centres of mass, on the average [m]; where they are not, see `spread`; else 1."""
    return arm_length(kinematics) or spread(kinematics) or 1.0


def arm_length(kinematics: Kinematics) -> float:
    """The same; 0 where they are not."""
    arms = np.linalg.norm(kinematics.arms, axis=-1)[kinematics.ends < len(kinematics.bodies)]
    return mean_length(arms, kinematics.as_built)


def spread(kinematics: Kinematics) -> float:
    """How far bodies are from each other as built, in x, y or z [m]; 0 where they are not."""
    centres = np.array([kinematics.as_built[part][:3] for part in kinematics.places]).reshape(-1, 3)
    return mean_length(np.ptp(centres, axis=0).max(keepdims=True), centres) if len(centres) else 0.0


def mean_length(lengths: Array, coordinates: Array) -> float:
    """Of those that are no differences of equal places, with such coordinates; 0 where there are none."""
    long = lengths > ROUNDING * float(np.abs(coordinates).max(initial=0.0))
    return float(lengths[long].mean()) if long.any() else 0.0


def row_scale(kinematics: Kinematics) -> Array:
    """What makes each row a length: products of axes times a typical one, squares over the rod's own."""
    scale = np.ones(kinematics.m)
    scale[~kinematics.reaches] = 1.0 / typical_length(kinematics)
    rods = kinematics.rods > 0
    scale[rods] = kinematics.rods[rods]
    return scale


def _range(part: slice) -> Int:
    return np.arange(part.start, part.stop, dtype=np.intp)


def _ends(widths: list[int]) -> list[int]:
    return [0, *np.cumsum(widths).tolist()]
