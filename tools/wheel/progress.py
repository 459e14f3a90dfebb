"""Runs a Bazel build, and shows people how far it is instead of Bazel's own lines.

Usage: python3 -m tools.wheel.progress ARGUMENT...    the arguments of tools/bazel.sh build

A terminal has one line that changes; a log has a line each half minute. Errors are shown whole.
"""

import re
import shutil
import subprocess
import sys
import time

_STEP = re.compile(r"\[([\d,]+) / ([\d,]+)\] ?(?:\d+ \w+, )?(?:\[\w+\] )?(.*)")
_NOISE = re.compile(
    r"INFO: |Loading: |Analyzing: |Use --sandbox_debug|\s*$|WARNING: Running B|\[|"
    r"Target //|  /.*\.whl$|Starting local B| +currently loading: "
)
_OPTIONS = [
    *("--show_progress", "--curses=no", "--color=no", "--show_progress_rate_limit=1"),
    "--ui_event_filters=-debug",
]
_LOG_SECONDS = 30.0
_LEAST_DONE = 0.2  # of all steps, from which on the time left is told: the first take longest


def told(done: int, total: int, seconds: float, what: str) -> str:
    """How far the build is.

    Args:
        done: the steps that have ended.
        total: all steps, as far as Bazel knows.
        seconds: since the first step.
        what: the step that runs now.
    """
    text = f"building: step {done:,} of {total:,}, {seconds / 60:.0f} min"
    if done > _LEAST_DONE * total:
        text += f", about {seconds * (total - done) / done / 60:.0f} more"
    return f"{text}: {what}" if what else text


class _Line:
    """The line that tells how far the build is."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._next = self._begun + _LOG_SECONDS
        self._shown = False

    def show(self, done: int, total: int, what: str) -> None:
        """Shows it now, or, in a log, from time to time."""
        now = time.monotonic()
        text = told(done, total, now - self._begun, what)
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=sys.stderr, flush=True)
            self._shown = True
        elif now > self._next:
            self._next = now + _LOG_SECONDS
            print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Makes room for another line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = False


def main() -> int:
    """Builds; returns Bazel's exit code."""
    command = ["tools/bazel.sh", "build", *_OPTIONS, *sys.argv[1:]]
    begun = time.monotonic()
    line, steps = _Line(), 0
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as bazel:
        assert bazel.stderr is not None
        for text in bazel.stderr:
            if step := _STEP.match(text):
                done, total = (int(number.replace(",", "")) for number in step.groups()[:2])
                steps = max(steps, done)
                line.show(done, total, step[3].split(";")[0].strip())
            elif not _NOISE.match(text):
                line.clear()
                print(text, end="", file=sys.stderr, flush=True)
    line.clear()
    if bazel.returncode == 0 and steps:
        print(f"built in {(time.monotonic() - begun) / 60:.1f} min", file=sys.stderr)
    return bazel.returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
