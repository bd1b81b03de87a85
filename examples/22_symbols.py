"""The equations of a double pendulum as a textbook prints them, and the same accelerations from C code made of them."""

import shutil
import sys
from pathlib import Path

import numpy as np

import visviva as vv

m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
m.body("1", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
m.body("2", mass=0.7, inertia=vv.inertia.rod(0.7, 0.8, axis="x"), at=(1.4, 0, 0))
m.revolute("a", m.ground, "1", at=(0, 0, 0), axis=(0, 1, 0))
m.revolute("b", "1", "2", at=(1, 0, 0), axis=(0, 1, 0))

e = vv.symbols(m)
assert str(e.c[1]) == "l_b*l_c_2*m_2*qdot_a**2*sin(q_b)"

target = "c" if any(map(shutil.which, ("cc", "gcc", "clang"))) else "numpy"
evaluate = e.function("M", "c", "f", target=target)
form, rng = vv.analytical(m), np.random.default_rng(0)
q, xi = rng.normal(size=(2, 100, 2))
M, c, f = evaluate(q, xi)
ours = np.linalg.solve(M, (f - c)[..., None])[..., 0]
theirs = np.array([form.accelerations(*state) for state in zip(q, xi, strict=True)])
assert np.abs(ours - theirs).max() < 1e-11
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(exist_ok=True)
vv.report(m).save(out / "double_pendulum.html")
print(f"M22 = {e.M[1, 1]}; accelerations of 100 states agree with those of the mechanism")
