"""How a run was made: compiled or in NumPy, and why; the note is in the run and in its audit."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from catalogue import pair_with
from systems import oscillator
from test_models import oscillator as plain_model

import visviva as vv
from visviva.compiler import compile_mechanism
from visviva.model.structure import AbstractDissipation

START = {"q": [1.0], "p": [0.0]}


@dataclasses.dataclass(frozen=True, eq=False)
class Opaque(AbstractDissipation):
    """A damper in plain Python, which has no compiled form."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]

    def R(self, q, z):
        return np.broadcast_to(0.1 * np.eye(z.shape[-1]), (*z.shape[:-1], z.shape[-1], z.shape[-1]))


def opaque_pair(form):
    model = compile_mechanism(pair_with(), form)
    return dataclasses.replace(model, structures=(*model.structures, Opaque("brake", (), ("b.v",))))


def test_compiled_runs_say_so():
    run = vv.simulate(pair_with(), 0.02, 0.01)
    assert run.engine == "compiled"
    assert run.notes == ()
    assert vv.simulate(oscillator(), 0.2, 0.1, initial={"q": 1.0, "p": 0.0}).engine == "compiled"
    assert vv.simulate(pair_with(), 0.1, 0.05, integrator=vv.Adaptive()).engine == "compiled"


@pytest.mark.parametrize("scheme", [vv.PHMP(compiled=False), vv.DiscreteGradient(compiled=False)], ids=repr)
def test_who_asks_for_numpy_gets_it_without_a_note(scheme):
    run = vv.simulate(pair_with(), 0.02, 0.01, integrator=scheme)
    assert run.engine == "NumPy"
    assert run.notes == ()


@pytest.mark.parametrize(
    ("scheme", "form"),
    [
        (vv.PHMP(), "directors"),
        (vv.DiscreteGradient(), "lie"),
        (vv.Adaptive(vv.PHMP(), 1e-3), "directors"),
        (vv.Suzuki4(vv.PHMP(), allow_dissipation=True), "directors"),
    ],
    ids=["PHMP", "DiscreteGradient", "Adaptive", "Suzuki4"],
)
def test_a_fallback_names_what_has_no_compiled_form(scheme, form):
    with pytest.warns(vv.RunWarning, match="it ran in NumPy"):
        run = vv.simulate(opaque_pair(form), 0.02, 0.01, integrator=scheme, initial=pair_with().assemble()[0])
    assert run.engine == "NumPy"
    (note,) = run.notes
    assert note.startswith("it ran in NumPy, not in compiled code, which is slower: 'brake'")
    assert note in run.audit().warnings
    assert f"note: {note[:40]}" in str(run.audit())
    assert run.audit().ok
    assert pickle.loads(pickle.dumps(run)).engine == "NumPy"


@pytest.mark.parametrize("wrapped", [lambda scheme: scheme, lambda scheme: vv.Adaptive(scheme, 1e-2)])
def test_own_constraints_have_no_compiled_rates_and_the_note_names_them(wrapped):
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.particle("bead", mass=1.0, at=(1, 0, 0))
    m.constraint("mesh", ("bead",), g=lambda bead: bead.r @ bead.r - 1.0)
    with pytest.warns(vv.RunWarning, match="it ran in NumPy"):
        run = vv.simulate(m, 0.02, 0.01, integrator=wrapped(vv.PHMPGGL()))
    assert run.engine == "NumPy"
    assert "which is slower: the rates of 'mesh' have no compiled form. Where that is meant" in run.notes[-1]


def test_a_model_by_hand_without_expressions():
    run = vv.simulate(plain_model(), 0.2, 0.1, integrator=vv.DiscreteGradient(), initial=START)
    assert (run.engine == "NumPy") == bool(run.notes)
