"""Trajectories of equations by hand: names, times between nodes, tables and pictures."""

import csv

import numpy as np
import pytest

import visviva as vv

FLOW = vv.HandFlow(
    lambda t, q, v: -q, 1, energy=lambda q, v: 0.5 * (q @ q + v @ v), names=("place", "speed"), name="osc"
)


@pytest.fixture(scope="module")
def run():
    return vv.simulate(FLOW, 2.0, 0.1, initial=([1.0], [0.0]), every=2)


def test_quantities_have_names(run):
    assert set(run.names) >= {"t", "q", "xi", "energy", "power", "place", "speed"}
    assert np.array_equal(run["place"], run["q"][:, 0])
    with pytest.raises(vv.ModelError, match=r"the run of 'osc' has no 'plaec'\. Did you mean 'place'"):
        run["plaec"]


@pytest.mark.parametrize("scheme", [None, vv.Gauss8(), vv.Relaxed()], ids=repr)
def test_values_between_nodes_have_the_order_of_the_scheme(scheme):
    run = vv.simulate(FLOW, 2.0, 0.1, initial=([1.0], [0.0]), integrator=scheme, every=3)
    assert run.at(1.2345, "place") == pytest.approx(np.cos(1.2345), abs=1e-11)
    with pytest.raises(vv.ModelError, match="outside of t = 0 to 2 s"):
        run.at(3.0, "q")


def test_tables_read_back(run, tmp_path):
    run.to_csv(tmp_path / "run.csv", "place", "energy")
    rows = list(csv.reader((tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["t [s]", "place", "energy"]
    assert [float(row[1]) for row in rows[1:]] == run["place"].tolist()


def test_pictures_are_saved(run, tmp_path):
    import matplotlib.pyplot as plt

    plt.close(run.plot("q", tmp_path / "q.png"))
    assert (tmp_path / "q.png").stat().st_size > 1000


def test_a_run_that_fails_carries_its_valid_part():
    blow_up = vv.HandFlow(lambda t, q, v: v**2, 1, name="blow up")  # v = 1/(1 - t)
    with pytest.raises(vv.ConvergenceError, match=r"'blow up'.*could not be made") as caught:
        vv.simulate(blow_up, 2.0, 0.1, initial=([0.0], [1.0]))
    assert 0.9 < caught.value.run.t[-1] < 1.0
