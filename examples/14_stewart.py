"""A deck on six legs sways to rest: what it loses, the slides of its legs turn into heat, each its own share."""

import numpy as np

import visviva as vv
from visviva.demo import stewart

m = stewart()
run = vv.simulate(m, t_end=1.5, h=0.01)

lost = run["energy"][0] - run["energy"][-1]
heat = np.array([run[f"heat.slide{i}"][-1] for i in range(6)])
assert m.mobility() == 6
assert abs(lost - heat.sum()) < 1e-12 * run.energy_scale
print(f"the deck lost {lost:.6f} J; the slides took {', '.join(f'{share:.2f}' for share in heat)} J")
