"""Draws of a replay buffer equal those of plain Python, and have the right shares."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool import ReplayBuffer

ENVS = 3


def filled(task: str = "CartPole-v1", steps: int = 60, limit: int = 9, **options: Any) -> Any:
    """A buffer after some steps with random actions; its pool is open."""
    pool = parallel_pool.make(task, num_envs=ENVS, seed=3, max_episode_steps=limit)
    buffer = ReplayBuffer(pool, **{"capacity": 3000, **options})
    _, info = buffer.reset()
    for _ in range(steps):
        *_, info = buffer.step(pool.sample_actions(info))
    return buffer


def lines_of(batch: Any) -> list[Any]:
    """The rows of each env, in the order of time."""
    return [np.flatnonzero(batch["index"] % ENVS == env) for env in range(ENVS)]


def test_the_seed_decides() -> None:
    first, second, other = filled(seed=5), filled(seed=5), filled(seed=6)
    for _ in range(3):
        found, wanted = first.sample(50), second.sample(50)
        for name, value in wanted.items():
            np.testing.assert_array_equal(found[name], value, name)
        assert (found["index"] != other.sample(50)["index"]).any()


def test_all_are_drawn_alike() -> None:
    buffer = filled()
    known = set(buffer.transitions()["index"].tolist())
    draws = np.concatenate([buffer.sample(1000)["index"] for _ in range(40)])
    found, counts = np.unique(draws, return_counts=True)
    assert set(found.tolist()) == known
    # Chi-squared: its mean is len - 1, its variance twice that.
    wanted = len(draws) / len(known)
    chi = ((counts - wanted) ** 2 / wanted).sum()
    assert abs(chi - len(known) + 1) < 6 * np.sqrt(2 * len(known))
    once = buffer.sample(len(known), replace=False)["index"]
    assert set(once.tolist()) == known


@pytest.mark.parametrize("n_step", [1, 2, 5])
def test_n_steps_equal_plain_sums(n_step: int) -> None:
    gamma = 0.9
    buffer = filled("Pendulum-v1", n_step=n_step, gamma=gamma)
    single = filled("Pendulum-v1").transitions()
    batch = buffer.transitions()
    np.testing.assert_array_equal(batch["index"], single["index"])
    ends = single["terminated"] | single["truncated"]
    shorter = 0
    for rows in lines_of(batch):
        for k, row in enumerate(rows):
            total, power, last = np.float32(0), np.float32(1), row
            for last in rows[k : k + n_step]:
                total += power * single["reward"][last]
                power *= np.float32(gamma)
                if ends[last]:
                    break
            shorter += int(power > np.float32(gamma) ** n_step)
            assert batch["reward"][row] == total
            assert batch["discount"][row] == (0 if single["terminated"][last] else power)
            assert batch["truncated"][row] == single["truncated"][last]
            np.testing.assert_array_equal(batch["next_obs"][row], single["next_obs"][last])
            np.testing.assert_array_equal(batch["obs"][row], single["obs"][row])
    assert (shorter > 0) == (n_step > 1)


class PlainTree:
    """A sum tree in plain Python: nodes 2 i and 2 i + 1 are below node i."""

    def __init__(self, priorities: list[float]) -> None:
        self.leaves = 1 << (len(priorities) - 1).bit_length()
        self.sums = [0.0] * (2 * self.leaves)
        self.sums[self.leaves : self.leaves + len(priorities)] = priorities
        for node in range(self.leaves - 1, 0, -1):
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1]

    def find(self, value: float) -> int:
        node = 1
        while node < self.leaves:
            first = self.sums[2 * node]
            right = value >= first
            value -= first if right else 0.0
            node = 2 * node + right
        return node - self.leaves


def test_priorities_equal_a_plain_tree() -> None:
    alpha, beta, size = 0.6, 0.7, 32
    buffer = filled(alpha=alpha, seed=4, capacity=90, steps=80)
    everything = buffer.transitions()["index"]
    errors = np.random.default_rng(1).normal(size=len(everything))
    buffer.update_priorities(everything, errors)
    length = buffer.capacity // ENVS
    priorities = [0.0] * buffer.capacity
    row_of = {
        int(index): int(index % ENVS * length + index // ENVS % length) for index in everything
    }
    for index, error in zip(everything, errors, strict=True):
        priorities[row_of[int(index)]] = (abs(error) + 1e-6) ** alpha
    tree, random = PlainTree(priorities), np.random.default_rng(4)
    for _ in range(20):
        batch = buffer.sample(size, beta=beta)
        numbers = random.random(size)
        share = tree.sums[1] / size
        wanted = [tree.find((k + number) * share) for k, number in enumerate(numbers)]
        assert [row_of[int(index)] for index in batch["index"]] == wanted
        chances = np.array([priorities[row] for row in wanted]) / tree.sums[1]
        weight = (len(everything) * chances) ** -beta
        np.testing.assert_array_equal(batch["weight"], (weight / weight.max()).astype(np.float32))


def test_new_transitions_have_the_highest_priority() -> None:
    buffer = filled(alpha=1.0, steps=10)
    old = buffer.transitions()["index"]
    buffer.update_priorities(old, np.full(len(old), 50.0))
    buffer.update_priorities(old, np.full(len(old), 1e-9))
    buffer.step(np.zeros(ENVS, int))
    drawn = np.concatenate([buffer.sample(100)["index"] for _ in range(20)])
    assert np.isin(drawn, old).mean() < 0.01
    with pytest.raises(ValueError, match="2 errors for 1 transitions"):
        buffer.update_priorities(old[:1], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        buffer.update_priorities(old[:1], [np.nan])


def test_replaced_transitions_are_left_out() -> None:
    buffer = filled(alpha=1.0, steps=5, capacity=30)
    old = buffer.transitions()["index"]
    for _ in range(30):
        buffer.step(np.zeros(ENVS, int))
    buffer.update_priorities(old, np.full(len(old), 1e6))
    assert not np.isin(buffer.sample(200)["index"], old).any()
    with pytest.raises(ValueError, match="a transition was replaced"):
        buffer.transitions(old)


@pytest.mark.parametrize(("length", "burn_in"), [(1, 0), (4, 0), (4, 3), (20, 5)])
def test_sequences_equal_the_transitions(length: int, burn_in: int) -> None:
    buffer = filled("Pendulum-v1", steps=50, limit=13)
    single = buffer.transitions()
    place = {int(index): row for row, index in enumerate(single["index"])}
    ends = single["terminated"] | single["truncated"]
    batch = buffer.sample_sequences(60, length, burn_in)
    width = length + burn_in
    assert batch["obs"].shape == (60, width + 1, 3)
    assert batch["action"].shape == (60, width, 1)
    short = 0
    for i, index in enumerate(batch["index"]):
        drawn = place[int(index)]
        begin = drawn
        while drawn - begin < burn_in and begin > 0 and not ends[begin - 1]:
            if single["index"][begin - 1] != single["index"][begin] - ENVS:
                break
            begin -= 1
        count = 0
        for row in range(begin, drawn + length):
            if row > begin and (row >= len(ends) or ends[row - 1]):
                break
            if row > begin and single["index"][row] != single["index"][row - 1] + ENVS:
                break
            at = (i, row - begin)
            for name in ("action", "reward", "terminated", "truncated"):
                np.testing.assert_array_equal(batch[name][at], single[name][row], name)
            np.testing.assert_array_equal(batch["obs"][at], single["obs"][row])
            np.testing.assert_array_equal(batch["obs"][i, row - begin + 1], single["next_obs"][row])
            assert batch["is_transition"][at]
            assert batch["is_learned"][at] == (row >= drawn)
            count += 1
        assert not batch["is_transition"][i, count:].any()
        assert not batch["obs"][i, count + 1 :].any()
        short += int(count < width)
    assert (short > 0) == (width > 1)


def test_sequences_of_frames_are_stacks() -> None:
    buffer = filled("Pong-v5", steps=30, limit=12)
    single = buffer.transitions()
    place = {int(index): row for row, index in enumerate(single["index"])}
    batch = buffer.sample_sequences(20, 4, 2)
    assert batch["obs"].shape == (20, 7, 4, 84, 84)
    for i, index in enumerate(batch["index"]):
        at = int(batch["is_learned"][i].argmax())
        np.testing.assert_array_equal(batch["obs"][i, at], single["obs"][place[int(index)]])
        np.testing.assert_array_equal(
            batch["obs"][i, at + 1], single["next_obs"][place[int(index)]]
        )


@pytest.mark.parametrize("hindsight", ["future", "final", "episode"])
def test_goals_in_hindsight(hindsight: str) -> None:
    limit = 12
    options = {"hindsight": hindsight, "hindsight_ratio": 0.75, "seed": 9}
    buffer = filled("FetchReach-v4", 40, limit, **options)
    single = filled("FetchReach-v4", 40, limit).transitions()
    # Whole episodes alone: 3 of 12 steps, and 3 steps that reset.
    assert len(buffer) == ENVS * 3 * limit
    place = {int(index): row for row, index in enumerate(single["index"])}
    random = np.random.default_rng(9)
    batch = buffer.sample(40)
    random.integers(0, len(buffer), 40)
    rows = np.array([place[int(index)] for index in batch["index"]])
    begins = np.array([_begin(single, row) for row in rows])
    index = rows - begins
    if hindsight == "future":
        chosen = random.integers(index[:30], limit)
    elif hindsight == "final":
        chosen = np.full(30, limit - 1)
    else:
        chosen = random.integers(0, np.full(30, limit))
    goals = single["next_obs"]["achieved_goal"][begins[:30] + chosen]
    np.testing.assert_array_equal(batch["obs"]["desired_goal"][:30], goals)
    np.testing.assert_array_equal(batch["next_obs"]["desired_goal"][:30], goals)
    achieved = single["next_obs"]["achieved_goal"][rows]
    np.testing.assert_array_equal(
        batch["reward"][:30], buffer.pool.compute_reward(achieved[:30], goals, {})
    )
    for part in ("observation", "achieved_goal"):
        np.testing.assert_array_equal(batch["obs"][part], single["obs"][part][rows])
    own = single["obs"]["desired_goal"][rows[30:]]
    np.testing.assert_array_equal(batch["obs"]["desired_goal"][30:], own)
    np.testing.assert_array_equal(batch["reward"][30:], single["reward"][rows[30:]])


def _same(single: Any, row: int) -> Any:
    return single["index"][:row] % ENVS == single["index"][row] % ENVS


def _begin(single: Any, row: int) -> int:
    """The first row of the episode."""
    ends = np.flatnonzero(single["truncated"][:row] & _same(single, row))
    if len(ends):
        return int(ends[-1]) + 1
    return int(np.flatnonzero(single["index"] % ENVS == single["index"][row] % ENVS)[0])


def test_memory_of_a_batch_is_used_again() -> None:
    buffer = filled()
    first = buffer.sample(20)
    memory = {name: array.ctypes.data for name, array in first.arrays.items()}
    before = np.array(first["obs"])
    second = buffer.sample(20, out=first)
    assert memory == {name: array.ctypes.data for name, array in second.arrays.items()}
    assert (before != second["obs"]).any()
    assert (second["obs"] == first["obs"]).all()


def test_batches_are_those_of_sample() -> None:
    ahead, plain = filled(seed=5), filled(seed=5)
    wanted: Any = plain.sample(30)
    for count, batch in enumerate(ahead.batches(30, 12)):
        for name, value in wanted.items():
            np.testing.assert_array_equal(batch[name], value, name)
        wanted = plain.sample(30)  # before the step, as batches() draws
        for buffer in (ahead, plain):
            buffer.step(np.full(ENVS, count % 2))
    assert count == 11
    assert list(ahead.batches(30, 0)) == []
    with pytest.raises(ValueError, match="batch_size is 0"):
        next(ahead.batches(0))


def test_threads_may_sample_while_another_steps() -> None:
    buffer = filled("CartPole-v1", steps=30, limit=20, capacity=90)

    def sample() -> int:
        for k in range(150):
            batch = buffer.sample(64)
            # A cart moves by its speed: no row was replaced while it was copied.
            moved = batch["next_obs"][:, 0] - batch["obs"][:, 0]
            np.testing.assert_allclose(moved, 0.02 * batch["obs"][:, 1], atol=1e-6)
            buffer.sample_sequences(8, 4, k % 3)
        return 150

    with ThreadPoolExecutor(2) as executor:
        others = [executor.submit(sample) for _ in range(2)]
        for batch in buffer.batches(64, 300):
            buffer.step(buffer.pool.sample_actions())
            moved = batch["next_obs"][:, 0] - batch["obs"][:, 0]
            np.testing.assert_allclose(moved, 0.02 * batch["obs"][:, 1], atol=1e-6)
        assert [other.result() for other in others] == [150, 150]


@pytest.mark.parametrize("task", ["CartPole-v1", "Pong-v5"])
def test_transitions_from_elsewhere(task: str) -> None:
    wanted = filled(task, 40, 9).transitions()
    pool = parallel_pool.make(task, num_envs=ENVS)
    buffer = ReplayBuffer(pool, 3000)
    for rows in zip(*lines_of(wanted), strict=True):
        parts = {name: value[list(rows)] for name, value in wanted.items()}
        parts = {name: parts[name] for name in parts if name not in ("discount", "index")}
        buffer.add(**parts)
    found = buffer.transitions()
    for name, value in wanted.items():
        if name != "index":
            np.testing.assert_array_equal(found[name], value, name)
    # Nothing was kept twice.
    assert buffer._rows.most_used <= (40 + 4 * buffer._stack_num) + 5
    first = {name: value[:1] for name, value in parts.items()}
    with pytest.raises(ValueError, match="env_id is 3 to 3; it must be from 0 to 2"):
        buffer.add(**first, env_id=[3])
    with pytest.raises(ValueError, match=r"action has shape \(2,\); it must be \(1,\)"):
        buffer.add(**first | {"action": [0, 1]})
    assert len(buffer) == len(wanted["reward"])
