"""One motion in every form: director and Lie runs of order 2 converge to that in minimal velocities and momenta."""

from __future__ import annotations

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from index1_reference import Index1
from samples import drawn_seeds, is_smooth, sample

import visviva as vv

pytestmark = pytest.mark.slow
T_END, H = 0.1, 0.0025


def exact(m, inputs, form="minimal"):
    form = vv.analytical(m, form, inputs=inputs)
    minimal = getattr(form, "minimal", form)
    run = vv.simulate(form, T_END, T_END / 10, integrator=vv.DOP853(tolerance=1e-10))
    x = form.x(run.final.q, run.final.xi, run.final.s)
    return np.concatenate([x[form.model.layout.x[f"{body.name}.q"]] for body in minimal.definition.bodies])


@pytest.mark.parametrize("name", CATALOGUE)
def test_runs_of_directors_and_of_lie_form_converge_to_minimal_velocities(name):
    """The error falls to a fourth or less with half the step, and extrapolation leaves a tenth of it or less."""
    entry = CATALOGUE[name]
    m = entry.build()
    q = exact(m, entry.inputs)
    for scheme in (vv.PHMP(), vv.LieMidpoint()):
        ends = []
        for h in (H, H / 2):
            run = vv.simulate(m, t_end=T_END, h=h, integrator=scheme, inputs=entry.inputs)
            x, layout = run.final.x, run.model.layout
            ends.append(np.concatenate([x[layout.x[f"{body.name}.q"]] for body in m.bodies]))
        errors = [np.abs(end - q).max() for end in ends]
        better = np.abs((4 * ends[1] - ends[0]) / 3 - q).max()
        assert errors[1] <= 0.3 * errors[0] + 1e-10, (type(scheme).__name__, errors)
        assert better <= 0.1 * errors[0] + 1e-10, (type(scheme).__name__, errors, better)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if "light" not in CATALOGUE[name].traits])
def test_momenta_move_as_velocities_do(name):
    entry = CATALOGUE[name]
    m = entry.build()
    q = exact(m, entry.inputs)
    p = exact(m, entry.inputs, "kane-momentum")
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-8 * max(1.0, np.abs(q).max()))


@pytest.mark.parametrize("case", drawn_seeds(range(10, 30), is_smooth))
def test_mechanisms_drawn_at_random(case):
    """The motion against that of SciPy's DOP853 on the index-1 form."""
    drawn = sample(*case)
    form = vv.analytical(drawn.mechanism, inputs=drawn.inputs)
    initial = form.coordinates(drawn.motion)
    run = vv.simulate(form, T_END, T_END / 10, integrator=vv.DOP853(tolerance=1e-10), initial=initial)
    reference = Index1(drawn.mechanism, drawn.inputs, drawn.motion)
    x = reference.states(T_END, rtol=1e-11)[-1]
    ours = form.x(run.final.q, run.final.xi, run.final.s)
    for body in form.definition.bodies:
        for letter in "qv":
            at = form.model.layout.x[f"{body.name}.{letter}"]
            scale = max(1.0, np.abs(x[at]).max())
            np.testing.assert_allclose(ours[at], x[at], rtol=0, atol=1e-8 * scale, err_msg=f"{body.name}.{letter}")
