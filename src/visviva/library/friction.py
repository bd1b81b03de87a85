"""Dry and viscous friction that heats: smooth laws, with the speed of their regularisation in the open.

A step that jumps over speeds of the size `v_reg` does not see how friction sets in; energy is exact all the same.
`of` is the momentum that is rubbed off, `angular_momentum` for shafts; units below are those of translation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Irreversible, Quantity, irreversible
from visviva.library.onsager import heating
from visviva.library.quantities import entropy, momentum

__all__ = ["coulomb", "stribeck", "viscous"]

Factor = Callable[[Any], Any]


def viscous(d: float, *, factor: Factor | None = None, of: Quantity = momentum) -> Irreversible:
    """Viscous friction: force d v, heat d v².

    d: [N s/m], positive.   factor: a function of the temperature θ [K] of port s that d is multiplied with, not
    negative; e.g. lambda theta: np.exp(-(theta - 300) / 40) for an oil that thins.   Ports: p, s (the heat).
    """
    d = finite_number(d, "d of viscous friction [N s/m]", positive=True)

    def M(e: Any, theta: Any, d: Any) -> Any:
        return heating(_at(factor, theta.s) * d, e.p, theta.s)

    return irreversible({"p": of, "s": entropy}, M=M, d=d)


def coulomb(
    F_c: float, *, v_reg: float, d: float = 0.0, factor: Factor | None = None, of: Quantity = momentum
) -> Irreversible:
    """Dry friction with a viscous part: F(v) = F_c v/√(v² + v_reg²) + d v, heat F v.

    F_c: force of sliding [N], positive.   v_reg: speed at which 71 % of it are reached [m/s], positive; below it the
    law creeps where dry friction would stick.   d: [N s/m], at least 0.   factor: as in `viscous`.   Ports: p, s.
    """
    F_c, v_reg, d = _checked("Coulomb", F_c, v_reg, d)

    def M(e: Any, theta: Any, F_c: Any, v_reg: Any, d: Any) -> Any:
        mu = F_c / np.sqrt(e.p**2 + v_reg**2) + d
        return heating(_at(factor, theta.s) * mu, e.p, theta.s)

    return irreversible({"p": of, "s": entropy}, M=M, F_c=F_c, v_reg=v_reg, d=d)


def stribeck(
    F_c: float,
    F_s: float,
    *,
    v_st: float,
    v_reg: float,
    d: float = 0.0,
    factor: Factor | None = None,
    of: Quantity = momentum,
) -> Irreversible:
    """Dry friction that is larger at rest: F(v) = (F_c + (F_s - F_c) exp(-(v/v_st)²)) v/√(v² + v_reg²) + d v.

    F_s: force of breaking loose [N], at least F_c.   v_st: Stribeck's speed [m/s], positive, larger than v_reg, or the
    maximum would not be seen.   The rest as in `coulomb`.   Source: Armstrong-Hélouvry et al. (1994), regularised.
    """
    F_c, v_reg, d = _checked("Stribeck", F_c, v_reg, d)
    F_s = finite_number(F_s, "F_s of Stribeck friction [N]", minimum=F_c)
    v_st = finite_number(v_st, "v_st of Stribeck friction [m/s]", positive=True)
    if not v_st > v_reg:
        raise ModelError(
            f"v_st = {v_st:g} m/s of Stribeck friction must be larger than v_reg = {v_reg:g} m/s:\n"
            "else the regularisation hides the force of breaking loose. Reduce v_reg."
        )

    def M(e: Any, theta: Any, F_c: Any, F_s: Any, v_st: Any, v_reg: Any, d: Any) -> Any:
        dry = F_c + (F_s - F_c) * np.exp(-((e.p / v_st) ** 2))
        return heating(_at(factor, theta.s) * (dry / np.sqrt(e.p**2 + v_reg**2) + d), e.p, theta.s)

    return irreversible({"p": of, "s": entropy}, M=M, F_c=F_c, F_s=F_s, v_st=v_st, v_reg=v_reg, d=d)


def _at(factor: Factor | None, theta: Any) -> Any:
    return 1 if factor is None else factor(theta)


def _checked(law: str, F_c: float, v_reg: float, d: float) -> tuple[float, float, float]:
    return (
        finite_number(F_c, f"F_c of {law} friction [N]", positive=True),
        finite_number(v_reg, f"v_reg of {law} friction [m/s]", positive=True),
        finite_number(d, f"d of {law} friction [N s/m]", minimum=0.0),
    )
