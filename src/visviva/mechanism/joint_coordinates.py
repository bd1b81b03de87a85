"""Coordinates of joints, read from the frames on parent and child: angles and displacements, and their rates."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import Angle, Length
from visviva.mechanism.coordinates import pair_functions
from visviva.mechanism.parts import Joint, JointCoordinate, PairCoordinate


def cos_sin(joint: Joint, angle: Angle) -> Quadratic:
    """(cos θ, sin θ) of one of its angles, over the coordinates of its movers."""
    return pair_functions(joint, (angle.cos, angle.sin))


def turn_names(joint: Joint) -> dict[str, Angle]:
    """Its angles by the names under which a run follows them: that of the joint, numbered where there are several."""
    angles = [part for part in joint.joint.coordinates if isinstance(part, Angle)]
    return {joint.name if len(angles) == 1 else f"{joint.name}.{k}": angle for k, angle in enumerate(angles)}


def turn_name(one: JointCoordinate) -> str:
    """The name under which a run follows an angle."""
    return next(name for name, angle in turn_names(one.joint).items() if angle == one.scalar)


def built_turns(joint: Joint) -> dict[str, float]:
    """Its angles as built, by these names, over many turns; zero where they are not given."""
    turning = [k for k, part in enumerate(joint.joint.coordinates) if isinstance(part, Angle)]
    q = np.zeros(len(joint.joint.coordinates)) if joint.q_built is None else joint.q_built
    return dict(zip(turn_names(joint), q[turning].tolist(), strict=True))


def coordinate_values(joint: Joint, q: Array) -> Array:
    """Its coordinates, angles in (-π, π], at the coordinates q of its movers, shape (..., k)."""
    values = [np.zeros((*q.shape[:-1], 0))]
    for part in joint.joint.coordinates:
        if isinstance(part, Angle):
            c, s = np.moveaxis(cos_sin(joint, part).value(q), -1, 0)
            values.append(np.arctan2(s, c)[..., None])
        else:
            values.append(pair_functions(joint, (part,)).value(q))
    return np.concatenate(values, axis=-1)


def pair_value(one: PairCoordinate, q: Array) -> Array:
    """A displacement between two frames at the coordinates q of its movers, shape (...)."""
    y = pair_functions(one, (one.product,)).value(q)[..., 0]
    return np.sqrt(2.0 * np.maximum(y, 0.0)) if isinstance(one.scalar, Length) else y


def coordinate_rows(joint: Joint, q: Array) -> Array:
    """Gradients of its coordinates over the coordinates q of its movers, shape (..., k, n)."""
    rows = [np.zeros((*q.shape[:-1], 0, q.shape[-1]))]
    for part in joint.joint.coordinates:
        if isinstance(part, Angle):
            functions = cos_sin(joint, part)
            value, slope = functions.value(q)[..., None], functions.gradient(q)
            c, s = value[..., 0:1, :], value[..., 1:2, :]
            rows.append((c * slope[..., 1:2, :] - s * slope[..., 0:1, :]) / (c * c + s * s))
        else:
            rows.append(pair_functions(joint, (part,)).gradient(q))
    return np.concatenate(rows, axis=-2)
