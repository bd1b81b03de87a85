"""Formulas as MathML: rendered while the site is built, shown by the browser without any script."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

from docutils import nodes
from latex2mathml.converter import convert_to_element
from mathml_core import to_core
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def mathml(latex: str, *, display: bool) -> ET.Element:
    r"""The `<math>` element of a formula; ValueError names a command that is not understood.

    Several lines (`\\`) outside an environment mean `split`, as in Sphinx's other renderers.
    """
    source = re.sub(r"\\(begin|end)\{(aligned|align\*?|equation\*?)\}", _known_environment, latex.strip())
    source = re.sub(r"\\mathrm\{(\w+)\}", r"\\text{\1}", source)  # upright also when it is a single letter
    if r"\begin" not in source and r"\\" in source:
        source = rf"\begin{{split}}{source}\end{{split}}"
    math = convert_to_element(source, display="block" if display else "inline")
    to_core(math)
    if unknown := [text for element in math.iter() if (text := element.text or "").startswith("\\")]:
        raise ValueError(f"unknown command {unknown[0]}")
    return math


def _known_environment(match: re.Match[str]) -> str:
    """`split` for what latex2mathml does not know or would number by itself; `equation` adds nothing."""
    return "" if match[2].startswith("equation") else rf"\{match[1]}{{split}}"


def _html(node: nodes.Element, *, display: bool) -> str:
    try:
        return ET.tostring(mathml(node.astext(), display=display), encoding="unicode")
    except Exception as problem:  # latex2mathml has many; the author needs the place and the formula
        logger.warning("formula %r: %s", node.astext(), problem, location=node)
        return f"<code>{escape(node.astext())}</code>"


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """`$…$`."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate"))
    self.body.append(_html(node, display=False) + "</span>")
    raise nodes.SkipNode


def visit_display(self: HTML5Translator, node: nodes.math_block) -> None:
    """`$$…$$`, with its number when it has a label."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    self.body.append(_html(node, display=True))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer that `html_math_renderer = "mathml"` names."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
