"""The ways to use a pool, in a few lines each."""

import numpy as np

import parallel_pool


def sync_gym() -> None:
    """Gym's calls: the arguments and results of a step have one row for each env."""
    env = parallel_pool.make("Pong-v5", env_type="gym", num_envs=100)
    obs, info = env.reset()
    print("gym:", obs.shape)  # (100, 4, 84, 84)
    obs, rew, term, trunc, info = env.step(np.zeros(100, dtype=int))
    print("rewards:", rew.shape, "envs:", info["env_id"][:3], "...")
    env.close()


def async_gym() -> None:
    """recv() returns the 16 envs that finished first, send() sends them their next actions."""
    env = parallel_pool.make("Pong-v5", env_type="gym", num_envs=64, batch_size=16)
    env.async_reset()
    for _ in range(20):
        obs, rew, term, trunc, info = env.recv()
        env.send(np.random.randint(env.action_space.n, size=16), info["env_id"])
    print("async:", obs.shape)  # (16, 4, 84, 84)
    env.close()


def gymnasium_with_some_envs() -> None:
    """Gymnasium's calls; reset and step may have a list of env ids."""
    with parallel_pool.make("CartPole-v1", env_type="gymnasium", num_envs=8, seed=7) as env:
        obs, info = env.reset()
        obs, rew, term, trunc, info = env.step(np.array([0, 1]), env_id=np.array([2, 5]))
        print("gymnasium:", obs.shape, info["env_id"])  # (2, 4) [2 5]


def dm_env() -> None:
    """dm_env's calls: time steps whose fields are arrays."""
    with parallel_pool.make("CartPole-v1", env_type="dm", num_envs=8) as env:
        step = env.reset()
        step = env.step(np.ones(8, dtype=int))
        print("dm_env:", step.observation.obs.shape, "discounts:", step.discount)


if __name__ == "__main__":
    sync_gym()
    async_gym()
    gymnasium_with_some_envs()
    dm_env()
