"""Checks that users of the package see a type for each public name, as pyright finds them.

pyright looks at an installed package only, so the modules are copied into .work/lint for a moment.
Usage: python3 tools/lint/public_types.py    with .work/lint, which lint.sh makes
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The names whose types are those of a library: one without types (dm_env, PettingZoo), or one that
# is too large to install for this (Ray, and torch for Stable-Baselines3).
_OF_LIBRARIES = {
    "parallel_pool.integrations.pettingzoo.aec.AECEnv",
    "parallel_pool.integrations.pettingzoo.parallel.ParallelEnv",
    "parallel_pool.integrations.pettingzoo.parallel_env",
    "parallel_pool.integrations.rllib.collector.Collector.cut",
    "parallel_pool.integrations.rllib.runner.PoolEnvRunner",
    "parallel_pool.integrations.sb3.VecEnv",
    "parallel_pool.integrations.sb3_replay.HerReplayBuffer",
    "parallel_pool.integrations.sb3_replay.ReplayBuffer",
    "parallel_pool.integrations.tianshou_replay.PrioritizedVectorReplayBuffer",
    "parallel_pool.integrations.tianshou_replay.VectorReplayBuffer",
    "parallel_pool.integrations.torchrl_replay.ReplayBuffer",
    "parallel_pool.integrations.torchrl_replay.ReplayBuffer.__init__",
    "parallel_pool.integrations.torchrl_replay.ReplayStorage",
    "parallel_pool.make",
    "parallel_pool.make_dm",
    "parallel_pool.make_python",
    "parallel_pool.compat.envpool_pools.DMEnvPool",
    "parallel_pool.python.apis.dm_api.Pool",
    "parallel_pool.python.apis.dm_single.Env",
    "parallel_pool.python.apis.make.make",
    "parallel_pool.python.apis.make.make_dm",
    "parallel_pool.python_envs.make_python.make_python",
    "parallel_pool.python_envs.pool.DmPool",
}
# Neither in the wheel nor public.
_PRIVATE = re.compile(r"(_test|conftest|/reference|_reference)\.py$|/testing/|/envs/")


def _copy(folder: pathlib.Path) -> None:
    """Copies the modules of the wheel, and stands in for the generated one."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "parallel_pool/"]
    listed = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for name in listed.stdout.splitlines():
        if name.endswith((".py", ".pyi", "py.typed")) and not _PRIVATE.search(name):
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_ROOT / name, copy)
    text = 'VERSION: str = ""\nFAMILIES: dict[str, str] = {}\n'
    (folder / "parallel_pool/_build_info.py").write_text(text)


def main() -> int:
    """Prints the names without a known type if there are too many."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    venv = _ROOT / ".work/lint/venv"
    site = venv / "lib" / version / "site-packages"
    # It asks the python on PATH for the folder of installed packages.
    env = os.environ | {"PATH": f"{venv}/bin{os.pathsep}{os.environ['PATH']}"}
    pyright = str(_ROOT / ".work/lint/node/node_modules/.bin/pyright")
    command = [pyright, "--verifytypes", "parallel_pool", "--ignoreexternal", "--outputjson"]
    with tempfile.TemporaryDirectory() as scratch:
        try:
            _copy(site)
            run = subprocess.run(
                command, cwd=scratch, env=env, capture_output=True, text=True, check=False
            )
        finally:
            shutil.rmtree(site / "parallel_pool", ignore_errors=True)
    if not run.stdout.startswith("{"):
        sys.exit(f"public types: pyright has no result: {run.stdout}{run.stderr}")
    found = json.loads(run.stdout)["typeCompleteness"]["symbols"]
    public = {symbol["name"]: symbol for symbol in found if symbol["isExported"]}
    # Without a reason of its own, a name is another one's: of a module that imports it.
    untyped = {n for n, s in public.items() if not s["isTypeKnown"] and s["diagnostics"]}
    for name in sorted(untyped - _OF_LIBRARIES):
        why = "; ".join(one["message"] for one in public[name]["diagnostics"])
        print(f"public types: {name}: {why}")
    for name in sorted(_OF_LIBRARIES - untyped):
        print(f"public types: {name} has a type, or is gone: take it off the list")
    return 0 if public and untyped == _OF_LIBRARIES else 1


if __name__ == "__main__":
    sys.exit(main())
