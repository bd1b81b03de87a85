"""A reset of a tree is the state that all its parts give one by one, to the last bit."""

import numpy as np
import pytest

import visviva as vv
from visviva.compiler import compile
from visviva.geometry import SE3
from visviva.integrate.start import start_state
from visviva.library.joints import Revolute
from visviva.mechanism.assembly import motion_of, prepared_states
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.parts import Body

JOINTS = {
    "revolute": {"axis": (1, 0, 1)},
    "prismatic": {"axis": (0, 1, 1)},
    "cylindrical": {"axis": (1, 1, 1)},
    "universal": {"axes": ((0, 1, 0), (0, 0, 1))},
    "spherical": {},
    "planar": {"normal": (0, 0, 1)},
    "point_on_plane": {"normal": (0, 0, 1)},
    "point_on_line": {"axis": (0, 0, 1)},
}


def tree():
    """One joint of each kind in a row, one with its parent below, a particle, and a body that is welded on."""
    m = vv.Mechanism("tree")
    above = m.ground
    for k, (kind, options) in enumerate(JOINTS.items()):
        body = m.body(
            f"b{k}", mass=1.3, inertia=(0.1, 0.2, 0.15), at=(0.4 * k + 0.4, 0.1 * k, -0.2), com=(0.03, 0, 0.1)
        )
        ends = (body, above) if kind == "prismatic" else (above, body)
        getattr(m, kind)(kind, *ends, at=(0.4 * k + 0.2, 0.1 * k, 0.05), **options)
        above = body
    m.fixed("weld", above, m.body("plate", mass=0.4, inertia=(0.1, 0.1, 0.1), at=(4, 1, 0)))
    m.spherical("hook", "b1", m.particle("bob", mass=0.3, at=(1, 1, 1)), at=(1, 1, 1))
    return m


def by_names(m, rng):
    plain = list(prepared_states(m)._plain)
    given = {name: 3.0 * float(rng.normal()) for name in rng.permutation(plain)[: 1 + rng.integers(len(plain))]}
    return given | {"spherical.q": rng.normal(size=4), "spherical.rate": rng.normal(size=3)}


def slow_x(model, motion):
    """Each variable by itself, velocities of directors body by body, with all checks of `Model.pack`."""
    values = {f"{name}.q": q.tolist() for name, q in motion.q.items()}
    for part in model.definition.bodies:
        V = motion.V[part.name]
        lifts = model.form == "directors" and isinstance(part, Body)
        values[f"{part.name}.v"] = (lifted(motion.q[part.name], V) if lifts else V).tolist()
    return model.pack(values)


def lifted(q, V):
    """d_i moves with (Q ω) x d_i, Q = R⁻ᵀ: column by column."""
    R = POSES.rotation(q)
    Q, N = np.linalg.inv(R).T, np.zeros((12, 6))
    N[:3, 3:] = np.eye(3)
    for i, (x, y, z) in enumerate(R.T):
        N[3 * i + 3 : 3 * i + 6, :3] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ Q
    return np.einsum("ij,j->i", N, V)


@pytest.mark.parametrize("form", ["lie", "directors"])
def test_a_reset_is_the_state_that_its_parts_give_one_by_one(form):
    m, rng = tree(), np.random.default_rng(4)
    model, scheme, d = compile(m, form), vv.PHMP(), vv.dynamics(m)
    built = d.form.coordinates(m.assemble()[0]).q
    pairs = [(d.integrate(built, rng.normal(size=d.nv)), moving * rng.normal(size=d.nv)) for moving in (0.0, 1.0)]
    for given in [*(by_names(m, rng) for _ in range(5)), *pairs, {"revolute.q": 0.3}]:
        state, notes = start_state(model, given, scheme, lambda _: np.zeros(0))
        np.testing.assert_allclose(state.x, slow_x(model, motion_of(m, given)), rtol=1e-14, atol=1e-14)
        assert state.active.all()
        assert not notes


def test_a_hinge_turns_by_the_exponential_of_its_twist():
    q = np.array([0.0, 1e-200, -1e-9, 0.3, -2.0, np.pi, 40.0, 1e9])[:, None]
    X, expected = Revolute().X_PC(q), SE3.exp(q @ np.eye(6)[2:3])
    np.testing.assert_allclose(X.R, expected.R, rtol=0, atol=4e-16)
    assert np.array_equal(X.r, expected.r)
    assert np.array_equal(Revolute().S(q), np.tile(np.eye(6)[:, 2:3], (len(q), 1, 1)))


def test_a_mechanism_that_grows_is_reset_with_all_its_parts():
    m = vv.Mechanism("arm")
    m.revolute("h0", m.ground, m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0)), axis="y", at=(0, 0, 0))
    before = vv.Simulator(m, h=1e-3)
    before.reset({"h0.q": 0.3})
    size = len(before.state.x)
    m.revolute("h1", "a", m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(2, 0, 0)), axis="y", at=(1.5, 0, 0))
    m.torsion("spring", "h1", k=2.0)
    after = vv.Simulator(m, h=1e-3)
    after.reset({"h0.q": 0.3, "h1.q": 0.2})
    assert after["h1.q"] == pytest.approx(0.2)
    assert "spring.angle" in after.state.places
    before.reset({"h0.q": 0.3})
    assert len(before.state.x) == size
    with pytest.raises(vv.ModelError, match=r"no state 'h1\.q'"):
        before.reset({"h1.q": 0.2})


def test_numbers_without_end_are_refused():
    m = vv.Mechanism("arm")
    m.revolute("h", m.ground, m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0)), axis="y", at=(0, 0, 0))
    sim = vv.Simulator(m, h=1e-3)
    with pytest.raises(vv.ModelError, match="must be finite"):
        sim.reset({"h.q": np.nan})
    with np.errstate(all="ignore"), pytest.raises(vv.ModelError, match="no finite value where the run starts"):
        sim.reset({"h.rate": 1e200})
