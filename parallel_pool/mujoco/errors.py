"""The reports of a batch: errors of MuJoCo, and what it warns of."""

import warnings

import numpy as np
from numpy.typing import NDArray

# Warnings of mjtWarning that a simulation may raise.
_WARNINGS = (
    "its inertia matrix is nearly singular",
    "it has more contacts than its memory holds",
    "it has more constraints than its memory holds",
    "qpos had NaN or a huge number: MuJoCo has reset it",
    "qvel had NaN or a huge number: MuJoCo has reset it",
    "qacc had NaN or a huge number: MuJoCo has reset it",
    "ctrl had NaN or a huge number: MuJoCo has taken 0",
)
_RESETS = slice(3, 6)  # those after which an env has begun again
NUM_WARNINGS = len(_WARNINGS)
_MOST = 5  # warnings of one call


class SimulationError(RuntimeError):
    """MuJoCo has raised an error in some envs of a call. They keep the state that they had.

    Attributes:
        ids: their numbers.
    """

    def __init__(self, ids: NDArray[np.int64], message: str, num_called: int) -> None:
        shown = ", ".join(map(str, ids[:5])) + (", ..." if len(ids) > 5 else "")
        super().__init__(
            f"{len(ids)} of {num_called} envs failed ({shown}); env {ids[0]}: {message}"
        )
        self.ids = ids


class SimulationWarning(RuntimeWarning):
    """An env has met what MuJoCo warns of, such as NaN; all envs go on."""


def warn(rises: NDArray[np.int32], steps: NDArray[np.int64], nstep: int) -> None:
    """Issues SimulationWarnings for a call.

    Args:
        rises: (num_envs, NUM_WARNINGS), how often each warning was raised in the call.
        steps: (num_envs,), the steps since the time of each env was 0.
        nstep: the steps that the call has made.
    """
    for env, kind in np.argwhere(rises > 0)[:_MOST]:
        text = f"env {env}: {_WARNINGS[kind]}"
        # After a reset, time counts from 0 again.
        if rises[env, _RESETS].any() and 0 < steps[env] <= nstep:
            text += f", in step {nstep - steps[env] + 1} of {nstep}"
        warnings.warn(text, SimulationWarning, stacklevel=5)
