"""The files of docs/add_an_env.md, to begin an env of one's own with."""

import pathlib

from parallel_pool.python.options.option import suggest

_FOLDER = pathlib.Path(__file__).parent / "examples"
# The next commands for each of them.
_NEXT = {
    "my_env.cc": "g++ $(python -m parallel_pool --cflags) my_env.cc -o my_env.so",
    "low_bid.cc": "g++ $(python -m parallel_pool --cflags) low_bid.cc -o low_bid.so",
    "play.py": "python play.py, once my_env.so is built",
    "check.py": "python check.py, once my_env.so is built",
}


def write(names: list[str]) -> int:
    """Writes example files into the working directory.

    Raises:
        ValueError: there is no such example.
        FileExistsError: there is such a file already; nothing was written.
    """
    for name in names:
        if name not in _NEXT:
            raise ValueError(f"there is no example {name!r}{suggest(name, _NEXT)}")
        if pathlib.Path(name).exists():
            raise FileExistsError(f"{name} is here already; move it away first")
    for name in names:
        pathlib.Path(name).write_bytes((_FOLDER / name).read_bytes())
        print(f"{name} is written; next: {_NEXT[name]}")
    return 0
