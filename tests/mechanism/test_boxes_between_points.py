"""Boxes between two points, and on a point along an axis of the ground: the ports of the language beside joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import visviva as vv
from visviva.language import Composite, compose, irreversible, storage
from visviva.library import boxes, rotation, translation
from visviva.library.quantities import displacement, entropy, momentum
from visviva.mechanism.spring_slopes import coordinate_at

SCHEMES = [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint]
COMPILED = [pytest.param(False, id="NumPy"), pytest.param(True, id="compiled")]
LINE = ("foot", "eye")


def crane() -> vv.Mechanism:
    """A boom and a jib on hinges, with an eye on the jib and a foot on the ground."""
    m = vv.Mechanism("crane", gravity=(0, 0, -9.81))
    m.body("boom", mass=3.0, inertia=vv.inertia.rod(3.0, 2.0, axis="x"), at=(1, 0, 0))
    m.body("jib", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(2.3, 0, 0))
    m.revolute("hinge", m.ground, "boom", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", "boom", "jib", at=(2, 0, 0), axis=(0, 1, 0))
    m.frame("eye", "jib", at=(2.4, 0, 0.05))
    m.frame("foot", m.ground, at=(0.3, 0, -0.7))
    return m


def spring(k: float = 2000.0, length: float = 2.0) -> Composite:
    stored = storage({"q": displacement}, H=lambda x, k, l: 0.5 * k * (x.q - l) ** 2, k=k, l=length)
    return compose("spring", {"coil": stored}, {"q": ("coil.q",)}, outer=("q",))


def damper(d: float = 30.0) -> Composite:
    return compose("damper", {"oil": translation.damper(d)}, {"p": ("oil.p",), "s": ("oil.s",)}, outer=("p", "s"))


def mass(m: float = 2.0) -> Composite:
    return compose("mass", {"m": translation.mass(m)}, {"p": ("m.p",)}, outer=("p",))


def strut(damping: float) -> tuple[vv.Mechanism, vv.Mechanism]:
    """The same spring and damper of the builder, and as boxes."""
    built, boxed = crane(), crane()
    built.spring("strut", *LINE, k=2000.0, length=2.0, damping=damping)
    boxed.box("coil", spring(), {"q": LINE})
    if damping:
        boxed.box("oil", damper(damping), {"p": LINE})
    return built, boxed


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_spring_between_two_eyes_is_that_of_the_builder_to_rounding(scheme: Any, compiled: bool) -> None:
    built, boxed = (
        vv.simulate(m, t_end=0.04, h=2e-3, integrator=scheme(compiled=compiled)) for m in strut(damping=0.0)
    )
    np.testing.assert_allclose(boxed["jib.r"], built["jib.r"], rtol=0, atol=2e-14)
    np.testing.assert_allclose(boxed["coil.q"], built["strut.length"], rtol=0, atol=2e-14)
    assert boxed.audit().first_law < 1e-14


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_damper_between_two_eyes_agrees_with_order_two(scheme: Any, compiled: bool) -> None:
    """The rate of a box is Δl/h, the builder's damper has that at the middle of the step."""
    gaps = []
    for h in (4e-3, 2e-3):
        built, boxed = (
            vv.simulate(m, t_end=0.04, h=h, integrator=scheme(compiled=compiled)) for m in strut(damping=30.0)
        )
        gaps.append(np.abs(boxed["jib.r"] - built["jib.r"]).max())
        assert boxed.audit().first_law < 1e-14
        length = np.diff(boxed["oil.p.length"])
        np.testing.assert_allclose(boxed["oil.p.force"], -30.0 * length / h, rtol=1e-9)
        np.testing.assert_allclose(boxed["oil.p.power"], 30.0 * (length / h) ** 2, rtol=1e-9)
        np.testing.assert_allclose(boxed["heat.oil"][-1], (30.0 * length**2 / h).sum(), rtol=1e-11)
    assert 1e-9 < gaps[0] < 1e-5
    assert 3.8 < gaps[0] / gaps[1] < 4.2


def test_equations_with_boxes_between_points_are_those_of_the_builder() -> None:
    q, v = np.array([0.1, -0.2]), np.array([0.3, 0.7])
    built, boxed = strut(damping=30.0)
    for form in ("minimal", "hamel", "partially-lagrangian", "kane-velocity"):
        found = [vv.analytical(m, form).accelerations(q, v) for m in (built, boxed)]
        np.testing.assert_allclose(*found, rtol=1e-11, err_msg=form)
    rest = [vv.equilibrium(m) for m in (built, boxed)]
    np.testing.assert_allclose(*(one.motion.q["jib"] for one in rest), atol=1e-10)
    A = [vv.linearise(m, at=one).A for m, one in zip((built, boxed), rest, strict=True)]
    np.testing.assert_allclose(*A, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("compiled", COMPILED)
def test_a_cylinder_between_two_eyes_holds_what_its_rod_displaces(compiled: bool) -> None:
    """Volumes of closed chambers follow the length exactly: A Δl and -B Δl over any number of steps."""
    m = crane()
    m.box("ram", boxes.hydraulic_cylinder(1e-3, 6e-4, compliance=2e-8), {"rod": LINE})
    run = vv.simulate(m, t_end=0.1, h=2e-3, integrator=vv.LieMidpoint(compiled=compiled))
    moved = run["ram.rod.length"] - run["ram.rod.length"][0]
    assert np.abs(moved).max() > 1e-2
    np.testing.assert_allclose(np.ravel(run["ram.a"]), -1e-3 * moved, rtol=0, atol=1e-16)
    np.testing.assert_allclose(np.ravel(run["ram.b"]), 6e-4 * moved, rtol=0, atol=1e-16)
    assert run.audit().first_law < 1e-14
    push = (run["ram.a"][:-1] + run["ram.a"][1:]).ravel() / 2 * 1e-3 / 2e-8
    pull = (run["ram.b"][:-1] + run["ram.b"][1:]).ravel() / 2 * 6e-4 / 2e-8
    np.testing.assert_allclose(run["ram.rod.force"], push - pull, rtol=1e-9)


def test_friction_with_a_memory_acts_along_a_line() -> None:
    m = crane()
    m.box("seal", boxes.lugre(2e4, 20.0, 30.0, v_st=0.01, sigma1=100.0, sigma2=1.0, of=momentum), {"p": LINE})
    plain, fast = (
        vv.simulate(m, t_end=0.05, h=1e-3, integrator=vv.LieMidpoint(compiled=flag)) for flag in (False, True)
    )
    np.testing.assert_allclose(fast["jib.r"], plain["jib.r"], rtol=0, atol=1e-12)
    assert fast.audit().first_law < 1e-13
    assert fast["heat.seal"][-1] > 1e-3


@pytest.mark.parametrize("at", [LINE, ("eye", (0.2, 0, 1))], ids=["a line", "an axis"])
def test_a_mass_is_tied_to_a_line_and_is_an_inertia_along_it(at: Any) -> None:
    m = crane()
    m.box("inerter", mass(2.0), {"p": at})
    q = np.array([0.1, -0.2])
    form = vv.analytical(m)
    moves = [sign * e for e in np.eye(2) for sign in (1e-6, -1e-6)]
    poses = [form.motion(form.advance_q(q, move), np.zeros(2), form.initial[2]) for move in moves]
    (one,) = m.boxes[0].coordinates
    y = [coordinate_at(one, motion) for motion in poses]
    row = np.array([y[0] - y[1], y[2] - y[3]]) / 2e-6
    more = vv.dynamics(m).mass_matrix(q) - vv.dynamics(crane()).mass_matrix(q)
    np.testing.assert_allclose(more, 2.0 * np.outer(row, row), rtol=1e-8, atol=1e-9)
    runs = [vv.simulate(m, t_end=0.05, h=1e-3, integrator=scheme()) for scheme in SCHEMES]
    assert all(run.audit().first_law < 1e-13 for run in runs)
    np.testing.assert_allclose(runs[0]["jib.r"], runs[2]["jib.r"], atol=1e-9)
    inside = vv.simulate(m.system(), t_end=0.05, h=1e-3)
    np.testing.assert_allclose(inside["q_jib"][-1][:3], runs[2]["jib.r"][-1], atol=1e-9)


@pytest.mark.parametrize("compiled", COMPILED)
def test_a_point_goes_along_an_axis_as_on_a_slide(compiled: bool) -> None:
    """A box at a guide, and on the body along the axis of the guide."""
    runs = []
    for at in ("guide", ("tool", "z"), (("tool", (0.3, 0.1, 0.0)), (0, 0, 2.0))):
        m = vv.Mechanism("press", gravity=(0, 0, -9.81))
        m.body("tool", mass=2.0, inertia=(1, 1, 1), at=(0, 0, 0))
        m.prismatic("guide", m.ground, "tool", at=(0, 0, 0), axis=(0, 0, 1))
        m.box("coil", spring(300.0, 0.1), {"q": at})
        m.box("oil", damper(5.0), {"p": at})
        runs.append(vv.simulate(m, t_end=0.2, h=2e-3, integrator=vv.PHMP(compiled=compiled)))
    for run in runs[1:]:
        for name in ("tool.r", "coil.q", "coil.q.force", "oil.p.force", "oil.p.power"):
            np.testing.assert_allclose(run[name], runs[0][name], rtol=0, atol=1e-11, err_msg=name)


def test_a_box_pushes_particles_apart() -> None:
    m = vv.Mechanism("pair")
    m.particle("a", mass=1.0, at=(0, 0, 0))
    m.particle("b", mass=2.0, at=(1, 0, 0))
    m.box("coil", spring(50.0, 1.2), {"q": ("a", "b")})
    run = vv.simulate(m, t_end=0.02, h=1e-3, integrator=vv.LieMidpoint())
    assert run["coil.q.force"][0] == pytest.approx(50.0 * 0.2, rel=1e-2)
    assert run["a.r"][-1, 0] < 0
    assert run["b.r"][-1, 0] > 1
    np.testing.assert_allclose(run["a.r"][:, 0] + 2 * run["b.r"][:, 0], 2.0, atol=1e-14)


def test_a_module_brings_its_lines_along() -> None:
    module = strut(damping=30.0)[1]
    host = vv.Mechanism("yard", gravity=(0, 0, -9.81))
    host.include(module, "crane", on=host.ground, at=(1, 2, 3))
    own, run = (vv.simulate(m, t_end=0.05, h=1e-3, integrator=vv.LieMidpoint()) for m in (module, host))
    np.testing.assert_allclose(run["crane.jib.r"], own["jib.r"] + (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(run["crane.oil.p.force"], own["oil.p.force"], rtol=1e-6, atol=1e-9)


def test_a_line_is_drawn_from_eye_to_eye() -> None:
    m = crane()
    m.box("coil", spring(), {"q": LINE})
    without, drawn = vv.draw(crane()).svg, vv.draw(m).svg
    assert len(drawn) > len(without)
    assert "coil" in drawn


def test_a_line_that_is_only_read_has_no_bond_graph() -> None:
    m = crane()
    only = compose(
        "valve",
        {"oil": _read_damper()},
        {"q": ("oil.q",), "p": ("oil.p",), "s": ("oil.s",)},
        outer=("q", "p", "s"),
    )
    m.box("valve", only, {"q": LINE, "p": LINE})
    assert vv.simulate(m, t_end=0.01, h=1e-3, integrator=vv.LieMidpoint()).audit().first_law < 1e-14
    with pytest.raises(vv.ModelError, match=r"port 'q' of box 'valve' reads a displacement between points.*\n.*spring"):
        vv.bond_graph(m)


def _read_damper() -> Any:
    """Viscous friction that grows with the length."""

    def M(x: Any, e: Any, theta: Any) -> Any:
        d = 3.0 * x.q**2
        return [[d * theta.s, -d * e.p], [-d * e.p, d * e.p**2 / theta.s]]

    return irreversible({"q": displacement.state, "p": momentum, "s": entropy}, M=M)


def test_a_mass_on_a_line_has_no_symbols() -> None:
    m = crane()
    m.box("inerter", mass(), {"p": LINE})
    with pytest.raises(vv.ModelError, match=r"box 'inerter' ties a momentum .*to a line between points"):
        vv.symbols(m)


turning = compose("rub", {"d": rotation.damper(1.0)}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s"))
WRONG: dict[str, tuple[Any, Composite, str]] = {
    "an angle between points": (LINE, turning, r"port 'p' of box 'b' acts along an angle, and \('foot', 'eye'\)"),
    "points of one body": (("eye", "jib"), damper(), r"between two points of 'jib', whose distance does not change"),
    "no such part": (("eye", "nothing"), damper(), r"has no 'nothing'"),
    "the ground alone": (("boom", "ground"), damper(), r"ends on the ground: say where, \(m.ground, \(x, y, z\)\)"),
    "a point in a frame": ((("eye", (0, 0, 1)), "foot"), damper(), r"ends in frame 'eye' already: leave out the point"),
    "no point": ((("boom", (1, 2)), "foot"), damper(), r"must have shape \(3,\)"),
    "three things": ((("boom", 1, 2), "foot"), damper(), r"give a frame, a body, or \(body, point\)"),
    "no axis": (("eye", (0, 0, 0)), damper(), r"axis of port 'b.p' is zero"),
    "a point that stays": (("foot", (0, 0, 1)), damper(), r"a point of the ground, which does not move along axes"),
    "a point of its own axes": (("eye", (0, 0, 1), "jib"), damper(), r"a point of 'jib', which does not move along"),
    "axes of a particle": (("boom", (0, 0, 1), "bob"), damper(), r"is along axes of 'bob', a particle, which has none"),
    "three ends": (("eye", "foot", "jib"), damper(), r"two ends, \(a, b\), an end and an axis, or an end, an axis"),
    "one end": ("eye", damper(), r"refers to frame 'eye': give a joint.*\n.*give both, \(a, b\), or a point and an"),
}


@pytest.mark.parametrize(("at", "system", "says"), WRONG.values(), ids=WRONG.keys())
def test_places_that_are_none_are_refused(at: Any, system: Composite, says: str) -> None:
    m = crane()
    m.particle("bob", mass=1.0, at=(1, 1, 1))
    with pytest.raises(vv.ModelError, match=says):
        m.box("b", system, {"p": at})


def test_points_that_meet_have_no_line() -> None:
    m = crane()
    m.frame("here", "boom", at=(0.3, 0, -0.7))
    m.box("b", damper(), {"p": ("foot", "here")})
    with pytest.raises(vv.AssemblyError, match=r"port 'p' of box 'b' is between two points that coincide"):
        vv.simulate(m, t_end=1e-3, h=1e-3)


def test_points_that_meet_during_a_run_are_warned_of() -> None:
    m = vv.Mechanism("fall", gravity=(0, 0, -9.81))
    m.particle("drop", mass=1.0, at=(0, 0, 0.01))
    damper = compose("damper", {"d": translation.damper(5.0)}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s"))
    m.box("damper", damper, {"p": ("drop", (m.ground, (0, 0, 0)))})
    with pytest.warns(vv.RunWarning, match=r"port 'p' of box 'damper' met before t = 0\.\d+ s"):
        run = vv.simulate(m, t_end=0.1, h=1e-3, integrator=vv.LieMidpoint())
    assert run["damper.p.length"][-1] < 0
    plain = vv.simulate(m, t_end=0.1, h=1e-3, integrator=vv.LieMidpoint(compiled=False))
    np.testing.assert_allclose(plain["damper.p.length"], np.abs(plain["drop.r"][:, 2]), rtol=1e-12)
