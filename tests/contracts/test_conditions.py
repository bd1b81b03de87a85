"""Laws of conditions, over each kind of them and each scheme."""

import dataclasses

import coupled_mechanisms
import numpy as np
import pytest

import visviva as vv
from visviva.mechanism.coupling import Coupling
from visviva.testing import check_condition

every = pytest.mark.parametrize(
    "build", coupled_mechanisms.MECHANISMS.values(), ids=coupled_mechanisms.MECHANISMS.keys()
)
SCHEMES = {
    "PHMP": vv.PHMP(),
    "PHMP in NumPy": vv.PHMP(compiled=False),
    "PHMPGGL": vv.PHMPGGL(),
    "LieMidpoint": vv.LieMidpoint(),
    "LieMidpoint in NumPy": vv.LieMidpoint(compiled=False),
}
each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES.keys())


@every
def test_the_contract_of_conditions(build):
    check_condition(*build())


@dataclasses.dataclass(frozen=True, eq=False)
class Midpoint:
    """The gradient at the mean in place of the rows between both ends."""

    inner: Coupling

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def C(self, q0, q1):
        mean = 0.5 * (q0 + q1)
        return self.inner.C(mean, mean)


def test_a_gradient_at_the_mean_is_rejected():
    m, part = coupled_mechanisms.gears()
    with pytest.raises(AssertionError, match="increment"):
        check_condition(m, Midpoint(part))


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length, some in NumPy
@every
@each_scheme
def test_energy_and_positions_are_exact_at_any_step_size(build, scheme):
    m, part = build()
    for h in (0.01, 0.05):
        run = vv.simulate(m, 20 * h, h, integrator=scheme)
        audit = run.audit()
        assert audit.first_law <= 1e-13
        assert audit.g <= 1e-13
        assert audit.heat_flows_forward
        if "g_v" in scheme.preserves:
            assert audit.g_v <= 5e-14
    assert np.isfinite(run[f"{part.name}.reaction"]).all()


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # some of it has no compiled form
@each_scheme
def test_a_free_screw_keeps_its_momentum(scheme):
    m, _ = coupled_mechanisms.screw()
    P = vv.simulate(m, 1.0, 0.01, integrator=scheme)["momentum"]
    assert np.abs(P - P[0]).max() <= 1e-14 * np.abs(P).max()
