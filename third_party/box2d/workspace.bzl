"""Box2D 2.3: the C++ sources inside box2d-py's sdist, which Gymnasium's Box2D envs run on."""

load("//third_party/pip:pip.bzl", "pip_sdist")

def box2d_repository():
    pip_sdist(
        name = "box2d",
        build_file = "//third_party/box2d:box2d.BUILD",
        patches = ["//third_party/box2d:world.patch"],
        project = "box2d-py",
        sha256 = "bdacfbbc56079bb317548efe49d3d5a86646885cc27f4a2ee97e4b2960921ab7",
        version = "2.3.8",
    )
