"""One table of what works with what: every joint and every element in every reading agrees with the Model.

Or it is refused, for a reason that `refusals` gives: a refusal that falls is a test that fails. The table of the
documentation is made of the same data.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import readings
from parts import BODIES, ELEMENTS, JOINTS, sample
from readings import READINGS, instant
from readings_page import table
from refusals import REFUSED, WRONG

import visviva as vv
from visviva.testing.readings import structure
from visviva.testing.readings.structure import admissible

PAGE = Path(__file__).parents[2] / "docs" / "readings_table.txt"
PARTS = {joint: (joint, "gravity") for joint in JOINTS}
PARTS |= {name: (part.joint, name) for name, part in (ELEMENTS | BODIES).items()}


def cells():
    for part in PARTS:
        for reading in READINGS:
            marks = []
            if part in REFUSED.get(reading, {}):
                reason = REFUSED[reading][part].reason
                marks.append(pytest.mark.xfail(raises=vv.VisvivaError, strict=True, reason=f"refused: {reason}"))
            if part in WRONG.get(reading, {}):
                reason = WRONG[reading][part]
                marks.append(pytest.mark.xfail(raises=AssertionError, strict=True, reason=f"wrong: {reason}"))
            yield pytest.param(part, reading, marks=marks, id=f"{part}-{reading}")


@pytest.mark.parametrize(("part", "reading"), [*cells()])
def test_agrees_with_the_model_or_says_why_not(part, reading):
    try:
        READINGS[reading](sample(*PARTS[part]))
    except vv.VisvivaError as refusal:
        expected = REFUSED.get(reading, {}).get(part)
        if expected is not None and not re.search(expected.says, str(refusal)):
            raise AssertionError(f"refused for another reason than {expected.says!r}") from refusal
        raise


def test_every_refusal_is_of_a_cell():
    for found in (REFUSED, WRONG):
        assert {*found} <= {*READINGS}
        assert {part for by_part in found.values() for part in by_part} <= {*PARTS}


def test_every_joint_and_every_element_of_the_builder_is_there():
    """Methods that add parts: what is new in the builder wants a row."""
    kinds = {joint.kind for joint in vv.library.joints.JOINTS}
    assert {*JOINTS} == kinds
    used = {type(part).__name__ for name in PARTS for part in sample(*PARTS[name]).mechanism.parts.values()}
    acting = {"Box", "Element", "JointElement", "Stop", "Motor", "Torque", "Force", "WrenchPort", "Thermal", "Coupling"}
    assert acting | {"VelocityCondition", "ContactHeight"} <= used


@pytest.mark.parametrize("name", [name for name in ELEMENTS if name != "gravity"])
def test_every_element_acts_at_the_instant(name):
    """It changes accelerations: what does nothing could not be found missing."""
    joint = ELEMENTS[name].joint
    bare, acted = instant(sample(joint)), instant(sample(joint, name))
    n = min(len(bare.v_dot), len(acted.v_dot))
    assert np.abs(bare.v_dot[:n] - acted.v_dot[:n]).max() > 1e-3 * bare.scale


def test_the_instant_is_in_no_special_pose():
    now = instant(sample("cylindrical"))
    assert np.abs(now.q).min() > 1e-2
    assert np.abs(now.xi).min() > 1e-2
    assert admissible(now).shape == (12, 3)


COMPARED = ("PHMP in NumPy", "PHMPGGL in NumPy", "LieMidpoint in NumPy", "directors", "minimal velocities",
            "Hamel's form", "partially Lagrangian", "Kane's velocities", "Kane's momenta", "symbols", "bond graph",
            "composite", "implicit system")  # fmt: skip


@pytest.mark.parametrize("reading", COMPARED)
def test_other_accelerations_are_rejected(reading, monkeypatch):
    """Of the hand, by one part in ten thousand."""
    given = sample("cylindrical", "torque")
    now = instant(given)
    other = replace(now, v_dot=now.v_dot + 1e-4 * now.scale * np.eye(12)[-1])
    monkeypatch.setattr(readings, "instant", lambda _: other)
    with pytest.raises(AssertionError):
        READINGS[reading](given)


@pytest.mark.parametrize("reading", ["kinestatics", "interconnection"])
def test_other_admissible_velocities_are_rejected(reading, monkeypatch):
    given = sample("cylindrical")
    other = admissible(instant(sample("revolute")))
    monkeypatch.setattr(structure, "admissible", lambda _: other)
    with pytest.raises(AssertionError):
        READINGS[reading](given)


def test_the_table_of_the_documentation_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == table(), "write it anew: python tests/catalogue/readings_page.py"
