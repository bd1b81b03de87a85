"""A fast top does not fall: started in steady precession it keeps its tilt and goes round at the predicted rate.

With spin s, tilt θ and moments J_a, J_t about the tip, steady precession solves J_a s Ω - J_t Ω² cos θ = m g l.
"""

import numpy as np

import visviva as vv

mass, length, theta, s, gravity = 0.4, 0.08, 0.4, 150.0, 9.81

disc = vv.inertia.cylinder(mass, 0.06, 0.02, axis="z").moved(at=(0, 0, length))
J_a, J_t = disc.J[2, 2], disc.J[0, 0] + mass * length**2
Omega = np.roots([J_t * np.cos(theta), -J_a * s, mass * gravity * length]).min()

m = vv.Mechanism("top", gravity=(0, 0, -gravity))
w = (-Omega * np.sin(theta), 0, s)  # in body axes: precession about the vertical, and the spin
top = m.body("top", inertia=disc, rotation=vv.geometry.SO3.exp([0, theta, 0]), twist=(*w, 0, 0, 0))
m.spherical("tip", m.ground, top, at=(0, 0, 0))
run = vv.simulate(m, t_end=0.5, h=0.0005)

axis = run["top.R"][:, :, 2]
rate = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))[-1] / run.t[-1]
wobble = np.ptp(np.arccos(axis[:, 2]))
assert abs(rate - Omega) < 1e-3 * Omega
assert wobble < 1e-4
print(f"precession {rate:.5f} rad/s, predicted {Omega:.5f} rad/s; the tilt moved by {wobble:.0e} rad")
