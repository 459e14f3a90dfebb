"""The folders that each folder may use.

The engine and the code that families share name no family, no family names another, and imports
have no circles. The test reads the checkout itself, because Bazel's globs stop at packages: so a
file in a new sub-folder is checked, too.
"""

import ast
import graphlib
import pathlib
import re
from collections.abc import Iterator

import pytest

from parallel_pool._build_info import FAMILIES

ROOT = pathlib.Path(__file__).resolve().parent  # the sources, to which Bazel's links lead

_CORE = ("core",)
_ENGINE = ("core", "core/machine", "core/platform", "core/engine")

# The folders that the C++ of a folder may include. The longest key that a file's folder begins with
# counts. A name that ends with "/" includes all folders below it.
CPP = {
    "core": _CORE,
    "core/machine": ("core/machine", "core/platform", *_CORE),
    "core/platform": ("core/platform",),
    "core/engine": _ENGINE,
    "core/workers": ("core/workers", *_ENGINE),
    "core/cuda": ("core/cuda", *_ENGINE),
    "core/xla": ("core/cuda", "core/xla", *_ENGINE),
    "core/learner": ("core/learner", *_CORE),
    "core/binding": (
        *("core/binding", "core/cuda", "core/learner", "core/workers", "core/xla", "drawing"),
        *_ENGINE,
    ),
    "core/testing": ("core/testing", "core/workers", "core/xla", *_ENGINE),
    "drawing": ("drawing", *_CORE),
    "drawing/pygame": ("drawing/pygame", *_CORE),
    **{
        f"envs/{family}": (f"envs/{family}/", "drawing/", "core/platform", *_CORE)
        for family in FAMILIES
    },
    # collision: contact.h and pairs.h; core: instruction_sets.h alone
    "envs/mujoco/lanes": ("envs/mujoco/lanes", "envs/mujoco/collision", *_CORE),
    "envs/mujoco/lanes/proof": (
        *(f"envs/mujoco/{folder}" for folder in ("lanes", "lanes/proof", "engine")),
    ),
    "envs/mujoco/collision": ("envs/mujoco/collision",),
    "envs/mujoco/collision/proof": (
        *(f"envs/mujoco/{folder}" for folder in ("collision", "collision/proof", "engine")),
    ),
    "envs/mujoco/engine": (
        *(f"envs/mujoco/{folder}" for folder in ("engine", "collision", "lanes")),
        "core/platform",
        *_CORE,
    ),
    "envs/mujoco/rendering": ("envs/mujoco/rendering", "envs/mujoco/engine", *_CORE),
    **{
        f"envs/mujoco/{suite}": (
            *(f"envs/mujoco/{folder}" for folder in (suite, "engine", "rendering")),
            *_CORE,
        )
        for suite in ("any_model", "batch", "dm_control", "gym")
    },
}
# The folders that tests may include in addition.
CPP_TESTS = ("core/testing", *_ENGINE)

# Each of them imports only itself and those before it.
_PYTHON_ROOMS = tuple(
    f"python/{room}"
    for room in ("arrays", "options", "specs", "recordings", "pools", "apis", "check")
)
# The folders that the Python of a folder may import. "python/" includes all folders below it.
PYTHON = {
    # __init__.py and __main__.py
    "": ("", "command_line", "compat", "learner/", "python/", "python_envs", "replays"),
    "learner": ("core", "learner", "python/", "_build_info"),
    "learner/replay": ("core", "learner", "learner/replay", "python/"),
    "core": ("core",),
    "python": ("core", "python"),
    **{
        room: ("core", "python", "_build_info", *_PYTHON_ROOMS[: place + 1])
        for place, room in enumerate(_PYTHON_ROOMS)
    },
    "python_envs": ("core", "python/", "python_envs"),
    "replays": ("core", "python/", "python_envs", "replays", "_build_info"),
    "testing": ("", "python/", "testing"),
    "compat": ("compat", "python/"),
    "command_line": ("", "command_line", "learner", "python/", "replays", "_build_info"),
    "integrations": ("", "integrations", "learner/replay", "python/", "replays"),
    "integrations/pettingzoo": ("", "integrations/pettingzoo", "python/"),
    "integrations/ray": ("integrations/ray", "integrations/shards", "python/", "python_envs"),
    "integrations/shards": ("", "core", "integrations/shards", "python/"),
    "integrations/rerun": ("integrations/rerun", "python/", "replays"),
    "integrations/rllib": ("", "integrations/rllib", "python/"),
    "jax": ("core", "jax", "python/"),
    "mujoco": ("mujoco", "python/"),
    "drawing": (),
    "envs/": (),
    **{
        f"envs/{family}": ("python/",)
        for family in ("atari", "foraging", "highway", "mujoco", "nethack", "rware")
    },  # names.py, gymnasium_env.py
}

# Imports that no rule above sees: a function makes them by name, when it is called.
LATE = {
    ("command_line/runs.py", "integrations/rerun/command"),  # needs Rerun
    ("python/check/conformance.py", "python_envs/make_python"),  # it is below python_envs
    ("python/pools/pool.py", "jax"),  # EnvPool's pool.xla()
    ("python/recordings/recording.py", "integrations/rerun"),  # Recording.to_rerun()
    ("python_envs/make_python.py", "python_envs/spec"),  # processes: 8 ms
}

# Files that use the module json for texts that people read.
TEXTS = {"parallel_pool/python/options/env_options.py"}


def sources(root: pathlib.Path, *suffixes: str) -> list[pathlib.Path]:
    """The files below `root` of these kinds, sub-folders included."""
    return sorted(file for file in root.rglob("*") if file.suffix in suffixes)


def is_test(file: pathlib.Path) -> bool:
    """Whether the file is a test or a helper of tests, which are not in the wheel."""
    return file.stem.endswith("_test") or "testing" in file.parts or file.stem.endswith("reference")


def allowed(rules: dict[str, tuple[str, ...]], folder: str) -> tuple[str, ...]:
    """The names that the longest rule of the folder allows."""
    names = [n for n in rules if f"{folder}/".startswith(n.rstrip("/") + "/") or n in ("", folder)]
    return rules[max(names, key=len)]


def is_in(folder: str, names: tuple[str, ...]) -> bool:
    """Whether one of `names` is the folder, or ends with "/" and is above it."""
    return any(f"{folder}/".startswith(n) if n.endswith("/") else folder == n for n in names)


def includes(root: pathlib.Path, file: pathlib.Path) -> Iterator[str]:
    """The headers of this project that a file includes, relative to `root`."""
    for line in file.read_text().splitlines():
        if match := re.match(r'\s*#include "parallel_pool/(.*)"', line):
            yield match[1]


def cpp_faults(root: pathlib.Path) -> list[str]:
    """Includes that no rule allows."""
    faults = []
    for file in sources(root, ".h", ".cc"):
        rules = allowed(CPP, folder_of(root, file)) + (CPP_TESTS if is_test(file) else ())
        faults += [
            f"{file.relative_to(root)} includes {header}"
            for header in includes(root, file)
            if not is_in(str(pathlib.PurePath(header).parent), rules)
        ]
    return faults


def folder_of(root: pathlib.Path, file: pathlib.Path) -> str:
    folder = file.parent.relative_to(root).as_posix()
    return "" if folder == "." else folder


def imports(root: pathlib.Path, tree: ast.AST) -> Iterator[str]:
    """The modules of this project that a module imports, as paths: "python/pool"; "" is the top."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            top, *parts = name.split(".")
            if top == "parallel_pool":
                yield module_of(root, parts)


def module_of(root: pathlib.Path, parts: list[str]) -> str:
    """The module of a dotted name, whose last parts may be names inside of the module."""
    while parts:
        path = root.joinpath(*parts)
        if path.with_suffix(".py").exists() or (path / "__init__.py").exists():
            return "/".join(parts)
        if parts in (["_build_info"], ["core", "_core"]):  # made by the build
            return "/".join(parts)
        parts = parts[:-1]
    return ""


def python_faults(root: pathlib.Path) -> list[str]:
    """Imports that no rule allows, and imports of this project inside functions."""
    faults = []
    for file in sources(root, ".py"):
        if file.stem.endswith("_test") or file.stem.endswith("reference"):
            continue
        name, tree = file.relative_to(root), ast.parse(file.read_text())
        rules = allowed(PYTHON, folder_of(root, file))
        for module in imports(root, tree):
            folder = module if root.joinpath(module).is_dir() else str(pathlib.Path(module).parent)
            if module not in rules and not is_in("" if folder == "." else folder, rules):
                faults.append(f"{name} imports {module or 'parallel_pool'}")
        faults += [
            f"{name} imports {module} inside of {function.name}()"
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for module in imports(root, function)
        ]
    return faults


def late_imports(root: pathlib.Path) -> set[tuple[str, str]]:
    """(file, module) of the imports of this project by importlib.import_module("...")."""
    found = set()
    for file in sources(root, ".py"):
        if is_test(file):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not (
                isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
            ):
                continue
            top, *parts = str(getattr(node.args[0], "value", "")).split(".")
            if top == "parallel_pool":
                found.add((file.relative_to(root).as_posix(), module_of(root, parts)))
    return found


def loose_json(tree: ast.AST) -> list[str]:
    """Calls that may write NaN or Infinity, which are no JSON."""
    return [
        f"line {node.lineno}: {ast.unparse(node.func)}() without allow_nan=False"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.dump", "json.dumps")
        if not any(ast.unparse(key) == "allow_nan=False" for key in node.keywords)
    ]


def circles(root: pathlib.Path) -> list[list[str]]:
    """The first circle of imports and the first circle of includes, if any."""
    modules = {}
    for file in sources(root, ".py"):
        name = file.relative_to(root).with_suffix("").as_posix().removesuffix("__init__")
        modules[name.rstrip("/")] = set(imports(root, ast.parse(file.read_text())))
    headers = {
        file.relative_to(root).as_posix(): set(includes(root, file)) for file in sources(root, ".h")
    }
    found = []
    for graph in (modules, headers):
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            found.append(error.args[1])
    return found


def family_names(folder: pathlib.Path, families: set[str]) -> list[str]:
    """Lines of C++ that name one of `families`."""
    pattern = re.compile(rf"\b({'|'.join(sorted(families))})\b", re.IGNORECASE)
    return [
        f"{file}: {line}"
        for file in sources(folder, ".h", ".cc")
        for line in file.read_text().splitlines()
        if pattern.search(line)
    ]


def test_the_checkout_is_read() -> None:
    assert (ROOT / "core/engine/pool.h") in sources(ROOT, ".h")
    assert (ROOT / "envs/atari/emulator/processor.cc") in sources(ROOT, ".cc")
    assert (ROOT / "testing/golden.py") in sources(ROOT, ".py")


def test_cpp_includes_lead_down() -> None:
    assert cpp_faults(ROOT) == []


def test_python_imports_lead_down() -> None:
    assert python_faults(ROOT) == []


def test_only_these_imports_wait_for_a_call() -> None:
    """The module needs a library, takes long to load, or is above the one that imports it."""
    assert late_imports(ROOT) == LATE


def test_all_json_is_strict() -> None:
    """The rule holds for the product, the tools and the benchmarks."""
    found = [
        f"{file.relative_to(ROOT.parent)}: {fault}"
        for folder in (ROOT, ROOT.parent / "tools", ROOT.parent / "benchmark")
        for file in sources(folder, ".py")
        if not is_test(file) and file.relative_to(ROOT.parent).as_posix() not in TEXTS
        for fault in loose_json(ast.parse(file.read_text()))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("json.dumps(x)", 1),
        ("json.dump(x, file, allow_nan=True)", 1),
        ("json.dumps(x, allow_nan=False)", 0),
        ("strict_json.dumps(x)", 0),
    ],
)
def test_loose_json_is_found(text: str, count: int) -> None:
    assert len(loose_json(ast.parse(text))) == count


def test_there_is_no_circle() -> None:
    assert circles(ROOT) == []


@pytest.mark.parametrize("folder", ["core", "drawing"])
def test_what_is_shared_names_no_family(folder: str) -> None:
    assert family_names(ROOT / folder, set(FAMILIES)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_names_another(family: str) -> None:
    assert sources(ROOT / "envs" / family, ".cc")
    assert family_names(ROOT / "envs" / family, set(FAMILIES) - {family}) == []


def write(root: pathlib.Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("file", "header", "is_fault"),
    [
        ("core/env.h", "core/plugin.h", False),
        ("core/env.h", "core/engine/pool.h", True),
        ("core/engine/pool.h", "core/binding/numpy_io.h", True),
        ("core/engine/deeper/pool.h", "drawing/canvas.h", True),
        ("core/engine/pool_test.cc", "core/testing/crowd.h", False),
        ("core/engine/pool.cc", "core/testing/crowd.h", True),
        ("drawing/canvas.h", "core/spec.h", False),
        ("envs/atari/emulator/video.h", "envs/atari/screen.h", False),
        ("envs/atari/emulator/video.h", "envs/mujoco/engine/model.h", True),
        ("envs/atari/emulator/video.h", "core/engine/pool.h", True),
        ("envs/mujoco/engine/model.h", "envs/mujoco/gym/robot.h", True),
        ("envs/mujoco/lanes/lane.h", "envs/mujoco/engine/model.h", True),
        ("envs/mujoco/gym/ant.h", "envs/mujoco/engine/model.h", False),
        ("envs/mujoco/gym/ant.h", "envs/mujoco/any_model/any_model.h", True),
    ],
)
def test_a_wrong_include_is_found(
    tmp_path: pathlib.Path, file: str, header: str, is_fault: bool
) -> None:
    write(tmp_path, file, f'#include <string>\n#include "parallel_pool/{header}"\n')
    assert cpp_faults(tmp_path) == ([f"{file} includes {header}"] if is_fault else [])


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("python/pools/pool.py", "from parallel_pool.core import _core", ""),
        ("python/pools/pool.py", "from parallel_pool.python.specs.spec import Spec", ""),
        (
            "python/specs/spec.py",
            "from parallel_pool.python.pools.pool import Pool",
            "imports python/pools/pool",
        ),
        ("jax/pools.py", "from parallel_pool.python.pools.pool import Pool", ""),
        ("python/pools/pool.py", "import parallel_pool", "imports parallel_pool"),
        ("python/pools/pool.py", "import parallel_pool.compat", "imports compat"),
        (
            "python/pools/pool.py",
            "from parallel_pool.testing import golden",
            "imports testing/golden",
        ),
        (
            "python/pools/pool.py",
            "def f():\n    from parallel_pool.python.specs import spec",
            "imports python/specs/spec inside of f()",
        ),
        ("python/pools/pool_test.py", "import parallel_pool.compat", ""),
        ("command_line/info.py", "from parallel_pool.compat import x", "imports compat"),
        (
            "envs/new/tool.py",
            "from parallel_pool.python.specs import spec",
            "imports python/specs/spec",
        ),
    ],
)
def test_a_wrong_import_is_found(tmp_path: pathlib.Path, file: str, text: str, fault: str) -> None:
    for name in (
        "__init__",
        "python/specs/spec",
        "python/pools/pool",
        "testing/golden",
        "compat/__init__",
    ):
        write(tmp_path, f"{name}.py", "")
    write(tmp_path, file, text)
    assert python_faults(tmp_path) == ([f"{file} {fault}"] if fault else [])


def test_a_circle_is_found(tmp_path: pathlib.Path) -> None:
    write(tmp_path, "python/a.py", "from parallel_pool.python.b import x")
    write(tmp_path, "python/b.py", "def f():\n    from parallel_pool.python import a")
    write(tmp_path, "core/a.h", '#include "parallel_pool/core/b.h"')
    assert [set(circle) for circle in circles(tmp_path)] == [{"python/a", "python/b"}]
    write(tmp_path, "core/b.h", '#include "parallel_pool/core/a.h"')
    assert {"core/a.h", "core/b.h"} in [set(circle) for circle in circles(tmp_path)]


def test_a_late_import_is_found(tmp_path: pathlib.Path) -> None:
    write(tmp_path, "jax/__init__.py", "")
    write(tmp_path, "python/a.py", 'import importlib\nimportlib.import_module("parallel_pool.jax")')
    write(tmp_path, "python/b.py", 'from importlib import import_module\nimport_module("gym")')
    assert late_imports(tmp_path) == {("python/a.py", "jax")}


def test_a_name_of_a_family_is_found(tmp_path: pathlib.Path) -> None:
    write(tmp_path, "engine/deeper/note.h", "// as Atari has it\n")
    (found,) = family_names(tmp_path, {"atari"})
    assert found.endswith("note.h: // as Atari has it")


def listed_folders(page: str) -> set[str]:
    """The folders of the list in CONTRIBUTING.md, such as "parallel_pool/core/engine"."""
    block = page.split("## Folders")[1].split("Each `x_test`")[0]
    above: list[tuple[int, str]] = []  # (indentation, folder) of the lines that contain this one
    found = set()
    for line in block.splitlines():
        names = re.match(r"( {4,})((?:[\w/]+/ ?)+)(?: {2,}|$)", line)
        if not names:
            continue
        while above and above[-1][0] >= len(names[1]):
            above.pop()
        inside = above[-1][1] if above else ""
        folders = [inside + name.rstrip("/") for name in names[2].split()]
        found |= set(folders)
        above.append((len(names[1]), folders[0] + "/"))
    return found


def test_the_list_of_folders_is_the_tree() -> None:
    listed = listed_folders((ROOT.parent / "CONTRIBUTING.md").read_text())
    missing = sorted(folder for folder in listed if not (ROOT.parent / folder).is_dir())
    assert not missing, f"CONTRIBUTING.md lists {missing}, which do not exist"
    parents = (ROOT, ROOT / "core", ROOT / "drawing")  # families.bzl names those of envs/
    tree = {
        str(path.parent.relative_to(ROOT.parent))
        for parent in parents
        for path in parent.glob("*/BUILD")
    }
    assert {"parallel_pool/core/workers", "parallel_pool/envs"} <= tree
    assert not tree - listed, f"CONTRIBUTING.md does not list {sorted(tree - listed)}"
