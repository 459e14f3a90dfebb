"""Checks what is in wheels, without running them; ends with `N passed, N failed`.

Twine and check-wheel-contents read the metadata and the files. auditwheel has checked the platform
tag while the wheel was made. The classifiers must be PyPI's, the bill of materials must satisfy
CycloneDX's schema, and its libraries must find all that they need (libraries.py).
Usage: .work/wheels/checks/bin/python tools/wheel/checks.py WHEEL...    with checks.lock
"""

import email
import pathlib
import subprocess
import sys
import zipfile
from collections.abc import Callable

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from libraries import problems
from trove_classifiers import classifiers

# W002: licenses/Gymnasium.txt and others belong to several families, each with its own copy.
_IGNORED = "W002"


def _run(*command: str) -> str:
    bin_ = pathlib.Path(sys.executable).parent
    run = subprocess.run(
        [str(bin_ / command[0]), *command[1:]], capture_output=True, text=True, check=False
    )
    return run.stdout + run.stderr if run.returncode else ""


def _twine(wheel: pathlib.Path) -> str:
    return _run("twine", "check", "--strict", str(wheel))


def _contents(wheel: pathlib.Path) -> str:
    return _run("check-wheel-contents", "--ignore", _IGNORED, str(wheel))


def _classifiers(wheel: pathlib.Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        found = email.message_from_bytes(archive.read(name)).get_all("Classifier") or []
    unknown = sorted(set(found) - set(classifiers))
    return "" if found and not unknown else f"PyPI does not know {unknown}, or there is none"


def _sbom(wheel: pathlib.Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.endswith(".cdx.json")]
        if not names:
            return "there is none"
        errors = JsonStrictValidator(SchemaVersion.V1_6).validate_str(
            archive.read(names[0]).decode()
        )
    return str(errors) if errors else ""


def _libraries(wheel: pathlib.Path) -> str:
    platform = wheel.stem.split("-")[-1]
    wrong = []
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in names:
            if name.endswith((".so", ".dylib", ".dll", ".pyd")):
                found = problems(name, archive.read(name), names, platform)
                wrong += [f"{name}: {problem}" for problem in found]
    return "\n".join(wrong)


_CHECKS: dict[str, Callable[[pathlib.Path], str]] = {
    "twine": _twine,
    "check-wheel-contents": _contents,
    "classifiers": _classifiers,
    "bill of materials": _sbom,
    "libraries": _libraries,
}


def main() -> int:
    """Checks the wheels of the command line."""
    passed = failed = 0
    for argument in sys.argv[1:]:
        wheel = pathlib.Path(argument)
        for name, check in _CHECKS.items():
            problem = check(wheel)
            if problem:
                failed += 1
                print(f"checks: {wheel.name}: {name}: {problem}", flush=True)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
