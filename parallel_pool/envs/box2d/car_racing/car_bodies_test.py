"""Every body of CarRacing against Gymnasium's, with ==."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing

from parallel_pool.testing.form import by_form
from parallel_pool.testing.gymnasium_parity import Array

LIBRARY = ctypes.CDLL(str(Path(__file__).parent / "car_bodies_capi.so"))
LIBRARY.MakeGame.restype = ctypes.c_void_p
EPISODE = 1500  # the most steps of an episode
STEPS = by_form(2200, 20000)
SEEDS = by_form((3,), (3, 42, 2**40 + 3))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"continuous": False},
    {"domain_randomize": True},
    {"lap_complete_percent": 0.3},
]


class Blind(CarRacing):
    """Gymnasium's env without its pictures, which take 7 ms a step."""

    def _render(self, mode: str) -> Any:
        return None


class Game:
    """One env of ours, with all of its state."""

    def __init__(
        self,
        seed: int,
        continuous: bool = True,
        domain_randomize: bool = False,
        lap_complete_percent: float = 0.95,
    ) -> None:
        self._game = ctypes.c_void_p(
            LIBRARY.MakeGame(
                ctypes.c_uint64(seed),
                ctypes.c_bool(continuous),
                ctypes.c_bool(domain_randomize),
                ctypes.c_double(lap_complete_percent),
            )
        )

    def __del__(self) -> None:
        LIBRARY.DeleteGame(self._game)

    def reset(self, randomize: bool) -> None:
        """Begins an episode."""
        LIBRARY.ResetGame(self._game, ctypes.c_bool(randomize))

    def step(self, action: Array) -> list[float]:
        """Returns reward, terminated and lap_finished."""
        out = np.zeros(3)
        pedals = np.resize(action, 3).astype(np.float32)
        button = ctypes.c_int32(int(action) if action.ndim == 0 else 0)
        LIBRARY.StepGame(self._game, ctypes.c_void_p(pedals.ctypes.data), button, _at(out))
        return list(out)

    def state(self) -> Array:
        """Bodies and wheels, as state_of."""
        out = np.zeros(5 * 6 + 4 * 4)
        LIBRARY.StateOfGame(self._game, _at(out))
        return out

    def colors(self) -> Array:
        """The road's polygons."""
        out = np.zeros((2000, 3), np.uint8)
        return out[: LIBRARY.ColorsOfGame(self._game, _at(out))]

    def marks(self) -> list[Array]:
        """The points of each skid mark."""
        out = np.zeros(30 + 30 * 30 * 2)
        n = LIBRARY.MarksOfGame(self._game, _at(out))
        ends = np.cumsum(out[:n]).astype(int)
        points = out[n:].reshape(-1, 2) if n % 2 == 0 else out[n:-1].reshape(-1, 2)
        return [points[end - int(size) : end] for end, size in zip(ends, out[:n], strict=True)]


def _at(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def state_of(env: CarRacing) -> Array:
    """The same numbers as Game.state()."""
    car: Any = env.car
    state: list[float] = []
    for body in [car.hull, *car.wheels]:
        state += [*body.position, body.angle, *body.linearVelocity, body.angularVelocity]
    for wheel in car.wheels:
        state += [wheel.omega, wheel.phase, wheel.gas, len(wheel.tiles) > 0]
    return np.array(state)


def drivers(env: CarRacing, random: np.random.Generator) -> Iterator[Array]:
    """Actions: of a driver that goes straight on, one that follows the road, and a random one."""
    while True:
        follow = _follow(env)
        noise = random.uniform((-1.2, -0.2, -0.2), (1.2, 1.2, 1.2))
        kind = getattr(env, "driver", 0)
        action = [np.array([0.0, 0.5, 0.0]), follow, noise][kind].astype(np.float32)
        if env.continuous:
            yield action
        elif kind == 2:
            yield np.array(random.integers(5))
        else:
            turn = 1 if action[0] > 0.1 else 2 if action[0] < -0.1 else 3
            yield np.array(4 if action[2] > 0 else turn)


def _follow(env: CarRacing) -> Array:
    car: Any = env.car
    middle = np.array(env.track)[:, 2:4]
    at = np.array(car.hull.position)
    nearest = int(np.argmin(np.square(middle - at).sum(1)))
    way = middle[(nearest + 3) % len(middle)] - at
    angle = np.arctan2(-way[0], way[1]) - car.hull.angle
    angle = (angle + np.pi) % (2 * np.pi) - np.pi
    speed = float(np.hypot(*car.hull.linearVelocity))
    return np.array([np.clip(-2 * angle, -1, 1), 0.5 * (speed < 40), 0.3 * (speed > 50)])


def assert_same_state(ours: Game, theirs: Any, where: str) -> None:
    """Bodies, wheels, colors of the road and skid marks."""
    np.testing.assert_array_equal(ours.state(), state_of(theirs), where)
    colors = np.array([color for _, color in theirs.road_poly]).astype(np.uint8)
    np.testing.assert_array_equal(ours.colors(), colors, where)
    marks = [np.array(mark.poly) for mark in theirs.car.particles]
    for our_mark, mark in zip(ours.marks(), marks, strict=True):
        np.testing.assert_array_equal(our_mark, mark, where)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_body_equals_gymnasiums(options: dict[str, Any], seed: int) -> None:
    theirs: Any = Blind(**options)
    ours = Game(seed, **options)
    random = np.random.default_rng(seed)
    actions = drivers(theirs, random)
    seen = {"episodes": 0, "finished": 0, "left": 0, "tiles": 0, "marks": 0}
    age = EPISODE
    for step in range(STEPS):
        if age == EPISODE:
            age = 0
            theirs.driver = seen["episodes"] % 3
            randomize = seen["episodes"] % 4 != 2
            theirs.reset(
                seed=seed if seen["episodes"] == 0 else None, options={"randomize": randomize}
            )
            ours.reset(randomize)
            seen["episodes"] += 1
        else:
            age += 1
            action = next(actions)
            _, reward, terminated, _, info = theirs.step(action)
            wanted = [reward, terminated, info.get("lap_finished", False)]
            assert ours.step(action) == wanted, step
            seen["finished"] += bool(wanted[2])
            seen["left"] += bool(terminated and not wanted[2])
            if terminated:
                age = EPISODE
        assert_same_state(ours, theirs, f"step {step}")
        seen["tiles"] = max(seen["tiles"], theirs.tile_visited_count)
        seen["marks"] = max(seen["marks"], len(theirs.car.particles))
    assert seen["episodes"] > 2
    assert seen["tiles"] > 50
    assert seen["left"] > 0
    if theirs.continuous:
        assert seen["finished"] > 0
        assert seen["marks"] == 30
