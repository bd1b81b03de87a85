"""Boxes of the library: their laws on joints, and their audits."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.library import boxes
from visviva.library.quantities import momentum


def wheel(rate: float = 0.0) -> vv.Mechanism:
    m = vv.Mechanism("wheel")
    body = m.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 0))
    m.revolute("axle", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), rate=rate)
    m.torque("push", "axle")
    return m


def run_of(m: vv.Mechanism, t_end: float, h: float, **given: object) -> vv.Run:
    """Compiled; the same as in NumPy."""
    schemes = vv.LieMidpoint(), vv.LieMidpoint(compiled=False)
    run, other = (vv.simulate(m, t_end=t_end, h=h, integrator=scheme, **given) for scheme in schemes)  # type: ignore[arg-type]
    audit = run.audit()
    assert run.engine == "compiled"
    assert audit.first_law < 1e-13
    assert audit.second_law >= -1e-16
    for name, at in run.model.layout.x.items():
        size = np.abs(other.record.x[:, at]).max()
        moves = name.split(".")[0] not in (box.name for box in m.boxes)
        size = max(size, 1e-3) if moves else size or 1.0  # what is at rest moves by rounding
        np.testing.assert_allclose(run.record.x[:, at] / size, other.record.x[:, at] / size, atol=1e-9, err_msg=name)
    return run


def test_bristles_stick_below_the_force_of_breaking_loose_and_slide_beyond() -> None:
    law = boxes.lugre(1e3, 0.5, 0.8, v_st=0.05, sigma1=2.0, sigma2=0.01)
    m = wheel()
    m.box("seal", law, {"p": "axle"})
    held = run_of(m, 0.2, 2e-3, inputs={"push": 0.2})
    assert abs(held["axle.q"]).max() < 3 * 0.2 / 1e3  # bends as a spring does
    loose = run_of(m, 0.4, 4e-3, inputs={"push": 2.0})
    assert loose["axle.rate"][-1] > 1.0
    assert loose["seal.p.force"][-1] == pytest.approx(-(0.5 + 0.01 * loose["axle.rate"][-1]), rel=0.02)


def test_a_gearbox_moves_freely_in_its_play_and_transmits_beyond_it() -> None:
    m = wheel(rate=1.0)
    other = m.body("drum", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(1, 0, 0))
    m.revolute("shaft", m.ground, other, at=(1, 0, 0), axis=(0, 0, 1))
    m.box("gearbox", boxes.backlash_gearbox(2.0, play=0.02, stiffness=200.0, loss=0.5), {"a": "axle", "b": "shaft"})
    run = run_of(m, 0.06, 1e-3)
    inside = run["axle.q"] < 0.008
    assert abs(run["shaft.rate"][inside]).max() < 0.02
    assert run["shaft.rate"][-1] > 0.3
    a, b = run["gearbox.a.force"], run["gearbox.b.force"]
    np.testing.assert_allclose(b, -2.0 * a, rtol=1e-9, atol=1e-12)
    assert run["heat.gearbox"][-1] > 0


def test_a_cylinder_pushes_with_the_pressures_of_its_chambers() -> None:
    m = vv.Mechanism("lift")
    body = m.body("table", mass=20.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("guide", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.box("ram", boxes.hydraulic_cylinder(1e-3, 6e-4, compliance=2e-12), {"rod": "guide"})
    run = run_of(m, 0.01, 1e-3, inputs={"ram.a": 1e-4})
    a, b = (np.ravel(0.5 * (run[name][1:] + run[name][:-1])) / 2e-12 for name in ("ram.a", "ram.b"))
    np.testing.assert_allclose(run["ram.rod.force"], 1e-3 * a - 6e-4 * b, rtol=1e-9)


def test_a_warm_motor_gives_less_torque_at_the_same_voltage() -> None:
    m = wheel()
    m.thermal("housing", capacity=30.0, conductance_to_environment=0.2)
    motor = boxes.thermal_motor(0.5, 1e-3, 0.1, capacity=0.5, conductance=0.2)
    m.box("dc", motor, {"shaft": "axle", "s": "housing"})
    m.drive("hold", "axle", rate=lambda t: 0.0)
    run = run_of(m, 0.2, 4e-3, inputs={"dc": 6.0})
    theta = run["dc.winding.temperature"]
    assert theta[-1] > 320.0
    assert run["housing.temperature"][-1] > 300.0
    assert np.ravel(run["dc.supply"])[-1] / 1e-3 == pytest.approx(
        6.0 / (0.5 * (1 + 0.0039 * (theta[-1] - 300))), rel=1e-2
    )


def test_a_gas_spring_gets_warm_when_it_is_compressed() -> None:
    m = vv.Mechanism("strut", gravity=(0, 0, -9.81))
    body = m.body("piston", mass=100.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("guide", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.box("spring", boxes.gas_spring(5e-3, volume=5e-4, pressure=1e5, conductance=0.01), {"rod": "guide"})
    run = run_of(m, 0.04, 2e-3)
    s, V = run["spring.gas"].T
    assert V[-1] < V[0]
    np.testing.assert_allclose(V - V[0], 5e-3 * run["guide.q"], rtol=1e-10, atol=1e-16)
    n = 1e5 * 5e-4 / (8.314462618 * 300.0)
    theta = 300.0 * np.exp(s / (n * 2.5 * 8.314462618)) * (V / 5e-4) ** (-0.4)
    assert theta[-1] > 304.0


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(vv.ModelError, match="sigma0 of LuGre friction"):
        boxes.lugre(0.0, 1.0, 2.0, v_st=0.1)
    with pytest.raises(vv.ModelError, match="F_s of LuGre friction"):
        boxes.lugre(1.0, 1.0, 0.5, v_st=0.1)
    with pytest.raises(vv.ModelError, match="a gearbox of ratio 0"):
        boxes.backlash_gearbox(0.0, play=0.1, stiffness=1.0)
    with pytest.raises(vv.ModelError, match="play of a gearbox"):
        boxes.backlash_gearbox(1.0, play=0.0, stiffness=1.0)
    with pytest.raises(vv.ModelError, match="leak of a cylinder"):
        boxes.hydraulic_cylinder(1.0, 1.0, compliance=1.0, leak=-1.0)
    with pytest.raises(vv.ModelError, match="resistance of a motor"):
        boxes.thermal_motor(-1.0, 1.0, 1.0, capacity=1.0, conductance=1.0)
    with pytest.raises(vv.ModelError, match="pressure of a gas spring"):
        boxes.gas_spring(1.0, volume=1.0, pressure=0.0)
    assert "p" in boxes.lugre(1.0, 1.0, 2.0, v_st=0.1, of=momentum).interface


def test_water_around_a_body_keeps_the_momenta_of_both() -> None:
    """Unsymmetric added mass: what the body and the water have together in the world, where nothing else acts."""
    M = np.diag([0.03, 0.02, 0.05, 2.0, 3.0, 5.0]) + 0.01
    m = vv.Mechanism("hull")
    body = m.body("hull", mass=1.5, inertia=(0.1, 0.2, 0.25), at=(0, 0, 0), twist=(1.0, 2.0, -1.0, 0.5, 1.0, -0.3))
    m.box("water", boxes.added_mass(M), {"p": (body, "body")})
    gaps = []
    for h in (4e-3, 2e-3):
        run = run_of(m, 0.08, h)
        J, R, r = np.diag([0.1, 0.2, 0.25, 1.5, 1.5, 1.5]), run["hull.R"], run["hull.r"]
        P = np.einsum("ij,nj->ni", J + M, run["hull.twist"])
        p = np.einsum("nij,nj->ni", R, P[:, 3:])
        L = np.einsum("nij,nj->ni", R, P[:, :3]) + np.cross(r, p)
        gaps.append(max(np.abs(one - one[0]).max() for one in (p, L)))
        turned = np.abs(run["hull.twist"] - run["hull.twist"][0]).max()
    assert turned > 0.03
    assert gaps[0] < 1e-3
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.2)


def test_drag_and_added_mass_say_what_numbers_they_take() -> None:
    with pytest.raises(vv.ModelError, match=r"D of a drag must be \(3, 3\) or \(6, 6\).*got shape \(2, 2\)"):
        boxes.drag(np.eye(2))
    with pytest.raises(vv.ModelError, match="D of a drag must be positive semidefinite"):
        boxes.drag(-np.eye(3))
    with pytest.raises(vv.ModelError, match=r"M of an added mass must be positive definite; .* is 0"):
        boxes.added_mass((1, 1, 1, 1, 1, 0))
