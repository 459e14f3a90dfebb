"""Writes STL meshes as MSH: python make_meshes.py FOLDER FILE...

STL has three vertices for each triangle. MSH has each vertex once, and the numbers of the vertices
of each triangle. MuJoCo brings an STL file into the same form, and order, when it loads it.
"""

import pathlib
import sys

import numpy as np

_STL_HEADER = 84  # bytes; the last four are the number of triangles
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])


def to_msh(stl: bytes) -> bytes:
    """The same mesh. Vertices are in the order in which triangles use them first."""
    corners = np.frombuffer(stl, _TRIANGLE, offset=_STL_HEADER)["vertices"].reshape(-1, 3)
    _, first, sorted_number = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    vertices, triangles = corners[np.sort(first)], number[sorted_number.ravel()]
    sizes = [len(vertices), 0, 0, len(triangles) // 3]  # no normals, no places in a texture
    return np.array(sizes, "<i4").tobytes() + vertices.tobytes() + triangles.astype("<i4").tobytes()


for name in sys.argv[2:]:
    file = pathlib.Path(name)
    (pathlib.Path(sys.argv[1]) / f"{file.stem}.msh").write_bytes(to_msh(file.read_bytes()))
