"""Sphinx: how the documentation looks. ``docs/build_site.py`` puts the pages together and runs it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor import __version__  # noqa: E402

project = "Two Machines"
copyright = "The Two Machines developers"
release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True
html_theme = "furo"
html_title = f"Two Machines {release}"
html_logo = str(ROOT / "resources" / "icons" / "two-machines.svg")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1257c4", "color-brand-content": "#1257c4"},
    "dark_css_variables": {"color-brand-primary": "#6ea8ff", "color-brand-content": "#6ea8ff"},
}
