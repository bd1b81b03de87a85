"""A mechanism as a composite of the language: parts become boxes, what they share becomes junctions."""

from visviva.mechanism.composite.assembly import composite_of
from visviva.mechanism.composite.state import state_of

__all__ = ["composite_of", "state_of"]
