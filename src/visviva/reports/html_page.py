"""A report as one HTML page; nothing in it refers to another file or to the network."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template

from visviva.reports.blocks import Block, Figure, Formulas, Paragraph, Section, Table, pieces
from visviva.reports.breaking import broken
from visviva.reports.mathml import mathml


def html_page(title: str, abstract: str, sections: Sequence[Section]) -> str:
    """The text of the page."""
    template = Template(files("visviva.reports").joinpath("report.html").read_text(encoding="utf-8"))
    return template.substitute(title=html.escape(title), abstract=inline(abstract), body=_body(sections))


def _body(sections: Sequence[Section]) -> str:
    """Numbered sections, tables, figures and equations."""
    count = _Counter()
    return "\n".join(part for section in sections for part in _section(section, count))


class _Counter:
    """Numbers of sections, tables, figures and equations."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def next(self, what: str) -> int:
        self.numbers[what] = self.numbers.get(what, 0) + 1
        return self.numbers[what]


def _section(section: Section, count: _Counter) -> Iterator[str]:
    yield f"<section><h2>{count.next('section')}&ensp;{html.escape(section.title)}</h2>"
    for block in section.blocks:
        yield _block(block, count)
    yield "</section>"


def _block(block: Block, count: _Counter) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{inline(text)}</p>"
        case Figure():
            caption = f"<figcaption>Figure {count.next('figure')}. {inline(block.caption)}</figcaption>"
            return f"<figure>{block.picture.svg}{caption}</figure>"
        case Table():
            return _table(block, count.next("table"))
        case Formulas():
            return _formulas(block, count)


def _table(table: Table, number: int) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marks = [' class="number"' if k in table.numbers else "" for k in range(len(cells))]
        return "<tr>" + "".join(f"<{tag}{m}>{inline(c)}</{tag}>" for m, c in zip(marks, cells, strict=True)) + "</tr>"

    body = "\n".join(row(cells, "td") for cells in table.rows)
    caption = f"<caption>Table {number}. {inline(table.caption)}</caption>"
    return (
        f'<div class="wide"><table>{caption}<thead>{row(table.head, "th")}</thead><tbody>{body}</tbody></table></div>'
    )


def _formulas(block: Formulas, count: _Counter) -> str:
    rows = []
    for left, right in block.lines:
        number = f"({count.next('equation')})" if block.numbered else ""
        for k, line in enumerate(broken(right)):
            head = mathml(left) if k == 0 else ""
            sign = mathml("=") if k == 0 else ""
            rows.append(
                f'<tr><td class="left">{head}</td><td class="sign">{sign}</td><td class="right{" more" if k else ""}">'
                f'{mathml(line, large=True, goes_on=k > 0)}</td><td class="tag">{number if k == 0 else ""}</td></tr>'
            )
    table = f'<div class="wide"><table class="formulas">{"".join(rows)}</table></div>'
    return f"<details><summary>{inline(block.folded)}</summary>{table}</details>" if block.folded else table


def inline(text: str) -> str:
    """Words with formulas."""
    return "".join(mathml(part) if k % 2 else html.escape(part) for k, part in enumerate(pieces(text)))
