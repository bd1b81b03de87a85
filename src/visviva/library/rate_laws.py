"""Formulas of friction: the coefficient μ(v) ≥ 0 of a force F = μ v, smooth, with the speed of its regularisation.

The components of `library.friction` and the laws of joints, `visviva.friction`, share them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError


def coulomb(v: Any, F_c: Any, v_reg: Any, d: Any) -> Any:
    """Dry friction with a viscous part: F = F_c v/√(v² + v_reg²) + d v."""
    return F_c / np.sqrt(v**2 + v_reg**2) + d


def stribeck(v: Any, F_c: Any, F_s: Any, v_st: Any, v_reg: Any, d: Any) -> Any:
    """Dry friction that is larger at rest: F = (F_c + (F_s - F_c) exp(-(v/v_st)²)) v/√(v² + v_reg²) + d v.

    Source: Armstrong-Hélouvry et al. (1994), regularised.
    """
    return coulomb(v, F_c + (F_s - F_c) * np.exp(-((v / v_st) ** 2)), v_reg, d)


def check_stribeck_speed(v_st: float, v_reg: float, names: tuple[str, str], unit: str) -> None:
    """An error if the regularisation hides the force of breaking loose."""
    if not v_st > v_reg:
        raise ModelError(
            f"{names[0]} = {v_st:g} {unit} of Stribeck friction must be larger than {names[1]} = {v_reg:g} {unit}:\n"
            f"else the regularisation hides the force of breaking loose. Reduce {names[1]}."
        )


def check_dry(law: str, names: tuple[str, str, str], values: tuple[float, float, float]) -> tuple[float, float, float]:
    """Force of sliding, speed of regularisation and viscous coefficient, checked; names: as their units, after them."""
    level, v_reg, d = values
    return (
        finite_number(level, names[0].format(law), positive=True),
        finite_number(v_reg, names[1].format(law), positive=True),
        finite_number(d, names[2].format(law), minimum=0.0),
    )
