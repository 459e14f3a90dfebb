"""import parallel_pool where only its sources are."""

import pathlib
import shutil
import subprocess
import sys

import parallel_pool


def test_the_error_says_how_to_go_on(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "parallel_pool"
    folder.mkdir()
    shutil.copy(parallel_pool.__file__, folder / "__init__.py")
    run = subprocess.run(
        [sys.executable, "-c", "import parallel_pool"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {folder} is ParallelPool's source tree")
    assert "pip install dist/*.whl" in last
    assert "circular" not in last
