"""pool_wheel: the wheel of this library, with all families or some of them."""

load("//build_defs:py_wheel.bzl", "py_wheel")
load("//build_defs:version.bzl", "VERSION")

_EXTRAS = {
    "all": ["parallel_pool[film,human,jax,procgen,ray,sb3,vizdoom]"],
    # the libraries of `python -m parallel_pool film`
    "film": [
        "imageio-ffmpeg>=0.4",
        "pillow>=9",
    ],
    # the library of the window of render_mode="human"
    "human": ["pygame-ce>=2.4"],
    # the library of parallel_pool.jax and env.xla()
    "jax": ["jax>=0.5"],
    # The models of MetaWorld. Not in "all": it asks for an old MuJoCo, which new Pythons lack.
    # Gymnasium's base of MuJoCo envs, which it imports, imports packaging.
    "metaworld": [
        "metaworld==3.1.1",
        "packaging",
    ],
    # the library of parallel_pool.integrations.minari. Not in "all": Python 3.10 lacks it.
    "minari": ["minari[hdf5]>=0.5.4"],
    # The levels of the family nethack's MiniHack, which imports pkg_resources.
    "minihack": [
        "minihack==1.0.2",
        "nle==1.3.0",
        "setuptools<81",
    ],
    # The engine of the family nethack. Neither is in "all": nle asks for Gymnasium 1.2.0.
    "nethack": ["nle==1.3.0"],
    # Nothing more is needed: the wheel has Procgen's library.
    "procgen": [],
    # the library of parallel_pool.integrations.ray
    "ray": ["ray>=2.60"],
    "record": ["parallel_pool[film]"],  # its name in older versions
    # the library of parallel_pool.integrations.sb3
    "sb3": ["stable-baselines3>=2.9"],
    # the viewer of `python -m parallel_pool view`. Not in "all": Python 3.10 lacks it.
    "view": ["rerun-sdk>=0.41"],
    # the engine of the family vizdoom, whose memory layout belongs to this version
    "vizdoom": ["vizdoom==1.3.2"],
}

def pool_wheel(name, abi, tag, deps):
    """A wheel of parallel_pool for one Python.

    Args:
        name: of the target.
        abi: of the Python, a key of @pythons' PYTHONS.
        tag: of its wheels.
        deps: //parallel_pool, or //parallel_pool:without_families and some families.
    """
    py_wheel(
        name = name,
        data = ["//parallel_pool/core:_core_" + abi],
        distribution = "parallel_pool",
        extras = _EXTRAS,
        license_files = [
            "//:LICENSE",
            "//:NOTICE",
        ],
        metadata = "//tools/wheel:METADATA",
        parts = "//tools/wheel:parts.toml",
        platform = select({
            "//build_defs:aarch64": "manylinux_2_28_aarch64",
            "//build_defs:macos": "macosx_11_0_arm64",
            "//build_defs:windows": "win_amd64",
            "//conditions:default": "manylinux_2_28_x86_64",
        }),
        readme = "//:README.md",
        requires = [
            "cloudpickle>=2.2",
            "dm-env>=1.5",
            "gymnasium>=0.29",
            "numpy>=1.26",
        ],
        tag = tag,
        version = VERSION,
        visibility = ["//visibility:public"],
        without = ["//parallel_pool/core:_core"],
        deps = deps,
    )
