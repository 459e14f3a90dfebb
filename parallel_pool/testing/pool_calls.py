"""Random calls, good and bad, of a pool and of a model of the documented semantics.

fuzz_settings.py says how many there are, and how a failure is shortened.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import parallel_pool
from parallel_pool.testing import fuzz_settings
from parallel_pool.testing.fuzz_inputs import (
    BAD_ACTIONS,
    BAD_IDS,
    BAD_RESETS,
    EQUIVALENT_FORMS,
)
from parallel_pool.testing.pool_model import Model, Options, Row

IDS = st.lists(st.integers(0, 4), min_size=1, max_size=5, unique=True)
ACTIONS = st.lists(st.sampled_from([0, 0, 0, 1, 2, 2, 3, 5, 6]), min_size=5, max_size=5)


def use_profile(examples: int) -> None:
    """Sets the number of sequences of a test, unless PARALLEL_POOL_FUZZ does."""
    hypothesis.settings.register_profile(
        "pool", stateful_step_count=40, **fuzz_settings.settings(examples)
    )
    hypothesis.settings.load_profile("pool")


class Calls(RuleBasedStateMachine):
    """Hypothesis chooses the calls; each call goes to the pool and to the model.

    A subclass says how to open a pool of "Trouble-v0", with the rules of pool_model.py.
    """

    bad_resets: ClassVar[list[dict[str, Any]]] = BAD_RESETS

    @initialize(
        num_envs=st.integers(1, 5),
        batch_size=st.integers(0, 4),
        threads=st.integers(1, 3),
        mode=st.sampled_from(["next_step", "same_step", "disabled"]),
        limit=st.integers(1, 5),
        lives=st.integers(1, 2),
    )
    def make(
        self, num_envs: int, batch_size: int, threads: int, mode: str, limit: int, lives: int
    ) -> None:
        """Opens a pool and its model."""
        batch = batch_size if 0 < batch_size < num_envs else num_envs
        # One worker finishes envs in the order sent. With more workers the order would be random,
        # and Hypothesis needs the same calls to have the same results.
        threads = threads if batch == num_envs else 1
        options = Options(num_envs, batch, threads, mode, limit, lives, seed=7)
        self.model, self.pool = self.open(options)
        self.kept: list[tuple[Any, bytes]] = []

    def open(self, options: Options) -> tuple[Model, Any]:
        """A model and its pool."""
        raise NotImplementedError

    def teardown(self) -> None:
        """Closes the pool."""
        if hasattr(self, "pool"):
            self.pool.close()
            with pytest.raises(RuntimeError, match="closed"):
                self.pool.recv()

    def some(self, ids: list[int]) -> list[int]:
        """The ids that are below num_envs."""
        return [i for i in ids if i < self.model.options.num_envs] or [0]

    # Sending.

    def sends(self, ids: list[int], rows: Callable[[int, int], Row], actions: list[int]) -> None:
        """Sends to the model."""
        self.model.rows.append([rows(i, a) for i, a in zip(ids, actions, strict=False)])

    @rule(ids=IDS, actions=ACTIONS, form=st.sampled_from(EQUIVALENT_FORMS), step=st.booleans())
    def send(
        self, ids: list[int], actions: list[int], form: Callable[[list[int]], Any], step: bool
    ) -> None:
        """Sends good actions."""
        ids = self.some(ids)
        actions = actions[: len(ids)]
        call = self.pool.step if step else self.pool.send
        if self.model.refuses_envs(ids, action=True):
            with pytest.raises(ValueError):
                call(form(actions), ids)
        elif step and not self.model.has_batch(len(ids)):
            with pytest.raises(RuntimeError, match="would wait forever"):
                call(form(actions), ids)
        else:
            self.sends(ids, lambda i, a: self.model.envs[i].step(a), actions)
            if step:
                self.receive(lambda: call(form(actions), ids))
            else:
                call(form(actions), np.array(ids, np.int16))

    @rule(ids=IDS, bad=st.sampled_from(BAD_IDS), step=st.booleans())
    def send_bad_ids(self, ids: list[int], bad: Any, step: bool) -> None:
        """Sends to envs that are refused."""
        self.refused(bad[0](self.some(ids)), lambda n: [0] * n, bad[1], step)

    @rule(ids=IDS, actions=ACTIONS, bad=st.sampled_from(BAD_ACTIONS), step=st.booleans())
    def send_bad_action(self, ids: list[int], actions: list[int], bad: Any, step: bool) -> None:
        """Sends actions that are refused."""
        ids = self.some(ids)
        error = bad[1]
        if self.model.refuses_envs(ids, action=True):
            error = (error, ValueError)
        self.refused(ids, lambda n: bad[0](actions[:n]), error, step)

    def refused(self, ids: Any, action: Callable[[int], Any], error: Any, step: bool) -> None:
        """Checks that a call raises and changes nothing; a step may also be one that cannot end."""
        rows = len(ids) if np.ndim(np.array(ids, object)) > 0 else 1
        errors = error if isinstance(error, tuple) else (error,)
        with pytest.raises(errors + ((RuntimeError,) if step else ())) as raised:
            (self.pool.step if step else self.pool.send)(action(rows), ids)
        assert str(raised.value).startswith("Trouble-v0: "), raised.value

    # Receiving.

    @rule(timeout=st.sampled_from([None, 60]), partial=st.booleans())
    def recv(self, timeout: float | None, partial: bool) -> None:
        """Receives, or is told that it would wait forever."""
        in_flight = len(self.model.in_flight)
        assert self.pool.in_flight == in_flight
        if not self.model.has_batch() and not (partial and in_flight):
            with pytest.raises(RuntimeError, match="would wait forever"):
                self.pool.recv(timeout, partial=partial)
            return
        self.receive(lambda: self.pool.recv(timeout, partial=partial))

    def receive(self, call: Callable[[], tuple[Any, ...]], parts: int = 5) -> None:
        """Calls and compares the batch, a tuple of `parts` elements, with the model's."""
        failed: list[int] = []
        try:
            result = call()
        except parallel_pool.EnvError as error:
            result, failed = error.result, error.env_ids
        assert len(result) == parts
        info = result[-1]
        rows = self.model.take(info["env_id"].tolist())
        assert failed == [row.env for row in rows if row.failed]
        for i, row in enumerate(rows):
            if parts == 2:  # a result of reset()
                row = dataclasses.replace(row, reward=0.0, terminated=False, truncated=False)
            mine = shown(i, result[0], result[1:-1], info)
            assert mine == dataclasses.replace(row, failed=False), (mine, row)
        self.kept.append((result[0], result[0].tobytes()))

    @invariant()
    def what_was_received_stays(self) -> None:
        """No later call writes to an array that was received."""
        for array, data in getattr(self, "kept", []):
            assert array.tobytes() == data
        if hasattr(self, "kept"):
            del self.kept[:-3]

    # Resetting.

    @rule(ids=IDS, seed=st.sampled_from([None, 0, 2**63, "list"]))
    def reset(self, ids: list[int], seed: Any) -> None:
        """Resets some envs."""
        ids = self.some(ids)
        seeds = [5 * i for i in ids] if seed == "list" else seed
        if self.model.refuses_envs(ids, action=False):
            with pytest.raises(ValueError, match="in flight"):
                self.pool.reset(ids, seed=seeds)
        elif not self.model.has_batch(len(ids)):
            with pytest.raises(RuntimeError, match="would wait forever"):
                self.pool.reset(ids, seed=seeds)
        else:
            if seed is not None:
                first = seeds if isinstance(seeds, list) else [seed + k for k in range(len(ids))]
                self.model.seed(ids, first)
            self.sends(ids, lambda i, _: self.model.envs[i].reset(), ids)
            self.receive(lambda: self.pool.reset(ids, seed=seeds), parts=2)

    @rule(mask=st.lists(st.booleans(), min_size=5, max_size=5), seed=st.sampled_from([None, 3]))
    def reset_mask(self, mask: list[bool], seed: int | None) -> None:
        """Resets the envs of a mask."""
        mask = mask[: self.model.options.num_envs]
        options = {"reset_mask": np.array(mask)}
        ids = list(range(len(mask)))
        if not any(mask) or not self.model.sync or self.model.in_flight:
            with pytest.raises(ValueError):
                self.pool.reset(seed=seed, options=options)
            return
        if seed is not None:
            resets = [i for i in ids if mask[i]]
            self.model.seed(resets, [seed + i for i in resets])

        def row(i: int, _: int) -> Row:
            return self.model.envs[i].reset() if mask[i] else self.model.envs[i].look()

        self.sends(ids, row, ids)
        self.receive(lambda: self.pool.reset(seed=seed, options=options), parts=2)

    @rule(pick=st.integers(0, 99))
    def reset_badly(self, pick: int) -> None:
        """Resets with arguments that are refused."""
        bad = self.bad_resets[pick % len(self.bad_resets)]
        with pytest.raises((TypeError, ValueError), match=r"^Trouble-v0: "):
            self.pool.reset(**bad)

    @rule()
    def async_reset(self) -> None:
        """Resets all envs without waiting; an async pool drops what is in flight."""
        if self.model.sync and self.model.in_flight:
            with pytest.raises(ValueError, match="in flight"):
                self.pool.async_reset()
        else:
            self.model.rows = []
            ids = list(range(self.model.options.num_envs))
            self.sends(ids, lambda i, _: self.model.envs[i].reset(), ids)
            self.pool.async_reset()

    # Saving.

    @rule(ids=IDS)
    def save(self, ids: list[int]) -> None:
        """Saves some envs."""
        ids = self.some(ids)
        if self.model.refuses_envs(ids, action=False):
            with pytest.raises(ValueError, match="in flight"):
                self.pool.save(ids)
        else:
            self.model.save(ids, self.pool.save(ids))

    @precondition(lambda self: self.model.saved)
    @rule(ids=IDS, pick=st.integers(0, 99), damage=st.integers(-3, 400))
    def load(self, ids: list[int], pick: int, damage: int) -> None:
        """Loads states, good and damaged ones."""
        ids = self.some(ids)
        data, saved = self.model.saved[pick % len(self.model.saved)]
        damaged = 0 <= damage < len(data)
        if damaged:
            data = data[:damage] + bytes([data[damage] ^ 1]) + data[damage + 1 :]
        bad = damaged or len(ids) != len(saved)
        if bad or self.model.refuses_envs(ids, action=False):
            with pytest.raises(ValueError):
                self.pool.load(data, ids)
        else:
            self.pool.load(data, ids)
            self.model.load(ids, saved)


def shown(i: int, obs: Any, rest: tuple[Any, ...], info: dict[str, Any]) -> Row:
    """Row i of a batch, in the form of the model's rows."""
    final: dict[str, Any] = {}
    if "final_obs" in info:
        assert info["_final_obs"][i] == info["_final_info"][i]
        if info["_final_obs"][i]:
            final["final_obs"] = tuple(info["final_obs"][i])
        final["final_elapsed_step"] = info["final_info"]["elapsed_step"][i]
    flags = zip(("reward", "terminated", "truncated"), rest, strict=False)
    return Row(
        info["env_id"][i],
        tuple(obs[i]),
        info["lives"][i] if "lives" in info else 0,  # Python envs: no row has infos
        info["elapsed_step"][i],
        **{name: values[i] for name, values in flags},
        **final,
    )
