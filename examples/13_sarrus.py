"""Six hinges guide a platform on a straight line: it neither leaves the line nor turns, to rounding."""

import numpy as np

import visviva as vv
from visviva.demo import sarrus

m = sarrus()
run = vv.simulate(m, t_end=0.4, h=0.005)

sideways = abs(run["centre.r"][:, :2]).max()
turned = abs(run["platform.R"] - np.eye(3)).max()
fallen = np.ptp(run["centre.r"][:, 2])
assert m.redundant() == {"head y": 1}
assert sideways < 1e-13
assert turned < 1e-13
print(f"the platform fell by {fallen:.3f} m, off its line by {sideways:.0e} m, turned by {turned:.0e}")
