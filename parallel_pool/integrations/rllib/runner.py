"""PoolEnvRunner: RLlib's runner of single-agent envs, with one loop for all envs of a pool."""

import logging
import math
from typing import Any

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.env_runner import ENV_STEP_FAILURE, NUM_ENV_STEP_FAILURES_LIFETIME
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.utils.metrics import (
    ENV_TO_MODULE_SUM_EPISODES_LENGTH_IN,
    ENV_TO_MODULE_SUM_EPISODES_LENGTH_OUT,
    RLMODULE_INFERENCE_TIMER,
    WEIGHTS_SEQ_NO,
)
from ray.tune.registry import ENV_CREATOR, _global_registry

from parallel_pool.integrations.rllib.collector import Collector, Step
from parallel_pool.integrations.rllib.errors import TruncateOnError
from parallel_pool.integrations.rllib.metrics import EpisodePart
from parallel_pool.integrations.rllib.pipelines import BatchPipelines, are_default
from parallel_pool.python.apis.gymnasium_vec import VectorEnv
from parallel_pool.python.errors import EnvError
from parallel_pool.python.options.seeds import rank_seed
from parallel_pool.python.specs.gymnasium_ids import NAMESPACE

_LOG = logging.getLogger("parallel_pool")
_EPISODE_CALLBACKS = (
    "on_episode_created",
    "on_episode_start",
    "on_episode_step",
    "on_episode_end",
)
# Seeds of evaluation runners are so far from those of training. RLlib adds 10**6, which is the
# number of envs of a large cluster.
_EVALUATION_SEEDS = 10**9


class PoolEnvRunner(SingleAgentEnvRunner):  # type: ignore[misc]
    """Samples from a pool: `config.env_runners(env_runner_cls=PoolEnvRunner)`.

    It returns the episodes that RLlib's SingleAgentEnvRunner returns for the same seeds and module,
    bit for bit, and logs the same metrics. Its loop has no work for each env: the module and the
    envs exchange batches, and episodes are cut out of arrays at the end.

    RLlib's own loop runs in its place, with the same results, where users ask for what happens
    between two steps: connectors other than the default ones, callbacks on_episode_created, _start,
    _step and _end, stateful modules, a MultiRLModule, and `episodes_to_numpy=False`.

    Two rules differ from RLlib's:

    - The envs of no two runners share a seed. Runner w has `seed + w * num_envs`, evaluation
      runners 10**9 more. `seed` is that of config.debugging() or else of `env_config`; without
      one, each runner draws its own.
    - An env that throws truncates its own episode, in any configuration. A warning shows the
      error, and the metric "num_env_step_failures" counts them.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        """See SingleAgentEnvRunner.

        Raises:
            ValueError: `config` asks for envs that are not a pool, for several agents, for
                recorded episodes, or for a pool of another autoreset mode than "next_step".
        """
        _check(config)
        self._needs_initial_reset: bool
        super().__init__(config=config, **kwargs)
        if config.seed is not None:
            self._seed = self._own_seed(config.seed)
        self._collector: Collector | None = None
        if self.env is not None and not self._needs_rllib_loop():
            self._collector = Collector(self.env, self.config.episode_lookback_horizon)
            self._pipelines = BatchPipelines(self)

    def make_env(self) -> None:
        """Makes the pool of `config.env`, in place of the one there is."""
        given = self.config.env_config
        self.config.gym_env_vectorize_mode = "vector_entry_point"
        if _is_task(self.config.env):
            seed = given.get("seed")
            if self.config.seed is not None:
                seed = self.config.seed
            own = None if seed is None else self._own_seed(seed)
            self.config.env_config = {**given, "seed": own}
        try:
            super().make_env()
        finally:
            self.config.env_config = given
        _check_pool(self.config.env, self.env)
        if not _is_task(self.config.env) and self.config.seed is None:
            # RLlib does not tell the function that made the pool which runner it is for.
            pool = self.env.unwrapped
            pool.reset(seed=self._own_seed(pool.np_random_seed[0]))
        if self.env.env is self.env.unwrapped:
            # In place: a wrapper that is collected closes its env.
            self.env.env = TruncateOnError(self.env.env, self._report)

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Any]:
        """See SingleAgentEnvRunner.sample()."""
        collector = self._collector
        if collector is None:
            return super()._sample(  # type: ignore[no-any-return]
                num_timesteps=num_timesteps,
                num_episodes=num_episodes,
                explore=explore,
                random_actions=random_actions,
                force_reset=force_reset,
            )
        if force_reset or num_episodes is not None or self._needs_initial_reset:
            self._begin_episodes(collector)
        # The episodes that go on after this call are not returned.
        self._needs_initial_reset = num_episodes is not None
        # See _forward_pass().
        was_training = self.module.training
        self.module.eval()
        steps, episodes = num_timesteps or 0, num_episodes or 0
        while collector.num_steps < steps or collector.num_ends < episodes:
            self._step(collector, explore, random_actions)
        self.module.train(was_training)
        num_steps = collector.num_steps
        ended, fragments = collector.cut()
        if num_episodes is not None:
            ended, fragments = ended[:num_episodes], []
        self._log(num_steps, ended, fragments)
        return ended + fragments

    def _begin_episodes(self, collector: Collector) -> None:
        """Resets all envs; their unfinished episodes are dropped."""
        self._ongoing_episodes_for_metrics.clear()
        seed = self._seed if self._needs_initial_reset else None
        collector.reset(*self._try_env_reset(seed=seed))
        self._needs_initial_reset = False

    def _step(self, collector: Collector, explore: bool, random_actions: bool) -> None:
        """Steps all envs once."""
        if random_actions:
            actions = for_env = self.env.action_space.sample()
            outputs = {}
        else:
            batch = self._pipelines.to_module(collector.obs)
            with self.metrics.log_time(RLMODULE_INFERENCE_TIMER):
                outputs = self._forward(batch, explore, collector.num_steps)
            actions, for_env, outputs = self._pipelines.to_env(outputs, explore)
        outputs[WEIGHTS_SEQ_NO] = np.full(self.num_envs, self._weights_seq_no)
        results = self._try_env_step(for_env)
        if results == ENV_STEP_FAILURE:
            self._begin_episodes(collector)
            return
        obs, rewards, terminated, truncated, infos = results
        collector.add(Step(actions, rewards, terminated, truncated, outputs), obs, infos)

    def _forward(self, batch: dict[str, Any], explore: bool, num_new_steps: int) -> Any:
        """The module's outputs; `num_new_steps` are those of this call of sample()."""
        if not explore:
            return _forward_pass(self.module, "forward_inference")(batch)
        # Modules with a schedule, such as of epsilon, take an estimate of all runners' steps.
        runners = self.config.num_env_runners or 1
        steps = (self.num_env_steps_sampled_lifetime // runners + num_new_steps) * runners
        return _forward_pass(self.module, "forward_exploration")(batch, t=steps)

    def _log(self, num_steps: int, ended: list[Any], fragments: list[Any]) -> None:
        """Logs the metrics of a call of sample()."""
        ongoing = self._ongoing_episodes_for_metrics
        done = self._done_episodes_for_metrics
        for fragment in fragments:
            ongoing[fragment.id_].append(EpisodePart.of(fragment))
        done.extend(map(EpisodePart.of, ended))
        # Metrics of episodes have a window, as in SingleAgentEnvRunner._log_episode_metrics().
        window = self.config.metrics_num_episodes_for_smoothing / (self.config.num_env_runners or 1)
        for forgotten in done[: -max(1, math.ceil(window))]:
            ongoing.pop(forgotten.id_, None)
        del done[: -max(1, math.ceil(window))]
        self._pipelines.log()
        length = sum(map(len, fragments))
        self.metrics.log_value(ENV_TO_MODULE_SUM_EPISODES_LENGTH_IN, length)
        self.metrics.log_value(ENV_TO_MODULE_SUM_EPISODES_LENGTH_OUT, length)
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=num_steps)
        self._increase_sampled_metrics(num_steps, len(ended))

    def _needs_rllib_loop(self) -> bool:
        """Whether users asked for what only RLlib's own loop does (see the class)."""
        module = self.module
        if module is None or isinstance(module, MultiRLModule) or module.is_stateful():
            return True
        has_callbacks = any(
            getattr(type(callbacks), name) is not getattr(RLlibCallback, name)
            or getattr(self.config, f"callbacks_{name}")
            for name in _EPISODE_CALLBACKS
            for callbacks in self._callbacks
        )
        is_default = are_default(self._env_to_module, self._module_to_env)
        return has_callbacks or not is_default or not self.episodes_to_numpy

    def _own_seed(self, seed: int) -> int:
        """The seed of this runner's first env; the others have the next ones."""
        num_envs = self.config.num_envs_per_env_runner
        own = rank_seed(seed, self.worker_index or 0, num_envs)
        return own + _EVALUATION_SEEDS if self.config.in_evaluation else own

    def _report(self, error: EnvError) -> None:
        """Logs the error of envs that threw."""
        self.metrics.log_value(
            NUM_ENV_STEP_FAILURES_LIFETIME, len(error.env_ids), reduce="lifetime_sum"
        )
        _LOG.warning(
            "PoolEnvRunner %s: the envs %s have thrown, their episodes are truncated: %s",
            self.worker_index or 0,
            error.env_ids,
            error,
        )


def _forward_pass(module: Any, name: str) -> Any:
    """A forward pass of a module that is in eval mode.

    RLlib's own methods set that mode in each call, which visits all parts of the module twice, and
    then call the one with "_" before its name.
    """
    method = getattr(module, name)
    is_own = getattr(method, "__func__", None) is getattr(TorchRLModule, name)
    return getattr(module, f"_{name}") if is_own else method


def _is_task(env: Any) -> bool:
    """Whether `env` is an id of ParallelPool's tasks, with or without "module:"."""
    return isinstance(env, str) and env.rpartition(":")[2].startswith(f"{NAMESPACE}/")


def _check(config: Any) -> None:
    """ValueError if `config` asks for what PoolEnvRunner does not do."""
    is_creator = isinstance(config.env, str) and _global_registry.contains(ENV_CREATOR, config.env)
    is_creator |= callable(config.env) and not isinstance(config.env, type)
    if not _is_task(config.env) and not is_creator:
        raise ValueError(
            f"PoolEnvRunner: config.environment() has the env {config.env!r}; allowed are ids such "
            f"as '{NAMESPACE}:{NAMESPACE}/CartPole-v1', '{NAMESPACE}:{NAMESPACE}/python' with "
            "env_config={'env': ...} for envs in Python, and functions that make such pools"
        )
    if config.is_multi_agent:
        raise ValueError(
            f"PoolEnvRunner: {config.env} has several agents in config.multi_agent(); it has one "
            "agent in each env: leave out env_runner_cls for RLlib's own runner"
        )
    if config.output:
        raise ValueError(
            f"PoolEnvRunner: config.offline_data() has the output {config.output!r}; it does not "
            "record episodes: leave out env_runner_cls for RLlib's own runner"
        )


def _check_pool(name: Any, env: Any) -> None:
    """ValueError, and `env` is closed, unless it is a pool that episodes can be made of."""
    pool = env.unwrapped
    if not isinstance(pool, VectorEnv):
        env.close()
        raise ValueError(
            f"PoolEnvRunner: {name!r} made {pool!r}; it must make a pool by "
            f"gymnasium.make_vec('{NAMESPACE}/...', num_envs=...)"
        )
    mode = pool.config["autoreset_mode"]
    if mode != "next_step":
        env.close()
        raise ValueError(
            f"PoolEnvRunner: {name!r} has autoreset_mode={mode!r} in its env_config; RLlib's "
            "episodes need 'next_step', which is the default"
        )
