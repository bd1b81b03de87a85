"""The director schemes against stored trajectories of an independent program, constraint tensors taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from visviva.geometry.embedding import Flat
from visviva.model import Kinetic, Linear, Model, Port, Variable, canonical
from visviva.model.body import PosePort
from visviva.model.holonomic import Holonomic

DATA = Path(__file__).parent.parent / "data"
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Functions:
    """½ q·A q + b·q + c, as `geometry.quadratic.Quadratic` has them of products, from stored matrices."""

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @property
    def m(self):
        return len(self.c)

    def turn(self, v):
        return np.einsum("kij,...j->...ki", self.A, v)

    def gradient(self, q):
        return self.turn(q) + self.b

    def value(self, q):
        return ((0.5 * self.turn(q) + self.b) @ q[..., None])[..., 0] + self.c

    def magnitude(self, q):
        size = np.abs(q)
        bent = np.einsum("kij,...j->...ki", np.abs(self.A), size)
        return ((0.5 * bent + np.abs(self.b)) @ size[..., None])[..., 0] + np.abs(self.c)


def model_of(data):
    """The stored system as a Model: one variable for all coordinates, one constraint for all rows."""
    n = data["q"].shape[1]
    space = Flat(n)

    def load_matrix(q):  # the wrench acts on the first body
        first = PosePort("load", (), (), Flat(12)).B(q[..., :12])
        return np.concatenate([first, np.zeros((*q.shape[:-1], n - 12, 6))], axis=-2)

    return Model(
        "stored",
        (Variable("q", space), Variable("v", space)),
        (Kinetic("bodies", "v", np.diag(data["Mdiag"])), Linear("bodies", "q", data["dV"])),
        (
            canonical("kinematics", "q", "v", n),
            Holonomic("rows", ("q",), ("v",), Functions(data["A"], data["b"], data["c"]), (space,)),
            Port("load", ("v",), 6, load_matrix, ("q",)),
        ),
    )


def ramp(t):
    """Moment 6 f and force 8 f along x on the first bar, f rising to 100 at 0.5 s and falling to 0 at 1 s."""
    f = max(0.0, 200 * t if t <= 0.5 else 200 * (1 - t))
    return np.array([6 * f, 0, 0, 8 * f, 0, 0])


def simulated(name):
    data = np.load(DATA / f"{name}.npz")
    scheme = vv.PHMPGGL() if "_ggl_" in name else vv.PHMP()
    run = vv.simulate(
        model_of(data),
        t_end=float(data["t_end"]),
        h=float(data["h"]),
        integrator=scheme,
        initial={"q": data["q"][0], "v": data["v"][0]},
        inputs={"load": ramp} if "four_bar" in name else None,
        every=int(data["every"]),
    )
    return data, run


NAMES = sorted(path.stem for path in DATA.glob("*_h*.npz"))


def test_all_references_are_there():
    assert len(NAMES) == 9


@pytest.mark.parametrize("name", NAMES)
def test_stored_trajectory(name):
    data, run = simulated(name)
    audit = run.audit()
    bound = 1e-8 if name == "slider_crank_mp_h0.02" else 1e-10  # that motion makes 3e-9 of a rounding at its start
    np.testing.assert_allclose(run["q"], data["q"], rtol=0, atol=bound)
    np.testing.assert_allclose(run["v"], data["v"], rtol=0, atol=3 * bound * np.abs(data["v"]).max())
    np.testing.assert_allclose(
        run.record.w_mid, data["lam_mid"], rtol=0, atol=10 * bound * np.abs(data["lam_mid"]).max()
    )
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-13
    assert audit.g <= 1e-13
    if "_ggl_" in name:
        assert audit.g_v <= 1e-12


@pytest.mark.parametrize(
    ("name", "E", "L"),
    [
        ("cylindrical_pair_mp_h0.001", 107604.71875, (964.25, -1028.625, 1950)),
        ("cylindrical_pair_ggl_h0.001", 107604.71875, (964.25, -1028.625, 1950)),
        ("cylindrical_pair_printed_signs_mp_h0.001", 110904.71875, (2335.75, 1028.625, -1950)),
    ],
)
def test_energy_and_angular_momentum_of_the_flying_pair(name, E, L):
    data, run = simulated(name)
    np.testing.assert_allclose(run["energy"], E, rtol=1e-13)
    q, p = (run[key].reshape(len(run.t), -1, 3) for key in ("q", "v"))
    momenta = np.cross(q, data["Mdiag"].reshape(-1, 3) * p).sum(1)
    np.testing.assert_allclose(momenta, np.broadcast_to(L, momenta.shape), rtol=1e-12)


@pytest.mark.parametrize("scheme", ["mp", "ggl"])
def test_the_loaded_four_bar_takes_up_exactly_the_work(scheme):
    _, run = simulated(f"four_bar_{scheme}_h0.1")
    gained = run["energy"] - run["energy"][0]
    np.testing.assert_allclose(gained, run["work"], rtol=0, atol=1e-12 * run["work"].max())
    after = run["energy"][run.t > 1.05]
    np.testing.assert_allclose(after, after[0], rtol=1e-13)


def test_exact_energy_is_no_proof_of_accuracy():
    """PH-MP at h = 0.02 keeps the energy of the slider-crank and violates the rates of its constraints: a warning."""
    _, run = simulated("slider_crank_mp_h0.02")
    audit = run.audit()
    assert audit.ok
    assert np.abs(run["g_v"]).max() > 1
    assert any("step is too large" in warning for warning in audit.warnings)
    assert not any("too large" in warning for warning in simulated("slider_crank_ggl_h0.02")[1].audit().warnings)


def test_published_errors_of_the_flying_pair():
    """RMS error of q at t = 0.02 against h = 1e-5, section 7.1: 4.1974e-2, 4.8061e-4 for h = 1e-2, 1e-3."""
    data = np.load(DATA / "cylindrical_pair_mp_h0.001.npz")
    start = {"q": data["q"][0], "v": data["v"][0]}

    def end(h):
        return vv.simulate(model_of(data), t_end=0.02, h=h, integrator=vv.PHMP(), initial=start)["q"][-1]

    exact = end(1e-5)
    for h, error in ((1e-2, 4.1974e-2), (1e-3, 4.8061e-4), (1e-4, 4.7656e-6)):
        assert np.sqrt(np.mean((end(h) - exact) ** 2)) == pytest.approx(error, rel=1e-3)
