"""A law that is solved inside the step swings a pole up and holds it, on carts of other masses as well."""

import numpy as np

import visviva as vv

m = vv.Mechanism("cart-pole", gravity=(0, 0, -9.81))
cart = m.body("cart", inertia=vv.inertia.box(1.0, (0.2, 0.1, 0.1)))
pole = m.body("pole", inertia=vv.inertia.rod(0.2, 0.6, axis="z"), at=(0, 0, 0.3))
m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x", friction=0.1)
m.revolute("hinge", cart, pole, at=(0, 0, 0), axis="y", friction=0.002)
m.force("push", "rail")


def law(t, x):
    """Pump energy into the pole until it is near the top, then hold it; at most 4 N."""
    q, rate = x["hinge.q"], x["hinge.rate"]
    energy = 0.012 * rate**2 + 0.2 * 9.81 * 0.3 * (np.cos(q) - 1)
    swing = 20 * energy * rate * np.cos(q) - 4 * x["rail.q"] - 4 * x["rail.rate"]
    hold = 30 * np.sin(q) + 6 * rate + 3 * x["rail.q"] + 4 * x["rail.rate"]
    near = np.clip((np.cos(q) - 0.85) / 0.1, 0, 1)
    return np.clip(near * hold + (1 - near) * swing, -4, 4)


hanging = {"hinge.q": np.pi - 0.1}
run = vv.simulate(m, t_end=8.0, h=5e-3, initial=hanging, inputs={"push": law})
assert run.audit().ok
assert np.cos(run["hinge.q"][-1]) > 0.999

# the same law on carts of other masses, each a run of its own
sim = vv.Simulator(m, h=5e-3, inputs={"push": law})
masses = np.linspace(0.8, 1.2, 9)
many = sim.rollout(hanging, parameters={"cart.mass": masses}, steps=2400, record="hinge.q")
assert many.ok.all()
standing = int((np.cos(many["hinge.q"][:, -1]) > 0.99).sum())
assert standing == len(masses)
up, work = run.t[np.cos(run["hinge.q"]) < 0.99][-1], run["push.work"][-1]
print(f"up after {up:.1f} s with {work:.2f} J of work; on {standing} of {len(masses)} other carts as well")
