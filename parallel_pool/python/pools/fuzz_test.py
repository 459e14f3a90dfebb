"""Random calls, good and bad, against a model of the documented semantics.

PARALLEL_POOL_FUZZ=20000 runs 20,000 random sequences instead of a few fixed ones:
tools/bazel.sh test --test_env=PARALLEL_POOL_FUZZ=20000 --test_timeout=3600 \
    //parallel_pool/python:fuzz_test
"""

from typing import Any

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401
from parallel_pool.testing.pool_calls import Calls, use_profile
from parallel_pool.testing.pool_model import Model, Options

use_profile(500)


class CallsOfTrouble(Calls):
    """The env of core/testing/family.cc."""

    def open(self, options: Options) -> tuple[Model, Any]:
        """A model and its pool."""
        return Model(options), parallel_pool.make("Trouble-v0", **vars(options))


TestCalls = CallsOfTrouble.TestCase
