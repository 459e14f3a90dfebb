"""Returns equal those of plain NumPy, bit for bit."""

from typing import Any

import numpy as np
import pytest

from parallel_pool import returns

STEPS, ENVS = 23, 5
GAMMA, LAMBDA = 0.97, 0.9


def arrays(seed: int, dtype: Any, with_final: bool, with_mask: bool) -> dict[str, Any]:
    """The arguments of all functions; `is_transition` follows the ends, as next_step resets."""
    random = np.random.default_rng(seed)
    shape = (STEPS, ENVS)
    terminated = random.random(shape) < 0.15
    truncated = random.random(shape) < 0.15
    ended = terminated | truncated
    is_transition = np.ones(shape, bool)
    is_transition[1:] = ~ended[:-1]
    return {
        "reward": random.normal(size=shape).astype(dtype),
        "value": random.normal(size=shape).astype(dtype),
        "terminated": terminated,
        "truncated": truncated,
        "last_value": random.normal(size=ENVS).astype(dtype),
        "final_value": random.normal(size=shape).astype(dtype) if with_final else None,
        "is_transition": is_transition if with_mask else None,
    }


class Reference:
    """The formulas in NumPy, for one step of all envs at a time."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.reward, self.value = given["reward"], given["value"]
        self.dtype = self.value.dtype.type
        self.terminated = given["terminated"]
        self.ended = self.terminated | given["truncated"]
        mask = given["is_transition"]
        self.counts = np.ones(self.ended.shape, bool) if mask is None else mask
        self.next_value = np.concatenate([self.value[1:], given["last_value"][None]])
        if given["final_value"] is not None:
            self.next_value = np.where(given["truncated"], given["final_value"], self.next_value)
        self.next_value = np.where(self.terminated, self.dtype(0), self.next_value)

    def backwards(self, at_end: Any, step: Any) -> Any:
        """The results of step(t, result of t + 1), from the last step to the first."""
        result, rows = at_end, np.zeros_like(self.value)
        for t in reversed(range(STEPS)):
            rows[t] = result = np.where(self.counts[t], step(t, result), self.dtype(0))
        return rows

    def gae(self) -> tuple[Any, Any]:
        decay = self.dtype(GAMMA * LAMBDA)

        def step(t: int, later: Any) -> Any:
            error = self.reward[t] + self.dtype(GAMMA) * self.next_value[t] - self.value[t]
            return np.where(self.ended[t], error, error + decay * later)

        advantage = self.backwards(np.zeros(ENVS, self.dtype), step)
        return advantage, np.where(self.counts, advantage + self.value, self.dtype(0))

    def lambda_returns(self) -> Any:
        rest, decay = self.dtype(1 - LAMBDA), self.dtype(LAMBDA)

        def step(t: int, later: Any) -> Any:
            next_value = self.next_value[t]
            mixed = rest * next_value + decay * later
            next_return = np.where(self.ended[t], next_value, mixed)
            return self.reward[t] + self.dtype(GAMMA) * next_return

        return self.backwards(self.next_value[-1], step)

    def n_step(self, n: int) -> Any:
        target = np.zeros_like(self.value)
        for t in range(STEPS):
            for k in range(ENVS):
                power, m = self.dtype(1), t
                while self.counts[t, k]:
                    target[t, k] += power * self.reward[m, k]
                    power *= self.dtype(GAMMA)
                    if m + 1 - t == n or self.ended[m, k] or m + 1 == STEPS:
                        target[t, k] += power * self.next_value[m, k]
                        break
                    m += 1
        return target

    def vtrace(self, ratio: Any, clip_rho: float, clip_c: float) -> tuple[Any, Any]:
        gamma = self.dtype(GAMMA)
        rho = np.minimum(self.dtype(clip_rho), ratio)
        c = self.dtype(LAMBDA) * np.minimum(self.dtype(clip_c), ratio)

        def step(t: int, later: Any) -> Any:
            error = rho[t] * (self.reward[t] + gamma * self.next_value[t] - self.value[t])
            return np.where(self.ended[t], error, error + gamma * c[t] * later)

        error = self.backwards(np.zeros(ENVS, self.dtype), step)
        target = np.where(self.counts, self.value + error, self.dtype(0))
        later = np.concatenate([target[1:], self.next_value[-1:]])
        later = np.where(self.ended, self.next_value, later)
        advantage = rho * (self.reward + gamma * later - self.value)
        return target, np.where(self.counts, advantage, self.dtype(0))


CASES = [
    (dtype, with_final, with_mask)
    for dtype in (np.float32, np.float64)
    for with_final in (False, True)
    for with_mask in (False, True)
]


@pytest.mark.parametrize(("dtype", "with_final", "with_mask"), CASES)
def test_each_number_is_that_of_numpy(dtype: Any, with_final: bool, with_mask: bool) -> None:
    for seed in range(5):
        given = arrays(seed, dtype, with_final, with_mask)
        reference = Reference(given)
        ratio = np.random.default_rng(seed).uniform(0, 2, (STEPS, ENVS)).astype(dtype)
        same = np.testing.assert_array_equal
        for mine, theirs in zip(
            returns.gae(**given, gamma=GAMMA, gae_lambda=LAMBDA), reference.gae(), strict=True
        ):
            assert mine.dtype == dtype
            same(mine, theirs)
        mine = returns.lambda_returns(**given, gamma=GAMMA, lambda_=LAMBDA)
        same(mine, reference.lambda_returns())
        for n in (1, 3, 100):
            same(returns.n_step(**given, n=n, gamma=GAMMA), reference.n_step(n))
        found = returns.vtrace(
            **given, ratio=ratio, gamma=GAMMA, lambda_=LAMBDA, clip_rho=1.2, clip_c=0.8
        )
        for mine, theirs in zip(found, reference.vtrace(ratio, 1.2, 0.8), strict=True):
            same(mine, theirs)


def test_other_arguments_give_other_numbers() -> None:
    given = arrays(0, np.float64, True, True)
    advantage, _ = returns.gae(**given)
    for name in ("final_value", "is_transition"):
        assert (returns.gae(**{**given, name: None})[0] != advantage).any(), name
    assert (returns.gae(**given, gamma=0.9)[0] != advantage).any()
    swapped = {**given, "terminated": given["truncated"], "truncated": given["terminated"]}
    assert (returns.gae(**swapped)[0] != advantage).any()


def test_rows_may_have_any_shape_and_no_order() -> None:
    given = arrays(1, np.float32, True, True)
    flat, _ = returns.gae(**given)
    one = {name: array if name == "last_value" else array[:, :1] for name, array in given.items()}
    one["last_value"] = one["last_value"][:1]
    np.testing.assert_array_equal(returns.gae(**one)[0], flat[:, :1])
    shaped: dict[str, Any] = {
        name: np.asfortranarray(array).reshape((*array.shape[:-1], 1, ENVS))
        for name, array in given.items()
    }
    np.testing.assert_array_equal(returns.gae(**shaped)[0], flat.reshape(STEPS, 1, ENVS))


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("reward", np.zeros((STEPS, 2)), ValueError, r"reward has shape \(23, 2\); it must be"),
        ("last_value", np.zeros(3), ValueError, r"last_value has shape \(3,\); it must be \(5,\)"),
        ("terminated", np.zeros((STEPS, ENVS)), TypeError, "terminated is of float64; .* bool"),
        (
            "value",
            np.zeros((STEPS, ENVS), int),
            TypeError,
            "value is of int64; it must be of float",
        ),
        ("reward", np.full((STEPS, ENVS), "a"), TypeError, "reward is of <U1"),
        ("gamma", 1.5, ValueError, "gamma is 1.5; it must be between 0 and 1"),
        ("gae_lambda", -0.1, ValueError, "gae_lambda is -0.1"),
    ],
)
def test_wrong_arguments(name: str, value: Any, error: type[Exception], text: str) -> None:
    given = {**arrays(0, np.float64, False, False), name: value}
    with pytest.raises(error, match=text):
        returns.gae(**given)


def test_wrong_numbers_of_the_others() -> None:
    given = arrays(0, np.float64, False, False)
    with pytest.raises(ValueError, match="n is 0; it must be at least 1"):
        returns.n_step(**given, n=0)
    with pytest.raises(TypeError, match="n must be an integer, not float"):
        returns.n_step(**given, n=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="clip_rho is 0"):
        returns.vtrace(**given, ratio=given["reward"], clip_rho=0)
    with pytest.raises(ValueError, match=r"ratio has shape \(1,\)"):
        returns.vtrace(**given, ratio=np.zeros(1))
