"""MetaWorld as a reference, on the MuJoCo that is installed."""

import warnings
from typing import Any

import gymnasium
import mujoco

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    import metaworld
    from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_HIDDEN
    from metaworld.policies import ENV_POLICY_MAP
    from metaworld.sawyer_xyz_env import SawyerMocapBase


def _reset_mocap_welds(self: Any) -> None:
    """Same as the reference's, whose rows are shorter than those of newer versions of MuJoCo."""
    for i in range(self.model.neq):
        if self.model.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:
            self.model.eq_data[i, :11] = [0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5]


SawyerMocapBase.reset_mocap_welds = _reset_mocap_welds


def make(name: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
    """An env of the benchmark MT1, such as reach-v3: each episode has one of its 50 goals."""
    env: gymnasium.Env[Any, Any] = metaworld.make_mt_envs(name, seed=seed, **options)
    return env


def make_each(name: str, seed: int) -> Any:
    """An env that draws a vector of its own for each episode."""
    env: Any = make(name, seed)
    inner = env.unwrapped
    inner._partially_observable = False
    inner._freeze_rand_vec, inner.seeded_rand_vec = False, True
    inner._set_task_called = True
    vars(inner).pop("sawyer_observation_space", None)  # cached, of an env whose goal is hidden
    return env.env.env  # below the wrapper that chooses goals


def make_hidden(name: str, seed: int) -> gymnasium.Env[Any, Any]:
    """An env with one goal, which is not in the observation."""
    env: gymnasium.Env[Any, Any] = ALL_V3_ENVIRONMENTS_GOAL_HIDDEN[f"{name}-goal-hidden"](seed=seed)
    return env


def make_vector(name: str, seed: int = 42, **options: Any) -> Any:
    """The SyncVectorEnv of MT10, MT25 or MT50."""
    return metaworld.make_mt_envs(name, seed=seed, **options)


def make_benchmark(name: str, split: str, seed: int, **options: Any) -> list[Any]:
    """The envs of MT10, ML10 or another benchmark of several tasks; `split` of MT is ""."""
    if not split:
        return list(make_vector(name, seed, **options).envs)
    make_ml_envs = {"train": metaworld.make_ml_envs_train, "test": metaworld.make_ml_envs_test}
    return list(make_ml_envs[split](name, seed=seed, **options).envs)


def expert(name: str) -> Any:
    """The authors' policy: its get_action(obs) reaches the goal in most episodes."""
    return ENV_POLICY_MAP[name]()
