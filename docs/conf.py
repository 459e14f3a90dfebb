import re
from pathlib import Path

_bzl = Path(__file__).parent.parent / "build_defs" / "version.bzl"

project = "ParallelPool"
release = re.findall(r'VERSION = "(.*)"', _bzl.read_text())[0]
# The API pages describe the installed wheel.
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["stable_baselines3"]  # gigabytes, for one base class
html_theme = "furo"
html_show_copyright = False
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_title = f"{project} {release}"
myst_heading_anchors = 3  # links to headings are checked, too
