"""The two Onsager matrices of the library: motion becomes heat, and heat goes from warm to cold.

In both, every velocity and temperature is an effort of the ports, so that M annihilates the efforts with absolute
temperatures identically, and a step conserves energy to rounding whatever the coefficient depends on.
"""

from __future__ import annotations

from typing import Any


def heating(mu: Any, v: Any, theta: Any) -> list[list[Any]]:
    """M over (a port with effort v, an entropy port at θ): a resistance μ v whose power μ v² becomes heat.

    M = μ [[θ, -v], [-v, v²/θ]] ⪰ 0,   M (v; θ) = 0;   flows: μ v, and the entropy -μ v²/θ.
    Source: Lohmayer, Capobianco and Leyendecker (6), with a coefficient that may be any non-negative function.
    """
    return [[mu * theta, -mu * v], [-mu * v, mu * v**2 / theta]]


def conducting(k: Any, theta1: Any, theta2: Any) -> list[list[Any]]:
    """M over two entropy ports: the heat k (θ1 - θ2) goes from the first to the second.

    M = k [[θ2/θ1, -1], [-1, θ1/θ2]] ⪰ 0,   M (θ1; θ2) = 0;   flows: k (θ1 - θ2)/θ1 and k (θ2 - θ1)/θ2.
    """
    return [[k * theta2 / theta1, -k], [-k, k * theta1 / theta2]]
