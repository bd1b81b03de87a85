"""Flights by sensors in plain Python, tick by tick: short ones, for which nothing is compiled."""

import ctypes

import pytest

from visviva import control, copter
from visviva.copter.agents import agent, agent_tick

INPUTS = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3, ctypes.c_double, *[ctypes.c_int64] * 2)


@pytest.fixture
def in_python(monkeypatch):
    """Flights are not compiled; their law is, and is called by its address."""
    monkeypatch.setattr(agent_tick, "call_inputs", lambda address, given: INPUTS(address)(*given))
    monkeypatch.setattr(agent, "kernel_of", lambda function: function)
    monkeypatch.setattr(agent, "prepare", lambda *_: None)


def hover(duration=0.2, vehicle=None):
    """A manoeuvre that stays where it is."""
    own = copter.quadcopter() if vehicle is None else vehicle
    path = control.pose(control.hold((0.0, 0.0, 1.0), duration), control.turn("z", control.hold(0.0, duration)))
    return copter.Manoeuvre("hover", own, path)


def fly(sensors, *, vehicle=None, own=None, plan=None, settle=0.1, after=0.0, h=5e-3, gust=None, **of_agent):
    """A short flight in steps as long as ticks."""
    vehicle = copter.quadcopter().without_bias() if vehicle is None else vehicle
    pilot = copter.Agent(vehicle if own is None else own, **of_agent)
    plan = hover(vehicle=pilot.vehicle) if plan is None else plan
    return pilot.fly(plan, vehicle, sensors, h=h, gust=gust, settle=settle, after=after)
