"""The start method of multiprocessing, which stays the program's own."""

import contextlib
import multiprocessing
from collections.abc import Iterator


@contextlib.contextmanager
def free_start_method() -> Iterator[None]:
    """A process that starts now does not choose the start method of the program.

    Multiprocessing sets the default once it tells a new process what it is. A program that has not
    chosen one may still do so, by multiprocessing.set_start_method().
    """
    chosen = multiprocessing.get_start_method(allow_none=True)
    try:
        yield
    finally:
        if chosen is None:
            multiprocessing.set_start_method(None, force=True)
