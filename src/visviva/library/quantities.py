"""The quantities of the library: what its ports exchange. State, flow and effort of each stand beside it.

Every domain but heat has two of them, and the effort of one is the flow of the other: a displacement changes with
a velocity, which is the effort of momentum; a momentum changes with a force, which is the effort of displacement.
"""

from __future__ import annotations

from visviva.language import Quantity

displacement = Quantity("R", "displacement")  # [m], velocity [m/s], force [N]
momentum = Quantity("R", "momentum")  # [kg m/s], force [N], velocity [m/s]
momentum3 = Quantity("R3", "momentum")  # three of them: of a point, a force and a velocity; of a spin, a torque and ω
momentum6 = Quantity("R6", "momentum")  # six of them: of a frame, a wrench (m; f) [N m, N] and a twist (ω; v)
angle = Quantity("R", "angle")  # [rad], angular velocity [rad/s], torque [N m]
angular_momentum = Quantity("R", "angular momentum")  # [kg m²/s], torque [N m], angular velocity [rad/s]
charge = Quantity("R", "charge")  # [C], current [A], voltage [V]
flux = Quantity("R", "flux linkage")  # [V s], voltage [V], current [A]
volume = Quantity("R", "volume")  # [m³], volume flow [m³/s], pressure [Pa]
pressure_momentum = Quantity("R", "pressure momentum")  # [Pa s], pressure [Pa], volume flow [m³/s]
entropy = Quantity("R", "entropy")  # [J/K], entropy flow [W/K], temperature above that of the environment [K]
gas = Quantity("R2", "entropy and volume of a gas")  # (J/K, m³), its rate, (temperature above environment, -pressure)


def momentum_along(*units: str) -> Quantity:
    """Momentum of freedoms by their units, "rad" or "m": of one angle, of one displacement, or a vector of several."""
    if units == ("rad",):
        return angular_momentum
    return momentum if units == ("m",) else Quantity(f"R{len(units)}", momentum.name)
