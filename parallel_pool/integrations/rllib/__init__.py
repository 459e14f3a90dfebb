"""Pools for RLlib: `config.env_runners(env_runner_cls=PoolEnvRunner)`.

| file | contents |
| --- | --- |
| runner.py | PoolEnvRunner: seeds, refusals, and the loop over steps of all envs |
| pipelines.py | between envs and module: RLlib's default connectors, for all envs at once |
| collector.py | the steps as columns, and RLlib's episodes made of them |
| metrics.py | the numbers that RLlib's metrics need of an episode |
| errors.py | an env that throws ends its own episode only |

It rests on these private names: of SingleAgentEnvRunner `_callbacks`, `_device`,
`_done_episodes_for_metrics`, `_env_to_module`, `_increase_sampled_metrics`, `_log_env_steps`,
`_metrics_num_env_steps_sampled`, `_module_to_env`, `_needs_initial_reset`,
`_ongoing_episodes_for_metrics`, `_sample`, `_seed`, `_try_env_reset`, `_try_env_step` and
`_weights_seq_no`; of TorchRLModule `_forward_exploration` and `_forward_inference`; of
SingleAgentEpisode `_last_step_time` and `_start_time`; and `ray.tune.registry._global_registry`.
"""

try:
    import ray.rllib  # noqa: F401
    import torch  # noqa: F401
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.rllib needs RLlib and torch: pip install 'ray[rllib]' torch"
    ) from _error

from parallel_pool.integrations.rllib.runner import PoolEnvRunner

__all__ = ["PoolEnvRunner"]
