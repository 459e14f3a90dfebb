"""The bodies of a world in three dimensions: those of MuJoCo's models.

ENV/bodies/NAME          the place of the body after each result
ENV/bodies/NAME/shape_0  its shapes, which do not change
"""

from typing import Any

import numpy as np
import rerun as rr

BODIES = "bodies"

_W_LAST = [1, 2, 3, 0]  # Rerun's quaternions are x, y, z, w
_SOLID = rr.components.FillMode.Solid


class Bodies:
    """The bodies of one env of a replay.

    Attributes:
        paths: of their entities; none if the env has no such world.
    """

    def __init__(self, stream: rr.RecordingStream, root: str, pool: Any, env: int) -> None:
        """Writes the shapes of an env that has begun.

        Args:
            stream: where to write.
            root: the path of the env's entity, such as "env_17".
            pool: the pool that plays.
            env: the env's number in it.
        """
        self._stream = stream
        self._core = pool._native.core_pool
        self._env = np.array([env], np.int32)
        self._steps: list[int] = []
        self._places: list[Any] = []
        self.paths: list[str] = []
        for name, _, shapes in self._core.bodies(self._env, True):
            path = f"{root}/{BODIES}/{rr.escape_entity_path_part(name)}"
            self.paths.append(path)
            for number, (kind, place, *look) in enumerate(shapes):
                placed = rr.Transform3D(translation=place[:3], quaternion=place[3:][_W_LAST])
                shape = f"{path}/shape_{number}"
                stream.log(shape, placed, _archetype(kind, *look), static=True)

    def look(self, step: int) -> None:
        """Reads where the bodies are after a result."""
        if self.paths:
            self._steps.append(step)
            self._places.append([place for _, place, _ in self._core.bodies(self._env, False)])

    def flush(self, timeline: str) -> None:
        """Sends the places that were read since the last call."""
        places = np.array(self._places)  # (results, bodies, 7)
        for number, path in enumerate(self.paths if self._steps else []):
            columns = rr.Transform3D.columns(
                translation=places[:, number, :3], quaternion=places[:, number, 3:][:, _W_LAST]
            )
            index = rr.TimeColumn(timeline, sequence=self._steps)
            self._stream.send_columns(path, [index], columns)
        self._steps.clear()
        self._places.clear()


def _archetype(kind: str, size: Any, color: Any, vertices: Any, triangles: Any) -> Any:
    """The shape as Rerun draws it."""
    rgba = (255 * color).astype(np.uint8)
    if kind == "mesh":
        return rr.Mesh3D(
            vertex_positions=vertices,
            triangle_indices=triangles,
            vertex_normals=_normals(vertices, triangles),
            albedo_factor=rgba,
        )
    look: dict[str, Any] = {"colors": [rgba], "fill_mode": _SOLID}
    if kind == "capsule":  # Rerun's begins at its origin
        begin = [(0, 0, -size[1])]
        return rr.Capsules3D(lengths=[2 * size[1]], radii=size[:1], translations=begin, **look)
    if kind == "cylinder":
        return rr.Cylinders3D(lengths=[2 * size[1]], radii=size[:1], **look)
    if kind == "box":
        return rr.Boxes3D(half_sizes=[size], **look)
    return rr.Ellipsoids3D(half_sizes=[size if kind == "ellipsoid" else size[[0, 0, 0]]], **look)


def _normals(vertices: Any, triangles: Any) -> Any:
    """A unit vector at each vertex: the mean of its triangles', by their areas."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    crosses = np.cross(b - a, c - a)
    sums = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(sums, triangles[:, k], crosses)
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
