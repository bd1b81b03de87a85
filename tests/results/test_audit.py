"""The audit adds up, and it catches what breaks a law."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from systems import hot

import visviva as vv
from visviva.demo import four_bar
from visviva.demo.show import driven_loop
from visviva.geometry.embedding import Flat
from visviva.model import Dissipation, Kinetic, Port, QuadraticEnergy, Routing, Variable, canonical
from visviva.model.structure import AbstractDissipation
from visviva.results import Account

VARIABLES = (Variable("q", Flat(1)), Variable("v", Flat(1)))
STORAGES = (Kinetic("mass", "v", np.eye(1)), QuadraticEnergy("spring", "q", np.eye(1)))
PAIR = canonical("pair", "q", "v", 1)


def oscillator_run(*structures, t_end: float = 4.0, **options) -> vv.Run:
    """From q = 1 at rest, past q = 0."""
    model = vv.Model("osc", VARIABLES, STORAGES, structures)
    start = {"q": 1.0, "v": 0.0}
    return vv.simulate(model, t_end, 0.05, integrator=vv.DiscreteGradient(), initial=start, **options)


# -- accounts ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda i: type(i).__name__)
def test_what_components_take_adds_up_to_zero(machine, inputs, integrator):
    run = vv.simulate(machine(), t_end=0.2, h=0.01, inputs=inputs, integrator=integrator)
    audit = run.audit()
    assert set(audit.components) == {"rod", "arm", "tip", "hinge", "elbow", "ball", "motor", "load"}
    assert abs(sum(account.energy_in for account in audit.components.values())) < 1e-12 * audit.energy_scale
    for account in audit.components.values():
        if account.stored or account.exergy_destroyed:
            assert account.energy_in == pytest.approx(account.stored + account.exergy_destroyed, abs=1e-14)
    assert audit.ok
    assert str(audit).endswith("every joule accounted for")


@pytest.mark.parametrize("scheme", [vv.LieMidpoint, vv.DiscreteGradient], ids=lambda scheme: scheme.__name__)
def test_a_scheme_is_told_by_the_name_it_was_given(machine, inputs, scheme):
    run = vv.simulate(machine(), t_end=0.02, h=0.01, inputs=inputs, integrator=scheme())
    assert f": {scheme.__name__}, 2 steps" in str(run.audit())
    assert f"with {scheme.__name__}" in repr(run)


def test_accounts_are_those_of_the_trajectories(machine_run):
    audit = machine_run.audit()
    for name in ("rod", "arm", "tip"):
        gain = machine_run[f"energy.{name}"][-1] - machine_run[f"energy.{name}"][0]
        assert audit.components[name].stored == pytest.approx(gain, abs=1e-14)
    assert audit.components["hinge"].exergy_destroyed == pytest.approx(machine_run["heat.hinge"][-1], abs=1e-14)
    for name in ("motor", "load"):
        assert audit.components[name].energy_in == pytest.approx(-machine_run[f"{name}.work"][-1], abs=1e-14)
    assert audit.components["elbow"] == audit.components["ball"] == type(audit.components["elbow"])(0.0)


def test_a_port_that_shares_its_name_with_a_storage_leaves_the_sum_at_zero():
    port = Port("mass", ("v",), 1, np.eye(1))
    audit = oscillator_run(PAIR, port, inputs={"mass": 0.7}).audit()
    assert abs(sum(account.energy_in for account in audit.components.values())) < 1e-12


def test_friction_heat_converges_to_that_of_the_damped_pendulum(pendulum):
    """M10: friction 0.3 N m s/rad at 300 K; entropy 0.00890811 J/K after a second, extrapolated from order 2."""
    entropies, angles = [], []
    for h in (0.01, 0.005):
        run = vv.simulate(pendulum(friction=0.3), t_end=1.0, h=h)
        entropies.append(run["entropy.hinge"][-1])
        angles.append(run["hinge.q"][-1])
        destroyed = run.audit().components["hinge"].exergy_destroyed
        assert destroyed == pytest.approx(300.0 * entropies[-1], rel=1e-13)
    assert (4 * entropies[1] - entropies[0]) / 3 == pytest.approx(0.00890811, abs=2e-7)
    assert (4 * angles[1] - angles[0]) / 3 == pytest.approx(-2.53881655, abs=1e-5)


def test_the_work_of_a_motor_becomes_kinetic_energy(rotor):
    """A constant torque τ from rest: ½ J ω² = τ θ, ω = τ t / J."""
    m = rotor(0.0)
    m.torque("motor", "axle")
    run = vv.simulate(m, t_end=1.0, h=0.01, inputs={"motor": 2.0})
    audit = run.audit()
    assert audit.components["disc"].energy_in == pytest.approx(-audit.components["motor"].energy_in, rel=1e-13)
    assert audit.components["disc"].stored == pytest.approx(2.0, rel=1e-3)  # (τ t)² / 2J with J = 1
    assert -audit.components["motor"].energy_in == pytest.approx(2.0 * run["axle.q"][-1], rel=1e-3)


def test_the_energy_scale_is_kinetic_energy_and_changes_and_work(pendulum):
    """Frictionless fall from rest by half a metre: kinetic mg/2 at the lowest point, and as much weight lost."""
    run = vv.simulate(pendulum(), t_end=1.0, h=0.005)
    assert run.energy_scale == pytest.approx(1.5 * 9.81, rel=1e-3)  # kinetic, its change, and that of the weight


def test_a_run_without_steps_has_an_audit(pendulum):
    audit = vv.simulate(pendulum(), t_end=0.0, h=0.01).audit()
    assert (audit.steps, audit.first_law, audit.ok) == (0, 0.0, True)


def test_a_continued_run_counts_its_own_steps(pendulum):
    first = vv.simulate(pendulum(), t_end=0.2, h=0.01)
    second = vv.simulate(pendulum(), t_end=0.5, h=0.01, initial=first.final)
    audit = second.audit()
    assert audit.t == pytest.approx((0.2, 0.5))
    assert audit.steps == 30


# -- rounding is no broken law --------------------------------------------------------------------------------


def clutch(friction: float) -> vv.Mechanism:
    """Two discs that turn together about one axis, fast."""
    m = vv.Mechanism("clutch")
    m.body("a", inertia=vv.inertia.cylinder(2.0, 1.0, 0.2))
    m.body("b", inertia=vv.inertia.cylinder(2.0, 1.0, 0.2), at=(0, 0, 0.2))
    m.revolute("axle", m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1), rate=50.0)
    m.revolute("clutch", "a", "b", at=(0, 0, 0.1), axis=(0, 0, 1), rate=0.0, friction=friction)
    return m


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda i: type(i).__name__)
def test_friction_that_does_not_slip_makes_no_heat_and_no_alarm(integrator):
    """The heat d (θ̇_b - θ̇_a)² is zero to the rounding of large numbers."""
    audit = vv.simulate(clutch(5.0), t_end=0.2, h=0.01, integrator=integrator).audit()
    assert audit.components["clutch"].exergy_destroyed == pytest.approx(0.0, abs=1e-12)
    assert audit.ok


def test_velocities_that_keep_the_constraints_to_rounding_raise_no_alarm():
    """All terms of the rows are zero here: their rounding must not be measured by their rounding."""
    audit = vv.simulate(clutch(0.0), t_end=0.2, h=0.01, integrator=vv.PHMPGGL()).audit()
    assert audit.g_v < 1e-12
    assert audit.warnings == ()


def test_a_mechanism_at_rest_passes_its_audit():
    """Nothing moves but rounding, and that is neither energy lost nor a step too large."""
    m = vv.Mechanism("lamp", gravity=(0, 0, -9.81))
    turn = vv.geometry.SO3.exp((0.3, 0.2, 0.5))
    m.body("lamp", inertia=vv.inertia.box(2.0, (1.0, 0.2, 0.3)), at=(0, 0, -1), rotation=turn)
    m.spherical("hook", m.ground, "lamp", at=(0, 0, 0))
    audit = vv.simulate(m, t_end=1.0, h=0.01).audit()
    assert audit.ok
    assert audit.warnings == ()


@pytest.mark.parametrize("height", [0.0, 1e2, 1e4, 1e6])
def test_where_the_zero_of_the_energy_is_does_not_matter(height):
    m = vv.Mechanism("swing", gravity=(0, 0, -9.81))
    m.body("rod", inertia=vv.inertia.cylinder(1.0, 0.05, 1.0, axis="x"), at=(0.5, 0, height))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, height), axis=(0, 1, 0))
    assert vv.simulate(m, t_end=0.5, h=0.01).audit().ok


# -- laws that are broken ---------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # a model by hand, in NumPy
def test_energy_made_by_a_routing_that_is_not_skew_is_caught():
    """J is skew where the run starts, so the check at the start cannot see it."""
    routing = Routing("pair", ("q", "v"), lambda q: _routing(q), reads=("q",))
    audit = oscillator_run(routing).audit()
    assert audit.first_law > 1e-4
    assert not audit.ok
    assert _line(audit, "first law").count("✗") == 1
    assert _line(audit, "second law").endswith("none    nothing in the model makes entropy")
    assert "NOT CLOSED" in str(audit)


def _routing(q):
    J = np.zeros((*q.shape[:-1], 2, 2))
    J[..., 0, 1], J[..., 1, 0], J[..., 1, 1] = 1.0, -1.0, 0.1 * (1.0 - q[..., 0])
    return J


def test_heat_that_flows_backwards_is_caught():
    """R = 0.1 q is positive where the run starts, and negative beyond q = 0."""
    damper = Dissipation("damper", ("v",), lambda q, z: 0.1 * q[..., None], reads=("q",))
    run = oscillator_run(PAIR, damper)
    audit = run.audit()
    assert audit.second_law < -1e-7
    assert audit.second_law == pytest.approx(np.diff(run["entropy.damper"]).min(), rel=1e-9)
    assert audit.first_law < 1e-13
    assert not audit.ok
    assert _line(audit, "second law").count("✗") == 1
    assert _line(audit, "first law").count("✓") == 1
    assert "NOT CLOSED" in str(audit)


def test_the_same_oscillator_unbroken_passes():
    damper = Dissipation("damper", ("v",), 0.1 * np.eye(1))
    audit = oscillator_run(PAIR, damper).audit()
    assert audit.ok
    assert "✗" not in str(audit)
    assert audit.components["damper"].exergy_destroyed > 0


def _line(audit, start: str) -> str:
    return next(line for line in str(audit).splitlines() if line.strip().startswith(start))


# -- warnings ---------------------------------------------------------------------------------------------------
def test_a_step_that_is_too_large_for_the_motion_is_told(pendulum):
    with pytest.warns(vv.RunWarning, match="steps are too long for the motion"):
        audit = vv.simulate(pendulum(), t_end=1.0, h=0.25).audit()
    assert audit.ok  # energy is exact all the same
    assert audit.g_v > 0.02
    assert any("velocities violate the constraints" in warning and "halve h" in warning for warning in audit.warnings)
    fine = vv.simulate(pendulum(), t_end=0.2, h=0.005).audit()
    assert fine.warnings == ()


def test_a_turn_that_could_be_miscounted_is_told(rotor):
    """The midpoint rule turns by 2 atan(h ω / 2) a step; half a turn could no longer be told from its opposite."""
    with (
        pytest.warns(vv.RunWarning, match=r"a joint turned by 2\.5 rad in one step"),
        pytest.warns(vv.RunWarning, match="body 'disc' turns by about 6 rad per step"),
    ):
        audit = vv.simulate(rotor(60.0), t_end=1.0, h=0.1).audit()
    assert any("a joint turned by 2.5 rad in one step" in warning for warning in audit.warnings)


def test_redundant_joints_are_told():
    audit = vv.simulate(four_bar(), t_end=0.05, h=0.01).audit()
    told = [warning for warning in audit.warnings if warning.startswith("redundant constraints in ")]
    assert len(told) == 1
    assert set(told[0].removeprefix("redundant constraints in ").split(":")[0].split(", ")) <= set("ABCD")


class Coulomb(AbstractDissipation):
    """Dry friction, smooth within v_reg: R = F / sqrt(v² + v_reg²)."""

    name, reads, acts, v_reg = "pad", (), ("v",), 0.05

    def R(self, q, z):
        return (2.0 / np.sqrt(z**2 + self.v_reg**2))[..., None]


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # a model by hand, in NumPy
@pytest.mark.parametrize(("h", "every", "told"), [(0.05, 1, True), (0.05 / 32, 1, False), (0.05 / 32, 32, False)])
def test_friction_that_the_steps_do_not_resolve_is_told(h, every, told):
    """A mass that is pushed to and fro slides through v = 0; nodes that were not kept are no jumps."""
    model = vv.Model("sledge", VARIABLES, STORAGES, (PAIR, Coulomb(), Port("push", ("v",), 1, np.eye(1))))
    options = {"initial": {"q": 0.0, "v": 0.0}, "inputs": {"push": lambda t: 20 * np.sin(9 * t)}}
    run = vv.simulate(model, 2.0, h, integrator=vv.DiscreteGradient(), every=every, **options)
    warnings = [warning for warning in run.audit().warnings if "speed of 'pad' jumps over zero" in warning]
    assert bool(warnings) is told
    assert all("more than its v_reg = 0.05" in warning for warning in warnings)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are long
def test_a_changed_step_is_told(pendulum):
    run = vv.simulate(pendulum(), t_end=1.0, h=0.3)
    assert_allclose(np.diff(run.t), 1 / 3, rtol=1e-14)
    assert any("h changed from 0.3 to 0.333333333333 s" in warning for warning in run.audit().warnings)
    assert "note: h changed" in str(run.audit())


def test_the_audit_of_a_thermal_system_accounts_for_entropy():
    start = {"p": 0.0, "s": 0.1, "osc.q": 1.0}
    run = vv.simulate(hot(), t_end=1.0, h=0.05, initial=start, inputs={"p": 0.1})
    audit = run.audit()
    assert set(audit.components) == {"osc.pe", "osc.ke", "body", "s_env", "mf", "wall", "p", "osc.pkc"}
    accounts = audit.components.values()
    stored = sum(account.entropy_stored for account in accounts)
    assert stored == pytest.approx(sum(account.entropy_produced for account in accounts), rel=1e-9)
    assert sum(account.energy_in for account in accounts) == pytest.approx(0.0, abs=1e-11)
    body = audit.components["body"]
    assert body.stored == pytest.approx(body.exergy_stored + 300.0 * body.entropy_stored, abs=1e-12)
    assert audit.components["osc.pkc"] == Account()
    lines = str(audit).splitlines()
    head = next(k for k, line in enumerate(lines) if "entropy stored [J/K]" in line)
    assert {line.split()[0] for line in lines[head + 1 : -1]} == {
        "osc.pe",
        "osc.ke",
        "body",
        "s_env",
        "mf",
        "wall",
        "sum",
    }
    assert "entropy stored" not in str(vv.simulate(clutch(1.0), t_end=0.02, h=0.01).audit())


def test_the_accounts_are_a_table_too(machine_run):
    audit = machine_run.audit()
    table = audit.table()
    assert list(table["component"]) == list(audit.components)
    assert_allclose(table["energy_in"], [account.energy_in for account in audit.components.values()], rtol=0, atol=0)
    assert table.dtype.names[1:] == tuple(vars(audit.components["rod"]))


def test_a_table_says_which_run_it_is_of(machine_run):
    first, *_ = str(machine_run.audit()).splitlines()
    assert first == "Audit of 'machine': PHMP, 50 steps, t = 0 … 0.5 s"
    rows = [line.split()[0] for line in str(machine_run.audit()).splitlines()]
    assert {"rod", "arm", "tip", "hinge", "elbow", "ball", "motor", "load", "sum"} <= set(rows)


def test_many_components_that_only_pass_power_on_share_a_line():
    text = str(driven_loop().audit())
    assert " others " in text
    assert "all passed on" in text
    assert "bearing.hc" not in text
    assert "housing" in text


def test_what_cannot_move_is_closed_as_well():
    """A beam on a hinge and a stay: nothing moves, heights are zero, and the scale of energy is no rounding."""
    m = vv.Mechanism("bracket", gravity=(0, 0, -9.81))
    m.body("beam", inertia=vv.inertia.box(4.0, (0.6, 0.05, 0.05)), at=(0.3, 0, 0))
    m.revolute("hinge", m.ground, "beam", at=(0, 0, 0), axis=(0, 1, 0))
    m.distance("stay", m.ground, "beam", at_a=(0, 0, 0.4), at_b=(0.6, 0, 0))
    run = vv.simulate(m, t_end=0.5, h=0.01)
    assert run.audit().ok
    pull = 4.0 * 9.81 * 0.3 / (0.6 * np.sin(np.arctan2(0.4, 0.6)))
    assert np.linalg.norm(run["stay.reaction"][-1, 3:]) == pytest.approx(pull, rel=1e-9)
