#!/usr/bin/env bash
# Builds the wheel and copies it to dist/, which then contains no other file.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/bazel.sh build //:wheel
# Not *.whl: the wheel of another version may lie next to it.
wheel=$(tools/bazel.sh cquery //:wheel --output=starlark \
  --starlark:expr='target.files.to_list()[0].path' 2>/dev/null)
rm -rf dist
mkdir dist
install -m 644 "$(tools/bazel.sh info execution_root 2>/dev/null)/$wheel" dist/
ls dist/*.whl
