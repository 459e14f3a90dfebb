"""Options whose names have a dot, which users give as the keys of a dict."""

from collections.abc import Collection, Mapping
from typing import Any


def without_dicts(task_id: str, given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The options `given` to make(), the dicts of a task replaced by options with a dot.

    observation={"type": "Kinematics"} becomes {"observation.type": "Kinematics"} if the task has
    options that begin with "observation.". A dict in a dict has more dots.

    Args:
        task_id: for errors.
        given: the keywords of make().
        names: of the task's own options.

    Raises:
        TypeError: a key is no str, or an option is given in both ways.
    """
    options: dict[str, Any] = {}

    def add(name: str, value: Any) -> None:
        is_group = name not in names and any(own.startswith(f"{name}.") for own in names)
        if is_group and isinstance(value, Mapping):
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise TypeError(f"{task_id}: {name} has the key {key!r}; keys must be str")
                add(f"{name}.{key}", inner)
        elif name in options:
            raise TypeError(f"{task_id}: {name} is given twice, once in a dict")
        elif is_group:
            keys = sorted(
                own.removeprefix(f"{name}.") for own in names if own.startswith(f"{name}.")
            )
            raise TypeError(
                f"{task_id}: {name} must be a dict with keys of {', '.join(keys)}, not {value!r}"
            )
        else:
            options[name] = value

    for name, value in given.items():
        add(name, value)
    return options
