"""Tianshou's PPO learns CartPole-v1 to a mean return above 475.

Prints the mean return of 100 episodes of the trained policy without exploration; the same seed
gives the same mean.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactoryLinear
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic
from tqdm import tqdm

import parallel_pool

TASK, GOAL = "CartPole-v1", 475.0
STEPS, REPEATS, BATCH = 32, 8, 256  # steps of each env between updates; passes over them; rows


def make_algorithm(env: Any, rate: LRSchedulerFactoryLinear) -> PPO:
    """PPO with two layers for the policy and two for the value; the learning rate falls to 0."""
    bodies = [
        Net(
            state_shape=env.observation_space.shape,
            hidden_sizes=[64, 64],
            activation=torch.nn.Tanh,
        )
        for _ in ("policy", "value")
    ]
    actor = DiscreteActor(
        preprocess_net=bodies[0], action_shape=env.action_space.n, softmax_output=False
    )
    return PPO(
        policy=DiscreteActorPolicy(
            actor=actor, action_space=env.action_space, deterministic_eval=True
        ),
        critic=DiscreteCritic(preprocess_net=bodies[1]),
        optim=AdamOptimizerFactory(lr=1e-3).with_lr_scheduler_factory(rate),
        gamma=0.98,
        gae_lambda=0.9,
        ent_coef=0.0,
        max_grad_norm=0.5,
    )


def train(args: argparse.Namespace) -> tuple[PPO, int]:
    """Trains; returns the algorithm and the number of env steps."""
    rows = args.num_envs * STEPS
    with (
        parallel_pool.make(TASK, num_envs=args.num_envs, seed=args.seed) as env,
        tqdm(total=args.max_steps, unit=" steps", disable=args.quiet) as bar,
    ):
        algorithm = make_algorithm(env, LRSchedulerFactoryLinear(1, args.max_steps, rows))
        buffer = VectorReplayBuffer(rows, args.num_envs)
        result = algorithm.run_training(
            OnPolicyTrainerParams(
                training_collector=Collector[CollectStats](algorithm, env, buffer),
                max_epochs=1,
                epoch_num_steps=args.max_steps,
                collection_step_num_env_steps=rows,
                update_step_num_repetitions=REPEATS,
                batch_size=BATCH,
                training_fn=lambda _, steps: bar.update(steps - bar.n),
                show_progress=False,
                verbose=False,
            )
        )
        bar.update(result.train_step - bar.n)
    return algorithm, result.train_step


def test(algorithm: PPO, args: argparse.Namespace) -> float:
    """The mean return of 100 episodes in other envs."""
    seed = args.seed + 1_000_000
    with parallel_pool.make(TASK, num_envs=args.num_envs, seed=seed) as env:
        collector = Collector[CollectStats](algorithm, env)
        collector.reset()
        return float(collector.collect(n_episode=100).returns.mean())


def main() -> None:
    """Trains, tests, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument("--max-steps", type=int, default=81_920, help="steps of all envs (81,920)")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    # The warning is about the infos of resets, which Tianshou does not split and nothing here uses.
    warnings.filterwarnings("ignore", "You are using tensors with different shape")
    np.random.seed(args.seed)  # Tianshou shuffles with NumPy's global generator
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    begin = time.perf_counter()
    algorithm, steps = train(args)
    seconds = time.perf_counter() - begin
    mean = test(algorithm, args)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean <= GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
