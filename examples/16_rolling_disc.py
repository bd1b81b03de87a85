"""A disc that leans and rolls goes in the circle that the closed form gives, and keeps every joule."""

import numpy as np

import visviva as vv
from visviva.demo import rolling_disc
from visviva.demo.rolling import RADIUS, steady_spin

lean, turning = 1.2, 1.5
run = vv.simulate(rolling_disc(lean, turning), t_end=2 * np.pi / turning, h=0.005)

radius = RADIUS * abs(steady_spin(lean, turning)) / turning
seen = np.linalg.norm(run["disc.r"][:-1, :2] - (0, radius), axis=1)
height = run["disc.r"][:, 2] - RADIUS * np.hypot(*run["disc.R"][:, :2, 2].T)
assert np.allclose(seen, radius, rtol=3e-4)
assert abs(height).max() < 1e-14
assert run.audit().first_law < 1e-13
print(f"circle of {seen.mean():.4f} m (closed form {radius:.4f} m), edge off the plane by {abs(height).max():.0e} m")
