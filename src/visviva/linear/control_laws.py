"""Control laws in linearised loops: the state about which they are linearised, and what has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.errors import AssemblyError, ModelError
from visviva.forms.flows.flow import FlowState
from visviva.forms.minimal.closing import AT_REST
from visviva.integrate.inputs import AllInputs
from visviva.integrate.sampled import Sampled
from visviva.linear.drives import form_with_drives_at_rest
from visviva.linear.of_mechanisms import MechanismEquations
from visviva.mechanism import Definition
from visviva.model import State
from visviva.model.control_law import AbstractControlLaw, AbstractHoldingLaw
from visviva.results import Run

LAWS = (AbstractControlLaw, AbstractHoldingLaw)
Operating = AllInputs | AbstractHoldingLaw | None


def law_of_inputs(inputs: Any, operating: Operating) -> tuple[Any, Operating]:
    """Names of inputs, and what operates them: a control law may be given as either."""
    listed = inputs if isinstance(inputs, list | tuple) else ()
    laws = isinstance(inputs, Sampled) or any(isinstance(one, (Sampled, *LAWS)) for one in listed)
    if laws or isinstance(inputs, Mapping) or (callable(inputs) and not isinstance(inputs, LAWS)):
        raise ModelError(
            "inputs= of linearise names the ports that are inputs, or is one tracking law: give values and other "
            "laws as\noperating=, which are numbers at the state, or laws that close a loop. Laws at ticks have no "
            "linear system in\ncontinuous time: see law.linear(...).sampled(period)."
        )
    if not isinstance(inputs, LAWS):
        return inputs, operating
    if operating is not None:
        raise ModelError(
            "linearise() has a control law as inputs= and more as operating=: a law gives the inputs of all of its "
            "ports.\nGive the law alone; what it leaves free is zero."
        )
    return None, inputs


def held_at(law: AbstractHoldingLaw, m: Any, at: Any, steady: bool) -> AbstractControlLaw:
    """The law that holds a mechanism where it is linearised."""
    if not isinstance(m, Definition):
        raise ModelError(f"a control law of a mechanism holds none of {type(m).__name__}: give the Mechanism.")
    if at is None:
        raise ModelError(
            f"a law without a reference holds {m.name!r} where it is linearised, and nothing says where that is.\n"
            "Give the state, at={...}, or the reference, inputs=law.at(goal)."
        )
    equations = MechanismEquations(form_with_drives_at_rest(m, None, ()), None, {})
    ref = equations.start(at, steady)
    k = int(np.abs(ref.xi).argmax())
    if abs(ref.xi[k]) > AT_REST:
        raise ModelError(
            f"a law without a reference holds {m.name!r} where it is linearised, and there it moves: "
            f"{equations.velocities[k]!r} is {ref.xi[k]:.3g}.\nGive a state at rest, or the reference, "
            "inputs=law.at(goal)."
        )
    return law.holding(equations.form.motion(ref.q))


def places_of(law: AbstractControlLaw, at: Any, anywhere: bool) -> tuple[Any, Any]:
    """The state about which a loop is linearised, and where its equilibrium is looked for if none is given.

    anywhere: it may move.
    """
    t = _time_of(at)
    goal = law.wanted(t)
    if goal is None:
        return at, None
    if not anywhere and not goal.rests:
        raise AssemblyError(
            f"the reference of the control law moves at t = {t:g} s: nothing rests there.\n"
            "residual_ok=True takes the coefficients of that instant, about the state at=... or, without it, about the "
            "reference;\nsteady=True those of a steady motion; law.at(q_R) holds a configuration."
        )
    if at is not None:
        return at, None
    return (goal.motion, None) if anywhere else (None, goal.motion)


def _time_of(at: Any) -> float:
    at = at.final if isinstance(at, Run) else at
    return float(at.t) if isinstance(at, State | FlowState) else 0.0
