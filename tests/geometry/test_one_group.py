"""Only elements of one group compose."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.errors import ModelError
from visviva.geometry import SE3, SO3


@pytest.mark.parametrize(
    ("a", "b"),
    [(SO3.identity(), SE3.identity()), (SE3.identity(), SO3.identity()), (SE3.identity(), np.eye(4))],
    ids=["SO3 with SE3", "SE3 with SO3", "SE3 with a matrix"],
)
def test_other_kinds_are_refused(a, b):
    with pytest.raises(ModelError, match=f"{type(a).__name__} composes with elements of {type(a).__name__} only"):
        a @ b
