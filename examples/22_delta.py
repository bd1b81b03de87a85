"""The plate of a Delta robot shifts and never turns, and its three motors feel a load by the transpose of its rates."""

import numpy as np

import visviva as vv
from visviva.geometry.screws import Screw, System

m = vv.Mechanism("delta")
small = {"mass": 0.1, "inertia": (1e-3, 1e-3, 1e-3)}
m.body("plate", **small, at=(0, 0, -0.9))
for i in range(3):
    c, s = np.cos(2 * np.pi / 3 * i), np.sin(2 * np.pi / 3 * i)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    arm = m.body(f"arm{i}", **small, at=R @ (0.45, 0, 0))
    m.revolute(f"motor{i}", m.ground, arm, at=R @ (0.2, 0, 0), axis=R @ (0, 1, 0))
    for side, y in (("a", -0.1), ("b", 0.1)):
        rod = m.body(f"rod{i}{side}", **small, at=R @ (0.4, y, -0.45))
        m.spherical(f"elbow{i}{side}", arm, rod, at=R @ (0.7, y, 0))
        m.spherical(f"wrist{i}{side}", rod, "plate", at=R @ (0.1, y, -0.9))

network, motors = m.kinestatics(), [f"motor{i}" for i in range(3)]
free, locked = network.freedom("plate"), network.freedom("plate", locked=motors)
passing = network.transmission(inputs=motors, outputs=["plate"])
load = np.array([0, 0, 0, 3.0, 0, -10.0])  # (m; f) on the plate
assert free.twists == System(*map(Screw.along, np.eye(3)))
assert locked.mobility == 0
assert np.allclose(passing.holding(load), -passing.jacobian.T @ load)
print(f"the plate has a {free.twists.type}; motors hold the load with {passing.holding(load).round(3)} N m")
