"""Describes the system in a report of an error: versions, processor, NumPy's functions."""

import contextlib
import importlib.metadata
import pathlib
import platform
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool._build_info import VERSION
from parallel_pool.core import _core

# Packages that pools use, and those that have engines, levels or models of tasks.
_USED = ("numpy", "gymnasium", "dm-env", "cloudpickle")
_WITH_GAMES = ("nle", "minihack", "metaworld", "vizdoom")


def describe_machine() -> list[str]:
    """Lines of the form "name: value"."""
    simd: Any = np.show_config(mode="dicts")
    simd = (simd or {}).get("SIMD Extensions", {})
    found = [*simd.get("baseline", []), *simd.get("found", [])]
    return [
        f"ParallelPool: {VERSION}",
        f"system: {platform.platform()}",
        f"processor: {_processor()}; {_core.usable_processors()} usable, "
        f"{_core.usable_threads()} threads",
        f"Python: {' '.join(sys.version.split())}",
        f"packages: {', '.join(_packages())}",
        f"NumPy's SIMD: {' '.join(found) or 'not known'}",
    ]


def _packages() -> Iterator[str]:
    for name in (*_USED, *_WITH_GAMES):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield f"{name} {importlib.metadata.version(name)}"


def _processor() -> str:
    """The processor's name; its architecture where the system does not tell."""
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        with contextlib.suppress(OSError):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.stdout.strip()
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
            if name.strip() == "CPU part":  # of ARM
                return f"{platform.machine()}, CPU part {value.strip()}"
    return platform.processor() or platform.machine()
