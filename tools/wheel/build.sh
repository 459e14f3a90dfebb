#!/usr/bin/env bash
# Builds wheels and copies them to dist/, which then contains no other file.
# Usage: tools/wheel/build.sh            the wheel of the running Python
#        tools/wheel/build.sh PYTHON...  and those of these interpreters
set -euo pipefail
cd "$(dirname "$0")/../.."
target=//:wheel
if [[ $# -gt 0 ]]; then
  target=//:wheels
  export PARALLEL_POOL_WHEELS_FOR="$*"
fi
tools/bazel.sh build "$target"
# Not *.whl: the wheel of another version may lie next to it.
wheels=$(tools/bazel.sh cquery "$target" --output=starlark \
  --starlark:expr='"\n".join([file.path for file in target.files.to_list()])' 2>/dev/null)
root=$(tools/bazel.sh info execution_root 2>/dev/null)
rm -rf dist
mkdir dist
for wheel in $wheels; do
  install -m 644 "$root/$wheel" dist/
done
ls dist/*.whl
