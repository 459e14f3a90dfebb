"""AgileRL trains on pools as on the vector envs that it makes itself."""

import pathlib
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from agilerl.algorithms import DQN, PPO
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy
from agilerl.training.train_on_policy import train_on_policy
from agilerl.utils.utils import make_vect_envs

import parallel_pool

torch.set_num_threads(1)
ENVS, SEED = 4, 7


def set_seeds() -> None:
    """Sets the seeds of AgileRL's generators."""
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)


def train(env: Any, task: str, algorithm: type) -> tuple[list[float], list[torch.Tensor]]:
    """Trains an agent with AgileRL's own loop: its fitnesses, and the parameters of its net."""
    set_seeds()
    spaces = env.single_observation_space, env.single_action_space
    common = {"max_steps": 2048, "evo_steps": 1024, "eval_steps": 60, "verbose": False}
    if algorithm is PPO:
        agent: Any = PPO(*spaces, num_envs=ENVS, learn_step=256, lr=1e-3)
    else:
        agent = DQN(*spaces, learn_step=8, lr=1e-3)
    before = [p.detach().clone() for p in agent.actor.parameters()]
    if algorithm is PPO:
        (agent,), fitnesses = train_on_policy(env, task, "PPO", [agent], **common)
    else:
        memory = ReplayBuffer(2048)
        (agent,), fitnesses = train_off_policy(env, task, "DQN", [agent], memory, **common)
    after = list(agent.actor.parameters())
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    return fitnesses, after


# Taxi's infos have masks of actions, which AgileRL reads.
@pytest.mark.parametrize(
    ("algorithm", "task"), [(PPO, "CartPole-v1"), (DQN, "CartPole-v1"), (DQN, "Taxi-v4")]
)
def test_agents_equal_those_of_agilerls_own_envs(algorithm: type, task: str) -> None:
    theirs = make_vect_envs(task, num_envs=ENVS, should_async_vector=False)
    theirs.reset(seed=SEED)
    expected, their_parameters = train(theirs, task, algorithm)
    theirs.close()
    with parallel_pool.make_gymnasium(task, num_envs=ENVS, seed=SEED) as pool:
        pool.reset()
        fitnesses, parameters = train(pool, task, algorithm)
    assert fitnesses == expected
    for ours, other in zip(parameters, their_parameters, strict=True):
        assert torch.equal(ours, other)


def test_docs(
    snippet: Callable[[str], str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    set_seeds()
    (mean,) = re.findall(r"the mean return is ([\d.]+)", snippet("AgileRL"))
    assert float(mean) > 60  # a random policy's is about 22
