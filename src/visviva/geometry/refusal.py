"""Errors about one element of a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva.errors import ModelError


def refuse(wrong: ArrayLike, what: str, why: str) -> None:
    """Raise "what why" where `wrong` is true; of a batch, the first such element is named."""
    wrong = np.asarray(wrong)
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        number = f" (number {', '.join(str(int(i)) for i in place)} of the batch)" if place else ""
        raise ModelError(f"{what}{number} {why}")
