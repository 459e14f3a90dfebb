#!/usr/bin/env bash
# Installs the LOCKs and the wheel into the virtual environment DIR of a benchmark. Its Python is
# 3.12 or newer, because the newest EnvPool has no wheel for an older one.
# Usage: tools/bench_venv.sh DIR LOCK...
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(tools/wheel/find_pythons.py 3.12+)
tools/wheel/build.sh "$python"
PYTHON=$python tools/venv.sh "$@"
tools/install_wheel.sh "$1"
