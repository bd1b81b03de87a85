"""A quarter car drawn as a bond graph moves as the mechanism does."""

import sys
from pathlib import Path

import visviva as vv
from visviva.bonds import C, I, R, Se, one, zero

g = 9.81
graph = vv.BondGraph(
    "quarter car",
    {"car": one(domain="translation"), "M": I("300 kg"), "Mg": Se(-300 * g),
     "strut": zero(), "stretch": one(), "k": C(1 / 20e3), "d": R("1500 N s/m"),
     "wheel": one(), "m": I("40 kg"), "mg": Se(-40 * g), "tyre": C(1 / 200e3), "rubber": R("100 N s/m")},
    ["Mg -> car", "car -> M", "car -> strut", "strut -> stretch", "stretch -> k", "stretch -> d",
     "strut -> wheel", "mg -> wheel", "wheel -> m", "wheel -> tyre", "wheel -> rubber"],
)  # fmt: skip

m = vv.Mechanism("quarter car", gravity=(0, 0, -g))
car = m.body("car", mass=300.0, inertia=(1, 1, 1), at=(0, 0, 1))
wheel = m.body("wheel", mass=40.0, inertia=(1, 1, 1), at=(0, 0, 0.4))
m.prismatic("heave", m.ground, car, axis=(0, 0, 1))
m.prismatic("hop", m.ground, wheel, axis=(0, 0, 1))
m.spring("strut", wheel, car, k=20e3, damping=1500.0)
m.spring("tyre", m.ground, wheel, at_a=(0, 0, 0), k=200e3, damping=100.0)

drawn = vv.simulate(graph, t_end=2.0, h=0.01)
built = vv.simulate(m, t_end=2.0, h=0.01, integrator=vv.DOP853())
stretch = built["heave.q"] - built["hop.q"]
gap = abs(drawn["q_k"][-1] - stretch[-1])
assert gap < 1e-8
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(exist_ok=True)
vv.draw(graph, out / "quarter_car.svg")
print(f"the strut gives way by {-1000 * stretch.min():.0f} mm, and both agree to {gap:.0e} m")
