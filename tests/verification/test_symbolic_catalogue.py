"""Symbols of the whole catalogue of mechanisms: every quantity is the numeric one, at random consistent states."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from formulation_catalogue import CATALOGUE
from test_formulations import directors_of, forms, inputs

import visviva as vv

QUICK = {
    "planar, reversed", "spherical", "particles", "motor on a crank", "gear in a loop", "snakeboard",
    "laws of friction", "distance", "Bennett linkage",
}  # fmt: skip
QUICK_DIRECTORS = {"spherical", "motor on a crank"}


def entries(quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in CATALOGUE]


def close(ours, theirs, what, size=0.0):
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-3, size)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * scale, err_msg=what)


def warmed(form, s):
    """Other states with nodes that are not as warm as the environment, and currents in motors."""
    capacity = {f"{node.name}.s": node.capacity for node in form.definition.thermals}
    flux = {f"{motor.name}.flux": motor.inductance for motor in form.definition.motors}
    return s + np.array([0.1 * (capacity | flux).get(name, 0.0) for name in form.s_names])


@pytest.mark.slow
@pytest.mark.parametrize("name", entries(QUICK))
def test_minimal_velocities(name):
    form, states = forms(name)
    e = vv.symbols(form.definition)
    names = ("M", "c", "f", "Z", "z", "g", "T", "V", "s_dot", "q_dot")
    evaluate = e.function(*names)
    for q, xi, given in states:
        s = warmed(form, given)
        u, u_dot = inputs(form, (q, xi, s))
        point = form.at(q, xi, s)
        found = dict(zip(names, evaluate(q, xi, s, u[: len(e.u)], 0.0), strict=True))
        solved = form.solve(point, u, u_dot)
        T = form.kinetic_energy(q, xi)
        expected = {
            "M": point.M, "c": form.bias(q, xi), "f": point.force(u), "Z": point.Z, "z": point.row_rates(u_dot),
            "g": form.open.g(point.x), "T": T, "s_dot": solved.s_dot, "q_dot": form.q_dot(q, xi),
        }  # fmt: skip
        for what, value in expected.items():
            close(found[what], value, what)
        heat = sum(
            node.capacity * node.temperature for node in form.definition.thermals
        )  # rounding of differences of it
        close(found["V"] + found["T"], form.energy(q, xi, s), "energy", T + 1e-4 * heat)
        a = e.accelerations(q, xi, s, u[: len(e.u)])
        close(point.S @ a, point.S @ solved.xi_dot, "accelerations", 1e3)


@pytest.mark.parametrize("name", entries(QUICK_DIRECTORS))
def test_directors(name):
    """Forces and rows over rigid motions: what directors feel beyond these is up to their multipliers."""
    form, states = forms(name)
    e = vv.symbols(form.definition, "directors")
    evaluate = e.function("f", "G", "g", "s_dot", "R_v")
    bodies = [body.name for body in form.definition.bodies]
    for state in states:
        u, _ = inputs(form, state)
        model, x, lifts, _ = directors_of(form, form.x(*state))
        q, v = (np.concatenate([x[model.layout.x[f"{name}.{letter}"]] for name in bodies]) for letter in "qv")
        variables = [e.names[symbol].partition("[")[0] for symbol in e.s]
        s = [x[model.layout.x[variable]][0] for variable in variables]
        f, G, g, s_dot, R = evaluate(q, v, s, u[: len(e.u)], 0.0)
        z = model.z(x)
        z[model.layout.dim : model.layout.solved] = 0.0
        flow, N = model.flow(x, z, u), scipy.linalg.block_diag(*lifts)
        at = model.layout.act(tuple(f"{name}.v" for name in bodies))
        close(N.T @ f, N.T @ flow[at], "f")
        close(G @ N, model.C(x)[:, at] @ N, "G")
        close(g, model.g(x), "g")
        close(s_dot, np.array([flow[model.layout.z[variable]][0] for variable in variables]), "s_dot")
        if not form.definition.thermals:
            close(N.T @ R @ N, N.T @ model.R(x, model.z(x))[np.ix_(at, at)] @ N, "R")


@pytest.mark.parametrize("name", entries({"spherical"}))
def test_momenta(name):
    """ṗ = f + Dᵀξ - Zᵀλ with the multipliers of the numeric form."""
    form, states = forms(name)
    e = vv.symbols(form.definition, "kane-momentum")
    evaluate = e.function("D", "gyration", "momenta", "T_q")
    for q, xi, s in states:
        kane = form.at(q, xi, s).kane
        D, gyration, p, T_q = evaluate(q, xi, s)
        close(D, kane.D, "D")
        close(gyration, kane.gyration, "gyration", float(np.abs(kane.D).max()))
        close(p, kane.p, "momenta")
        close(D + D.T, kane.A_dot, "Ȧ = D + Dᵀ")
        turned = np.einsum("ijk,j,k", np.array(e.gamma, dtype=float), xi, p)
        close(T_q, gyration + turned, "∂T")
