#!/usr/bin/env bash
# Installs the Debian packages that the build and its tests need and that are missing. Prints
# nothing and returns at once if none is missing.
# Usage: tools/setup.sh [COMMAND | PACKAGE]...   also installs the packages of these commands, such as
# npm, and these packages: lib* such as libsimde-dev, *-linux-gnu, and qemu-*
set -euo pipefail

packages=(
  bazel-bootstrap bazel-platforms bazel-rules-cc bazel-rules-java bazel-rules-proto bazel-skylib
  ca-certificates googletest zlib1g-dev
  libglib2.0-0  # for Procgen's own Python, which tests compare with
  libegl1 libegl-mesa0 libgl1-mesa-dri libosmesa6  # OpenGL for the tests of pictures
)
commands=(cmake g++ git make)  # from any source; ALE needs cmake, and MiniHack git
for name in "$@"; do
  case $name in
    lib* | *-linux-gnu | qemu-*) packages+=("$name") ;;
    *) commands+=("$name") ;;
  esac
done
missing=()

# Whether `python3` has the version, venv and C headers that the build needs.
python_is_ready() {
  python3 -I - <<'EOF' >/dev/null 2>&1
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11)
         or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
EOF
}

find_missing() {
  local package installed
  installed=$(dpkg-query -W -f '${db:Status-Status}=${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    grep -qxF "installed=$package" <<<"$installed" || missing+=("$package")
  done
  python_is_ready || missing+=(python3 python3-dev python3-venv)
  for package in "${commands[@]}"; do
    command -v "$package" >/dev/null || missing+=("$package")
  done
}

apt() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

find_missing
[[ ${#missing[@]} -gt 0 ]] || exit 0

sudo=()
if [[ $(id -u) -ne 0 ]]; then
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
    sudo=(sudo)
  else
    echo "set-up: this needs root, or sudo without a password. As root, run:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

echo "set-up: installing ${missing[*]} with apt-get"
# The package lists may be missing or out of date.
if ! apt install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
  apt update
  apt install --no-install-recommends "${missing[@]}" >/dev/null
fi
if ! python_is_ready; then
  echo "set-up: $(command -v python3) is not Python 3.11 or newer with venv and C headers" >&2
  exit 1
fi
