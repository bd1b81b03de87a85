"""Boxes: composites of the language as parts of a mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import visviva as vv
from visviva.language import Composite, compose, irreversible, reversible, source, storage
from visviva.language.starting import starting
from visviva.library import boxes, electric, friction, rotation, thermal, translation
from visviva.library.quantities import angle, angular_momentum, entropy
from visviva.results.shares import shares
from visviva.testing import check_model

REFERENCES = [vv.PHMP(compiled=False), vv.PHMPGGL(compiled=False), vv.LieMidpoint(compiled=False)]
SCHEMES = [*REFERENCES, vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()]
NAMES = ["PHMP in NumPy", "PHMPGGL in NumPy", "LieMidpoint in NumPy", "PHMP", "PHMPGGL", "LieMidpoint"]


def arm() -> vv.Mechanism:
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=vv.inertia.rod(0.7, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
    return m


def slide() -> vv.Mechanism:
    m = vv.Mechanism("slide", gravity=(0, 0, -9.81))
    piston = m.body("piston", mass=2.0, inertia=(0.01, 0.01, 0.01), at=(0, 0, 0.1))
    m.prismatic("guide", m.ground, piston, at=(0, 0, 0), axis=(0, 0, 1))
    return m


def motor(R: float = 0.5) -> Composite:
    parts = {"coil": electric.inductor(1e-3), "wire": electric.resistor(R), "emf": electric.motor(0.1)}
    junctions = {"phi": ("coil.phi", "wire.phi", "emf.phi"), "s": ("wire.s",), "shaft": ("emf.p",)}
    return compose("motor", parts, junctions, outer={"supply": "phi", "shaft": "shaft", "s": "s"})


def rotor() -> Composite:
    parts = {"rotor": rotation.inertia(0.2), "damper": rotation.damper(0.1)}
    return compose("rotor", parts, {"p": ("rotor.p", "damper.p"), "s": ("damper.s",)}, outer=("p", "s"))


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_motor_as_a_box_is_the_motor_of_the_builder(scheme: Any) -> None:
    built, boxed = arm(), arm()
    for m in (built, boxed):
        m.thermal("housing", capacity=20.0, conductance_to_environment=0.5)
    built.motor("dc", "hinge", resistance=0.5, inductance=1e-3, k=0.1, heat_to="housing")
    boxed.box("dc", motor(), {"shaft": "hinge", "s": "housing"})
    runs = [vv.simulate(m, t_end=0.02, h=1e-3, inputs={"dc": 12.0}, integrator=scheme) for m in (built, boxed)]
    for name in ("lower.r", "hinge.q", "housing.temperature", "hinge.reaction", "energy.dc", "heat.dc"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=1e-12, atol=1e-12, err_msg=name)
    current = np.ravel(runs[1]["dc.phi"]) / 1e-3
    np.testing.assert_allclose(runs[0]["dc.current"], current, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(runs[1]["dc.shaft.force"], 0.1 * 0.5 * (current[1:] + current[:-1]), rtol=1e-9)
    audit = runs[1].audit()
    assert audit.ok
    assert audit.first_law < 1e-13
    assert audit.second_law >= 0
    assert "dc" in audit.components
    assert [share.name for share in shares(runs[1], "energy")[1] if share.name.startswith("dc")] == ["dc"]


def test_a_box_without_a_compiled_form_falls_back_and_the_warning_names_it() -> None:
    m = arm()
    m.box("stage", geared_stage(), {"a": "hinge", "b": "elbow"})
    for scheme in SCHEMES[3:]:
        with pytest.warns(vv.RunWarning, match="box 'stage' has rows on rates of joints"):
            run = vv.simulate(m, t_end=0.002, h=1e-3, integrator=scheme)
        assert run.engine == "NumPy"


def lossy_arm() -> vv.Mechanism:
    """A motor, a gear with play across two joints, a seal, and friction of the builder: all heat one housing."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.thermal("housing", capacity=20.0, conductance_to_environment=0.5)
    upper = m.body("upper", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=vv.inertia.rod(0.7, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05, heat_to="housing")
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
    m.box("dc", boxes.thermal_motor(0.6, 2e-3, 0.3, capacity=5.0, conductance=2.0), {"shaft": "hinge", "s": "housing"})
    gear = boxes.backlash_gearbox(2.0, play=0.05, stiffness=20.0, loss=0.2, friction=0.02)
    m.box("gear", gear, {"a": "hinge", "b": "elbow", "s": "housing"})
    m.box("seal", boxes.lugre(20.0, 0.05, 0.08, v_st=0.5, sigma1=0.05, sigma2=0.01), {"p": "elbow", "s": "housing"})
    m.box("rotor", rotor(), {"p": "elbow"})
    return m


def four_bar() -> vv.Mechanism:
    """A loop, which is solved beside the tree, with a motor and a rotor at its crank."""
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    crank = m.body("crank", mass=0.5, inertia=vv.inertia.rod(0.5, 0.5, axis="x"), at=(0.25, 0, 0))
    coupler = m.body("coupler", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(1.0, 0, 0))
    rocker = m.body("rocker", mass=0.7, inertia=vv.inertia.rod(0.7, 0.8, axis="z"), at=(1.5, 0, -0.4))
    m.revolute("a", m.ground, crank, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("b", crank, coupler, at=(0.5, 0, 0), axis=(0, 1, 0))
    m.spherical("c", coupler, rocker, at=(1.5, 0, 0))
    m.revolute("d", m.ground, rocker, at=(1.5, 0, -0.8), axis=(0, 1, 0))
    m.box("dc", motor(), {"shaft": "a"})
    m.box("rotor", rotor(), {"p": "d"})
    return m


@pytest.mark.parametrize("make", [lossy_arm, four_bar])
@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint], ids=["PHMP", "PHMPGGL", "LieMidpoint"])
def test_compiled_steps_of_boxes_are_those_in_numpy(make: Any, scheme: Any) -> None:
    given = {"t_end": 0.01, "h": 5e-4, "inputs": {"dc": lambda t: 12.0 * np.cos(50.0 * t)}}
    ours, reference = (vv.simulate(make(), integrator=one, **given) for one in (scheme(), scheme(compiled=False)))
    assert (ours.engine, reference.engine) == ("compiled", "NumPy")
    for name, at in ours.model.layout.x.items():
        size = max(np.abs(reference.record.x[:, at]).max(), 1e-2)
        np.testing.assert_allclose(
            ours.record.x[:, at] / size, reference.record.x[:, at] / size, atol=1e-9, err_msg=name
        )
    names = ["rotor.p.force", "rotor.p.power", "dc.shaft.force", "dc.shaft.power", "heat.dc", "heat.rotor"]
    if make is lossy_arm:
        names += ["gear.a.force", "gear.b.force", "seal.p.force", "heat.gear", "heat.seal", "heat.hinge"]
        names += ["housing.temperature", "dc.winding.temperature"]
    for name in names:
        size = np.abs(reference[name]).max()
        size = (
            max(size, 10.0) if name.startswith("rotor.p.") else size
        )  # of weights: p follows rates, which round by ε/h
        np.testing.assert_allclose(ours[name], reference[name], rtol=1e-9, atol=1e-9 * size, err_msg=name)
    np.testing.assert_allclose(ours.final.taken, reference.final.taken, rtol=1e-9)
    audit, other = ours.audit(), reference.audit()
    assert audit.ok
    assert audit.first_law < 1e-13
    assert audit.second_law >= 0
    assert audit.components.keys() == other.components.keys()
    for what in ("energy", "exergy"):
        names, sizes = zip(*((one.name, one.amount) for one in shares(ours, what)[1]), strict=True)
        assert names == tuple(one.name for one in shares(reference, what)[1])
        np.testing.assert_allclose(sizes, [one.amount for one in shares(reference, what)[1]], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_spring_as_a_box_is_the_torsion_of_the_builder(scheme: Any) -> None:
    built, boxed = arm(), arm()
    built.torsion("k", "elbow", k=3.0)
    boxed.box("k", compose("spring", {"k": rotation.spring(3.0)}, {"q": ("k.q",)}, outer=("q",)), {"q": "elbow"})
    given = {"elbow.q": 7.0}  # beyond one turn
    runs = [vv.simulate(m, t_end=0.02, h=1e-3, initial=given, integrator=scheme) for m in (built, boxed)]
    np.testing.assert_allclose(runs[0]["elbow.q"], runs[1]["elbow.q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.ravel(runs[1]["k.q"]), runs[1]["elbow.q"], rtol=0, atol=1e-12)
    middle = 0.5 * (runs[1]["elbow.q"][1:] + runs[1]["elbow.q"][:-1])
    np.testing.assert_allclose(runs[1]["k.q.force"], -3.0 * middle, rtol=1e-9)


def wound_up() -> tuple[vv.Mechanism, vv.Mechanism]:
    """A torsion spring that is relaxed after more than a turn, of the builder and as a box."""
    made, boxed = arm(), arm()
    made.joint_spring("coil", ["hinge"], energy=lambda q: 30.0 * (q - 8.0) ** 2)
    coil = storage({"q": angle}, H=lambda x: 30.0 * (x.q - 8.0) ** 2)
    boxed.box("coil", compose("coil", {"coil": coil}, {"q": ("coil.q",)}, outer=("q",)), {"q": "hinge"})
    return made, boxed


def test_minimal_velocities_count_the_turns_of_angles_in_boxes() -> None:
    runs = [
        vv.simulate(m, t_end=0.1, h=1e-3, initial={"hinge": 7.5, "hinge.rate": 20.0}, integrator=vv.RK4(compiled=False))
        for m in wound_up()
    ]
    np.testing.assert_allclose(runs[1]["hinge.q"], runs[0]["hinge.q"], atol=1e-12)
    np.testing.assert_allclose(np.ravel(runs[1]["coil.q"]), runs[1]["hinge.q"], atol=1e-12)
    assert runs[1].audit().first_law < 1e-4


def test_an_equilibrium_knows_the_turns_of_angles_in_boxes() -> None:
    for m in wound_up():
        found = vv.equilibrium(m, initial={"hinge": 7.5})
        run = vv.simulate(m, t_end=0.01, h=1e-3, initial=found.motion, integrator=vv.LieMidpoint(compiled=False))
        assert 7.5 < run["hinge.q"][0] < 8.5
        np.testing.assert_allclose(run["hinge.q"], run["hinge.q"][0], atol=1e-6)


def test_friction_as_a_box_is_the_friction_of_the_builder() -> None:
    boxed = arm()
    law = friction.coulomb(0.3, v_reg=0.01, of=angular_momentum)
    boxed.box(
        "brake", compose("brake", {"law": law}, {"p": ("law.p",), "s": ("law.s",)}, outer=("p", "s")), {"p": "elbow"}
    )
    other = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = other.body("upper", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    lower = other.body("lower", mass=0.7, inertia=vv.inertia.rod(0.7, 1.0, axis="x"), at=(1.5, 0, 0))
    other.revolute("hinge", other.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    other.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0), friction=vv.friction.coulomb(0.3, v_reg=0.01))
    runs = [vv.simulate(m, t_end=0.02, h=1e-3, integrator=vv.PHMP(compiled=False)) for m in (other, boxed)]
    np.testing.assert_allclose(runs[0]["elbow.q"], runs[1]["elbow.q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(runs[0]["heat.elbow"], runs[1]["heat.brake"], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_rotor_in_a_box_turns_with_its_joint(scheme: Any) -> None:
    m = arm()
    m.box("rotor", rotor(), {"p": "hinge"})
    run = vv.simulate(m, t_end=0.02, h=1e-3, initial={"hinge.rate": 2.0}, integrator=scheme)
    np.testing.assert_allclose(np.ravel(run["rotor.p"])[0], 0.4, rtol=1e-14)
    np.testing.assert_allclose(np.ravel(run["rotor.p"]), 0.2 * run["hinge.rate"], rtol=1e-4)
    assert run.audit().first_law < 1e-13
    force, rate = run["rotor.p.force"], np.diff(run["hinge.q"]) / 1e-3
    gained = np.diff(run["energy.rotor"]) / 1e-3
    lost = np.diff(run["heat.rotor"]) / 1e-3
    np.testing.assert_allclose(run["rotor.p.power"], -force * rate, rtol=1e-12)
    np.testing.assert_allclose(run["rotor.p.power"], gained + lost, rtol=1e-8, atol=1e-9)
    with pytest.raises(vv.ModelError, match=r"'rotor.p:hinge' in 'arm' do not follow from a state"):
        run["hinge.reaction"]
    assert run["hinge.reaction_mid"].shape == (20, 6)


def gas_slide(volume: float = 5e-4) -> vv.Mechanism:
    m = slide()
    m.thermal("wall", capacity=50.0, conductance_to_environment=1.0)
    spring = boxes.gas_spring(5e-3, volume=volume, pressure=50.0 / volume, conductance=0.5)
    m.box("spring", spring, {"rod": "guide", "s": "wall"})
    return m


def test_algebraic_unknowns_of_a_box_are_the_same_in_all_schemes() -> None:
    runs = [vv.simulate(gas_slide(), t_end=0.01, h=1e-3, integrator=scheme) for scheme in SCHEMES]
    for run in runs:
        np.testing.assert_allclose(run["guide.q"], runs[0]["guide.q"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(run["spring.gas"], runs[0]["spring.gas"], rtol=1e-10, atol=1e-14)
        assert run.audit().first_law < 1e-13
        assert run.audit().second_law >= -1e-18
    np.testing.assert_allclose(runs[0]["guide.reaction"][:, 3:], 0.0, atol=1e-9)


def test_the_model_of_a_box_obeys_the_laws_of_the_seam() -> None:
    for m in (gas_slide(0.5), arm()):
        if m.name == "arm":
            m.box("dc", motor(), {"shaft": "hinge"})
            m.box("rotor", rotor(), {"p": "elbow"})
        for form in ("lie", "directors"):
            model = vv.compile(m, form)
            run = vv.simulate(m, t_end=0.002, h=1e-3, integrator=SCHEMES[0] if form == "directors" else SCHEMES[2])
            check_model(model, run.final.x)


def test_ports_that_are_not_named_are_inputs_and_heat_goes_to_the_environment() -> None:
    m = slide()
    m.box("ram", boxes.hydraulic_cylinder(1e-3, 6e-4, compliance=2e-12, leak=1e-12), {"rod": "guide"})
    assert m["ram"].inputs == {"a": "ram.a", "b": "ram.b"}
    run = vv.simulate(
        m, t_end=0.01, h=1e-3, inputs={"ram.a": 2e-4, "ram.b": -1.2e-4}, initial={"ram.a": 1e-7}, integrator=SCHEMES[0]
    )
    assert run["ram.a"][0] == pytest.approx(1e-7)
    assert run.audit().ok
    assert np.ravel(run["environment"])[-1] > 0
    assert run["ram.rod.force"].shape == (10,)


def test_a_run_of_a_box_is_continued_exactly_and_in_another_form() -> None:
    m = gas_slide()
    whole = vv.simulate(m, t_end=0.006, h=1e-3, integrator=SCHEMES[0])
    half = vv.simulate(m, t_end=0.003, h=1e-3, integrator=SCHEMES[0])
    rest = vv.simulate(m, t_end=0.006, h=1e-3, initial=half.final, integrator=SCHEMES[0])
    assert (rest["spring.gas"][-1] == whole["spring.gas"][-1]).all()
    lie = vv.simulate(m, t_end=0.006, h=1e-3, initial=half.final, integrator=SCHEMES[2])
    np.testing.assert_allclose(lie["spring.gas"][-1], whole["spring.gas"][-1], rtol=1e-10)


def test_states_of_boxes_start_as_they_say_or_as_given() -> None:
    m = arm()
    m.box("dc", starting(motor(), {"phi": 0.002}), {"shaft": "hinge"})
    run = vv.simulate(m, t_end=0.001, h=1e-3, integrator=SCHEMES[0])
    assert np.ravel(run["dc.phi"])[0] == 0.002
    run = vv.simulate(m, t_end=0.001, h=1e-3, initial={"dc.phi": 0.003}, integrator=SCHEMES[0])
    assert np.ravel(run["dc.phi"])[0] == 0.003
    assert run.unit("dc.phi") == "V s"
    with pytest.raises(vv.ModelError, match=r"mechanism 'arm' has no state 'dc.psi'"):
        vv.simulate(m, t_end=0.001, h=1e-3, initial={"dc.psi": 0.003})


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.LieMidpoint], ids=["PHMP", "LieMidpoint"])
@pytest.mark.parametrize("theta", [100.0, 330.0, 1e6])
def test_an_entropy_of_a_box_starts_at_the_temperature_that_is_given(scheme: Any, theta: float) -> None:
    given = {"dc.winding.temperature": theta, "housing.temperature": 310.0, "hinge.q": 0.2}
    run = vv.simulate(lossy_arm(), t_end=1e-6, h=5e-7, initial=given, integrator=scheme())
    assert run["dc.winding.temperature"][0] == pytest.approx(theta, rel=1e-13)
    assert run["housing.temperature"][0] == pytest.approx(310.0, rel=1e-14)
    built = vv.simulate(lossy_arm(), t_end=1e-6, h=5e-7, initial={"dc.winding.temperature": 300.0}, integrator=scheme())
    assert built["dc.winding"][0] == 0.0
    assert run["dc.winding"][0] == pytest.approx(5.0 * np.log(theta / 300.0), rel=1e-13)


def braked(capacity: Any) -> vv.Mechanism:
    """A slider with friction that heats a body inside of a box."""
    parts = {"own": capacity, "wall": thermal.conduction(0.5), "rub": friction.viscous(0.1)}
    wires = {"p": ("rub.p",), "hot": ("rub.s", "own.s", "wall.s1"), "s": ("wall.s2",)}
    m = vv.Mechanism("brake", gravity=(0, 0, 0))
    m.body("slider", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("guide", m.ground, "slider", at=(0, 0, 0), axis=(0, 0, 1))
    m.box("brake", compose("brake", parts, wires, outer=("p", "s")), {"p": "guide"})
    return m


def test_a_temperature_of_a_box_is_the_slope_of_its_own_energy() -> None:
    m = braked(thermal.power_law_capacity(3.0, 1.0))
    run = vv.simulate(m, t_end=1e-6, h=5e-7, initial={"brake.hot.temperature": 40.0})
    assert run["brake.hot.temperature"][0] == pytest.approx(40.0, rel=1e-12)
    assert run["brake.hot"][0] == pytest.approx(thermal.power_law_entropy(40.0, 3.0, 1.0), rel=1e-12)


def test_a_temperature_that_a_box_does_not_have_is_refused() -> None:
    m = lossy_arm()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"dc.winding.temperature": 330.0, "dc.winding": 0.1}, "given twice: by its entropy and by its temperature"),
        ({"dc.winding.temperature": -1.0}, r"winding.temperature of box 'dc' \[K\]"),
        ({"dc.supply.temperature": 330.0}, "has no state 'dc.supply.temperature'"),
        ({"dc.winding.temperatur": 330.0}, "Did you mean 'dc.winding.temperature'"),
    ]
    for initial, said in cases:
        with pytest.raises(vv.ModelError, match=said):
            vv.simulate(m, t_end=1e-3, h=5e-4, initial=initial)
    bath = braked(storage({"s": entropy}, H=lambda x: 300.0 * x.s))
    with pytest.raises(vv.ModelError, match=r"hot.temperature of box 'brake' cannot be 330 K"):
        vv.simulate(bath, t_end=1e-3, h=5e-4, initial={"brake.hot.temperature": 330.0})


@pytest.mark.parametrize(("s", "theta"), [(1e6, "inf"), (-1e6, "0")])
def test_an_entropy_of_a_box_without_a_temperature_is_refused(s: float, theta: str) -> None:
    said = rf"winding of box 'dc' is an entropy; .* would be {theta} K.\nGive .* 'dc.winding.temperature' \[K\]"
    with pytest.raises(vv.ModelError, match=said):
        vv.simulate(lossy_arm(), t_end=1e-3, h=5e-4, initial={"dc.winding": s})


def test_a_law_reads_the_angle_of_a_joint() -> None:
    """A damper that grips only beyond an angle: its port q is a state port, and nothing stores there."""

    def M(x: Any, e: Any, theta: Any, d: Any) -> Any:
        mu = d * x.q**2
        return [[mu * theta.s, -mu * e.p], [-mu * e.p, mu * e.p**2 / theta.s]]

    law = irreversible({"p": angular_momentum, "s": entropy, "q": angle.state}, M=M, d=0.5)
    system = compose("grip", {"law": law}, {"p": ("law.p",), "s": ("law.s",), "q": ("law.q",)}, outer=("p", "s", "q"))
    m = arm()
    m.box("grip", system, {"p": "elbow", "q": "elbow"})
    run = vv.simulate(m, t_end=0.01, h=1e-3, initial={"elbow.q": 1.0, "elbow.rate": 3.0}, integrator=SCHEMES[0])
    q, rate = run["elbow.q"], np.diff(run["elbow.q"]) / 1e-3
    np.testing.assert_allclose(run["grip.p.force"], -0.5 * (0.5 * (q[1:] + q[:-1])) ** 2 * rate, rtol=1e-10)
    assert run.audit().first_law < 1e-13


def test_boxes_take_no_freedom_of_joints() -> None:
    m = arm()
    m.box("dc", motor(), {"shaft": "hinge"})
    assert m.mobility() == 2
    assert set(m.kinestatics().actuated()) == {"hinge"}


def test_minimal_velocities_and_linear_systems_have_boxes_without_algebraic_unknowns() -> None:
    built, boxed = arm(), arm()
    built.motor("dc", "hinge", resistance=0.5, inductance=1e-3, k=0.1)
    boxed.box("dc", motor(), {"shaft": "hinge"})
    hanging = {"hinge.q": np.pi / 2, "elbow.q": 0.0}
    poles = [np.sort_complex(np.linalg.eigvals(vv.linearise(m, at=hanging).A)) for m in (built, boxed)]
    np.testing.assert_allclose(poles[0], poles[1], rtol=1e-6, atol=1e-6)
    forward = [vv.dynamics(m).forward([0.1, 0.2], [0.3, 0.4]) for m in (built, boxed)]
    np.testing.assert_allclose(forward[0], forward[1], rtol=1e-12)


def test_pictures_and_reports_show_boxes() -> None:
    m = arm()
    m.box("dc", motor(), {"shaft": "hinge"})
    plain, boxed = (vv.draw(one).drawing for one in (arm(), m))
    assert {label.text for label in boxed.labels} - {label.text for label in plain.labels} == {"dc"}
    assert len(boxed.strokes) == len(plain.strokes) + 2  # a lead and a block
    report = vv.report(m)
    assert "Box dc: equations" in [section.title for section in report.sections]


def test_a_mechanism_with_other_numbers_keeps_its_boxes() -> None:
    m = arm()
    m.box("dc", motor(), {"shaft": "hinge"})
    other = m.with_parameters({"upper.mass": 2.0})
    assert other["dc"].rates["shaft"].joint is other["hinge"]
    assert [name for name in m.parameters if name.startswith("dc")] == []


def test_errors_of_boxes_name_what_does_not_fit() -> None:
    m = arm()
    m.thermal("housing", capacity=20.0)
    with pytest.raises(vv.ModelError, match="box 'dc' must hold a composite system, got Storage"):
        m.box("dc", rotation.spring(1.0))  # type: ignore[arg-type]
    with pytest.raises(vv.ModelError, match=r"box 'dc' has no port 'shaf'; its ports are: supply, shaft, s.*'shaft'"):
        m.box("dc", motor(), {"shaf": "hinge"})
    with pytest.raises(vv.ModelError, match="port 'supply' of box 'dc' exchanges flux linkage, which no joint"):
        m.box("dc", motor(), {"supply": "hinge"})
    with pytest.raises(vv.ModelError, match="port 's' of box 'dc' is at joint 'hinge', which takes up no heat"):
        m.box("dc", motor(), {"shaft": "hinge", "s": "hinge"})
    with pytest.raises(vv.ModelError, match="port 'shaft' of box 'dc' refers to thermal node 'housing': give a joint"):
        m.box("dc", motor(), {"shaft": "housing"})
    with pytest.raises(vv.ModelError, match="ports of box 'dc' are a dictionary"):
        m.box("dc", motor(), ["shaft"])  # type: ignore[arg-type]
    push = compose("push", {"d": translation.damper(1.0)}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s"))
    with pytest.raises(vv.ModelError, match="port 'p' of box 'push' acts along a displacement, but of joint 'hinge'"):
        m.box("push", push, {"p": "hinge"})
    cold = compose(
        "cold", {"d": rotation.damper(1.0), "air": thermal.environment(280.0)}, {"p": ("d.p",), "s": ("d.s", "air.s")},
        outer=("p",),
    )  # fmt: skip
    with pytest.raises(vv.ModelError, match="has an environment 'air' at 280 K, mechanism 'arm' one at 300 K"):
        m.box("cold", cold, {"p": "hinge"})
    warm = compose("warm", {"c": thermal.capacity(3.0)}, {"s": ("c.s",)}, outer=("s",))
    with pytest.raises(vv.ModelError, match=r"port 's' of box 'warm' is held inside, by c.s"):
        m.box("warm", warm, {"s": "housing"})
    moving = compose(
        "moving", {"k": rotation.spring(1.0), "kin": rotation.kinematic()}, {"q": ("k.q", "kin.q"), "p": ("kin.p",)},
        outer=("q", "p"),
    )  # fmt: skip
    with pytest.raises(vv.ModelError, match=r"port 'q' of box 'moving' is a displacement or an angle, and kin.q would"):
        m.box("moving", moving, {"q": "hinge"})
    assert "dc" not in m.parts


def loaded_arm() -> vv.Mechanism:
    """Boxes of all kinds of ports: rates, a coordinate, heat, an input, and a rotor with a state that is tied."""
    m = arm()
    m.thermal("housing", capacity=20.0, conductance_to_environment=0.5)
    m.box("dc", motor(), {"shaft": "hinge", "s": "housing"})
    m.box("wheel", rotor(), {"p": "elbow"})
    m.box("k", compose("spring", {"k": rotation.spring(3.0)}, {"q": ("k.q",)}, outer=("q",)), {"q": "elbow"})
    return m


def test_the_composite_of_a_mechanism_has_its_boxes() -> None:
    m, start = loaded_arm(), {"elbow.rate": 2.0, "hinge.rate": -1.0}
    errors = []
    for h in (2e-3, 1e-3):
        one = vv.simulate(m, t_end=0.02, h=h, inputs={"dc": 12.0}, integrator=SCHEMES[2], initial=start)
        other = vv.simulate(m.system(), t_end=0.02, h=h, inputs={"dc": 12.0}, initial=m.system_state(start))
        assert other.audit().ok
        assert other.audit().first_law < 1e-13
        pairs = [(one["upper.r"], other["q_upper"][:, :3]), (one["dc.phi"], other["dc_supply"])]
        pairs += [(one["wheel.p"], other["rate_elbow_angle"]), (one["energy.dc"], other["energy.dc.coil"])]
        errors.append(max(np.abs(np.ravel(a) - np.ravel(b)).max() for a, b in pairs))
    assert errors[1] < 0.3 * errors[0] + 1e-14  # both are of second order
    assert errors[1] < 1e-6


def test_modules_bring_their_boxes_along() -> None:
    host = vv.Mechanism("host", gravity=(0, 0, -9.81))
    host.include(loaded_arm(), "left", at=(0, 0.3, 0))
    options = {"t_end": 0.01, "h": 1e-3, "integrator": SCHEMES[0]}
    flat = vv.simulate(loaded_arm(), inputs={"dc": 12.0}, **options)
    run = vv.simulate(host, inputs={"left.dc": 12.0}, **options)
    assert run.audit().ok
    for name in ("dc.phi", "wheel.p", "housing.temperature", "hinge.q"):
        np.testing.assert_allclose(run[f"left.{name}"], flat[name], atol=1e-12)
    np.testing.assert_allclose(run["energy.left.k"], flat["energy.k"], atol=1e-12)


def geared_stage() -> Composite:
    return compose("stage", {"g": rotation.gear(2.0)}, {"a": ("g.a",), "b": ("g.b",)}, outer=("a", "b"))


@pytest.mark.parametrize("scheme", REFERENCES, ids=NAMES[:3])
def test_a_gear_in_a_box_is_the_gear_of_the_builder(scheme: Any) -> None:
    geared, boxed = arm(), arm()
    geared.gear("stage", "hinge", "elbow", ratio=2.0)
    boxed.box("stage", geared_stage(), {"a": "hinge", "b": "elbow"})
    same, run = (vv.simulate(m, t_end=0.02, h=1e-3, integrator=scheme) for m in (geared, boxed))
    assert (same["hinge.q"][-1] / same["elbow.q"][-1]).round(9) == 2.0
    for name in ("hinge.q", "elbow.q", "lower.r"):
        np.testing.assert_allclose(run[name], same[name], rtol=0, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(run["hinge.q"], 2.0 * run["elbow.q"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(run["stage.a.force"], -0.5 * run["stage.b.force"], rtol=1e-9)
    assert np.abs(run["stage.a.force"]).min() > 0.1
    assert run.audit().ok
    assert run.audit().first_law < 1e-13


def test_a_gear_in_a_box_beside_laws_and_heat_moves_alike_in_all_schemes() -> None:
    """Teeth with play beside it never move against each other: their rate is what rounding leaves."""
    runs = []
    for scheme in REFERENCES:
        m = lossy_arm()
        m.box("stage", geared_stage(), {"a": "hinge", "b": "elbow"})
        runs.append(vv.simulate(m, t_end=0.01, h=1e-3, inputs={"dc": 12.0}, integrator=scheme))
        assert runs[-1].audit().ok
        assert runs[-1].audit().first_law < 1e-13
    for run in runs[1:]:
        for name in ("hinge.q", "rotor.p", "housing.temperature", "stage.a.force"):
            np.testing.assert_allclose(run[name], runs[0][name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_readings_that_count_rows_refuse_a_gear_in_a_box() -> None:
    boxed = arm()
    boxed.box("stage", geared_stage(), {"a": "hinge", "b": "elbow"})
    for reading in (boxed.mobility, boxed.analysis, boxed.kinestatics, boxed.interconnection):
        with pytest.raises(
            vv.ModelError, match=r"box 'stage' of mechanism 'arm' has rows on rates of joints, which its"
        ):
            reading()
    assert "mobility" not in str(vv.report(boxed))


def test_readings_that_count_rows_refuse_boxes_whose_sources_and_rotors_tie_joints() -> None:
    geared = {"g": rotation.gear(2.0), "a": rotation.inertia(0.1), "b": rotation.inertia(0.1)}
    chain = {"g": rotation.gear(2.0), "h": rotation.gear(3.0), "r": rotation.inertia(0.1)}
    both = {"a": "hinge", "b": "elbow"}
    for parts, junctions, ports in (
        ({"spin": rotation.speed_source()}, {"a": ("spin.p",)}, {"a": "hinge"}),
        ({"spin": rotation.speed_source(), "r": rotation.inertia(0.1)}, {"a": ("spin.p", "r.p")}, {"a": "hinge"}),
        (geared, {"a": ("g.a", "a.p"), "b": ("g.b", "b.p")}, both),
        (chain, {"a": ("g.a",), "m": ("g.b", "h.a", "r.p"), "b": ("h.b",)}, both),
    ):
        m = arm()
        m.box("stage", compose("stage", parts, junctions, outer=tuple(ports)), ports)
        with pytest.raises(vv.ModelError, match=r"box 'stage' of mechanism 'arm' has rows on rates of joints"):
            m.mobility()
    free = arm()
    parts = {"g": rotation.gear(2.0), "r": rotation.inertia(0.1)}
    system = compose("stage", parts, {"a": ("g.a",), "b": ("g.b", "r.p")}, outer=("a",))
    free.box("stage", system, {"a": "hinge"})
    assert free.mobility() == 2  # a rotor behind a gear adds inertia, and takes no freedom


@pytest.mark.parametrize("scheme", REFERENCES, ids=NAMES[:3])
def test_a_source_of_a_box_turns_its_joint(scheme: Any) -> None:
    m = arm()
    m.box(
        "spin", compose("spin", {"given": rotation.speed_source()}, {"p": ("given.p",)}, outer=("p",)), {"p": "hinge"}
    )
    start = {"hinge.rate": 2.0, "elbow.rate": 0.0}
    run = vv.simulate(m, t_end=0.02, h=1e-3, inputs={"spin": lambda t: 2.0 + t}, initial=start, integrator=scheme)
    np.testing.assert_allclose(run["hinge.q"], 2.0 * run.t + 0.5 * run.t**2, rtol=0, atol=1e-12)
    assert abs(run["work"][-1]) > 1e-3
    assert run.audit().first_law < 1e-13


def test_a_source_inside_of_a_box_follows_its_own_law() -> None:
    parts = {"spin": source({"p": angular_momentum}, lambda t: 3.0), "drag": rotation.damper(0.1)}
    fan = compose("fan", parts, {"p": ("spin.p", "drag.p"), "s": ("drag.s",)}, outer=("s",))
    m = arm()
    m.box("fan", fan)
    options = {"t_end": 0.01, "h": 1e-3, "integrator": SCHEMES[2]}
    np.testing.assert_allclose(vv.simulate(m, **options)["heat.fan"][-1], 0.1 * 3.0**2 * 0.01, rtol=1e-12)
    faster = vv.simulate(m, inputs={"fan": 6.0}, **options)  # an input of that name replaces it
    np.testing.assert_allclose(faster["heat.fan"][-1], 0.1 * 6.0**2 * 0.01, rtol=1e-12)


def test_states_of_boxes_do_not_take_the_names_of_other_results() -> None:
    m, parts = arm(), {"coil": electric.inductor(1e-3), "emf": electric.motor(0.1)}
    for name in ("u", "power", "work"):
        system = compose("motor", parts, {name: ("coil.phi", "emf.phi"), "p": ("emf.p",)}, outer={"in": name, "p": "p"})
        with pytest.raises(vv.ModelError, match=rf"box 'dc' has a state '{name}', but run\['dc.{name}'\] is another"):
            m.box("dc", system, {"p": "hinge"})


def test_numbers_inside_of_a_box_are_no_parameters_of_the_mechanism() -> None:
    m = arm()
    m.box("dc", motor(), {"shaft": "hinge"})
    with pytest.raises(vv.ModelError, match=r"'dc.wire.R' of mechanism 'arm' is inside of box 'dc', whose numbers are"):
        m.with_parameters({"dc.wire.R": 1.0})


def test_inputs_of_boxes_are_called_alike_in_a_mechanism_and_its_composite() -> None:
    one, two = arm(), arm()
    one.box("dc", motor(), {"shaft": "hinge"})
    parts = {**motor().boxes, "spin": rotation.speed_source(), "drag": rotation.damper(0.1)}
    junctions = {"phi": ("coil.phi", "wire.phi", "emf.phi"), "s": ("wire.s", "drag.s"), "shaft": ("emf.p",)}
    outer = {"supply": "phi", "shaft": "shaft", "s": "s"}
    fan = compose("fan", parts, {**junctions, "w": ("spin.p", "drag.p")}, outer=outer)
    two.box("dc", fan, {"shaft": "hinge"})
    assert set(one.boxes[0].inputs.values()) == {"dc"}
    assert "dc" in one.system().interface
    assert set(two.boxes[0].inputs.values()) == {"dc.supply", "dc.spin"}
    assert "dc_supply" in two.system().interface


def test_a_momentum_that_does_not_move_as_its_joint_is_refused() -> None:
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    m.box(
        "wheel", compose("wheel", {"rotor": rotation.inertia(0.05)}, {"p": ("rotor.p",)}, outer=("p",)), {"p": "hinge"}
    )
    name, scheme = "wheel.p", vv.LieMidpoint(compiled=False)
    for start in ({name: 1.0}, {name: 1.0, "hinge.rate": 3.0}):
        with pytest.raises(vv.AssemblyError, match=r"they are tied\.\nGive the rate of the joint"):
            vv.simulate(m, 0.02, 0.01, initial=start, integrator=scheme)
    run = vv.simulate(m, 0.02, 0.01, initial={name: 0.15, "hinge.rate": 3.0}, integrator=scheme)
    assert run.audit().first_law <= 1e-13
    assert vv.simulate(m, 0.04, 0.01, initial=run.final, integrator=scheme).audit().ok


def _tied_pair(box: Composite, places: dict[str, str], rate: float = 0.0) -> vv.Mechanism:
    m = vv.Mechanism("pair", gravity=(0, 0, -9.81))
    for name, x in (("a", 0.5), ("b", -0.5)):
        m.body(name, mass=1.0, inertia=(0.01, 0.1, 0.1), at=(x, 0, 0))
        m.revolute(f"at {name}", m.ground, name, at=(0, 0, 0), axis=(0, 1, 0), rate=rate if name == "a" else 0.0)
    m.box("hold", box, places)
    return m


def _gear_box() -> Composite:
    both = reversible({"a": angular_momentum, "b": angular_momentum}, C=[[1.0, -1.0]])
    return compose("gears", {"g": both}, {"a": ("g.a",), "b": ("g.b",)}, outer=("a", "b"))


def test_rows_of_boxes_hold_at_the_start() -> None:
    held = compose("held", {"d": source({"p": angular_momentum})}, {"p": ("d.p",)}, outer=("p",))
    scheme = vv.LieMidpoint(compiled=False)
    for m, inputs in (
        (_tied_pair(_gear_box(), {"a": "at a", "b": "at b"}, rate=1.0), None),
        (_tied_pair(held, {"p": "at a"}, rate=2.0), None),
        (_tied_pair(held, {"p": "at a"}), {"hold": 2.0}),
    ):
        with pytest.raises(vv.AssemblyError, match=r"violates the constraint of 'hold\."):
            vv.simulate(m, 0.02, 0.01, inputs=inputs, integrator=scheme)
    run = vv.simulate(_tied_pair(held, {"p": "at a"}, rate=2.0), 0.02, 0.01, inputs={"hold": 2.0}, integrator=scheme)
    assert np.abs(run["at a.rate"] - 2.0).max() <= 1e-3


def test_equilibria_do_not_ignore_boxes_that_tie_joints() -> None:
    with pytest.raises(vv.ModelError, match=r"box 'hold' .* rows on rates of joints, which its equilibrium would not"):
        vv.equilibrium(_tied_pair(_gear_box(), {"a": "at a", "b": "at b"}))


def test_a_scalar_state_of_a_box_is_a_number_for_sampled_laws() -> None:
    m = arm()
    m.box("dc", boxes.thermal_motor(0.6, 2e-3, 0.08, capacity=15.0, conductance=0.5), {"shaft": "hinge"})
    seen = []

    def law(now):
        seen.append([np.shape(now[name]) for name in ("dc.supply", "dc.winding", "dc.winding.temperature", "hinge.q")])
        return {"dc": 3.0 - 0.1 * now["dc.supply"]}

    options = {"integrator": vv.LieMidpoint(compiled=False), "sampled": vv.Sampled(law, period=1e-3, compiled=False)}
    run = vv.simulate(m, t_end=2e-3, h=1e-3, **options)
    assert seen[-1] == [()] * 4
    assert run["dc.supply"].shape == run["hinge.q"].shape == run.t.shape


def test_a_massless_body_is_refused_by_naming_the_box_that_holds_the_inertia() -> None:
    m = vv.Mechanism("rig")
    m.body("disc", massless=True, at=(0, 0, 0))
    m.revolute("hinge", m.ground, "disc", at=(0, 0, 0), axis=(0, 1, 0))
    m.box("wheel", rotor(), {next(iter(rotor().interface)): "hinge"})
    with pytest.raises(vv.ModelError, match=r"(?s)'disc' has no mass.*inside of a box, here 'wheel'"):
        vv.simulate(m, t_end=0.01, h=0.01, integrator=vv.LieMidpoint(compiled=False))
