"""The question `costs` plays every pool, and compares it with the first of its workload."""

import dataclasses

import pytest

from benchmark.frame.rounds import Job
from benchmark.peers.native import step_of
from benchmark.questions import costs

JOBS = {
    f"{load} {peer.name}": peer.jobs[0]
    for load, peers in costs.workloads().items()
    for peer in peers
}


@pytest.mark.parametrize("name", JOBS)
def test_every_pool_steps(name: str) -> None:
    tasks = len(JOBS[name].task.split())
    job: Job = dataclasses.replace(JOBS[name], num_envs=2 * tasks, batch_size=2 * tasks)
    step = step_of(job)
    step()
    step()


def test_the_table_has_the_cost_of_each_pool() -> None:
    def result(pool: str, *walls: float) -> dict[str, object]:
        rounds = [{"steps": 100, "wall": wall, "cpu": 2 * wall} for wall in walls]
        speed = {"steps_per_second": 100.0, "cpu_microseconds_per_step": 1.0}
        return {"workload": "a:1", "pool": pool, "rounds": rounds, **speed}

    results = [result("plain", 1.0, 2.0, 1.0), result("recorded", 1.1, 2.2, 9.0)]
    rows = [row.split("|")[5].strip() for row in costs.table({"results": results}).splitlines()]
    assert rows[2:] == ["+0.0%", "+10.0%"]
