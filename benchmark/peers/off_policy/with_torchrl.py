"""torchrl: Collector, losses and TensorDictReplayBuffer."""

from typing import Any

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs import GymWrapper, SerialEnv
from torchrl.envs.libs.envpool import MultiThreadedEnvWrapper
from torchrl.modules import (
    MLP,
    NormalParamExtractor,
    ProbabilisticActor,
    QValueActor,
    TanhNormal,
    ValueOperator,
)
from torchrl.objectives import DQNLoss, SACLoss, SoftUpdate

import parallel_pool
from benchmark.peers.off_policy import common
from parallel_pool.integrations.torchrl_replay import ReplayBuffer, ReplayStorage

_STEPS = 8  # of all envs that the collector makes at once


class _Float(torch.nn.Module):  # type: ignore[misc]
    """A network of observations, and perhaps actions, as float32."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net

    def forward(self, *inputs: Any) -> Any:
        return self.net(*[part.float() for part in inputs])


def _dqn(actions: Any) -> tuple[Any, Any]:
    """A policy and its loss."""
    net = torch.nn.Sequential(common.Features(), torch.nn.Linear(common.FEATURES, int(actions.n)))
    module = TensorDictModule(net, ["observation"], ["action_value"])
    policy = QValueActor(module, action_space="categorical")
    return policy, DQNLoss(policy, action_space="categorical", delay_value=True)


def _sac(size: int, actions: int) -> tuple[Any, Any]:
    """A policy and its loss."""
    outputs = MLP(in_features=size, out_features=2 * actions, num_cells=common.HIDDEN)
    actor = torch.nn.Sequential(_Float(outputs), NormalParamExtractor())
    policy = ProbabilisticActor(
        TensorDictModule(actor, ["observation"], ["loc", "scale"]),
        in_keys=["loc", "scale"],
        distribution_class=TanhNormal,
        return_log_prob=True,
    )
    critic = MLP(in_features=size + actions, out_features=1, num_cells=common.HIDDEN)
    value = ValueOperator(_Float(critic), in_keys=["observation", "action"])
    return policy, SACLoss(policy, value, num_qvalue_nets=2, target_entropy=-float(actions))


def _envs(task: str, form: str) -> tuple[Any, Any]:
    """Envs and a buffer."""
    envs, batch = common.ENVS, common.BATCH[task]
    if form == "parallel_pool":
        pool = parallel_pool.make_gym(common.IDS[task], num_envs=envs, seed=1)
        options: Any = {"stack_num": common.STACK[task], "autoreset_mode": "next_step"}
        storage = ReplayStorage(common.CAPACITY, envs, **options)
        return MultiThreadedEnvWrapper(pool), ReplayBuffer(storage=storage, batch_size=batch)
    own = SerialEnv(envs, lambda: GymWrapper(common.single_env(task)))
    storage = LazyTensorStorage(common.CAPACITY)
    return own, TensorDictReplayBuffer(storage=storage, batch_size=batch)


def arm(task: str, form: str) -> common.Play:
    """A collector's steps, and updates of the loss."""
    envs, buffer = _envs(task, form)
    single = common.single_env(task)
    size, actions = single.observation_space.shape[0], single.action_space
    policy, loss = _dqn(actions) if task == "Pong" else _sac(size, actions.shape[0])
    loss.make_value_estimator(gamma=0.99)
    target = SoftUpdate(loss, eps=0.995)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)

    def update(batch: Any) -> None:
        losses = [part for key, part in loss(batch).items() if key.startswith("loss")]
        optimizer.zero_grad()
        sum(losses).backward()
        optimizer.step()
        target.step()

    steps = iter(Collector(envs, policy, frames_per_batch=common.ENVS * _STEPS, total_frames=-1))
    for _ in range(common.BEGIN // common.ENVS // _STEPS):
        buffer.extend(next(steps).reshape(-1))
    waiting = 0

    def play() -> None:
        nonlocal waiting
        if waiting == 0:
            buffer.extend(next(steps).reshape(-1))
        waiting = (waiting + 1) % _STEPS
        for _ in range(common.UPDATES):
            update(buffer.sample())

    if form != "networks":
        return play
    rows, batch = next(steps)[:, 0], buffer.sample()

    def network() -> None:
        with torch.no_grad():
            policy(rows)
        for _ in range(common.UPDATES):
            update(batch)

    return network
