"""Where two runs part, however short; and what a damaged file says."""

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.recordings import file
from parallel_pool.replays.difference import difference

HERE = pathlib.Path(__file__).parent


def drive(path: pathlib.Path, odd_step: int = -1, steps: int = 200) -> pathlib.Path:
    """A run of a car that is left alone, but for one step."""
    pool = parallel_pool.make("MountainCar-v0", num_envs=1, seed=0, max_episode_steps=8)
    with pool.record(path):
        pool.reset()
        for step in range(steps):
            pool.step([2 if step == odd_step else 0])
    pool.close()
    return path


def command(*args: object) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "parallel_pool", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def test_a_difference_that_ends_before_the_next_digest_is_found(tmp_path: pathlib.Path) -> None:
    run = drive(tmp_path / "a.ppr")
    for odd_step in (2, 70, 198):
        other = drive(tmp_path / f"{odd_step}.ppr", odd_step)
        found = difference(run, other)
        assert found is not None
        assert (found.step, found.array) == (odd_step + 1, "action")
    assert difference(run, drive(tmp_path / "same.ppr")) is None
    assert command("diff", run, tmp_path / "2.ppr")[0] == 1


def test_every_result_counts_in_a_digest(tmp_path: pathlib.Path) -> None:
    with parallel_pool.replay(drive(tmp_path / "a.ppr")) as run:
        digests = run.digests
    with parallel_pool.replay(drive(tmp_path / "b.ppr", 2)) as other:
        assert list(other.digests) == list(digests) == [63, 127, 191]
        assert other.digests[63] != digests[63]
        assert other.digests[127] == digests[127]
        other.digests[63] = digests[63]
        with pytest.raises(parallel_pool.ReplayError, match="result 63, or one of the 63 before"):
            list(other)


def test_a_digest_counts_only_results_that_were_all_played(tmp_path: pathlib.Path) -> None:
    with parallel_pool.replay(drive(tmp_path / "a.ppr")) as run:
        run.seek(100)
        list(run)
        assert run.verified >= 1
        run.seek(3)
        list(run)


def test_one_env_of_a_normalizing_pool_has_rows_of_its_own(tmp_path: pathlib.Path) -> None:
    pool = parallel_pool.make(
        "CartPole-v1", num_envs=4, seed=0, normalize_observation=True, max_episode_steps=9
    )
    with pool.record(tmp_path / "run.ppr"):
        pool.reset()
        for step in range(30):
            pool.step([step % 2, 1, 0, 1])
    pool.close()
    with (
        parallel_pool.replay(tmp_path / "run.ppr") as run,
        parallel_pool.replay(tmp_path / "run.ppr", env_id=2) as one,
    ):
        for of_all, own in zip(run, one, strict=True):
            np.testing.assert_array_equal(own[0], of_all[0][2:3])
            np.testing.assert_array_equal(one.action, run.action[2:3])
            np.testing.assert_array_equal(one.was_reset, run.was_reset[2:3])
            assert one.env_id.tolist() == [2]


def damaged(path: pathlib.Path) -> pathlib.Path:
    """A run of four parts, the third of which is damaged."""
    pool = parallel_pool.make("CartPole-v1", num_envs=2, seed=0)
    recording = pool.record(path)
    pool.reset()
    places = []
    for _ in range(4):
        for _ in range(30):
            pool.step([0, 1])
        assert pool._recording is not None
        pool._recording._write()
        places.append(path.stat().st_size)
    del recording
    pool.close()
    data = bytearray(path.read_bytes())
    data[places[1] + file._RECORD.size + 3] ^= 4
    path.write_bytes(data)
    return path


@pytest.mark.filterwarnings("ignore:.*damaged")
def test_a_damaged_file_is_a_sentence_and_an_exit_code(tmp_path: pathlib.Path) -> None:
    path = damaged(tmp_path / "run.ppr")
    with parallel_pool.replay(path) as run:
        assert len(list(run)) == 61
    code, text = command("replay", path)
    assert code == 1
    assert "is damaged. Its results up to there can be replayed." in text
    assert "by its last part that can be read" in text
    code, text = command("replay", path, "--env", 1, "--step", 119)
    assert code == 1
    assert "result 119 cannot be read" in text
    code, text = command("replay", path, "--step", 40)
    assert code == 1
    assert "result 40 of CartPole-v1" in text
    assert command("replay", path, "--verify")[0] == 1


def test_a_whole_file_has_the_exit_code_0(tmp_path: pathlib.Path) -> None:
    path = drive(tmp_path / "run.ppr")
    assert command("replay", path)[0] == 0
    assert command("replay", path, "--step", 3, "--env", 0)[0] == 0
    assert command("replay", path, "--verify")[0] == 0
    assert difference(path, path) is None


def test_difference(tmp_path: pathlib.Path) -> None:
    def play(name: str, change: int | None = None, **options: Any) -> pathlib.Path:
        path = tmp_path / name
        with parallel_pool.make("CartPole-v1", num_envs=8, **options) as pool:
            pool.record(path)
            pool.reset()
            random = np.random.default_rng(0)
            for step in range(1, 1000):
                action = random.integers(0, 2, 8)
                if step == change:
                    action[5] = 1 - action[5]
                pool.step(action)
        return path

    first = play("a")
    assert difference(first, play("b", num_threads=1)) is None
    found = difference(first, play("c", change=695))
    assert found is not None
    assert (found.step, found.env_id, found.array) == (695, 5, "action")
    assert sum(found.values) == 1
    assert "result 695, env 5: action is" in str(found)
    assert "seed is 42 and 3" in str(difference(first, play("d", seed=3)))
