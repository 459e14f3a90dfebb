"""Repository rules over pip: a locked virtual environment, targets for its packages, and sdists.

@pip_venv contains the environment and is made again only when a lock or the interpreter changes.
@pip contains the BUILD files over it, so that a change of these installs nothing.
"""

def execute(ctx, args, what):
    """Runs a command of a repository rule; a failure ends the build with its output."""
    result = ctx.execute(args, timeout = 1800)
    if result.return_code != 0:
        fail("%s failed (exit %d):\n%s\n%s" % (what, result.return_code, result.stdout, result.stderr))
    return result.stdout.strip()

PIP = ["-I", "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]

_HASH = """
import hashlib, sys
texts = [open(path, "rb").read() for path in sys.argv[1:]]
print(hashlib.sha256(b"".join(texts) + sys.version.encode()).hexdigest()[:12])
"""

# Describes an environment: its distributions, each with its RECORD file and its dependencies.
_DESCRIBE = """
import importlib.metadata, json, os, re, sys, sysconfig

def target(name):
    return re.sub("[-_.]+", "_", name).lower()

site = sysconfig.get_path("platlib")
found = {target(d.metadata["Name"]): d for d in importlib.metadata.distributions(path=[site])}
distributions = {}
for name, distribution in sorted(found.items()):
    requires = [r for r in distribution.requires or [] if "extra ==" not in r]
    requires = {target(re.match("[A-Za-z0-9._-]+", r).group(0)) for r in requires}
    distributions[name] = {
        "record": os.path.relpath(str(distribution._path), sys.prefix) + "/RECORD",
        "requires": sorted(r for r in requires if r in found and r != name),
    }
print(json.dumps({
    "distributions": distributions,
    "python": sys.executable,
    "site": os.path.relpath(site, sys.prefix),
}))
"""

def _pip_venv_impl(ctx):
    # tools/bazel.sh sets it to the real interpreter. Without it, the first python3 of PATH is taken
    # once: PATH is not in `environ`, because an install takes minutes and shells differ in PATH.
    command = ctx.os.environ.get("PARALLEL_POOL_PYTHON", "python3")
    host = execute(ctx, [command, "-I", "-c", "import sys; print(sys.executable)"], "finding " + command)
    wheels, sdists = [ctx.path(lock) for lock in ctx.attr.locks]

    # The digest is part of the interpreter's path, so that tests run again when a lock changes.
    venv = "venv-" + execute(ctx, [host, "-I", "-c", _HASH, wheels, sdists], "hashing the locks")
    execute(ctx, [host, "-I", "-m", "venv", venv], "making a virtual environment (is python3-venv installed?)")
    python = str(ctx.path(venv)) + "/bin/python"
    install = [python] + PIP + ["install", "--require-hashes", "--no-deps"]
    ctx.report_progress("installing " + wheels.basename)
    execute(ctx, install + ["--only-binary=:all:", "-r", wheels], "pip install")
    ctx.report_progress("installing " + sdists.basename)
    execute(ctx, install + ["--no-binary=:all:", "--no-build-isolation", "-r", sdists], "pip install")
    description = json.decode(execute(ctx, [python, "-I", "-c", _DESCRIBE], "describing the environment"))
    ctx.file("venv.json", json.encode(dict(description, root = str(ctx.path(venv)))))
    ctx.file("BUILD", 'exports_files(["venv.json"])')

pip_venv = repository_rule(
    doc = "A virtual environment with the packages of two locks: one of wheels, one of sdists.",
    implementation = _pip_venv_impl,
    attrs = {"locks": attr.label_list(mandatory = True)},
    environ = ["PARALLEL_POOL_PYTHON"],
)

def _pip_repository_impl(ctx):
    venv = json.decode(ctx.read(ctx.path(ctx.attr.venv)))
    ctx.symlink(venv["root"], "venv")
    build = ctx.read(ctx.path(ctx.attr.build_file))
    build = build.replace("%{python}", venv["python"]).replace("%{site}", "venv/" + venv["site"])

    # RECORD lists every installed file with its hash: as an input it stands for the whole
    # distribution, without thousands of links in each runfiles tree.
    for name, distribution in venv["distributions"].items():
        build += '\npy_library(name = "%s", data = ["venv/%s"], deps = %s)\n' % (
            name,
            distribution["record"],
            [":" + r for r in distribution["requires"]],
        )
    ctx.file("BUILD", build)

pip_repository = repository_rule(
    doc = "Targets over a pip_venv: @pip//:numpy and so on, and the Python toolchain.",
    implementation = _pip_repository_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "venv": attr.label(mandatory = True),
    },
)

def _download(ctx, options):
    """Downloads the file of ctx.attr and returns its path."""
    venv = json.decode(ctx.read(ctx.path(ctx.attr._venv)))
    ctx.file("download/requirements.txt", "%s==%s --hash=sha256:%s\n" % (
        ctx.attr.project,
        ctx.attr.version,
        ctx.attr.sha256,
    ))
    execute(
        ctx,
        [venv["python"]] + PIP + ["download", "--require-hashes", "--no-deps"] + options +
        ["-d", "download/out", "-r", "download/requirements.txt"],
        "pip download %s==%s" % (ctx.attr.project, ctx.attr.version),
    )
    return ctx.path("download/out").readdir()[0]

def _pip_sdist_impl(ctx):
    file = _download(ctx, ["--no-binary=:all:", "--no-build-isolation"])
    ctx.extract(file, stripPrefix = file.basename[:-len(".tar.gz")])
    ctx.delete("download")
    for patch in ctx.attr.patches:
        ctx.patch(patch, strip = 1)

    # A copy: a link would lead into the checkout that fetched this, which may be deleted later.
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

pip_sdist = repository_rule(
    doc = "The sources inside a PyPI sdist, not built; its build backend must be in @pip_venv.",
    implementation = _pip_sdist_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "patches": attr.label_list(),
        "project": attr.string(mandatory = True),
        "sha256": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
        "_venv": attr.label(default = "@pip_venv//:venv.json"),
    },
)

UNPACK = """
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wheel.extractall(members=[n for n in wheel.namelist() if n.startswith(tuple(sys.argv[2:]))])
"""

def _pip_wheel_impl(ctx):
    file = _download(ctx, [
        "--only-binary=:all:",
        "--python-version=" + ctx.attr.python_version,
        "--platform=manylinux2014_x86_64",
    ])

    if ctx.attr.only:
        venv = json.decode(ctx.read(ctx.path(ctx.attr._venv)))
        execute(ctx, [venv["python"], "-I", "-c", UNPACK, file] + ctx.attr.only, "unpacking")
    else:
        # Bazel knows an archive by its name's end.
        ctx.symlink(file, "download/wheel.zip")
        ctx.extract("download/wheel.zip")
    ctx.delete("download")
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

pip_wheel = repository_rule(
    doc = "The files of a PyPI wheel that @pip_venv cannot install: for another Python, say.",
    implementation = _pip_wheel_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "only": attr.string_list(doc = "how the names of the wanted files begin; else all"),
        "project": attr.string(mandatory = True),
        "python_version": attr.string(mandatory = True),
        "sha256": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
        "_venv": attr.label(default = "@pip_venv//:venv.json"),
    },
)

def _requirement(lock, project):
    """The entry of a lock, with its hashes."""
    entry = []
    for line in lock.split("\n"):
        if line.startswith(project + "==") or (entry and line.startswith(" ")):
            entry.append(line)
        elif entry:
            break
    if not entry:
        fail("the lock has no " + project)
    return "\n".join(entry) + "\n"

def _pip_for_another_system_impl(ctx):
    venv = json.decode(ctx.read(ctx.path(ctx.attr._venv)))
    lock = ctx.read(ctx.path(ctx.attr.lock))
    for project, files in ctx.attr.files.items():
        ctx.file("download/requirements.txt", _requirement(lock, project))
        command = [venv["python"]] + PIP + ["download", "--require-hashes", "--no-deps"]
        command += ["--only-binary=:all:"] + ["--platform=" + name for name in ctx.attr.platforms]
        command += ["-d", "download/" + project, "-r", "download/requirements.txt"]
        execute(ctx, command, "pip download " + project)
        wheel = ctx.path("download/" + project).readdir()[0]
        execute(ctx, [venv["python"], "-I", "-c", UNPACK, wheel] + files, "unpacking " + project)
    ctx.delete("download")
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

pip_for_another_system = repository_rule(
    doc = "Files of wheels for another system, in the versions that a lock of @pip_venv pins.",
    implementation = _pip_for_another_system_impl,
    attrs = {
        "build_file": attr.label(default = "//third_party/pip:another_system.BUILD"),
        "files": attr.string_list_dict(
            doc = "project: how the names of the wanted files begin",
            mandatory = True,
        ),
        "lock": attr.label(mandatory = True),
        "platforms": attr.string_list(doc = "tags of that system's wheels", mandatory = True),
        "_venv": attr.label(default = "@pip_venv//:venv.json"),
    },
)
