"""Rows on the level of velocities: nonholonomic and driven ones, with the power that a drive takes."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.geometry.embedding import SE2_SPACE, Flat, origin
from visviva.model import (
    Dissipation,
    Kinetic,
    Model,
    Port,
    QuadraticEnergy,
    Routing,
    RowKind,
    Rows,
    Variable,
    canonical,
)
from visviva.testing import check_model


def driven_mass():
    """A mass on a spring and a damper whose velocity is prescribed: v - u = 0."""
    return Model(
        "driven",
        (Variable("q", Flat(1)), Variable("v", Flat(1))),
        (QuadraticEnergy("spring", "q", np.array([[3.0]])), Kinetic("mass", "v", np.array([[2.0]]))),
        (
            canonical("pair", "q", "v", 1),
            Dissipation("damper", ("v",), np.array([[0.5]])),
            Rows("edge", ("v",), 1, np.array([[1.0]]), kind=RowKind.DRIVEN),
            Port("drive", ("edge",), 1, np.array([[-1.0]])),
        ),
    )


def test_a_drive_prescribes_the_velocity_and_its_work_is_accounted_for():
    start = {"q": 0.0, "v": np.sin(0.0)}
    run = vv.simulate(
        driven_mass(), t_end=2.0, h=0.01, integrator=vv.DiscreteGradient(), initial=start,
        inputs={"drive": lambda t: np.sin(3 * t)},
    )  # fmt: skip
    assert run.audit().ok
    np.testing.assert_allclose(run["v"][:, 0], np.sin(3 * run.t), atol=1e-12)
    force = 2.0 * 3 * np.cos(3 * run.t_mid) + 3.0 * (1 - np.cos(3 * run.t_mid)) / 3 + 0.5 * np.sin(3 * run.t_mid)
    np.testing.assert_allclose(run["drive.power"], force * np.sin(3 * run.t_mid), atol=1e-3)
    np.testing.assert_allclose(run["drive.flow"][:, 0], force, atol=1e-3)
    assert (driven_mass().kinds) == (("edge", RowKind.DRIVEN),)


def test_a_driven_model_is_a_model():
    check_model(driven_mass(), np.array([0.3, 0.7]))
    check_model(knife_edge(), np.concatenate([origin(SE2_SPACE), [2.0, 1.0, 0.0]]))


def knife_edge():
    """Chaplygin sleigh M8: m = 1, J = 0.5 about the centre of mass, blade at distance a = 0.4 behind it."""
    m, J, a = 1.0, 0.5, 0.4
    M = np.array([[J + m * a**2, 0, m * a], [0, m, 0], [m * a, 0, m]])  # about the blade: (ω, v_x, v_y)

    def gyroscopic(V):
        P = V @ M
        G = np.zeros((*V.shape[:-1], 3, 3))
        G[..., 0, 1], G[..., 1, 0] = -P[..., 2], P[..., 2]
        G[..., 0, 2], G[..., 2, 0] = P[..., 1], -P[..., 1]
        return G

    return Model(
        "sleigh",
        (Variable("pose", SE2_SPACE), Variable("V", Flat(3))),
        (Kinetic("sleigh", "V", M),),
        (
            canonical("kinematics", "pose", "V", 3),
            Routing("gyroscope", ("V",), gyroscopic, ("V",)),
            Rows("blade", ("V",), 1, np.array([[0.0, 0.0, 1.0]])),
        ),
    )


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # some of it has no compiled form
def test_the_chaplygin_sleigh():
    """M8: ω(3) = 0.0817319482, v(3) = 1.9067226139, E = 1.82, order 2."""
    errors = []
    for h in (0.02, 0.01):
        start = {"pose": origin(SE2_SPACE), "V": (2.0, 1.0, 0.0)}
        run = vv.simulate(knife_edge(), t_end=3.0, h=h, integrator=vv.DiscreteGradient(), initial=start)
        np.testing.assert_allclose(run["energy"], 1.82, rtol=1e-12)
        assert np.abs(run["V"][:, 2]).max() < 1e-12
        errors.append(np.abs(run["V"][-1, :2] - (0.0817319482, 1.9067226139)).max())
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.2)


def test_a_port_acts_on_what_is_there():
    with pytest.raises(vv.ModelError, match="'drive' of model 'm' acts on 'edge', which is not there"):
        Model("m", (Variable("v", Flat(1)),), (), (Port("drive", ("edge",), 1, np.eye(1)),))


def test_the_default_scheme_says_that_it_cannot_be_driven_so():
    with pytest.raises(vv.ModelError, match="PHMP integrates models in director form"):
        vv.simulate(driven_mass(), t_end=1.0, h=0.1, integrator=vv.PHMP(), initial={"q": 0.0, "v": 0.0})
