"""The rows, calls and states of a pool of several tasks: make([...])."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.arrays.trees import flatten

# Actions of one size; observations of two dtypes and shapes.
SIMILAR: Any = ["CartPole-v1", "Acrobot-v1", "MountainCar-v0"]
ATARI: Any = ["Pong-v5", "Breakout-v5", "Qbert-v5"]
SUITE: Any = ["CheetahRun-v1", "WalkerWalk-v1", "CartpoleSwingup-v1"]
UNLIKE: Any = ["CartPole-v1", "Ant-v5", "Pong-v5", "FrozenLake-v1"]
PADDED: Any = {"action_padding": True, "observation_padding": True}
SEPARATE: Any = {"separate_spaces": True}


def alone(pool: Any, **options: Any) -> list[Any]:
    """For each env of the pool, a pool of its own with its seed and options."""
    pools: list[Any] = []
    for spec in pool.tasks:
        own = dict(spec.config)
        count, per_env = own.pop("num_envs"), own.pop("per_env")
        for env in range(count):
            here = {name: column[env] for name, column in per_env.items()}
            here |= {"seed": pool.config["seed"] + len(pools), "num_envs": 1, "batch_size": 1}
            for name in ("autoreset_mode", "render_mode", "record_episode_statistics"):
                here[name] = pool.config[name]
            pools.append(parallel_pool.make(spec.task_id, **{**own, **here, **options}))
    return pools


def assert_row(joint: Any, row: int, own: Any, what: str) -> None:
    """Row `row` of the pool's array is row 0 of the env's own, with zeros behind."""
    mine, theirs = joint[row], own[0]
    if np.shape(mine) == np.shape(theirs):
        np.testing.assert_array_equal(mine, theirs, err_msg=what, strict=True)
        return
    padded = np.zeros_like(mine)
    padded[tuple(slice(n) for n in theirs.shape)] = theirs
    np.testing.assert_array_equal(mine, padded, err_msg=what, strict=True)


def assert_rows(pool: Any, result: Any, owns: list[Any], is_separate: bool) -> None:
    """Each row of a result equals that of the env's own pool; what its task lacks is zero."""
    task_of = [k for k, spec in enumerate(pool.tasks) for _ in range(spec.config["num_envs"])]
    infos = flatten(result[-1])
    assert infos["task_id"].tolist() == task_of
    assert infos["env_id"].tolist() == list(range(len(task_of)))
    for row, own in enumerate(owns):
        task = pool.tasks[task_of[row]].task_id
        for mine, theirs in zip(result[1:-1], own[1:-1], strict=True):
            assert_row(mine, row, theirs, task)
        prefix = task if is_separate else ""
        seen = flatten(own[0], prefix)
        for name, array in flatten(result[0]).items():
            if name in seen:
                assert_row(array, row, seen[name], f"{task}: {name}")
            else:
                assert not np.any(array[row]), f"{task}: {name} is none of it"
        own_infos = flatten(own[-1])
        if is_separate:
            for name in [name for name in own_infos if name.split(".")[0] == "final_obs"]:
                own_infos[name.replace("final_obs", f"final_obs.{task}")] = own_infos.pop(name)
        for name, array in infos.items():
            if "observation_size" in name or name.endswith(("env_id", "task_id")):
                continue
            if name in own_infos:
                assert_row(array, row, own_infos[name], f"{task}: {name}")
            elif name == "action_mask":
                count = int(pool.tasks[task_of[row]].action_space.n)
                assert array[row].tolist() == [1] * count + [0] * (len(array[row]) - count)
            elif name == "final_info.action_mask":
                assert array[row].any() == infos["_final_info"][row]
            else:
                assert not np.any(array[row]), f"{task}: {name} is none of it"


class Actor:
    """Random actions of each env, and the same as an action of the whole pool."""

    def __init__(self, pool: Any, is_separate: bool) -> None:
        self.random = np.random.default_rng(0)
        self.pool, self.is_separate = pool, is_separate
        self.task_of = [s for s in pool.tasks for _ in range(s.config["num_envs"])]

    def draw(self) -> tuple[Any, list[Any]]:
        owns = [self._own(spec.action_space) for spec in self.task_of]
        zeros: Any = gymnasium.vector.utils.create_empty_array(
            self.pool.action_space, len(owns), np.zeros
        )
        for row, (spec, own) in enumerate(zip(self.task_of, owns, strict=True)):
            array = zeros[spec.task_id] if self.is_separate else zeros
            array[(row, *(slice(n) for n in own.shape[1:]))] = own[0]
        return zeros, owns

    def _own(self, space: Any) -> Any:
        if isinstance(space, gymnasium.spaces.Discrete):
            return self.random.integers(space.n, size=1)
        return self.random.uniform(space.low, space.high, (1, *space.shape)).astype(space.dtype)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize(
    ("tasks", "options", "steps"),
    [
        (SIMILAR, PADDED, 220),
        (ATARI, {"full_action_space": True, "max_episode_steps": 40}, 90),
        (ATARI, {"action_padding": True}, 40),
        (SUITE, {**PADDED, "time_limit": 0.5}, 60),
        (UNLIKE, SEPARATE, 60),
        ([("Pendulum-v1", {"g": 5.0, "max_episode_steps": 30}), "Pendulum-v1"], {}, 60),
        (
            ["Pendulum-v1", ("Pendulum-v1", {"per_env": {"g": [1, 2, 3]}, "num_envs": 3})],
            {},
            60,
        ),
        (["LunarLander-v3", "CartPole-v1", "LunarLander-v3"], PADDED, 60),
        (["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-5x5-v0"], {}, 60),
        (
            ["MiniGrid-Empty-5x5-v0", ("MiniGrid-Fetch-5x5-N2-v0", {"agent_view_size": 5})],
            PADDED,
            60,
        ),
    ],
)
def test_each_env_is_as_in_a_pool_of_its_own(
    tasks: Any, options: dict[str, Any], steps: int, mode: Any
) -> None:
    is_separate = "separate_spaces" in options
    own_counts = any("num_envs" in entry[1] for entry in tasks if isinstance(entry, tuple))
    if not own_counts:
        options = {**options, "num_envs": 2 * len(tasks) + 1}
    pool = parallel_pool.make(tasks, autoreset_mode=mode, num_threads=2, **options)
    pools = alone(pool)
    actor = Actor(pool, is_separate)

    def compare(result: Any, owns: list[Any]) -> None:
        assert_rows(pool, result, owns, is_separate)

    compare(pool.reset(), [own.reset() for own in pools])
    ended = np.zeros(len(pools), bool)
    for _ in range(steps):
        if mode == "disabled" and ended.any():
            ids = np.flatnonzero(ended)
            pool.reset(ids)
            for env in ids:
                pools[env].reset()
        action, owns = actor.draw()
        result = pool.step(action)
        compare(result, [own.step(a) for own, a in zip(pools, owns, strict=True)])
        ended = result[2] | result[3]


def test_async_and_partial_resets() -> None:
    pool = parallel_pool.make(SIMILAR, num_envs=12, batch_size=3, **PADDED)
    pool.async_reset()
    steps = np.zeros(12, int)
    for _ in range(200):
        obs, _, _, _, info = pool.recv()
        assert (info["task_id"] == np.repeat([0, 1, 2], 4)[info["env_id"]]).all()
        assert info["observation_size"].tolist() == [[4, 6, 2][t] for t in info["task_id"]]
        for row, size in zip(obs, info["observation_size"], strict=True):
            assert not row[size:].any()
        steps[info["env_id"]] += 1
        pool.send(np.zeros(3, int), info["env_id"])
    assert steps.min() > 0


def test_an_action_that_a_task_lacks() -> None:
    with parallel_pool.make(ATARI, num_envs=3, action_padding=True) as pool:
        assert pool.action_space == gymnasium.spaces.Discrete(6)
        pool.reset()
        with pytest.raises(
            ValueError, match=r"action\[1\] of env 1 \(Breakout-v5\) is 4; .* integers 0 to 3"
        ):
            pool.step([0, 4, 0])
        assert pool.step([5, 3, 5])[4]["elapsed_step"].tolist() == [1, 1, 1]
    with (
        parallel_pool.make(UNLIKE, **SEPARATE) as pool,
        pytest.raises(ValueError, match=r"CartPole-v1\[0\] of env 0 \(CartPole-v1\) is 2"),
    ):
        actions: Any = gymnasium.vector.utils.create_empty_array(pool.action_space, 4, np.zeros)
        actions["CartPole-v1"][:] = 2  # env 0 is the only one that reads it
        pool.step(actions)


def test_the_config_makes_the_same_pool() -> None:
    tasks: Any = [("Pendulum-v1", {"per_env": {"g": [1, 2]}}), ("Pendulum-v1", {"g": 3.0})]
    pool = parallel_pool.make(tasks, num_envs=4, seed=7, reward_dtype="float64")
    pool.reset([1, 2], options={"per_env": {"g": [8, 9]}})
    assert pool.get_attr("g") == (1, 8, 9, 3)
    assert pool.get_attr("max_episode_steps") == (200,) * 4
    config = pool.config
    again = parallel_pool.make(config.pop("tasks"), **config)
    for other in (again, copy.deepcopy(pool), pickle.loads(pickle.dumps(pool))):
        assert other.config == pool.config
        assert other.get_attr("g") == (1, 8, 9, 3)
        assert repr(other) == repr(pool)
    assert repr(pool).startswith("make(['Pendulum-v1', 'Pendulum-v1'], env_type='gymnasium', num_")


def test_states() -> None:
    pool = parallel_pool.make(SIMILAR, num_envs=6, **PADDED)
    pool.reset()
    actor = Actor(pool, is_separate=False)
    actions = [actor.draw()[0] for _ in range(60)]
    for action in actions:
        pool.step(action)
    state = pool.save()
    expected = [pool.step(action)[0] for action in actions]
    pool.load(state)
    for action, obs in zip(actions, expected, strict=True):
        np.testing.assert_array_equal(pool.step(action)[0], obs)
    pool.load(pool.save([0, 2, 4]), [1, 3, 5])
    with pytest.raises(ValueError, match=r"Acrobot-v1: load\(\): the state is of CartPole-v1"):
        pool.load(pool.save(0), 2)
    with parallel_pool.make("Acrobot-v1") as own:  # a pool of one of the tasks
        own.load(pool.save(3))


def test_pictures_and_statistics() -> None:
    tasks = ["CartPole-v1", "Pong-v5"]
    pool = parallel_pool.make(
        tasks, **SEPARATE, render_mode="rgb_array", record_episode_statistics=True, num_envs=4
    )
    pools = alone(pool)
    for own in (pool, *pools):
        own.reset()
    frames = pool.render()
    for row, own in enumerate(pools):
        assert_row(frames, row, own.render(), "picture")
    np.testing.assert_array_equal(pool.render(3)[0], frames[3])
    actor = Actor(pool, is_separate=True)
    episodes = 0
    for _ in range(60):
        action, owns = actor.draw()
        info = pool.step(action)[4]
        for row, (own, a) in enumerate(zip(pools, owns, strict=True)):
            theirs = own.step(a)[4]
            assert ("episode" in theirs) == ("episode" in info and info["_episode"][row])
            if "episode" in theirs:
                episodes += 1
                for name in ("r", "l"):
                    assert info["episode"][name][row] == theirs["episode"][name][0]
    assert episodes > 2


def test_in_the_other_apis() -> None:
    with parallel_pool.make_gym(SIMILAR, **PADDED) as pool:
        assert pool.reset()[0].shape == (3, 6)
        assert pool.step([0, 0, 0])[4]["task_id"].tolist() == [0, 1, 2]
    with parallel_pool.make_dm(SIMILAR, **PADDED) as pool:
        assert pool.observation_spec().task_id.maximum == 2
        step = pool.step(np.zeros(3, int))
        assert step.observation.task_id.tolist() == [0, 1, 2]
        assert step.observation.observation_size.tolist() == [4, 6, 2]


def test_a_failure_names_the_task() -> None:
    with (
        parallel_pool.make(["CartPole-v1", "Pong-v5"], **SEPARATE, render_mode="rgb_array") as pool,
        pytest.raises(ValueError, match="CartPole-v1, Pong-v5: env 1 was never reset"),
    ):
        pool.render(1)
