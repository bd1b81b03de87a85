"""What can go wrong. A message says what was found, in the user's own names, the rule, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visviva.results import Run
    from visviva.results.trajectory import Trajectory


class VisvivaError(Exception):
    """Base of all errors that this package raises on purpose."""


class ModelError(VisvivaError, ValueError):
    """The description is wrong: a name, a shape, a number or a rule of the theory is violated."""


class UntoldError(ModelError):
    """A quantity that the model has, but that does not follow from what a run keeps."""


class ArgumentError(ModelError, TypeError):
    """A call does not fit: an argument that there is not, one too many, or one that is missing."""


class AssemblyError(ModelError):
    """The description is well formed, but no configuration or velocity satisfies all of it."""


class PartialRunError(VisvivaError):
    """A simulation that ended early; `run` is the part that is valid, up to the last accepted step."""

    def __init__(self, message: str, run: Run | Trajectory | None = None) -> None:
        super().__init__(message)
        self.run = run


class ConvergenceError(PartialRunError):
    """A step could not be solved; nothing of it was kept. `run` holds the steps before it."""


class Interrupted(PartialRunError):
    """The user stopped the run (Ctrl-C). `run` holds what was computed, `run.final` continues it."""


class RunWarning(UserWarning):
    """A run ended well, but something about it may not be what was meant; the same text is in `run.warnings`."""
