"""Joints that close loops: a second way between two frames, as rows on their relative placement."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.calculus.edges import AbstractEdge
from visviva.forms.calculus.moving import Moving, stacked
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.body_motion import Frame, after, edge_motion, fixed_frame, pose_of
from visviva.forms.rigid.constraints import AbstractConstraint, Instant, Law, Rows
from visviva.forms.rigid.joint_rows import Vectors, joint_rows, of_axes, products, upright_factor
from visviva.geometry.hat import skew
from visviva.geometry.se3 import SE3
from visviva.library.joints import JOINTS, AbstractJoint, Fixed, Product

HALF_TURN = 1e-6  # 1 + cos of an angle that is half a turn to rounding


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Loop(AbstractConstraint):
    """A joint between frames a and b that edges reach without it.

    Its rows are those of the joint, in their order, by exact derivatives, and that of a lead after them; those of axes
    are divided by what tells an axis from its reverse, see `joint_rows`. They have one zero: half a turn, which sines
    take for none, is infinitely far, and a start beyond a right angle is brought back.

    a, b:  names of frames.   X_aJ, X_bJ: poses of the joint in them, z along its axis; the identity by default.
    kind:  a joint of `visviva.library.joints`, such as Screw(0.01) or Distance(0.3), or one of your own; or by its
           name, such as "revolute", where it has no numbers.

    Multipliers, one for each row, with the reaction -Zᵀ λ on the motion. On frame b acts
    - the force -λ along an axis of the world where points meet, along the axis of the row elsewhere [N];
    - of two axes u on a and w on b the moment λ u x w/κ, with κ = 1 where axes of the joint are parallel [N m];
    - of a rod the force -λ d, λ in N/m;   of a lead the force -λ along z, and the moment lead · λ about it.

    Source:  Konz, dissertation, section 3.4.1, loops of the graph, and (3.125a).
    """

    name: str
    a: str
    b: str
    kind: str | AbstractJoint
    X_aJ: SE3 = field(default_factory=SE3.identity)
    X_bJ: SE3 = field(default_factory=SE3.identity)
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        _joint_of(self.kind, self.name)
        if self.a == self.b:
            raise ModelError(f"loop '{self.name}' joins '{self.a}' with itself: give two different frames.")
        for end in ("X_aJ", "X_bJ"):
            object.__setattr__(self, end, pose_of(getattr(self, end), f"{end} of loop '{self.name}'"))

    @property
    def joint(self) -> AbstractJoint:
        """The joint itself, also where it is given by its name."""
        return _joint_of(self.kind, self.name)

    @property
    def reach(self) -> float:
        """From the frames to the joint [m]."""
        return max(float(np.linalg.norm(X.r)) for X in (self.X_aJ, self.X_bJ))

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        for frame in (self.a, self.b):
            if frame not in p.frames:
                raise ModelError(
                    f"loop '{self.name}' joins '{frame}', which is no frame; there are {', '.join(p.frames)}."
                )
        return _law(self.joint, self._ends, self.name)

    def check(self, at: Instant) -> None:
        """An error where an axis is reversed."""
        _check_upright(self.joint, self._ends(at), self.name)

    def _ends(self, at: Instant) -> tuple[Frame, Frame]:
        n = len(at.xi)
        X_a, X_b = fixed_frame(self.X_aJ, n), fixed_frame(self.X_bJ, n)
        return after(at.frames[self.a], X_a), after(at.frames[self.b], X_b)


@final
@dataclass(frozen=True, eq=False)
class Closure(AbstractConstraint):
    """An edge X_ab(q) between frames that other edges reach already: both ways lead to the same pose, the six rows of a
    fixed joint between where the edge leads and frame b.
    """

    name: str
    edge: AbstractEdge
    baumgarte: tuple[float, float] = (0.0, 0.0)

    def law(self, p: Parameterisation) -> Law:
        """See above."""
        return _law(Fixed(), self._ends, self.name)

    def _ends(self, at: Instant) -> tuple[Frame, Frame]:
        return after(at.frames[self.edge.a], edge_motion(self.edge, at.q, at.xi, at.t)), at.frames[self.edge.b]


def _joint_of(kind: str | AbstractJoint, name: str) -> AbstractJoint:
    if isinstance(kind, AbstractJoint):
        return kind
    known = {joint.kind: joint for joint in JOINTS}
    numbers = {key: ", ".join(inspect.signature(type(joint)).parameters) for key, joint in known.items()}
    if not isinstance(kind, str) or kind not in known:
        plain = ", ".join(key for key, its in numbers.items() if not its)
        raise ModelError(
            f"loop '{name}': a joint is one of {plain}, got {kind!r}.\n"
            "Or give the joint itself, one of visviva.library.joints or of your own, such as Screw(0.01)."
        )
    joint = known[kind]
    if numbers[kind]:
        raise ModelError(
            f"loop '{name}': a joint of the kind {kind!r} has numbers of its own ({numbers[kind]}).\n"
            f"Give the joint itself: {type(joint).__name__}(...) of visviva.library.joints."
        )
    return joint


def _law(joint: AbstractJoint, ends: Callable[[Instant], tuple[Frame, Frame]], name: str) -> Law:
    axes = np.array(of_axes(joint), dtype=bool)

    def rows(at: Instant) -> Rows:
        a, b = ends(at)
        vectors = _vectors(a, b)
        upright = products(joint.upright, vectors)
        if (1 + upright.value < HALF_TURN).any():
            raise AssemblyError(
                f"loop '{name}' is half a turn from closed: a joint that this state would turn over.\n"
                "Start from angles at which the axes of the joint on both frames point the same way."
            )
        kappa = upright_factor(upright)
        y, terms = joint_rows(joint, vectors, kappa), _terms(joint, vectors, a, b)
        over = np.ones(1) if kappa is None else np.where(axes, kappa.value, 1.0)
        return Rows(y.row, -y.bias, terms / over[:, None], y.value, y.rate)

    return rows


def _check_upright(joint: AbstractJoint, ends: tuple[Frame, Frame], name: str) -> None:
    if (products(joint.upright, _vectors(*ends)).value <= 0).any():
        raise AssemblyError(
            f"loop '{name}' is closed with an axis reversed, where its {joint.kind} joint cannot get to.\n"
            "Start from angles at which the axes of the joint on both frames point the same way."
        )


def _vectors(a: Frame, b: Frame) -> Vectors:
    """Axes of both frames, the way from one origin to the other, and the axes of the world."""
    d, none = _origin(b) - _origin(a), np.zeros((3, 3))
    still = Moving(np.eye(3), np.zeros((3, 3, a.J.shape[1])), none, none)
    every = stacked([_axes(a), _axes(b), d[None], still])  # in the order of `Vector`
    return lambda which: every[list(which)]


def _axes(frame: Frame) -> Moving:
    """R, whose columns turn with the frame: Ṙ = R ω̂."""
    R, W = frame.X.R, skew(frame.V[:3])
    columns = R @ skew(frame.J[:3].T)  # (n, 3, 3)
    return Moving(R.T, columns.transpose(2, 1, 0), (R @ W).T, (R @ (skew(frame.B[:3]) + W @ W)).T)


def _origin(frame: Frame) -> Moving:
    R, w, v = frame.X.R, frame.V[:3], frame.V[3:]
    return Moving(frame.X.r, R @ frame.J[3:], R @ v, R @ (frame.B[3:] + skew(w) @ v))


def _terms(joint: AbstractJoint, vectors: Vectors, a: Frame, b: Frame) -> Array:
    """Sizes of the numbers that add up to rows and sums, (k, n): those of each factor, times the other one."""
    turn_a, turn_b, shift = a.terms[0], b.terms[0], a.terms[1] + b.terms[1]
    sizes = np.array([turn_a] * 3 + [turn_b] * 3 + [shift] + [np.zeros_like(shift)] * 3)  # in the order of `Vector`

    def of_products(ys: Sequence[Product]) -> Array:
        u, w = [y.u for y in ys], [y.w for y in ys]
        u_size, w_size = (np.linalg.norm(vectors(one).value, axis=1)[:, None] for one in (u, w))
        return np.asarray(w_size * sizes[u] + u_size * sizes[w]) * np.array([y.factor for y in ys])[:, None]

    others = [
        sum(abs(c) * of_products([y] if isinstance(y, Product) else [y.cos, y.sin]).sum(0) for c, y in one.terms)
        for one in joint.sums
    ]
    return np.concatenate([of_products(joint.rows), np.reshape(others, (len(others), len(shift)))])
