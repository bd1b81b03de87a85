"""A chain in MuJoCo, made from the parts of ours: joint coordinates, no contacts, nothing but gravity."""

from __future__ import annotations

import importlib.util
from typing import Any, final

import numpy as np

import visviva as vv
from benchmarks.links import links
from visviva._arrays import Array
from visviva.geometry import SO3

INSTALLED = importlib.util.find_spec("mujoco") is not None
TYPES = {"spherical": "mjJNT_BALL", "revolute": "mjJNT_HINGE"}
OFF = (
    "CONSTRAINT",
    "CONTACT",
    "EQUALITY",
    "LIMIT",
    "FRICTIONLOSS",
    "ACTUATION",
    "SPRING",
    "DAMPER",
    "SENSOR",
    "AUTORESET",
)


@final
class MuJoCo:
    """`MuJoCo(m)(n, h)` makes n steps of length h from rest at the configuration as built."""

    def __init__(self, m: vv.Mechanism) -> None:
        import mujoco

        mujoco.set_mju_user_warning(lambda text: None)  # else a file: steps that are too large are shown by the error
        self.model = _model(m)
        self.data = mujoco.MjData(self.model)

    def __call__(self, n: int, h: float, integrator: str = "RK4") -> Array:
        """The centres of mass after n steps, one line per body; integrator: "Euler" is the other one."""
        import mujoco

        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        self.model.opt.timestep = h
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_step(self.model, self.data, n)
        mujoco.mj_kinematics(self.model, self.data)
        return np.array(self.data.xipos[1:])


def _model(m: vv.Mechanism) -> Any:
    """Each link is a body of the one before."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = m.gravity
    for name in OFF:
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
    parent = spec.worldbody
    for link in links(m):
        parent = parent.add_body(pos=link.r_PL, quat=SO3(link.R_PL).as_quat())
        parent.add_joint(type=getattr(mujoco.mjtJoint, TYPES[link.kind]), axis=link.axis)
        parent.explicitinertial = True
        parent.mass, parent.ipos, parent.inertia = link.body.mass, link.com, link.body.J_C
    return spec.compile()
