"""The definition of a mechanism is data: what grows later does not reach it, and what is made of it stays with it."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import visviva as vv


def pendulum() -> vv.Mechanism:
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), at=(0.5, 0, 0))
    m.revolute("hinge", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0))
    return m


def test_parts_that_are_added_later_do_not_reach_it():
    m = pendulum()
    before, model = m.definition, vv.compile(m)
    m.torque("motor", "hinge")
    assert not before.ports
    assert model.definition is before
    assert [port.name for port in m.definition.ports] == ["motor"]


def test_it_is_one_object_until_the_mechanism_grows():
    m = pendulum()
    first = m.definition
    assert m.definition is first
    assert m.snapshot().definition is first
    m.torque("motor", "hinge")
    assert m.definition is not first
    assert m.definition.made is not first.made


def test_it_cannot_be_changed_and_a_variant_has_nothing_made_of_it():
    d = pendulum().definition
    with pytest.raises(dataclasses.FrozenInstanceError):
        d.name = "other"
    d.made["key"] = 1
    light = d.variant(gravity=np.zeros(3))
    assert not light.made
    assert not light.gravity.any()
    assert d.gravity[2] == -9.81


def test_a_file_holds_its_parts_and_nothing_made_of_it():
    d = pendulum().definition
    d.made["key"] = lambda: None  # no file holds it
    again = pickle.loads(pickle.dumps(d))
    assert list(again.parts) == list(d.parts)
    assert not again.made


def test_it_is_taken_where_a_mechanism_is():
    m = pendulum()
    own, other = (vv.simulate(what, t_end=0.02, h=0.01, initial={"hinge.q": 0.3}) for what in (m, m.definition))
    assert np.array_equal(own["hinge.q"], other["hinge.q"])
    assert vv.dynamics(m.definition).names == vv.dynamics(m).names
