"""The benchmarks run, and measure what they say; nothing here depends on how fast."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import visviva as vv

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import cells, report  # noqa: E402
from benchmarks.__main__ import MODULES, main  # noqa: E402
from benchmarks.row import Row, against, duration  # noqa: E402
from benchmarks.steps import Steps  # noqa: E402
from benchmarks.work_precision import Curve, curves  # noqa: E402

NAMES = [module.__name__.rpartition(".")[2] for module in MODULES]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "latency"])  # which compiles for half a minute
def test_a_benchmark_prints_its_table_and_keeps_it_for_the_page(name, tmp_path, capsys):
    main([name, "--quick", "--docs", str(tmp_path)])
    printed, kept = capsys.readouterr().out, (tmp_path / f"performance_{name}.txt").read_text(encoding="utf-8")
    assert len(printed.splitlines()) >= 3
    assert re.match(r"\| measured \| visviva \|", kept)
    assert (tmp_path / "performance_work_precision.svg").exists() == (name == "work_precision")


@pytest.mark.slow
def test_the_benchmark_of_waiting_runs(tmp_path):
    main(["latency", "--quick", "--docs", str(tmp_path)])
    assert len((tmp_path / "performance_latency.txt").read_text(encoding="utf-8").splitlines()) > 4


def test_an_unknown_benchmark_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["lin"])
    assert "there is no benchmark 'lin'; there are: line," in capsys.readouterr().err


def test_peers_solve_the_equations_of_the_model():
    x = cells.start(5)
    model = cells.line(5)
    np.testing.assert_allclose(cells.right_hand_side(0.0, x), vv.rhs(model)(0.0, x), rtol=1e-12, atol=1e-14)
    assert len(model.storages) + len(model.structures) == cells.components(5)


def test_peers_know_where_the_derivative_is_zero():
    x, d = cells.start(4), 1e-6
    columns = [
        cells.right_hand_side(0.0, x + d * unit) - cells.right_hand_side(0.0, x - d * unit) for unit in np.eye(12)
    ]
    found = np.abs(np.array(columns).T) > 1e-12
    assert (found == (cells.pattern(4) > 0)).all()
    assert np.abs(np.subtract(*np.nonzero(found))).max() <= 4  # the band that LSODA is told


def test_schemes_and_peers_go_to_the_same_state():
    assert {curve.name for curve in curves(quick=True) if not min(curve.errors) < 0.02} == set()


def test_time_at_an_error_lies_on_the_line_between_neighbours():
    curve = Curve("", (1e-2, 1e-4, 1e-6), (1.0, 4.0, 16.0))
    assert curve.time(1e-3) == pytest.approx(2.0)
    assert curve.time(1e-6) == pytest.approx(16.0)
    assert np.isnan(curve.time(1e-7))


def test_steps_that_were_not_made_are_no_result(monkeypatch):
    steps = Steps(cells.line(1), vv.DiscreteGradient(), {"q0": 0.1, "p0": 1.0, "s0": 0.0}, 1e-3)
    advance = steps.stepping.advance
    monkeypatch.setattr(steps.stepping, "advance", lambda state, n: advance(state, n - 1))
    with pytest.raises(RuntimeError, match="only 2 of 3 steps were made"):
        steps(3)


def test_a_row_has_units_and_a_ratio():
    assert [duration(t) for t in (12.34, 0.1234, 5e-8, 1e-12)] == ["12.3 s", "123 ms", "50.0 ns", "0.00100 ns"]
    assert against("a step", 2e-6, "NumPy", 1e-3).cells == ("a step", "2.00 µs", "NumPy: 1.00 ms", "500 ×")


def test_a_table_of_a_page_has_no_empty_columns():
    assert list(report.markdown([Row("a", "1 s")])) == ["| measured | visviva |", "| --- | --- |", "| a | 1 s |"]
