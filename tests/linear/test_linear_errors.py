"""What cannot be linearised says why, in the user's own names."""

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from linear_models import rods, rotor

import visviva as vv
from visviva import demo


def test_a_state_out_of_balance_has_its_residual_in_the_error():
    m = rods()
    with pytest.raises(
        vv.AssemblyError, match=r"no equilibrium of mechanism 'rods': along 'hinge0.rate' a force of .*3.47"
    ):
        vv.linearise(vv.analytical(m), at=([np.pi / 4], [0.0]))
    lin = vv.linearise(m, at=([np.pi / 4], [0.0]), residual_ok=True)
    assert lin.K[0, 0] == pytest.approx(9.81 / 2 * np.cos(np.pi / 4))


def test_a_state_in_motion_wants_a_word():
    with pytest.raises(vv.AssemblyError, match=r"moves in the state that was given: 'hinge0.rate' is 2"):
        vv.linearise(rods(rate=2.0), at=rods(rate=2.0).assemble()[0])
    with pytest.raises(vv.AssemblyError, match="no steady motion of mechanism 'rods'"):
        vv.linearise(rods(), at=([0.3], [2.0]), steady=True)


@pytest.mark.parametrize("at", ["rest", 3, [1.0]])
def test_what_is_no_state_says_what_at_takes(at):
    with pytest.raises(vv.ModelError, match=r"(?s)linearised at=.*Give at=\(q, xi\), 1 coordinates.*leave at= out"):
        vv.linearise(rods(), at=at)
    flow = vv.HandFlow(lambda t, q, xi: [-q[0]], n=1)
    with pytest.raises(vv.ModelError, match=r"linearised at=.*Give at=\(q, xi\), 1 coordinates and 1 velocities"):
        vv.linearise(flow, at=at)


def test_an_equilibrium_that_is_not_there_is_not_found():
    m = vv.Mechanism("falling", gravity=(0, 0, -9.81))
    m.body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(vv.AssemblyError, match="no equilibrium of mechanism 'falling' was found"):
        vv.linearise(m)


@pytest.mark.slow
def test_a_torque_that_nothing_holds_has_no_equilibrium():
    m = rods()
    m.torque("hand", "hinge0")
    with pytest.raises(vv.AssemblyError, match=r"under its inputs was found: 'hinge0.rate' would still accelerate"):
        vv.linearise(m, operating={"hand": 6.0})


def test_a_motor_that_runs_is_not_at_rest():
    m = rods()
    m.motor("motor", "hinge0", resistance=2.0, inductance=0.05, k=0.3, current=1.0)
    with pytest.raises(vv.AssemblyError, match=r"'hinge0.rate' a force|not at rest in 'motor.flux'"):
        vv.linearise(m, at=vv.analytical(m).initial)


def test_unknown_names_are_errors():
    with pytest.raises(vv.ModelError, match=r"Did you mean 'hinge0.q'"):
        vv.linearise(rods(), outputs=["hinge.q"])
    with pytest.raises(vv.ModelError, match="inputs of 'rods' has no 'motor'"):
        vv.linearise(rods(), inputs=["motor"])
    with pytest.raises(vv.ModelError, match="inputs name 'motor'"):
        vv.linearise(rods(), operating={"motor": 1.0})
    with pytest.raises(vv.ModelError, match="velocities= has 'elbow'"):
        vv.linearise(rods(), velocities=["elbow"])
    with pytest.raises(vv.ModelError, match=r"list of names, e.g. outputs=\['hinge0.q'\]"):
        vv.linearise(rods(), outputs="hinge0.q")
    with pytest.raises(vv.ModelError, match="got int"):
        vv.linearise(3)


def test_velocities_must_determine_the_motion():
    with pytest.raises(vv.ModelError, match="1 degrees of freedom"):
        vv.linearise(demo.four_bar(), velocities=["A.rate", "B.rate"])


def test_a_singular_configuration_is_refused():
    with pytest.raises(
        vv.AssemblyError, match=r"'Sarrus linkage' is singular in this configuration: .* rank 3 here and 4"
    ):
        vv.linearise(demo.sarrus())


def test_a_drive_that_moves_leaves_no_rest():
    with pytest.raises(vv.AssemblyError, match="drive 'motor' of mechanism 'four bar' moves at the start, by 6"):
        vv.linearise(CATALOGUE["driven loop"].build())


def test_a_wall_that_just_touches_has_no_stiffness():
    flow = vv.HandFlow(lambda t, q, xi: [-q[0] - 50.0 * max(q[0], 0.0)], n=1, names=("x", "v"), name="ball at a wall")
    with pytest.raises(vv.ModelError, match="'ball at a wall' are not smooth in 'x' here"):
        vv.linearise(flow, at=([0.0], [0.0]))
    assert vv.linearise(flow, at=([0.1], [0.0]), residual_ok=True).A[1, 0] == pytest.approx(-51.0)


def test_an_unround_rotor_is_no_steady_system():
    """Seen from the bearing its inertia turns; bearings that differ are seen by a round one at any angle."""
    with pytest.raises(vv.ModelError, match=r"steady, but small deviations from it are not: the coefficient of\n'tilt"):
        vv.linearise(rotor(30.0, diametral=(0.02, 0.03)), steady=True)
    assert vv.linearise(rotor(30.0, stiffness=(1.0, 1.5)), steady=True).n == 10


def test_a_motion_without_inertia_is_singular():
    m = vv.Mechanism("light", gravity=(0, 0, -9.81))
    m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="z"), at=(0, 0, -0.5))
    m.spherical("ball", m.ground, "rod", at=(0, 0, 0))
    with pytest.raises(vv.ModelError, match="without inertia"):
        vv.linearise(m)


def test_a_form_has_its_inputs_already():
    m = rods()
    m.torque("hand", "hinge0")
    with pytest.raises(vv.ModelError, match="a form has its inputs already"):
        vv.linearise(vv.analytical(m), operating={"hand": 1.0})


def test_a_run_that_has_come_to_rest_is_at_rest():
    m = rods(friction=2.0)
    at = ([1e-8], [3e-7])
    assert vv.linearise(m, at=at).K[0, 0] == pytest.approx(9.81 / 2)
    with pytest.raises(vv.AssemblyError, match=r"'hinge0.rate' is 0.001"):
        vv.linearise(m, at=([1e-8], [1e-3]))


def test_states_of_runs_and_equilibria_are_places():
    m = rods(friction=2.0)
    run = vv.simulate(m, t_end=0.02, h=0.01, integrator=vv.LieMidpoint(compiled=False), initial=m.assemble()[0])
    for at in (run.final, vv.equilibrium(m), m.assemble()[0]):
        assert vv.linearise(m, at=at).n == 2


def test_laws_are_no_names_of_inputs():
    tick = vv.Sampled(lambda now: {"motor": 0.0}, period=0.01)
    for given in ({"motor": lambda x: 0.0}, tick, [tick]):
        with pytest.raises(vv.ModelError, match=r"give values and other laws as\noperating="):
            vv.linearise(rods(1), inputs=given)


def test_constraints_with_a_kink_where_they_are_linearised_are_refused():
    """v_x + |x| v_y = 0 at x = 0, in motion along y: a derivative by x does not exist."""
    m = vv.Mechanism("kinked")
    m.body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0), twist=(0, 0, 0, 0, 1.0, 0))
    m.velocity_constraint("row", "sled", A=lambda a: [0, 0, 0, 1.0, abs(a.r[0]), 0])
    with pytest.raises(vv.ModelError, match=r"constraints of mechanism 'kinked' are not smooth in 'sled.shift\[0\]'"):
        vv.linearise(m, m.assemble()[0], residual_ok=True)
