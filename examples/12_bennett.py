"""Four skew hinges that counting calls a rigid frame turn all the same, and opposite hinges by equal angles."""

import numpy as np

import visviva as vv
from visviva.demo import bennett

m = bennett()
counted = 6 * len(m.bodies) - 5 * len(m.joints)
run = vv.simulate(m, t_end=9.0, h=0.01)

turned = [np.unwrap(run[f"{name}.q"]) for name in ("h1", "h2", "h3", "h4")]
off = max(abs(abs(turned[i]) - abs(turned[i + 2])).max() for i in (0, 1))
assert counted == -2
assert m.mobility() == 1
assert off < 1e-10
assert run.audit().ok
angle = abs(turned[0][-1])
print(f"counted {counted} freedoms, found {m.mobility()}: h1 turned by {angle:.2f} rad, h3 by as much to {off:.0e}")
