"""Pools for RLlib: `config.env_runners(env_runner_cls=PoolEnvRunner)`.

| file | contents |
| --- | --- |
| runner.py | PoolEnvRunner: seeds, refusals, and the loop over steps of all envs |
| pipelines.py | between envs and module: RLlib's default connectors, for all envs at once |
| collector.py | the steps as columns, and RLlib's episodes made of them |
| metrics.py | the numbers that RLlib's metrics need of an episode |
| errors.py | an env that throws ends its own episode only |
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
