"""Two gases and a piston come to rest: volume and energy to rounding, entropy only grows.

The friction of the piston heats the gas on the left, and heat passes through the piston to the other side.
"""

import sys
from pathlib import Path

import numpy as np

import visviva as vv
from visviva.language import compose
from visviva.library import friction, gas, thermal, translation

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

air = gas.IdealGas(n=1.0, c_v=2.5 * gas.R)
engine = compose(
    "two gases",
    {
        "a": air.system(),
        "b": air.system(),
        "left": gas.piston(0.01),
        "right": gas.piston(0.01, side=-1),
        "piston": translation.mass(5.0),
        "seal": friction.stribeck(20.0, 30.0, v_st=0.2, v_reg=0.02, d=60.0),
        "wall": thermal.conduction(40.0),
    },
    {
        "ga": ("a.gas", "left.gas"),
        "gb": ("b.gas", "right.gas"),
        "p": ("left.p", "right.p", "piston.p", "seal.p"),
        "sa": ("a.s", "seal.s", "wall.s1"),
        "sb": ("b.s", "wall.s2"),
    },
)
start = air.initial("a", "ga", theta=350.0, V=0.03) | air.initial("b", "gb", theta=280.0, V=0.02) | {"p": 0.0}
run = vv.simulate(engine, t_end=4.0, h=0.01, initial=start)
out.mkdir(parents=True, exist_ok=True)
run.plot("energy", out / "two_gases.png")

a, b = run["ga"], run["gb"]
assert run.audit().ok
np.testing.assert_allclose(a[:, 1] + b[:, 1], 0.05, rtol=1e-14)
assert np.ptp(run["energy"]) < 1e-13 * run["energy"][0]
assert np.diff(a[:, 0] + b[:, 0]).min() > 0
gap = abs(air.pressure(a[-1]) - air.pressure(b[-1]))
assert gap * 0.01 < 30.0  # what is left of it the seal holds
grown = a[-1, 0] + b[-1, 0] - a[0, 0] - b[0, 0]
print(f"entropy grew by {grown:.4f} J/K; a pressure difference of {gap:.0f} Pa is left, held by the seal")
