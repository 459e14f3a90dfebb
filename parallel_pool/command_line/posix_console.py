"""The keys of a terminal, on Linux and macOS."""

import contextlib
import math
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator


@contextlib.contextmanager
def keys_at_once() -> Iterator[None]:
    """A block in which keys are not shown, and typed() returns them without an Enter."""
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        mode = termios.tcgetattr(sys.stdin)
        mode[0] &= ~termios.IXON  # else Ctrl-S and Ctrl-Q would stop and start the output
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, mode)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def typed(seconds: float) -> str:
    """The next input, at most 64 bytes; "" if there is none within `seconds`.

    Raises:
        EOFError: the input has ended.
    """
    limit = None if seconds == math.inf else seconds
    if not select.select([sys.stdin], [], [], limit)[0]:
        return ""
    read = os.read(sys.stdin.fileno(), 64)
    if not read:
        raise EOFError
    return read.decode(errors="ignore")
