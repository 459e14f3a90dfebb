"""Runs pytest on the files named in the arguments, as Bazel expects a test to behave."""

import os
import pathlib
import sys
from typing import Any

import pytest


class Shard:
    """A pytest plugin that selects this shard's part of the tests (a test with shard_count)."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drops the other shards' tests."""
        pathlib.Path(os.environ["TEST_SHARD_STATUS_FILE"]).touch()
        items[:] = items[
            int(os.environ["TEST_SHARD_INDEX"]) :: int(os.environ["TEST_TOTAL_SHARDS"])
        ]


class Helpers:
    """A pytest plugin that lets assertions in helpers of tests say which values they compared."""

    def pytest_configure(self) -> None:
        """Comes before the tests import their helpers."""
        pytest.register_assert_rewrite("parallel_pool.testing")


def main() -> int:
    """Exits with pytest's code."""
    if record := os.environ.get("FIRST_PACKAGE"):  # of a package that comes before all others
        sys.path.insert(0, str(pathlib.Path(record).resolve().parents[1]))
    options = ["-p", "no:cacheprovider", "-q", "--durations=5"]
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={xml}")
    if name := os.environ.get("TESTBRIDGE_TEST_ONLY"):  # bazel test --test_filter=NAME
        options += ["-k", name]
    plugins: list[Any] = [Helpers()]
    if "TEST_TOTAL_SHARDS" in os.environ:
        plugins.append(Shard())
    code = int(pytest.main([*options, *sys.argv[1:]], plugins=plugins))
    has_part = name or "TEST_TOTAL_SHARDS" in os.environ
    # This part of the tests may have none: a filter is given to many targets at once.
    return 0 if has_part and code == pytest.ExitCode.NO_TESTS_COLLECTED else code


if __name__ == "__main__":
    sys.exit(main())
