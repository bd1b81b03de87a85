"""Directors with multipliers, and Kane's momenta without any: two sets of equations, one motion."""

import numpy as np

import visviva as vv
from visviva.demo import double_pendulum

m = double_pendulum()
form = vv.analytical(m, "kane-momentum")
exact = vv.simulate(form, t_end=1.0, h=0.01, integrator=vv.DOP853(tolerance=1e-11))

errors = []
for h in (0.002, 0.001):
    run = vv.simulate(m, t_end=1.0, h=h)  # PH-MP, with directors
    q = np.array([run[name][-1] for name in form.q_names])
    errors.append(np.abs(q - exact["q"][-1]).max())
    assert run.audit().ok

assert errors[1] < 1e-4
assert 3.8 < errors[0] / errors[1] < 4.2
print(f"PH-MP is {errors[0]:.1e} and {errors[1]:.1e} rad away for steps of 2 and 1 ms: it converges with order 2")
