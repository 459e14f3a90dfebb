#!/usr/bin/env bash
# Installs the wheel in FOLDER (dist) for the Python of the virtual environment DIR, which has its
# dependencies.
# Usage: tools/install_wheel.sh DIR [FOLDER]
set -euo pipefail
"$1/bin/python" -I -m pip install -qq --disable-pip-version-check --no-input --no-index \
  --no-deps --force-reinstall --find-links "${2:-dist}" parallel_pool
