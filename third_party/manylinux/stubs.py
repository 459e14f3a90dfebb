"""Writes link-time stand-ins for older C and C++ libraries, derived from those of this machine.

glibc and libstdc++ never remove a symbol version. So the symbols of glibc 2.28 are those of a newer
one whose version is at most GLIBC_2.28. A library that is linked with a stand-in can name no newer
symbol, and so it runs on every glibc since then. The stand-ins contain no code and are never run.

FOLDER/glibc has the stand-ins for glibc, FOLDER/shared that for libstdc++.so, FOLDER/static a link
to libstdc++.a.
Usage: stubs.py FOLDER COMPILER GLIBC_2.28 GLIBCXX_3.4.24 CXXABI_1.3.11
"""

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

# The libraries of glibc that the linker may ask for, and their files at run time. In the older
# glibc, threads, dlopen and shared memory are not in libc. A newer one keeps these names.
_LIBRARIES = {
    "libc": "libc.so.6",
    "libdl": "libdl.so.2",
    "libm": "libm.so.6",
    "libpthread": "libpthread.so.0",
    "librt": "librt.so.1",
}

_SYMBOL = re.compile(
    r"\s*\d+: [0-9a-f]+ +(?P<size>\S+) (?P<type>\w+) +\w+ +\w+ +\d+ "
    r"(?P<name>[\w.]+)@+(?P<node>[A-Z]+)_(?P<version>[\d.]+)$"
)

# The versions of each kind, such as GLIBC: the newest that is allowed.
Newest = dict[str, tuple[int, ...]]


class Symbol(NamedTuple):
    """A function or an object that a library has."""

    version: tuple[int, ...]
    node: str  # the version's name, such as GLIBC_2.28
    type: str
    size: int  # bytes


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _symbols(library: str, newest: Newest) -> dict[str, Symbol]:
    """The newest allowed version of each symbol, by name."""
    command = ["readelf", "--wide", "--dyn-syms", library]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Symbol] = {}
    for line in output.splitlines():
        match = _SYMBOL.match(line)
        if not match or match["type"] == "TLS":
            continue
        version, name, node = _version(match["version"]), match["name"], match["node"]
        if version > newest.get(node, ()) or (name in found and version < found[name].version):
            continue
        full = f"{node}_{match['version']}"
        found[name] = Symbol(version, full, match["type"], int(match["size"], 0))
    return found


def _path(soname: str, compiler: str) -> str:
    """This machine's file of a library."""
    command = [compiler, f"-print-file-name={soname}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _loader(compiler: str) -> str:
    """The name of the dynamic loader, such as ld-linux-x86-64.so.2."""
    command = ["readelf", "--wide", "--dynamic", _path("libc.so.6", compiler)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = re.search(r"\(NEEDED\).*\[(ld-linux.*)\]", output)
    if not match:
        raise SystemExit("libc.so.6 does not name the dynamic loader")
    return match[1]


def _stub(soname: str, out: pathlib.Path, newest: Newest, compiler: str) -> None:
    """Writes `out`, a library with the symbols of this machine's `soname` up to `newest`."""
    symbols = sorted(_symbols(_path(soname, compiler), newest).items())
    code = []
    for name, symbol in symbols:
        if symbol.type == "OBJECT":
            code += [".data", f".type {name},@object", f".size {name},{symbol.size}"]
            code += [f".globl {name}", f"{name}: .zero {max(symbol.size, 1)}"]
        else:
            code += [".text", f".type {name},@function", f".globl {name}", f"{name}: .byte 0"]
    nodes = []
    for node in sorted({symbol.node for _, symbol in symbols}):
        names = "".join(f" {name};" for name, symbol in symbols if symbol.node == node)
        nodes.append(f"{node} {{ global:{names} }};")

    source = out.with_suffix(".s")
    script = out.with_suffix(".map")
    source.write_text("\n".join([*code, '.section .note.GNU-stack,"",%progbits', ""]))
    script.write_text("\n".join([*nodes, ""]))
    command = [compiler, "-shared", "-nostdlib", "-o", str(out), str(source)]
    command += [f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}"]
    subprocess.run(command, check=True)
    source.unlink()
    script.unlink()


def main() -> None:
    """Writes the folders that the command line describes."""
    folder, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    newest = {node: _version(version) for node, version in (v.split("_") for v in sys.argv[3:])}
    for name in ("glibc", "shared", "static"):
        (folder / name).mkdir(parents=True)

    for name, soname in _LIBRARIES.items():
        out = folder / "glibc" / (soname if name == "libc" else f"{name}.so")
        _stub(soname, out, newest, compiler)
    # As in glibc's own: the loader has some functions of libc, and an archive has those that are
    # linked into each program.
    loader = _loader(compiler)
    _stub(loader, folder / "glibc" / loader, newest, compiler)
    group = f"GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( {loader} ) )\n"
    (folder / "glibc/libc.so").write_text(group)

    _stub("libstdc++.so.6", folder / "shared/libstdc++.so", newest, compiler)
    (folder / "static/libstdc++.a").symlink_to(_path("libstdc++.a", compiler))


if __name__ == "__main__":
    main()
