"""Notes of parity tests about their comparisons, for the certificate of a release."""

import json
import os
import pathlib

# Bazel keeps what a test writes into this folder, as test.outputs/outputs.zip.
_FOLDER = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")


def played(task: str, seed: int | None, steps: int, num_envs: int = 1) -> None:
    """Notes that a play of a task from a seed equals its reference in all rows.

    Args:
        task: its id.
        seed: of the first env; seed + i is that of env i. None: the reference takes none.
        steps: the number of steps that were compared, of each env.
        num_envs: the number of envs.
    """
    if _FOLDER:
        seeds = [None] if seed is None else [seed + i for i in range(num_envs)]
        line = json.dumps({"task": task, "seeds": seeds, "env_steps": steps * num_envs})
        with pathlib.Path(_FOLDER, "played.jsonl").open("a") as file:
            file.write(line + "\n")
