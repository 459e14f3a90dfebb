"""Runs pytest on the files named in the arguments, as Bazel expects a test to behave."""

import os
import sys

import pytest

if __name__ == "__main__":
    options = ["-p", "no:cacheprovider", "-q", "--durations=5"]
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={xml}")
    if name := os.environ.get("TESTBRIDGE_TEST_ONLY"):  # bazel test --test_filter=NAME
        options += ["-k", name]
    sys.exit(pytest.main([*options, *sys.argv[1:]]))
