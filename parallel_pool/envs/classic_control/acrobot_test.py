"""Acrobot equals Gymnasium's Acrobot, step for step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.gymnasium_parity import SEEDS, Array, assert_same_spaces, compare


def swing(random: np.random.Generator, obs: Array) -> Array:
    """Random torques; in four envs, torques in the direction of the second link, which swing up."""
    action = random.integers(0, 3, len(obs))
    action[:4] = np.where(obs[:4, 5] > 0, 2, 0)
    return action


def nearly(ours: Array, theirs: Array) -> bool:
    """Equal, except for one unit in the last place of sines and cosines: Gymnasium computes those
    of an episode's first state in float32, for which NumPy's approximations differ from machine to
    machine. The state itself is equal, or later steps would differ.
    """
    gap = np.abs(ours[:, :4] - theirs[:, :4])
    return bool((gap <= np.spacing(np.abs(theirs[:, :4]))).all()) and np.array_equal(
        ours[:, 4:], theirs[:, 4:]
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "options", [{}, {"book_or_nips": "nips"}, {"torque_noise_max": 0.5}], ids=str
)
def test_equals_gymnasium(seed: int, options: dict[str, Any]) -> None:
    def reference() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make("Acrobot-v1")
        for name, value in options.items():  # in Gymnasium they are attributes
            setattr(env.unwrapped, name, value)
        return env

    ends = compare("Acrobot-v1", reference, seed, policy=swing, same_first=nearly, **options)
    assert ends["terminated"] > 0


def test_task_facts() -> None:
    assert_same_spaces("Acrobot-v1", gymnasium.make("Acrobot-v1"))


def test_state_is_the_angles() -> None:
    """The info `state`, as in EnvPool: the two angles, float32, whose cosines and sines obs has."""
    with parallel_pool.make("Acrobot-v1", num_envs=4) as pool:
        obs, info = pool.reset()
        for _ in range(50):
            assert (info["state"].dtype, info["state"].shape) == (np.float32, (4, 2))
            wanted = np.stack([np.cos(info["state"]), np.sin(info["state"])], -1).reshape(4, 4)
            np.testing.assert_allclose(obs[:, :4], wanted, atol=1e-6)  # they are of float32 angles
            obs, _, _, _, info = pool.step(pool.action_space.n - 1 - np.zeros(4, int))


def test_reset_options() -> None:
    options = {"low": -0.3, "high": 0.9}
    compare(
        "Acrobot-v1",
        lambda: gymnasium.make("Acrobot-v1"),
        7,
        first_reset=options,
        same_first=nearly,
        steps=600,
    )
