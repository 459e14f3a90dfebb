"""Debian's wine in a folder, with functions of Windows that NumPy needs and wine lacks."""

import os
import pathlib
import struct
import subprocess

import lief

_SUITE = "trixie"
# wine, and its own C library with what else it loads; without the many libraries for windows and
# sound that Debian's package asks for.
_PACKAGES = (
    "libwine",
    "wine64",
    "libc6",
    "libgcc-s1",
    "liblzma5",
    "libunwind8",
    "libz-mingw-w64",
)
# It is at byte 64 of each of wine's own libraries.
_SIGNATURE = b"Wine builtin DLL".ljust(32, b"\0")

# NumPy calls functions of complex numbers that wine 10 only has as stubs. Windows passes two floats
# in rcx, and two doubles by their address in rcx; long double is double.
_LOW, _HIGH = "660f6ec1", "48c1e920660f6ec9"  # movd xmm0, ecx; shr rcx, 32 and movd xmm1, ecx
_SHIFT = "48c1e920"
# Name: the machine code, and the function to which it jumps at its end instead of returning.
_FUNCTIONS: dict[str, tuple[str, str | None]] = {
    "crealf": (_LOW + "c3", None),
    "cimagf": (_SHIFT + _LOW + "c3", None),
    "cabsf": (_LOW + _HIGH, "_hypotf"),
    "cargf": ("660f6ec9" + _SHIFT + _LOW, "atan2f"),
}
for _end in ("", "l"):
    _FUNCTIONS |= {
        "creal" + _end: ("f20f1001c3", None),
        "cimag" + _end: ("f20f104108c3", None),
        "cabs" + _end: ("f20f1001f20f104908", "_hypot"),
        "carg" + _end: ("f20f104108f20f1009", "atan2"),
    }


def _is_stub(code: bytes | bytearray) -> bool:
    # sub rsp, 40; lea rcx, ...; lea rdx, ...: it reports its library and its name.
    return code[:7].hex() == "4883ec28488d0d" and code[11:14].hex() == "488d15"


def fill_in(library: pathlib.Path) -> None:
    """Fills in the functions of _FUNCTIONS that are stubs in wine's ucrtbase.dll."""
    content = bytearray(library.read_bytes())
    parsed = lief.PE.parse(list(content))
    places = {entry.name: entry.address for entry in parsed.get_export().entries}
    for name, (code, target) in _FUNCTIONS.items():
        place = parsed.rva_to_offset(places[name])
        if not _is_stub(content[place : place + 14]):
            continue
        new = bytes.fromhex(code)
        if target is not None:
            jump = places[target] - (places[name] + len(new) + 5)
            new += b"\xe9" + struct.pack("<i", jump)
        content[place : place + len(new)] = new
    library.write_bytes(content)


def _write_program(path: pathlib.Path, starts: pathlib.Path) -> None:
    path.write_text(f'#!/bin/sh\nexec "{starts}" "$@"\n')
    path.chmod(0o755)


def install(folder: pathlib.Path) -> pathlib.Path:
    """Unpacks wine into `folder`; the program that runs a program of Windows."""
    script = str(pathlib.Path(__file__).with_name("debian_packages.sh"))
    root = folder / "root"
    subprocess.run([script, "--alone", _SUITE, "amd64", str(root), *_PACKAGES], check=True)
    libraries, programs = root / "usr/lib/x86_64-linux-gnu", root / "usr/lib/wine"
    for name in ("wine64", "wineserver64"):
        command = ["patchelf", "--set-interpreter", str(libraries / "ld-linux-x86-64.so.2")]
        command += ["--set-rpath", str(libraries), "--force-rpath", str(programs / name)]
        subprocess.run(command, check=True)
    _write_program(programs / "wineserver", programs / "wineserver64")
    (root / "usr/share/wine/wine").symlink_to(".")  # where wineserver looks for nls/
    windows = libraries / "wine/x86_64-windows"
    zlib = (root / "usr/x86_64-w64-mingw32/lib/zlib1.dll").read_bytes()
    (windows / "zlib1.dll").write_bytes(zlib[:64] + _SIGNATURE + zlib[64 + len(_SIGNATURE) :])
    # wine's folder of Windows has a copy of each of them.
    files = [str(path) for path in windows.iterdir() if path.suffix in (".dll", ".exe", ".drv")]
    subprocess.run(["strip", "--strip-debug", *files], capture_output=True, check=False)
    fill_in(windows / "ucrtbase.dll")
    program = folder / "wine"
    _write_program(program, programs / "wine64")
    env = os.environ | environment(folder)
    subprocess.run([str(program), "wineboot", "--init"], env=env, check=True)
    subprocess.run([str(programs / "wineserver64"), "--wait"], env=env, check=True)
    return program


def environment(folder: pathlib.Path) -> dict[str, str]:
    """The variables that wine reads: where it is, and that there is no screen."""
    programs = folder / "root/usr/lib/wine"
    return {
        "DISPLAY": "",
        "WINEARCH": "win64",
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
        "WINELOADER": str(programs / "wine64"),
        "WINEPREFIX": str(folder / "prefix"),
        "WINESERVER": str(programs / "wineserver64"),
    }
