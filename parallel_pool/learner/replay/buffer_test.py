"""The transitions of a replay buffer equal those of a plain loop with single envs."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool import ReplayBuffer
from parallel_pool.core import _core
from parallel_pool.python.arrays.trees import leaves, map_leaves, put_rows, take_rows
from parallel_pool.testing.form import by_form
from parallel_pool.testing.testing_family import FINE, THROW

ENVS, SEED = 3, 7
MODES = ("next_step", "same_step", "disabled")
# Tasks and options: vectors, dicts with goals, frames, stacks of frames and of numbers.
TASKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("CartPole-v1", {"max_episode_steps": 15}),
    ("Pendulum-v1", {"max_episode_steps": 20}),
    ("FetchReach-v4", {"max_episode_steps": 20}),
    ("Pong-v5", {"max_episode_steps": 25}),
    ("Taxi-v4", {"max_episode_steps": 12}),
    ("HalfCheetah-v5", {"max_episode_steps": 15, "frame_stack": 3}),
)
STEPS = by_form(70, 500)


def policy(space: Any, obs: Any) -> Any:
    """An action that depends on the observation alone, so that modes play the same episodes."""
    flat = np.concatenate([np.ravel(part).astype(np.float64) for _, part in leaves(obs)])
    random = np.random.default_rng(int(abs(flat @ np.arange(1, len(flat) + 1)) * 1e4) % 2**32)
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(space.n)
    low, high = np.maximum(space.low, -1), np.minimum(space.high, 1)
    return random.uniform(low, high).astype(space.dtype)


def plain_loop(task: str, seed: int, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The transitions of a single env, without end."""
    env: Any = gymnasium.make(f"parallel_pool/{task}", reward_dtype="float64", **options)
    obs, _ = env.reset(seed=seed)
    while True:
        action = policy(env.action_space, obs)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        yield {
            "obs": obs,
            "action": action,
            "reward": reward,
            "next_obs": next_obs,
            "terminated": terminated,
            "truncated": truncated,
        }
        obs = env.reset()[0] if terminated or truncated else next_obs


def assert_plain(buffer: ReplayBuffer, task: str, options: dict[str, Any], least: int) -> None:
    """The transitions of each env are those of its plain loop, from the first one on."""
    batch = buffer.transitions()
    env = batch["index"] % ENVS
    for k in range(ENVS):
        rows = np.flatnonzero(env == k)
        assert len(rows) >= least
        for row, wanted in zip(rows, plain_loop(task, SEED + k, options), strict=False):
            for name, value in wanted.items():
                map_leaves(
                    lambda own, other, row=row, name=name: np.testing.assert_array_equal(
                        own[row], other, f"{name} of row {row}"
                    ),
                    batch[name],
                    value,
                )


def actions_of(pool: Any, obs: Any, count: int) -> Any:
    return np.stack([policy(pool.single_action_space, take_rows(obs, i)) for i in range(count)])


def make(task: str, mode: str = "next_step", **options: Any) -> Any:
    more: dict[str, Any] = {"num_envs": ENVS, "seed": SEED, "reward_dtype": "float64"}
    return parallel_pool.make(task, autoreset_mode=mode, **more | options)


def play(buffer: ReplayBuffer, steps: int, obs: Any = None) -> Any:
    """Plays a sync pool; with "disabled" it resets the envs that have ended. The last rows."""
    pool = buffer.pool
    obs = buffer.reset()[0] if obs is None else obs
    for _ in range(steps):
        obs, _, terminated, truncated, _ = buffer.step(actions_of(pool, obs, ENVS))
        ended = np.flatnonzero(terminated | truncated)
        if pool.config["autoreset_mode"] == "disabled" and len(ended):
            put_rows(obs, ended, buffer.reset(ended)[0])
    return obs


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("task", "options"), TASKS, ids=[task for task, _ in TASKS])
def test_equals_a_plain_loop(task: str, options: dict[str, Any], mode: str) -> None:
    with make(task, mode, **options) as pool:
        buffer = ReplayBuffer(pool, 3000)
        play(buffer, STEPS)
        assert_plain(buffer, task, options, STEPS * 9 // 10)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task", ["CartPole-v1", "Pong-v5"])
def test_async_rows_are_in_order(task: str, mode: str) -> None:
    options = {"max_episode_steps": 15}
    with make(task, mode, batch_size=2, **options) as pool:
        buffer = ReplayBuffer(pool, 3000)
        buffer.async_reset()
        for _ in range(STEPS):
            obs, *_, info = buffer.recv()
            buffer.send(actions_of(pool, obs, 2), info["env_id"])
        assert_plain(buffer, task, options, STEPS // 3)


class Ends(gymnasium.Env[Any, Any]):
    """An env in Python whose episodes terminate and are truncated in turns."""

    observation_space = gymnasium.spaces.Dict(
        {"a": gymnasium.spaces.Box(0, 99, (2,), np.float64), "b": gymnasium.spaces.Discrete(100)}
    )
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self) -> None:
        self._episode = self._step = 0

    def _obs(self) -> Any:
        return {"a": np.array([self._episode, 0.5]), "b": np.int64(self._step)}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._episode += 1
        self._step = 0
        return self._obs(), {}

    def step(self, action: Any) -> Any:
        self._step += 1
        is_end = self._step == 3 + self._episode % 3
        terminated = is_end and self._episode % 2 == 0
        return self._obs(), float(action), terminated, is_end and not terminated, {}


@pytest.mark.parametrize("mode", MODES)
def test_envs_in_python(mode: str) -> None:
    options: Any = {"num_envs": ENVS, "autoreset_mode": mode}
    with parallel_pool.make_python(Ends, **options) as pool:
        buffer = ReplayBuffer(pool, 1000)
        play(buffer, 40)
        batch = buffer.transitions()
        steps, next_steps = batch["obs"]["b"], batch["next_obs"]["b"]
        np.testing.assert_array_equal(next_steps, steps + 1)
        episode = batch["obs"]["a"][:, 0]
        np.testing.assert_array_equal(batch["next_obs"]["a"][:, 0], episode)
        is_end = next_steps == 3 + episode % 3
        np.testing.assert_array_equal(batch["terminated"], is_end & (episode % 2 == 0))
        np.testing.assert_array_equal(batch["truncated"], is_end & (episode % 2 == 1))
        np.testing.assert_array_equal(batch["reward"], batch["action"])


def test_the_three_classic_mistakes_would_be_seen() -> None:
    """Resets as steps, limits as ends, and first observations as last ones."""
    with make("CartPole-v1", max_episode_steps=5) as pool:
        buffer = ReplayBuffer(pool, 1000, gamma=0.5)
        play(buffer, 60)
        batch = buffer.transitions()
        # A step that only resets has reward 0; CartPole's have 1.
        assert (batch["reward"] == 1).all()
        assert len(buffer) == ENVS * 50
        # All episodes are truncated, and none has ended.
        assert batch["truncated"].sum() == ENVS * 10
        assert (batch["discount"] == 0.5).all()
        # The cart has moved by its speed, also in an episode's last step.
        moved = batch["next_obs"][:, 0] - batch["obs"][:, 0]
        np.testing.assert_allclose(moved, 0.02 * batch["obs"][:, 1], atol=1e-6)
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(
                batch["next_obs"][:-1, 0], np.roll(batch["obs"][:, 0], -2)[:-1], atol=1e-6
            )


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_only_the_newest_frame_is_kept(mode: str) -> None:
    with make("Pong-v5", mode, max_episode_steps=1000) as pool:
        buffer = ReplayBuffer(pool, 3 * 400)
        obs = buffer.reset()[0]
        for _ in range(10):
            obs = buffer.step(actions_of(pool, obs, ENVS))[0]
        assert obs.shape == (ENVS, 4, 84, 84)
        assert buffer.nbytes / buffer.capacity < 7300
        batch = buffer.sample(5)
        assert batch["obs"].shape == batch["next_obs"].shape == (5, 4, 84, 84)
        assert np.shares_memory(batch["obs"], batch["next_obs"])
        np.testing.assert_array_equal(batch["obs"][:, 1:], batch["next_obs"][:, :-1])


def test_an_observation_that_is_no_stack_is_refused() -> None:
    with make("HalfCheetah-v5") as pool:
        buffer = ReplayBuffer(pool, 1000, stack_num=17)
        buffer.reset()
        with pytest.raises(ValueError, match=r"no stack of 17 frames.*stack_num=1"):
            buffer.step(np.zeros((ENVS, 6), np.float32))


@pytest.mark.parametrize("capacity", [12, 31, 100])
@pytest.mark.parametrize("stack", [0, 2])
def test_the_oldest_rows_are_replaced(capacity: int, stack: int) -> None:
    options: dict[str, Any] = {"max_episode_steps": 7} | ({"frame_stack": stack} if stack else {})
    with make("HalfCheetah-v5", **options) as pool, make("HalfCheetah-v5", **options) as twin:
        capacity = max(capacity, 18 if stack else 12)
        small, large = ReplayBuffer(pool, capacity), ReplayBuffer(twin, 1000)
        for steps in (3, 1, 5, 13, 40):
            for buffer in (small, large):
                play(buffer, steps)
            found, wanted = small.transitions(), large.transitions()
            for k in range(ENVS):
                rows = np.flatnonzero(found["index"] % ENVS == k)
                newest = np.flatnonzero(wanted["index"] % ENVS == k)[-len(rows) :]
                assert len(rows) > 0
                for name in ("obs", "action", "reward", "next_obs", "truncated", "index"):
                    np.testing.assert_array_equal(found[name][rows], wanted[name][newest], name)
        assert len(small) <= small.capacity < capacity + ENVS


def test_extras_and_infos_are_kept() -> None:
    with make("CartPole-v1", max_episode_steps=6) as pool:
        buffer = ReplayBuffer(pool, 300, infos=["elapsed_step"])
        obs, _ = buffer.reset()
        for step in range(20):
            state = np.full((ENVS, 2), step) + obs[:, :1]
            obs = buffer.step(actions_of(pool, obs, ENVS), state=state)[0]
        batch = buffer.transitions()
        kept = batch["state"][:, 0] - batch["obs"][:, 0]
        np.testing.assert_allclose(kept, np.rint(kept), atol=1e-6)
        np.testing.assert_array_equal(
            batch["next_info"]["elapsed_step"], batch["info"]["elapsed_step"] + 1
        )
        with pytest.raises(ValueError, match="a step has action; before it was action, state"):
            buffer.step(np.zeros(ENVS, int))
        with pytest.raises(ValueError, match="'reward' is an array of the buffer's own"):
            buffer.step(np.zeros(ENVS, int), reward=obs)


def seen_by(pool: Any, actions: Any) -> dict[int, list[Any]]:
    """The transitions of each player, by plain Python: from one row of it to its next one."""
    found: dict[int, list[Any]] = {}
    waiting: dict[int, tuple[Any, Any]] = {}
    ended: set[int] = set()
    players = pool.spec.setup.most_players
    obs, info = pool.reset()
    lines: Any = info["players"]["env_id"] * players + info["players"]["agent"]
    for action in actions:
        waiting |= {
            line: (take_rows(obs, i), action[i])
            for i, line in enumerate(lines)
            if line not in ended  # else the action only resets the env
        }
        ended.clear()
        obs, reward, terminated, truncated, info = pool.step(action)
        owner = info["players"]["env_id"]
        lines = owner * players + info["players"]["agent"]
        for i, line in enumerate(lines):
            row = np.flatnonzero(info["env_id"] == owner[i])[0]
            ends = terminated[row], truncated[row]
            if line in waiting:
                before, done = waiting.pop(line)
                step = (before, done, reward[i], take_rows(obs, i), *ends)
                found.setdefault(line, []).append(step)
            if any(ends):
                ended.add(line)
    return found


@pytest.mark.parametrize("task", ["SimpleSpread-v3", "Foraging-8x8-2p-2f-coop-v3", "TicTacToe-v0"])
def test_players_have_lines_of_their_own(task: str) -> None:
    options: dict[str, Any] = {"num_envs": 2, "seed": 1, "max_episode_steps": 9}
    with parallel_pool.make(task, **options) as pool, parallel_pool.make(task, **options) as twin:
        buffer = ReplayBuffer(pool, 1000)
        _, info = buffer.reset()
        actions = []
        for _ in range(40):
            actions.append(pool.sample_actions(info))
            *_, info = buffer.step(actions[-1])
        batch = buffer.transitions()
        line = batch["index"] % (2 * pool.spec.setup.most_players)
        compared = 0
        for each, steps in seen_by(twin, actions).items():
            rows = np.flatnonzero(line == each)
            assert len(rows) == len(steps)
            for row, step in zip(rows, steps, strict=True):
                compared += 1
                names = ("obs", "action", "reward", "next_obs", "terminated", "truncated")
                for name, wanted in zip(names, step, strict=True):
                    for (_, own), (_, other) in zip(
                        leaves(take_rows(batch[name], row)), leaves(wanted), strict=True
                    ):
                        np.testing.assert_array_equal(own, other, f"{name} of line {each}")
        assert compared == len(buffer) > 40
        assert (batch["terminated"] | batch["truncated"]).any()


@pytest.mark.parametrize("mode", MODES)
def test_an_env_that_throws(mode: str) -> None:
    options: Any = {"num_envs": ENVS, "autoreset_mode": mode}
    with parallel_pool.make("Trouble-v0", **options) as pool:
        buffer = ReplayBuffer(pool, 300)
        buffer.reset()
        buffer.step(np.full(ENVS, FINE))
        with pytest.raises(parallel_pool.EnvError, match="env 1"):
            buffer.step(np.array([FINE, THROW, FINE]))
        if mode == "disabled":
            buffer.reset([1])
        for _ in range(2):
            buffer.step(np.full(ENVS, FINE))
        batch = buffer.transitions()
        # The first number of an observation counts the steps of the episode.
        np.testing.assert_array_equal(batch["next_obs"][:, 0], batch["obs"][:, 0] + 1)
        assert (batch["action"] == FINE).all()
        env = batch["index"] % ENVS
        assert [(env == k).sum() for k in range(ENVS)] == [4, 3 - (mode != "disabled"), 4]


def test_a_player_that_is_not_shown_at_the_end() -> None:
    rows = _core.ReplayRows(2, 8, 1, False, False, False, 1)
    obs, reward, action = np.zeros((16, 1)), np.ones(16, np.float32), np.zeros(16, np.int64)
    rows.set_arrays([(obs, 1)], reward, [action])
    both = np.arange(2, dtype=np.int32)
    rows.observe(both, [np.array([[3.0], [4.0]])])
    rows.act(both, [np.array([5, 6])])
    rows.end_unseen(both[1:])
    rows.end_unseen(both[1:])  # once is enough
    assert rows.size == 1
    ids = rows.ids(np.zeros(1, np.int64))
    found, discount, terminated, truncated, following = rows.n_steps(ids, 1, 0.9)
    assert (found[0], discount[0], terminated[0], truncated[0]) == (0, 0, True, False)
    out = np.zeros((1, 2, 1))
    rows.gather(obs, ids, None, 2, out)
    assert out.ravel().tolist() == [4, 4]
    with pytest.raises(ValueError, match="rows that were replaced"):
        rows.gather(obs, following + 2, None, 1, out[:, :1].copy())
    with pytest.raises(ValueError, match="other bytes"):
        rows.gather(obs, ids, None, 2, np.zeros((1, 1, 1)))
    with pytest.raises(ValueError, match="an unknown line"):
        rows.cut(np.array([2], np.int32))


def assert_in_order(buffer: ReplayBuffer, least: int) -> None:
    """Each transition goes on where the one before has led, unless an episode has ended."""
    batch = buffer.transitions()
    goes_on = ~(batch["terminated"] | batch["truncated"])[:-1]
    goes_on &= batch["index"][1:] % buffer.lines == batch["index"][:-1] % buffer.lines
    assert goes_on.sum() >= least
    np.testing.assert_array_equal(batch["next_obs"][:-1][goes_on], batch["obs"][1:][goes_on])


def test_the_api_of_gym() -> None:
    options: Any = {"num_envs": ENVS, "seed": 1, "max_episode_steps": 12}
    with parallel_pool.make_gym("CartPole-v1", **options) as pool:
        buffer = ReplayBuffer(pool, 300)
        obs = buffer.reset()[0]
        assert obs.shape == (ENVS, 4)
        for _ in range(30):
            buffer.step(pool.sample_actions())
        assert_in_order(buffer, 70)


@pytest.mark.parametrize("batch_size", [0, 2])
def test_several_tasks(batch_size: int) -> None:
    options: Any = {"action_padding": True, "observation_padding": True, "max_episode_steps": 12}
    tasks = ["CartPole-v1", "Acrobot-v1"]
    with parallel_pool.make(tasks, num_envs=4, batch_size=batch_size, seed=1, **options) as pool:
        buffer = ReplayBuffer(pool, 400, infos=["task_id"])
        buffer.async_reset()
        for _ in range(40):
            info = buffer.recv()[4]
            buffer.send(pool.sample_actions(info), info["env_id"])
        assert_in_order(buffer, 50)
        batch = buffer.transitions()
        task = batch["info"]["task_id"]
        np.testing.assert_array_equal(task, batch["next_info"]["task_id"])
        np.testing.assert_array_equal(task, batch["index"] % 4 // 2)


def test_a_pool_that_others_move() -> None:
    with make("CartPole-v1") as pool:
        buffer = ReplayBuffer(pool, 300)
        play(buffer, 10)
        pool.step(np.zeros(ENVS, int))
        with pytest.raises(RuntimeError, match=r"by others.*call resume\(\) of the buffer"):
            buffer.step(np.zeros(ENVS, int))
        count = len(buffer)
        buffer.resume()
        buffer.step(np.zeros(ENVS, int))  # its observations begin the buffer's episodes
        assert len(buffer) == count
        buffer.step(np.zeros(ENVS, int))
        assert len(buffer) == count + ENVS


def test_wrong_arguments() -> None:
    with make("CartPole-v1") as pool, make("FetchReach-v4") as goals:
        for error, words, kwargs in (
            (TypeError, "capacity must be an integer, not float", {"capacity": 1e6}),
            (ValueError, "capacity is 11; 3 envs or players need 12", {"capacity": 11}),
            (ValueError, "gamma is 2; it must be from 0 to 1", {"gamma": 2}),
            (ValueError, "n_step is 0; it must be an integer", {"n_step": 0}),
            (ValueError, "alpha is -1", {"alpha": -1}),
            (ValueError, "hindsight needs a task with goals", {"hindsight": "final"}),
            (ValueError, "device is 'cpu'; it needs torch=True", {"device": "cpu"}),
        ):
            with pytest.raises(error, match=words):
                ReplayBuffer(pool, **{"capacity": 300, **kwargs})  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="must be None, 'future', 'final', 'episode'"):
            ReplayBuffer(goals, 300, hindsight="next")
        with pytest.raises(ValueError, match="room for an episode of 50 steps"):
            ReplayBuffer(goals, 60, hindsight="final")
        with pytest.raises(TypeError, match="needs a pool of env_type"):
            ReplayBuffer(parallel_pool.make_dm("CartPole-v1"), 300)
        buffer = ReplayBuffer(pool, 300)
        with pytest.raises(RuntimeError, match="the buffer can sample 0 transitions; a batch of 4"):
            buffer.sample(4)
        play(buffer, 2)
        with pytest.raises(RuntimeError, match="can sample 6 transitions; a batch of 7 needs 7"):
            buffer.sample(7, replace=False)
        with pytest.raises(ValueError, match="batch_size is 0"):
            buffer.sample(0)
        with pytest.raises(RuntimeError, match="no priorities"):
            buffer.update_priorities([0], [1])
        with pytest.raises(ValueError, match="there is no info 'lives'"):
            ReplayBuffer(pool, 300, infos=["lives"]).reset()
        buffer.resume()
        count = len(buffer)
        with pytest.raises(ValueError, match="action"):
            buffer.step(np.zeros(ENVS + 1, int))
        assert len(buffer) == count
    with pytest.raises(RuntimeError, match="closed"):
        buffer.step(np.zeros(ENVS, int))
