"""Files of libraries of envs, as the system's loader sees them."""

import contextlib
import ctypes
import glob
import itertools
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Iterator

_copies = itertools.count()
_OLD = 60.0  # seconds after which a copy is loaded, or its process has ended


def stamp_of(library: pathlib.Path) -> tuple[int, ...]:
    """A stamp that changes with the file; empty if there is no file."""
    try:
        stat = library.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def is_loaded(library: pathlib.Path) -> bool:
    """Whether the library is still mapped: dlclose() does not always unmap it."""
    if sys.platform == "win32":
        handle_of = ctypes.WinDLL("kernel32").GetModuleHandleW
        handle_of.restype = ctypes.c_void_p
        return handle_of(str(library)) is not None
    try:
        ctypes.CDLL(str(library), os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def copy_of(library: pathlib.Path) -> Iterator[pathlib.Path]:
    """A copy under a name that the loader has not seen, next to the file; deleted at the end.

    The loader finds libraries by their names, and would return the old code. The copy is in the
    same folder, so that it finds the same libraries there ($ORIGIN). Mapped code stays. Windows
    deletes no file that is loaded: there the copy stays until delete_old_copies().

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
        with contextlib.suppress(PermissionError):  # Windows has loaded it
            copy.unlink()


def delete_old_copies(library: pathlib.Path) -> None:
    """Deletes the copies of the library that processes have left which have ended since."""
    for copy in library.parent.glob(f".{glob.escape(library.name)}.[0-9]*.[0-9]*"):
        with contextlib.suppress(OSError):  # another process has loaded or deleted it
            if time.time() - copy.stat().st_mtime > _OLD:
                copy.unlink()
