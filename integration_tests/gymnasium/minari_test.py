"""Datasets of Minari, made of recordings: each episode is the run's."""

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.integrations.minari import to_minari

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of Minari: no author and so on


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where datasets are, and recordings."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path


def run(path: pathlib.Path, task: str, steps: int, **options: Any) -> list[list[tuple[Any, ...]]]:
    """Records a pool of three envs; of each env the (obs, action, reward, flags) of its steps.

    The first of an episode has no action.
    """
    rows: list[list[tuple[Any, ...]]] = [[], [], []]
    pool = parallel_pool.make(task, num_envs=3, autoreset_mode="disabled", **options)
    pool.record(path)
    obs, info = pool.reset()
    for env in range(3):
        rows[env].append((obs[env], None))
    for _ in range(steps):
        action = pool.sample_actions()
        obs, reward, terminated, truncated, info = pool.step(action)
        ended = terminated | truncated
        for env in range(3):
            rows[env].append((obs[env], action[env], reward[env], terminated[env], truncated[env]))
        if ended.any():
            obs, info = pool.reset(options={"reset_mask": ended})
            for env in np.flatnonzero(ended).tolist():
                rows[env].append((obs[env], None))
    pool.close()
    return rows


def episodes_of(rows: list[list[tuple[Any, ...]]]) -> list[list[tuple[Any, ...]]]:
    """The episodes of all envs, as they ended; those that did not, in the order of envs."""
    found: list[tuple[int, list[Any]]] = []
    for env, own in enumerate(rows):
        steps = 0
        for row in own:
            if row[1] is None:
                found.append((10**9 + env, []))
            else:
                steps += 1
                found[-1] = (steps * 3 + env if row[3] or row[4] else 10**9 + env, found[-1][1])
            found[-1][1].append(row)
    return [rows for _, rows in sorted(found, key=lambda one: one[0]) if len(rows) > 1]


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {}),
        ("Pendulum-v1", {"max_episode_steps": 17}),
        ("Pong-v5", {"max_episode_steps": 9, "stack_num": 1}),
    ],
)
def test_each_episode_is_the_runs(folder: pathlib.Path, task: str, options: Any) -> None:
    rows = run(folder / "run.ppr", task, 70, **options)
    dataset = to_minari(folder / "run.ppr", "tests/run-v0", algorithm_name="random")
    wanted = episodes_of(rows)
    assert dataset.total_episodes == len(wanted) > 4
    assert dataset.total_steps == 3 * 70
    for episode, own in zip(dataset.iterate_episodes(), wanted, strict=True):
        np.testing.assert_array_equal(episode.observations, [row[0] for row in own])
        np.testing.assert_array_equal(episode.actions, [row[1] for row in own[1:]])
        np.testing.assert_array_equal(episode.rewards, [row[2] for row in own[1:]])
        np.testing.assert_array_equal(episode.terminations, [row[3] for row in own[1:]])
        assert episode.truncations[-1] == (not own[-1][3])
        assert not episode.truncations[:-1].any()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_autoreset_and_async_pools(folder: pathlib.Path, mode: Any) -> None:
    with parallel_pool.make(
        "CartPole-v1", num_envs=4, batch_size=2, autoreset_mode=mode, record_episode_statistics=True
    ) as pool:
        pool.record(folder / "run.ppr")
        pool.async_reset()
        returns: list[float] = []
        lengths: list[int] = []
        for _ in range(300):
            *_, info = pool.recv()
            ended = info.get("_episode", np.zeros(2, bool))
            returns += info["episode"]["r"][ended].tolist() if ended.any() else []
            lengths += info["episode"]["l"][ended].tolist() if ended.any() else []
            pool.send(pool.sample_actions(info), info["env_id"])
    dataset = to_minari(folder / "run.ppr", "tests/async-v0", with_infos=True)
    episodes = list(dataset.iterate_episodes())[: len(returns)]
    assert [episode.rewards.sum() for episode in episodes] == returns
    assert [len(episode.rewards) for episode in episodes] == lengths
    for episode in episodes:
        np.testing.assert_array_equal(
            episode.infos["elapsed_step"], np.arange(len(episode.rewards) + 1)
        )


def test_dicts_of_observations(folder: pathlib.Path) -> None:
    with parallel_pool.make("MiniGrid-Empty-5x5-v0", num_envs=2, mission=False) as pool:
        pool.record(folder / "run.ppr")
        first = pool.reset()[0]
        for _ in range(20):
            pool.step(pool.sample_actions())
    dataset = to_minari(folder / "run.ppr", "tests/rooms-v0")
    for env in range(2):
        np.testing.assert_array_equal(dataset[env].observations["image"][0], first["image"][env])


class Telling(gymnasium.Env[Any, Any]):
    """Its observations, actions and infos are of all kinds; an episode has four steps."""

    observation_space = spaces.Dict(
        {
            "word": spaces.Text(4, min_length=0, charset="abc\u00e9"),
            "pair": spaces.Tuple((spaces.Discrete(9), spaces.Box(-1, 1, (2,), np.float16))),
        }
    )
    action_space = spaces.Tuple((spaces.Discrete(3), spaces.Dict(push=spaces.Box(-1, 1, (2,)))))

    def __init__(self) -> None:
        self.steps = 0

    def obs(self) -> Any:
        """Those of the number of steps."""
        word = "ab\u00e9c"[: self.steps]
        return {"word": word, "pair": (self.steps, np.full(2, 0.25 * self.steps, np.float16))}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Begins; the number of an info is an int here."""
        self.steps = 0
        return self.obs(), {"number": 1, "text": "begin", "object": None}

    def step(self, action: Any) -> Any:
        """Tells its action, and at odd steps some more."""
        self.steps += 1
        info = {
            "number": 0.5,
            "text": "step",
            "deep": {"push": action[1]["push"], "gear": action[0]},
        }
        if self.steps % 2:
            info |= {"odd": self.steps, "object": print, "ragged": np.zeros(self.steps)}
        return self.obs(), float(self.steps), self.steps == 4, False, info


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_spaces_and_infos_of_all_kinds(folder: pathlib.Path, mode: Any, workers: int) -> None:
    with parallel_pool.make_python(
        Telling, 2, num_workers=workers, autoreset_mode=mode, record_episode_statistics=True
    ) as pool:
        pool.record(folder / "run.ppr")
        pool.reset()
        for _ in range(9):
            pool.step(pool.sample_actions())
    with pytest.warns(UserWarning, match="Telling: the info '.*' is left out") as told:
        dataset = to_minari(folder / "run.ppr", "tests/all-v0", env=Telling, with_infos=True)
    texts = [str(w.message) for w in told if "left out" in str(w.message)]
    assert any("'object' is left out, because it has a value of type" in text for text in texts)
    assert any("'ragged' is left out, because it has the shapes (1,) and (3,)" in t for t in texts)
    assert len(texts) == 2  # each once
    whole = [episode for episode in dataset.iterate_episodes() if len(episode.rewards) == 4]
    assert len(whole) == 4
    for episode in whole:
        assert episode.observations["word"] == ["", "a", "ab", "ab\u00e9", "ab\u00e9c"]
        first, second = episode.observations["pair"]
        assert first.tolist() == [0, 1, 2, 3, 4]
        assert second.dtype == np.float16
        assert second[:, 1].tolist() == [0, 0.25, 0.5, 0.75, 1]
        gear, push = episode.actions[0], episode.actions[1]["push"]
        infos = episode.infos
        assert infos["number"].tolist() == [1, 0.5, 0.5, 0.5, 0.5]
        assert [text.decode() for text in infos["text"]] == ["begin", *["step"] * 4]
        assert infos["_deep"].tolist() == [False, True, True, True, True]
        np.testing.assert_array_equal(infos["deep"]["gear"][1:], gear)
        np.testing.assert_array_equal(infos["deep"]["push"][1:], push)
        assert infos["odd"].tolist() == [0, 1, 0, 3, 0]
        assert infos["_odd"].tolist() == [False, True, False, True, False]
        assert infos["episode"]["l"].tolist() == [0, 0, 0, 0, 4]
        assert infos["episode"]["r"].tolist() == [0, 0, 0, 0, 10]
        assert infos["_episode"].tolist() == [False, False, False, False, True]
        assert "object" not in infos and "ragged" not in infos and "env_id" not in infos


class Mission(spaces.Space[str]):
    """A space that only its author knows."""

    def __init__(self) -> None:
        super().__init__(dtype=str)

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str)


def test_a_space_that_minari_does_not_know_is_named(folder: pathlib.Path) -> None:
    class Custom(Telling):
        observation_space = Mission()  # type: ignore[assignment]

        def obs(self) -> Any:
            return "go"

    with parallel_pool.make_python(Custom, num_workers=0) as pool:
        pool.record(folder / "run.ppr")
        pool.reset()
    with pytest.raises(ValueError, match="Custom: its observation_space has a space that Minari"):
        to_minari(folder / "run.ppr", "tests/custom-v0", env=Custom)


def test_refused(folder: pathlib.Path) -> None:
    for task, options, words in (
        ("CartPole-v1", {"normalize_observation": True}, "normalize_observation is True"),
        ("TicTacToe-v0", {}, "one player"),
        ("CartPole-v1", {"env_type": "dm"}, "env_type='dm'"),
    ):
        with parallel_pool.make(task, num_envs=2, **options) as pool:
            pool.record(folder / "run.ppr")
            pool.reset()
        with pytest.raises(ValueError, match=words):
            to_minari(folder / "run.ppr", "tests/refused-v0")
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        pool.record(folder / "run.ppr")
        pool.reset()
    with pytest.raises(ValueError, match="no episode"):
        to_minari(folder / "run.ppr", "tests/refused-v0")
