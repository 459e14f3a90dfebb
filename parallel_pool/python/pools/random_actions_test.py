"""sample_actions() draws what a pool takes, legal ones where a mask says which are."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {}),
        ("Pendulum-v1", {}),
        ("Pendulum-v1", {"clip_action": True}),  # without bounds
        ("Hopper-v5", {}),
        ("SimpleSpread-v3", {}),
    ],
)
def test_actions_are_in_the_space_and_follow_the_seed(task_id: str, options: Any) -> None:
    pools = [parallel_pool.make(task_id, num_envs=4, seed=s, **options) for s in (1, 1, 2)]
    infos = [pool.reset()[1] for pool in pools]
    drawn = [pool.sample_actions(i) for pool, i in zip(pools, infos, strict=True)]
    again = pools[0].sample_actions(infos[0])
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2]) or not np.array_equal(again, drawn[0])
    space = pools[0].single_action_space
    for _ in range(20):
        action = pools[0].sample_actions(infos[0])
        assert all(row in space for row in action)
        *_, infos[0] = pools[0].step(action)


def test_numbers_are_uniform_or_normal() -> None:
    pool = parallel_pool.make("Pendulum-v1", num_envs=20000)
    uniform = pool.sample_actions()
    assert uniform.shape == (20000, 1)
    assert abs(uniform).max() <= 2.0
    assert abs(np.histogram(uniform, 4)[0] - 5000).max() < 300
    normal = parallel_pool.make("Pendulum-v1", num_envs=20000, clip_action=True).sample_actions()
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    counts = np.bincount(parallel_pool.make("Acrobot-v1", num_envs=9000).sample_actions())
    assert len(counts) == 3
    assert abs(counts - 3000).max() < 300


def test_only_legal_actions() -> None:
    pool = parallel_pool.make("Taxi-v3", num_envs=200, max_episode_steps=20)
    _, info = pool.reset()
    seen = np.zeros(6, int)
    for _ in range(60):
        action = pool.sample_actions(info)
        assert info["action_mask"][np.arange(200), action].all()
        seen += np.bincount(action, minlength=6)
        *_, info = pool.step(action)
    assert (seen > 0).all()
    some = pool.sample_actions({"env_id": [3, 5], "action_mask": np.eye(6)[[4, 2]].astype(bool)})
    assert some.tolist() == [4, 2]
    none = pool.sample_actions({"env_id": [3], "action_mask": np.zeros((1, 6), int)})
    assert 0 <= none[0] < 6
    with pytest.raises(ValueError, match=r"shape \(1, 5\); it must be .* of shape \(1, 6\)"):
        pool.sample_actions({"env_id": [3], "action_mask": np.ones((1, 5), int)})


def test_a_game_of_random_legal_moves() -> None:
    pool = parallel_pool.make("TicTacToe-v0", num_envs=50)
    obs, info = pool.reset()
    for _ in range(40):
        np.testing.assert_array_equal(info["action_mask"], obs["action_mask"])
        obs, reward, terminated, truncated, info = pool.step(pool.sample_actions(info))
        assert not truncated.any()  # an illegal move truncates
    with pytest.raises(ValueError, match="needs the infos"):
        pool.sample_actions()


def test_tasks_with_several_numbers_of_actions() -> None:
    padded: Any = {"action_padding": True, "observation_padding": True}
    pool = parallel_pool.make(["CartPole-v1", "Acrobot-v1"], num_envs=4, **padded)
    _, info = pool.reset()
    assert info["action_mask"].tolist() == [[1, 1, 0]] * 2 + [[1, 1, 1]] * 2
    for _ in range(30):
        *_, info = pool.step(pool.sample_actions(info))
    mixed = parallel_pool.make(["Taxi-v3", "FrozenLake-v1"], num_envs=2, **padded)
    _, info = mixed.reset()
    assert info["action_mask"][1].tolist() == [1, 1, 1, 1, 0, 0]
    assert 0 < info["action_mask"][0].sum() < 6
    for _ in range(30):
        *_, info = mixed.step(mixed.sample_actions(info))


class Odd(gymnasium.Env[Any, Any]):
    """Only odd actions are legal after an odd action, and even ones after an even one."""

    observation_space = gymnasium.spaces.Discrete(6)
    action_space = gymnasium.spaces.Discrete(6)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return 0, {"action_mask": np.array([1, 0, 1, 0, 1, 0], np.int8)}

    def step(self, action: Any) -> Any:
        return int(action), 0.0, False, False, {"action_mask": np.arange(6) % 2 == action % 2}


def test_masks_of_envs_in_python() -> None:
    pool = parallel_pool.make_python(Odd, num_envs=3, num_workers=0)
    _, info = pool.reset()
    for _ in range(20):
        action = pool.sample_actions(info)
        assert (action % 2 == 0).all()
        *_, info = pool.step(action)
    pool.close()


def test_dicts_and_tuples_of_actions() -> None:
    class Parts(Odd):
        action_space: Any = gymnasium.spaces.Dict(
            {
                "a": gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(3)] * 2),
                "b": gymnasium.spaces.MultiBinary(4),
            }
        )

        def step(self, action: Any) -> Any:
            assert action in self.action_space
            return 0, 0.0, False, False, {}

    pool = parallel_pool.make_python(Parts, num_envs=3, num_workers=0)
    _, info = pool.reset()
    action = pool.sample_actions(info)
    assert isinstance(action["a"], tuple)
    assert action["b"].shape == (3, 4)
    pool.step(action)
    pool.close()
