#!/usr/bin/env bash
# Installs the wheel in dist/ for the Python of the virtual environment DIR, which has its
# dependencies.
# Usage: tools/install_wheel.sh DIR
set -euo pipefail
"$1/bin/python" -I -m pip install -qq --disable-pip-version-check --no-input --no-index \
  --no-deps --force-reinstall --find-links dist parallel_pool
