"""Warnings at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from visviva.errors import RunWarning

PACKAGE = str(Path(__file__).parent.parent)


def warn(texts: Iterable[str]) -> None:
    """Issue each text as a `RunWarning`, placed at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    for text in texts:
        warnings.warn(text, RunWarning, stacklevel=level)
