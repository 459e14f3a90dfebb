#!/usr/bin/env bash
# Unpacks a Python of a newer Debian, with its C headers, into DIR, next to this system and without
# root. It runs with the C library that it was built for: DIR/usr/bin/python3.X is an ordinary
# interpreter. Does nothing if DIR is complete.
# Usage: tools/wheel/debian_python.sh VERSION DIR      VERSION: 3.13 or 3.14
set -euo pipefail
version=$1 dir=$2
case $version in
  3.13) suite=trixie ;;
  3.14) suite=forky ;;
  *) echo "no Debian has Python $version: there are 3.13 and 3.14" >&2; exit 1 ;;
esac
[[ ! -f $dir/complete ]] || exit 0

# NumPy's wheels use libstdc++.
"$(dirname "$0")/debian_packages.sh" "$suite" "$(dpkg --print-architecture)" "$dir" \
  "python$version-venv" "libpython$version-dev" libstdc++6

# The interpreter names its own loader and libraries, so that every program can start it.
python=$dir/usr/bin/python$version
loader=$(find "$dir/" -name 'ld-linux-*.so.*' | head -n 1)
libraries=$dir/usr/lib/$(gcc -print-multiarch)
patchelf --set-interpreter "$(realpath "$loader")" --force-rpath --set-rpath "$(realpath "$libraries")" "$python"
sed -i "s|'/usr/share/python-wheels/'|'$(realpath "$dir")/usr/share/python-wheels/'|" \
  "$dir/usr/lib/python$version"/_sysconfigdata_*.py
"$python" -I -c 'import ctypes, ssl, sqlite3'
"$python" -I -m venv "$dir/venv"  # with pip
rm -r "$dir/venv"
touch "$dir/complete"
