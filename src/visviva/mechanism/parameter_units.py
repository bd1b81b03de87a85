"""Units of the parameters of a mechanism, and how a table shows their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.geometry import SE3, SO3
from visviva.library.joints import Angle
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.elements import Stop
from visviva.mechanism.parts import Joint

if TYPE_CHECKING:
    from visviva.mechanism.calls import Call
    from visviva.mechanism.definition import Definition

PLACES = ("at", "at_a", "at_b", "at_parent", "at_child", "points", "point", "com", "length", "radius")
SAME = dict.fromkeys(PLACES, "m") | {
    "gravity": "m/s²", "theta0": "K", "mass": "kg", "inertia": "kg m²", "velocity": "m/s", "pitch": "m/rad",
    "angle": "rad", "capacity": "J/K", "temperature": "K", "conductance_to_environment": "W/K", "resistance": "Ω",
    "inductance": "H", "current": "A", "d": "N s/m", "G": "N m",
}  # fmt: skip
OWN = {
    ("body", "twist"): "rad/s, m/s", ("stream", "twist"): "rad/s, m/s", ("stream", "rate"): "",
    ("spring", "k"): "N/m", ("spring", "damping"): "N s/m", ("point_springs", "k"): "N/m",
    ("point_springs", "damping"): "N s/m", ("torsion", "k"): "N m/rad", ("torsion", "damping"): "N m s/rad",
    ("motor", "k"): "N m/A", ("bushing", "K"): "N m/rad, N/m", ("bushing", "D"): "N m s/rad, N s/m",
    ("pose_spring", "D"): "N m s/rad, N s/m", ("trace_spring", "K"): "N/m", ("stiffness", "K"): "N m/rad, N/m",
    ("damper", "D"): "N m s/rad, N s/m",
}  # fmt: skip
OF_COORDINATE = {  # of what belongs to coordinates that turn, and that slide
    "q_built": ("rad", "m"), "limits": ("rad", "m"), "low": ("rad", "m"), "high": ("rad", "m"), "width": ("rad", "m"),
    "position": ("rad", "m"), "rate": ("rad/s", "m/s"), "v_reg": ("rad/s", "m/s"), "speed": ("rad/s", "m/s"),
    "friction": ("N m s/rad", "N s/m"), "viscous": ("N m s/rad", "N s/m"), "d": ("N m s/rad", "N s/m"),
    "level": ("N m", "N"), "coulomb": ("N m", "N"), "static": ("N m", "N"), "stop_stiffness": ("N m/rad", "N/m"),
    "stiffness": ("N m/rad", "N/m"), "stop_damping": ("N m s/rad²", "N s/m²"), "damping": ("N m s/rad²", "N s/m²"),
}  # fmt: skip


def unit_of(m: Definition, calls: Mapping[str, Call], name: str) -> str:
    """The unit of a parameter, empty where it has none or it is not one unit."""
    owner, _, word = name.rpartition(".")
    word, _, beside = word.partition("[")  # a number beside laws, hinge.friction[1]
    inside = owner if owner in calls else owner.rpartition(".friction")[0]  # a number of a law, hinge.friction.level
    method = calls[owner].method if owner in calls else ""
    if (method, word) in OWN:
        return OWN[method, word]
    part = m.parts.get(inside)
    turns: list[bool] = []
    match part:
        case Joint():
            turns = [isinstance(one, Angle) for one in part.joint.coordinates] or [True]
        case Stop():
            turns = [part.at.turns]
        case Coupling():
            turns = [term.turns for term in part.terms]
    if word in OF_COORDINATE and turns:
        number = (beside or owner.rpartition("[")[2]).removesuffix("]")
        chosen = [turns[int(number)]] if number.isdigit() else turns
        return ", ".join(dict.fromkeys(OF_COORDINATE[word][not one] for one in chosen))
    return SAME.get(word, "")


def shown(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, SO3 | SE3):
        value = value.R if isinstance(value, SO3) else np.column_stack([value.R, value.r])
    if isinstance(value, np.ndarray):
        return str(np.array2string(value, precision=6, separator=", ", threshold=12).replace("\n", ""))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
