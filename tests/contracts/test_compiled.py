"""Compiled steps against their plain NumPy form: residual, matrix, accounts and whole runs, for every kind of block."""

from __future__ import annotations

import re

import numpy as np
import pytest
from catalogue import flat_plate, flyers, free_pair, heavy_top, pair_with, sleeve, table, thin_arm
from compiled_models import MODELS, gyroscope, point, spring
from physics_systems import SYSTEMS as LIBRARY
from test_ephs_laws import SYSTEMS as LANGUAGE
from test_models import series_damper, spinning_body
from test_rows import driven_mass, knife_edge

import visviva as vv
from visviva.compiler import build, program
from visviva.compiler.codegen import flow_source
from visviva.compiler.flows import NotCompilable, is_flat
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.demo import four_bar
from visviva.geometry.embedding import SE2_SPACE, SE3_SPACE, SO3_SPACE, Flat, origin
from visviva.geometry.linear import apply
from visviva.integrate.collocation import TABLEAU as COLLOCATION
from visviva.integrate.collocation import EnergyCollocation
from visviva.integrate.compiled import memory
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.kernels.program import Work
from visviva.model import Dissipation, Energy, Model, Variable
from visviva.model.structure import AbstractRouting

H = 0.3  # step size, large: everything that is not linear shows
TABLEAUS = {"midpoint": MIDPOINT, "collocation": COLLOCATION}


def cases():
    """Every model with every scheme; schemes of several stages are for flat spaces."""
    for scheme, tableau in TABLEAUS.items():
        for name, (model, x) in MODELS.items():
            if tableau.stages == 1 or all(is_flat(variable.space) for variable in model.variables):
                yield pytest.param(model, x, tableau, id=f"{scheme}: {name}")


def unknowns(model, tableau, seed):
    """Rates and algebraic unknowns, with inputs: any will do, they need not solve anything."""
    random = np.random.default_rng(seed)
    width = sum(port.width for port in model.ports)
    return random.normal(size=model.layout.solved * tableau.stages), random.normal(size=(tableau.stages, width))


def compiled_step(model, tableau, x, u, h=H):
    """The compiled residual as a function of the unknowns, and its matrix."""
    from visviva.kernels.residual import MATRIX, RESIDUAL, evaluate

    c = build_program(model, tableau)
    work, idle = memory(c, 0), c.idle(np.ones(len(model.kinds), dtype=bool))
    work.x[:] = x

    def residual(y):
        work.y[:] = y
        evaluate(c.program, idle, work, u, 0.0, h, RESIDUAL)
        return work.r[: c.unknowns].copy()

    def matrix(y):
        work.y[:] = y
        evaluate(c.program, idle, work, u, 0.0, h, MATRIX)
        dense = np.zeros((c.unknowns, c.unknowns))
        dense[c.rows, c.cols] = work.V[: len(c.rows)]
        return dense

    return residual, matrix


def plain_step(model, tableau, x, y, u, h=H):
    """E ξ - flow of all stages by the matrices of the model, and the size of the terms that cancel in each row."""
    dim, solved = model.layout.dim, model.layout.solved
    by_stage = y.reshape(solved, tableau.stages).T
    xi, w = by_stage[:, :dim], by_stage[:, dim:]
    nodes = model.retract(x, h * tableau.beta @ xi)
    stages = nodes.mean(0)[None] if tableau.stages == 1 else model.retract(x, h * tableau.A @ xi)
    start, end = tableau.segments.astype(int).T
    z = tableau.W @ model.mean_z(nodes[start], nodes[end])
    z[:, dim:solved] = w
    inertia = np.zeros_like(z)
    inertia[:, :dim] = xi @ model.E(x)[:dim, :dim].T
    terms = np.abs(z)
    for variable in model.variables:
        terms[:, model.layout.z[variable.name]] += model.theta0 * variable.entropy  # θ - θ0 is rounded like θ
    matrices = np.abs(model.J(stages)) + np.abs(model.R(stages, z))
    size = np.abs(inertia) + apply(matrices, terms) + apply(np.abs(model.B(stages)), np.abs(u))
    gap = inertia - model.flow(stages, z, u)
    return gap[:, :solved].T.ravel(), size[:, :solved].T.ravel()


def check_residual(model, x, tableau, seed):
    y, u = unknowns(model, tableau, seed)
    F, size = plain_step(model, tableau, x, y, u)
    gap = np.abs(compiled_step(model, tableau, x, u)[0](y) - F) / size
    assert gap.max() <= 1e-13, f"the residual differs by {gap.max():.2g} in row {gap.argmax()}"


def differences(function, y, delta=2e-3):
    """∂F/∂y by central differences of two widths, extrapolated: their error is of order δ⁴ and eps/δ."""
    steps = delta * np.eye(len(y))
    wide, narrow = (
        np.stack([(function(y + k * step) - function(y - k * step)) / (2 * k * delta) for step in steps], -1)
        for k in (1.0, 0.5)
    )
    return (4 * narrow - wide) / 3


def check_matrix(model, x, tableau, seed):
    y, u = unknowns(model, tableau, seed)
    residual, matrix = compiled_step(model, tableau, x, u)
    expected = differences(residual, y)
    gap = np.abs(matrix(y) - expected) / np.abs(expected).max(1, keepdims=True)
    assert gap.max() <= 1e-9, f"the matrix differs by {gap.max():.2g} at {np.unravel_index(gap.argmax(), gap.shape)}"


@pytest.mark.parametrize(("model", "x", "tableau"), list(cases()))
def test_the_compiled_residual_is_the_plain_one(model, x, tableau):
    for seed in range(3):
        check_residual(model, x, tableau, seed)


@pytest.mark.parametrize(("model", "x", "tableau"), list(cases()))
def test_the_compiled_matrix_is_the_derivative_of_the_residual(model, x, tableau):
    check_matrix(model, x, tableau, seed=0)


GUARD = 64  # numbers on both sides of every array


@pytest.mark.parametrize(("model", "x", "tableau"), list(cases()))
def test_laws_stay_within_their_arrays(model, x, tableau):
    """What is written outside would change a guard; what is read there would be no number."""
    from visviva.kernels.residual import MATRIX, POWERS, RESIDUAL, ROUNDING, evaluate

    c = build_program(model, tableau)
    work, idle = memory(c, 0), c.idle(np.ones(len(model.kinds), dtype=bool))
    guarded = {name: np.full(array.size + 2 * GUARD, np.nan) for name, array in work._asdict().items()}
    views = {name: guarded[name][GUARD:-GUARD].reshape(array.shape) for name, array in work._asdict().items()}
    for name, array in work._asdict().items():
        views[name][:] = array
    y, u = unknowns(model, tableau, seed=0)
    for memories in (work, Work(**views)):
        memories.x[:], memories.y[:] = x, y
        for mode in (RESIDUAL, MATRIX, ROUNDING, POWERS):
            evaluate(c.program, idle, memories, u, 0.0, H, mode)
    for name, array in work._asdict().items():
        np.testing.assert_array_equal(views[name], array, err_msg=name)
        assert np.isnan(guarded[name][:GUARD]).all(), f"something is written before {name}"
        assert np.isnan(guarded[name][-GUARD:]).all(), f"something is written behind {name}"


# -- checkers that must refuse -------------------------------------------------------------------------------------


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """A cache of its own: nothing wrong is left on disk, and nothing is found there."""
    from visviva.kernels import cache

    monkeypatch.setenv("VISVIVA_CACHE_DIR", str(tmp_path))
    cache.root.cache_clear()
    yield
    cache.root.cache_clear()


@pytest.mark.parametrize(
    ("line", "check", "message"),
    [(r"(r\[.*\]) -= f0", check_residual, "residual differs"), (r"(V\[.*\]) -=", check_matrix, "matrix differs")],
    ids=["residual", "matrix"],
)
def test_a_flipped_sign_in_a_compiled_law_is_found(own_folder, monkeypatch, line, check, message):
    def flipped(law, stages):
        source, count = re.subn(line, lambda match: match[0].replace("-=", "+="), flow_source(law, stages), count=1)
        assert count == 1
        return source

    monkeypatch.setattr(build, "flow_source", flipped)
    monkeypatch.setattr(program, "flow_address", build.flow_address.__wrapped__)  # leaves no trace for later tests
    with pytest.raises(AssertionError, match=message):
        check(*MODELS["constant routing"], MIDPOINT, seed=0)


# -- whole runs ----------------------------------------------------------------------------------------------------


def assert_same_run(one, other, tolerance=1e-11, smallest=1e-6):
    """States and what every step did, relative to the largest value of each column; and the same notes.

    smallest: part of the largest column below which a column counts as zero.
    """
    assert (one.engine, other.engine) == ("compiled", "NumPy")
    assert one.notes == other.notes
    for name in ("x", "taken", "heat", "work", "w_mid"):
        a, b = getattr(one.record, name), getattr(other.record, name)
        gap = np.abs(a - b).max(0, initial=0.0)
        size = np.maximum(np.abs(b).max(0, initial=0.0), smallest * np.abs(b).max(initial=0.0))
        assert (gap <= tolerance * size).all(), f"{name} differs by {(gap / np.maximum(size, 1e-300)).max():.2g}"


SYSTEMS = {f"language: {name}": (*case, 0.1) for name, case in LANGUAGE.items()}
SYSTEMS |= {f"library: {name}": case for name, case in LIBRARY.items()}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("scheme", [DiscreteGradient, EnergyCollocation])
@pytest.mark.parametrize(("system", "start", "h"), SYSTEMS.values(), ids=SYSTEMS)
def test_compiled_runs_are_those_of_the_plain_form(system, start, h, scheme):
    inputs = {port.name: lambda t: 1e-3 * np.sin(3 * t / h) for port in vv.compile(system).ports}
    options = {"t_end": 10 * h, "h": h, "initial": start, "inputs": inputs}
    runs = [vv.simulate(system, integrator=scheme(compiled=flag), **options) for flag in (True, False)]
    assert_same_run(*runs)


HAND_MADE = {
    "driven rows": (driven_mass(), {"q": 0.3, "v": 0.0}, {"drive": np.sin}),
    "junction": (series_damper(), {"q": 0.5, "p": -1.0}, {}),
    "jets": (gyroscope(SE3_SPACE), {"x": point(SE3_SPACE), "v": [1.0, -0.5, 0.3]}, {"jets": [0.1, 0.2]}),
}  # fmt: skip


@pytest.mark.parametrize("name", HAND_MADE)
def test_compiled_runs_of_models_are_those_of_the_plain_form(name):
    model, start, inputs = HAND_MADE[name]
    options = {"t_end": 1.0, "h": 0.1, "initial": start, "inputs": inputs}
    runs = [vv.simulate(model, integrator=DiscreteGradient(compiled=flag), **options) for flag in (True, False)]
    assert_same_run(*runs)


NOT_TRACEABLE = {
    "knife edge": (knife_edge(), {"pose": origin(SE2_SPACE), "V": [2.0, 1.0, 0.0]}),
    "spinning body": (spinning_body(), {"R": origin(SO3_SPACE), "p": [1.0, -2.0, 0.5]}),
}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # some of it has no compiled form
@pytest.mark.parametrize(("model", "start"), NOT_TRACEABLE.values(), ids=NOT_TRACEABLE)
def test_a_model_without_expressions_runs_in_numpy_and_says_so(model, start):
    run = vv.simulate(model, t_end=0.2, h=0.1, initial=start, integrator=DiscreteGradient())
    assert run.engine == "NumPy"
    assert "cannot be traced" in run.notes[0]


@pytest.mark.parametrize("make", [lambda: pair_with(0.1), heavy_top, four_bar], ids=["pair", "heavy top", "four-bar"])
def test_mechanisms_run_the_same_with_both_forms(make):
    runs = [
        vv.simulate(make(), t_end=0.1, h=0.01, integrator=DiscreteGradient(compiled=flag)) for flag in (True, False)
    ]
    assert_same_run(*runs, tolerance=1e-9, smallest=1e-3)  # some motions are rounding, in planes that nothing leaves


# -- what has no expression ----------------------------------------------------------------------------------------


class Unknown(AbstractRouting):
    name, reads, acts = "odd", (), ("x",)

    def J(self, q):
        return np.zeros((1, 1))


def branching(q):
    return np.where(np.floor(q[..., 0]) >= 0, 1.0, 2.0) * q[..., 0] ** 2


def halves(q, e):
    return np.where(np.floor(e) >= 0, 1.0, 2.0)[..., None]


CURVE = Energy("bend", "x", branching, lambda q: np.where(q > 0, 2 * q, 4 * q))
RUB = Dissipation("rub", ("x",), halves)
NOT_COMPILABLE = {
    "unknown kind": ((spring(1),), (Unknown(),), "'odd' is of the kind Unknown, which has no expression"),
    "energy with a branch": ((CURVE,), (), "the energy of 'bend' cannot be traced: it uses np.floor"),
    "matrix with a branch": ((spring(1),), (RUB,), "the matrix of 'rub' cannot be traced: it uses np.floor"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # some of it has no compiled form
@pytest.mark.parametrize(("storages", "structures", "message"), NOT_COMPILABLE.values(), ids=NOT_COMPILABLE)
def test_what_has_no_expression_is_named_and_runs_by_the_plain_form(storages, structures, message):
    drag = Dissipation("drag", ("x",), np.eye(1))
    model = Model("odd one", (Variable("x", Flat(1)),), storages, (*structures, drag))
    with pytest.raises(NotCompilable, match=message):
        build_program(model, MIDPOINT)
    run = vv.simulate(model, t_end=1.0, h=0.1, integrator=DiscreteGradient(), initial={"x": 1.0})
    assert run.audit().ok


def test_plain_functions_that_choose_are_compiled():
    def energy(q):
        return np.where(q[..., 0] > 0, 1.0, 2.0) * q[..., 0] ** 2

    curve = Energy("bend", "x", energy, lambda q: np.where(q > 0, 2 * q, 4 * q))
    rub = Dissipation("rub", ("x",), lambda q, e: np.where(e > 0, 1.0, 2.0)[..., None])
    model = Model("bent", (Variable("x", Flat(1)),), (curve,), (rub,))
    runs = [
        vv.simulate(model, t_end=1.0, h=0.1, integrator=DiscreteGradient(compiled=compiled), initial={"x": -1.0})
        for compiled in (True, False)
    ]
    assert not runs[0].notes
    np.testing.assert_allclose(runs[0]["x"], runs[1]["x"], atol=1e-13)


def test_rotations_have_no_compiled_form_with_several_stages():
    with pytest.raises(NotCompilable, match="the variable 'x' has rotations, and the scheme has 2 stages"):
        build_program(MODELS["motion in SO3"][0], COLLOCATION)


# -- mechanisms ------------------------------------------------------------------------------------------------------


def ported_pair():
    m = pair_with(0.1)
    m.torque("motor", "h2")
    m.wrench("load", m.bodies[0], frame="world")
    return m


def driven_sleeve():
    return sleeve(driven=True)


BLOCKS = [ported_pair, heavy_top, four_bar, free_pair, thin_arm, flat_plate, driven_sleeve, table, flyers]


@pytest.mark.parametrize("make", BLOCKS)
def test_blocks_of_mechanisms_have_the_plain_residual_and_exact_derivatives(make):
    """Gyroscopic moments, joints, friction, torques and wrenches, at a state that is off every symmetry.

    Friction and torques leave out how their axis turns, which only costs iterations; without them all is exact.
    """
    from visviva.integrate.discrete_gradient import _Stepper
    from visviva.integrate.newton import Newton, difference_jacobian
    from visviva.integrate.step_laws import StepLaws
    from visviva.kernels.residual import MATRIX, evaluate

    model, h, rng = vv.compile(make(), "lie"), 0.02, np.random.default_rng(3)
    c = build_program(model, MIDPOINT)
    work, dim = memory(c, 0), model.layout.dim
    start = vv.simulate(make(), 0, 0.1, integrator=DiscreteGradient()).final
    x0 = model.retract(start.x, rng.normal(size=dim))
    y = rng.normal(size=c.unknowns)
    u = rng.normal(size=c.inputs)
    work.x[:], work.y[:] = x0, y
    evaluate(c.program, c.idle(np.ones(len(model.kinds), dtype=bool)), work, u[None], 0.0, h, MATRIX)
    sign = np.where(np.arange(c.unknowns) < dim, 1.0, -1.0)
    laws = StepLaws(model, start, h, u)
    plain = _Stepper(model, Newton())._equations(x0, np.arange(len(model.kinds)), h, laws)[1]
    expected = plain(y)
    size = np.maximum(work.rs[: c.unknowns], np.abs(expected).max() * 1e-3)
    assert (np.abs(sign * work.r[: c.unknowns] - expected) <= 1e-13 * size).all()
    if not model.dissipations and not model.ports:
        matrix = np.zeros((c.unknowns, c.unknowns))
        np.add.at(matrix, (c.rows, c.cols), work.V[: len(c.rows)])
        differences = difference_jacobian(plain, y, np.ones_like(y))
        np.testing.assert_allclose(sign[:, None] * matrix, differences, atol=1e-7 * np.abs(differences).max())
