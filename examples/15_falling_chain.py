"""One end of a folded chain is let go: it falls faster than a stone, since the links at the bend pull it down."""

import numpy as np

import visviva as vv
from visviva.demo import folded_chain

m = folded_chain(1000)
run = vv.simulate(m, t_end=0.85, h=0.001, every=10)

ahead = -(run["tip.r"][:, 2] - run["tip.r"][0, 2]) - 0.5 * 9.81 * run.t**2
drift = np.ptp(run["energy"]) / run.energy_scale
assert (ahead[5:] > 0).all()
assert drift < 1e-12
print(f"after {run.t[-1]:.1f} s the tip is {ahead[-1]:.2f} m ahead of a stone; energy moved by {drift:.0e}")
