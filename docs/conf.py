import re
from pathlib import Path

_bzl = Path(__file__).parent.parent / "build_defs" / "version.bzl"

project = "ParallelPool"
release = re.findall(r'VERSION = "(.*)"', _bzl.read_text())[0]
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"{project} {release}"
