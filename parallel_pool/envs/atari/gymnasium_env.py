"""Gymnasium's env of a game, for comparisons: it has the same preprocessing."""

from typing import Any

import gymnasium

from parallel_pool.python.specs.spec import Spec


def make(spec: Spec) -> gymnasium.Env[Any, Any]:
    """The game of ale-py with frames skipped, resized and stacked as in `spec`.

    Raises:
        ImportError: ale-py or OpenCV is not installed.
    """
    import ale_py

    gymnasium.register_envs(ale_py)
    config = spec.config
    env: Any = gymnasium.make(f"ALE/{spec.task_id}", frameskip=1, repeat_action_probability=0.0)
    env = gymnasium.wrappers.AtariPreprocessing(env, frame_skip=config["frame_skip"])
    return gymnasium.wrappers.FrameStackObservation(env, config["stack_num"])
