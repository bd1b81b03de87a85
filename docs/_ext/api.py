"""`.. api::`, a section for each public module that its content names, one name per line."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles


class Api(SphinxDirective):
    """A title and the members of each module."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Let autodoc fill one section per module."""
        lines: list[str] = []
        for module in filter(None, map(str.strip, self.content)):
            lines += [module, "=" * len(module), "", f".. automodule:: {module}", ""]
        container = nodes.Element()
        nested_parse_with_titles(self.state, StringList(lines, source=self.env.docname), container)
        return container.children


def name_aliases(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Inside unions and tuples autodoc shows the alias's placeholder; the reader wants its name."""
    return _named(signature), _named(returns)


def _named(text: str | None) -> str | None:
    return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("api", Api)
    app.connect("autodoc-process-signature", name_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
