import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parent.parent
sys.path.append(str(_ROOT))  # at the end: parallel_pool is the installed wheel
from tools.docs import columns, gallery, pages, readmes  # noqa: E402

project = "ParallelPool"
release = re.findall(r'VERSION = "(.*)"', (_ROOT / "build_defs/version.bzl").read_text())[0]
# The API pages, the tables and the pictures describe the installed wheel.
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Only their base classes are used, or nothing of them until a function is called.
autodoc_mock_imports = [
    "jax",
    "minari",
    "pettingzoo",
    "ray",
    "rerun",
    "sample_factory",
    "stable_baselines3",
    "torch",
    "tree",
]
html_theme = "furo"
html_show_copyright = False
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_title = f"{project} {release}"
myst_heading_anchors = 4  # links to headings are checked, too


def _repository() -> str:
    """The address of the repository on the web; empty if this clone does not come from there."""
    command = ["git", "-C", str(_ROOT), "-c", "safe.directory=*", "remote", "get-url", "origin"]
    url = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    url = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", url).removesuffix(".git")
    return url if url.startswith("https://") else ""


_repository_url = _repository()


def _link_to_pages(app, page, source):
    folder = Path(app.env.doc2path(page)).parent
    source[0] = readmes.link_to_pages(source[0], folder, folder, Path(app.srcdir))


def _fill_in(app, page, source):
    source[0], used = pages.fill(source[0])
    if used:
        for file in pages.SOURCES:
            app.env.note_dependency(file, docname=page)


_release = _ROOT / "dist/certificate"  # what the last `make release` has written, if anything
html_extra_path = [str(_release)] if _release.exists() else []


def _add_release(app, page, source):
    """Adds the tables of the last release to the page of the certificate."""
    made = _release / "certificate.md"
    if page == "certificate" and made.exists():
        tables = re.sub(r"^(#+ )", r"#\1", made.read_text(), flags=re.MULTILINE)
        # Files that html_extra_path copies are no sources, so the text links to them as HTML.
        tables = re.sub(r"!\[(.*?)\]\((chart.png)\)", r'<img src="\2" alt="\1">', tables)
        tables = re.sub(r"\[(.*?)\]\((certificate.json)\)", r'<a href="\2">\1</a>', tables)
        source[0] += f"\n{tables}"
        app.env.note_dependency(str(made), docname=page)


def _link_to_source(app, page, template, context, doctree):
    """Sets the address of "edit this page"; a page made of a README leads to that file."""
    file = app.env.doc2path(page) if doctree else ""
    if _repository_url and file:
        path = readmes.source(Path(file)).relative_to(_ROOT)
        context["theme_source_edit_link"] = f"{_repository_url}/edit/main/{path}"
        context["theme_source_view_link"] = f"{_repository_url}/blob/main/{path}?plain=1"


def setup(app):
    readmes.write(Path(app.srcdir))  # before Sphinx looks for pages
    app.connect("builder-inited", lambda app: gallery.write(Path(app.srcdir, pages.PICTURES)))
    app.connect("source-read", _link_to_pages)
    app.connect("source-read", _fill_in)
    app.connect("source-read", _add_release)
    app.connect("doctree-read", lambda app, document: columns.make_room(document))
    app.connect("html-page-context", _link_to_source)
