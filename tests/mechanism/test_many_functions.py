from __future__ import annotations

import pytest
from catalogue import MECHANISMS
from numpy.testing import assert_array_equal

from visviva.mechanism import coordinates
from visviva.mechanism.coordinates import many_pair_functions, pair_functions


@pytest.mark.parametrize("name", MECHANISMS)
def test_functions_made_together_are_those_made_alone_bit_by_bit(name, monkeypatch):
    monkeypatch.setattr(coordinates, "MANY", 0)
    given = [(joint, joint.joint.rows) for joint in MECHANISMS[name]().joints if joint.joint.rows]
    for together, (joint, rows) in zip(many_pair_functions(given), given, strict=True):
        alone = pair_functions(joint, rows)
        for field in ("A", "b", "c"):
            assert_array_equal(getattr(together, field), getattr(alone, field))
