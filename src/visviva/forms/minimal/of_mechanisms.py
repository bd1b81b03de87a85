"""analytical: a mechanism in the forms of analytical mechanics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.inertial import INERTIAL
from visviva.forms.minimal.momentum import MomentumForm
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.model import Model

FORMS = (*INERTIAL, MomentumForm.form)


@helpful
def analytical(
    m: Mechanism | Definition | Model, form: str = "minimal", *, inputs: Mapping[str, Any] | None = None
) -> MinimalForm | MomentumForm:
    """The equations of motion of a mechanism in minimal velocities.

    form:   "minimal", "hamel", "kane-velocity", "partially-lagrangian": the same equations in ξ with inertia forces
            derived in four ways; "kane-momentum": momenta p = A ξ in place of velocities.
    inputs: of ports by name, as `vv.simulate` takes them; those that are left out are zero.
    """
    if isinstance(m, Model):
        if m.definition is None:
            raise ModelError(
                f"model {m.name!r} is no mechanism: minimal velocities need bodies and joints, a vv.Mechanism."
            )
        m = m.definition
    m = definition_of(m)
    if not isinstance(m, Definition):
        raise ModelError(
            f"analytical() takes a Mechanism, got {type(m).__name__}: minimal velocities need bodies and joints.\n"
            "Composites have vv.equations(system), Lagrangians vv.lagrangian(...)."
        )
    if form not in FORMS:
        raise ModelError(f"a mechanism has no analytical form {form!r}; there are {', '.join(FORMS)}.")
    return MomentumForm(m, inputs) if form == MomentumForm.form else MinimalForm(m, form, inputs)
