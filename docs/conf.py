"""How the site is built: pages in Markdown, the reference from the program itself.

Nothing is fetched: neither while it is built nor by whoever reads it.
"""

import os

# The docstrings of compiled functions are read, and nothing is run.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

import seriatim
from seriatim import _typing

project = "seriatim"
author = "The seriatim developers"
project_copyright = "the seriatim developers"
release = version = seriatim.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]

# ---------------------------------------------------------------------------
# Pages
# ---------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "smartquotes"]
myst_heading_anchors = 3
pygments_style = "friendly"
pygments_dark_style = "monokai"

# ---------------------------------------------------------------------------
# Reference, from docstrings
# ---------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
# Arrays are called by the names that the sources give them.
autodoc_type_aliases = {name: name for name in vars(_typing) if name[0].isupper()}
toc_object_entries = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

# ---------------------------------------------------------------------------
# Look
# ---------------------------------------------------------------------------

html_theme = "furo"
html_title = f"seriatim {release}"
html_static_path = ["_static"]
html_css_files = ["seriatim.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f5f8b",
        "color-brand-content": "#1f5f8b",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc0ee",
        "color-brand-content": "#7cc0ee",
    },
}
