"""A model as an ordinary differential equation, for solvers that know nothing of its structure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.model.model import Model
from visviva.model.storage import Kinetic
from visviva.numerics.nullspace import split

Input = ArrayLike | Callable[[float], ArrayLike]
ACCURACY = 1e-9  # of the size of the terms of the algebraic rows; rounding, where a solution exists


@helpful
def rhs(model: Model, inputs: Mapping[str, Input] | None = None) -> Callable[[float, Array], Array]:
    """ẋ = N(x) ξ with E ξ = (J - R) z + B u, as f(t, x) for `scipy.integrate.solve_ivp`.

    x are embedding coordinates, as `model.pack` gives them; N is the lift of each variable's space. Efforts of
    junctions without storage are solved for at every call (index 1). Rows that constrain the state itself have no such
    form: they raise an error that names them.
    inputs: by port name, a constant or a function of time; ports that are not given are zero.

    It shares the model with the integrators and nothing else, so each can be tested against the other.
    """
    if not hasattr(model, "layout"):
        raise ModelError(
            f"rhs() takes a Model, got {type(model).__name__}: compile it first, vv.rhs(vv.compile(...)).\n"
            "Mechanisms with joints have accelerations instead: vv.compile(m).accelerations(x, v, u)."
        )
    return _RightHandSide(model, inputs or {})


def _is_of_time(function: Any) -> bool:
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    needed = [a.name for a in arguments if a.default is a.empty and a.kind is not a.POSITIONAL_ONLY]
    return len(needed) <= 1 and not set(needed) & {"x", "z", "theta"}


@final
class _RightHandSide:
    def __init__(self, model: Model, inputs: Mapping[str, Input]) -> None:
        for name in inputs:
            if name not in model.port_columns:
                ports = ", ".join(model.port_columns) or "none"
                raise ModelError(f"rhs() has an input for {name!r}, but the ports of {model.name!r} are: {ports}.")
            if callable(inputs[name]) and not _is_of_time(inputs[name]):
                raise ModelError(f"the input of port {name!r} must be a function of time alone for rhs().")
        self.model = model
        self.inputs = inputs
        dim = model.layout.dim
        masses = {part.name: part.M for part in model.kinetic.values() if isinstance(part, Kinetic)}
        light = [name for name, M in masses.items() if split(M).rank < len(M)]
        if light:
            raise ModelError(
                f"{', '.join(map(repr, light))} of {model.name!r} can move without inertia: its velocity follows no\n"
                "differential equation. Give it mass in all directions, or use vv.simulate()."
            )
        self.E_inverse: Array | None = None
        if not model.motions:
            self.E_inverse = np.asarray(np.linalg.inv(model.E(np.zeros(model.layout.size))[:dim, :dim]))

    def __call__(self, t: float, x: Array) -> Array:
        model, dim = self.model, self.model.layout.dim
        if np.shape(x) != (model.layout.size,):
            raise ModelError(f"x of {model.name!r} must have shape ({model.layout.size},), got {np.shape(x)}.")
        u = self._u(t)
        flow = model.flow(x, self._z(x, u), u)[:dim]
        inverse = np.linalg.inv(model.E(x)[:dim, :dim]) if self.E_inverse is None else self.E_inverse
        xi: Array = np.asarray(inverse @ flow, dtype=np.float64)
        x_dot = np.empty(model.layout.size)
        for variable in model.variables:
            at = model.layout.x[variable.name]
            x_dot[at] = variable.space.push(x[at], xi[model.layout.z[variable.name]])
        return x_dot

    def _u(self, t: float) -> Array:
        u = np.zeros(sum(port.width for port in self.model.ports))
        for name, value in self.inputs.items():
            at = self.model.port_columns[name]
            now = value(t) if callable(value) else value
            u[at] = finite_vector(np.atleast_1d(now), f"the input of port {name!r} at t = {t:g} s", at.stop - at.start)
        return u

    def _z(self, x: Array, u: Array) -> Array:
        """Efforts at x, with the algebraic ones from their rows: K z + B u = 0 for the rows K of J - R."""
        model, dim, rows = self.model, self.model.layout.dim, slice(self.model.layout.dim, self.model.layout.solved)
        if not model.kinds:
            return model.z(x)
        import scipy.optimize

        # the matrix at some generic unknowns, since a dissipation may vanish at zero
        z = model.z(x, np.random.default_rng(0).uniform(0.5, 1.5, len(model.kinds)))
        K = (model.J(x) - model.R(x, z))[rows]
        self._check_index(K[:, rows])
        rest = K[:, :dim] @ z[:dim] + model.B(x)[rows] @ u

        def balance(w: Array) -> Array:
            return model.flow(x, model.z(x, w), u)[rows]

        start = np.asarray(np.linalg.solve(K[:, rows], -rest), dtype=np.float64)  # exact if R depends on no w
        z = model.z(x, scipy.optimize.root(balance, start, tol=1e-14).x)
        K = (model.J(x) - model.R(x, z))[rows]
        left = np.abs(K @ z + model.B(x)[rows] @ u)
        worst = int(left.argmax())
        if not left[worst] <= ACCURACY * float((np.abs(K) @ np.abs(z)).max()):
            raise ModelError(
                f"the row of {model.kinds[worst][0]!r} in {model.name!r} has no solution: {left[worst]:.3g} remains.\n"
                "The state may lie outside of the domain of a component."
            )
        return z

    def _check_index(self, K: Array) -> None:
        """An error that names the rows which do not determine the algebraic unknowns."""
        null = split(K.T).Z  # combinations of rows in which no algebraic unknown occurs
        if null.size:
            involved = np.abs(null).max(1) > 0.1
            names = dict.fromkeys(name for (name, _), there in zip(self.model.kinds, involved, strict=True) if there)
            raise ModelError(
                f"{', '.join(map(repr, names))} of {self.model.name!r} constrain the state itself: the equations are "
                "differential-algebraic,\nof an index above 1, and have no right-hand side. Use vv.simulate(), or "
                "model.accelerations() for a mechanism."
            )
