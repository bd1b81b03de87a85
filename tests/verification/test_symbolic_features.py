"""Symbols of every part that a mechanism can have: all quantities are the numeric ones, in NumPy and in strict C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import scipy.linalg
from feature_mechanisms import FEATURES
from test_formulations import directors_of

import visviva as vv

QUICK = {
    "screw with friction", "laws_of_friction", "springs_along_lines", "torsions", "stops", "motors", "gears_and_racks",
    "drives_by_numbers", "massless_link", "beads_on_lines", "hinge_beyond_a_ball",
}  # fmt: skip
NAMES = ("M", "c", "f", "Z", "z", "g", "T", "V", "s_dot", "q_dot", "D")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off")
TIME = 0.3


def features(quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in FEATURES]


def state(form, seed=0):
    """A random consistent state, with warm nodes and currents; joints may have turned."""
    rng = np.random.default_rng(seed)
    q, xi, s = form.initial
    q = form.advance_q(q, 0.02 * rng.normal(size=form.n))
    q, xi, s = form.projected(0.0, q, xi + rng.normal(size=form.n), s)
    warm = {f"{node.name}.s": node.capacity for node in form.definition.thermals}
    warm |= {f"{motor.name}.flux": motor.inductance for motor in form.definition.motors}
    return q, xi, s + np.array([0.1 * warm.get(name, 0.0) for name in form.s_names])


def inputs(form, e, point, seed=1):
    """Those of the numeric form, with random values at ports, and those of the symbols."""
    u, u_dot = form.inputs_at(TIME, point)
    ports = sum(port.width for port in form.definition.ports)
    u[:ports] = np.random.default_rng(seed).normal(size=ports)
    laws = {e.names[symbol]: form.inputs.laws.get(e.names[symbol]) for symbol in e.u[ports::2]}
    driven = [value for law in laws.values() for value in (law.rate(TIME), law.acceleration(TIME))]
    return u, u_dot, np.concatenate([u[:ports], driven])


def close(ours, theirs, what):
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-3)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * scale, err_msg=what)


@pytest.mark.slow
@pytest.mark.parametrize("name", features(QUICK))
def test_minimal_velocities(name, tmp_path):
    m = FEATURES[name]()
    form, e = vv.analytical(m), vv.symbols(m)
    q, xi, s = state(form)
    point = form.at(q, xi, s)
    u, u_dot, given = inputs(form, e, point)
    values = e.function(*NAMES)(q, xi, s, given, TIME)
    found, solved = dict(zip(NAMES, values, strict=True)), form.solve(point, u, u_dot)
    expected = {
        "M": point.M, "c": form.bias(q, xi), "f": point.force(u), "Z": point.Z, "z": point.row_rates(u_dot),
        "g": form.open.g(point.x), "T": form.kinetic_energy(q, xi), "s_dot": solved.s_dot, "q_dot": form.q_dot(q, xi),
        "D": point.kane.D,
    }  # fmt: skip
    for what, value in expected.items():
        close(found[what], value, what)
    H, heat = form.energy(q, xi, s), sum(node.capacity * node.temperature for node in m.thermals)
    assert abs(found["T"] + found["V"] - H) <= 1e-12 * (abs(H) + found["T"] + heat)
    close(point.S @ e.accelerations(q, xi, s, given, TIME), point.S @ solved.xi_dot, "accelerations")
    if shutil.which("gcc"):
        code = e.function(*NAMES, target="c")
        out = strict(code.source, tmp_path, code._packed((q, xi, s, given, TIME), {}), sum(v.size for v in values))
        close(out, np.concatenate([value.ravel() for value in values]), "C")


def strict(source, folder, x, size):
    """What C code gives that a compiler takes without a warning."""
    text, library = folder / "code.c", folder / "code.so"
    text.write_text(source)
    made = subprocess.run(
        ["gcc", *STRICT, "-O1", "-shared", "-fPIC", "-o", library, text, "-lm"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    out, pointer = np.empty(size), ctypes.POINTER(ctypes.c_double)
    evaluate = ctypes.CDLL(str(library)).evaluate
    evaluate(ctypes.c_long(1), ctypes.c_long(len(x)), x.ctypes.data_as(pointer), out.ctypes.data_as(pointer))
    return out


@pytest.mark.parametrize("name", features({"laws_of_friction", "springs_along_lines"}))
def test_directors(name):
    """M v̇ = f - Gᵀλ over rigid motions, rows and other states, against the Model in directors."""
    m = FEATURES[name]()
    form, e = vv.analytical(m), vv.symbols(m, "directors")
    q, xi, s = state(form)
    u, _, given = inputs(form, e, form.at(q, xi, s))
    model, x, lifts, _ = directors_of(form, form.x(q, xi, s))
    bodies = [body.name for body in m.bodies]
    at = {letter: np.concatenate([x[model.layout.x[f"{body}.{letter}"]] for body in bodies]) for letter in "qv"}
    variables = [e.names[symbol].partition("[")[0] for symbol in e.s]
    states = [x[model.layout.x[variable]][0] for variable in variables]
    f, G, g, s_dot, M = e.function("f", "G", "g", "s_dot", "M")(at["q"], at["v"], states, given, TIME)
    z = model.z(x)
    z[model.layout.dim : model.layout.solved] = 0.0
    flow, N = model.flow(x, z, u), scipy.linalg.block_diag(*lifts)
    act = model.layout.act(tuple(f"{body}.v" for body in bodies))
    close(N.T @ f, N.T @ flow[act], "f")
    close(G @ N, model.C(x)[:, act] @ N, "G")
    close(g, model.g(x), "g")
    close(M, model.E(x)[np.ix_(act, act)], "M")
    close(s_dot, np.array([flow[model.layout.z[variable]][0] for variable in variables]), "s_dot")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["drives", "motors"])
def test_the_dae_of_the_paper_is_that_of_directors(name):
    """E ẋ = (J - R) z + B u + h by components, (24) of Latussek, Kinon, Betsch."""
    e = vv.symbols(FEATURES[name](), "directors")
    n, k = len(e.q), len(e.lam)
    rng = np.random.default_rng(0)
    q, v, lam, s, u = (rng.normal(size=len(each)) for each in (e.q, e.v, e.lam, e.s, e.u))
    J, R, B, h, f, G, r, V_q = e.function("J", "R", "B", "h", "f", "G", "r", "V_q")(q, v, s, u, TIME)
    right = (J - R) @ np.concatenate([V_q, v, lam]) + B @ u + h
    np.testing.assert_allclose(right[:n], v, rtol=1e-13)
    np.testing.assert_allclose(right[n : 2 * n], f - G.T @ lam, rtol=0, atol=1e-11)
    np.testing.assert_allclose(right[2 * n :], G @ v - r, rtol=0, atol=1e-11)
    assert k == len(r)
