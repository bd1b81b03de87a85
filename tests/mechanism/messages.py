"""Patterns for messages."""

from __future__ import annotations

import re


def says(*parts: str) -> str:
    """A pattern for a message that has all these parts, in any order."""
    return "(?s)" + "".join(f"(?=.*{re.escape(part)})" for part in parts)
