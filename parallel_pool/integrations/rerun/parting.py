"""Marks where two runs part."""

from collections.abc import Sequence
from typing import Any

import rerun as rr

from parallel_pool.integrations.rerun.env_log import STEP
from parallel_pool.integrations.rerun.layout import PARTING


def log_parting(stream: rr.RecordingStream, files: Sequence[Any], parting: Any) -> None:
    """Writes a text, and a lane that is "equal" up to the result where two runs part.

    Args:
        stream: where to write.
        files: the two runs: run_1 and run_2.
        parting: the RunDifference; None: the runs are equal.
    """
    says = "the runs are equal" if parting is None else str(parting)
    names = "\n".join(f"run_{number + 1}: {file}" for number, file in enumerate(files))
    stream.log(f"{PARTING}/text", rr.TextDocument(f"{says}\n\n{names}"), static=True)
    states = {0: "equal"}
    if parting is not None:
        states[max(0, parting.step)] = "parted"
    for step, state in states.items():
        stream.set_time(STEP, sequence=step)
        stream.log(PARTING, rr.StateChange(state=state))
