"""parallel_pool.load()."""

import os
import pathlib
import shutil
import subprocess
import sys
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.cflags import cflags
from parallel_pool.python.specs.registry import TaskRegistry
from parallel_pool.testing.form import long_form

TESTING = pathlib.Path(parallel_pool.__file__).parent / "core/testing"
IDS = TaskRegistry().add(TESTING / "_family.so")
ON_WINDOWS = sys.platform == "win32"

# A library of envs that compile although their arrays are wrong.
MISTAKES = """
#include "parallel_pool/core/env.h"
using namespace parallel_pool;
template <int kMistake>
struct Wrong {
  struct Action { View<const float> go; };
  struct State { View<float> obs, other; };
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    const Space two = Box({2}, {0}, {1});
    return {.action = {Array<&Action::go>(kMistake == 7 ? "env_id" : "go",
                                          kMistake == 0 ? Discrete(2) : two)},
            .state = {Array<&State::obs>("obs", kMistake == 1 ? Box({2}, {0, 0, 0}, {1}) : two),
                      Array<&State::other>(kMistake == 2   ? "position"
                                           : kMistake == 3 ? "obs"
                                           : kMistake == 4 ? "obs:left"
                                           : kMistake == 5 ? "info:env_id"
                                           : kMistake == 6 ? "reward"
                                                           : "info:other", two)}};
  }
  explicit Wrong(Rng&) {}
  void Reset() {}
  Outcome Step(const Action&) { return {}; }
  void Observe(const State&) const {}
};
PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Wrong<0>>("Wrong-v0", {});
  registry.Add<Wrong<1>>("Wrong-v1", {});
  registry.Add<Wrong<2>>("Wrong-v2", {});
  registry.Add<Wrong<3>>("Wrong-v3", {});
  registry.Add<Wrong<4>>("Wrong-v4", {});
  registry.Add<Wrong<5>>("Wrong-v5", {});
  registry.Add<Wrong<6>>("Wrong-v6", {});
  registry.Add<Wrong<7>>("Wrong-v7", {});
}
"""


def compile_library(code: str, library: pathlib.Path) -> None:
    if ON_WINDOWS:
        pytest.skip("there is no compiler")
    command = ["g++", *cflags(), "-x", "c++", "-", "-o", str(library)]
    subprocess.run(command, input=code, text=True, check=True)


def test_gives_the_ids_and_make_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTING)
    assert parallel_pool.load("_family.so") == IDS  # dlopen would search for a bare name
    assert parallel_pool.load(TESTING / "_family.so") == IDS
    assert parallel_pool.load(str(TESTING / ".." / "testing" / "_family.so")) == IDS
    assert {"Echo-v0", "Trouble-v0"} <= set(IDS) < set(parallel_pool.list_all_envs())
    with parallel_pool.make("Echo-v0", num_envs=2) as pool:
        assert len(pool) == 2


@pytest.mark.parametrize(
    ("library", "error", "words"),
    [
        ("nowhere.so", FileNotFoundError, r"No such file or directory: '.*[/\\]nowhere.so'"),
        (".", RuntimeError, r"\(126\)" if ON_WINDOWS else "cannot read file data: Is a directory"),
        ("BUILD.so", RuntimeError, r"BUILD.so: .*\(193\)" if ON_WINDOWS else "o: file too short"),
        (TESTING / "no_family.so", RuntimeError, "no_family.so: no family of envs: it does not"),
        (TESTING / "old_family.so", RuntimeError, "old_family.so: built for version 0 .* again"),
        (3, TypeError, "PathLike"),
        (b"my_env.so", TypeError, "str"),
    ],
)
def test_says_what_is_wrong(
    library: Any,
    error: type[Exception],
    words: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("BUILD.so").touch()
    before = parallel_pool.list_all_envs()
    with pytest.raises(error, match=words):
        parallel_pool.load(library)
    assert parallel_pool.list_all_envs() == before


def test_an_id_of_another_library_registers_nothing(tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "copy.so"
    shutil.copyfile(TESTING / "_family.so", copy)
    registry = TaskRegistry()
    assert registry.add(TESTING / "_family.so") == IDS
    with pytest.raises(ValueError, match=r"copy.so: .* task 'Echo-v0' already, of .*_family.so"):
        registry.add(copy)
    # Echo-v0 could be registered again, but Trouble-v0 of the same library cannot.
    del registry.tasks["Echo-v0"], registry._libraries["Echo-v0"]
    with pytest.raises(ValueError, match=r"copy.so: .* task 'Trouble-v0' already, of"):
        registry.add(copy)
    assert "Echo-v0" not in registry.tasks


@long_form
def test_an_id_twice_in_one_library(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "twice.so"
    compile_library(MISTAKES.replace("Wrong-v3", "Wrong-v2"), library)
    with pytest.raises(ValueError, match=r"/twice.so: .* task 'Wrong-v2' already, of /.*twice.so"):
        parallel_pool.load(library)
    assert "Wrong-v2" not in parallel_pool.list_all_envs()


def test_a_library_that_was_built_again_must_be_replaced(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "changes.so"
    registry = TaskRegistry()
    shutil.copyfile(TESTING / "no_family.so", library)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no family of envs"):
            registry.add(library)
    replace(library)  # a library that could not be loaded may be corrected
    assert registry.add(library) == IDS
    replace(library)
    with pytest.raises(RuntimeError, match=r"changes.so has changed .*load\(path, replace=True\)"):
        registry.add(library)
    old = registry.tasks["Echo-v0"]
    assert registry.add(library, replace=True) == IDS
    new = registry.tasks["Echo-v0"]
    assert new is not old
    assert registry.add(library) == registry.add(library, replace=True) == IDS
    assert registry.tasks["Echo-v0"] is new, "it has not changed"
    if not ON_WINDOWS:  # no loaded file can be deleted there
        assert [path.name for path in tmp_path.iterdir()] == [library.name], "copies are deleted"


def test_copies_that_another_process_has_left_are_deleted(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "left.so"
    shutil.copyfile(TESTING / "no_family.so", library)
    old, new = tmp_path / ".left.so.17.0", tmp_path / ".left.so.18.0"
    others = [tmp_path / ".left.so.backup.1", tmp_path / ".right.so.17.0"]
    hour = time.time() - 3600
    for path in (old, new, *others):
        path.touch()
        if path != new:
            os.utime(path, (hour, hour))
    with pytest.raises(RuntimeError, match="no family of envs"):
        parallel_pool.load(library)
    assert set(tmp_path.iterdir()) == {library, new, *others}


def test_a_library_of_an_old_version_that_the_system_keeps(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "old.so"
    # A visible inline variable is unique in the process, so dlclose() does not unmap its library.
    code = """
        #include "parallel_pool/core/plugin.h"
        __attribute__((visibility("default"))) inline int kept = 0;
        static const parallel_pool::Family family{kept, {}, nullptr};
        extern "C" __attribute__((visibility("default")))
        const parallel_pool::Family* parallel_pool_family() { return &family; }
    """
    compile_library(code, library)
    registry = TaskRegistry()
    with pytest.raises(RuntimeError, match="built for version 0"):
        registry.add(library)
    replace(library)
    with pytest.raises(RuntimeError, match="replace=True"):
        registry.add(library)
    assert registry.add(library, replace=True) == IDS


# An env whose observation and limit are numbers of the text.
NUMBER = """
#include "parallel_pool/core/env.h"
using namespace parallel_pool;
struct Number {
  struct Action { View<const int32_t> none; };
  struct State { View<int32_t> obs; };
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    return {.action = {Array<&Action::none>("action", Discrete(1))},
            .state = {Array<&State::obs>("obs", Box({}, {0}, {99}))}};
  }
  explicit Number(Rng&) {}
  void Reset() {}
  Outcome Step(const Action&) { return {}; }
  void Observe(const State& state) const { *state.obs = 10; }
};
PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Number>("Number-v0", {.max_episode_steps = 10});
  registry.Add<Number>("Other-v10", {});
}
"""


def test_replace_while_an_env_is_written(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "number.so"
    action = np.zeros(1, int)

    def built(number: int) -> list[str]:
        compile_library(NUMBER.replace("10", str(number)), library)
        return parallel_pool.load(library, replace=True)

    assert built(10) == ["Number-v0", "Other-v10"]
    spec = parallel_pool.make_spec("Number-v0")
    with parallel_pool.make("Number-v0") as old:
        old.reset()
        assert built(20) == ["Number-v0", "Other-v20"]
        with parallel_pool.make("Number-v0") as new, parallel_pool.make(spec) as again:
            assert [int(pool.reset()[0][0]) for pool in (new, old, again)] == [20, 10, 10]
            assert new.spec.max_episode_steps == 20
            assert gymnasium.spec("parallel_pool/Number-v0").max_episode_steps == 20
        assert built(30) == ["Number-v0", "Other-v30"]
        assert old.step(action)[0].tolist() == [10]
    with gymnasium.make("parallel_pool/Number-v0") as env:
        assert env.reset()[0] == 30
    with pytest.raises(ValueError, match="there is no task 'Other-v10'; did you mean Other-v30"):
        parallel_pool.make("Other-v10")
    assert "parallel_pool/Other-v10" not in gymnasium.registry


@long_form
def test_a_replacement_that_fails_leaves_the_old_tasks(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "fails.so"
    code = NUMBER.replace("Number-v0", "Fails-v0").replace("Other-v10", "Fails-v1")
    compile_library(code, library)
    parallel_pool.load(library)
    os.replace(shutil.copyfile(TESTING / "no_family.so", tmp_path / "new"), library)
    with pytest.raises(RuntimeError, match=r"^/[^ ]*/fails\.so: no family of envs"):
        parallel_pool.load(library, replace=True)
    compile_library(code.replace("Fails-v1", "CartPole-v1"), library)
    with pytest.raises(ValueError, match=r"there is a task 'CartPole-v1' already, of .*_family.so"):
        parallel_pool.load(library, replace=True)
    with parallel_pool.make("Fails-v1") as pool:
        assert pool.reset()[0].tolist() == [10]
    compile_library(code, library)
    assert parallel_pool.load(library, replace=True) == ["Fails-v0", "Fails-v1"]


def replace(library: pathlib.Path) -> None:
    new = library.with_suffix(".new")
    shutil.copyfile(TESTING / "_family.so", new)
    if ON_WINDOWS:
        library.rename(library.with_suffix(f".{time.monotonic_ns()}"))
    os.replace(new, library)


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> None:
    library = tmp_path_factory.mktemp("mistakes") / "mistakes.so"
    compile_library(MISTAKES, library)
    parallel_pool.load(library)


@pytest.mark.usefixtures("mistakes")
@pytest.mark.parametrize(
    ("task_id", "words"),
    [
        ("Wrong-v0", "Wrong-v0: array 'go': a Discrete array must have an integer dtype"),
        ("Wrong-v1", "array 'obs' has 2 elements, but a bound has 3 numbers; it needs one for all"),
        ("Wrong-v2", "called 'position'; allowed are 'obs', 'obs:...' and 'info:...'"),
        ("Wrong-v3", "called 'obs', which is there already"),
        ("Wrong-v4", "has an array 'obs' next to others of 'obs:...'"),
        ("Wrong-v5", "called 'info:env_id', which is there already"),
        (
            "Wrong-v6",
            r"called 'reward'; it must be float32\[players\] or float64\[players\], not float32",
        ),
        ("Wrong-v7", "of the action is called 'env_id', which is the engine's"),
    ],
)
def test_make_names_a_wrong_array(task_id: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parallel_pool.make(task_id)
