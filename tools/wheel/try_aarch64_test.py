import pathlib

import pytest

from tools.wheel.another_system import compare, files_of, without
from tools.wheel.try_aarch64 import environment

LOCK = """\
attrs==26.1.0 \\
    --hash=sha256:00
box2d==2.3.10 \\
    --hash=sha256:11 \\
    --hash=sha256:22
    # via -r requirements.in
numpy==2.4.6 \\
    --hash=sha256:33
"""


def test_a_lock_without_a_project() -> None:
    kept = [line for line in LOCK.splitlines() if line[0] != " "]
    found = without(LOCK, ("box2d",))
    assert [line for line in found.splitlines() if line[0] != " "] == [kept[0], kept[2]]
    assert "11" not in found and "22" not in found
    with pytest.raises(ValueError, match="the lock has no box2d"):
        without(found, ("box2d",))


def test_the_files_of_a_query() -> None:
    printed = """\
//build_defs:pytest_main.py
//parallel_pool/envs/toy_text:taxi_test.py
//parallel_pool/envs/mujoco/gym:parity_test.py
//parallel_pool/envs/toy_text:taxi_test.py
"""
    assert files_of(printed) == ("envs/mujoco/gym/parity_test.py", "envs/toy_text/taxi_test.py")


def test_the_kernels_of_this_processor_are_not_asked_of_the_other() -> None:
    here = {"HOME": "/home/me", "OPENBLAS_CORETYPE": "Haswell", "PYTHONPATH": "/here"}
    env = environment(here, pathlib.Path("/site"))
    assert "OPENBLAS_CORETYPE" not in env
    assert (env["HOME"], env["PYTHONPATH"]) == ("/home/me", "/site")
    assert env["QEMU_CPU"] == "neoverse-n1"


def test_digests_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    expected = ["classic_control CartPole-v1 aa", "toy_text Taxi-v3 bb", "mujoco Ant-v5 cc"]
    same = compare("ARM", expected, [*expected[:2], "mujoco Ant-v5 dd"], ["mujoco"])
    assert same == {"passed": 2, "failed": 0}
    other = compare("ARM", expected, ["toy_text Taxi-v3 ee"], ["mujoco"])
    assert other == {"passed": 0, "failed": 2}
    said = capsys.readouterr().out
    assert "only on this machine: toy_text Taxi-v3 bb" in said
    assert "only on ARM: toy_text Taxi-v3 ee" in said
