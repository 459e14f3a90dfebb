"""Worker processes: their random numbers, and the ids, infos, errors and pictures in them."""

import linecache
import random
import re
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.python_env import Plain


class Global(Plain):
    """Draws from the generators that all code of a process shares."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.array([np.random.random(), random.random()]), {}


@pytest.mark.parametrize("method", ["forkserver", "fork", "spawn"])
def test_processes_have_random_numbers_of_their_own(method: str) -> None:
    def rows(seed: int) -> Any:
        with parallel_pool.make_python(
            Global, 6, num_workers=3, seed=seed, start_method=method
        ) as pool:
            return pool.reset()[0]

    first = rows(1)
    assert len(np.unique(first)) == 12
    np.testing.assert_array_equal(rows(1), first)
    assert not np.isin(rows(2), first).any()


class Displacing(Plain):
    """Its infos have names that pools use."""

    def step(self, action: Any) -> Any:
        info = {"env_id": 7, "elapsed_step": -1, "final_obs": 3, "episode": {"r": 1.0}, "mine": 2}
        return np.zeros(2), 0.0, bool(action), False, info


@pytest.mark.parametrize("workers", [0, 2])
def test_infos_of_envs_do_not_displace_those_of_the_pool(workers: int) -> None:
    options: Any = {"num_workers": workers, "autoreset_mode": "same_step"}
    with parallel_pool.make_python(
        Displacing, 3, record_episode_statistics=True, **options
    ) as pool:
        pool.reset()
        with pytest.warns(UserWarning, match="Displacing: the envs' info '.*' is left out") as told:
            info = pool.step([1, 0], [2, 1])[4]
        names = {re.findall(r"info '(\w+)'", str(warning.message))[0] for warning in told}
        assert names == {"env_id", "elapsed_step", "final_obs", "episode"}
        assert info["env_id"].tolist() == [2, 1]
        assert "_env_id" not in info
        assert info["elapsed_step"].tolist() == [0, 1]
        assert info["_final_obs"].tolist() == [True, False]
        assert info["episode"]["l"].tolist() == [1, 0]
        assert info["mine"].tolist() == [0, 2]
        assert info["final_info"]["mine"].tolist() == [2, 0]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pool.step([0, 0], info["env_id"])  # it tells once
    with parallel_pool.make_python(Displacing, 1, num_workers=0) as pool:
        pool.reset()
        with pytest.warns(UserWarning, match="left out"):
            info = pool.step([0])[4]
        assert info["final_obs"].tolist() == [3]  # pools of this mode have no such info


def test_errors_show_the_lines_of_a_notebook() -> None:
    cell = (
        "class Cell(Plain):\n"
        "    def step(self, action):\n"
        "        try:\n"
        "            return {}['motor']\n"
        "        except KeyError as error:\n"
        "            raise ValueError('no motor') from error\n"
    )
    name = "/tmp/ipykernel_1/2345.py"  # no such file: only this process has the lines
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    found: dict[str, Any] = {"Plain": Plain, "__name__": "__main__"}
    exec(compile(cell, name, "exec"), found)
    with parallel_pool.make_python(found["Cell"], 1, num_workers=1) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError) as e:
            pool.step([0])
    assert str(e.value) == (
        "Cell env 0 step 1: ValueError: no motor\n"
        "Traceback (most recent call last):\n"
        f'  File "{name}", line 6, in step\n'
        "    raise ValueError('no motor') from error\n"
        "It was caused by KeyError: 'motor'\n"
        "Traceback (most recent call last):\n"
        f'  File "{name}", line 4, in step\n'
        "    return {}['motor']"
    )


def test_long_tracebacks_keep_the_place_that_raised() -> None:
    class Deep(Plain):
        def step(self, action: Any) -> Any:
            return self.dig(50)

        def dig(self, depth: int) -> Any:
            return self.dig(depth - 1) if depth else self.strike("oil")

        def strike(self, what: str) -> Any:
            raise RuntimeError(f"struck {what}")

    with parallel_pool.make_python(Deep, 1, num_workers=1) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError) as e:
            pool.step([0])
    lines = str(e.value).splitlines()
    assert lines[:3] == [
        "Deep env 0 step 1: RuntimeError: struck oil",
        "Traceback (most recent call last):",
        "  ...",
    ]
    assert lines[-1] == '    raise RuntimeError(f"struck {what}")'


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("reward", "shown"),
    [
        (None, "None"),
        (np.array([1.0]), r"array\(\[1\.\]\)"),
        ("much", "'much'"),
        ([0.5], r"\[0\.5\]"),
    ],
)
def test_a_reward_that_is_no_number_is_named(workers: int, reward: Any, shown: str) -> None:
    class Paying(Plain):
        def step(self, action: Any) -> Any:
            return np.zeros(2), reward, False, False, {}

    with parallel_pool.make_python(Paying, 1, num_workers=workers) as pool:
        pool.reset()
        with pytest.raises(
            parallel_pool.EnvError, match=f"its reward is {shown}; it must be a number"
        ):
            pool.step([0])


@pytest.mark.parametrize("reward", [1, True, np.float32(1), np.array(1.0), np.int8(1)])
def test_rewards_that_are_numbers(reward: Any) -> None:
    class Paying(Plain):
        def step(self, action: Any) -> Any:
            return np.zeros(2), reward, False, False, {}

    with parallel_pool.make_python(Paying, 1, num_workers=0) as pool:
        pool.reset()
        assert pool.step([0])[1].tolist() == [1.0]


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_ids_that_the_program_has_registered(method: str) -> None:
    gymnasium.register("OfTheProgram-v3", entry_point=lambda: Global())  # type: ignore[arg-type]
    try:
        with parallel_pool.make_python(
            lambda: gymnasium.make("OfTheProgram-v3"), 2, num_workers=2, start_method=method
        ) as pool:
            assert pool.reset()[0].all()
    finally:
        del gymnasium.registry["OfTheProgram-v3"]


def test_more_workers_than_envs_are_cut() -> None:
    with parallel_pool.make_python(Plain, 2, num_workers=9) as pool:
        assert pool.config["num_workers"] == 2


class Pictured(Plain):
    """Has its render mode from the one who makes it."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"]}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.resets = render_mode, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.resets += 1
        return np.zeros(2), {}

    def render(self) -> Any:
        return np.full((2, 4, 3), self.resets, np.uint8)


@pytest.mark.parametrize("workers", [0, 1])
def test_the_render_mode_of_the_envs_is_the_pools(workers: int) -> None:
    with parallel_pool.make_python(lambda: Pictured("rgb_array"), 2, num_workers=workers) as pool:
        assert pool.render_mode == pool.config["render_mode"] == "rgb_array"
        pool.reset()
        assert pool.render().tolist() == np.ones((2, 2, 4, 3)).tolist()  # reset once, not twice
    with parallel_pool.make_python(
        lambda: Pictured("rgb_array"), 1, num_workers=workers, render_mode="rgb_array"
    ) as pool:
        pool.reset()
        assert pool.render().shape == (1, 2, 4, 3)
    with parallel_pool.make_python(
        Pictured, 1, num_workers=workers, render_mode="rgb_array"
    ) as pool:
        pool.reset()
        assert pool.render().shape == (1, 2, 4, 3)
    with pytest.raises(ValueError, match=r"takes no render_mode, and the env has None"):
        parallel_pool.make_python(lambda: Pictured(), num_workers=workers, render_mode="rgb_array")


@pytest.mark.parametrize("workers", [0, 1])
def test_pictures_that_nobody_asked_for_do_no_harm(workers: int) -> None:
    """Stable-Baselines3's own tests have such envs."""

    class Wide(Pictured):
        def render(self) -> Any:
            return np.zeros((4, 5, 3))

    with parallel_pool.make_python(lambda: Wide("rgb_array"), 2, num_workers=workers) as pool:
        assert pool.render_mode is None
        pool.reset()
    with pytest.raises(ValueError, match=r"returned float64 of shape \(4, 5, 3\), not uint8"):
        parallel_pool.make_python(Wide, 2, num_workers=workers, render_mode="rgb_array")


def test_cheap_envs_are_told_of_a_faster_way() -> None:
    def play(envs: Any, **options: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with parallel_pool.make_python(envs, 4, **options) as pool:
                pool.reset()
                for _ in range(800):
                    pool.step([0] * 4)
        return [str(warning.message) for warning in told]

    (text,) = play(Plain)
    assert re.fullmatch(
        r"Plain: a step of all 4 envs takes \d+ us, less than waking worker processes \(about 50 "
        r"us\): num_workers=0 steps them in this process and is faster",
        text,
    )
    assert play(Plain, num_workers=2) == []  # the user has chosen
    assert play(Plain, num_workers=0) == []


def test_texts_are_refused_if_they_are_too_long() -> None:
    class Talking(gymnasium.Env[Any, Any]):
        observation_space = spaces.Text(4)
        action_space = spaces.Discrete(3)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return "abcd", {}

        def step(self, action: Any) -> Any:
            return ("abc", "abcde", 5)[action], 0.0, False, False, {}

    with parallel_pool.make_python(Talking, 1, num_workers=1) as pool:
        assert pool.reset()[0] == ("abcd",)
        assert pool.step([0])[0] == ("abc",)
        with pytest.raises(parallel_pool.EnvError, match="its obs has 5 bytes; its space has at m"):
            pool.step([1])
        pool.step([0])
        with pytest.raises(parallel_pool.EnvError, match="its obs is of type int; its space has t"):
            pool.step([2])
    with parallel_pool.make_python(Talking, 1, num_workers=0, env_type="dm") as dm:
        assert dm.observation_spec().obs.shape == (4,)
        assert bytes(dm.reset().observation.obs[0]) == b"abcd"
