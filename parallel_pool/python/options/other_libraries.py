"""Names of other libraries: ids and methods that errors translate, options that make() takes."""

import re
from collections.abc import Collection, Mapping
from typing import Any

# An id of gym or Gymnasium, the task here, and the options that make it the same.
_IDS = (
    (r"parallel_pool/(.+)", r"\1", ""),
    (r"ALE/(\w+)-v5", r"\1-v5", ', preset="gymnasium"'),
    (r"(?:ALE/)?(\w+)-ram-v\d", r"\1-v5", ', obs_type="ram"'),
    (r"(\w+)NoFrameskip-v0", r"\1-v5", ', preset="gymnasium"'),
    (r"(\w+)NoFrameskip-v4", r"\1-v5", ', preset="gymnasium", repeat_action_probability=0.0'),
    (r"(\w+)Deterministic-v0", r"\1-v5", ", repeat_action_probability=0.25"),
    (r"(\w+)Deterministic-v4", r"\1-v5", ""),
)

# An option of EnvPool or of minigrid that has another name here. A task that has the first name
# takes it as its own.
_OPTIONS = {
    "contact_cost_max": "impact_cost_max",
    "contact_cost_weight": "impact_cost_weight",
    "ctrl_cost_weight": "reward_control_weight",
    "dist_cost_weight": "reward_dist_weight",
    "forward_reward_weight": "uph_cost_weight",
    "maxNumRooms": "max_num_rooms",
    "maxRoomSize": "max_room_size",
    "minNumRooms": "min_num_rooms",
    "near_cost_weight": "reward_near_weight",
    "numObjs": "num_objs",
    "use_contact_force": "use_contact_forces",
}

# Options of EnvPool that are False where those here are True.
_OPPOSITES = {"partially_observable": "observe_goal"}

# Options of tasks whose reference calls them normalize_reward, which is an option of all pools.
_OTHER_NAMES_OF_NORMALIZE_REWARD = ("normalize_loads", "unit_reward")

# Options of other libraries that make() refuses: their names, the option here (if the task has it,
# the row holds; "" holds for all tasks), and a sentence if "it is ... here" does not say all.
FOREIGN = (
    ("frameskip frame_repeat", "frame_skip", ""),
    (
        "frameskip frame_skip frame_repeat",
        "n_sub_steps",
        "n_sub_steps are the steps of the model for which an action is held",
    ),
    ("clip_rewards reward_clipping", "reward_clip", ""),
    ("clip_obs", "clip_observation", ""),
    ("norm_obs normalize_obs", "normalize_observation", ""),
    ("norm_reward normalize_rewards", "normalize_reward", ""),
    ("env_num n_envs num", "num_envs", ""),
    ("episode_life terminal_on_life_loss", "episodic_life", ""),
    ("fire_reset", "use_fire_reset", ""),
    ("framestack num_frames num_stack stack_size", "frame_stack", ""),
    ("frame_stack framestack num_frames num_stack stack_size", "stack_num", ""),
    ("repeat_action action_repeats", "action_repeat", ""),
    ("clip_actions", "clip_action", ""),
    ("normalize_action normalize_actions rescale_actions", "rescale_action", ""),
    ("flatten flatten_obs", "flatten_observation", ""),
    ("dtype observation_dtype", "obs_dtype", ""),
    ("channels_last", "channel_last", ""),
    ("grayscale grayscale_obs", "gray_scale", ""),
    ("grayscale_newaxis", "gray_scale", "observations are (frames, rows, columns)"),
    ("height img_size screen_height screen_size", "img_height", "give img_height and img_width"),
    ("screen_width width", "img_width", ""),
    ("height", "render_height", ""),
    ("width", "render_width", ""),
    (
        "max_frames max_num_frames max_num_frames_per_episode",
        "frame_skip",
        "max_episode_steps is in steps, each of frame_skip frames",
    ),
    ("max_steps time_limit", "max_episode_steps", ""),
    ("n_threads num_workers", "num_threads", ""),
    ("noops", "noop_max", ""),
    ("rand_seed random random_seed seeds", "seed", ""),
    ("scale_obs", "img_height", "observations stay uint8: divide them by 255"),
    ("sound", "sound_obs", ""),
    ("sticky_actions", "repeat_action_probability", "give repeat_action_probability=0.25"),
    ("repeat_prob sticky_action_probability", "repeat_action_probability", ""),
    ("config", "observation.type", "give its keys as options: make(id, **config)"),
    (
        "observation.observation_config action.action_config",
        "multi_agent",
        "give the inner dict, and multi_agent=True",
    ),
    ("environment_kwargs task_kwargs", "", "give its entries as options"),
    ("context shared_memory vectorization_mode", "", "envs run in threads of this process"),
    ("wrappers vector_kwargs", "", "wrap the pool: see gymnasium.vector.VectorWrapper"),
)

_NO_OBJECTS = "its envs are no Python objects: info has what they report, config their options"

# Methods and attributes of gym's, Gymnasium's and Stable-Baselines3's envs that a pool lacks.
_METHODS = {
    "ale": _NO_OBJECTS,
    "env": "it wraps no other env: use the pool itself",
    "envs": _NO_OBJECTS,
    "get_obs": "reset, step and recv return the observations",
    "seed": "give the seed to reset(seed=...) or to make(seed=...)",
    "set_state": "load() puts envs into states of save()",
    "state": "save() returns the state of envs",
    "step_async": "call send(action, env_id)",
    "step_wait": "call recv()",
    "unwrapped": "it has no wrappers: use the pool itself",
    "venv": "it wraps no other env: use the pool itself",
}


def id_hint(task_id: str, known: Collection[str]) -> str:
    """'; it is make(...) here' for an id of another library; empty if it is none."""
    for pattern, here, options in _IDS:
        match = re.fullmatch(pattern, task_id)
        if match and match.expand(here) in known:
            return f'; it is make("{match.expand(here)}"{options}) here'
    return ""


def method_hint(name: str) -> str:
    """': what to use instead' for a method that pools lack; empty if none is known."""
    return f": {_METHODS[name]}" if name in _METHODS else ""


def option_hint(name: str, known: Collection[str]) -> str:
    """'; it is ... here' for an option of another library; empty if the task has no such option.

    Args:
        name: of the unknown option.
        known: the options that there are.
    """
    for theirs, here, sentence in FOREIGN:
        if name in theirs.split() and (not here or here in known):
            return f"; {sentence or f'it is {here} here'}"
    return ""


def own_options(
    task_id: str, given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The options `given` to make(), EnvPool's names replaced by those of the task.

    EnvPool has `healthy_z_min` and `healthy_z_max` for a pair `healthy_z_range`, `env_seed` for a
    list of seeds, and the names of _OPTIONS and _OPPOSITES.

    Args:
        task_id: for errors.
        given: the keywords of make().
        defaults: the task's own options with their defaults.

    Raises:
        TypeError: an option is given under both names.
        ValueError: normalize_reward=False, which means something else in the task's reference.
    """
    for name in _OTHER_NAMES_OF_NORMALIZE_REWARD:
        # A config that has both, as that of a recording, is a whole one.
        if name in defaults and name not in given and given.get("normalize_reward") is False:
            raise ValueError(
                f"{task_id}: normalize_reward=False: the reference's option of this name is {name} "
                "here; normalize_reward=True would divide rewards by the deviation of returns"
            )
    own: dict[str, Any] = {}
    for name, value in given.items():
        target, bound = _target(name, defaults)
        if target != name and target in given:
            raise TypeError(f"{task_id}: {name} is another name of {target}: give one of them")
        if bound is not None:
            pair = list(own.get(target, defaults[target]))
            pair[bound] = value
            own[target] = tuple(pair)
        elif name in _OPPOSITES and name != target and isinstance(value, bool):
            own[target] = not value
        elif name != "env_seed" or name == target or len(value) > 0:
            own[target] = value
    return own


def _target(name: str, defaults: Mapping[str, Any]) -> tuple[str, int | None]:
    """The task's name of an option, and which number of a pair is meant; None: all of it."""
    if name in defaults:
        return name, None
    if name == "env_seed":
        return "seed", None
    for alias in (name, (_OPTIONS | _OPPOSITES).get(name, name)):
        if alias in defaults:
            return alias, None
        pair = defaults.get(alias[:-4] + "_range")
        if alias[-4:] in ("_min", "_max") and isinstance(pair, tuple) and len(pair) == 2:
            return alias[:-4] + "_range", ("_min", "_max").index(alias[-4:])
    return name, None
