"""Every element on every joint: all readings of the pair agree with the Model, or one of both is refused there."""

from __future__ import annotations

import pytest
from parts import BODIES, ELEMENTS, JOINTS, NotApplicable, sample
from readings import READINGS
from refusals import REFUSED, TOGETHER, WRONG

import visviva as vv

pytestmark = pytest.mark.slow
LOOKED_AT = [name for name in READINGS if not name.endswith("in NumPy")]  # compiled runs are compared with those
# energies of the pose of the hand see a joint by the velocities that it leaves: three joints will do
OF_POSES = ("bushing", "trace spring", "point springs", "pose spring", "stiffness of moments", "any stiffness")
THREE = ("revolute", "spherical", "free")


def pairs():
    for element, part in (ELEMENTS | BODIES).items():
        for joint in THREE if element in OF_POSES else JOINTS:
            if element != "gravity" and joint != part.joint:
                yield pytest.param(joint, element, id=f"{element} on {joint}")


def verdict(reading, joint, element):
    """None where it agrees, else what it says."""
    try:
        READINGS[reading](sample(joint, element))
    except vv.VisvivaError as refusal:
        return f"refused: {refusal}"
    except AssertionError as gap:
        return f"wrong: {gap}"
    return None


def expectation(reading, joint, element):
    """ "refused" or "wrong" where one of both is, or both together."""
    for what, found in (("refused", REFUSED), ("wrong", WRONG)):
        if {joint, element} & {*found.get(reading, {})}:
            return what
    return TOGETHER.get((joint, element), {}).get(reading)


@pytest.mark.parametrize(("joint", "element"), [*pairs()])
def test_pairs_are_refused_only_where_one_of_them_is(joint, element):
    try:
        sample(joint, element)
    except NotApplicable:
        return
    if sample(joint, element).mechanism.mobility() == 0:
        return
    for reading in LOOKED_AT:
        expected = expectation(reading, joint, element)
        if expected == "wrong":  # not everywhere: strict where it is looked at alone
            continue
        found = verdict(reading, joint, element)
        assert found is None if expected is None else (found or "agrees").startswith(expected), f"{reading} {found}"
