"""parallel_pool.integrations.ray: pools equal those in one process, and refuse what is wrong."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
import ray
from comparison import same

import parallel_pool
from parallel_pool.integrations.ray import RayPool
from parallel_pool.integrations.shards.split import split
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.pool_options import PoolOption

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("LONG"))
Pids = Callable[[Any], list[int]]


class Trouble(gymnasium.Env[Any, Any]):
    """Counts its steps; actions 1, 2 and 3 throw, hang and end the process."""

    observation_space = gymnasium.spaces.Box(0, 1e6, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps, self.number = 0, self.np_random.random()
        return np.array([self.steps, self.number]), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if action == 1:
            raise ValueError("thrown")
        if action == 2:
            time.sleep(3600)
        if action == 3:
            os._exit(3)
        info = {"third": self.steps} if self.steps % 3 == 0 else {}
        return np.array([self.steps, self.number]), self.number, False, self.steps >= 9, info


def sample(pool: Any, random: np.random.Generator, rows: int) -> Any:
    space = pool.action_space
    if isinstance(space, gymnasium.spaces.Dict):
        space.seed(int(random.integers(1 << 30)))
        batch = gymnasium.vector.utils.batch_space(space, rows)
        return batch.sample()
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(space.n, size=rows)
    return random.uniform(-1, 1, (rows, *space.shape)).astype(space.dtype)


TASKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "CartPole-v1": ("CartPole-v1", {"max_episode_steps": 12}),
    "per_env": ("Pendulum-v1", {"per_env": {"g": [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]}}),
    "Pong-v5": ("Pong-v5", {"max_episode_steps": 9, "reward_dtype": "float64"}),
    "several": (
        ["CartPole-v1", "Acrobot-v1"],
        {"observation_padding": True, "action_padding": True},
    ),
    "statistics": ("CartPole-v1", {"record_episode_statistics": True}),
}


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("name", TASKS)
def test_a_pool_equals_one_in_this_process(name: str, mode: str) -> None:
    task, own = TASKS[name]
    options: Any = {"num_envs": 6, "autoreset_mode": mode, "seed": 7} | own
    random = np.random.default_rng(0)
    local = parallel_pool.make(task, **options)
    with RayPool(task, **options) as pool:
        assert pool.num_workers == 2
        same(pool.reset(), local.reset())
        for _ in range(15):
            action = sample(local, random, 6)
            if name == "several":
                action %= 2
            batch = local.step(action)
            ours = pool.step(action)
            same(ours, batch)
            assert ours[1].flags.writeable
            over = batch[2] | batch[3]
            if mode == "disabled" and over.any():
                same(
                    pool.reset(options={"reset_mask": over}),
                    local.reset(options={"reset_mask": over}),
                )
        if mode == "next_step":
            some = [5, 0, 3]
            same(pool.reset(some, seed=[3, 2, 1]), local.reset(some, seed=[3, 2, 1]))
            action = sample(local, random, 3)
            if name == "several":
                action %= 2
            same(pool.step(action, some), local.step(action, some))


def test_players() -> None:
    options: Any = {"num_envs": 4, "max_episode_steps": 5, "reward_dtype": "float64", "seed": 7}
    random = np.random.default_rng(0)
    with RayPool("SimpleTag-v3", **options) as pool:
        local = parallel_pool.make("SimpleTag-v3", **options)
        same(pool.reset(), local.reset())
        for ids in ([0, 1, 2, 3], [3, 0], [2, 1, 3], [0, 1, 2, 3]) * 3:
            players = local.spec.setup.most_players
            action = random.integers(5, size=players * len(ids))
            same(pool.step(action, ids), local.step(action, ids))


def test_envs_in_python() -> None:
    spec = parallel_pool.make_python_spec(
        Trouble, 6, num_workers=2, autoreset_mode="same_step", seed=7
    )
    made: Any = RayPool(spec)
    local: Any = parallel_pool.make_python(spec)
    with made as pool:
        same(pool.reset(), local.reset())
        for _ in range(12):
            same(pool.step(np.zeros(6, int)), local.step(np.zeros(6, int)))
        assert pool.get_attr("steps") == local.get_attr("steps")
        assert pool.get_attr("number", [5, 1]) == local.get_attr("number", [5, 1])
        pool.set_attr("steps", [1, 2, 3, 4, 5, 6])
        assert pool.call("get_wrapper_attr", "steps") == (1, 2, 3, 4, 5, 6)
        assert pool.call_envs([4], "get_wrapper_attr", "steps") == (5,)
        with pytest.raises(
            AttributeError, match="Trouble: 'Trouble' object has no attribute 'nothing'"
        ):
            pool.get_attr("nothing", [3])
        assert repr(pool).startswith("RayPool('Trouble', num_envs=6, num_workers=2)")


OWN_OPTIONS: dict[str, tuple[Any, dict[str, Any], dict[str, list[Any]]]] = {
    "Pendulum-v1": ("Pendulum-v1", {"g": [9.0, 8.0]}, {"g": [3.0, 2.0]}),
    "limits": ("CartPole-v1", {"max_episode_steps": [9, 8]}, {"max_episode_steps": [3, 4]}),
    "Pong-v5": (
        "Pong-v5",
        {"repeat_action_probability": [0.0, 0.1]},
        {"repeat_action_probability": [0.5, 0.25]},
    ),
    "several": (["CartPole-v1", "Acrobot-v1"], {}, {"max_episode_steps": [2, 3]}),
    "Python": (Trouble, {"max_episode_steps": [9, 8]}, {"max_episode_steps": [2, 4]}),
}


@pytest.mark.parametrize("name", OWN_OPTIONS)
def test_reset_changes_options_of_envs_that_a_restart_keeps(name: str, pids: Pids) -> None:
    task, given, new = OWN_OPTIONS[name]
    options: Any = {"num_envs": 4, "seed": 3}
    if given:
        options["per_env"] = {key: values * 2 for key, values in given.items()}
    if name == "several":
        options |= {"observation_padding": True, "action_padding": True}
    make = parallel_pool.make_spec if name != "Python" else parallel_pool.make_python_spec
    spec: Any = make(task, **options)
    remake: Any = parallel_pool.make if name != "Python" else parallel_pool.make_python
    random = np.random.default_rng(0)

    def play(pool: Any, local: Any, steps: int) -> None:
        for _ in range(steps):
            action = sample(local, random, 4)
            if name in ("several", "Python"):
                action *= 0
            same(pool.step(action), local.step(action))

    cpus: Any = {"num_cpus_per_worker": 1}  # two pools at once
    with RayPool(spec, **cpus) as pool, remake(spec) as local:
        same(pool.reset(), local.reset())
        change: Any = {"options": {"per_env": new}}
        same(pool.reset([3, 1], **change), local.reset([3, 1], **change))
        assert repr(pool.config) == repr(local.config)
        play(pool, local, 6)
        if given:  # else states do not have the options
            with RayPool(spec, **cpus) as other:
                other.reset()
                other.load(local.save())
                play(other, local, 6)
                assert repr(other.config) == repr(local.config)
                local.load(pool.save())
        # A worker that is started again has the options of its envs, with other seeds.
        os.kill(pids(pool)[1], signal.SIGKILL)
        info: Any = {}
        while "lost" not in info:
            *_, info = pool.step(np.zeros_like(sample(local, random, 4)))
        ends = info["lost"]
        lost, others = np.flatnonzero(ends), np.flatnonzero(~ends)
        same(pool.reset(lost), local.reset(lost, seed=(3 + 4 + lost).tolist()))
        local.load(pool.save(others), others)
        play(pool, local, 6)


def test_async_pools_give_each_env_its_own_results() -> None:
    with RayPool("CartPole-v1", 8, batch_size=3, seed=5) as pool:
        singles = [parallel_pool.make("CartPole-v1", num_envs=1, seed=5 + i) for i in range(8)]
        random = np.random.default_rng(0)
        pool.async_reset()
        expected = [single.reset()[0][0] for single in singles]
        rows = 0
        for _ in range(60):
            obs, reward, terminated, truncated, info = pool.recv(timeout=30)
            assert len(obs) == 3
            ids = info["env_id"]
            for row, env in enumerate(ids):
                assert obs[row].tobytes() == expected[env].tobytes()
                rows += 1
            action = random.integers(2, size=3)
            pool.send(action, ids)
            for env, a in zip(ids, action, strict=True):
                expected[env] = singles[env].step([a])[0][0]
        assert rows == 180
        with pytest.raises(TimeoutError, match="CartPole-v1: no batch within 0"):
            for _ in range(9):
                pool.recv(timeout=0)


def test_an_env_that_throws_is_named_by_its_id() -> None:
    spec = parallel_pool.make_python_spec(Trouble, 4, num_workers=1)
    with RayPool(spec) as pool:
        pool.reset()
        with pytest.raises(
            parallel_pool.EnvError, match="Trouble env 3 step 1: ValueError: thrown"
        ) as r:
            pool.step([0, 0, 0, 1])
        assert r.value.env_ids == [3]
        assert r.value.result[0][:, 0].tolist() == [1, 1, 1, 0]
        obs, *_ = pool.step([0, 0, 0, 0])
        assert obs[:, 0].tolist() == [2, 2, 2, 0]


def test_a_worker_that_hangs_ends_by_recv_timeout() -> None:
    spec = parallel_pool.make_python_spec(Trouble, 4, num_workers=1)
    with RayPool(spec, recv_timeout=2.0) as pool:
        pool.reset()
        start = time.monotonic()
        obs, _, _, truncated, info = pool.step([0, 2, 0, 0])
        assert 2 <= time.monotonic() - start < 15
        assert info["lost"].tolist() == [True, True, False, False]
        assert truncated.tolist() == [True, True, False, False]
        pool.step([0, 0, 0, 0])


def test_what_cannot_be_placed_is_an_error_with_the_resources() -> None:
    with RayPool("CartPole-v1", 4, 2, num_cpus_per_worker=2) as pool:  # all CPUs
        start = time.monotonic()
        with pytest.raises(
            TimeoutError, match=r"could not place 1 workers of 1 CPUs within 2 s: its node"
        ):
            RayPool("CartPole-v1", 4, 1, num_cpus_per_worker=1, timeout=2)
        assert time.monotonic() - start < 20
    with RayPool("CartPole-v1", 4) as pool:  # nothing is left reserved
        pool.reset()


@pytest.mark.parametrize(("workers", "cpus"), [(2, 3), (5, 1), (3, 2)])
def test_what_can_never_be_placed_is_an_error_at_once(workers: int, cpus: int) -> None:
    words = f"{workers} workers of {cpus} CPUs can never be placed: its nodes have 2, 2 CPUs"
    with pytest.raises(ValueError, match=words):
        RayPool("CartPole-v1", 8, workers, num_cpus_per_worker=cpus, timeout=10_000)


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"num_workers": 0}, ValueError, "num_workers is 0; it must be a number from 1 on"),
        ({"num_workers": 5, "num_envs": 4}, ValueError, "each worker needs an env of it"),
        ({"num_env": 4}, TypeError, "no option 'num_env'"),
        ({"batch_size": 9}, ValueError, "batch_size is 9"),
    ],
)
def test_bad_arguments(kwargs: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        RayPool("CartPole-v1", **kwargs)


@pytest.mark.parametrize(
    ("action", "ids", "error", "message"),
    [
        ([0] * 5, None, ValueError, r"CartPole-v1: action has shape \(5,\); it must be \(4,\)"),
        ([0, 0, 0, 2], None, ValueError, r"action\[3\] is 2; allowed are the integers 0 to 1"),
        ([0, 0, 0, 0.5], None, ValueError, r"action\[3\] is 0\.5"),
        (["0"] * 4, None, TypeError, "action has dtype"),
        ([0], [4], ValueError, r"env_id\[0\] = 4: there is no such env"),
        ([0, 0], [1, 1], ValueError, r"env_id\[1\] = 1 occurs twice"),
        ([0], [0.0], TypeError, "env_id has dtype float64; allowed are integers"),
        ({"acton": [0] * 4}, None, ValueError, "action has an unknown array 'acton'"),
    ],
)
def test_bad_actions_change_nothing(
    action: Any, ids: Any, error: type[Exception], message: str
) -> None:
    with RayPool("CartPole-v1", 4) as pool:
        pool.reset()
        with pytest.raises(error, match=message):
            pool.send(action, ids)
        with pytest.raises(RuntimeError, match="would wait forever"):
            pool.recv()
        pool.send([0, 1, 0, 1])
        with pytest.raises(ValueError, match=r"env_id\[0\] = 0 is in flight"):
            pool.send([0], [0])
        pool.recv()


def test_pools_without_a_seed_differ() -> None:
    one: Any = {"num_workers": 1, "num_cpus_per_worker": 1}  # both pools have room
    with RayPool("CartPole-v1", 2, **one) as pool, RayPool("CartPole-v1", 2, **one) as other:
        assert (pool.reset()[0] != other.reset()[0]).all()
    spec = parallel_pool.make_python_spec(Trouble, 2, num_workers=1)
    with RayPool(spec, **one) as pool, RayPool(spec, **one) as other:
        assert (pool.reset()[0][:, 1] != other.reset()[0][:, 1]).all()


def test_stats_are_the_local_pools() -> None:
    options: Any = {"num_envs": 4, "seed": 1, "max_episode_steps": 6}
    with RayPool("CartPole-v1", **options) as pool:
        local = parallel_pool.make("CartPole-v1", **options)
        for each in (pool, local):
            each.reset()
            for _ in range(9):
                each.step([0, 1, 0, 1])
        assert pool.stats() == local.stats()
        assert pool.stats()["episodes"] == 4


def test_reset_after_ctrl_c_takes_back_what_is_in_flight() -> None:
    class Napping(Trouble):
        def step(self, action: Any) -> Any:
            time.sleep(0.5)
            return super().step(action)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none
    with RayPool(parallel_pool.make_python_spec(Napping, 2, num_workers=1)) as pool:
        pool.reset()
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            pool.step([0, 0])
        with pytest.raises(ValueError, match="in flight"):
            pool.reset([0])
        pool.reset()
        assert pool.step([0, 0])[4]["elapsed_step"].tolist() == [1, 1]


def test_states_and_pictures() -> None:
    options: Any = {"num_envs": 4, "render_mode": "rgb_array"}
    with RayPool("CartPole-v1", **options) as pool:
        local = parallel_pool.make("CartPole-v1", **options)
        pool.reset()
        pool.step([0, 1, 0, 1])
        data = pool.save()
        after = pool.step([1, 1, 1, 1])
        local.reset()
        local.load(data)  # also into a pool of this process
        same(local.step([1, 1, 1, 1])[0], after[0])
        pool.load(data)
        same(pool.step([1, 1, 1, 1])[0], after[0])
        assert (pool.render() == local.render()).all()
        part = pool.save([3, 0])
        pool.load(part, [3, 0])
        with pytest.raises(ValueError, match="the state is of 2 envs"):
            pool.load(part)


def test_the_object_store_does_not_grow() -> None:
    with RayPool("Pong-v5", 8) as pool:
        pool.reset()

        def used() -> float:
            resources = ray.cluster_resources(), ray.available_resources()
            total, free = (r.get("object_store_memory", 0.0) for r in resources)
            return float(total - free)

        for _ in range(50):
            pool.step(np.zeros(8, int))
        before = used()
        for _ in range(10_000 if LONG else 300):
            pool.step(np.zeros(8, int))
        assert used() <= before + 50e6


def test_a_new_option_of_all_pools_reaches_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    new = PoolOption(Option("zeal", "how eager the envs are", 3, 0, 9))
    monkeypatch.setattr(pool_options, "OPTIONS", (*pool_options.OPTIONS, new))
    for spec in (
        parallel_pool.make_spec("CartPole-v1", num_envs=4, zeal=5),
        parallel_pool.make_spec(["CartPole-v0", "CartPole-v1"], num_envs=4, zeal=5),
        parallel_pool.make_python_spec("CartPole-v1", 4, zeal=5),
    ):
        assert [shard.config["zeal"] for shard in split(spec, 2, 1)] == [5, 5]
