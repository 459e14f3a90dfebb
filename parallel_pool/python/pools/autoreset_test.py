"""The end of an episode in each of the three autoreset modes."""

from typing import Any

import dm_env
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import parallel_pool
from parallel_pool.testing.testing_family import (
    END,
    END_IN_OBSERVE,
    END_IN_RESET,
    FINE,
    THROW,
)


@pytest.mark.parametrize("name", [AutoresetMode.SAME_STEP, "SAME_STEP", "SameStep", "same_step"])
def test_modes_have_gymnasiums_names(name: Any) -> None:
    with parallel_pool.make("CartPole-v1", autoreset_mode=name) as pool:
        assert pool.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        assert pool.config["autoreset_mode"] == "same_step"


@pytest.mark.parametrize("batch_size", [8, 3])
@pytest.mark.parametrize("seed", [0, 7, 99])
def test_same_step_equals_gymnasium(seed: int, batch_size: int) -> None:
    theirs = gymnasium.make_vec(
        "CartPole-v1",
        num_envs=8,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )
    ours = parallel_pool.make(
        "CartPole-v1", num_envs=8, batch_size=batch_size, autoreset_mode="same_step", seed=seed
    )
    wanted, _ = theirs.reset(seed=seed)
    actions = np.random.default_rng(seed).integers(0, 2, (600, 8))
    # Rows are compared env by env: an async pool returns envs in another order.
    step = np.zeros(8, int)
    rows: list[list[tuple[Any, ...]]] = [[] for _ in range(8)]
    ours.async_reset()
    while step.min() < len(actions):
        obs, reward, terminated, truncated, info = ours.recv()
        for i, env in enumerate(info["env_id"]):
            final = info["final_obs"][i] if info["_final_obs"][i] else None
            rows[env].append((obs[i], reward[i], terminated[i], truncated[i], final))
            assert info["_final_obs"][i] == info["_final_info"][i]
            assert (info["elapsed_step"][i] == 0) == (info["_final_obs"][i] or len(rows[env]) == 1)
        ours.send(actions[step[info["env_id"]] % len(actions), info["env_id"]], info["env_id"])
        step[info["env_id"]] += 1
    ends = 0
    for k, action in enumerate(actions):
        wanted, *flags, info = theirs.step(action)
        for env in range(8):
            if k + 1 >= len(rows[env]):
                continue
            mine, *my_flags, final = rows[env][k + 1]
            np.testing.assert_array_equal(mine, wanted[env])
            assert my_flags == [f[env] for f in flags]
            if flags[1][env] or flags[2][env]:
                np.testing.assert_array_equal(final, info["final_obs"][env])
                ends += 1
    assert ends > 50


def test_same_step_shows_the_end_beside_the_beginning() -> None:
    with parallel_pool.make(
        "Trouble-v0", num_envs=3, lives=2, max_episode_steps=3, autoreset_mode="same_step"
    ) as pool:
        pool.reset()
        pool.step([FINE] * 3)
        obs, reward, terminated, truncated, info = pool.step([END, FINE, FINE])
        assert terminated.tolist() == [True, False, False]
        assert reward.tolist() == [1, 1, 1]
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [True, False, False]
        assert info["final_info"]["lives"].tolist() == [1, 0, 0]
        assert info["final_info"]["elapsed_step"].tolist() == [2, 0, 0]
        assert info["elapsed_step"].tolist() == [2, 2, 2]  # the second life of the same world
        obs, reward, terminated, truncated, info = pool.step([FINE] * 3)
        assert truncated.all()
        assert info["final_obs"][:, 0].tolist() == [3, 3, 3]
        assert obs[:, 0].tolist() == [0, 0, 0]
        assert info["elapsed_step"].tolist() == [0, 0, 0]
        assert not pool.step([FINE] * 3)[4]["final_obs"].any()


def test_same_step_with_nested_observations() -> None:
    with parallel_pool.make("Echo-v0", max_episode_steps=1, autoreset_mode="same_step") as pool:
        pool.reset()
        motor = {"force": np.ones((1, 3)), "exact": np.ones((1, 2, 2))}
        obs, *_, info = pool.step({"choice": [2], "motor": motor, "byte": [7], "wide": [[1, 1]]})
        assert info["final_obs"]["motor"]["force"].tolist() == [[1, 1, 1]]
        assert info["final_obs"]["byte"].tolist() == [7]
        assert info["final_info"]["paint"]["color"].tolist() == [[255, 0, 0]]
        assert obs["motor"]["force"].tolist() == [[0, 0, 0]]


def test_same_step_resets_an_env_that_threw_at_its_next_step() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, autoreset_mode="same_step") as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError) as e:
            pool.step([THROW, END])
        assert e.value.result[4]["_final_obs"].tolist() == [False, True]
        assert pool.step([FINE, FINE])[0][:, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("action", "words"),
    [(END_IN_RESET, "the door is stuck"), (END_IN_OBSERVE, "the camera broke")],
)
def test_same_step_reports_an_end_that_fails(action: int, words: str) -> None:
    with parallel_pool.make(
        "Trouble-v0", num_envs=2, autoreset_mode="same_step", record_episode_statistics=True
    ) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError, match=f"env 0 step 1: {words}") as e:
            pool.step([action, END])
        obs, reward, terminated, truncated, info = e.value.result
        assert not obs[0].any() and reward[0] == 0
        assert (terminated.tolist(), truncated.tolist()) == ([False, True], [True, False])
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [False, True]
        assert not info["final_obs"][0].any() and info["final_info"]["elapsed_step"][0] == 0
        assert info["_episode"].tolist() == [False, True]
        assert pool.step([FINE, FINE])[0][:, 0].tolist() == [0, 1]


def test_disabled_refuses_a_step_after_the_end() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3, autoreset_mode="disabled") as pool:
        with pytest.raises(ValueError, match=r"env_id\[0\] = 0: it has no episode yet; reset it"):
            pool.step([FINE] * 3)
        pool.reset()
        assert pool.step([FINE, END, FINE])[2].tolist() == [False, True, False]
        with pytest.raises(ValueError, match=r"env_id\[1\] = 1: its episode has ended; reset it"):
            pool.step([FINE] * 3)
        pool.step([FINE, FINE], [0, 2])
        assert pool.reset([1])[1]["elapsed_step"].tolist() == [0]
        assert pool.step([FINE] * 3)[4]["elapsed_step"].tolist() == [3, 1, 3]


def test_dm_env_has_no_same_step() -> None:
    with pytest.raises(ValueError, match="autoreset_mode is 'same_step'; with dm_env allowed are"):
        parallel_pool.make_dm("CartPole-v1", autoreset_mode="same_step")
    with parallel_pool.make_dm("Trouble-v0", autoreset_mode="disabled") as pool:
        pool.reset()
        assert pool.step([END]).step_type.tolist() == [dm_env.StepType.LAST]


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_an_end_that_is_only_shown(mode: str) -> None:
    options: dict[str, Any] = {
        "episode_continues": True,
        "max_episode_steps": 5,
        "autoreset_mode": mode,
    }
    with parallel_pool.make("Trouble-v0", lives=9, **options) as pool:
        pool.reset()
        for step, action in enumerate([FINE, END, END, FINE], start=1):
            obs, _, terminated, truncated, info = pool.step([action])
            assert obs[0, 0] == info["elapsed_step"][0] == step, "the episode began again"
            assert terminated.tolist() == [action == END]
            assert not truncated.any()
            assert not info.get("_final_obs", np.zeros(1)).any()
        *_, terminated, truncated, info = pool.step([END])
        assert (terminated.tolist(), truncated.tolist()) == ([True], [True])
        assert info["elapsed_step"][0] == (0 if mode == "same_step" else 5)


def test_dm_env_goes_on_at_an_end_that_is_only_shown() -> None:
    with parallel_pool.make_dm(
        "Trouble-v0", lives=9, episode_continues=True, max_episode_steps=3
    ) as pool:
        steps = [pool.reset(), *(pool.step([action]) for action in (END, FINE, END, FINE))]
        assert [int(step.step_type[0]) for step in steps] == [0, 1, 1, 2, 0]
        # The env's own discount, or 0 where it terminated.
        assert [float(step.discount[0]) for step in steps] == [1, 0, 1, 0, 1]


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_an_env_has_a_limit_of_its_own(mode: str) -> None:
    options: dict[str, Any] = {"limit": 2, "max_episode_steps": 5, "autoreset_mode": mode}
    with parallel_pool.make("Trouble-v0", num_envs=2, **options) as pool:
        pool.reset()
        _, _, terminated, truncated, _ = pool.step([FINE, FINE])
        assert not terminated.any() and not truncated.any()
        obs, reward, terminated, truncated, info = pool.step([FINE, END])
        assert terminated.tolist() == [False, True]
        assert truncated.tolist() == [True, True]
        assert reward.tolist() == [1, 1]
        ages = info["final_info"]["elapsed_step"] if mode == "same_step" else info["elapsed_step"]
        assert ages.tolist() == [2, 2]
        if mode == "disabled":
            with pytest.raises(ValueError, match="its episode has ended; reset it first"):
                pool.step([FINE, FINE])
            obs, info = pool.reset()
        elif mode == "next_step":
            obs, reward, terminated, truncated, info = pool.step([FINE, FINE])
            assert reward.tolist() == [0, 0] and not truncated.any()
        assert obs[:, 0].tolist() == info["elapsed_step"].tolist() == [0, 0]


def test_the_limit_of_make_holds_before_the_envs_own() -> None:
    with parallel_pool.make("Trouble-v0", limit=4, max_episode_steps=3) as pool:
        pool.reset()
        assert [bool(pool.step([FINE])[3][0]) for _ in range(5)] == [
            False,
            False,
            True,
            False,
            False,
        ]


def test_dm_env_bootstraps_at_a_limit_of_the_envs_own() -> None:
    with parallel_pool.make_dm("Trouble-v0", limit=2) as pool:
        pool.reset()
        steps = [pool.step([FINE]) for _ in range(3)]
        assert [int(step.step_type[0]) for step in steps] == [1, 2, 0]
        assert [float(step.discount[0]) for step in steps] == [1, 1, 1]
