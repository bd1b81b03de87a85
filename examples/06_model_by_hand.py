"""A direct-current motor written by hand: volts times amperes become motion and heat, and nothing else.

Storages are the flux linkage of the coil and the angular momentum of the rotor; a gyrator K joins them.
"""

import numpy as np

import visviva as vv
from visviva.geometry.embedding import Flat
from visviva.model import Dissipation, Model, Port, QuadraticEnergy, Routing, Variable

L, inertia, K, resistance, friction = 2e-3, 5e-4, 0.05, 0.8, 1e-4

motor = Model(
    "motor",
    variables=(Variable("flux", Flat(1)), Variable("spin", Flat(1))),
    storages=(
        QuadraticEnergy("coil", "flux", np.array([[1 / L]])),
        QuadraticEnergy("rotor", "spin", np.array([[1 / inertia]])),
    ),
    structures=(
        Routing("gyrator", ("flux", "spin"), np.array([[0, -K], [K, 0]])),
        Dissipation("winding", ("flux",), np.array([[resistance]])),
        Dissipation("bearing", ("spin",), np.array([[friction]])),
        Port("supply", ("flux",), 1, np.eye(1)),
    ),
)
run = vv.simulate(
    motor, t_end=2.0, h=2e-3, integrator=vv.DiscreteGradient(), initial={"flux": 0, "spin": 0}, inputs={"supply": 12.0}
)

audit = run.audit()
assert audit.ok
speed = run["spin"][-1, 0] / inertia
steady = 12.0 * K / (K**2 + resistance * friction)
assert abs(speed - steady) < 1e-3 * steady
print(f"{run['supply.work'][-1]:.6f} J supplied, first law closed to {audit.first_law:.0e}; {speed:.2f} rad/s")
