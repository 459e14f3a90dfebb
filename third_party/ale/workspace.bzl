"""The Arcade Learning Environment: sources and ROMs, from ale-py's sdist."""

load("//third_party/pip:pip.bzl", "pip_sdist")

def ale_repository():
    pip_sdist(
        name = "ale",
        build_file = "//third_party/ale:ale.BUILD",
        patches = [
            "//third_party/ale:frame_unfinished.patch",
            "//third_party/ale:lazy_phosphor.patch",
            "//third_party/ale:emulator.patch",
            "//third_party/ale:no_exit.patch",
        ],
        project = "ale-py",
        sha256 = "c503d574c5983e1063b451201ccb779d935919c0f6bf116fb0f4f8aa4c86d249",
        version = "0.12.1",
    )
