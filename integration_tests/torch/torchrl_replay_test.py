"""The replay storage for torchrl holds what its own holds, and its losses learn from it."""

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.data.postprocs import MultiStep
from torchrl.envs import GymWrapper
from torchrl.envs.libs.envpool import MultiThreadedEnvWrapper
from torchrl.modules import QValueActor
from torchrl.objectives import DQNLoss, SoftUpdate

import parallel_pool
from parallel_pool.integrations.torchrl_replay import ReplayBuffer, ReplayStorage

ENVS = 3


def env_for(task: str = "CartPole-v1", **options: Any) -> Any:
    envs = gymnasium.make_vec(f"parallel_pool/{task}", ENVS, autoreset_mode="disabled", **options)
    return GymWrapper(envs)


def collected(env: Any, steps: int, policy: Any = None) -> list[Any]:
    torch.manual_seed(1)
    frames = {"frames_per_batch": 20 * ENVS, "total_frames": steps * ENVS}
    collector = Collector(env, policy, **frames)
    found = [data.clone() for data in collector]
    collector.shutdown()
    return found


def assert_same(found: Any, wanted: Any) -> None:
    assert set(found.keys(True, True)) == set(wanted.keys(True, True))
    for key in wanted.keys(True, True):
        np.testing.assert_array_equal(found[key].numpy(), wanted[key].numpy(), str(key))


@pytest.mark.parametrize("flat", [False, True])
def test_holds_the_same_steps(flat: bool) -> None:
    theirs = TensorDictReplayBuffer(storage=LazyTensorStorage(4000), batch_size=32)
    ours = ReplayBuffer(storage=ReplayStorage(4000, ENVS), batch_size=32)
    for data in collected(env_for(max_episode_steps=15), 100):
        steps = data.reshape(-1)
        own = ours.extend(steps.clone() if flat else data.clone()).reshape(-1)
        index = theirs.extend(steps)
        assert_same(ours.storage.get(own), theirs.storage.get(index).exclude("index"))
    assert len(ours) == len(theirs) == 300
    assert len(ours[:]) == len(list(ours.storage)) == 300
    assert ours.sample().batch_size == (32,)


def test_stacks_of_frames_are_kept_once() -> None:
    ours = ReplayBuffer(storage=ReplayStorage(3000, ENVS, stack_num=4), batch_size=8)
    pool = parallel_pool.make("Pong-v5", num_envs=ENVS, autoreset_mode="disabled")
    steps, before = [], torch.from_numpy(pool.reset()[0])
    for _ in range(20):
        action = pool.sample_actions()
        obs, reward, terminated, truncated, _ = map(_tensor, pool.step(action))
        ends = {"terminated": terminated, "truncated": truncated, "done": terminated | truncated}
        root = {"pixels": before, "action": _tensor(action)}
        root |= {key: torch.zeros_like(value) for key, value in ends.items()}
        steps.append(root | {"next": {"pixels": obs, "reward": reward, **ends}})
        before = obs
    data = torch.stack([TensorDict(step, [ENVS]) for step in steps], 1)
    index = ours.extend(data.clone())
    assert_same(ours.storage.get(index.reshape(ENVS, -1)), data)
    assert ours.storage.nbytes / 3000 < 7300


def _tensor(value: Any) -> Any:
    """Arrays of numbers have a column, as in torchrl."""
    tensor = torch.from_numpy(value) if isinstance(value, np.ndarray) else value
    return tensor[:, None] if getattr(tensor, "ndim", 0) == 1 else tensor


def test_rewards_of_several_steps_equal_those_of_torchrl() -> None:
    (data,) = collected(env_for(max_episode_steps=15), 20)
    ours = ReplayBuffer(storage=ReplayStorage(900, ENVS, n_step=3, gamma=0.9), batch_size=8)
    found = ours.storage.get(ours.extend(data.clone()).reshape(ENVS, -1))
    wanted = MultiStep(gamma=0.9, n_steps=3)(data.clone())
    steps = wanted["steps_to_next_obs"]
    assert steps.max() == 3
    for key in (("next", "observation"), "steps_to_next_obs"):
        np.testing.assert_array_equal(found[key].numpy(), wanted[key].numpy(), str(key))
    np.testing.assert_allclose(found["next", "reward"], wanted["next", "reward"], rtol=1e-6)
    # torchrl's flags are those of the first of these steps, so that a value follows a terminal one.
    last = (torch.arange(20) + steps - 1)[..., None]
    for key in ("terminated", "truncated", "done"):
        flags = data["next", key].gather(1, last)
        np.testing.assert_array_equal(found["next", key].numpy(), flags.numpy(), key)
        np.testing.assert_array_equal(wanted["next", key].numpy(), data["next", key].numpy(), key)
    assert (found["next", "terminated"] != wanted["next", "terminated"]).any()


def test_steps_that_only_reset_are_left_out() -> None:
    pool = parallel_pool.make_gym("CartPole-v1", num_envs=ENVS, max_episode_steps=15)
    env = MultiThreadedEnvWrapper(pool)
    ours = ReplayBuffer(
        storage=ReplayStorage(4000, ENVS, autoreset_mode="next_step", alpha=1.0), batch_size=8
    )
    resets = 0
    for data in collected(env, 100):
        # The row after an end: a transition to the next episode's first observation, with reward 0.
        is_reset = data["next", "reward"].reshape(ENVS, -1) == 0
        resets += int(is_reset.sum())
        index = ours.extend(data.clone()).reshape(ENVS, -1)
        assert ((index == -1) == is_reset).all()
        kept = index[~is_reset]
        for key in ("observation", ("next", "observation")):
            wanted = data[key][~is_reset]
            np.testing.assert_array_equal(ours.storage.get(kept)[key].numpy(), wanted.numpy())
    assert resets > 10 and len(ours) == 300 - resets
    assert (ours[:]["next", "reward"] == 1).all()
    env.close()
    with pytest.raises(ValueError, match="autoreset_mode is 'next'"):
        ReplayStorage(900, ENVS, autoreset_mode="next")


def test_draws_by_priority() -> None:
    storage = ReplayStorage(900, ENVS, alpha=0.6, seed=1)
    ours = ReplayBuffer(storage=storage, batch_size=4000)
    (data,) = collected(env_for(), 20)
    index = ours.extend(data)
    error = torch.zeros(len(index))
    error[:2] = torch.tensor([1.0, 8.0])
    ours.update_tensordict_priority(TensorDict({"index": index, "td_error": error}, index.shape))
    sample = ours.sample()
    share = [(sample["index"] == i).float().mean() for i in index[:2]]
    assert float(share[1] / share[0]) == pytest.approx(8**0.6, rel=0.2)
    assert sample["priority_weight"].max() == 1


def test_saves_and_loads(tmp_path: pathlib.Path) -> None:
    (data,) = collected(env_for(), 20)

    def made(**options: Any) -> ReplayBuffer:
        return ReplayBuffer(storage=ReplayStorage(900, ENVS, **options), batch_size=16)

    ours, second, third = made(seed=5), made(), made()
    ours.extend(data)
    second.load_state_dict(ours.state_dict())
    ours.dumps(tmp_path)
    third.loads(tmp_path)
    wanted = ours.sample()
    assert_same(second.sample(), wanted)
    assert_same(third.sample(), wanted)
    with pytest.raises(ValueError, match="stack_num=1, not 2"):
        made(stack_num=2).load_state_dict(ours.state_dict())
    ours.empty()
    assert len(ours) == 0


def test_errors_name_what_is_wrong() -> None:
    (data,) = collected(env_for(), 20)
    with pytest.raises(ValueError, match="60 steps; it must be a multiple of 7 envs"):
        ReplayBuffer(storage=ReplayStorage(900, 7), batch_size=8).extend(data)
    ours = ReplayBuffer(storage=ReplayStorage(900, ENVS), batch_size=8)
    with pytest.raises(RuntimeError, match="can sample 0 transitions"):
        ours.sample()
    with pytest.raises(ValueError, match=r"'a\.b' must have no dot"):
        ours.extend(data.clone().set("a.b", data["action"]))
    masked = data.clone().set(("collector", "mask"), torch.ones(ENVS, 20, dtype=torch.bool))
    with pytest.raises(ValueError, match="split_trajs=False"):
        ours.extend(masked)
    ours.extend(data)
    with pytest.raises(ValueError, match="a transition was replaced"):
        ours.storage.get(torch.tensor([99_999]))
    with pytest.raises(NotImplementedError, match="by extend"):
        ours[0] = data[0, 0]


@pytest.mark.parametrize("options", [{}, {"alpha": 0.6, "n_step": 3}])
@pytest.mark.parametrize("prefetch", [0, 2])
def test_a_loss_learns(options: Any, prefetch: int) -> None:
    env = env_for()
    net = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    module = TensorDictModule(net, ["observation"], ["action_value"])
    actor = QValueActor(module, spec=env.full_action_spec_unbatched["action"])
    loss = DQNLoss(actor, action_space=env.full_action_spec_unbatched["action"])
    loss.make_value_estimator(gamma=0.99)
    target, optimizer = SoftUpdate(loss, eps=0.9), torch.optim.Adam(loss.parameters(), 1e-2)
    ours = ReplayBuffer(
        storage=ReplayStorage(2000, ENVS, **options), batch_size=64, prefetch=prefetch
    )
    losses = []
    for data in collected(env, 200, actor):
        ours.extend(data)
        for _ in range(20):
            sample = ours.sample()
            found = loss(sample)["loss"]
            optimizer.zero_grad()
            found.backward()
            optimizer.step()
            target.step()
            ours.update_tensordict_priority(sample)
            losses.append(float(found.detach()))
    assert np.isfinite(losses).all() and np.mean(losses[:5]) != np.mean(losses[-5:])
