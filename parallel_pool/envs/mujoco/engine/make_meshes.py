"""Writes STL and OBJ meshes as MSH, which load faster: python make_meshes.py FOLDER FILE...

STL has three vertices for each triangle. MSH has each vertex once, and the numbers of the vertices
of each triangle. MuJoCo brings an STL file into the same form, and order, when it loads it. OBJ
files may have triangles only, whose corners have the numbers of their normals.
"""

import pathlib
import sys

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]

_STL_HEADER = 84  # bytes; the last four are the number of triangles
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])


def msh(vertices: Array, normals: Array, triangles: npt.NDArray[np.int64]) -> bytes:
    """A mesh: vertices and normals (n, 3), or no normals (0, 3), and numbers of vertices (m, 3)."""
    sizes = [len(vertices), len(normals), 0, len(triangles)]  # no places in a texture
    parts = [vertices.astype("<f4"), normals.astype("<f4"), triangles.astype("<i4")]
    return np.array(sizes, "<i4").tobytes() + b"".join(part.tobytes() for part in parts)


def from_stl(stl: bytes) -> bytes:
    """The same mesh. Vertices are in the order in which triangles use them first."""
    corners = np.frombuffer(stl, _TRIANGLE, offset=_STL_HEADER)["vertices"].reshape(-1, 3)
    _, first, sorted_number = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    triangles = number[sorted_number.ravel()].reshape(-1, 3)
    return msh(corners[np.sort(first)], np.empty((0, 3)), triangles)


def from_obj(obj: bytes) -> bytes:
    """The same mesh."""
    rows: dict[str, list[list[str]]] = {"v": [], "vn": [], "f": []}
    for line in obj.decode().splitlines():
        kind, *words = line.split() or [""]
        if kind in rows:
            rows[kind].append(words)
        elif kind not in ("", "#", "mtllib", "usemtl"):
            raise ValueError(f"a line of an OBJ file that is not understood: {line!r}")
    corners = [[set(filter(None, corner.split("/"))) for corner in row] for row in rows["f"]]
    if any(len(row) != 3 or any(len(numbers) != 1 for numbers in row) for row in corners):
        raise ValueError("an OBJ file with other faces than triangles, or other normals")
    triangles = np.array([[int(*numbers) - 1 for numbers in row] for row in corners])
    return msh(np.array(rows["v"], float), np.array(rows["vn"], float), triangles)


for name in sys.argv[2:]:
    file = pathlib.Path(name)
    read = from_obj if file.suffix == ".obj" else from_stl
    (pathlib.Path(sys.argv[1]) / f"{file.stem}.msh").write_bytes(read(file.read_bytes()))
