"""An open differential gives both wheels the same torque: the one on ice gets the speed, and nearly all the power."""

import numpy as np

import visviva as vv
from visviva.demo import differential

m = differential()
run = vv.simulate(m, t_end=6.0, h=0.01, inputs={"engine": 30.0})

left, right, case = (run[f"{name}.rate"] for name in ("left shaft", "right shaft", "case"))
assert np.abs(left + right - 2 * case).max() < 1e-10
assert abs(run["gears.reaction"][-1] - 15.0) < 0.05
print(f"left {left[-1]:.1f} rad/s, right {right[-1]:.1f} rad/s; torque on each {run['gears.reaction'][-1]:.2f} N m")
