"""The cluster of these tests: two nodes, which are two raylets on this machine."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """The cluster, which this process is connected to."""
    made = Cluster()
    made.add_node(num_cpus=2, include_dashboard=False)
    made.add_node(num_cpus=2, include_dashboard=False)
    ray.init(made.address, log_to_driver=False)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(autouse=True)
def _in_cluster(cluster: Any) -> None:
    pass


@pytest.fixture
def pids() -> Callable[[Any], list[int]]:
    """The processes of a pool's workers."""

    def of(pool: Any) -> list[int]:
        actors = [worker._actor for worker in pool._native._actors.workers]
        return list(ray.get([a.__ray_call__.remote(lambda self: os.getpid()) for a in actors]))

    return of
