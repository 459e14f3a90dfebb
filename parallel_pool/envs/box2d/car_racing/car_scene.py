"""The scene of Gymnasium's CarRacing as the arrays of car_picture_capi.cc, for its test."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

LIBRARY = ctypes.CDLL(str(Path(__file__).parent / "car_picture_capi.so"))


class Scene:
    """The content of one picture of `env` (unwrapped) shows."""

    def __init__(self, env: Any) -> None:
        hull, wheels = env.car.hull, env.car.wheels
        bodies = [(hull, fixture) for fixture in hull.fixtures]
        bodies += [(wheel, fixture) for wheel in wheels for fixture in wheel.fixtures]
        outlines = np.zeros((8, 8, 2))
        counts = np.zeros(8, np.int32)
        for i, (body, fixture) in enumerate(bodies):
            corners = [tuple(body.transform * v) for v in fixture.shape.vertices]
            outlines[i, : len(corners)] = corners
            counts[i] = len(corners)
        turning = [(*w.transform.position, w.transform.q.s, w.transform.q.c) for w in wheels]
        motion = [(w.phase, w.omega) for w in wheels]
        marks = env.car.particles
        facts = [env.t, env.reward, *hull.position, hull.angle, *hull.linearVelocity]
        self._arrays: list[npt.NDArray[Any]] = [
            np.array([*facts, hull.angularVelocity, wheels[0].joint.angle], np.float64),
            outlines,
            counts,
            np.array([t + m for t, m in zip(turning, motion, strict=True)], np.float64),
            np.array([env.bg_color, env.grass_color]).astype(np.uint8),
            np.array([polygon for polygon, _ in env.road_poly], np.float64),
            np.array([color for _, color in env.road_poly]).astype(np.uint8),
            np.array([point for mark in marks for point in mark.poly], np.float64),
            np.array([(len(mark.poly), mark.grass) for mark in marks], np.int32),
        ]
        counts_after = {6: len(env.road_poly), 8: len(marks)}
        fields = []
        for i, array in enumerate(self._arrays):
            fields.append(ctypes.c_void_p(array.ctypes.data))
            if i in counts_after:
                fields.append(ctypes.c_void_p(counts_after[i]))
        self._struct = (ctypes.c_void_p * len(fields))(*fields)

    def draw(
        self, size: tuple[int, int], has_skid_marks: bool, is_plain: bool, times: int = 1
    ) -> Image:
        """The picture of this size, drawn the plain or the fast way, `times` times."""
        out = np.full((*size, 3), 77, np.uint8)
        LIBRARY.DrawScene(
            self._struct,
            ctypes.c_bool(is_plain),
            *size,
            ctypes.c_bool(has_skid_marks),
            times,
            ctypes.c_void_p(out.ctypes.data),
        )
        return out
