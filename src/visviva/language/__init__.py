"""The EPHS language: quantities, ports, primitive systems, patterns that compose and nest."""

from visviva.language.composite import Composite, Junction, compose
from visviva.language.primitives import environment, irreversible, reversible, source, storage
from visviva.language.quantity import Port, Quantity
from visviva.language.renaming import renamed
from visviva.language.starting import starting
from visviva.language.system import AbstractSystem, Environment, Irreversible, Reversible, Source, Storage
from visviva.language.trace import UntraceableError

__all__ = [
    "AbstractSystem",
    "Composite",
    "Environment",
    "Irreversible",
    "Junction",
    "Port",
    "Quantity",
    "Reversible",
    "Source",
    "Storage",
    "UntraceableError",
    "compose",
    "environment",
    "irreversible",
    "renamed",
    "reversible",
    "source",
    "starting",
    "storage",
]
