"""Dry and viscous friction that heats: smooth laws, with the speed of their regularisation in the open.

A step that jumps over speeds of the size `v_reg` does not see how friction sets in; energy is exact all the same.
`of` is the momentum that is rubbed off, `angular_momentum` for shafts; units below are those of translation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visviva._arrays import finite_number
from visviva.language import Irreversible, Quantity, irreversible
from visviva.library import rate_laws
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
        return heating(_at(factor, theta.s) * rate_laws.coulomb(e.p, F_c, v_reg, d), e.p, theta.s)

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
    rate_laws.check_stribeck_speed(v_st, v_reg, ("v_st", "v_reg"), "m/s")

    def M(e: Any, theta: Any, F_c: Any, F_s: Any, v_st: Any, v_reg: Any, d: Any) -> Any:
        return heating(_at(factor, theta.s) * rate_laws.stribeck(e.p, F_c, F_s, v_st, v_reg, d), e.p, theta.s)

    return irreversible({"p": of, "s": entropy}, M=M, F_c=F_c, F_s=F_s, v_st=v_st, v_reg=v_reg, d=d)


def _at(factor: Factor | None, theta: Any) -> Any:
    return 1 if factor is None else factor(theta)


def _checked(law: str, F_c: float, v_reg: float, d: float) -> tuple[float, float, float]:
    names = "F_c of {} friction [N]", "v_reg of {} friction [m/s]", "d of {} friction [N s/m]"
    return rate_laws.check_dry(law, names, (F_c, v_reg, d))
