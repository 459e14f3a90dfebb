"""A view of a run while it is recorded, in a process of its own."""

import importlib.util
import os
import subprocess
import sys

_MODULE = "parallel_pool.integrations.rerun.live"


def need_rerun() -> None:
    """RuntimeError if the viewer is not installed."""
    if importlib.util.find_spec("rerun") is None:
        raise RuntimeError(
            'a view needs the viewer Rerun: pip install "parallel_pool[view]" (rerun-sdk)'
        )


def start(path: str) -> subprocess.Popen[bytes]:
    """Shows a recording while it grows; the process ends with this one, also if it is killed."""
    words = [sys.executable, "-m", _MODULE, os.path.abspath(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # The end of its input tells it that this process has ended.
    return subprocess.Popen(words, stdin=subprocess.PIPE, env=environment)
