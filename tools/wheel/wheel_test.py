"""The wheel, installed by pip into an empty virtual environment far from the source tree."""

import importlib.metadata
import os
import pathlib
import re
import stat
import subprocess
import zipfile

from elftools.elf.elffile import ELFFile
from packaging.requirements import Requirement

from tools.wheel.find_pythons import VERSIONS

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent

# The versions that tests run with.
_LOCKS = "\n".join(
    (ROOT / lock).read_text()
    for lock in (
        "integration_tests/gymnasium/requirements.lock",
        "integration_tests/jax/jax0.5.lock",
        "integration_tests/jax/jax0.10.lock",
        "integration_tests/ray/requirements.lock",
        "integration_tests/rerun/requirements.lock",
        "integration_tests/torch/requirements.lock",
        "third_party/pip/requirements.lock",
        "third_party/pip/sdists.lock",
    )
)

# The entries of a library that name folders of others, and pyelftools' names of their values.
_PATH_TAGS = {"DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}


def test_plays_from_an_empty_folder(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    python = site.parents[2] / "bin/python"
    script = tmp_path / "play.py"
    script.write_bytes((HERE / "play.py").read_bytes())
    run = subprocess.run(
        [str(python), "-I", str(script)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(site / "parallel_pool/__init__.py")
    assert not run.stderr


def test_selftest_has_all_that_it_needs(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    python = site.parents[2] / "bin/python"
    run = subprocess.run(
        [str(python), "-I", "-m", "parallel_pool", "selftest"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "selftest ok"
    assert not run.stderr


def test_draws_without_pygame(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """PIL, which reads pictures, is not needed either."""
    script = """
import sys
sys.modules["pygame"] = sys.modules["PIL"] = None  # an import of them is an error
import parallel_pool
for task in ("CartPole-v1", "Pendulum-v1", "Taxi-v4", "Blackjack-v1", "FrozenLake-v1"):
    with parallel_pool.make(task, num_envs=1, render_mode="rgb_array") as env:
        env.reset()
        print(task, env.render().shape, env.render().min() < env.render().max())
"""
    python = site.parents[2] / "bin/python"
    run = subprocess.run(
        [str(python), "-I", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "CartPole-v1 (1, 400, 600, 3) True",
        "Pendulum-v1 (1, 500, 500, 3) True",
        "Taxi-v4 (1, 456, 536, 3) True",
        "Blackjack-v1 (1, 376, 384, 3) True",
        "FrozenLake-v1 (1, 256, 256, 3) True",
    ]


def test_mujoco_is_its_own(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The wheel needs no installed `mujoco`, and one in the same process stays separate."""
    script = tmp_path / "play_mujoco.py"
    script.write_bytes((HERE / "play_mujoco.py").read_bytes())
    for first in ("parallel_pool", "mujoco"):
        run = subprocess.run(
            [str(site.parents[2] / "bin/python"), "-I", str(script), first],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert not run.stderr
        ours, *others = run.stdout.split()
        assert ours == str(site / "parallel_pool/envs/mujoco/libparallel_pool_mujoco.so")
        assert len(others) == (first == "mujoco")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_metadata(wheel: pathlib.Path, site: pathlib.Path) -> None:
    (found,) = importlib.metadata.distributions(name="parallel_pool", path=[str(site)])
    assert wheel.name.startswith(f"parallel_pool-{found.version}-cp3")
    assert re.search(r"-manylinux_2_\d+_x86_64\.whl$", wheel.name)
    assert found.metadata["License-Expression"] == (
        "Apache-2.0 AND BSD-3-Clause AND GPL-2.0-only AND MIT"
    )
    assert found.metadata["Summary"]
    assert "# ParallelPool" in (found.read_text("METADATA") or "")

    requirements = [Requirement(r) for r in found.requires or []]
    assert {r.name for r in requirements if not r.marker} == {
        "cloudpickle",
        "dm-env",
        "gymnasium",
        "numpy",
    }
    extras: dict[str, set[str]] = {
        "all": {"parallel_pool"},
        "film": {"imageio-ffmpeg", "pillow"},
        "human": {"pygame-ce"},
        "jax": {"jax"},
        "metaworld": {"metaworld", "packaging"},
        "minari": {"minari"},
        "minihack": {"minihack", "nle", "setuptools"},
        "nethack": {"nle"},
        "procgen": set(),
        "ray": {"ray"},
        "record": {"parallel_pool"},
        "sb3": {"stable-baselines3"},
        "view": {"rerun-sdk"},
        "vizdoom": {"vizdoom"},
    }
    for extra, names in extras.items():
        assert {r.name for r in requirements if str(r.marker) == f'extra == "{extra}"'} == names
    assert found.metadata.get_all("Provides-Extra") == list(extras)
    for requirement in requirements:
        if requirement.name == "parallel_pool":
            left_out = {"all", "metaworld", "minari", "minihack", "nethack", "record", "view"}
            is_all = str(requirement.marker) == 'extra == "all"'
            assert requirement.extras == (set(extras) - left_out if is_all else {"film"})
            continue
        tested = re.findall(rf"^{re.escape(requirement.name)}==([^ ]+) ", _LOCKS, re.MULTILINE)
        assert tested, requirement.name
        for version in tested:
            assert requirement.specifier.contains(version), (requirement, version)


def test_classifiers(site: pathlib.Path) -> None:
    (found,) = importlib.metadata.distributions(name="parallel_pool", path=[str(site)])
    classifiers = found.metadata.get_all("Classifier") or []
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(classifiers))
    assert pythons == list(VERSIONS)
    assert found.metadata["Requires-Python"] == f">={pythons[0]}"
    assert "Typing :: Typed" in classifiers
    assert found.metadata["Author"]


def test_libraries_look_for_others_in_their_own_folder_only(wheel: pathlib.Path) -> None:
    seen = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".so"):
                dynamic = ELFFile(archive.open(name)).get_section_by_name(".dynamic")
                tags = [tag for tag in dynamic.iter_tags() if tag.entry.d_tag in _PATH_TAGS]
                seen[name] = [getattr(tag, _PATH_TAGS[tag.entry.d_tag]) for tag in tags]
    for name in ("_family.so", "_family_4.so"):
        assert seen.pop(f"parallel_pool/envs/mujoco/{name}") == ["$ORIGIN"]
    assert seen
    assert not any(seen.values()), seen


def test_version_is_written_once(site: pathlib.Path) -> None:
    (found,) = importlib.metadata.distributions(name="parallel_pool", path=[str(site)])
    build_info = (site / "parallel_pool/_build_info.py").read_text()
    assert f'VERSION = "{found.version}"' in build_info


def test_licenses(site: pathlib.Path) -> None:
    (info,) = site.glob("parallel_pool-*.dist-info")
    assert "Apache License" in (info / "licenses/LICENSE").read_text()
    atari = info / "licenses/parallel_pool/envs/atari/licenses"
    assert "GNU GENERAL PUBLIC LICENSE" in (atari / "ALE.txt").read_text()
    assert "ale-py" in (atari / "ROMS.txt").read_text()
    pybind11 = info / "licenses/parallel_pool/core/licenses/pybind11.txt"
    assert "Wenzel Jakob" in pybind11.read_text()
    for family in ("classic_control", "toy_text"):
        gymnasium = info / f"licenses/parallel_pool/envs/{family}/licenses/Gymnasium.txt"
        assert "The MIT License" in gymnasium.read_text()
    mujoco = info / "licenses/parallel_pool/envs/mujoco/licenses"
    assert "Apache License" in (mujoco / "MuJoCo.txt").read_text()
    assert "LodePNG" in (mujoco / "MuJoCo_third_party.md").read_text()
    assert "Farama" in (mujoco / "Gymnasium.txt").read_text()
    assert "Apache License" in (mujoco / "dm_control.txt").read_text()
    assert "NumPy Developers" in (mujoco / "NumPy.txt").read_text()
    notice = (info / "licenses/NOTICE").read_text()
    assert "parallel_pool/envs/atari/_family.so" in notice
    assert "parallel_pool/envs/atari/roms" in notice
    assert "parallel_pool/envs/mujoco/libparallel_pool_mujoco.so" in notice
    assert "parallel_pool/envs/mujoco/models/gym" in notice
    assert "parallel_pool/envs/mujoco/models/dm_control" in notice


def test_files(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entries = {e.filename: e for e in archive.infolist() if not e.is_dir()}
    tops = {name.split("/")[0] for name in entries}
    assert tops == {"parallel_pool", next(t for t in tops if t.endswith(".dist-info"))}
    assert "parallel_pool/envs/atari/_family.so" in entries
    assert "parallel_pool/py.typed" in entries
    own = [n for n in entries if not n.startswith("parallel_pool/command_line/examples/")]
    assert not [n for n in own if re.search(r"_test|/testing/|/BUILD|bazel|\.(cc|params)$", n)]
    for name, entry in entries.items():
        executable = bool(entry.external_attr >> 16 & stat.S_IXUSR)
        assert executable == name.endswith(".so"), name
        if "dist-info" not in name:
            assert entry.date_time == (1980, 1, 1, 0, 0, 0), name
