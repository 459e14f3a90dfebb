import dataclasses
import os
import pathlib
import sys
import time
from typing import Any

import pytest
from tqdm import tqdm

from benchmark.frame import rounds
from benchmark.frame.rounds import Job, Peer, PeerProcess


def job(peer: str, num_envs: int, **more: Any) -> Job:
    return Job(peer, "CartPole-v1", num_envs, num_envs, warm_up=0.01, **more)


def test_every_peer_plays_every_round() -> None:
    peers = [
        Peer("one", (job("gymnasium_make", 1),)),
        Peer("two at once", (job("gymnasium_sync", 3), job("gymnasium_sync", 5))),
    ]
    with tqdm(total=4, disable=True) as bar:
        results = rounds.measure("title", peers, 2, 0.05, bar)
    assert [len(runs) for runs in results] == [2, 2]
    for run in results[0] + results[1]:
        assert run["steps"] > 0 and run["wall"] >= 0.05 and run["cpu"] > 0


def test_the_start_of_a_worker_is_measured() -> None:
    worker = PeerProcess(job("gymnasium_sync", 2000))
    worker.close()
    assert 0 < worker.start_up["seconds"] < 60
    assert worker.start_up["bytes"] > 2000 * 1000  # an env of Gymnasium's is more than 1,000 bytes


def test_jobs_of_a_peer_play_at_the_same_time() -> None:
    calls: list[str] = []

    class Fake:
        def __init__(self, name: str, answer: rounds.Round) -> None:
            self.name, self.answer = name, answer

        def begin(self, seconds: float) -> None:
            calls.append(f"{self.name} begins {seconds}")

        def end(self) -> rounds.Round:
            calls.append(f"{self.name} ends")
            return self.answer

    workers: Any = [
        Fake("a", {"steps": 10, "wall": 1.5, "cpu": 1.0}),
        Fake("b", {"steps": 7, "wall": 2.0, "cpu": 0.5}),
    ]
    assert rounds._play(workers, 2.0) == {"steps": 17, "wall": 2.0, "cpu": 1.5}
    assert calls == ["a begins 2.0", "b begins 2.0", "a ends", "b ends"]


def test_medians() -> None:
    runs = [
        {"steps": 100, "wall": 1.0, "cpu": 2.0},
        {"steps": 300, "wall": 1.0, "cpu": 3.0},
        {"steps": 100, "wall": 50.0, "cpu": 1.0},  # the machine slept
    ]
    found = rounds.medians(runs)
    assert found["steps_per_second"] == 100
    assert found["cpu_microseconds_per_step"] == pytest.approx(1e4)
    assert found["rounds"] == runs


def test_a_job_that_fails_says_so_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    closed = 0
    close = PeerProcess.close

    def counted(self: PeerProcess) -> None:
        nonlocal closed
        closed += 1
        close(self)

    monkeypatch.setattr(PeerProcess, "close", counted)
    with pytest.raises(RuntimeError, match="gymnasium_sync ended with exit code 1"):
        PeerProcess(Job("gymnasium_sync", "NoSuchTask-v0", 1, 1))
    assert closed == 1
    assert "NoSuchTask" in capfd.readouterr().err  # the peer's own message is shown


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie (not yet waited for) does not count."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def family(of: PeerProcess) -> list[int]:
    """The ids of a worker's process and of the processes that it has started."""
    pid = of._process.pid
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [pid, *(int(child) for child in file.read().split())]


def test_processes_of_a_peer_count_and_end_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    player = PeerProcess(job("gymnasium_async", 2))
    pids = family(player)
    assert len(pids) == 3

    def cpu() -> float:
        return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)

    before = cpu()
    player.begin(0.3)
    run = player.end()
    # This test reads the clocks a little earlier and later.
    assert run["cpu"] == pytest.approx(cpu() - before, rel=0.1)
    player.close()
    deadline = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))
    assert not capfd.readouterr().err  # they were ended, and did not fail on their own


def test_a_job_keeps_to_its_processors() -> None:
    cpu = max(os.sched_getaffinity(0))
    player = PeerProcess(job("gymnasium_sync", 1, cpus=(cpu,)))
    try:
        assert os.sched_getaffinity(player._process.pid) == {cpu}
    finally:
        player.close()


@dataclasses.dataclass
class Arm:
    x: int = 1


def test_an_arm_that_fails_says_why(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "arm.py"
    program.write_text("import sys; sys.exit('no such env')")
    with pytest.raises(RuntimeError, match="no such env"):
        rounds.play_arm([str(program)], Arm(), sys.executable, limit=60)
    program.write_text("""import sys; print('noise'); print('{"argument":', sys.argv[1], "}")""")
    found: Any = rounds.play_arm([str(program)], Arm(), sys.executable, limit=60)
    assert found == {"argument": {"x": 1}}
