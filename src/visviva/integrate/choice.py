"""Which scheme a description is integrated by, and whether it can be."""

from __future__ import annotations

from visviva.errors import ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.newton import Newton
from visviva.integrate.phmp import PHMP
from visviva.language import Composite
from visviva.mechanism import Definition
from visviva.model import Model

SCHEMES_OF = {"lie": "vv.LieMidpoint() or vv.DOP853()", "directors": "vv.PHMP() or vv.PHMPGGL()"}


def chosen_scheme(what: Definition | Composite | Model, integrator: AbstractIntegrator | None) -> AbstractIntegrator:
    """The scheme that was asked for, or the default one."""
    if not isinstance(what, Definition | Composite | Model):
        raise ModelError(f"simulate() takes a Mechanism or a Model, got {type(what).__name__}; or a composite system.")
    if integrator is None and (isinstance(what, Composite) or (isinstance(what, Model) and what.coordinates)):
        return DiscreteGradient()
    if integrator is None:
        if isinstance(what, Model):
            raise ModelError(f"simulate() of model {what.name!r} needs integrator=, e.g. vv.DiscreteGradient().")
        return PHMP()
    if not isinstance(integrator, AbstractIntegrator):
        raise ModelError(f"integrator must be an integrator such as vv.PHMP(), got {integrator!r}.")
    if not isinstance(getattr(integrator, "newton", Newton()), Newton):
        raise ModelError(f"newton of {integrator!r} must be a vv.Newton(...).")
    if not isinstance(getattr(integrator, "compiled", True), bool):
        raise ModelError(f"compiled of {integrator!r} must be True or False.")
    return integrator


def check_form(model: Model, scheme: AbstractIntegrator) -> None:
    """A scheme on the equations of another form would be another scheme, or none."""
    if model.definition is not None and model.form != scheme.form:
        name = type(scheme).__name__
        raise ModelError(
            f"the Model {model.name!r} is compiled in the form {model.form!r}, and {name} integrates mechanisms in the "
            f"form {scheme.form!r}.\n"
            f"Give simulate() the mechanism itself, or vv.compile(m, {scheme.form!r}); or use "
            f"{SCHEMES_OF[model.form]} with this Model."
        )


def check_feedback(model: Model, scheme: AbstractIntegrator) -> None:
    """An error where inputs depend on the state and a scheme does not solve for them."""
    if model.feedback and not scheme.feedback:
        raise ModelError(
            f"the input of port {model.feedback[0].port!r} depends on states or efforts, which "
            f"{type(scheme).__name__} does not solve inside a step.\nUse vv.PHMP() or vv.DiscreteGradient(), or a "
            "function of time."
        )
