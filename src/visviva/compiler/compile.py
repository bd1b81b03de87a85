"""compile: any description to its Model."""

from __future__ import annotations

from visviva._suggestions import helpful
from visviva.compiler.mechanism import compile_mechanism
from visviva.compiler.system import compile_system
from visviva.errors import ModelError
from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism
from visviva.model import Model


@helpful
def compile(what: Mechanism | Definition | Composite | Model, form: str = "lie") -> Model:  # noqa: A001 - see __init__
    """The Model of a description; a Model is returned as it is.

    form: for a mechanism "lie" (poses and twists) or "directors", see `visviva.compiler.mechanism`.
    """
    if isinstance(what, Model):
        return what
    if isinstance(what, Composite):
        return compile_system(what)
    if isinstance(what, Mechanism | Definition):
        return compile_mechanism(what, form)
    raise ModelError(f"compile() takes a Mechanism or a Model, got {type(what).__name__}; or a composite system.")
