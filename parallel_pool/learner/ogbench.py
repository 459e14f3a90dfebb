"""Names of OGBench's data sets (Park et al. 2025)."""


def ogbench_env_id(dataset_name: str) -> str:
    """The task of a data set, as ogbench.make_env_and_datasets() finds it.

    Data sets named "oraclerep" belong to the task with use_oracle_rep=True.

    Args:
        dataset_name: such as "antmaze-large-navigate-v0", or
            "antmaze-large-navigate-singletask-task2-v0".

    Returns:
        A name for make(), such as "antmaze-large-v0".

    Raises:
        ValueError: it is no such name.
    """
    *words, version = dataset_name.split("-")
    kinds = [i for i, word in enumerate(words) if word in ("singletask", "oraclerep")]
    end = kinds[0] if kinds else len(words)
    rest = [word for word in words[end:] if word != "oraclerep"]
    if end < 2 or version != "v0":
        raise ValueError(
            f"{dataset_name!r} is no data set of OGBench; they have names such as "
            "'antmaze-large-navigate-v0'"
        )
    return "-".join([*words[: end - 1], *rest, version])
