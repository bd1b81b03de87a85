"""Linear systems for other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.linear.system import LinearSystem


def to_control(system: LinearSystem) -> Any:
    """A `control.StateSpace` with the names of states, inputs and outputs; dots in names become underscores."""
    try:
        from control import ss
    except ImportError:
        raise ModelError("to_control() needs python-control: install it with pip install 'visviva[control]'.") from None
    names = {
        word: [name.replace(".", "_") for name in getattr(system, word)] for word in ("states", "inputs", "outputs")
    }
    return ss(system.A, system.B, system.C, system.D, **names)
