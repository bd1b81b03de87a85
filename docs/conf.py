"""How the site is built: every example is executed, every formula becomes MathML, nothing is fetched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib.font_manager  # noqa: F401 - builds its cache here, or the first page would print that it does

import visviva

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ["MATPLOTLIBRC"] = str(HERE / "matplotlibrc")  # the kernels inherit it: one look for all figures

project = "visviva"
author = "the visviva developers"
copyright = "the visviva developers"
release = version = visviva.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "api", "docstrings", "mathml", "offline"]
exclude_patterns = ["_build", "_ext", "jupyter_execute"]

# -- pages
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist", "smartquotes"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
math_numfig = False
html_math_renderer = "mathml"
pygments_style = "tango"
pygments_dark_style = "one-dark"

# -- examples: executed at every build, since a cache does not see that the package changed
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_execution_show_tb = True
nb_output_stderr = "warn"  # with -W a warning printed by an example fails the build
nb_ipywidgets_js = {}  # their default comes from a CDN

# -- reference
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "special-members": "__matmul__, __add__, __sub__, __neg__, __mul__",
}
autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "Initial", "Input", "RotationLike", "Stop")}
autodoc_preserve_defaults = True
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
toc_object_entries_show_parents = "hide"

# -- looks
html_theme = "furo"
html_title = "visviva"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["visviva.css"]
html_copy_source = False
html_show_search_summary = False  # a page from the file system may not read its neighbours
html_show_sphinx = False

_SANS = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
_FONTS = {"font-stack": _SANS, "font-stack--monospace": _MONO}
html_theme_options = {
    "light_css_variables": {
        **_FONTS,
        "color-brand-primary": "#2f4bc4",
        "color-brand-content": "#2f4bc4",
        "color-brand-visited": "#2f4bc4",
        "color-api-name": "#1d2f86",
        "color-api-pre-name": "#5b6275",
    },
    "dark_css_variables": {
        **_FONTS,
        "color-brand-primary": "#9db1ff",
        "color-brand-content": "#9db1ff",
        "color-brand-visited": "#9db1ff",
        "color-api-name": "#b9c7ff",
        "color-api-pre-name": "#9aa3b8",
    },
    "navigation_with_keys": True,
}
