"""A motor drives a flywheel through a gear and heats its winding: every joule of the battery is found again."""

import numpy as np

import visviva as vv
from visviva.language import compose
from visviva.library import electric, friction, rotation, thermal
from visviva.library.quantities import angular_momentum

capacity, ratio, inertia = 40.0, 20.0, 0.4  # of the winding [J/K], of the gear, of the flywheel [kg m²]

drive = compose(
    "drive",
    {
        "battery": electric.voltage_source(24.0),
        "loop": electric.series(battery=-1),
        "coil": electric.inductor(2e-3),
        "resistance": electric.resistor(0.8),
        "machine": electric.motor(0.05),
        "rotor": rotation.inertia(5e-4),
        "bearing": friction.coulomb(0.01, v_reg=1.0, d=1e-5, of=angular_momentum),
        "gear": rotation.gear(ratio),
        "flywheel": rotation.inertia(inertia),
        "winding": thermal.capacity(capacity),
        "case": thermal.convection(20.0, 0.02),
        "air": thermal.environment(300.0),
    },
    {
        "drawn": ("battery.q", "loop.battery"),
        "phi": ("loop.phi", "coil.phi", "resistance.phi", "machine.phi"),
        "shaft": ("machine.p", "rotor.p", "bearing.p", "gear.a"),
        "wheel": ("gear.b", "flywheel.p"),
        "hot": ("resistance.s", "winding.s", "case.s1"),
        "s": ("case.s2", "bearing.s", "air.s"),
    },
)
start = {"drawn": 0.0, "phi": 0.0, "shaft": 0.0, "wheel": 0.0, "hot": thermal.entropy(300.0, capacity)}
run = vv.simulate(drive, t_end=3.0, h=0.01, initial=start)

audit = run.audit()
assert audit.ok
speed = run["wheel"][:, 0] / inertia
np.testing.assert_allclose(run["shaft"][:, 0] / 5e-4, ratio * speed, atol=1e-9 * ratio * speed.max())
drawn = 24.0 * -run["drawn"][-1, 0]
found = sum(account.energy_in for name, account in audit.components.items() if name != "battery")
assert abs(found - drawn) < 1e-12 * drawn
theta = thermal.temperature(run["hot"][-1, 0], capacity)
print(f"{drawn:.3f} J drawn and found again; flywheel at {speed[-1]:.2f} rad/s, winding at {theta:.2f} K")
