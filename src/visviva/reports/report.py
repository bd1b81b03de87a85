"""Report: a model to read, as a page and as LaTeX."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

from visviva._files import write_text
from visviva.errors import ModelError
from visviva.reports.blocks import Figure, Section
from visviva.reports.html_page import html_page
from visviva.reports.tex import tex_source


@final
@dataclass(frozen=True, eq=False)
class Report:
    """Sections of text, tables, formulas and figures about a model. Notebooks show it."""

    title: str
    abstract: str
    sections: tuple[Section, ...]

    @cached_property
    def html(self) -> str:
        """One page that needs no other file."""
        return html_page(self.title, self.abstract, self.sections)

    @cached_property
    def latex(self) -> str:
        """The source of a document; its pictures are the files figure-1.pdf, …, which `save` writes."""
        return tex_source(self.title, self.abstract, self.sections, "figure")

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says what: .html, or .tex with its pictures as .pdf beside it."""
        path = Path(path)
        if path.suffix not in (".html", ".tex"):
            raise ModelError(f"a report cannot be saved as {path.name!r}: the name must end with .html or .tex.")
        if path.suffix == ".html":
            write_text(path, self.html, folders=True)
            return path
        stem = f"{path.stem}-figure"
        figures = [block for section in self.sections for block in section.blocks if isinstance(block, Figure)]
        for k, figure in enumerate(figures):
            figure.picture.save(path.with_name(f"{stem}-{k + 1}.pdf"))
        write_text(path, tex_source(self.title, self.abstract, self.sections, stem), folders=True)
        return path

    def _repr_html_(self) -> str:
        page = html.escape(self.html)  # in a frame of its own: its style is for it alone
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {', '.join(section.title for section in self.sections)}>"
