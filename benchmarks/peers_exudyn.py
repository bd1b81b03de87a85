"""A mechanism in Exudyn, made from the parts of ours: bodies in Euler parameters, joints as constraints.

The solver is its implicit trapezoidal rule of index 2 with modified Newton and its own tolerances, without output.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from typing import Any, final

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Body, Carrier, Ground, Joint

INSTALLED = importlib.util.find_spec("exudyn") is not None
MOST_DENSE = 30  # bodies up to which its dense solver is tried as well
HELD = {  # along and about which axes of the joint frame
    "cylindrical": [1, 1, 0, 1, 1, 0],
    "prismatic": [1, 1, 0, 1, 1, 1],
    "universal": [1, 1, 1, 1, 0, 0],
}


def module() -> Any:
    """Its compiled form without checks of ranges, which has to be asked for before the first import."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    with contextlib.redirect_stdout(io.StringIO()):  # it says so
        return importlib.import_module("exudyn")


def solvers(m: vv.Mechanism) -> list[Exudyn]:
    """With each linear solver that may be the fastest for this size."""
    return [Exudyn(m, "EigenSparse"), *([Exudyn(m, "EXUdense")] if len(m.bodies) <= MOST_DENSE else [])]


@final
class Exudyn:
    """`Exudyn(m, ...)(n, h)` makes n steps of length h from the initial motion of a mechanism of bodies."""

    def __init__(self, m: vv.Mechanism, linear_solver: str) -> None:
        exu = module()
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.bodies = [part for part in m.bodies if isinstance(part, Body)]
        self.numbers: dict[str, Any] = {m.ground.name: self.system.CreateGround()}
        motion, _ = m.assemble()
        for body in self.bodies:
            self._add_body(body, motion.V[body.name], m.gravity)
        for part in m.parts.values():
            if isinstance(part, Joint):
                self._add_joint(part)
            elif isinstance(part, Element):
                self._add_spring(part)
        self.system.Assemble()
        self.settings = exu.SimulationSettings()
        self.settings.linearSolver.solverType = getattr(exu.LinearSolverType, linear_solver)
        self.settings.solution.file.write = False
        self.settings.solution.sensors.active = False
        self.settings.parallel.numberOfThreads = 1
        self.settings.timeIntegration.newton.useModifiedNewton = True
        self.solver = exu.DynamicSolverType.TrapezoidalIndex2

    def __call__(self, n: int, h: float) -> Array:
        """The centres of mass after n steps, one line per body."""
        exu = module()
        self.settings.timeIntegration.numberOfSteps = n
        self.settings.timeIntegration.endTime = n * h
        if not self.system.SolveDynamic(self.settings, solverType=self.solver, showHints=False):
            raise RuntimeError(f"Exudyn did not make {n} steps of {h} s")
        kind = exu.OutputVariableType.Position
        return np.array([self.system.GetObjectOutputBody(self.numbers[body.name], kind) for body in self.bodies])

    def _add_body(self, body: Body, V: Array, gravity: Array) -> None:
        from exudyn.utilities import RigidBodyInertia

        self.numbers[body.name] = self.system.CreateRigidBody(
            referencePosition=body.r_WC,
            referenceRotationMatrix=body.R_WC,
            initialVelocity=V[3:],
            initialAngularVelocity=body.R_WC @ V[:3],
            inertia=RigidBodyInertia(mass=body.mass, inertiaTensor=np.diag(body.J_C)),
            gravity=gravity,
        )

    def _add_joint(self, joint: Joint) -> None:
        items, kind = module().itemInterface, joint.joint.kind
        axes = [1, 2, 0] if kind == "universal" else [0, 1, 2]  # what stays normal is z to x for us, y to z there
        markers = [self._marker(joint, end, axes) for end in (joint.parent, joint.child)]
        if kind == "spherical":
            item = items.SphericalJoint(markerNumbers=markers)
        elif kind == "revolute":
            item = items.RevoluteJointZ(markerNumbers=markers)
        else:
            item = items.GenericJoint(markerNumbers=markers, constrainedAxes=HELD[kind])
        self.system.AddObject(item)

    def _add_spring(self, spring: Element) -> None:
        """One that is linear in its length and has no damper."""
        markers = [self._marker(spring, end, [0, 1, 2]) for end in (spring.parent, spring.child)]
        assert spring.energy is not None
        assert spring.damping is None
        known = {name: value for name, (_, value) in spring.energy.H.parameters.items()}
        given = {"stiffness": known["k"], "referenceLength": known["length"]}
        self.system.AddObject(module().itemInterface.SpringDamper(markerNumbers=markers, **given))

    def _marker(self, pair: Joint | Element, end: Carrier, axes: list[int]) -> Any:
        """The frame of a joint on one of its ends."""
        exu, (R_WJ, r_WJ) = module(), pair.frame_on(end)
        R_WC, r_WC = (np.eye(3), np.zeros(3)) if isinstance(end, Ground) else (end.R_WC, end.r_WC)
        frame = exu.HT(rotation=R_WC.T @ R_WJ[:, axes], translation=R_WC.T @ (r_WJ - r_WC))
        return self.system.AddMarker(
            exu.itemInterface.MarkerBodyRigid(bodyNumber=self.numbers[end.name], localHT=frame)
        )
