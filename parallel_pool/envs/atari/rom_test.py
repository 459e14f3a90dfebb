"""The errors of make() if a game's ROM is missing, or is not the one that ALE supports."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import parallel_pool

MAKE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import parallel_pool
for task in ("Pong-v5", "Breakout-v5"):
    try:
        with parallel_pool.make(task) as pool:
            pool.reset()
        print(task, "plays")
    except ValueError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda rom: rom.unlink(), "pong.bin cannot be read"),
        (lambda rom: rom.write_bytes(b""), "pong.bin is damaged: its MD5 is"),
        (lambda rom: rom.write_bytes(rom.read_bytes()[:-1] + b"!"), "pong.bin is damaged: its MD"),
        (lambda rom: shutil.copy(rom.with_name("qbert.bin"), rom), "pong.bin is damaged: its MD5"),
    ],
    ids=["missing", "empty", "corrupt", "another game"],
)
def test_bad_rom(damage, words: str, tmp_path: pathlib.Path) -> None:  # type: ignore[no-untyped-def]
    package = tmp_path / "parallel_pool"
    shutil.copytree(pathlib.Path(parallel_pool.__file__).parent, package)
    rom = package / "envs/atari/roms/pong.bin"
    rom.chmod(0o644)
    damage(rom)
    run = subprocess.run(
        [sys.executable, "-I", "-c", MAKE, json.dumps([str(tmp_path), *sys.path])],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = run.stdout.splitlines()
    assert first.startswith("Pong-v5: the ROM ")
    assert words in first
    assert second == "Breakout-v5 plays", "another game suffers, too"
