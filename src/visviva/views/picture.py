"""What all pictures have in common: a text in SVG, and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from visviva._files import write_bytes, write_text
from visviva.errors import ModelError


class AbstractPicture(ABC):
    """Something drawn. Notebooks show it."""

    @property
    @abstractmethod
    def svg(self) -> str:
        """The text of an SVG file, which needs no other file."""

    @abstractmethod
    def _image(self, kind: str) -> bytes:
        """The contents of a .png or .pdf file; kind: "png" or "pdf"."""

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says what: .svg, .png or .pdf."""
        path = Path(path)
        if path.suffix not in (".svg", ".png", ".pdf"):
            raise ModelError(f"a picture cannot be saved as {path.name!r}: the name must end with .svg, .png or .pdf.")
        if path.suffix == ".svg":
            write_text(path, self.svg, folders=True)
        else:
            write_bytes(path, self._image(path.suffix[1:]), folders=True)
        return path

    def _repr_svg_(self) -> str:
        return self.svg
