"""Seeds of runners, envs that throw, and configs that PoolEnvRunner refuses."""

import logging
import sys
from typing import Any

import cloudpickle
import gymnasium
import pytest
from cases import (
    ENVS,
    POOL,
    BadResets,
    EpisodeCallbacks,
    OnlyBadResets,
    Trouble,
    TroubleModule,
    assert_same_episodes,
    first_observations,
    flat,
    make_config,
    runners,
    with_module,
)
from ray.tune import register_env

import parallel_pool
from parallel_pool.integrations.rllib import PoolEnvRunner
from parallel_pool.integrations.rllib.errors import TruncateOnError

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("has_callbacks", [False, True])
@pytest.mark.parametrize("seed_of", ["debugging", "env_config", "none"])
def test_no_two_envs_share_a_seed(seed_of: str, has_callbacks: bool) -> None:
    config = make_config(POOL + "CartPole-v1").debugging(seed=None)
    if seed_of == "debugging":
        config.debugging(seed=3)
    if seed_of == "env_config":
        config.environment(env_config={"seed": 3})
    if has_callbacks:
        config.callbacks(EpisodeCallbacks)
    evaluation = config.copy(copy_frozen=False)
    evaluation.in_evaluation = True
    first = [
        obs
        for each in (config, evaluation)
        for worker in range(3)
        for obs in first_observations(each, worker)
    ]
    assert len(set(first)) == len(first) == 2 * 3 * ENVS
    again = first_observations(config, 2)
    assert (again == first[2 * ENVS : 3 * ENVS]) == (seed_of != "none")
    if seed_of != "none":
        pool = parallel_pool.make("CartPole-v1", num_envs=3 * ENVS, seed=3)
        assert [obs.tobytes() for obs in pool.reset()[0]] == first[: 3 * ENVS]


@pytest.mark.parametrize("is_fast", [True, False])
def test_an_env_that_throws_truncates_its_episode(
    is_fast: bool, caplog: pytest.LogCaptureFixture
) -> None:
    config = with_module(make_config(POOL + "python", env=Trouble), TroubleModule)
    if not is_fast:
        config.callbacks(EpisodeCallbacks)
    runner = PoolEnvRunner(config=config, worker_index=2)
    assert (runner._collector is not None) == is_fast
    with caplog.at_level(logging.WARNING, "parallel_pool"):
        episodes = runner.sample(num_timesteps=200)
    cut = [episode for episode in episodes if episode.is_done and len(episode) < 6]
    assert cut
    for episode in cut:
        steps = episode.get_observations()["steps"][:, 0]
        assert steps.tolist() == [*range(len(episode)), len(episode) - 1]
        assert episode.get_actions().tolist() == [0] * (len(episode) - 1) + [1]
        assert episode.get_rewards().tolist() == [1.0] * (len(episode) - 1) + [0.0]
        assert episode.is_truncated and not episode.is_terminated
    good = [episode for episode in episodes if episode.t == 6 and episode.is_done]
    assert all((episode.get_actions() == 0).all() for episode in good)
    assert "PoolEnvRunner 2: the envs [" in caplog.text and "Trouble env" in caplog.text
    assert "ValueError: thrown" in caplog.text
    errors = dict(flat(runner.get_metrics()))[("num_env_step_failures",)].peek()
    assert errors == len(cut)
    runner.stop()


@pytest.mark.parametrize("is_fast", [True, False])
def test_an_env_that_throws_in_a_reset_is_reset_again(is_fast: bool) -> None:
    config = with_module(make_config(POOL + "python", env=BadResets), TroubleModule)
    if not is_fast:
        config.callbacks(EpisodeCallbacks)
    runner = PoolEnvRunner(config=config)
    for episode in runner.sample(num_timesteps=50, explore=False):
        steps = episode.get_observations()["steps"][:, 0]
        assert steps[:-1].tolist() == [*range(len(steps) - 1)]
    runner.stop()
    runner = PoolEnvRunner(config=config.environment(env_config={"env": OnlyBadResets}))
    with pytest.raises(parallel_pool.EnvError, match="bad reset"):
        runner.sample()
    runner.stop()


def test_an_env_that_throws_in_a_later_reset() -> None:
    env: Any = gymnasium.make_vec(POOL + "python", env=Trouble, num_envs=3, seed=1)
    errors: list[Any] = []
    wrapped = TruncateOnError(env, errors.append)
    wrapped.reset()
    _, _, _, truncated, _ = wrapped.step([0, 1, 0])
    assert truncated.tolist() == [False, True, False]
    env.set_attr("bad_resets", [0, 4, 0])
    obs, reward, terminated, truncated, _ = wrapped.step([0, 0, 0])
    assert obs["steps"][:, 0].tolist() == [2, 0, 2] and obs["goal"][1] > 0
    assert reward.tolist() == [1, 0, 1] and not (terminated | truncated).any()
    assert wrapped.step([0, 0, 0])[0]["steps"][:, 0].tolist() == [3, 1, 3]
    assert [error.env_ids for error in errors] == [[1]] * 5
    wrapped.close()


def test_refusals() -> None:
    def refused(config: Any) -> str:
        with pytest.raises(ValueError, match=r".") as error:
            PoolEnvRunner(config=config)
        return str(error.value)

    assert "'CartPole-v1'; allowed are ids" in refused(make_config("CartPole-v1"))
    assert "'parallel_pool:parallel_pool/python'" in refused(make_config(Trouble))
    for mode in ("same_step", "disabled"):
        message = refused(make_config(POOL + "CartPole-v1", autoreset_mode=mode))
        assert f"autoreset_mode='{mode}'" in message and "need 'next_step'" in message
    message = refused(make_config(POOL + "CartPole-v1", batch_size=2))
    assert "batch_size is 2" in message and "num_envs = 5" in message
    assert "a row for each player" in refused(make_config(POOL + "SimpleTag-v3"))
    several = make_config(POOL + "CartPole-v1").multi_agent(
        policies={"a", "b"}, policy_mapping_fn=lambda *_, **__: "a"
    )
    assert "several agents" in refused(several)
    recorded = make_config(POOL + "CartPole-v1").offline_data(output="/nowhere")
    assert "the output '/nowhere'" in refused(recorded)
    assert "made CartPoleVectorEnv" in refused(
        make_config(lambda ctx: gymnasium.make_vec("CartPole-v1", num_envs=ctx["num_envs"]))
    )
    with pytest.raises(TypeError, match="no option 'gravityy'"):
        PoolEnvRunner(config=make_config(POOL + "Pendulum-v1", gravityy=1))


def test_functions_that_make_pools() -> None:
    register_env(
        "my_pool",
        lambda context: gymnasium.make_vec(
            POOL + "CartPole-v1",
            num_envs=context["num_envs"],
            max_episode_steps=context["limit"],
        ),
    )
    config = make_config("my_pool", limit=4)
    one, other = runners(config)
    assert_same_episodes(one, other, calls=3, least_ends=2)
    config.debugging(seed=None)
    first = [obs for worker in range(3) for obs in first_observations(config, worker)]
    assert len(set(first)) == len(first) == 3 * ENVS
    one, other = runners(
        make_config(
            lambda context: gymnasium.wrappers.vector.ClipReward(
                gymnasium.make_vec(POOL + "CartPole-v1", num_envs=context["num_envs"]), 0, 0.5
            )
        )
    )
    assert_same_episodes(one, other, calls=3)
