"""Fixtures: the wheel, and the wheel installed."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import venv

import pytest


@pytest.fixture(scope="module")
def wheel() -> pathlib.Path:
    """The wheel of `make wheel`."""
    root = pathlib.Path(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
    (path,) = root.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The site-packages that the wheel was installed into."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, symlinks=True)
    pip = [sys.executable, "-I", "-m", "pip", "--python", str(home / "bin/python")]
    options = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True)
    site = home / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    # The wheel's dependencies come from the build's locked environment: nothing is downloaded. A
    # line with its path alone would leave out what its own .pth files add.
    own = sysconfig.get_path("platlib")
    (site / "dependencies.pth").write_text(f"import site; site.addsitedir({own!r})\n")
    return site
