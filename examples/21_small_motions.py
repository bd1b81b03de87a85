"""A disc rolls upright above its critical speed: linearised rolling finds the speed that theory says."""

import numpy as np

import visviva as vv
from visviva.demo import rolling_disc

critical = np.sqrt(9.81 / (3 * 0.3))  # ω² = g/3r of a thin disc


def upright(spin):
    """Small motions of a disc that rolls straight on."""
    return vv.linearise(rolling_disc(lean=np.pi / 2, turning=0.0, spin=spin), steady=True)


locus = vv.root_locus(upright, [2.0, 5.0], parameter="spin")
(found,) = locus.limits(1e-4)
assert abs(found - critical) < 1e-3
assert upright(1.1 * critical).poles().real.max() < 1e-9
print(f"upright rolling is stable above {found:.4f} rad/s; theory: {critical:.4f} rad/s")
