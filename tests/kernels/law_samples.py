"""Generated laws to compare compilers on, as pairs (signature, source)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from unittest import mock

import numpy as np
from compiled_models import MODELS
from coupled_mechanisms import MECHANISMS as COUPLED
from feature_mechanisms import FEATURES
from loss_models import LOSSES
from samples import sample
from small_mechanisms import CATALOGUE
from spring_models import SPRINGS
from test_kinks_laws import ENERGIES, law_of

import visviva as vv
from visviva.cli import samples
from visviva.cli.kernel_samples import machine
from visviva.compiler import build
from visviva.compiler.feedback import feedback_of
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine import machine_of
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.integrate.collocation import TABLEAU
from visviva.kernels import laws

Law = tuple[str, str]
ADDRESSES = (
    build.energy_address,
    build.gradient_address,
    build.rate_address,
    build.flow_address,
    build.row_address,
)


def gathered(what: Callable[[Any], Any], every: Iterable[Any]) -> list[Law]:
    """Every law that is asked for while something is done with each of some things."""
    found: dict[Law, None] = {}
    real = laws.law_address

    def recorded(signature: str, source: str) -> int:
        found[signature, source] = None
        return real(signature, source)

    for address in ADDRESSES:
        address.cache_clear()  # what was asked for before is asked for again
    with mock.patch.object(laws, "law_address", recorded):
        for one in every:
            with suppress(NotCompilable):
                what(one)
    return list(found)


def library_laws() -> list[Law]:
    """Of one system of each kind."""
    systems = [one for domain in samples.DOMAINS.values() for one in domain()]
    return gathered(lambda one: build_program(vv.compile(samples.alone(one)), MIDPOINT), systems)


def model_laws() -> list[Law]:
    """Of models on every space of states, without and with several stages."""
    return gathered(lambda model: build_program(model, MIDPOINT), [model for model, _ in MODELS.values()]) + gathered(
        lambda model: build_program(model, TABLEAU), [model for model, _ in MODELS.values()]
    )


def kinked_laws() -> list[Law]:
    """Of energies with kinks: divided differences with branches."""

    def both(name: str) -> None:
        law, _ = law_of(name)
        build.energy_address(law), build.gradient_address(law)

    return gathered(both, ENERGIES)


def mechanism_laws() -> list[Law]:
    """Of springs, friction, conditions and rolling discs, over steps and at instants."""
    made = [build() for each in (CATALOGUE, COUPLED, FEATURES, LOSSES, SPRINGS) for build in each.values()]
    made += [machine("coupled"), *(sample(seed, 5).mechanism for seed in range(8))]

    def both(one: vv.Mechanism | tuple[vv.Mechanism, ...]) -> None:
        model = vv.compile(one[0] if isinstance(one, tuple) else one, form="directors")
        machine_of(model), machine_of(model, instants=True)

    return gathered(both, made)


def feedback_laws() -> list[Law]:
    """Of controllers that read joints, clip, interpolate and choose."""
    m = samples.arm()
    m.torque("motor", "hinge")
    model = vv.compile(m, form="directors")
    functions = [
        lambda t, x: np.clip(-5 * x["hinge.q"] - x["hinge.rate"], -2, 2),
        lambda t, x: np.sin(3 * t) * np.exp(-t) - np.tanh(4 * x["hinge.rate"]) + np.arctan2(x["arm.R"][0, 2], 2.0),
        lambda t, x: np.interp(x["hinge.q"], [-1.0, 0.0, 0.5, 2.0], [0.3, -0.2, 0.7, 0.1]),
        lambda t, x: np.where(x["hinge.q"] > 0.1, 2 * x["hinge.q"] - 0.2, 0.0) + np.sqrt(1 + x["hinge.rate"] ** 2),
        lambda t, x: np.maximum(x["hinge.q"], 0.0) ** 1.5 + np.abs(x["hinge.rate"]) ** 2.5 + x["arm.twist"][1] ** 9,
        lambda t, x: np.minimum(np.minimum(x["hinge.q"], t), 0.3) + np.cosh(x["hinge.q"]) + np.log1p(t**2),
        lambda t, x: np.arcsin(x["hinge.q"] / 9) + np.arccos(x["hinge.q"] / 9) + np.expm1(t) - np.sinh(t) * np.tan(t),
        lambda t, x: np.log(1 + t**2) + np.arctan(x["hinge.q"]) + np.sign(x["hinge.q"]) * x["hinge.q"] ** 3,
        lambda t, x: np.fmax(x["hinge.q"], t) + np.fmin(x["hinge.q"], 2 * t) + np.fabs(t) ** -1.25,
    ]
    return gathered(lambda law: build.input_address(feedback_of(model, "motor", law).law), functions)


LAWS: dict[str, Callable[[], list[Law]]] = {
    "library": library_laws,
    "models": model_laws,
    "kinks": kinked_laws,
    "mechanisms": mechanism_laws,
    "feedback": feedback_laws,
}
