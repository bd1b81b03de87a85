"""Compiled steps that keep the rates of constraints: the matrix of a step, loops, continuation, what they count."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_machine import TREES, chain

import visviva as vv
from visviva.compiler.elimination import both_levels, sparse_pattern
from visviva.geometry import SO3
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state
from visviva.results.accounts import Accounts

GGL = vv.PHMPGGL()


def every_joint(damping=0.0):
    """A row of bodies with one joint of each kind, told from parent to child and back, and a spring between two."""
    m = vv.Mechanism("every joint", gravity=(1.0, 2.0, -9.81))
    rng, above = np.random.default_rng(1), m.ground
    kinds = {
        "revolute": {"axis": (0.2, 1, 0.3)}, "prismatic": {"axis": (0.2, 1, 0.3)}, "cylindrical": {"axis": (1, 0, 0.3)},
        "universal": {"axes": ((1, 0, 0), (0, 1, 0))}, "spherical": {}, "planar": {"normal": (0.2, 1, 0.3)},
        "fixed": {}, "point_on_plane": {"normal": (0.2, 1, 0.3)}, "point_on_line": {"axis": (0.2, 1, 0.3)},
    }  # fmt: skip
    for k, (kind, options) in enumerate(kinds.items()):
        R = SO3.exp(rng.normal(size=3)).R
        body = m.body(f"b{k}", mass=1 + 0.1 * k, inertia=(0.2, 0.25, 0.3), at=(k + 0.5, 0.3 * k, 0.1), rotation=R)
        ends = (above, body) if k % 2 == 0 else (body, above)
        getattr(m, kind)(f"j{k}", *ends, at=(k, 0.2, 0.3), **options)
        above = body
    m.distance("rod", "b0", "b8", at_a=(0.5, 1.0, 0.2), at_b=(9.0, 2.0, 0.4))
    m.spring("spring", "b1", "b4", k=30.0, length=1.0, damping=damping)
    return m


def stepper(m, h=0.01, along_tree=None):
    model = vv.compile(m, "directors")
    state, _ = start_state(model, None, GGL, lambda _: np.zeros(0))
    return MachineStepper(model, vv.Newton(), state, h, along_tree=along_tree, rates=True), state


def residual(steps, h, y):
    """Rows of both levels at the unknowns y; the matrix of a step is evaluated there, too."""
    from visviva.kernels.multibody.advance import trial
    from visviva.kernels.multibody.ggl_tables import KIN_T
    from visviva.kernels.multibody.tables import FORCE

    machine, level = steps.c.machine, steps.level
    trial(
        machine,
        steps.c.elements,
        steps.losses,
        steps.conditions,
        steps.boxes,
        steps.s,
        steps.sparse,
        level,
        np.zeros(steps.inputs),
        h,
        y,
    )
    kinematics, momentum = level.B[:-1, KIN_T : KIN_T + 6], machine.B[:-1, FORCE : FORCE + 6]
    return np.concatenate([kinematics.ravel(), machine.gap, momentum.ravel(), level.gap])


@pytest.mark.parametrize("seed", range(2))
def test_the_matrix_of_a_step_is_the_derivative_of_its_rows(seed):
    """At unknowns and director velocities drawn at random, against central differences, every joint and a spring."""
    from visviva.kernels.multibody.tables import SPIN, VEL

    h, rng = 0.05, np.random.default_rng(seed)
    steps, _ = stepper(every_joint(), h)
    bodies, k = steps.c.machine.B[:-1], steps.c.unknowns - len(steps.c.w)
    bodies[:, SPIN : SPIN + 9] = rng.normal(size=(len(bodies), 9))
    bodies[:, VEL : VEL + 3] = rng.normal(size=(len(bodies), 3))
    y = rng.normal(size=steps.unknowns)
    residual(steps, h, y)
    matrix = np.zeros((len(y), len(y)))
    rows, cols, chosen = both_levels(sparse_pattern(steps.c, steps.s), steps.c, steps.s)
    np.add.at(matrix, (rows, cols), steps.level.V[chosen])
    slopes = [(residual(steps, h, y + d) - residual(steps, h, y - d)) / 2e-6 for d in 1e-6 * np.eye(len(y))]
    exact = np.array(slopes).T
    lam, gam = slice(k, steps.c.unknowns), slice(steps.c.unknowns + k, None)
    exact[:, lam], exact[:, gam] = exact[:, gam], exact[:, lam] / h  # the matrix has them the other way, and Λ = h λ
    assert_allclose(matrix, exact, rtol=0, atol=1e-8 * np.abs(exact).max())


def flying():
    """Three bodies that nothing holds."""
    m = vv.Mechanism("flying")
    m.body("a", mass=2.0, inertia=(0.2, 0.3, 0.4), twist=(1.0, 2.0, 3.0, 0.1, 0.2, 0.3))
    m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.15), at=(1, 0, 0))
    m.body("c", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(0, 1, 0))
    m.universal("ab", "a", "b", at=(0.5, 0, 0), axes=((0, 1, 0), (0, 0, 1)), rate=(1.0, 2.0))
    m.revolute("ac", "a", "c", at=(0, 0.5, 0), axis=(1, 0, 1), rate=4.0)
    return m


@pytest.mark.parametrize("name", [*TREES, "flying"])
def test_both_levels_are_eliminated_alike_along_the_tree_and_as_a_sparse_matrix(name):
    """Trees of every joint that holds a point, on the ground and free, and a loop, whose rows are a border."""
    runs = []
    for along_tree in (True, False):
        steps, state = stepper(TREES.get(name) or flying(), along_tree=along_tree)
        assert (steps.sparse is None) is along_tree
        assert len(steps.level.border.rows) == (3 if name == "loop" and along_tree else 0)
        runs.append(steps.many(state, 0.01, np.zeros((60, 1, 0))))
    tree, sparse = runs
    assert tree.steps == sparse.steps == 60
    assert_allclose(tree.x, sparse.x, rtol=0, atol=1e-10)
    assert_allclose(tree.w, sparse.w, rtol=0, atol=1e-8 * np.abs(sparse.w).max())
    assert_allclose(tree.gam, sparse.gam, rtol=0, atol=1e-8 * np.abs(sparse.gam).max())
    assert abs(tree.iterations.sum() - sparse.iterations.sum()) <= 0.1 * sparse.iterations.sum()


def test_every_joint_is_compiled_and_agrees_with_the_plain_steps(monkeypatch):
    m = every_joint(damping=0.5)
    plain = vv.simulate(m, t_end=0.2, h=0.01, integrator=vv.PHMPGGL(compiled=False))
    with monkeypatch.context() as patch:
        patch.setattr(vv.PHMPGGL, "prepare", None)
        run = vv.simulate(m, t_end=0.2, h=0.01, integrator=GGL)
    assert_allclose(run.record.x, plain.record.x, rtol=0, atol=1e-11 * np.abs(plain.record.x).max())
    joints = [k for k, (name, _) in enumerate(run.model.kinds) if not name.startswith("b")]
    lam, gam = plain.final.w[joints], plain.final.gam[joints]
    assert np.abs(gam).max() > 1e-6
    assert_allclose(run.final.w[joints], lam, rtol=0, atol=1e-9 * np.abs(lam).max())
    assert_allclose(run.final.gam[joints], gam, rtol=0, atol=1e-8 * np.abs(gam).max())


@pytest.mark.parametrize("scheme", [GGL, vv.Suzuki4(GGL)], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("m", [TREES["balls"], TREES["loop"], every_joint()], ids=lambda m: m.name)
def test_a_run_that_keeps_rates_continues_bit_for_bit(m, scheme):
    whole = vv.simulate(m, t_end=0.3, h=0.01, integrator=scheme)
    first = vv.simulate(m, t_end=0.13, h=0.01, integrator=scheme)
    rest = vv.simulate(m, t_end=0.3, h=0.01, integrator=scheme, initial=first.final)
    assert_array_equal(whole.record.x[-1], rest.record.x[-1])
    assert_array_equal(whole.record.w_mid[-1], rest.record.w_mid[-1])
    assert_array_equal(whole.final.gam, rest.final.gam)


@pytest.mark.parametrize("name", TREES)
def test_what_these_steps_count_is_what_their_states_say(name):
    """Energies, constraints and their rates."""
    steps, state = stepper(TREES[name])
    chunk = steps.many(state, 0.01, np.zeros((20, 1, 0)))
    accounts = Accounts(steps.model, state.x)
    counted, read = (
        accounts._of_tallies(chunk.x, chunk.u, chunk.tallies),
        accounts._of_states(chunk.x, chunk.u, chunk.w),
    )
    changes = [one["H"] - one["H"][0] for one in (counted, read)]  # energies count from any zero
    for one, two, key in ((*changes, "H"), (counted["scale"], read["scale"], "scale")):
        assert_allclose(one, two, rtol=0, atol=1e-13 * counted["terms"].max(), err_msg=key)
    assert_allclose(np.log2(counted["terms"] / read["terms"]), 0, atol=2)  # sizes of vectors: sums, or entry by entry
    assert counted["g"].max() <= 1e-14
    assert counted["g_v"].max() <= 1e-14
    assert read["g_v"].max() <= 1e-14


def test_five_substeps_in_compiled_code_are_those_in_numpy():
    m = TREES["mixed"]
    runs = [vv.simulate(m, t_end=0.2, h=0.02, integrator=vv.Suzuki4(vv.PHMPGGL(compiled=own))) for own in (True, False)]
    assert_allclose(runs[0].record.x, runs[1].record.x, rtol=0, atol=1e-10)
    assert_allclose(runs[0].final.gam[runs[0].final.gam != 0], runs[1].final.gam[runs[0].final.gam != 0], atol=1e-9)


def test_a_mechanism_at_rest_stays_at_rest():
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), at=(0, 0, -0.5))
    m.revolute("pivot", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    run = vv.simulate(m, t_end=1.0, h=0.01, integrator=GGL)
    assert np.abs(run["rod.r"] - [0, 0, -0.5]).max() <= 1e-14
    assert_allclose(np.linalg.norm(run["pivot.reaction_mid"][:, 3:], axis=1), 9.81, rtol=1e-12)


def test_recording_less_changes_nothing():
    m = TREES["hinges"]
    full = vv.simulate(m, t_end=0.2, h=0.01, integrator=GGL)
    some = vv.simulate(m, t_end=0.2, h=0.01, integrator=GGL, record=("rod0.r", "energy*"), every=5)
    assert_array_equal(some["rod0.r"], full["rod0.r"][::5])
    assert some.audit().first_law == full.audit().first_law


def test_a_failing_step_that_keeps_rates_names_the_joint_or_the_body():
    scheme = vv.PHMPGGL(newton=vv.Newton(max_iterations=1))
    with pytest.raises(
        vv.ConvergenceError, match=r"worst in the (balance of momentum of 'rod\d'|holonomic row of 'joint\d')"
    ):
        vv.simulate(chain("spherical", "spherical"), t_end=1.0, h=0.5, integrator=scheme)
