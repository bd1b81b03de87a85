"""connect: two models joined at their ports exchange what the one gives and the other takes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import visviva as vv
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language import Composite, compose, source
from visviva.library import electric, rotation, thermal
from visviva.library.quantities import flux
from visviva.testing import check_model

H = 1e-2


def drive(theta0: float = 300.0) -> Composite:
    boxes = {
        "coil": electric.inductor(1e-3),
        "wire": electric.resistor(0.5),
        "air": thermal.environment(theta0),
        "emf": electric.motor(0.1),
    }
    junctions = {"phi": ("coil.phi", "wire.phi", "emf.phi"), "s": ("wire.s", "air.s"), "shaft": ("emf.p",)}
    return compose("drive", boxes, junctions, outer={"supply": "phi", "shaft": "shaft"})


def flywheel() -> Composite:
    boxes = {"rotor": rotation.inertia(0.05), "damper": rotation.damper(0.02), "room": thermal.environment()}
    junctions = {"p": ("rotor.p", "damper.p"), "heat": ("damper.s", "room.s")}
    return compose("flywheel", boxes, junctions, outer={"axle": "p"})


def pendulum() -> vv.Mechanism:
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.torque("motor", "hinge")
    return m


def test_a_joined_model_obeys_the_laws_of_the_seam() -> None:
    model = vv.connect(drive(), flywheel(), {"shaft": "axle"})
    check_model(model, model.pack({"phi": 0.01, "p": 0.1}))
    assert [name for name, kind in model.kinds if kind is vv.model.RowKind.EFFORT] == ["shaft", "shaft:axle"]
    assert [port.name for port in model.ports] == ["supply"]


def test_a_joined_mechanism_obeys_the_laws_of_the_seam() -> None:
    model = vv.connect(vv.compile(pendulum()), drive(), {"motor": "shaft"})
    check_model(model, model.pack({"phi": 0.01}))


def test_both_sides_of_a_joined_port_see_one_flow_and_one_effort() -> None:
    model = vv.connect(drive(), flywheel(), {"shaft": "axle"})
    run = vv.simulate(
        model, t_end=0.1, h=1e-3, initial={"phi": 0, "p": 0}, inputs={"supply": 12.0}, integrator=vv.DiscreteGradient()
    )
    assert run.audit().ok
    assert np.abs(run["first_law"]).max() < 1e-13
    flow = run["shaft:axle.flow"]
    torque = 0.1 * 0.5 * (run["phi"][1:] + run["phi"][:-1])[:, 0] / 1e-3
    np.testing.assert_allclose(flow[:, 0] if flow.ndim > 1 else flow, torque, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run["shaft:axle.shaft.power"], -run["shaft:axle.p.power"], rtol=1e-9, atol=1e-9)


def _coupled_step(
    state: object, p: float, m: vv.Mechanism, wheel: vv.Model, scheme: object
) -> tuple[object, float, float]:
    """One step of both alone, with a flow λ that gives them one effort in the middle: discretise, then interconnect."""

    def both(lam: float) -> tuple[float, vv.Run, vv.Run]:
        t = 0.0 if state is None else state.t  # type: ignore[attr-defined]
        a = vv.simulate(m, t_end=t + H, h=H, initial=state, inputs={"motor": -lam}, integrator=scheme)
        b = vv.simulate(
            wheel, t_end=H, h=H, initial={"p": p}, inputs={"axle": lam}, integrator=vv.DiscreteGradient(compiled=False)
        )
        return float(a["motor.power"][-1] / -lam - b["axle.power"][-1] / lam), a, b

    lams, gaps = [0.1, 0.3], []
    gaps = [both(lam)[0] for lam in lams]
    for _ in range(12):
        if abs(gaps[-1]) < 1e-15 or gaps[-1] == gaps[-2]:
            break
        lams.append(lams[-1] - gaps[-1] * (lams[-1] - lams[-2]) / (gaps[-1] - gaps[-2]))
        gaps.append(both(lams[-1])[0])
    _, a, b = both(lams[-1])
    return a.final, float(b["p"][-1, 0] if b["p"].ndim > 1 else b["p"][-1]), lams[-1]


@pytest.mark.parametrize("scheme", [vv.PHMP(compiled=False), vv.PHMPGGL(compiled=False)], ids=["PHMP", "PHMPGGL"])
def test_discretising_and_joining_commute(scheme: object) -> None:
    """Fig. 5 of Latussek, Kinon, Betsch: the joined model stepped is both stepped with the same discrete coupling."""
    m, wheel = pendulum(), vv.compile(flywheel())
    whole = vv.connect(vv.compile(m, "directors"), wheel, {"motor": "axle"})
    run = vv.simulate(whole, t_end=3 * H, h=H, initial={"p": 0.0}, integrator=scheme)
    state, p, flows = None, 0.0, []
    for _ in range(3):
        state, p, lam = _coupled_step(state, p, m, wheel, scheme)
        flows.append(lam)
    np.testing.assert_allclose(run["rod.q"][-1], state.x[state.places["rod.q"]], rtol=0, atol=1e-13)
    np.testing.assert_allclose(run["rod.v"][-1], state.x[state.places["rod.v"]], rtol=0, atol=1e-11)
    np.testing.assert_allclose(np.ravel(run["p"])[-1], p, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(run["motor:axle.flow"]), flows, rtol=1e-10)


@pytest.mark.parametrize(
    ("form", "scheme"),
    [
        ("directors", vv.PHMP(compiled=False)),
        ("directors", vv.PHMPGGL(compiled=False)),
        ("lie", vv.LieMidpoint(compiled=False)),
    ],
    ids=["PHMP", "PHMPGGL", "LieMidpoint"],
)
def test_a_joined_drive_is_the_motor_of_the_builder(form: str, scheme: object) -> None:
    run = vv.simulate(
        vv.connect(vv.compile(pendulum(), form), drive(), {"motor": "shaft"}),
        t_end=0.02, h=1e-3, initial={"phi": 0}, inputs={"supply": 12.0}, integrator=scheme,
    )  # fmt: skip
    m = pendulum()
    m.motor("dc", "hinge", resistance=0.5, inductance=1e-3, k=0.1)
    same = vv.simulate(m, t_end=0.02, h=1e-3, inputs={"dc": 12.0}, integrator=scheme)
    np.testing.assert_allclose(run["rod.q"][:, :3], same["rod.r"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.ravel(run["phi"]) / 1e-3, same["dc.current"], rtol=0, atol=1e-10)
    assert run.audit().first_law < 1e-13
    assert run.audit().second_law >= 0


def test_prefixes_keep_equal_names_apart() -> None:
    model = vv.connect(flywheel(), flywheel(), {"axle": "axle"}, names=("left", "right"), name="pair")
    assert model.name == "pair"
    assert set(model.layout.x) == {"left.p", "right.p"}
    assert [part.name for part in model.constraints] == ["left.axle:right.axle"]


def test_a_model_without_heat_gets_an_environment_where_the_other_has_one() -> None:
    model = vv.connect(vv.compile(pendulum()), drive(), {"motor": "shaft"})
    assert {one.name for one in model.reservoirs} == {"s", "environment"}


def test_a_port_hamiltonian_system_is_joined_by_its_inputs() -> None:
    system = PortHamiltonian(
        ("x",), H=lambda x: x.x**2 / 2, J=[[0.0]], R=[[0.1]], G=[[1.0]], name="tank", inputs=("inflow",)
    )
    model = vv.connect(system, flywheel(), {"inflow": "axle"})
    assert set(model.layout.x) == {"state", "p"}


def test_errors_of_connect_name_what_does_not_fit() -> None:
    with pytest.raises(vv.ModelError, match=r"'drive' has no port 'shaf'.*Did you mean 'shaft'"):
        vv.connect(drive(), flywheel(), {"shaf": "axle"})
    with pytest.raises(vv.ModelError, match="'flywheel' has no port 'rotor'"):
        vv.connect(drive(), flywheel(), {"shaft": "rotor"})
    with pytest.raises(vv.ModelError, match="exchanges flux linkage, port 'axle' of 'flywheel' angular momentum"):
        vv.connect(drive(), flywheel(), {"supply": "axle"})
    with pytest.raises(vv.ModelError, match="have the same names: axle, damper, heat, p"):
        vv.connect(flywheel(), flywheel(), {"axle": "axle"})
    with pytest.raises(vv.ModelError, match="different temperatures: 'drive' at 280 K, 'flywheel' at 300 K"):
        vv.connect(drive(280.0), flywheel(), {"shaft": "axle"})
    with pytest.raises(vv.ModelError, match=r"ports of connect\(\) are pairs"):
        vv.connect(drive(), flywheel(), {})
    with pytest.raises(vv.ModelError, match="two different prefixes"):
        vv.connect(drive(), flywheel(), {"shaft": "axle"}, names=("a", "a"))
    with pytest.raises(vv.ModelError, match=r"compile\(\) takes"):
        vv.connect(3, flywheel(), {"shaft": "axle"})  # type: ignore[arg-type]


def test_ports_of_other_widths_and_sources_cannot_be_joined() -> None:
    m = vv.Mechanism("ball")
    m.particle("ball", mass=1.0, at=(0, 0, 0))
    m.wrench("push", "ball")
    with pytest.raises(vv.ModelError, match="'push' of 'ball' has 3 inputs, port 'axle' of 'flywheel' has 1"):
        vv.connect(m, flywheel(), {"push": "axle"})
    spun = compose(
        "spun", {"drive": rotation.speed_source(), "rotor": rotation.inertia(1.0)}, {"w": ("drive.p", "rotor.p")}
    )
    with pytest.raises(vv.ModelError, match="'drive' of 'spun' prescribes an effort"):
        vv.connect(spun, flywheel(), {"drive": "axle"})
    two = {"shaft": "axle", "supply": "axle"}
    with pytest.raises(vv.ModelError, match="'axle' of 'flywheel' is joined twice"):
        vv.connect(drive(), flywheel(), two)


def test_sources_of_joined_models_follow_their_own_laws() -> None:
    parts = {"cell": source({"phi": flux}, lambda t: 2.0), "wire": electric.resistor(0.5)}
    heater = compose("heater", parts | {"room": thermal.environment()},
                     {"phi": ("cell.phi", "wire.phi"), "air": ("wire.s", "room.s")})  # fmt: skip
    both = {"heater": heater, "drive": drive()}
    plant = compose("plant", both, {"supply": ("drive.supply",), "shaft": ("drive.shaft",)}, outer=("supply", "shaft"))
    for names in (None, ("left", "right")):
        model = vv.connect(plant, flywheel(), {"shaft": "axle"}, names=names)
        left, right = (f"{name}." for name in names) if names else ("", "")
        assert list(model.laws) == [f"{left}heater.cell"]
        start = {f"{left}supply": 0.0, f"{right}p": 0.0}
        run = vv.simulate(model, t_end=0.01, h=1e-3, initial=start, integrator=vv.DiscreteGradient())
        np.testing.assert_allclose(run["heat"][-1], 0.5 * 2.0**2 * 0.01, rtol=1e-9)


def test_an_environment_by_the_name_of_a_total_does_not_take_its_place() -> None:
    run = vv.simulate(flywheel(), t_end=0.1, h=1e-3, initial={"p": 1.0})
    np.testing.assert_allclose(run["heat"], run["heat.damper"], rtol=1e-12)
    np.testing.assert_allclose(300.0 * run["entropy_stored.heat"], run["heat"], rtol=1e-12)
    assert run.unit("heat") == "J"


def test_a_model_is_told_by_names_alone():
    """Also of two that were joined: its laws are no part of what is printed."""
    first = compose("first", {"rotor": rotation.inertia(0.05)}, {"p": ("rotor.p",)}, outer={"axle": "p"})
    second = compose("second", {"disc": rotation.inertia(0.1)}, {"l": ("disc.p",)}, outer={"shaft": "l"})
    model = vv.connect(first, second, {"axle": "shaft"})
    assert repr(model) == "Model('first and second': variables p, l; constraints axle:shaft)"


def test_connecting_is_loaded_where_it_is_asked_for():
    code = "import sys, visviva as vv; vv.compile; m = 'visviva.compiler.connect'; a = m in sys.modules; vv.connect; "
    done = subprocess.run(
        [sys.executable, "-c", code + "print(a, m in sys.modules)"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("name", ["energy", "heat", "work"])
def test_states_do_not_hide_totals_of_runs(name):
    system = compose("wheel", {"rotor": rotation.inertia(0.05)}, {name: ("rotor.p",)})
    with pytest.raises(vv.ModelError, match=f"junction '{name}' of 'wheel' has a storage.* the total of a run"):
        vv.compile(system)


def test_equally_named_dissipations_are_no_common_account() -> None:
    def wheel(letter: str) -> Composite:
        parts = {f"rotor{letter}": rotation.inertia(0.1), "damper": rotation.damper(0.1), letter: thermal.environment()}
        junctions = {f"p{letter}": (f"rotor{letter}.p", "damper.p"), f"s{letter}": ("damper.s", f"{letter}.s")}
        return compose(f"wheel {letter}", parts, junctions, outer={f"axle{letter}": f"p{letter}"})

    with pytest.raises(vv.ModelError, match="have the same names: damper"):
        vv.connect(wheel("A"), wheel("B"), {"axleA": "axleB"})
    model = vv.connect(wheel("A"), wheel("B"), {"axleA": "axleB"}, names=("A", "B"))
    assert {"A.damper", "B.damper"} <= {part.name for part in model.structures}


@pytest.mark.parametrize("scheme", [vv.PHMP(compiled=False), vv.PHMPGGL(compiled=False)], ids=["PHMP", "PHMPGGL"])
def test_two_mechanisms_tied_rigidly_are_refused_by_director_schemes_with_a_way_out_that_runs(scheme) -> None:
    two = [vv.compile(pendulum(), "directors") for _ in range(2)]
    model = vv.connect(*two, {"motor": "motor"}, names=("left", "right"))
    with pytest.raises(
        vv.ModelError, match=r"(?s)'left.motor:right.motor' .* ties velocities .* vv.DiscreteGradient()"
    ):
        vv.simulate(model, t_end=H, h=H, integrator=scheme)
    run = vv.simulate(model, t_end=H, h=H, integrator=vv.DiscreteGradient(compiled=False))
    assert run.audit().first_law < 1e-13
