"""Blackjack equals Gymnasium's, hand for hand."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.gymnasium_parity import SEEDS, Array, compare


def as_array(obs: Any) -> Array:
    """Gymnasium's tuple of three columns as one array."""
    return np.stack(obs, 1).astype(np.int32)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("natural", [False, True])
@pytest.mark.parametrize("sab", [False, True])
def test_equals_gymnasium(seed: int, natural: bool, sab: bool) -> None:
    options: dict[str, Any] = {"natural": natural, "sab": sab}
    ends = compare(
        "Blackjack-v1",
        lambda: gymnasium.make("Blackjack-v1", **options),
        seed,
        as_array=as_array,
        **options,
    )
    assert ends["terminated"] > 0


def test_naturals_pay() -> None:
    """The options have an effect: some hand pays 1.5."""
    rewards = set()
    with parallel_pool.make("Blackjack-v1", num_envs=500, natural=True, sab=False) as pool:
        pool.reset()
        rewards.update(pool.step(np.zeros(500, int))[1].tolist())
    assert rewards == {-1.0, 0.0, 1.0, 1.5}


def test_task_facts() -> None:
    spec = parallel_pool.make_spec("Blackjack-v1")
    theirs = gymnasium.make("Blackjack-v1")
    assert spec.action_space == theirs.action_space
    assert spec.render_fps == theirs.metadata["render_fps"]
    assert isinstance(theirs.observation_space, gymnasium.spaces.Tuple)
    sizes = [space.n - 1 for space in theirs.observation_space]
    np.testing.assert_array_equal(spec.observation_space.high, sizes)  # type: ignore[attr-defined]
    assert spec.config["sab"] is theirs.spec.kwargs["sab"]  # type: ignore[union-attr]
    assert spec.config["natural"] is theirs.spec.kwargs["natural"]  # type: ignore[union-attr]
