"""The settings of tests that make random calls.

PARALLEL_POOL_FUZZ=20000 makes 20,000 random sequences instead of a few fixed ones. A test ends with
its first failure; PARALLEL_POOL_SHRINK=1 then looks for a shorter sequence, which takes minutes.
"""

import os
from typing import Any

import hypothesis

MANY = int(os.environ.get("PARALLEL_POOL_FUZZ", "0"))
_SHRINK = os.environ.get("PARALLEL_POOL_SHRINK", "0") not in ("", "0")


def settings(examples: int) -> dict[str, Any]:
    """Arguments of hypothesis.settings; `examples` sequences, unless PARALLEL_POOL_FUZZ says."""
    phases = [phase for phase in hypothesis.Phase if phase != hypothesis.Phase.shrink or _SHRINK]
    return {
        "max_examples": MANY or examples,
        "derandomize": not MANY,
        "database": None,
        "deadline": None,
        "phases": phases,
        "report_multiple_bugs": False,
        "suppress_health_check": list(hypothesis.HealthCheck),
    }
