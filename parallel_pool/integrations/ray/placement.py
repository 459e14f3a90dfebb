"""Reserves the CPUs of a pool's workers on the nodes of Ray."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import ray


def reserve(task_id: str, workers: int, cpus: float, timeout: float) -> Any:
    """A placement group with a bundle for each worker, spread over the nodes.

    Args:
        task_id: for errors.
        workers: how many.
        cpus: what each takes of Ray's resource "CPU".
        timeout: seconds until all must be placed.

    Raises:
        ValueError: the nodes have too few CPUs even if all were free, and Ray starts no more.
        TimeoutError: Ray did not place them in time. Nothing is reserved then.
    """
    needs = f"{workers} workers of {cpus:g} CPUs"
    fit = sum(int(n // cpus) for n in _cpus_of_nodes()) if cpus > 0 else workers
    if fit < workers and not _can_grow():
        raise ValueError(
            f"{task_id}: {needs} can never be placed: {_nodes()}, which are enough for {fit}; give "
            "num_workers or num_cpus_per_worker"
        )
    group = ray.util.placement_group([{"CPU": cpus}] * workers, strategy="SPREAD")
    try:
        if ray.wait([group.ready()], timeout=timeout)[0]:
            return group
        free = ray.available_resources().get("CPU", 0.0)
        raise TimeoutError(
            f"{task_id}: Ray could not place {needs} within {timeout:g} s: {_nodes()}, of which "
            f"{free:g} are free; give num_workers or num_cpus_per_worker"
        )
    except BaseException:
        ray.util.remove_placement_group(group)
        raise


def _nodes() -> str:
    return f"its nodes have {', '.join(f'{n:g}' for n in _cpus_of_nodes())} CPUs"


def _cpus_of_nodes() -> list[float]:
    return [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]


def _can_grow() -> bool:
    """Whether Ray may start more nodes.

    Its cluster launcher leaves this file on the head node, and KubeRay's nodes are pods.
    """
    launched = pathlib.Path("~/ray_bootstrap_config.yaml").expanduser().exists()
    return launched or "KUBERNETES_SERVICE_HOST" in os.environ
