"""Balances with signs: one port that sums the efforts of several others, as Kirchhoff's laws do."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Quantity, Reversible, reversible


def balance(port: str, quantity: Quantity, others: Quantity, signs: Mapping[str, float], owner: str) -> Reversible:
    """The state of `port` changes with the signed sum of the efforts of the others; each feels its effort back.

    ẋ = Σ σ_k e_k,   ẋ_k = -σ_k e,   σ_k = ±1;   power: e ẋ + Σ e_k ẋ_k = 0.
    """
    if port in signs:
        raise ModelError(f"{owner} has a port {port!r} of its own: call the others differently.")
    for name, sign in signs.items():
        if finite_number(sign, f"sign of {name!r} in {owner}") not in (1.0, -1.0):
            raise ModelError(f"sign of {name!r} in {owner} must be 1 or -1 (with or against the arrow), got {sign:g}.")
    row = np.array([float(sign) for sign in signs.values()])
    J = np.zeros((len(row) + 1, len(row) + 1))
    J[0, 1:], J[1:, 0] = row, -row
    return reversible({port: quantity} | dict.fromkeys(signs, others), J=J)
