#!/usr/bin/env bash
# Runs Bazel with one output base and one disk cache for all checkouts of this user, so that a fresh
# clone does not fetch and compile again what an earlier clone has.
# Usage: tools/bazel.sh COMMAND [ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")/.."

export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
cache=$HOME/.cache/parallel_pool
# Bazel keeps the runfiles manifests of the checkout before: they name files by absolute path, and it
# compares relative ones only. Programs that run outside its sandbox would then read that checkout.
if [[ $(readlink "$cache/bazel/execroot/parallel_pool/tools") != "$(pwd -P)/tools" ]]; then
  find "$cache/bazel/execroot/parallel_pool/bazel-out/" \
    \( -name '*.runfiles_manifest' -o -path '*.runfiles/MANIFEST' \) -delete 2>/dev/null || true
fi
# The real interpreter, not a shim that depends on the working directory, nor the one of an active
# virtual environment: each other one would make @pip_venv install everything again.
PARALLEL_POOL_PYTHON=$("${PARALLEL_POOL_PYTHON:-python3}" -I -c \
  'import os, sys; print(os.path.realpath(sys._base_executable))')
export PARALLEL_POOL_PYTHON
options=()
case $1 in
  build | test | run) options=(--jobs="$(nproc)" --disk_cache="$cache/disk") ;;
esac
# A sandbox is a folder with a thousand links, which takes seconds on a disk. Containers often have
# a /dev/shm that is too small for what a compiler writes there, or from which nothing can be run.
free=$(df --output=avail -BG /dev/shm 2>/dev/null | tail -n 1 | tr -dc 0-9 || true)
if ((${#options[@]} > 0 && ${free:-0} >= 4)) && ! grep -q '^[^ ]* /dev/shm .*noexec' /proc/mounts; then
  options+=(--sandbox_base=/dev/shm)
fi
exec bazel --output_base="$cache/bazel" "$1" "${options[@]}" "${@:2}"
