"""parallel_pool.check(): it accepts correct envs and names the broken rule of the others."""

import sys
from typing import Any

import pytest

import parallel_pool
from parallel_pool.python.options.option import Option
from parallel_pool.python.specs.spec import Spec
from parallel_pool.testing import testing_family  # noqa: F401


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Faulty-v0", {}),
        ("Faulty-v0", {"max_episode_steps": 3}),
        ("Bytes-v0", {"stochastic": False, "row_bytes": 7}),
        ("Duo-v0", {"stochastic": False}),
        ("Duo-v0", {"stochastic": False, "shared": True}),
        ("Echo-v0", {"stochastic": False}),
    ],
)
def test_right(task_id: str, options: dict[str, Any]) -> None:
    parallel_pool.check(task_id, **options)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("name", "an array has a name that dm_env cannot have: .*'no-name'"),
        ("meanings", "each value of players.move needs a name of its own, not 0 STAY, 1 GO, 2 GO"),
        ("throw", r"an env threw: Faulty-v0 env \d step \d+: the motor broke"),
        ("reward", r"reward of env 0 at step 1 is \[nan"),
        ("bounds", r"obs\[\d+, 1\] of env 0 at step 0 is 1.5; it must be between 0.0 and 1.0"),
        ("nan", r"obs\[\d+, 1\] of env 0 at step 0 is nan; it must be between 0.0 and 1.0"),
        ("assign", r"an env threw: .* Assign got 2 values for 'info:steps', a View of 1 elements"),
        ("index", r"an env threw: Faulty-v0 env \d step 0: index 6 of 'obs', a View of 6 elements"),
        ("unlisted", "an env threw: .* a View that Describe does not list; it lists obs, info:"),
        ("behind", r"an env threw: .* element 1 of 'info:steps', whose row has 1 elements"),
        ("before", r"an env threw: .* element -1 of 'obs', whose row has 6 elements"),
        ("global", r"a second pool with the same seed gives other numbers: obs\[\d+, 1\] of env 0"),
        ("unwritten", r"Observe\(\) does not write every element of its row: info:steps of env 0"),
        # A pool of one thread also has a second one, which runs steps of unknown cost.
        ("thread", r"(a second pool|the results depend on threads).*: obs\[\d+, 1\] of env"),
        ("reset", r"after steps, reset\(seed=...\) does not begin as a new pool does: info:steps"),
        ("seed", "another seed gives the same numbers"),
        ("saved", r"an env that was loaded does not go on .*: info:steps of env \d at step \d+ is"),
    ],
)
def test_wrong(fault: str, words: str) -> None:
    with pytest.raises(AssertionError, match=f"^Faulty-v0: {words}"):
        parallel_pool.check("Faulty-v0", fault=fault)


@pytest.mark.skipif(sys.platform != "linux", reason="envs are checked in this process")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash", r"env \d, in step 3: the process has ended by SIGABRT"),
        ("hang", r"env \d, in step 3: it did not come back within 1 s \(step_timeout\)"),
    ],
)
def test_an_env_that_ends_the_process_or_never_comes_back(fault: str, words: str) -> None:
    with pytest.raises(AssertionError, match=f"^Faulty-v0: {words}$"):
        parallel_pool.check("Faulty-v0", fault=fault, step_timeout=1)


def test_a_task_that_is_not_reproducible() -> None:
    for fault in ("global", "thread", "reset", "seed", "saved"):
        parallel_pool.check("Faulty-v0", reproducible=False, fault=fault, max_episode_steps=20)
    for fault, words in [("nan", "obs.* is nan"), ("reward", "reward"), ("throw", "an env threw")]:
        with pytest.raises(AssertionError, match=f"^Faulty-v0: {words}"):
            parallel_pool.check("Faulty-v0", reproducible=False, fault=fault)


def test_an_option_without_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spec, "options", [Option("fault", "", "")])
    with pytest.raises(AssertionError, match="Faulty-v0: option fault has no line of help"):
        parallel_pool.check("Faulty-v0")


def test_a_task_without_chance_must_not_have_any() -> None:
    with pytest.raises(AssertionError, match="Faulty-v0: the seed matters: "):
        parallel_pool.check("Faulty-v0", stochastic=False)
    with pytest.raises(AssertionError, match=r"right: IsDeterministic.*, or stochastic=False"):
        parallel_pool.check("Duo-v0")


def test_an_env_that_says_that_it_is_deterministic() -> None:
    parallel_pool.check("CliffWalking-v1")
    parallel_pool.check("CliffWalking-v1", stochastic=False)
    parallel_pool.check("CliffWalking-v1", is_slippery=True)
    with pytest.raises(AssertionError, match="CliffWalking-v1: another seed gives the same"):
        parallel_pool.check("CliffWalking-v1", stochastic=True)


def test_refuses() -> None:
    with pytest.raises(ValueError, match="step_timeout is 0; allowed: a number above 0"):
        parallel_pool.check("Duo-v0", step_timeout=0)
    with pytest.raises(TypeError, match=r"check\(\) sets num_envs itself"):
        parallel_pool.check("Duo-v0", num_envs=3)
    with pytest.raises(TypeError, match="no option 'share'; did you mean shared"):
        parallel_pool.check("Duo-v0", share=True)
    with pytest.raises(ValueError, match="there is no task 'Duo'"):
        parallel_pool.check("Duo")
