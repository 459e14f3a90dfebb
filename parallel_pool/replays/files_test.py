"""Files that are damaged, or of another version, format or task."""

import pathlib
import warnings

import pytest

import parallel_pool
from parallel_pool.python.recordings import file
from parallel_pool.testing.recorded_run import Run

HERE = pathlib.Path(__file__).parent


def played_of_damaged(run: Run) -> int:
    """The number of results of a damaged file, all equal to the run's."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            replay = parallel_pool.replay(run.path)
        except ValueError as error:
            assert "no recording" in str(error)  # not even the header can be read
            return 0
        with replay:
            for k, again in enumerate(replay):
                run.compare(k, again)
    texts = " ".join(str(warning.message) for warning in warned)
    assert "cut off" in texts or "damaged" in texts or "no end" in texts
    return replay.step + 1


def test_a_cut_or_damaged_file_is_played_up_to_there(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    for _ in range(5):
        run.steps(30)
        assert run.pool._recording is not None
        run.pool._recording._write()  # a record each
    run.pool.close()
    data = run.path.read_bytes()
    lengths = set()
    for size in range(0, len(data), 7):
        run.path.write_bytes(data[:size])
        lengths.add(played_of_damaged(run))
    assert {31, 61, 91, 121, 151} <= lengths
    for place in range(len(file.MAGIC), len(data), 13):
        run.path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        played_of_damaged(run)


def test_another_version_is_checked_by_digests(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    run.steps(100)
    run.pool.close()
    monkeypatch.setattr("parallel_pool.replays.run.VERSION", "9.9")
    with pytest.warns(UserWarning, match=r"this is 9\.9: digests show"):
        replay = parallel_pool.replay(run.path)
    replay.digests[63] += 1
    with pytest.raises(parallel_pool.ReplayError, match="result 63"):
        list(replay)
    replay.close()


def test_a_task_that_has_other_arrays_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.pool.close()
    monkeypatch.setattr("parallel_pool.replays.run.describe", lambda setup: "others")
    with pytest.raises(ValueError, match="CartPole-v1 has other arrays"):
        parallel_pool.replay(run.path)


@pytest.mark.parametrize(
    ("name", "results", "verified"),
    [("format_1", 131, 2), ("old_calls", 275, 4), ("old_calls_async", 150, 2)],
)
def test_older_files_can_be_played(name: str, results: int, verified: int) -> None:
    """Their resets have seeds, options and limits in calls of their own; queued ones, too."""
    with parallel_pool.replay(HERE / f"{name}.ppr") as run:
        assert (len(list(run)), run.verified) == (results, verified)
        run.digests[127] += 1
        run.seek(0)
        with pytest.raises(parallel_pool.ReplayError, match="result 127"):
            list(run)
