"""The models that a batch takes: files, XML, and those of the package mujoco."""

import os
import pathlib
import sys
from typing import Any

import numpy as np

from parallel_pool.mujoco.library import Model, versions

# As users of the package mujoco have them; it need not be installed.
MjModel = Any


def load_model(model: Any, mujoco_version: str | None) -> Model:
    """Loads a model.

    Args:
        model: the path of an XML, URDF or MJB file; XML; a mujoco.MjModel or mujoco.MjSpec.
        mujoco_version: the version that steps it, as in Batch. None: that of the package mujoco
            for a model of its, else the default.

    Raises:
        TypeError: it is none of these.
        ValueError: it is no model of MuJoCo, or one of another version.
        FileNotFoundError: there is no such file.
    """
    if isinstance(model, str | os.PathLike):
        return _from_text(model, _chosen(mujoco_version))
    package = sys.modules.get("mujoco")
    if package is not None and isinstance(model, package.MjSpec):
        model = model.compile()
    if package is None or not isinstance(model, package.MjModel):
        raise TypeError(
            "model must be a path, XML text, a mujoco.MjModel or a mujoco.MjSpec, not "
            f"{type(model).__name__}"
        )
    return _from_package(package, model, mujoco_version)


def _chosen(mujoco_version: str | None) -> str:
    found = versions()
    options = {} if mujoco_version is None else {found.option: mujoco_version}
    return found.choose("Batch", options)


def _from_text(model: str | os.PathLike[str], version: str) -> Model:
    text = os.fspath(model)
    if text.lstrip().startswith("<"):
        return Model(version, "x", text.encode())
    path = pathlib.Path(text).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"model is {text!r}: there is no such file, and it is no XML")
    if path.suffix == ".mjb":
        return Model(version, "b", path.read_bytes())
    return Model(version, "p", str(path).encode())


def _from_package(package: Any, model: MjModel, mujoco_version: str | None) -> Model:
    """A model of the package mujoco, by its own file format."""
    found = versions()
    installed = package.__version__
    version = _chosen(mujoco_version) if mujoco_version is not None else installed
    if version != installed or version not in found.libraries:
        raise ValueError(
            f"this model is one of the package mujoco {installed}, and steps here are made by "
            f"MuJoCo {' or '.join(found.libraries)}"
            + (f" (mujoco_version is {mujoco_version!r})" if mujoco_version is not None else "")
            + "; give the model's XML file instead"
        )
    size = package.mj_sizeModel(model)
    buffer = np.zeros(size, np.uint8)
    package.mj_saveModel(model, None, buffer)
    return Model(version, "b", buffer.tobytes())


def to_package(model: Model) -> Any:
    """The package mujoco, for results that are its objects.

    Raises:
        ImportError: it is not installed.
        ValueError: it has another version than the model.
    """
    try:
        import mujoco
    except ImportError:
        raise ImportError(
            "this returns an object of the package mujoco, which is not installed: "
            f"pip install mujoco=={model.version}"
        ) from None
    if mujoco.__version__ != model.version:
        raise ValueError(
            f"this returns an object of the package mujoco; {mujoco.__version__} is installed, and "
            f"the batch has MuJoCo {model.version}"
        )
    return mujoco
