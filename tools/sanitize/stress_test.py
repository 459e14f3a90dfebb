"""Pools under stress from several threads; under --config=asan and tsan with the sanitizer on."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
PLANTED = HERE.parents[1] / "parallel_pool/core/testing/planted.so"
# libasan.so or libtsan.so (.bazelrc): Python is not built with it, so it is preloaded.
RUNTIME = os.environ.get("SANITIZER_RUNTIME")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    if RUNTIME:
        paths = [
            subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
            for name in (RUNTIME, "libstdc++.so")
        ]
        env["LD_PRELOAD"] = " ".join(os.path.realpath(path) for path in paths)
        env["PYTHONMALLOC"] = "malloc"  # so that asan sees each object as a block
        env["TSAN_OPTIONS"] = f"halt_on_error=1 suppressions={HERE / 'tsan.supp'}"
        env["ASAN_OPTIONS"] = "detect_leaks=0"  # Python frees much only at the end of the process
    command = [sys.executable, str(HERE / "stress.py"), *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=280)


def test_stress() -> None:
    done = run()
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize(
    ("function", "runtime", "report"),
    [
        ("PlantedRace", "libtsan.so", "ThreadSanitizer: data race"),
        ("PlantedUseAfterFree", "libasan.so", "AddressSanitizer: heap-use-after-free"),
        ("PlantedOverflow", "libasan.so", "signed integer overflow"),
    ],
)
def test_planted_bugs_are_reported(function: str, runtime: str, report: str) -> None:
    if runtime != RUNTIME:
        pytest.skip("of another sanitizer")
    done = run(str(PLANTED), function)
    assert done.returncode != 0
    assert report in done.stderr
