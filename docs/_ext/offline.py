"""The site works from the file system, without a network: what would fetch something fails the build."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# attributes that make a browser fetch; `<a href>` is the reader's own choice and stays free
FETCHING = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("poster", "src"),
}
REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
REMOTE_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s;]+)""", re.IGNORECASE)


class Fetches(HTMLParser):
    """What a page would fetch from elsewhere, as `<tag attribute> address`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at the attributes that fetch, and at inline style."""
        self._in_style = tag == "style"
        for name, value in attrs:
            if name in FETCHING.get(tag, ()):
                addresses = (part.split()[0] for part in (value or "").split(",") if part.strip())
                self.found += [f"<{tag} {name}> {address}" for address in addresses if REMOTE.match(address)]
            elif name == "style":
                self.found += remote_in_css(value or "")

    def handle_data(self, data: str) -> None:
        """Look inside `<style>`."""
        if self._in_style:
            self.found += remote_in_css(data)
            self._in_style = False


def remote_in_css(text: str) -> list[str]:
    """Remote addresses in a style sheet."""
    return [f"css {address}" for address in REMOTE_CSS.findall(text)]


def remote_in_file(path: Path) -> list[str]:
    """What one built page or style sheet would fetch."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        return remote_in_css(text)
    parser = Fetches()
    parser.feed(text)
    return parser.found


def refuse_remote(app: Sphinx, exception: Exception | None) -> None:
    """After the build: every page and style sheet, or an error that lists what they would fetch."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.outdir)
    files = sorted(path for path in root.rglob("*") if path.suffix in {".html", ".css"})
    found = [f"{path.relative_to(root)}: {what}" for path in files for what in remote_in_file(path)]
    if found:
        raise ExtensionError(
            "the site must work without a network, but these would be fetched:\n  "
            + "\n  ".join(found)
            + "\nPut a copy into docs/_static, or turn off the option that adds it."
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Check at the end of every build."""
    app.connect("build-finished", refuse_remote)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
