"""Runs that the tests of Rerun show."""

import pathlib

import pytest
from readback import play

import parallel_pool


@pytest.fixture
def run(tmp_path: pathlib.Path) -> pathlib.Path:
    """300 random steps of four envs of CartPole-v1."""
    path = tmp_path / "run.ppr"
    with parallel_pool.make("CartPole-v1", num_envs=4, seed=3) as pool, pool.record(path):
        play(pool, 300)
    return path
