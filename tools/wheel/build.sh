#!/usr/bin/env bash
# Builds wheels and copies them to dist/, which then contains no other wheel for that processor.
# Usage: tools/wheel/build.sh            the wheel of the running Python
#        tools/wheel/build.sh PYTHON...  and those of these interpreters
#        tools/wheel/build.sh --small    the wheel of the demo, to dist/small/
#        tools/wheel/build.sh --aarch64  the wheel of the running Python for Linux on 64-bit ARM
#        tools/wheel/build.sh --macos    and for Macs with Apple's processors
#        tools/wheel/build.sh --windows  and for Windows on x86-64
set -euo pipefail
cd "$(dirname "$0")/../.."
target=//:wheel options=() processor=$(uname -m) to=dist
case ${1-} in
  --small) target=//examples:wheel to=dist/small && shift ;;
  --aarch64) options=(--config=aarch64) processor=aarch64 ;;
  --macos) options=(--config=macos) processor=arm64 ;;
  --windows) options=(--config=windows) processor=amd64 ;;
esac
[[ ${#options[@]} == 0 ]] || shift
if [[ $# -gt 0 ]]; then
  target=//:wheels
  export PARALLEL_POOL_WHEELS_FOR="$*"
fi
python3 -m tools.wheel.progress "${options[@]}" "$target"
# Not *.whl: the wheel of another version may lie next to it.
wheels=$(tools/bazel.sh cquery "${options[@]}" "$target" --output=starlark \
  --starlark:expr='"\n".join([file.path for file in target.files.to_list()])' 2>/dev/null)
root=$(tools/bazel.sh info execution_root 2>/dev/null)
mkdir -p "$to"
rm -f "$to"/*"_$processor.whl"
for wheel in $wheels; do
  install -m 644 "$root/$wheel" "$to/"
done
ls "$to"/*"_$processor.whl"
