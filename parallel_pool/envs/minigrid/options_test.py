"""Each option at another value than its default: equal to minigrid's constructors and wrappers."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from minigrid import wrappers

import parallel_pool
from parallel_pool.envs.minigrid import reference
from parallel_pool.envs.minigrid.play_reference import play
from parallel_pool.testing.form import IS_LONG, by_form

STEPS = 1000 if IS_LONG else 120
SEEDS = range(5 if IS_LONG else 2)

WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "partial": lambda env: env,
    "full": wrappers.FullyObsWrapper,
    "one_hot": wrappers.OneHotPartialObsWrapper,
    "rgb": wrappers.RGBImgObsWrapper,
    "rgb_partial": wrappers.RGBImgPartialObsWrapper,
}


def compare(
    task_id: str,
    options: dict[str, Any],
    theirs: Callable[[], Any],
    agent: type[reference.Wanderer] = reference.Seeker,
    picture: Callable[[Any], Any] | None = None,
    seeds: range = SEEDS,
) -> None:
    """Plays a pool and an env of the reference with the same actions."""
    steps = STEPS // 4 if picture or "rgb" in options.get("obs_type", "") else STEPS
    for seed in seeds:
        play(task_id, theirs(), agent(seed), seed, steps, picture=picture, **options)


@pytest.mark.parametrize("obs_type", WRAPPERS)
@pytest.mark.parametrize(
    "task_id",
    [
        "MiniGrid-DoorKey-8x8-v0",
        "MiniGrid-LavaCrossingS9N2-v0",
        "MiniGrid-DistShift1-v0",
        "MiniGrid-RedBlueDoors-6x6-v0",
        "MiniGrid-ObstructedMaze-1Dlhb-v0",
        "BabyAI-GoToLocal-v0",
    ],
)
def test_observations(task_id: str, obs_type: str) -> None:
    wrap = WRAPPERS[obs_type]
    compare(task_id, {"obs_type": obs_type}, lambda: wrap(reference.make(task_id)))


@pytest.mark.parametrize("obs_type", ["rgb", "rgb_partial"])
@pytest.mark.parametrize("size", [1, 5])
def test_size_of_tiles(obs_type: str, size: int) -> None:
    task_id = "MiniGrid-DoorKey-5x5-v0"
    wrapper: Any = WRAPPERS[obs_type]
    compare(
        task_id,
        {"obs_type": obs_type, "obs_tile_size": size},
        lambda: wrapper(reference.make(task_id), tile_size=size),
    )


@pytest.mark.parametrize("size", by_form([3, 9, 19], [3, 5, 9, 19, 31]))
@pytest.mark.parametrize("task_id", ["MiniGrid-FourRooms-v0", "BabyAI-GoToDoor-v0"])
def test_size_of_the_view(task_id: str, size: int) -> None:
    options = {"agent_view_size": size}
    compare(task_id, options, lambda: reference.make(task_id, **options))
    compare(task_id, options, lambda: wrappers.ViewSizeWrapper(reference.make(task_id), size))
    more = {**options, "obs_type": "rgb_partial", "obs_tile_size": 3}
    compare(
        task_id,
        more,
        lambda: wrappers.RGBImgPartialObsWrapper(reference.make(task_id, **options), tile_size=3),
    )


@pytest.mark.parametrize("task_id", ["MiniGrid-Empty-Random-6x6-v0", "MiniGrid-DoorKey-8x8-v0"])
@pytest.mark.parametrize("sees", [True, False])
def test_see_through_walls(task_id: str, sees: bool) -> None:
    def theirs() -> Any:
        env = reference.make(task_id)
        env.see_through_walls = sees  # some constructors take no such argument
        return env

    compare(task_id, {"see_through_walls": sees}, theirs)


@pytest.mark.parametrize("task_id", ["MiniGrid-Fetch-8x8-N3-v0", "BabyAI-GoToLocal-v0"])
def test_the_mission_is_text_in_make_vec(task_id: str) -> None:
    theirs = gymnasium.vector.SyncVectorEnv([lambda: reference.make(task_id)] * 3)
    envs = gymnasium.make_vec(f"parallel_pool/{task_id}", num_envs=3)
    obs, wanted = envs.reset(seed=5)[0], theirs.reset(seed=5)[0]
    assert obs["mission"] == wanted["mission"]
    np.testing.assert_array_equal(obs["image"], wanted["image"], strict=True)
    assert envs.observation_space.contains(obs)
    envs.close()
    single = gymnasium.make(f"parallel_pool/{task_id}")
    assert single.reset(seed=5)[0]["mission"] == wanted["mission"][0]
    single.close()


def test_without_the_mission() -> None:
    task_id = "BabyAI-GoToObj-v0"
    compare(task_id, {"mission": False}, lambda: reference.make(task_id))
    with parallel_pool.make(task_id, num_envs=1, mission=False) as pool:
        assert sorted(pool.reset()[0]) == ["direction", "image"]
        assert sorted(pool.observation_space.spaces) == ["direction", "image"]


@pytest.mark.parametrize(
    "options", [{}, {"highlight": False}, {"agent_pov": True}, {"tile_size": 7}]
)
@pytest.mark.parametrize(
    "task_id", ["MiniGrid-DoorKey-6x6-v0", "MiniGrid-LavaGapS5-v0", "BabyAI-KeyInBox-v0"]
)
def test_pictures(task_id: str, options: dict[str, Any]) -> None:
    compare(
        task_id,
        {"render_mode": "rgb_array", **options},
        lambda: reference.make(task_id, render_mode="rgb_array", **options),
        picture=lambda env: env.render(),
    )


def test_text() -> None:
    for task_id in ("MiniGrid-Playground-v0", "MiniGrid-LavaGapS7-v0", "BabyAI-UnlockLocal-v0"):
        compare(
            task_id,
            {"render_mode": "ansi"},
            lambda task_id=task_id: reference.make(task_id),  # type: ignore[misc]
            picture=lambda env: env.unwrapped.pprint_grid(),
        )


# MiniGrid's names where they differ.
NAMES = {
    "num_objs": "numObjs",
    "min_num_rooms": "minNumRooms",
    "max_num_rooms": "maxNumRooms",
    "max_room_size": "maxRoomSize",
}
ANYWHERE = {"agent_start_pos": (-1, -1), "agent_start_dir": -1}
LEVELS: list[tuple[str, dict[str, Any]]] = [
    ("MiniGrid-Empty-8x8-v0", {"size": 11, "max_steps": 30}),
    ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (3, 2), "agent_start_dir": 3}),
    ("MiniGrid-Empty-8x8-v0", ANYWHERE),
    ("MiniGrid-DistShift1-v0", {"width": 12, "height": 9, "strip2_row": 4}),
    ("MiniGrid-DistShift2-v0", {"agent_start_pos": (1, 4), "agent_start_dir": 1}),
    ("MiniGrid-DistShift2-v0", ANYWHERE),
    ("MiniGrid-DoorKey-8x8-v0", {"size": 10, "max_steps": 99}),
    ("MiniGrid-LavaCrossingS9N1-v0", {"size": 13, "num_crossings": 4}),
    ("MiniGrid-LavaCrossingS9N1-v0", {"size": 5, "num_crossings": 9, "obstacle_type": "wall"}),
    ("MiniGrid-SimpleCrossingS9N1-v0", {"num_crossings": 0}),
    ("MiniGrid-LavaGapS5-v0", {"size": 8}),
    ("MiniGrid-Dynamic-Obstacles-8x8-v0", {"size": 7, "n_obstacles": 2}),
    ("MiniGrid-Dynamic-Obstacles-8x8-v0", {"size": 5, "n_obstacles": 4}),
    ("MiniGrid-Dynamic-Obstacles-8x8-v0", {**ANYWHERE, "n_obstacles": 5}),
    ("MiniGrid-FourRooms-v0", {"agent_pos": (4, 5), "max_steps": 40}),
    ("MiniGrid-FourRooms-v0", {"goal_pos": (9, 9)}),
    ("MiniGrid-Fetch-8x8-N3-v0", {"size": 7, "num_objs": 9}),
    ("MiniGrid-GoToDoor-5x5-v0", {"size": 12}),
    ("MiniGrid-GoToObject-6x6-N2-v0", {"size": 9, "num_objs": 7}),
    ("MiniGrid-PutNear-6x6-N2-v0", {"size": 9, "num_objs": 5}),
    ("MiniGrid-RedBlueDoors-6x6-v0", {"size": 5}),
    ("MiniGrid-LockedRoom-v0", {"size": 16}),
    ("MiniGrid-MemoryS7-v0", {"size": 15, "random_length": True}),
    ("MiniGrid-MultiRoom-N6-v0", {"min_num_rooms": 2, "max_num_rooms": 4, "max_room_size": 6}),
    ("MiniGrid-Playground-v0", {"max_steps": 20}),
    ("MiniGrid-KeyCorridorS3R1-v0", {"room_size": 5, "num_rows": 2, "obj_type": "box"}),
    ("MiniGrid-KeyCorridorS6R3-v0", {"num_cols": 4, "obj_type": "key"}),
    ("MiniGrid-ObstructedMaze-1Dlhb-v0", {"key_in_box": False, "blocked": True}),
    (
        "MiniGrid-ObstructedMaze-Full-v0",
        {"agent_room": (0, 1), "num_quarters": 3, "num_rooms_visited": 7, "blocked": False},
    ),
    ("MiniGrid-ObstructedMaze-Full-v1", {"agent_room": (1, 2), "key_in_box": False}),
    ("BabyAI-GoToRedBall-v0", {"room_size": 6, "num_dists": 3, "max_steps": 25}),
    ("BabyAI-GoToRedBallGrey-v0", {"room_size": 7, "num_dists": 9}),
    ("BabyAI-GoToRedBlueBall-v0", {"room_size": 9, "num_dists": 4}),
    ("BabyAI-GoToObj-v0", {"room_size": 5}),
    ("BabyAI-GoToLocal-v0", {"room_size": 6, "num_dists": 5}),
    ("BabyAI-GoTo-v0", {"room_size": 5, "num_rows": 2, "num_cols": 4, "num_dists": 5}),
    ("BabyAI-GoTo-v0", {"num_rows": 1, "num_cols": 2, "num_dists": 3, "doors_open": True}),
    ("BabyAI-GoToImpUnlock-v0", {"room_size": 6, "num_rows": 2, "num_cols": 2}),
    ("BabyAI-GoToDoor-v0", {"num_rows": 4}),
    ("BabyAI-GoToObjDoor-v0", {"num_cols": 4}),
    ("BabyAI-Open-v0", {"room_size": 7, "num_rows": 2, "num_cols": 3}),
    ("BabyAI-OpenDoor-v0", {"debug": True, "select_by": "loc", "room_size": 6}),
    ("BabyAI-OpenDoor-v0", {"select_by": "color", "num_rows": 4}),
    ("BabyAI-OpenTwoDoors-v0", {"first_color": "green", "strict": True}),
    ("BabyAI-OpenTwoDoors-v0", {"second_color": "grey", "num_cols": 5}),
    ("BabyAI-OpenDoorsOrderN2-v0", {"num_doors": 3, "debug": True}),
    ("BabyAI-Pickup-v0", {"room_size": 6, "num_rows": 2}),
    ("BabyAI-UnblockPickup-v0", {"room_size": 6, "num_cols": 2}),
    ("BabyAI-PickupDist-v0", {"debug": True}),
    ("BabyAI-PickupAbove-v0", {"num_rows": 4, "max_steps": 9}),
    ("BabyAI-FindObjS5-v0", {"room_size": 9}),
    ("BabyAI-OneRoomS8-v0", {"room_size": 6}),
    ("BabyAI-KeyCorridor-v0", {"room_size": 4, "num_rows": 2, "obj_type": "key"}),
    ("BabyAI-PutNextLocal-v0", {"room_size": 7, "num_objs": 5}),
    ("BabyAI-PutNextS4N1-v0", {"room_size": 6, "objs_per_room": 5, "start_carrying": True}),
    ("BabyAI-MoveTwoAcrossS5N2-v0", {"room_size": 6, "objs_per_room": 4}),
    ("BabyAI-Unlock-v0", {"room_size": 7, "num_rows": 2, "num_cols": 2}),
    ("BabyAI-UnlockLocal-v0", {"distractors": True, "room_size": 6}),
    ("BabyAI-KeyInBox-v0", {"room_size": 6, "num_rows": 4}),
    ("BabyAI-UnlockPickup-v0", {"distractors": True}),
    ("BabyAI-ActionObjDoor-v0", {"num_rows": 4, "num_cols": 4}),
    (
        "BabyAI-BossLevel-v0",
        {"room_size": 6, "num_rows": 2, "num_cols": 2, "num_dists": 6, "locked_room_prob": 1.0},
    ),
    ("BabyAI-BossLevel-v0", {"locations": False, "unblocking": False, "implicit_unlock": False}),
    ("BabyAI-BossLevel-v0", {"action_kinds": ["open", "putnext"], "instr_kinds": ["and", "seq"]}),
]


def made_again(task_id: str, options: dict[str, Any]) -> Any:
    """The reference's class of an id, with the id's own arguments and others."""
    spec = gymnasium.spec(task_id)
    names = NAMES if task_id.startswith("MiniGrid-") else {}
    given = {names.get(name, name): value for name, value in options.items()}
    if given.get("agent_start_pos") == (-1, -1):
        given["agent_start_pos"] = None
    entry: Any = spec.entry_point
    kind = gymnasium.envs.registration.load_env_creator(entry)
    return kind(**{**spec.kwargs, **given})


@pytest.mark.parametrize(("task_id", "options"), LEVELS)
def test_levels(task_id: str, options: dict[str, Any]) -> None:
    compare(task_id, options, lambda: made_again(task_id, options))


class Taker(reference.Seeker):
    """Goes to things and picks them up, also while it carries something."""

    def new_plan(self, env: Any) -> list[int]:
        plan = super().new_plan(env)
        return [reference.PICKUP if action > reference.DROP else action for action in plan]


@pytest.mark.parametrize("kinds", [["goto"], ["goto", "pickup"], ["pickup", "putnext"]])
def test_objects_that_were_taken_before(kinds: list[str]) -> None:
    """An object that a later task is about may be carried already, or be gone from its place."""
    task_id = "BabyAI-BossLevel-v0"
    options: dict[str, Any] = {"room_size": 6, "num_rows": 1, "num_cols": 1, "num_dists": 3}
    options |= {"locked_room_prob": 0.0, "action_kinds": kinds, "instr_kinds": ["seq"]}
    options |= {"max_steps": 100}
    compare(task_id, options, lambda: made_again(task_id, options), Taker, seeds=range(20))


def test_walls_are_grey_objects() -> None:
    """The reference counts them: it says "a grey object" where there is but one."""
    task_id = "BabyAI-PickupDist-v0"
    env = reference.make(task_id)
    with parallel_pool.make(task_id, num_envs=1, seed=3) as pool:
        found = 0
        for i in range(100):
            obs, _ = pool.reset()
            wanted, _ = env.reset(**({"seed": 3} if i == 0 else {}))
            assert parallel_pool.decode_mission(obs["mission"]) == [wanted["mission"]]
            found += wanted["mission"] == "pick up a grey object"
    assert found > 1


def test_every_option_is_tried() -> None:
    tried = {name for _, options in LEVELS for name in options}
    common = set(parallel_pool.make_spec("MiniGrid-Playground-v0").config) - {"max_steps"}
    for task_id in reference.TASKS:
        assert set(parallel_pool.make_spec(task_id).config) - common - tried == set(), task_id


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 4}, "4; it must be odd, such as 3 or 5"),
        ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 33}, "between 3 and 31"),
        ("MiniGrid-Empty-8x8-v0", {"obs_type": "ful"}, "'ful'.*'full'"),
        ("MiniGrid-Empty-8x8-v0", {"size": 3}, "size.*3.*at least 4|4 or more|must be"),
        ("MiniGrid-Empty-8x8-v0", {"size": 65}, "65 x 65 cells; at most 64 x 64"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (7, 2)}, r"\(1, 1\) to \(6, 6\)"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (1.5, 2)}, "two integers"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_dir": -1}, "must be 0, 1, 2 or 3"),
        ("MiniGrid-DistShift1-v0", {"strip2_row": 6}, "6; with height 7 it must be at most 5"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 8}, "odd, such as 9"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"obstacle_type": "water"}, "'lava'"),
        ("MiniGrid-MemoryS7-v0", {"size": 8}, "odd, such as 9"),
        ("MiniGrid-FourRooms-v0", {"goal_pos": (0, 4)}, "from 1 to 17"),
        ("MiniGrid-MultiRoom-N6-v0", {"min_num_rooms": 7}, "7; it must not be above.*6"),
        ("MiniGrid-ObstructedMaze-Full-v1", {"agent_room": (3, 0)}, "two integers from 0 to 2"),
        ("MiniGrid-KeyCorridorS6R3-v0", {"room_size": 40}, "118 x 118 cells"),
        ("BabyAI-PutNextLocal-v0", {"num_objs": 19}, "between 2 and 18"),
        ("BabyAI-PickupLoc-v0", {"locked_room_prob": 0.5}, "with one room it must be 0"),
        ("BabyAI-BossLevel-v0", {"action_kinds": ["goto", "run"]}, "'run'.*'putnext'"),
        ("BabyAI-BossLevel-v0", {"instr_kinds": []}, "instr_kinds is empty"),
    ],
)
def test_refused(task_id: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        parallel_pool.make_spec(task_id, **options)


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("MiniGrid-Fetch-5x5-N2-v0", {"num_objs": 40}, "no free place.*fewer objects"),
        (
            "MiniGrid-MultiRoom-N6-v0",
            {"min_num_rooms": 20, "max_num_rooms": 20},
            "no chain of 20 rooms",
        ),
        ("BabyAI-GoToLocal-v0", {"room_size": 4, "num_dists": 30}, "no world fits these options"),
    ],
)
def test_worlds_that_do_not_exist(task_id: str, options: dict[str, Any], words: str) -> None:
    """The reference tries forever."""
    with (
        parallel_pool.make(task_id, num_envs=1, **options) as pool,
        pytest.raises(parallel_pool.EnvError, match=words),
    ):
        pool.reset()
