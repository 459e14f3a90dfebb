"""Spaces, options and saved states of the tasks."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.dm_control_suite import TASKS, load
from parallel_pool.testing.form import some
from parallel_pool.testing.results import same

SOME = some(TASKS, 3)


@pytest.mark.parametrize("task_id", SOME)
def test_spaces_are_dm_controls(task_id: str) -> None:
    spec, theirs = parallel_pool.make_spec(task_id), load(task_id, 0)
    wanted = theirs.observation_spec()
    spaces: Any = spec.observation_space
    assert set(spaces) == set(wanted)
    for key, space in spaces.items():
        assert (space.shape, space.dtype) == (wanted[key].shape, np.float64)
    names = [array.name for array in spec.state_arrays if array.name.startswith("obs:")]
    assert names == [f"obs:{key}" for key in wanted], "the order is dm_control's"
    actions: Any = spec.action_space
    action = theirs.action_spec()
    assert actions.dtype == action.dtype
    assert np.array_equal(actions.low, action.minimum)
    assert np.array_equal(actions.high, action.maximum)
    assert spec.config["n_sub_steps"] == theirs._n_sub_steps
    assert spec.config["time_limit"] == theirs._step_limit * theirs.control_timestep()
    limit = theirs._step_limit if np.isfinite(theirs._step_limit) else 2**31 - 1
    assert spec.max_episode_steps == spec.config["max_episode_steps"] == np.ceil(limit)


@pytest.mark.parametrize("task_id", SOME)
@pytest.mark.parametrize("options", [{}, {"flat_observation": True}])
def test_a_single_env_of_dm_env_is_as_dm_controls(task_id: str, options: dict[str, Any]) -> None:
    """Specs, None in place of the first reward and discount, the order of keys, and types."""
    theirs = load(task_id, 3, **options)
    limit = 5 * theirs.control_timestep()
    theirs._step_limit = 5
    with parallel_pool.make_dm(
        task_id, num_envs=None, seed=3, reward_dtype="float64", time_limit=limit, **options
    ) as ours:
        for name in ("observation_spec", "action_spec", "reward_spec", "discount_spec"):
            assert getattr(ours, name)() == getattr(theirs, name)(), name
        assert list(ours.observation_spec()) == list(theirs.observation_spec())
        random = np.random.default_rng(0)
        step, wanted = ours.reset(), theirs.reset()
        for _ in range(12):
            assert step[:3] == wanted[:3]
            assert list(step.observation) == list(wanted.observation)
            for key, spec in theirs.observation_spec().items():
                spec.validate(step.observation[key])
                assert np.array_equal(step.observation[key], wanted.observation[key])
            action = random.uniform(-1, 1, ours.action_spec().shape)
            step, wanted = ours.step(action), theirs.step(action)


@pytest.mark.parametrize("task_id", ["CheetahRun-v1", "LqrLqr62-v1", "QuadrupedWalk-v1"])
def test_each_env_has_its_own_model_fields(task_id: str) -> None:
    random = np.random.default_rng(0)
    theirs = [load(task_id, 3 + i, time_limit=1.0) for i in range(3)]
    factors = random.uniform(0.5, 1.5, 3)
    fields = {
        name: np.multiply.outer(factors, getattr(theirs[0].physics.model, name))
        for name in ("body_mass", "dof_damping", "geom_friction")
    }
    fields["opt.gravity"] = np.multiply.outer(factors, theirs[0].physics.model.opt.gravity)
    for i, env in enumerate(theirs):
        model = env.physics.model
        for name in ("body_mass", "dof_damping", "geom_friction"):
            getattr(model, name)[:] = fields[name][i]
        model.opt.gravity[:] = fields["opt.gravity"][i]
    with parallel_pool.make_dm(
        task_id, num_envs=3, seed=3, time_limit=1.0, model_fields=fields, reward_dtype="float64"
    ) as ours:
        step, wanted = ours.reset(), [env.reset() for env in theirs]
        for _ in range(60):
            for i, row in enumerate(wanted):
                assert (step.reward[i], step.step_type[i]) == (row.reward or 0, row.step_type)
                for key, array in row.observation.items():
                    assert np.array_equal(getattr(step.observation, key)[i], array), key
            actions = random.uniform(-1, 1, (3, *ours.action_spec().shape))
            step = ours.step(actions)
            wanted = [env.step(action) for env, action in zip(theirs, actions, strict=True)]


@pytest.mark.parametrize("task_id", SOME)
def test_control_timestep_is_a_number_of_steps(task_id: str) -> None:
    own = load(task_id, 0)
    spec = parallel_pool.make_spec(task_id, control_timestep=3 * own.physics.timestep())
    assert spec.config["n_sub_steps"] == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"control_timestep": 0.015}, "control_timestep is 0.015; it must be a multiple of the"),
        ({"control_timestep": 0.001}, "0.001; it must be a multiple of the model's step, 0.01 s"),
        ({"control_timestep": 1e-12}, "1e-12; it must be a multiple of the model's step"),
        ({"control_timestep": 0.02, "n_sub_steps": 1}, "0.02 and n_sub_steps is 1; give one"),
        ({"control_timestep": -1}, "control_timestep is -1"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"n_sub_steps": 0}, "n_sub_steps is 0"),
        ({"camera_id": 9}, "camera_id is 9; the model has 2 cameras"),
        ({"fully_observable": False}, "fully_observable"),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        parallel_pool.make("CheetahRun-v1", **options)


def play(env: Any, actions: np.ndarray) -> list[Any]:
    return [env.step(action) for action in actions]


@pytest.mark.parametrize("task_id", SOME)
@pytest.mark.parametrize("options", [{}, {"legacy_step": False, "flat_observation": True}])
def test_a_loaded_state_continues(task_id: str, options: dict[str, Any]) -> None:
    limit = 40 * load(task_id, 0).control_timestep()
    options = {"time_limit": limit, "reward_dtype": "float64", **options}
    with (
        parallel_pool.make(task_id, num_envs=2, seed=1, **options) as env,
        parallel_pool.make(task_id, num_envs=2, seed=8, **options) as other,
    ):
        shape = (90, 2, *env.single_action_space.shape)
        actions = np.random.default_rng(0).uniform(-1, 1, shape)
        env.reset()
        other.reset()
        play(env, actions[:55])  # into the second episode
        state = env.save()
        wanted = play(env, actions[55:])  # into the third, which draws random numbers
        play(other, actions[:7])
        other.load(state)
        same(play(other, actions[55:]), wanted)


def test_seeds_of_more_than_32_bits_differ() -> None:
    first = []
    for seed in (1, 2**32 + 1, 2**40 + 1):
        with parallel_pool.make("PendulumSwingup-v1", seed=seed) as env:
            first.append(env.reset()[0]["orientation"].tolist())
    assert first[0] != first[1] != first[2] != first[0]


def test_the_limit_in_steps_follows_from_the_other_options() -> None:
    def limit(**options: Any) -> int:
        return parallel_pool.make_spec("CheetahRun-v1", **options).max_episode_steps

    assert limit() == 1000
    assert "  option       max_episode_steps=1000 " in str(parallel_pool.make_spec("CheetahRun-v1"))
    assert limit(time_limit=2.5) == 250
    assert limit(n_sub_steps=2) == 500
    assert limit(control_timestep=0.04) == 250
    assert limit(max_episode_steps=7, time_limit=2.5) == 7
    for limits, steps in (({"max_episode_steps": 2}, 2), ({"time_limit": 0.03}, 3)):
        with parallel_pool.make("CheetahRun-v1", **limits) as pool:
            pool.reset()
            cut = [bool(pool.step(np.zeros((1, 6)))[3][0]) for _ in range(steps)]
            assert cut == [False] * (steps - 1) + [True]
