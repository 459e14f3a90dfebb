"""Makes a release: runs all builds, tests and measurements, and writes dist/certificate.

Each step is a command of its own, whose output and figures go to .work/release/COMMIT. A second
call at the same commit goes on where the first one ended: steps that passed are not run again.
Another machine goes on with a copy of the folder dist/certificate. The certificate says of each
step whether it passed, failed or was not run. Usage:

    make release                                 everything, which takes hours
    make release RELEASE="--short"               the same steps with less work: less than two hours
    make release RELEASE="--only lint docs"      some steps, and those that passed before
    make release RELEASE="--again bench"         a step once more
    make release RELEASE="--list"                the steps with their commands
"""

import argparse
import contextlib
import difflib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from tools.release import certificate
from tools.release.steps import Step, counts, steps

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_PATIENCE = 20  # seconds that a step has to end after Ctrl-C
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _git(root: pathlib.Path, *arguments: str) -> str:
    run = subprocess.run(
        ["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE, text=True
    )
    return run.stdout


def changed(root: pathlib.Path) -> list[str]:
    """The files that differ from the commit, or that git does not know."""
    status = _git(root, "status", "--porcelain", "--untracked-files=all")
    return [line[3:] for line in status.splitlines()]


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """Ctrl-C and its like take effect after the block: no process starts and is then forgotten."""
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in _ENDING}
    caught = {number: handler for number, handler in before.items() if callable(handler)}
    for number in caught:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in caught.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a step with all that it started; a second Ctrl-C ends its patience."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGINT)
        process.wait(_PATIENCE)
    with _signals_wait(), contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(step: Step, root: pathlib.Path, release: pathlib.Path) -> dict[str, Any]:
    """Runs a step; writes NAME.log and NAME.json to the folder of the release."""
    command = step.command.format(release=release.relative_to(root))
    log = release / f"{step.name}.log"
    (release / f"{step.name}.json").unlink(missing_ok=True)  # after Ctrl-C it has to run again
    print(f"release: {step.name}: {command}    (its output: {log.relative_to(root)})", flush=True)
    begin = time.monotonic()
    with log.open("wb") as out:
        process = None
        try:
            with _signals_wait():
                # Programs that a script puts into the background ignore Ctrl-C, which steps test.
                process = subprocess.Popen(
                    ["env", "--default-signal=INT", "bash", "-c", command],
                    cwd=root,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            code = process.wait()
        except BaseException:
            if process:
                _kill(process)
            raise
    output = log.read_text(errors="replace")
    result: dict[str, Any] = {"command": command, "code": code}
    result["seconds"] = round(time.monotonic() - begin, 1)
    result["counts"] = counts(output)
    result["figures"] = {}
    if step.collect and code == 0:
        result["figures"] = step.collect(root, release, output)
    result["machine"] = certificate.machine(root)
    _save(result, release, step.name)
    minutes = result["seconds"] / 60
    print(f"release: {step.name}: {_outcome(result)} after {minutes:.1f} min", flush=True)
    return result


def _outcome(result: dict[str, Any]) -> str:
    return "passed" if result["code"] == 0 else f"FAILED (exit {result['code']})"


def _save(result: dict[str, Any], release: pathlib.Path, name: str) -> None:
    """Writes a step's result in one go, so that Ctrl-C leaves no half of it."""
    part = release / f"{name}.part"
    part.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
    part.replace(release / f"{name}.json")


def _begin(root: pathlib.Path, release: pathlib.Path, commit: str, short: bool) -> None:
    """Makes the folder of a release, with the results that the checkout's certificate has of it."""
    if not release.exists():
        found = certificate.results(root, commit, short)
        release.mkdir(parents=True)
        for name, result in found.items():
            _save(result, release, name)


def results_of(known: list[Step], release: pathlib.Path) -> dict[str, Any]:
    """The results of the steps that were run, by name."""
    files = {step.name: release / f"{step.name}.json" for step in known}
    return {name: json.loads(f.read_text()) for name, f in files.items() if f.exists()}


def commit_of(root: pathlib.Path) -> str:
    """The commit of a checkout."""
    return _git(root, "rev-parse", "HEAD").strip()


def _few(files: list[str]) -> str:
    return ", ".join(files[:5]) + (f" and {len(files) - 5} more" if len(files) > 5 else "")


def select(
    known: list[Step],
    done: dict[str, Any],
    only: list[str],
    again: list[str],
    release: pathlib.Path,
) -> set[str]:
    """The steps to run: those that have not passed, and those of what is measured once more."""
    chosen = set(again)
    for step in known:
        passed = step.name in done and done[step.name]["code"] == 0
        if (not only or step.name in only) and not passed:
            chosen.add(step.name)
    for step in known:
        if step.name in chosen:  # another machine has the files of what has no log here
            chosen |= {name for name in step.needs if not (release / f"{name}.log").exists()}
    for step in known:
        passed = step.name in done and done[step.name]["code"] == 0
        if passed and chosen & set(step.needs):  # its figures would be those of an earlier run
            chosen.add(step.name)
    return chosen


def make(
    root: pathlib.Path, known: list[Step], only: list[str], again: list[str], short: bool
) -> int:
    """Runs the steps that have not passed yet, and writes the certificate; an exit code."""
    if files := changed(root):
        print(f"release: commit these first: {_few(files)}", file=sys.stderr)
        return 2
    commit = commit_of(root)
    release = root / ".work/release" / (commit[:12] + ("-short" if short else ""))
    _begin(root, release, commit, short)
    done = results_of(known, release)
    chosen = select(known, done, only, again, release)

    def write() -> None:
        record = certificate.record(root, commit, known, done, short)
        certificate.write(root, record, release / "chart.png")

    for step in known:
        if step.name not in chosen:
            continue
        done[step.name] = run(step, root, release)
        if (files := changed(root)) or commit_of(root) != commit:
            (release / f"{step.name}.json").unlink()
            what = _few(files) or "HEAD"
            print(f"release: {what} changed while {step.name} ran", file=sys.stderr)
            return 2
        write()
    write()
    print(f"release: wrote {certificate.FOLDER}", flush=True)
    left = [step.name for step in known if step.name not in done]
    failed = [name for name, result in done.items() if result["code"]]
    if failed or left:
        print(f"release: failed: {failed or 'none'}; not run: {left or 'none'}", file=sys.stderr)
    return 1 if failed or left else 0


def _check(names: list[str], known: list[Step]) -> None:
    for name in names:
        if name not in [step.name for step in known]:
            near = difflib.get_close_matches(name, [step.name for step in known], n=1)
            hint = f"did you mean {near[0]}?" if near else "--list shows them"
            sys.exit(f"release: there is no step {name!r}; {hint}")


def main() -> int:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(
        prog="release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true", help="less work in each step")
    parser.add_argument("--only", nargs="+", default=[], metavar="STEP")
    parser.add_argument("--again", nargs="+", default=[], metavar="STEP")
    parser.add_argument("--list", action="store_true", help="print the steps, run none")
    args = parser.parse_args()
    known = steps(args.short)
    _check([*args.only, *args.again], known)
    if args.list:
        print("\n".join(f"{step.name:18} {step.command}" for step in known))
        return 0
    for number in _ENDING:  # else the step's processes would go on
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, signal.default_int_handler)
    try:
        return make(_ROOT, known, args.only, args.again, args.short)
    except KeyboardInterrupt:
        print("release: interrupted; the next call goes on with this step", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
