"""visviva: model, simulate and control mechanical systems so that every joule is accounted for.

    import visviva as vv

The public names are imported on first use, so that `import visviva` costs little more than NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as _numpy  # noqa: F401 - the only library imported eagerly

__version__ = "0.1.0"

if TYPE_CHECKING:
    from visviva.errors import AssemblyError as AssemblyError
    from visviva.errors import ConvergenceError as ConvergenceError
    from visviva.errors import Interrupted as Interrupted
    from visviva.errors import ModelError as ModelError
    from visviva.errors import VisvivaError as VisvivaError

_HOME = {
    "AssemblyError": "visviva.errors",
    "ConvergenceError": "visviva.errors",
    "Interrupted": "visviva.errors",
    "ModelError": "visviva.errors",
    "VisvivaError": "visviva.errors",
    "inertia": "visviva.geometry.inertia",
}
_MODULES = {"inertia", "geometry", "testing"}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'visviva' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
