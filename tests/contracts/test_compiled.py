"""Compiled steps against their plain NumPy form: residual, matrix, accounts and whole runs, for every kind of block."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import heavy_top, pair_with
from compiled_models import MODELS, gyroscope, point, spring
from physics_systems import SYSTEMS as LIBRARY
from test_ephs_laws import SYSTEMS as LANGUAGE
from test_models import series_damper, spinning_body
from test_rows import driven_mass, knife_edge

import visviva as vv
from visviva.compiler import build, program
from visviva.compiler.codegen import flow_source
from visviva.compiler.flows import NotCompilable
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.demo import four_bar
from visviva.geometry.embedding import SE2_SPACE, SE3_SPACE, SO2_SPACE, SO3_SPACE, Flat, ProductSpace, origin
from visviva.integrate import Newton
from visviva.integrate.compiled import memory
from visviva.integrate.discrete_gradient import DiscreteGradient, _Stepper
from visviva.model import Dissipation, Energy, Linear, Model, Variable
from visviva.model.structure import AbstractRouting

H = 0.3  # step size, large: everything that is not linear shows


def unknowns(model, seed):
    """Rates and algebraic unknowns, with inputs: any will do, they need not solve anything."""
    random = np.random.default_rng(seed)
    width = sum(port.width for port in model.ports)
    return random.normal(size=model.layout.solved), random.normal(size=(1, width))


def compiled_residual(c, x, u, h=H):
    """The residual as a function of the unknowns, and the matrix at some of them."""
    from visviva.kernels.residual import evaluate

    work = memory(c, 0)
    work.x[:] = x

    def residual(y):
        work.y[:] = y
        evaluate(c.program, work, u, 0.0, h, 0)
        return work.r[: c.unknowns].copy()

    def matrix(y):
        work.y[:] = y
        evaluate(c.program, work, u, 0.0, h, 1)
        dense = np.zeros((c.unknowns, c.unknowns))
        dense[c.rows, c.cols] = work.V[: len(c.rows)]
        return dense

    return residual, matrix


def reference_residual(model, x, y, u, h=H):
    """What the plain form leaves, and the size of the terms that cancel in each row."""
    every = np.arange(len(model.kinds))
    ends, function = _Stepper(model, Newton())._equations(x, every, h, u[0])
    _, xm, z = ends(y)
    dim, solved = model.layout.dim, model.layout.solved
    hot = [model.layout.z[variable.name] for variable in model.variables if variable.entropy]
    rounded = np.abs(z)
    for at in hot:
        rounded[at] += model.theta0  # an effort θ - θ0 is rounded like θ
    size = (np.abs(model.J(xm)) + np.abs(model.R(xm, z))) @ rounded + np.abs(model.B(xm)) @ np.abs(u[0])
    size[:dim] += np.abs(model.E(x)[:dim, :dim]) @ np.abs(y[:dim])
    F = function(y)
    F[dim:] *= -1.0  # the compiled form writes 0 = -flow for algebraic rows, as for all others
    return F, size[:solved]


def check_residual(model, x, seed, h=H):
    c = build_program(model, MIDPOINT)
    y, u = unknowns(model, seed)
    F, size = reference_residual(model, x, y, u, h)
    gap = np.abs(compiled_residual(c, x, u, h)[0](y) - F) / size
    assert gap.max() <= 1e-13, f"the residual differs by {gap.max():.2g} in row {gap.argmax()}"


def differences(function, y, delta=2e-3):
    """∂F/∂y by central differences of two widths, extrapolated: the error is of order δ⁴ and eps/δ."""
    steps = delta * np.eye(len(y))
    wide, narrow = (
        np.stack([(function(y + k * step) - function(y - k * step)) / (2 * k * delta) for step in steps], -1)
        for k in (1.0, 0.5)
    )
    return (4 * narrow - wide) / 3


def check_matrix(model, x, seed):
    c = build_program(model, MIDPOINT)
    y, u = unknowns(model, seed)
    residual, matrix = compiled_residual(c, x, u)
    expected = differences(residual, y)
    gap = np.abs(matrix(y) - expected) / np.abs(expected).max(1, keepdims=True)
    assert gap.max() <= 1e-9, f"the matrix differs by {gap.max():.2g} at {np.unravel_index(gap.argmax(), gap.shape)}"


@pytest.mark.parametrize(("model", "x"), MODELS.values(), ids=MODELS)
def test_the_compiled_residual_is_the_plain_one(model, x):
    for seed in range(3):
        check_residual(model, x, seed)


@pytest.mark.parametrize(("model", "x"), MODELS.values(), ids=MODELS)
def test_the_compiled_matrix_is_the_derivative_of_the_residual(model, x):
    for seed in range(3):
        check_matrix(model, x, seed)


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
    [("r[(z0 + 0) * 1 + stage] -= f0", check_residual, "residual differs"), ("V[T[", check_matrix, "matrix differs")],
)
def test_a_flipped_sign_in_a_compiled_law_is_found(own_folder, monkeypatch, line, check, message):
    def flipped(law, stages):
        source = flow_source(law, stages)
        assert line in source
        return source.replace(line, line.replace("-=", "+=")) if "-=" in line else _first_flipped(source, line)

    def _first_flipped(source, start):
        before, rest = source.split(start, 1)
        return before + start + rest.replace("-=", "+=", 1)

    monkeypatch.setattr(build, "flow_source", flipped)
    monkeypatch.setattr(program, "flow_address", build.flow_address.__wrapped__)  # leaves no trace for later tests
    with pytest.raises(AssertionError, match=message):
        check(*MODELS["constant routing"], seed=0)


# -- whole runs ----------------------------------------------------------------------------------------------------


def assert_same_run(one, other, tolerance=1e-11):
    """States and what every step did, relative to the largest value of each column; and the same notes."""
    assert one.notes == other.notes
    for name in ("x", "taken", "heat", "work", "w_mid"):
        a, b = getattr(one.record, name), getattr(other.record, name)
        gap = np.abs(a - b).max(0, initial=0.0)
        size = np.maximum(np.abs(b).max(0, initial=0.0), 1e-6 * np.abs(b).max(initial=0.0))
        assert (gap <= tolerance * size).all(), f"{name} differs by {(gap / np.maximum(size, 1e-300)).max():.2g}"


SYSTEMS = {f"language: {name}": (*case, 0.1) for name, case in LANGUAGE.items()}
SYSTEMS |= {f"library: {name}": case for name, case in LIBRARY.items()}


@pytest.mark.parametrize(("system", "start", "h"), SYSTEMS.values(), ids=SYSTEMS)
def test_compiled_runs_are_those_of_the_plain_form(system, start, h):
    inputs = {port.name: lambda t: 0.1 * np.sin(3 * t / h) for port in vv.compile(system).ports}
    options = {"t_end": 10 * h, "h": h, "initial": start, "inputs": inputs}
    runs = [vv.simulate(system, integrator=DiscreteGradient(compiled=flag), **options) for flag in (True, False)]
    assert_same_run(*runs)


HAND_MADE = {
    "driven rows": (driven_mass(), {"q": 0.3, "v": 0.0}, {"drive": np.sin}),
    "junction": (series_damper(), {"q": 0.5, "p": -1.0}, {}),
    "knife edge": (knife_edge(), {"pose": origin(SE2_SPACE), "V": [2.0, 1.0, 0.0]}, {}),
    "spinning body": (spinning_body(), {"R": origin(SO3_SPACE), "p": [1.0, -2.0, 0.5]}, {}),
    "jets": (gyroscope(SE3_SPACE), {"x": point(SE3_SPACE), "v": [1.0, -0.5, 0.3]}, {"jets": lambda t: [1.0, np.cos(t)]}),
}  # fmt: skip


@pytest.mark.parametrize(("model", "start", "inputs"), HAND_MADE.values(), ids=HAND_MADE)
def test_compiled_runs_of_models_are_those_of_the_plain_form(model, start, inputs):
    options = {"t_end": 1.0, "h": 0.1, "initial": start, "inputs": inputs}
    runs = [vv.simulate(model, integrator=DiscreteGradient(compiled=flag), **options) for flag in (True, False)]
    assert_same_run(*runs)


@pytest.mark.parametrize("make", [lambda: pair_with(0.1), heavy_top, four_bar], ids=["pair", "heavy top", "four-bar"])
def test_mechanisms_run_the_same_with_both_forms(make):
    runs = [vv.simulate(make(), t_end=0.1, h=0.01, integrator=DiscreteGradient(compiled=flag)) for flag in (True, False)]
    assert_same_run(*runs, tolerance=1e-9)  # multipliers of redundant rows are known less well


# -- what has no expression ----------------------------------------------------------------------------------------


class Unknown(AbstractRouting):
    name, reads, acts = "odd", (), ("x",)

    def J(self, q):
        return np.zeros((1, 1))


def branching(q):
    return np.where(q[..., 0] > 0, 1.0, 2.0) * q[..., 0] ** 2


def halves(q, e):
    return np.where(e > 0, 1.0, 2.0)[..., None]


CURVE = Energy("bend", "x", branching, lambda q: np.where(q > 0, 2 * q, 4 * q))
NOT_COMPILABLE = {
    "unknown kind": ((spring(1),), (Unknown(),), "'odd' is of the kind Unknown, which has no expression"),
    "energy with a branch": ((CURVE,), (), "the energy of 'bend' cannot be traced: it compares a state"),
    "matrix with a branch": ((spring(1),), (Dissipation("rub", ("x",), halves),), "the matrix of 'rub' cannot be traced"),
}  # fmt: skip


@pytest.mark.parametrize(("storages", "structures", "message"), NOT_COMPILABLE.values(), ids=NOT_COMPILABLE)
def test_what_has_no_expression_is_named_and_runs_by_the_plain_form(storages, structures, message):
    drag = Dissipation("drag", ("x",), np.eye(1))
    model = Model("odd one", (Variable("x", Flat(1)),), storages, (*structures, drag))
    with pytest.raises(NotCompilable, match=message):
        build_program(model, MIDPOINT)
    run = vv.simulate(model, t_end=1.0, h=0.1, integrator=DiscreteGradient(), initial={"x": 1.0})
    assert run.audit().ok


def test_a_product_with_rotations_is_named():
    space = ProductSpace((Flat(1), SO2_SPACE))
    model = Model("cam", (Variable("x", space),), (Linear("w", "x", np.ones(5)),), ())
    with pytest.raises(NotCompilable, match="the variable 'x' lives in a product with rotations"):
        build_program(model, MIDPOINT)
