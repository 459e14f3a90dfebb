"""Shows a run while it is recorded: python -m parallel_pool.integrations.rerun.live FILE.

It plays the file again as it grows, in a process of its own, so the program that trains does no
more than record. It works a small part of the time: where it falls behind, it leaves results out.
"""

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable

import rerun as rr

from parallel_pool.integrations.rerun import viewer
from parallel_pool.integrations.rerun.env_log import EnvLog
from parallel_pool.integrations.rerun.layout import Panel, blueprint
from parallel_pool.integrations.rerun.pictures import Pictures
from parallel_pool.integrations.rerun.rows import Rows
from parallel_pool.integrations.rerun.runs import new_stream
from parallel_pool.replays.replay import Replay, replay

_FEW_ENVS = 4
_PAUSE = 0.5  # seconds between two looks, at least
_SHARE = 0.02  # of one processor's time
_SECONDS = 0.02  # of an env in a look
_FAR = 1000  # results, that it leaves out at least if it leaves any out


class _LiveEnv:
    """An env that is followed, episode by episode."""

    def __init__(self, stream: rr.RecordingStream, path: str, env: int, draws: bool) -> None:
        self._played: Replay = replay(path, env_id=env, render_mode="rgb_array" if draws else None)
        self._rows = Rows(self._played)
        self.panel = Panel(f"env_{env}", f"env {env}", self._played.fps)
        self._log = EnvLog(stream, self.panel.root, self._played.pool, self._rows.texts)
        self._draws = draws
        self._pictures = Pictures(self._played, are_needed=False)
        self._is_late = False  # rows up to the end of an episode are left out
        self.has_more = True  # whether the run goes on

    def look(self) -> None:
        """Writes the next results; after an episode it goes on with the newest keyframe."""
        end = time.process_time() + _SECONDS
        self.has_more = self._played.look_again()
        newest = self._played.newest_keyframe
        if self._log.is_between and not self._is_late and newest > self._played.step + _FAR:
            self._played.seek(newest)
            self._rows = Rows(self._played)
            self._log.leave_out()
            self._is_late = True
        last = None
        for row in self._rows:
            if self._is_late:
                self._is_late = not row.is_end
            else:
                last = row
                self._log.add(row)
            if time.process_time() > end:
                break
        if last is not None and self._draws and not last.error:
            picture = self._pictures.take()
            if picture is not None:
                self._log.add_picture(last.step, picture)
        self._log.flush()
        self.panel.names = self._log.names

    def close(self) -> None:
        """Frees the env."""
        self._played.close()


def follow(stream: rr.RecordingStream, path: str, wait: Callable[[float], bool]) -> None:
    """Writes the results of a growing file until its run ends, or wait(seconds) returns True."""
    with contextlib.ExitStack() as stack:
        with replay(path) as first:
            number = min(_FEW_ENVS, first.num_envs)
            draws = "rgb_array" in first.pool._pool_spec.source.render_modes
        envs = [_LiveEnv(stream, path, env, draws and env == 0) for env in range(number)]
        for env in envs:
            stack.callback(env.close)
        shown: list[list[str]] = []
        while True:
            begun = time.process_time()
            for env in envs:
                env.look()
            stream.flush()
            if shown != (shown := [list(env.panel.names) for env in envs]):
                stream.send_blueprint(blueprint([env.panel for env in envs], is_live=True))
            worked = time.process_time() - begun
            if not any(env.has_more for env in envs) or wait(max(_PAUSE, worked / _SHARE)):
                return


def show(
    path: str,
    wait: Callable[[float], bool],
    hold: Callable[[viewer.Server], object],
    *,
    serve: bool = False,
    port: int = 0,
) -> None:
    """Opens the viewer and follows a growing file.

    Args:
        path: the file.
        wait: as of follow().
        hold: waits until the page of a machine without a display is not needed any more.
        serve: shows the page although there is a display.
        port: of the page; 0: a free one.
    """
    warnings.simplefilter("ignore")  # that the file has no end yet
    stream = new_stream(path)
    if viewer.has_display() and not serve:
        stream.spawn(memory_limit=viewer.MEMORY, server_memory_limit=viewer.MEMORY)
        follow(stream, path, wait)
        stream.flush()
        return
    with viewer.served(port=port) as server:
        stream.connect_grpc(server.url)
        print(f"{path}: shown at {server}", file=sys.stderr, flush=True)
        follow(stream, path, wait)
        stream.flush()
        hold(server)


def _wait_for_end(over: threading.Event) -> None:
    """Sets `over` when this process's input ends."""
    sys.stdin.read()
    over.set()


def main() -> None:
    """Shows the file of the command line until this process's input ends."""
    path = sys.argv[1]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the program's, not this one's
    if hasattr(os, "nice"):
        os.nice(19)
    over = threading.Event()
    threading.Thread(target=_wait_for_end, args=(over,), daemon=True).start()
    try:
        show(path, over.wait, lambda server: over.wait())
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"{path}: the view has ended: {error}")


if __name__ == "__main__":
    main()
