import os
import pathlib

from benchmark.questions import scaling
from benchmark.questions.scaling import Setup


def test_table() -> None:
    shape = {"num_threads": 1, "num_envs": 64, "batch_size": 64, "row_bytes": 64, "spin_us": 20.0}
    speed = {"steps_per_second": 40000.0, "efficiency": 0.8, "cpu_microseconds_per_step": 20.5}
    result = {"sweep": "threads, sync", **shape, "pools": "1", **speed}
    line = scaling.table({"results": [result]}).splitlines()[2]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == ["threads, sync", "1", "64", "64", "64", "20", "1", "40,000", "80.0%", "20.50"]


def test_threads_go_up_to_the_machine() -> None:
    found = scaling.sweeps(6, [tuple(range(6))], quick=False)
    assert [s.num_threads for s in found["threads, sync"]] == [1, 2, 4, 6]
    assert all(s.num_envs == s.batch_size == 258 for s in found["threads, sync"])
    assert all(s.batch_size < s.num_envs for s in found["threads, async"])
    assert [s.batch_size for s in found["batches"]] == [1, 4, 16, 64, 258]
    assert "nodes" not in found
    assert [s.num_threads for s in scaling.sweeps(1, [(0,)], quick=False)["threads, sync"]] == [1]


def test_quick_takes_the_ends() -> None:
    found = scaling.sweeps(256, [], quick=True)
    assert [s.num_threads for s in found["threads, sync"]] == [1, 256]
    assert [s.spin_us for s in found["step cost"]] == [1.0, 1000.0]


def test_pools_of_nodes_share_what_one_pool_has() -> None:
    nodes = [(0, 1, 2), (3,)]
    one, pinned, each = scaling.sweeps(4, nodes, quick=False)["nodes"]
    assert (one.pools, pinned.pools, each.pools) == ("1", "1, pinned", "2, one per node")
    library = pathlib.Path("spin_env.so")
    (job,) = one.peer(library).jobs
    assert (job.cpus, job.options["num_threads"], job.num_envs) == ((), 4, 256)
    assert job.options["thread_affinity_offset"] == -1
    assert pinned.peer(library).jobs[0].options["thread_affinity_offset"] == 0
    jobs = each.peer(library).jobs
    assert [job.cpus for job in jobs] == nodes
    assert [job.options["num_threads"] for job in jobs] == [3, 1]
    assert [job.num_envs for job in jobs] == [job.batch_size for job in jobs] == [192, 64]


def test_nodes_are_those_that_may_be_used(tmp_path: pathlib.Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    for node, text in enumerate(["", f"{usable[-1]}", "70000-70003,70007"]):
        folder = tmp_path / f"sys/devices/system/node/node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(text + "\n")
    assert scaling.numa_nodes(str(tmp_path)) == [(usable[-1],)]
    assert scaling.numa_nodes(str(tmp_path / "nothing")) == []


def test_setups_are_described() -> None:
    assert Setup(2, 256, 64, spin_us=1.5).name == "2 threads 256/64 envs 64 B 1.5 us"
