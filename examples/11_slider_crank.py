"""A spatial slider-crank with a ball and a universal joint: its slider is where the crank's angle says, to rounding."""

import numpy as np

import visviva as vv
from visviva.demo import slider_crank

m = slider_crank()
run = vv.simulate(m, t_end=1.5, h=0.005)

theta = run["bearing.q"]
y, z = 0.1 - 0.08 * np.sin(theta), 0.12 + 0.08 * np.cos(theta)  # of the ball
x = np.sqrt(0.3**2 - y**2 - z**2)  # the conrod is 0.3 m long
off = abs(run["slider.r"][:, 0] - x).max()
drift = np.ptp(run["energy"]) / run.energy_scale
assert off < 1e-12
assert drift < 1e-13
print(f"slider off by {off:.0e} m over {np.ptp(theta) / (2 * np.pi):.1f} turns of the crank, energy by {drift:.0e}")
