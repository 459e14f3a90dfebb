#!/usr/bin/env bash
# Runs Bazel with one output base and one disk cache for all checkouts of this user, so that a fresh
# clone does not fetch and compile again what an earlier clone has.
# Usage: tools/bazel.sh COMMAND [ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")/.."

export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
cache=$HOME/.cache/parallel_pool
options=()
case $1 in
  build | test | run) options=(--jobs="$(nproc)" --disk_cache="$cache/disk") ;;
esac
exec bazel --output_base="$cache/bazel" "$1" "${options[@]}" "${@:2}"
