"""Runs the command line in a terminal and types keys."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

_SECONDS = 60


def run(
    arguments: list[str], typed: list[tuple[str, str]], columns: int = 60, lines: int = 20
) -> tuple[str, int]:
    """Runs `python -m parallel_pool` with the arguments in a terminal of a size.

    Args:
        arguments: the arguments of the command line.
        typed: pairs: once the text appears after that of the pair before, the keys are typed.
        columns: the width of the terminal.
        lines: its height.

    Returns:
        All that was shown, and the exit code.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-m", "parallel_pool", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={k: v for k, v in environment.items() if k not in ("COLUMNS", "LINES")},
        start_new_session=True,
        # A controlling terminal: without it, Ctrl-C would not send SIGINT.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(slave)
        shown = _type(master, list(typed))
        if process.poll() is None and shown[1]:
            process.kill()
        os.close(master)
    assert not shown[1], f"the keys {shown[1]} were not typed; shown was {shown[0]}"
    return shown[0], process.returncode


def _type(master: int, steps: list[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """All that is shown until the other end is closed, and the steps that are left."""
    shown, seen, end = "", 0, time.monotonic() + _SECONDS
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                shown += os.read(master, 1 << 16).decode(errors="ignore")
            except OSError:  # the other end is closed
                return shown, steps
        if steps and (at := shown.find(steps[0][0], seen)) >= 0:
            seen = at + len(steps[0][0])
            os.write(master, steps.pop(0)[1].encode())
    return shown, [*steps, ("", "the command does not end")]
