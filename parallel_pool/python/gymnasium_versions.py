"""Names of Gymnasium that its versions before 1.1 lack; Sample Factory and PufferLib pin 0.29."""

import enum
from typing import TYPE_CHECKING, Any

import gymnasium.vector

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    VectorEnv = gymnasium.vector.VectorEnv[Any, Any, Any]
else:
    VectorEnv = gymnasium.vector.VectorEnv  # no class of before 1.0 has parameters
    try:
        from gymnasium.vector import AutoresetMode
    except ImportError:

        class AutoresetMode(enum.Enum):
            """Gymnasium's, for pool.metadata["autoreset_mode"]."""

            NEXT_STEP = "NextStep"
            SAME_STEP = "SameStep"
            DISABLED = "Disabled"


IS_OLD = AutoresetMode.__module__ == __name__

__all__ = ["IS_OLD", "AutoresetMode", "VectorEnv"]
