"""Plays MuJoCo tasks of the wheel next to an installed `mujoco`; the argument is imported first.

Prints the files of MuJoCo that this process has loaded after parallel_pool has played: ours, and
the other if it was imported first. Then all three play: ours of both versions, and the other.
"""

import pathlib
import re
import sys
from typing import Any

import numpy as np


def libraries() -> list[str]:
    """The files of MuJoCo itself that this process has mapped, ours first."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    files = {line.split(maxsplit=5)[-1] for line in maps.splitlines()}
    names = {name for name in files if re.search(r"mujoco(_4)?\.so", pathlib.Path(name).name)}
    return sorted(names, key=lambda name: "parallel_pool" not in pathlib.Path(name).name)


def play_ours(version: str = "3.17.0") -> Any:
    """Plays HalfCheetah, and loads a file that is no model."""
    import parallel_pool

    options: Any = {"mujoco_version": version}
    with parallel_pool.make("HalfCheetah-v5", num_envs=2, seed=0, **options) as env:
        env.reset()
        for _ in range(20):
            obs = env.step(np.ones((2, 6), np.float32))[0]
    try:
        parallel_pool.make("HalfCheetah-v5", xml_file=__file__, **options)
    except ValueError as error:
        assert "is no MuJoCo model" in str(error), error
    return obs[0]


def play_theirs() -> None:
    """Runs a step, and an error that MuJoCo's own handler must receive."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(
        '<mujoco><size memory="1K"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 -1">'
        '<freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    try:
        mujoco.mj_step(model, mujoco.MjData(model))
    except mujoco.FatalError as error:
        assert "stack overflow" in str(error), error
    else:
        raise AssertionError("no error")


if __name__ == "__main__":
    if sys.argv[1] == "mujoco":
        play_theirs()
    alone = play_ours()
    print("\n".join(libraries()))
    newer = play_ours("4.0.1")
    play_theirs()
    found = libraries()
    assert len(found) == 3, found
    assert (play_ours() == alone).all()
    assert (play_ours("4.0.1") == newer).all()
