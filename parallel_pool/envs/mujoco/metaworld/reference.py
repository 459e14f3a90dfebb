"""MetaWorld as a reference, on the MuJoCo that is installed."""

import warnings
from typing import Any

import gymnasium
import mujoco

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    import metaworld
    from metaworld.policies import ENV_POLICY_MAP
    from metaworld.sawyer_xyz_env import SawyerMocapBase


def _reset_mocap_welds(self: Any) -> None:
    """Same as the reference's, whose rows are shorter than those of newer versions of MuJoCo."""
    for i in range(self.model.neq):
        if self.model.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:
            self.model.eq_data[i, :11] = [0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5]


SawyerMocapBase.reset_mocap_welds = _reset_mocap_welds


def make(name: str, seed: int) -> gymnasium.Env[Any, Any]:
    """An env of the benchmark MT1, such as reach-v3: each episode has one of its 50 goals."""
    env: gymnasium.Env[Any, Any] = metaworld.make_mt_envs(name, seed=seed)
    return env


def expert(name: str) -> Any:
    """The authors' policy: its get_action(obs) reaches the goal in most episodes."""
    return ENV_POLICY_MAP[name]()
