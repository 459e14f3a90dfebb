"""Pools that normalize, in the place where Stable-Baselines3 looks for its VecNormalize.

SB3's callbacks and algorithms find running statistics in a VecNormalize among the wrappers of an
env, and nowhere else. A VecEnv whose pool normalizes is one: its statistics are those of the pool.
"""

import pickle
from typing import Any

import numpy as np
from stable_baselines3.common import vec_env
from stable_baselines3.common.running_mean_std import RunningMeanStd

_EPSILON = 1e-8  # of the engine, as of SB3

Statistics = dict[str, dict[str, Any]]


class StatisticsOfPool:
    """The part of SB3's VecNormalize that is not about stepping: statistics, and their use.

    It comes before VecEnv and VecNormalize among the bases of a class.
    """

    pool: Any
    num_envs: int
    venv = None  # SB3 walks from wrapper to wrapper: here it ends
    epsilon = _EPSILON
    _frozen: Statistics | None = None  # those that the pool has while it counts nothing
    _last: tuple[Any, Any] = None, None  # observations and rewards of the last batch
    # VecNormalize would ask the env that it wraps.
    seed = vec_env.VecEnv.seed
    set_options = vec_env.VecEnv.set_options
    render = vec_env.VecEnv.render
    has_attr = vec_env.VecEnv.has_attr
    getattr_depth_check = vec_env.VecEnv.getattr_depth_check
    getattr_recursive = object.__getattribute__

    def __getattr__(self, name: str) -> Any:
        """AttributeError: no env is wrapped that could have it."""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def unwrapped(self) -> Any:
        """The object itself."""
        return self

    def statistics(self) -> Statistics:
        """pool.statistics()."""
        found: Statistics = self.pool.statistics() if self._frozen is None else self._frozen
        return {name: dict(entry) for name, entry in found.items()}

    def load_statistics(self, statistics: Any) -> None:
        """Puts other statistics in place of the present ones.

        Args:
            statistics: the result of statistics(), here or of a pool; or the path of a file of
                save(), of CheckpointCallback or of SB3's own VecNormalize.

        Raises:
            ValueError: they are not of such observations.
            OSError, TypeError: there is no such file, or it has no statistics.
        """
        if not isinstance(statistics, dict):
            statistics = _read(statistics, self.statistics())
        if self._frozen is None:
            self.pool.load_statistics(statistics)
            return
        self.pool.load_statistics(statistics)
        self._freeze()

    @property
    def training(self) -> bool:
        """Whether rows are counted. As with VecNormalize, set it to False before an evaluation."""
        return self._frozen is None and bool(self.pool.config["update_statistics"])

    @training.setter
    def training(self, value: bool) -> None:
        if value == self.training:
            return
        if value and self._frozen is None:
            raise ValueError(
                f"{self.pool.spec.task_id}: training is True, but update_statistics=False was "
                "given: this pool never counts rows"
            )
        if value:
            self.pool.load_statistics(self._frozen)
            self._frozen = None
        else:
            self._freeze()

    def _freeze(self) -> None:
        """Keeps the statistics of the pool, and lets no further row change them there."""
        now: Statistics = self.pool.statistics()
        self._frozen = now
        self.pool.load_statistics({n: e | {"count": _endless(e)} for n, e in now.items()})

    @property
    def obs_rms(self) -> Any:
        """The statistics of observations, a copy: RunningMeanStd, or a dict of them."""
        parts = {n: _to_sb3(e) for n, e in self.statistics().items() if n != "reward"}
        if not parts:
            raise AttributeError(f"{self.pool.spec.task_id}: normalize_observation is False")
        return parts["obs"] if "obs" in parts else {n.split(".", 1)[1]: p for n, p in parts.items()}

    @obs_rms.setter
    def obs_rms(self, value: Any) -> None:
        self.load_statistics(self.statistics() | _of_obs(value))

    @property
    def ret_rms(self) -> RunningMeanStd:
        """The statistics of discounted returns, a copy."""
        entry = self.statistics().get("reward")
        return RunningMeanStd(shape=()) if entry is None else _to_sb3(entry)

    @ret_rms.setter
    def ret_rms(self, value: RunningMeanStd) -> None:
        if self.norm_reward:
            self.load_statistics(self.statistics() | {"reward": _from_sb3(value)})

    @property
    def norm_obs(self) -> bool:
        """normalize_observation."""
        return bool(self.pool.config["normalize_observation"])

    @property
    def norm_obs_keys(self) -> list[str] | None:
        """The observations of a dict that are normalized: those of floats."""
        parts = [name for name in self.statistics() if name.startswith("obs.")]
        return [name.split(".", 1)[1] for name in parts] or None

    @property
    def norm_reward(self) -> bool:
        """normalize_reward."""
        return bool(self.pool.config["normalize_reward"])

    @property
    def clip_obs(self) -> float:
        """clip_observation; infinite without it."""
        return float(self.pool.config["clip_observation"] or np.inf)

    @property
    def clip_reward(self) -> float:
        """clip_reward; infinite without it."""
        return float(self.pool.config["clip_reward"] or np.inf)

    @property
    def gamma(self) -> float:
        """The discount of returns."""
        return float(self.pool.config["gamma"])

    def get_original_obs(self) -> Any:
        """The last observations before normalizing, made again: rounded; clipped ones stay so."""
        calls: Any = self
        return calls.unnormalize_obs(self._last[0])

    def get_original_reward(self) -> Any:
        """The same of the last rewards."""
        calls: Any = self
        return calls.unnormalize_reward(self._last[1])

    def save(self, save_path: str) -> None:
        """Writes the statistics as a VecNormalize of SB3.

        load_statistics(path) reads the file, and VecNormalize.load(path, env) for an env that does
        not normalize itself.

        Raises:
            OSError: the file cannot be written.
        """
        own: Any = self
        keys = self.norm_obs_keys if self.norm_obs else None
        saved = vec_env.VecNormalize(
            own, self.training, self.norm_obs, self.norm_reward, norm_obs_keys=keys
        )
        saved.clip_obs, saved.clip_reward, saved.gamma = self.clip_obs, self.clip_reward, self.gamma
        if self.norm_obs:
            saved.obs_rms = self.obs_rms
        saved.ret_rms = self.ret_rms
        with open(save_path, "wb") as file:
            pickle.dump(saved, file)

    @staticmethod
    def load(load_path: str, venv: Any) -> Any:
        """venv.load_statistics(load_path), and `venv`, which normalizes already."""
        venv.load_statistics(load_path)
        return venv

    def __reduce__(self) -> Any:
        """TypeError: save() writes the statistics; a pool goes to no file."""
        raise TypeError("a VecEnv cannot be pickled: save() writes its statistics")


def _read(path: Any, own: Statistics) -> Statistics:
    """The statistics of a file, as far as a pool has such."""
    with open(path, "rb") as file:
        saved = pickle.load(file)
    if not isinstance(saved, vec_env.VecNormalize):
        raise TypeError(f"{path} has no VecNormalize, but {type(saved).__name__}")
    found = {"reward": _from_sb3(saved.ret_rms)}
    if saved.norm_obs:
        found |= _of_obs(saved.obs_rms)
    return {name: entry for name, entry in found.items() if name in own or name != "reward"}


def _of_obs(value: Any) -> Statistics:
    """Entries of statistics(), of RunningMeanStd or a dict of them."""
    if isinstance(value, dict):
        return {f"obs.{key}": _from_sb3(part) for key, part in value.items()}
    return {"obs": _from_sb3(value)}


def _to_sb3(entry: dict[str, Any]) -> RunningMeanStd:
    made = RunningMeanStd(shape=np.shape(entry["mean"]))
    made.mean = np.array(entry["mean"], np.float64)
    made.var = np.array(entry["var"], np.float64)
    made.count = float(entry["count"])
    return made


def _from_sb3(value: RunningMeanStd) -> dict[str, Any]:
    return {"mean": np.array(value.mean), "var": np.array(value.var), "count": float(value.count)}


def _endless(entry: dict[str, Any]) -> float:
    """A count with which no further row changes the mean and the variance.

    It is a power of two, so that its product with the variance is exact. A batch is then smaller
    than half of the product's last digit; and the product is far from the largest number.
    """
    most, far = (80, 100) if np.asarray(entry["var"]).dtype == np.float32 else (200, 900)
    largest = max(1.0, float(np.max(entry["var"])))
    return float(2.0 ** min(most, far - int(np.log2(largest))))
