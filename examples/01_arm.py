"""An arm on a hinge with friction: what it loses in height and speed is found again as heat, to rounding."""

import sys
from pathlib import Path

import visviva as vv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
arm = m.body("arm", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
m.revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
run = vv.simulate(m, t_end=10.0, h=0.01)
run.plot("energy", out / "arm.png")
run.page(out / "arm.html")

lost, heat = run["energy"][0] - run["energy"][-1], run["heat.hinge"][-1]
assert abs(lost - heat) < 1e-12 * run.energy_scale
print(f"the arm lost {lost:.12f} J, the hinge took {heat:.12f} J")
