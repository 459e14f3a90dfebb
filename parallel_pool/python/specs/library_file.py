"""Files of libraries of envs, as the system's loader sees them."""

import contextlib
import ctypes
import itertools
import os
import pathlib
import shutil
from collections.abc import Iterator

_copies = itertools.count()


def stamp_of(library: pathlib.Path) -> tuple[int, ...]:
    """A stamp that changes with the file; empty if there is no file."""
    try:
        stat = library.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def is_loaded(library: pathlib.Path) -> bool:
    """Whether the library is still mapped: dlclose() does not always unmap it."""
    try:
        ctypes.CDLL(str(library), os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def copy_of(library: pathlib.Path) -> Iterator[pathlib.Path]:
    """A copy under a name that the loader has not seen, next to the file; deleted at the end.

    The loader finds libraries by their names, and would return the old code. The copy is in the
    same folder, so that it finds the same libraries there ($ORIGIN). Mapped code stays.

    Raises:
        RuntimeError: the folder cannot be written to.
    """
    copy = library.with_name(f".{library.name}.{os.getpid()}.{next(_copies)}")
    try:
        shutil.copyfile(library, copy)
    except OSError as error:
        copy.unlink(missing_ok=True)
        raise RuntimeError(
            f"{library}: replace=True loads a copy of it, in its folder: {error}"
        ) from None
    try:
        yield copy
    finally:
        copy.unlink()
