"""A motor drives a spatial loop that rubs and gets warm: from volts to kelvins, every joule is in the books."""

import numpy as np

import visviva as vv
from visviva.demo.motor import at_rest, motor_loop, temperatures

model = vv.compile(motor_loop())
scheme, start, volts = vv.DiscreteGradient(), at_rest(model), {"supply": 24.0}
run = vv.simulate(model, t_end=1.0, h=0.01, integrator=scheme, initial=start, inputs=volts)
audit, q = run.audit(), run["bearing.q_r"]
turns = np.unwrap(np.arctan2(q[:, 1], q[:, 0]))[-1] / (2 * np.pi)
warmer = {name: theta[-1] - theta[0] for name, theta in temperatures(run).items()}
assert audit.ok
assert audit.first_law < 1e-13
assert turns > 1
print(
    f"{run['work'][-1]:.3f} J made {turns:.2f} turns, a winding {warmer['winding']:.1f} K and",
    f"a housing {warmer['housing']:.1f} K warmer; each step closes to {audit.first_law:.0e}",
)
