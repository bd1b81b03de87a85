"""Boxes on rates that no coordinate has: spins of balls, turn rates, velocities of points, twists of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import visviva as vv
from visviva._arrays import Array
from visviva.language import Composite, compose, irreversible, reversible, storage
from visviva.library import boxes, rotation, translation
from visviva.library.multibody.friction import viscous
from visviva.library.quantities import entropy, momentum3, momentum6

SCHEMES = [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint]
COMPILED = [pytest.param(False, id="NumPy"), pytest.param(True, id="compiled")]
D3 = np.array([[0.3, 0.05, 0.0], [0.05, 0.2, 0.02], [0.0, 0.02, 0.1]])
D6 = np.diag([0.3, 0.2, 0.1, 1.0, 2.0, 3.0])
D6[0, 4] = D6[4, 0] = 0.1
START = {"hip.rate": (1.0, 2.0, 3.0)}


def drag(D: Array) -> Composite:
    """D e against rates e, as many as the port has, and their heat."""
    if len(D) > 1:
        return boxes.drag(D)
    return compose("drag", {"d": rotation.damper(D.item())}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s"))


def pendulum(friction: Any = 0.0, chain: bool = False) -> vv.Mechanism:
    """A rod on a ball, or the second one of two, and an oil that takes up its heat."""
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.thermal("oil", capacity=5.0)
    m.body("rod", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0.3, 0, 0))
    above = m.ground
    if chain:
        above = m.body("upper", mass=0.7, inertia=(0.02, 0.01, 0.015), at=(-0.3, 0, 0))
        m.spherical("root", m.ground, "upper", at=(-0.6, 0, 0))
    m.spherical("hip", above, "rod", at=(0, 0, 0), friction=friction, heat_to="oil")
    return m


def flight() -> vv.Mechanism:
    """Two bodies and a particle that fly, and an eye on one of them."""
    m = vv.Mechanism("flight", gravity=(0, 0, -9.81))
    m.body(
        "hull", mass=1.0, inertia=(0.02, 0.03, 0.04), com=(0.01, 0.02, 0.03), at=(0.3, 0, 0), twist=(1, 2, 3, 4, 5, 6)
    )
    m.body("barge", mass=1.0, inertia=(0.03, 0.03, 0.04), at=(0.3, 0.5, 0), twist=(0, 2, 0, 1, 0, 0))
    m.particle("bead", mass=0.5, at=(0, 0.5, 0.2), velocity=(1, 0, 2))
    m.frame("eye", "hull", at=(0.4, 0.1, 0), rotation=vv.geometry.SO3.exp([0.1, 0.2, 0.3]).matrix)
    return m


def runs(
    mechanisms: Any, scheme: Any = vv.LieMidpoint, h: float = 2e-3, t_end: float = 0.04, **options: Any
) -> list[Any]:
    return [vv.simulate(m, t_end=t_end, h=h, integrator=scheme(**options), initial=START) for m in mechanisms]


# -- the spin of a ball ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_matrix_of_friction_on_a_ball_is_that_of_the_builder_to_rounding(scheme: Any, compiled: bool) -> None:
    built, boxed = pendulum(D3), pendulum()
    boxed.box("grease", drag(D3), {"p": "hip", "s": "oil"})
    own, run = runs((built, boxed), scheme, compiled=compiled)
    np.testing.assert_allclose(run["rod.r"], own["rod.r"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run["oil.temperature"], own["oil.temperature"], rtol=1e-14)
    assert run["grease.p.force"].shape == (20, 3)
    assert run.audit().first_law < 1e-14


def test_between_two_bodies_both_agree_with_order_two() -> None:
    """W of a box is at the mean of the products of axes at both ends, that of the builder at the mean of the axes."""
    gaps = []
    for h in (4e-3, 2e-3):
        built, boxed = pendulum(D3, chain=True), pendulum(chain=True)
        boxed.box("grease", drag(D3), {"p": "hip", "s": "oil"})
        own, run = runs((built, boxed), h=h)
        gaps.append(np.abs(run["rod.r"] - own["rod.r"]).max())
    assert 1e-10 < gaps[0] < 1e-7
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.1)


def test_equations_in_minimal_velocities_are_those_of_the_builder() -> None:
    built, boxed = pendulum(D3, chain=True), pendulum(chain=True)
    boxed.box("grease", drag(D3), {"p": "hip", "s": "oil"})
    q, xi = vv.analytical(built).initial[0], np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    for form in ("minimal", "hamel", "partially-lagrangian", "kane-velocity"):
        found = [vv.analytical(m, form).accelerations(q, xi) for m in (built, boxed)]
        np.testing.assert_allclose(*found, rtol=1e-10, atol=1e-10, err_msg=form)
    own, run = (
        vv.simulate(m, t_end=0.04, h=2e-3, integrator=vv.RK4(compiled=False), initial=START) for m in (built, boxed)
    )
    np.testing.assert_allclose(run["rod.r"], own["rod.r"], rtol=0, atol=1e-15)


@pytest.mark.parametrize("compiled", COMPILED)
def test_friction_that_falls_with_the_heat_it_makes(compiled: bool) -> None:
    """A matrix of the temperature, which no friction of the builder is: the first law, and heat where it belongs."""

    def M(e: Any, theta: Any) -> Any:
        D = 0.2 * np.diag([1.0, 2.0, 3.0]) / (1 + ((theta.s - 300.0) / 0.1) ** 2)
        f = D @ e.p
        return np.block([[theta.s * D, -f[:, None]], [-f[None, :], np.array([[(e.p @ f) / theta.s]])]])

    m = pendulum()
    hot = irreversible({"p": momentum3, "s": entropy}, M=M)
    m.box(
        "grease",
        compose("grease", {"d": hot}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s")),
        {"p": "hip", "s": "oil"},
    )
    (run,) = runs((m,), compiled=compiled, t_end=0.2)
    assert run.audit().first_law < 1e-14
    heat = 5.0 * np.diff(run["oil.temperature"])
    np.testing.assert_allclose(heat, 2e-3 * run["grease.p.power"], rtol=1e-9)
    theta = 0.5 * (run["oil.temperature"][1:] + run["oil.temperature"][:-1])
    assert np.ptp(theta) > 0.05
    rate = -run["grease.p.force"] * (1 + ((theta[:, None] - 300.0) / 0.1) ** 2) / (0.2 * np.array([1.0, 2.0, 3.0]))
    spin = run["rod.twist"][:, :3]
    np.testing.assert_allclose(rate, 0.5 * (spin[1:] + spin[:-1]), atol=2e-3)


# -- turn rates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("at", [("rod", (0, 1, 0)), ("ground", "y", "rod")], ids=["of the ground", "of the rod"])
def test_a_damper_about_the_axis_of_a_hinge_is_that_on_the_hinge_with_order_two(at: Any, compiled: bool) -> None:
    """A turn rate over a step is sin Δθ/h, the rate of an angle Δθ/h: torques differ by (Δθ)²/6."""
    gaps = []
    for h in (4e-3, 2e-3):
        found = []
        for place in ("hinge", at):
            m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
            m.body("rod", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0.3, 0, 0))
            m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0), rate=9.0)
            m.box("brake", drag(np.array([[0.4]])), {"p": place})
            found.append(vv.simulate(m, t_end=0.08, h=h, integrator=vv.LieMidpoint(compiled=compiled)))
        own, run = found
        sign = 1 if at[0] == "rod" else -1
        turn = np.diff(own["hinge.q"])
        np.testing.assert_allclose(own["brake.p.force"], -0.4 * turn / h, rtol=1e-9)
        turn = np.diff(run["hinge.q"])
        np.testing.assert_allclose(run["brake.p.force"], -0.4 * sign * np.sin(turn) / h, rtol=1e-9)
        gaps.append(np.abs(run["rod.r"] - own["rod.r"]).max())
        assert run.audit().first_law < 1e-14
    assert 1e-8 < gaps[0] < 1e-4
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.1)


def test_turn_rates_about_three_axes_are_the_spin() -> None:
    """Friction d ω is the same in all axes: three dampers about those of the ground, and one on the ball."""
    one, three = pendulum(), pendulum()
    one.box("grease", drag(0.3 * np.eye(3)), {"p": "hip"})
    for axis in "xyz":
        three.box(axis, drag(np.array([[0.3]])), {"p": ("rod", axis)})
    spin, axes = runs((one, three), t_end=0.1)
    np.testing.assert_allclose(axes["rod.r"], spin["rod.r"], rtol=0, atol=1e-14)


def test_what_acts_between_two_bodies_keeps_the_momentum_of_both() -> None:
    """Linear and angular: a weight moves both as it does without boxes."""
    m = flight()
    m.box("brake", drag(np.array([[0.4]])), {"p": ("eye", (0, 1, 1), "barge")})
    m.box("rub", drag(D3), {"p": ("eye", "barge")})
    m.box("bush", drag(D6), {"p": ("eye", "barge")})
    free, run = (vv.simulate(one, t_end=0.1, h=2e-3, integrator=vv.LieMidpoint()) for one in (flight(), m))
    assert np.abs(run["hull.r"] - free["hull.r"]).max() > 1e-2
    np.testing.assert_allclose(run["momentum"], free["momentum"], rtol=0, atol=1e-13)


# -- points and twists ----------------------------------------------------------------------------------------------

PLACES: dict[str, tuple[Array, Any]] = {
    "a particle": (D3, "bead"),
    "a particle against a body": (D3, ("bead", "hull")),
    "a body in the world": (D6, "hull"),
    "a body": (D6, ("hull", "body")),
    "a frame": (D6, ("eye", "body")),
    "against another": (D6, ("eye", "barge")),
    "a point in the world": (D3, "eye"),
    "a point of a body": (D3, (("hull", (1, 0, 0)), "body")),
    "a point against another": (D3, ("eye", "barge")),
}


ALL = [(vv.LieMidpoint, place) for place in PLACES] + [(scheme, "against another") for scheme in (vv.PHMP, vv.PHMPGGL)]


@pytest.mark.parametrize(("scheme", "place"), ALL)
def test_compiled_and_numpy_agree_and_keep_the_first_law(scheme: Any, place: str) -> None:
    m, (D, at) = flight(), PLACES[place]
    m.box("drag", drag(D), {"p": at})
    plain, fast = (vv.simulate(m, t_end=0.04, h=2e-3, integrator=scheme(compiled=flag)) for flag in (False, True))
    np.testing.assert_allclose(fast["hull.r"], plain["hull.r"], rtol=0, atol=1e-14)
    for run in (plain, fast):
        assert run.audit().first_law < 1e-14
        np.testing.assert_allclose(2e-3 * run["drag.p.power"].sum(), run["heat.drag"][-1], rtol=1e-12)


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_wrench_on_a_body_is_that_of_the_builder(frame: str) -> None:
    """An input port of six numbers of a box, and `m.wrench`: to rounding, but for moments in axes of the body."""
    wire = reversible({"a": momentum6, "p": momentum6}, C=lambda x: np.hstack([np.eye(6), -np.eye(6)]))
    through = compose("through", {"wire": wire}, {"a": ("wire.a",), "p": ("wire.p",)}, outer=("a", "p"))
    for wrench, exact in (((0, 0, 0, 1.0, -2.0, 3.0), True), ((0.1, 0.2, -0.3, 1.0, -2.0, 3.0), frame == "world")):
        gaps = []
        for h in (4e-3, 2e-3):
            built, boxed = flight(), flight()
            built.wrench("push", "hull", frame=frame)
            boxed.box("push", through, {"p": ("hull", frame)})
            own, run = (
                vv.simulate(m, t_end=0.04, h=h, inputs={"push": wrench}, integrator=vv.LieMidpoint(compiled=False))
                for m in (built, boxed)
            )
            gaps.append(
                np.abs(run["hull.r"] - own["hull.r"]).max() + np.abs(run["hull.twist"] - own["hull.twist"]).max()
            )
            assert run.audit().first_law < 1e-13
        if exact:
            assert max(gaps) < 1e-12
        else:
            assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.2)


def ship(mass: float, inertia: tuple[float, float, float], hinge: bool = False) -> vv.Mechanism:
    m = vv.Mechanism("ship", gravity=(0, 0, -9.81) if hinge else (0, 0, 0))
    m.body("hull", mass=mass, inertia=inertia, at=(0.3, 0, 0), twist=None if hinge else (1, 2, 3, 1, 0.5, 0))
    if hinge:
        m.spherical("hip", m.ground, "hull", at=(0, 0, 0))
    return m


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_mass_that_is_added_to_a_body_is_that_of_a_heavier_one(scheme: Any, compiled: bool) -> None:
    """A box with six momenta that are tied to the twist: they start with the body, and follow it."""
    gaps = []
    for h in (4e-3, 2e-3):
        heavy, wet = ship(3.0, (0.06, 0.06, 0.08)), ship(1.0, (0.04, 0.05, 0.05))
        wet.box("water", boxes.added_mass((0.02, 0.01, 0.03, 2.0, 2.0, 2.0)), {"p": ("hull", "body")})
        own, run = (vv.simulate(m, t_end=0.08, h=h, integrator=scheme(compiled=compiled)) for m in (heavy, wet))
        gaps.append(np.abs(run["hull.twist"] - own["hull.twist"]).max())
        assert run.audit().first_law < 1e-14
    np.testing.assert_allclose(run["water.p"][0], np.array([0.02, 0.02, 0.09, 2.0, 1.0, 0.0]), atol=1e-14)
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.1)


def test_added_mass_is_in_minimal_velocities_and_composites() -> None:
    """Of a pendulum, whose weight is not that of the water: a heavier one under less gravity."""
    wet = ship(1.0, (0.04, 0.05, 0.05), hinge=True)
    wet.box("water", boxes.added_mass((0.02, 0.01, 0.03, 2.0, 2.0, 2.0)), {"p": ("hull", "body")})
    heavy = vv.Mechanism("heavy", gravity=(0, 0, -9.81 / 3))
    heavy.body("hull", mass=3.0, inertia=(0.06, 0.06, 0.08), at=(0.3, 0, 0))
    heavy.spherical("hip", heavy.ground, "hull", at=(0, 0, 0))
    q, xi = vv.analytical(heavy).initial[0], np.array([1.0, -2.0, 3.0])
    for form in ("minimal", "hamel", "partially-lagrangian", "kane-velocity"):
        found = [vv.analytical(m, form).accelerations(q, xi) for m in (heavy, wet)]
        np.testing.assert_allclose(*found, rtol=1e-10, err_msg=form)
    found = [vv.dynamics(m).mass_matrix(q) for m in (heavy, wet)]
    np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-15)
    with pytest.raises(vv.ModelError, match="box 'water' ties a momentum"):
        vv.symbols(wet)
    wet_at_rest = vv.simulate(wet, t_end=0.05, h=1e-3, integrator=vv.LieMidpoint())
    inside = vv.simulate(wet.system(), t_end=0.05, h=1e-3)
    np.testing.assert_allclose(inside["q_hull"][-1][:3], wet_at_rest["hull.r"][-1], atol=1e-7)


def test_a_mass_along_an_axis_moves_as_in_the_lie_form() -> None:
    """In minimal velocities: rows that tie change along the motion, which counts once."""
    m = pendulum(chain=True)
    rod = compose("inerter", {"m": translation.mass(2.0)}, {"p": ("m.p",)}, outer=("p",))
    m.box("inerter", rod, {"p": ("rod", (0.2, 0, 1))})
    (fine,) = runs((m,), vv.RK4, t_end=0.02, compiled=False)
    assert fine.audit().first_law < 1e-9
    gaps = [np.abs(runs((m,), h=h, t_end=0.02)[0]["rod.r"][-1] - fine["rod.r"][-1]).max() for h in (2e-3, 1e-3)]
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.1)


def test_a_flight_goes_on_from_its_end() -> None:
    """Bodies without joints: there are no rows in the order of elimination."""
    m = flight()
    m.box("bush", drag(D6), {"p": ("eye", "barge")})
    whole = vv.simulate(m, t_end=0.04, h=2e-3, integrator=vv.LieMidpoint())
    half = vv.simulate(m, t_end=0.02, h=2e-3, integrator=vv.LieMidpoint())
    rest = vv.simulate(m, t_end=0.04, h=2e-3, integrator=vv.LieMidpoint(), initial=half.final)
    np.testing.assert_allclose(rest["hull.r"][-1], whole["hull.r"][-1], rtol=0, atol=1e-14)


def test_a_module_brings_its_twists_along() -> None:
    module = pendulum(chain=True)
    module.box("grease", drag(D3), {"p": "hip", "s": "oil"})
    module.box("drag", drag(D6), {"p": ("rod", "body")})
    module.box("bush", drag(D6), {"p": ("rod", "upper")})
    module.box("brake", drag(np.array([[0.1]])), {"p": ("rod", (0, 1, 1))})
    R = vv.geometry.SO3.exp([0, 0, 0.7]).matrix
    host = vv.Mechanism("yard", gravity=(0, 0, -9.81))
    host.include(module, "crane", on=host.ground, at=(1, 2, 3), rotation=R)
    own, run = (vv.simulate(m, t_end=0.05, h=1e-3, integrator=vv.LieMidpoint()) for m in (module, host))
    np.testing.assert_allclose(run["crane.rod.r"], own["rod.r"] @ R.T + (1, 2, 3), atol=1e-12)
    for name in ("grease.p.force", "drag.p.force", "bush.p.power", "brake.p.force"):
        np.testing.assert_allclose(run[f"crane.{name}"], own[name], rtol=1e-6, atol=1e-9, err_msg=name)


def test_states_of_a_box_spring_from_a_twist() -> None:
    """Maxwell's element on six rates, with a state for each: what it holds and loses is what it took."""
    n = 6
    coil = storage({"y": momentum6}, H=lambda x: 50.0 * (x.y @ x.y))
    link = reversible(
        {"y": momentum6, "p": momentum6, "d": momentum6},
        J=lambda x: np.block([
            [np.zeros((n, n)), np.eye(n), -np.eye(n)],
            [-np.eye(n), np.zeros((n, 2 * n))],
            [np.eye(n), np.zeros((n, 2 * n))],
        ]),
    )  # fmt: skip
    parts = {"coil": coil, "link": link, "oil": viscous({"p": momentum6}, D6)}
    junctions = {"y": ("coil.y", "link.y"), "p": ("link.p",), "d": ("link.d", "oil.p"), "s": ("oil.s",)}
    m = flight()
    m.box("maxwell", compose("maxwell", parts, junctions, outer=("p", "s")), {"p": ("eye", "barge")})
    plain, fast = (
        vv.simulate(m, t_end=0.04, h=2e-3, integrator=vv.LieMidpoint(compiled=flag)) for flag in (False, True)
    )
    np.testing.assert_allclose(fast["maxwell.y"], plain["maxwell.y"], rtol=0, atol=1e-13)
    assert np.abs(fast["maxwell.y"]).max() > 1e-3
    taken = 2e-3 * fast["maxwell.p.power"].sum()
    np.testing.assert_allclose(taken, fast["heat.maxwell"][-1] + fast["energy.maxwell"][-1], rtol=1e-12)


# -- refusals -------------------------------------------------------------------------------------------------------

one = drag(np.array([[1.0]]))
turn = compose("turn", {"k": rotation.spring(1.0)}, {"q": ("k.q",)}, outer=("q",))
WRONG: dict[str, tuple[Any, Composite, str]] = {
    "six on a ball": ("hip", drag(D6), r"has 6 momenta, and joint 'hip' is spherical: three momenta"),
    "three on a hinge": ("knee", drag(D3), r"has 3 momenta, and joint 'knee' is revolute.*\n.*one momentum to each"),
    "three on a coordinate": (("knee", 0), drag(D3), r"has 3 momenta, and joint 'knee' is revolute"),
    "a particle turns": ("bob", drag(D6), r"is at 'bob', which is a particle and does not turn: give a body"),
    "axes of a particle": (("bob", "body"), drag(D3), r"in axes of 'bob', a particle, which has none"),
    "against a particle": (
        ("rod", "bob"),
        drag(D3),
        r"along axes of 'bob', a particle, which has none",
    ),
    "a turn against a particle": (("rod", (0, 0, 1), "bob"), one, r"is along axes of 'bob', a particle"),
    "the ground": ("foot", drag(D6), r"is at a point of 'ground', which does not move there: give an end"),
    "its own body": (("eye", "rod"), drag(D3), r"is at a point of 'rod', which does not move there"),
    "own axes": (("eye", (0, 0, 1), "rod"), one, r"is the turn of 'rod' about axes of its own: give one of another"),
    "a turn of a particle": (("bob", (0, 0, 1)), one, r"'bob', which is a particle and does not turn"),
    "no axis": (("rod", "foot"), one, r"acts along an angle, and \('rod', 'foot'\) is none\.\nGive a joint"),
    "an angle of a body": (("rod", (0, 0, 1)), turn, r"'q' of box 'b' acts along an angle.*\n.*it has a\nrate, but no"),
    "a body alone": (
        "rod",
        one,
        r"refers to body 'rod': give a joint.*\n.*rate: a port .* can be at \('rotor', \(0, 0, 1",
    ),
    "three parts": (("rod", "body", "foot"), drag(D6), r"\('rod', 'body', 'foot'\): give an end, \(end, 'body'\)"),
}


@pytest.mark.parametrize(("at", "system", "says"), WRONG.values(), ids=WRONG.keys())
def test_places_that_are_none_are_refused(at: Any, system: Composite, says: str) -> None:
    m = pendulum()
    m.body("shin", mass=1.0, inertia=(1, 1, 1), at=(0.6, 0, 0))
    m.revolute("knee", "rod", "shin", at=(0.6, 0, 0), axis=(0, 1, 0))
    m.particle("bob", mass=1.0, at=(1, 1, 1))
    m.frame("eye", "rod", at=(0.1, 0, 0))
    m.frame("foot", m.ground, at=(0, 0, 1))
    port = next(iter(system.interface))
    with pytest.raises(vv.ModelError, match=says):
        m.box("b", system, {port: at})


def test_a_part_that_is_called_as_axes_are_is_asked_for() -> None:
    m = vv.Mechanism("names")
    m.body("body", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.body("hull", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    with pytest.raises(vv.ModelError, match=r"in axes 'body', but a part of mechanism 'names' has this name too"):
        m.box("b", drag(D6), {"p": ("hull", "body")})
    box = m.box("b", drag(D6), {"p": ("hull", m["body"])})
    assert box.twists["p"].parent is m["body"]
