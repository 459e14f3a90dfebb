"""Repository rules over pip: locked environments, targets for their packages, and sdists.

@pip_venv is the environment that runs the build's tools and the tests. It has what every build
needs, so a first build of a few families does not wait for the rest. @pip_rest has the other
packages: MuJoCo, its models, and what tests compare with. It is installed when a target of it is
needed; the Python of @pip_venv finds it. Both are made again only when a lock or the interpreter
changes. @pip has a target for each package of both, and a change of its BUILD file installs nothing.
"""

def execute(ctx, args, what):
    """Runs a command of a repository rule; a failure ends the build with its output."""
    result = ctx.execute(args, timeout = 1800)
    if result.return_code != 0:
        fail("%s failed (exit %d):\n%s\n%s" % (what, result.return_code, result.stdout, result.stderr))
    return result.stdout.strip()

PIP = ["-I", "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
_INSTALL = PIP + ["install", "--require-hashes", "--no-deps"]
_WHEELS = ["--only-binary=:all:", "-r"]
_SDISTS = ["--no-binary=:all:", "--no-build-isolation", "-r"]

_HASH = """
import hashlib, sys
texts = [open(path, "rb").read() for path in sys.argv[1:]]
print(hashlib.sha256(b"".join(texts) + sys.version.encode()).hexdigest()[:12])
"""

# Describes the packages of a folder: each with its RECORD file and its dependencies, which may be in
# the other folder.
_DESCRIBE = """
import importlib.metadata, json, os, re, sys

def target(name):
    return re.sub("[-_.]+", "_", name).lower()

root, *sites = sys.argv[1:]
found = {
    site: {target(d.metadata["Name"]): d for d in importlib.metadata.distributions(path=[site])}
    for site in sites
}
known = set().union(*found.values())
packages = {}
for name, distribution in sorted(found[sites[0]].items()):
    requires = [r for r in distribution.requires or [] if "extra ==" not in r]
    requires = {target(re.match("[A-Za-z0-9._-]+", r).group(0)) for r in requires}
    packages[name] = {
        "record": os.path.relpath(str(distribution._path), root) + "/RECORD",
        "requires": sorted(r for r in requires if r in known and r != name),
    }
print(json.dumps(packages))
"""

# Where the packages of the Python that runs it are, from `root` on.
_SITE = "import os, sys, sysconfig; print(os.path.relpath(sysconfig.get_path('platlib'), sys.prefix))"

def _pip_venv_impl(ctx):
    # tools/bazel.sh sets it to the real interpreter. Without it, the first python3 of PATH is taken
    # once: PATH is not in `environ`, because an install takes minutes and shells differ in PATH.
    command = ctx.os.environ.get("PARALLEL_POOL_PYTHON", "python3")
    host = execute(ctx, [command, "-I", "-c", "import sys; print(sys.executable)"], "finding " + command)

    # The digest is part of the interpreter's path, so that tests run again when a lock changes.
    locks = [ctx.path(lock) for lock in [ctx.attr.lock] + ctx.attr.rest_locks]
    venv = "venv-" + execute(ctx, [host, "-I", "-c", _HASH] + locks, "hashing the locks")
    execute(ctx, [host, "-I", "-m", "venv", venv], "making a virtual environment (is python3-venv installed?)")
    root = str(ctx.path(venv))
    python = root + "/bin/python"
    ctx.report_progress("installing " + locks[0].basename)
    execute(ctx, [python] + _INSTALL + _WHEELS + [locks[0]], "pip install")
    site = execute(ctx, [python, "-I", "-c", _SITE], "asking for the folder of packages")
    rest = "%s/%s/%s" % (ctx.path(".").dirname, ctx.attr.rest, site)
    ctx.file(
        "%s/%s/rest.pth" % (venv, site),
        "import site; site.addsitedir(%r)\n" % rest,
    )
    packages = execute(ctx, [python, "-I", "-c", _DESCRIBE, root, root + "/" + site], "describing the packages")
    ctx.file("venv.json", json.encode({
        "packages": json.decode(packages),
        "python": python,
        "root": root,
        "site": site,
    }))
    ctx.file("BUILD", 'exports_files(["venv.json"])')

pip_venv = repository_rule(
    doc = "A virtual environment with the wheels of a lock.",
    implementation = _pip_venv_impl,
    attrs = {
        "lock": attr.label(mandatory = True),
        "rest": attr.string(doc = "the name of the pip_rest repository", mandatory = True),
        "rest_locks": attr.label_list(mandatory = True),
    },
    environ = ["PARALLEL_POOL_PYTHON"],
)

def _targets(packages, folder):
    """py_library targets of packages.

    RECORD lists every installed file with its hash: as an input it stands for the whole package,
    without thousands of links in each runfiles tree.
    """
    return "".join([
        '\npy_library(name = "%s", data = ["%s%s"], deps = %s)\n' % (
            name,
            folder,
            package["record"],
            ["@pip//:" + r for r in package["requires"]],
        )
        for name, package in packages.items()
    ])

def _name(entry):
    """The target of a line of a lock, such as dm_env of dm-env==1.6 or of dm_env==1.6."""
    return entry.split("==")[0].replace("-", "_").replace(".", "_").lower()

def _entries(lock):
    """The entries of a lock, each with its hashes: {target: text}."""
    entries = {}
    name = None
    for line in lock.split("\n"):
        if "==" in line and not line.startswith((" ", "#")):
            name = _name(line)
            entries[name] = line + "\n"
        elif name and line.startswith(" "):
            entries[name] += line + "\n"
    return entries

def _rest(ctx, venv):
    """The entries of the wheels and of the sdists that the venv does not have."""
    return [
        {name: entry for name, entry in _entries(ctx.read(ctx.path(lock))).items() if name not in venv["packages"]}
        for lock in ctx.attr.locks
    ]

def _pip_rest_impl(ctx):
    venv = json.decode(ctx.read(ctx.path(ctx.attr.venv)))
    root = str(ctx.path("."))
    install = [venv["python"]] + _INSTALL + ["--no-warn-script-location", "--ignore-installed", "--prefix", root]
    for entries, (options, what) in zip(_rest(ctx, venv), [(_WHEELS, "wheels"), (_SDISTS, "sdists")]):
        ctx.report_progress("installing " + what)
        ctx.file(what + ".lock", "".join(entries.values()))
        execute(ctx, install + options + [what + ".lock"], "pip install")
    sites = [root + "/" + venv["site"], venv["root"] + "/" + venv["site"]]
    packages = json.decode(execute(
        ctx,
        [venv["python"], "-I", "-c", _DESCRIBE, root] + sites,
        "describing the packages",
    ))
    build = ctx.read(ctx.path(ctx.attr.build_file)).replace("%{site}", venv["site"])
    ctx.file("BUILD", build + _targets(packages, ""))

pip_rest = repository_rule(
    doc = "The packages of a lock of wheels, and of one of sdists if there is one, that a pip_venv does not have.",
    implementation = _pip_rest_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "locks": attr.label_list(mandatory = True),
        "venv": attr.label(mandatory = True),
    },
)

def _pip_repository_impl(ctx):
    venv = json.decode(ctx.read(ctx.path(ctx.attr.venv)))
    ctx.symlink(venv["root"], "venv")
    build = ctx.read(ctx.path(ctx.attr.build_file))
    build = build.replace("%{python}", venv["python"]).replace("%{site}", "venv/" + venv["site"])
    build += _targets(venv["packages"], "venv/")
    for entries in _rest(ctx, venv):
        for name in entries:
            build += '\nalias(name = "%s", actual = "@%s//:%s")\n' % (name, ctx.attr.rest, name)
    ctx.file("BUILD", build)

pip_repository = repository_rule(
    doc = "Targets over both environments: @pip//:numpy and so on, and the Python toolchain.",
    implementation = _pip_repository_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "locks": attr.label_list(mandatory = True),
        "rest": attr.string(mandatory = True),
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

def _pip_for_another_system_impl(ctx):
    venv = json.decode(ctx.read(ctx.path(ctx.attr._venv)))
    entries = _entries(ctx.read(ctx.path(ctx.attr.lock)))
    for project, files in ctx.attr.files.items():
        ctx.file("download/requirements.txt", entries[_name(project)])
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
