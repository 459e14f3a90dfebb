"""Runs pytest on the files named in the arguments, as Bazel expects a test to behave."""

import os
import pathlib
import sys

import pytest


class Shard:
    """A pytest plugin that selects this shard's part of the tests (a test with shard_count)."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drops the other shards' tests."""
        pathlib.Path(os.environ["TEST_SHARD_STATUS_FILE"]).touch()
        items[:] = items[
            int(os.environ["TEST_SHARD_INDEX"]) :: int(os.environ["TEST_TOTAL_SHARDS"])
        ]


def main() -> int:
    """Exits with pytest's code."""
    options = ["-p", "no:cacheprovider", "-q", "--durations=5"]
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={xml}")
    if name := os.environ.get("TESTBRIDGE_TEST_ONLY"):  # bazel test --test_filter=NAME
        options += ["-k", name]
    plugins = [Shard()] if "TEST_TOTAL_SHARDS" in os.environ else []
    return pytest.main([*options, *sys.argv[1:]], plugins=plugins)


if __name__ == "__main__":
    sys.exit(main())
