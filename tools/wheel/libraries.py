"""The shared libraries of a wheel must find all that they need, on Linux, macOS and Windows."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection

import lief

lief.logging.disable()

# Libraries of every macOS.
_OF_MACOS = {f"/usr/lib/{name}.dylib" for name in ("libSystem.B", "libc++.1", "libz.1")}
# Libraries of every Windows 10; the C++ runtime of Microsoft, which MuJoCo's library needs, is not,
# but most have it, and docs/installation.md names it.
_OF_WINDOWS = re.compile(
    r"(kernel32|ntdll|api-ms-win-(crt-\w+|core-synch)-l1-\d-0|(msvcp|vcruntime)140\w*)\.dll"
)
# The functions that Python, or the engine, looks for in an extension, or in a family.
_ENTRY_POINTS = {
    "_core": "PyInit__core",
    "_family": "parallel_pool_family",
    "_family_4": "parallel_pool_family",
}


def problems(name: str, content: bytes, names: Collection[str], platform: str) -> list[str]:
    """Why a library cannot be loaded where the wheel is installed; [] if nothing is wrong.

    Args:
        name: its path in the wheel.
        content: its bytes.
        names: the paths of all files in the wheel.
        platform: the wheel's platform tag, such as macosx_11_0_arm64.
    """
    entry_point = _ENTRY_POINTS.get(posixpath.basename(name).split(".")[0])
    if platform.startswith("macosx"):
        return _mach_o_problems(name, content, names, platform, entry_point)
    if platform.startswith("win"):
        return _pe_problems(name, content, names, entry_point)
    library = lief.ELF.parse(list(content))
    if library is None:
        return ["it is no library for Linux"]
    paths = [
        entry.runpath if isinstance(entry, lief.ELF.DynamicEntryRunPath) else entry.rpath
        for entry in library.dynamic_entries
        if isinstance(entry, lief.ELF.DynamicEntryRunPath | lief.ELF.DynamicEntryRpath)
    ]
    folders = [folder for path in paths for folder in str(path).split(":")]
    return [f"it looks for others in {folder}" for folder in folders if folder != "$ORIGIN"]


def _pe_problems(
    name: str, content: bytes, names: Collection[str], entry_point: str | None
) -> list[str]:
    library = lief.PE.parse(list(content))
    if library is None or library.header.machine != lief.PE.Header.MACHINE_TYPES.AMD64:
        return ["it is no library for Windows on x86-64"]
    found = []
    folder = posixpath.dirname(name)
    # Python has its own library open, when it opens an extension.
    python = re.search(r"\.cp(\d+t?)-", name)
    known = {f"python{python[1]}.dll"} if python else set()
    known |= {posixpath.basename(name) for name in names if posixpath.dirname(name) == folder}
    for other in (str(entry.name) for entry in library.imports):
        if not _OF_WINDOWS.fullmatch(other.lower()) and other not in known:
            found.append(f"it needs {other}, which is not in its folder")
    exported = library.get_export()
    symbols = [str(entry.name) for entry in exported.entries] if exported else []
    if entry_point is not None and entry_point not in symbols:
        found.append(f"it does not export {entry_point}")
    return found


def _mach_o_problems(
    name: str, content: bytes, names: Collection[str], platform: str, entry_point: str | None
) -> list[str]:
    file = lief.MachO.parse(list(content))
    library = file.take(lief.MachO.Header.CPU_TYPE.ARM64) if file is not None else None
    if library is None:
        return ["it is no library for macOS on ARM"]
    found = []
    version = [int(number) for number in re.findall(r"\d+", platform)[:2]]
    least = library.build_version.minos[:2] if library.build_version else None
    if least is None or least > version:
        found.append(f"it is for macOS from {least} on, the wheel from {version} on")
    if not library.has_code_signature:
        found.append("it has no signature")
    folders = {
        str(rpath.path).replace("@loader_path", posixpath.dirname(name)) for rpath in library.rpaths
    }
    own = {str(command.name) for command in library.libraries if "ID_DYLIB" in str(command.command)}
    for other in {str(command.name) for command in library.libraries} - own - _OF_MACOS:
        places = {other.replace("@rpath", folder) for folder in folders}
        if not places & set(names):
            found.append(f"it needs {other}, which is not in the wheel")
    if entry_point is not None:
        found += _symbol_problems(library, f"_{entry_point}")
    return found


def _symbol_problems(library: lief.MachO.Binary, entry_point: str) -> list[str]:
    """The entry point must be there, and each function that it calls in a known library."""
    found = []
    exported = {str(symbol.name): symbol for symbol in library.exported_symbols}
    if entry_point not in exported:
        found.append(f"it does not export {entry_point}")
    # A process keeps one of all functions with this flag and name, of whatever library: so only
    # C++'s operators new and delete may have it.
    shared = [
        name
        for name, symbol in exported.items()
        if symbol.has_export_info
        and lief.MachO.ExportInfo.FLAGS.WEAK_DEFINITION in symbol.export_info.flags_list
        and not re.match("__Zn[wa]|__Zd[la]", name)
    ]
    if shared:
        found.append(f"it shares {len(shared)} symbols with other libraries, such as {shared[0]}")
    for binding in library.bindings:
        symbol = str(binding.symbol.name) if binding.has_symbol else ""
        if binding.library_ordinal == _ANY and not re.match("__?Py", symbol):
            found.append(f"no library is known to have {symbol}")
    return sorted(set(found))


_ANY = -2  # BIND_SPECIAL_DYLIB_FLAT_LOOKUP
