"""A report as LaTeX source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from visviva.reports.blocks import Block, Figure, Formulas, Paragraph, Section, Table, pieces
from visviva.reports.breaking import broken
from visviva.views.latex_words import words

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,booktabs,graphicx,longtable}
\usepackage[margin=2.3cm]{geometry}
\allowdisplaybreaks
"""
OTHERS = {
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "¹": r"\textsuperscript{1}", "⁻": "-", "–": "--",
    "·": r"$\cdot$", "…": r"\ldots{}",
}  # fmt: skip


def tex_source(title: str, abstract: str, sections: Sequence[Section], figures: str) -> str:
    """A document; pictures are the files <figures>-1.pdf, …."""
    numbers = iter(range(1, 10**6))
    body = [part for section in sections for part in _section(section, figures, numbers)]
    head = [PREAMBLE, rf"\title{{{inline(title)}}}", r"\date{}", r"\begin{document}", r"\maketitle"]
    return "\n".join([*head, r"\noindent " + inline(abstract), "", *body, r"\end{document}", ""])


def _section(section: Section, figures: str, numbers: Iterator[int]) -> Iterator[str]:
    yield rf"\section{{{inline(section.title)}}}"
    for block in section.blocks:
        yield _block(block, figures, numbers)


def _block(block: Block, figures: str, numbers: Iterator[int]) -> str:
    match block:
        case Paragraph(text):
            return inline(text) + "\n"
        case Figure():
            file = f"{figures}-{next(numbers)}.pdf"
            return (
                "\\begin{figure}[htb]\\centering\n"
                f"\\includegraphics[width=0.7\\linewidth]{{{file}}}\n\\caption{{{inline(block.caption)}}}\n\\end{{figure}}\n"
            )
        case Table():
            return _table(block)
        case Formulas():
            return _formulas(block)


def _table(table: Table) -> str:
    columns = "".join("r" if k in table.numbers else "l" for k in range(len(table.head)))
    rows = [" & ".join(inline(cell) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(inline(cell) for cell in table.head) + r" \\"
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{inline(table.caption)}}}\\",
            r"\toprule",
            head,
            r"\midrule\endhead",
            *rows,
            r"\bottomrule",
            r"\end{longtable}",
            "",
        ]
    )


def _formulas(block: Formulas) -> str:
    name = "align" if block.numbered else "align*"
    lines = []
    for left, right in block.lines:
        first, *more = broken(right)
        lines.append(f"{left} &= {first}")
        lines += [rf"&\quad {line}" for line in more]
    tagged = [
        line + (r" \nonumber" if block.numbered and line.startswith("&") else "") for line in lines
    ]  # one number per equation
    intro = f"{inline(block.folded)}\n" if block.folded else ""
    return intro + "\\begin{" + name + "}\n" + " \\\\\n".join(tagged) + "\n\\end{" + name + "}\n"


def inline(text: str) -> str:
    """Words with formulas, escaped."""
    return "".join(f"${part}$" if k % 2 else words(part, OTHERS) for k, part in enumerate(pieces(text)))
