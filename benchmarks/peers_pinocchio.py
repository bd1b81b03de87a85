"""A chain in Pinocchio, made from the parts of ours: what one evaluation of its forward dynamics costs."""

from __future__ import annotations

import importlib.util
from typing import final

import numpy as np

import visviva as vv
from benchmarks.links import links
from visviva._arrays import Array

INSTALLED = importlib.util.find_spec("pinocchio") is not None


@final
class Pinocchio:
    """`Pinocchio(m)(n)` evaluates the articulated-body algorithm n times, at rest as built."""

    def __init__(self, m: vv.Mechanism) -> None:
        import pinocchio as pin

        self.model = pin.Model()
        self.model.gravity.linear = m.gravity
        before = 0
        for link in links(m):
            joint = (
                pin.JointModelSpherical() if link.kind == "spherical" else pin.JointModelRevoluteUnaligned(link.axis)
            )
            before = self.model.addJoint(before, joint, pin.SE3(link.R_PL, link.r_PL), link.body.name)
            inertia = pin.Inertia(link.body.mass, link.com, np.diag(link.body.J_C))
            self.model.appendBodyToJoint(before, inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.q, self.v = pin.neutral(self.model), np.zeros(self.model.nv)

    def __call__(self, n: int) -> Array:
        """The accelerations of the joint coordinates."""
        import pinocchio as pin

        for _ in range(n):
            pin.aba(self.model, self.data, self.q, self.v, self.v)
        return np.array(self.data.ddq)
