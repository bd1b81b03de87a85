"""A quadcopter flies a looping by an IMU and late frames, with a bias it is not told of, within 1 cm of its path."""

import sys
from pathlib import Path

import visviva as vv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

flight = vv.copter.fly("looping", sensors=vv.copter.Sensors())
flight.plot().savefig(out / "looping.png", dpi=100)
flight.page(out / "looping.html")

far, audit = flight.errors["e_r"].max(), flight.audit()
assert far < 0.01
assert audit.ok
print(f"at most {100 * far:.1f} cm off, {audit.power['motors']:.0f} W; first law off by {audit.first_law:.0e} a step")
