#!/usr/bin/env bash
# Runs a command in this folder with Docker, in Debian 12 on x86-64: for systems where the build itself
# does not run, such as macOS. Its caches are kept in a volume.
# Usage: tools/wheel/in_docker.sh COMMAND...     such as make wheel-macos
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v docker >/dev/null; then
  echo "the build runs on Debian: install Docker, or run '$*' in Debian 12 on x86-64" >&2
  exit 1
fi
exec docker run --rm --platform linux/amd64 --volume parallel_pool:/root/.cache \
  --volume "$PWD:$PWD" --workdir "$PWD" debian:bookworm sh -ec '
    apt-get -qq update
    apt-get -qq -y install --no-install-recommends ca-certificates git make python3 >/dev/null
    exec "$@"' sh "$@"
