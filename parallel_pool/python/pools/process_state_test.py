"""No family changes what a whole process shares: locale, signals, floating point, folder, ..."""

import subprocess
import sys

import pytest

from parallel_pool._build_info import FAMILIES
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import tasks

# Prints what has changed between the import of parallel_pool and the end of a pool.
PROGRAM = """
import ctypes, fcntl, os, signal, sys
import parallel_pool

libc = ctypes.CDLL(None)
libc.setlocale.restype = ctypes.c_char_p
libm = ctypes.CDLL("libm.so.6")
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")

def variables():
    count = 0
    while environ[count] is not None:
        count += 1
    return sorted(environ[:count])

def floating_point():
    state = ctypes.create_string_buffer(64)
    libm.fegetenv(state)
    # The control words: not the flags of exceptions, which any division may set.
    return libm.fegetround(), state.raw[0:2], int.from_bytes(state.raw[28:32], "little") & ~0x3F

def signals():
    with open("/proc/self/status") as status:
        return [line.split() for line in status if line.startswith(("SigBlk", "SigIgn", "SigCgt"))]

def state():
    umask = os.umask(0o22)
    os.umask(umask)
    return {
        "locale": [libc.setlocale(category, None) for category in range(13)],
        "environment": variables(),
        "floating point": floating_point(),
        "signals": signals(),
        "working folder": os.getcwd(),
        "file mode": umask,
        "streams": [(os.fstat(i).st_ino, fcntl.fcntl(i, fcntl.F_GETFL)) for i in range(3)],
    }

task, options = sys.argv[1], eval(sys.argv[2])
before = state()
modes = parallel_pool.make_spec(task, **options).source.render_modes
with parallel_pool.make(task, num_envs=2, **options, render_mode=(modes or [None])[0]) as pool:
    pool.reset()
    if modes:
        pool.render()
after = state()
for name in before:
    if before[name] != after[name]:
        print(name, before[name], after[name])
"""


def changed(program: str, task: str) -> str:
    """The output of the program for a task."""
    done = subprocess.run(
        [sys.executable, "-c", program, task, repr(tasks.OPTIONS.get(task, {}))],
        env={"PYTHONPATH": ":".join(sys.path), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("family", FAMILIES)
def test_a_pool_leaves_the_process_as_it_is(family: str) -> None:
    task = next(task for task in tasks.played() if registry().family(task) == family)
    assert changed(PROGRAM, task) == ""


CHANGES = {
    "locale": "libc.setlocale(6, b'')",
    "environment": "os.environ['A'] = '1'",
    "floating point": "libm.fesetround(0x400)",
    "signals": "signal.signal(signal.SIGUSR1, print)",
    "working folder": "os.chdir('/')",
    "file mode": "os.umask(0)",
    "streams": "fcntl.fcntl(1, fcntl.F_SETFL, os.O_APPEND)",
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_seen(what: str) -> None:
    program = PROGRAM.replace("    pool.reset()", f"    pool.reset()\n    {CHANGES[what]}")
    assert changed(program, "CartPole-v1").startswith(what)
