"""The same conditions for every test: one thread, no display, the same examples at every run."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Before NumPy is imported. With many threads the sums of BLAS, and so the last digits, depend on the machine.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")
os.environ["MPLBACKEND"] = "Agg"

gc.set_threshold(50_000, 20, 20)  # garbage in circles is rare here: to look for it often is a tenth of the time

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],  # it measures the machine, not the test
)
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("ci")  # `pytest --hypothesis-profile=explore` takes the other


def pytest_collection_modifyitems(items):
    """What measures orders, drifts and laws does so with steps of any length: these runs are warned of, rightly."""
    for item in items:
        if item.get_closest_marker("slow") or item.path.parent.name == "verification":
            item.add_marker(pytest.mark.filterwarnings("ignore::visviva.RunWarning"))


def pytest_collection_finish():
    """What all tests share stays, and is not looked through for garbage again and again."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """Neighbours run in one process, which has built and compiled what they share: `pytest -n 2` is `worksteal`."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(autouse=True)
def close_figures():
    """No test sees the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
