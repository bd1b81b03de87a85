"""The linearisation of a mechanism about any instant of its motion."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.geometry import SO3
from visviva.linear import linearise
from visviva.linear.mechanism_names import increment_names
from visviva.testing.readings.instant import Instant, close, slope


def increments(form: MinimalForm, q0: Array, q: Array) -> Array:
    """ε with q = q0 advanced by ε, (n,)."""
    found = np.zeros(form.n)
    for link, place in zip(form.tree.links, form.spanning.places, strict=True):
        a, b = q0[place.q], q[place.q]
        if link.kind in ("ball", "free"):
            R0, R = (SO3.from_quat(one[-4:]).R for one in (a, b))
            turn = SO3(R0.T @ R).log()
            found[place.xi] = np.concatenate([turn, R0.T @ (b[:3] - a[:3])]) if link.kind == "free" else turn
        else:
            found[place.xi] = b - a
    return found


def linearisation(now: Instant) -> None:
    """A and B against differences of the accelerations, between states that satisfy all constraints."""
    form, dice, time = now.form, np.random.default_rng(4), now.units.time
    m, given = now.case.mechanism, now.case.constant_inputs
    lin = linearise(m, (now.q, now.xi, now.s), operating=given, residual_ok=True)
    names = increment_names(form)
    p = [names.index(name) for name in lin.states if name in names]
    eta = [form.xi_names.index(name) for name in lin.states if name in form.xi_names]
    kept = [form.s_names.index(name) for name in lin.states if name in form.s_names]
    shift, pace, other = time * now.xi_unit, now.xi_unit, now.s_unit[kept]
    eps, zeta = shift * dice.normal(size=form.n), pace * dice.normal(size=form.n)
    sigma = 1e-2 * other * dice.normal(size=len(kept))
    unit = np.concatenate([shift[p], pace[eta], other])  # of the states

    def there(h: float) -> tuple[Array, Array, Array]:
        s = now.s.copy()
        s[kept] += h * sigma
        return form.projected(0.0, form.advance_q(now.q, h * eps), now.xi + h * zeta, s)

    def states(h: float) -> Array:
        q, xi, s = there(h)
        return np.concatenate([increments(form, now.q, q)[p], xi[eta], s[kept]])

    def rates(h: float) -> Array:
        xi_dot, s_dot = form.rates(0.0, *there(h))
        return np.concatenate([xi_dot[eta], s_dot[kept]])

    A = time * lin.A[len(p) :] * unit / unit[len(p) :, None]
    close(
        A @ (slope(states) / unit), time * slope(rates) / unit[len(p) :], "A", float(np.abs(A).max(initial=0.0)), 1e-6
    )
    ports = [port for port in form.full.ports if port.name in {name.partition("[")[0] for name in lin.inputs}]
    columns = [k for port in ports for k in range(*form.full.port_columns[port.name].indices(len(now.u)))]
    assert len(columns) == len(lin.inputs), "inputs are those of the ports"
    point, units = form.at(now.q, now.xi, now.s), now.units.inputs(form)
    for j, column in enumerate(columns):
        step = 0.5 * units[column] * np.eye(len(now.u))[column]
        ahead, behind = (form.solve(point, now.u + way * step, now.u_dot) for way in (1, -1))
        expected = np.concatenate([(ahead.xi_dot - behind.xi_dot)[eta], (ahead.s_dot - behind.s_dot)[kept]])
        scale = time / unit[len(p) :]
        close(scale * lin.B[len(p) :, j] * units[column], scale * expected, "B", 1.0, 1e-8)
