"""A planar four-bar of four spatial hinges has three constraint rows too many; none has to be dropped by hand."""

import numpy as np

import visviva as vv

m = vv.Mechanism("four bar", gravity=(0, 0, -9.81))
A, B, C, D = np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)])
for name, a, b in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
    length = float(np.linalg.norm(b - a))
    m.body(name, inertia=vv.inertia.cylinder(2.0 * length, 0.02, length, axis=b - a), at=(a + b) / 2)
m.revolute("A", m.ground, "crank", at=A, axis=(0, 1, 0), rate=6.0)
m.revolute("B", "crank", "coupler", at=B, axis=(0, 1, 0))
m.revolute("C", "coupler", "rocker", at=C, axis=(0, 1, 0))
m.revolute("D", m.ground, "rocker", at=D, axis=(0, 1, 0))
run = vv.simulate(m, t_end=2.0, h=0.005)

redundant = int((~run.final.active).sum())
worst = abs(run["g"]).max()
assert redundant == 3
assert worst < 1e-13
assert run.audit().ok
print(f"{redundant} redundant rows; over the run no row, redundant or not, is off by more than {worst:.0e}")
