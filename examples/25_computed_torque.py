"""An arm under computed torque follows its path to the accuracy of the integration, by vv.dynamics alone."""

import numpy as np

import visviva as vv

m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
below = m.ground
for i, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]):
    link = m.body(f"link{i}", inertia=vv.inertia.box(2.0, (0.08, 0.1, 0.3)), at=(0, 0, 0.3 * i + 0.15))
    m.revolute(f"joint{i}", below, link, at=(0, 0, 0.3 * i), axis=axis, friction=0.2)
    m.torque(f"motor{i}", f"joint{i}")
    below = link
m.frame("tool", below, at=(0, 0, 1.9))
d = vv.dynamics(m)

# a straight line of the tool with its orientation kept, one pose after the other by inverse kinematics
start = d.coordinates({"joint1": 0.6, "joint2": 0.9, "joint4": -0.8})
X0, way, n = d.pose("tool", start), np.array([-0.2, 0.25, -0.1]), 201
times = np.linspace(0.0, 1.0, n)
path = [start]
for t in times[1:]:
    s = t**3 * (10 - 15 * t + 6 * t * t)
    path.append(d.solve_pose({"tool": (X0.R, X0.r + s * way)}, near=path[-1]))
wanted = np.array(path)
speed = np.gradient(wanted, times, axis=0, edge_order=2)
push = np.gradient(speed, times, axis=0, edge_order=2)

q, v, h = start, np.zeros(d.nv), times[1]
worst = 0.0
for k in range(n - 1):
    for part in range(10):  # the controller at 2 kHz, semi-implicit steps
        x = part / 10
        aim, rate, a = (y[k] + x * (y[k + 1] - y[k]) for y in (wanted, speed, push))
        u = d.inverse(q, v, a + 400.0 * (aim - q) + 40.0 * (rate - v))
        v = v + h / 10 * d.forward(q, v, u)
        q = d.integrate(q, h / 10 * v)
    worst = max(worst, float(np.linalg.norm(d.pose("tool", q).r - d.pose("tool", wanted[k + 1]).r)))
end = d.pose("tool", q)
assert worst < 2e-4
assert np.linalg.norm(end.r - X0.r - way) < 2e-4
print(f"the tool moved {1000 * np.linalg.norm(way):.0f} mm, never more than {1000 * worst:.2f} mm off its line")
