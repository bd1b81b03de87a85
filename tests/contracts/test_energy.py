"""Energy means one thing: all that is stored, internal energy included; it changes by work and by heat that leaves."""

import numpy as np
import pytest

import visviva as vv

TORQUE, THETA0 = 0.7, 290.0
FORMS = ("minimal", "kane-momentum")  # the others share the energy of the first
SCHEMES = [
    vv.PHMP(compiled=False),
    vv.LieMidpoint(compiled=False),
    vv.DOP853(compiled=False),
    vv.Gauss8(compiled=False),
]


def arm(warm):
    """A hinge that rubs; its heat goes to the environment, or to oil that gives some of it on."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81), theta0=THETA0)
    m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    oil = m.thermal("oil", capacity=0.05, temperature=310.0, conductance_to_environment=0.02) if warm else None
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=0.3, heat_to=oil)
    m.torque("motor", "hinge")
    return m


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_energy_and_heat_to_the_environment_less_work_is_constant(scheme, warm):
    run = vv.simulate(arm(warm), 0.05, 0.01, inputs={"motor": TORQUE}, integrator=scheme)
    gone = THETA0 * run["environment"][:, 0] if warm else run["heat"]
    kept = run["energy"] + gone - run["work"]
    np.testing.assert_allclose(kept, kept[0], rtol=0, atol=1e-13 if run.exact else 1e-8)
    assert run["energy"] == pytest.approx(sum(run[name] for name in run.match("energy.*")), abs=1e-14)


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("form", FORMS)
def test_minimal_forms_have_the_same_energy_and_its_rate_is_their_power(form, warm):
    run = vv.simulate(arm(warm), 0.05, 0.01, inputs={"motor": TORQUE}, integrator=vv.DOP853(compiled=False))
    flow = vv.analytical(arm(warm), form=form, inputs={"motor": TORQUE})
    own = vv.simulate(flow, 0.05, 0.0025, integrator=vv.RK4())
    np.testing.assert_allclose(own["energy"][-1], run["energy"][-1], rtol=0, atol=1e-8)
    P, h = own["power"], 0.0025
    work = h / 3 * (P[0] + 4 * P[1:-1:2].sum() + 2 * P[2:-1:2].sum() + P[-1])
    assert own["energy"][-1] - own["energy"][0] == pytest.approx(work, abs=1e-7)
