"""Envs that are built with a plain compiler against the installed wheel (docs/add_an_env.md).

The compilers run in an empty folder, which has only the env's file of the source tree.
"""

import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
PAGE = (ROOT / "docs/add_an_env.md").read_text()
PAGE_OF_PLAYERS = (ROOT / "docs/env_api.md").read_text()


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder of a new author."""
    for file in ("my_env.cc", "play.py", "check.py"):
        shutil.copyfile(ROOT / "examples/my_env" / file, tmp_path / file)
    return tmp_path


def shell(
    site: pathlib.Path, folder: pathlib.Path, command: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command in a shell with the virtual environment activated."""
    path = f"{site.parents[2] / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def done(run: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that must succeed without warnings."""
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    return run.stdout


def test_the_commands_of_the_page(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    install, *commands = block.splitlines()
    assert install.startswith("pip install parallel_pool-")  # the fixture did that
    assert len(commands) == 3
    (promised,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    *_, last = [done(shell(site, tmp_path, command)) for command in commands]
    assert last == promised


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_plays_without_warnings(compiler: str, site: pathlib.Path, folder: pathlib.Path) -> None:
    if shutil.which(compiler) is None:
        assert compiler != "g++"
        pytest.skip(f"there is no {compiler}")
    warnings = "-Wall -Wextra -Werror"
    flags = f"$(python -m parallel_pool --cflags) {warnings}"
    done(shell(site, folder, f"{compiler} {flags} my_env.cc -o my_env.so"))
    shutil.copyfile(HERE / "play.py", folder / "play.py")
    out = done(shell(site, folder, "python -I play.py my_env.so"))
    assert out.strip() == str(site / "parallel_pool/__init__.py")


def test_envs_of_several_players(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for file in ("low_bid.cc", "play.py"):
        shutil.copyfile(ROOT / "examples/low_bid" / file, tmp_path / file)
    flags = "$(python -m parallel_pool --cflags) -Wall -Wextra -Werror"
    done(shell(site, tmp_path, f"g++ {flags} low_bid.cc -o low_bid.so"))
    promised = textwrap.indent(done(shell(site, tmp_path, "python play.py")), "    ")
    assert f"who has won:\n\n{promised}\n" in PAGE_OF_PLAYERS
    (tmp_path / "check.py").write_text(
        "import parallel_pool\nparallel_pool.load('low_bid.so')\nparallel_pool.check('LowBid-v0')\n"
    )
    assert not done(shell(site, tmp_path, "python check.py"))


def test_check(site: pathlib.Path, folder: pathlib.Path) -> None:
    flags = "$(python -m parallel_pool --cflags)"
    done(shell(site, folder, f"g++ {flags} my_env.cc -o my_env.so"))
    assert not done(shell(site, folder, "python check.py"))
    wrong = (folder / "my_env.cc").read_text().replace("vy_ = 0.0;", "")
    (folder / "my_env.cc").write_text(wrong)
    done(shell(site, folder, f"g++ {flags} my_env.cc -o my_env.so"))
    run = shell(site, folder, "python check.py")
    assert run.returncode != 0
    assert "AssertionError: KeepUp-v0: " in run.stderr


def test_libraries_share_no_names(site: pathlib.Path, folder: pathlib.Path) -> None:
    flags = "$(python -m parallel_pool --cflags)"
    done(shell(site, folder, f"g++ {flags} my_env.cc -o my_env.so"))
    lines = done(shell(site, folder, "nm -D --defined-only my_env.so")).splitlines()
    names = [line.split()[2] for line in lines]
    # Templates of std have default visibility in any case.
    assert [name for name in names if "St" not in name[:8]] == ["parallel_pool_family"]


def test_a_process_that_has_not_loaded_it_says_so(site: pathlib.Path, folder: pathlib.Path) -> None:
    done(shell(site, folder, "g++ $(python -m parallel_pool --cflags) my_env.cc -o my_env.so"))
    (folder / "save.py").write_text(
        "import parallel_pool, pickle\n"
        "parallel_pool.load('my_env.so')\n"
        "for env_type in ('gymnasium', 'gym', 'dm'):\n"
        "    pool = parallel_pool.make('KeepUp-v0', env_type, num_envs=3)\n"
        "    assert pickle.loads(pickle.dumps(pool)).num_envs == 3\n"
        "open('pool.pickle', 'wb').write(pickle.dumps(pool))\n"
    )
    done(shell(site, folder, "python save.py"))
    read = "import pickle; print(len(pickle.load(open('pool.pickle', 'rb'))))"
    run = shell(site, folder, f'python -c "{read}"')
    assert run.returncode != 0
    last = run.stderr.splitlines()[-1]
    assert last == (
        "RuntimeError: this process does not know the task 'KeepUp-v0': call "
        f"parallel_pool.load('{folder}/my_env.so') before unpickling a pool of it"
    )
    load = "import parallel_pool; parallel_pool.load('my_env.so')"
    assert done(shell(site, folder, f'python -c "{load}; {read}"')) == "3\n"


def test_help(site: pathlib.Path, folder: pathlib.Path) -> None:
    text = done(shell(site, folder, "python -m parallel_pool --help"))
    assert "--cflags" in text
    run = shell(site, folder, "python -m parallel_pool --cflag")
    assert run.returncode == 2
    assert "unrecognized arguments: --cflag" in run.stderr
