"""Opens the viewer Rerun: its window, or its web page for this machine alone."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator

MEMORY = "512MB"  # of a viewer or its server, which drop the oldest results of a live run
_SECONDS = 20.0  # that a server may take to start


def has_display() -> bool:
    """Whether this machine can open a window."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def command(*words: str) -> list[str]:
    """The program of the installed rerun-sdk, with arguments."""
    return [sys.executable, "-m", "rerun_cli", *words]


class Server:
    """A server of Rerun and of its web page, which only programs of this machine can reach.

    rerun.serve_grpc() and rerun.serve_web_viewer() are open to other machines.

    Attributes:
        url: where to send a recording: of RecordingStream.connect_grpc().
        page: the address for a browser.
        ports: of the page and of the server.
    """

    def __init__(self, *files: str, port: int = 0) -> None:
        """Starts it.

        Args:
            *files: .rrd files that it shows.
            port: of the page; 0: a free one.

        Raises:
            RuntimeError: it did not start.
        """
        page, data = _free_port(port), _free_port(0)
        self.ports: tuple[int, int] = page, data
        self.url: str = f"rerun+http://127.0.0.1:{data}/proxy"
        query = urllib.parse.urlencode({"url": self.url, "hide_welcome_screen": "1"})
        self.page: str = f"http://127.0.0.1:{page}/?{query}"
        words = ["--serve-web", "--bind", "127.0.0.1", "--server-memory-limit", MEMORY]
        words += ["--port", str(data), "--web-viewer-port", str(page), *files]
        self._process = subprocess.Popen(
            command(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_quiet(),
            start_new_session=True,  # Ctrl-C is for the program, which then ends the server
        )
        try:
            self._wait_for_start()
        except BaseException:
            self.close()
            raise

    def _wait_for_start(self) -> None:
        end = time.monotonic() + _SECONDS
        for port in self.ports:
            while not _answers(port):
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"Rerun's server did not start at port {port}")
                time.sleep(0.05)

    def wait(self) -> int:
        """Waits for its end; returns its exit code."""
        return self._process.wait()

    def close(self) -> None:
        """Ends it."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # the program has started another
        self._process.kill()
        self._process.wait()

    def __str__(self) -> str:
        """The address, and how to reach it from another machine."""
        page, data = self.ports
        forward = f"ssh -L {page}:127.0.0.1:{page} -L {data}:127.0.0.1:{data}"
        return f"{self.page} (from elsewhere: {forward} {socket.gethostname()})"


def open_window(file: str) -> int:
    """Shows a .rrd file in the viewer's window until it is closed; returns the exit code."""
    return subprocess.run(command(file), env=_quiet(), check=False).returncode


def _quiet() -> dict[str, str]:
    """Rerun's own variables: only errors are printed."""
    return {"RUST_LOG": "error", **os.environ}


def _free_port(port: int) -> int:
    """The port, or a free one for 0; RuntimeError if another program has it."""
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise RuntimeError(f"port is {port}, which cannot be used: {error.strerror}") from None
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
        return True
    return False


@contextlib.contextmanager
def served(*files: str, port: int = 0) -> Iterator[Server]:
    """A server that ends with the block."""
    server = Server(*files, port=port)
    try:
        yield server
    finally:
        server.close()
