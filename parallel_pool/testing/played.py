"""What parity tests have compared, for the certificate of a release (tools/release)."""

import json
import os
import pathlib

# Bazel keeps what a test writes into this folder, as test.outputs/outputs.zip.
_FOLDER = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")


def played(task: str, seed: int, env_steps: int) -> None:
    """Notes that a play of a task from a seed equals its reference in all rows.

    Args:
        task: its id.
        seed: of the play; -1 if the reference takes none.
        env_steps: the number of compared rows: steps times envs.
    """
    if _FOLDER:
        line = json.dumps({"task": task, "seed": seed, "env_steps": env_steps})
        with pathlib.Path(_FOLDER, "played.jsonl").open("a") as file:
            file.write(line + "\n")
