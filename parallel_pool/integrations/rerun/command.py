"""`python -m parallel_pool view`: a recorded run, or two side by side, in the viewer Rerun."""

import contextlib
import pathlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from parallel_pool.integrations.rerun import live, runs, viewer


def run(
    files: Sequence[str],
    envs: Sequence[int] | None = None,
    episode: str | None = None,
    steps: tuple[int, int] | None = None,
    pictures: int | None = None,
    *,
    out: str | None = None,
    serve: bool = False,
    port: int = 0,
    follow: bool = False,
) -> int:
    """Shows one run or two; returns the exit code.

    Without a display it writes the .rrd file, and says how to look at it.

    Args:
        files: of pool.record(): one or two.
        envs: as of to_rerun().
        episode: as of to_rerun().
        steps: as of to_rerun().
        pictures: as of to_rerun().
        out: writes this .rrd file, and opens no viewer unless `serve` is True.
        serve: shows the run on a web page that only programs of this machine can open.
        port: of the page; 0: a free one.
        follow: shows a run that is being recorded, until it ends.
    """
    if out is not None and not out.endswith(".rrd"):
        raise ValueError(f"--out is {out!r}; it must end in .rrd")
    if follow:
        _refuse_with_follow(files, envs, episode, steps, pictures, out)
        return _follow(files[0], serve, port)
    choice = runs.Choice.of(envs, episode, steps, pictures)
    has_display = viewer.has_display()
    if out is None and not serve and not has_display:
        out = f"{pathlib.Path(files[0]).stem}.rrd"
    with _file(out) as target:
        for line in runs.save(runs.new_stream(), target, list(files), choice, None):
            print(line, flush=True)
        if serve:
            with viewer.served(target, port=port) as server:
                return _serve(server)
        if out is None:
            return viewer.open_window(target)
    print(f"{out}: `rerun {out}` shows it on a machine with a display and rerun-sdk")
    if not has_display:
        print("This machine has no display; with --serve a browser shows the run.")
    return 0


@contextlib.contextmanager
def _file(out: str | None) -> Iterator[str]:
    """The file to write: `out`, or one that is deleted at the end of the block."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(pathlib.Path(folder, "run.rrd"))


def _serve(server: Any) -> int:
    """Prints where it is shown, and waits for Ctrl-C."""
    print(f"shown at {server}; Ctrl-C ends it", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        return int(server.wait())
    return 0


def _refuse_with_follow(files: Sequence[str], *others: Any) -> None:
    if len(files) > 1:
        raise ValueError("--follow shows one run, not two")
    names = ("--env", "--episode", "--steps", "--pictures", "--out")
    for name, value in zip(names, others, strict=True):
        if value is not None:
            raise ValueError(f"--follow shows the newest episodes; it does not take {name}")


def _follow(file: str, serve: bool, port: int) -> int:
    """Shows a run that is being recorded, until it ends; a page stays until Ctrl-C."""

    def wait(seconds: float) -> bool:
        time.sleep(seconds)
        return False

    with contextlib.suppress(KeyboardInterrupt):
        live.show(file, wait, lambda server: server.wait(), serve=serve, port=port)
    return 0
