"""A, B and C over the catalogue of mechanisms, at an instant of a motion, against differences of the equations.

States next to it satisfy all constraints: loops are closed, rolling rolls, drives are followed. What they differ by in
the independent states is measured, and not assumed.
"""

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose

import visviva as vv
from visviva.linear.mechanism_names import increment_names
from visviva.mechanism.parts import Body
from visviva.testing.readings.linear import increments

SINGULAR = {"Sarrus linkage", "thin rods"}
FEW = (
    "four bar", "snakeboard", "driven loop", "planar", "rolling disc", "flying tree", "motor on a crank", "particles",
)  # fmt: skip
H = 2e-4


class Slopes:
    """Differences of order four of all that a state says, along one direction."""

    def __init__(self, form, lin, direction):
        self.form, self.lin, self.start = form, lin, form.initial
        self.p = [increment_names(form).index(name) for name in lin.states if name in increment_names(form)]
        self.eta = [form.xi_names.index(name) for name in lin.states if name in form.xi_names]
        self.s = [form.s_names.index(name) for name in lin.states if name in form.s_names]
        self.direction = direction

    def there(self, h):
        form, start = self.form, self.start
        eps, zeta, sigma = (h * part for part in self.direction)
        s = start.s.copy()
        s[self.s] += sigma[: len(self.s)]
        return form.projected(0.0, form.advance_q(start.q, eps), start.xi + zeta, s)

    def states(self, h):
        q, xi, s = self.there(h)
        return np.concatenate([increments(self.form, self.start.q, q)[self.p], xi[self.eta], s[self.s]])

    def rates(self, h):
        xi_dot, s_dot = self.form.rates(0.0, *self.there(h))
        return np.concatenate([xi_dot[self.eta], s_dot[self.s]])

    def outputs(self, h):
        """Origins and twists of bodies, from the poses and velocities of their centres of mass in the model."""
        form, x = self.form, self.form.x(*self.there(h))
        found = []
        for body in form.definition.bodies:
            q, v = (x[form.model.layout.x[f"{body.name}.{letter}"]] for letter in "qv")
            if isinstance(body, Body):
                R_WB = q[3:].reshape(3, 3).T @ body.R_BC.T
                w, arm = R_WB @ (body.R_BC @ v[:3]), R_WB @ body.com
                found += [q[:3] - arm, R_WB.T @ w, R_WB.T @ (v[3:] - np.cross(w, arm))]
            else:
                found += [q, v]
        return np.concatenate(found)

    @staticmethod
    def slope(f):
        return (8 * (f(H) - f(-H)) - (f(2 * H) - f(-2 * H))) / (12 * H)


@pytest.mark.parametrize(
    "name",
    [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in CATALOGUE if name not in SINGULAR],
)
def test_linear_systems_are_the_slopes_of_the_equations(name):
    entry = CATALOGUE[name]
    form = vv.analytical(entry.build(), inputs=entry.inputs)
    start, rng = form.initial, np.random.default_rng(4)
    seen = [f"{b.name}.{y}" for b in form.definition.bodies for y in ("r", "twist" if isinstance(b, Body) else "v")]
    lin = vv.linearise(form, (start.q, start.xi, start.s), outputs=seen, residual_ok=True)
    first = len(lin.states) - sum(state in form.xi_names or state in form.s_names for state in lin.states)
    for _ in range(3):
        direction = [rng.normal(size=form.n), rng.normal(size=form.n), 1e-2 * rng.normal(size=form.extra)]
        near = Slopes(form, lin, direction)
        dx = near.slope(near.states)
        size = np.abs(lin.A).max(initial=0.0)
        assert_allclose(lin.A[first:] @ dx, near.slope(near.rates), atol=1e-6 * max(1.0, size), rtol=1e-6)
        assert_allclose(lin.C @ dx, near.slope(near.outputs), atol=1e-7, rtol=1e-7)
    base = np.array(form.inputs(0.0))
    rates = form.inputs_at(0.0, form.at(start.q, start.xi, start.s))[1]
    ports = [port for port in form.open.ports if port.name in {u.split("[")[0] for u in lin.inputs}]
    columns = [k for port in ports for k in range(*form.open.port_columns[port.name].indices(len(base)))]
    if form.open.feedback or len(columns) != len(lin.inputs):
        return
    for j, column in enumerate(columns):
        u = np.eye(len(base))[column]
        ahead, behind = (
            form.accelerations(start.q, start.xi, start.s, u=base + sign * u, u_dot=rates)[near.eta] for sign in (1, -1)
        )
        assert_allclose(lin.B[first : first + len(near.eta), j], (ahead - behind) / 2, atol=1e-8, rtol=1e-8)
