#!/usr/bin/env bash
# Builds a free-threaded CPython 3.13 with ThreadSanitizer into DIR, from Debian's sources:
# DIR/bin/python3.13t, and in DIR/tsan.supp the races that CPython itself calls harmless.
# Does nothing if DIR is complete. Usage: tools/sanitize/tsan_python.sh DIR
set -euo pipefail
dir=$(realpath -m "$1")
[[ ! -f $dir/complete ]] || exit 0

sources=$dir.sources
"$(dirname "$0")/../wheel/debian_packages.sh" trixie source "$sources" python3.13
rm -rf "$dir"
mkdir -p "$dir"
cd "$sources"
log=$sources/build.log
echo "$dir: building CPython; $log"
{
  ./configure --quiet --prefix="$dir" --disable-gil --with-thread-sanitizer \
    --disable-test-modules --with-ensurepip=install
  make --silent -j2
  make --silent install
} >"$log" 2>&1 </dev/null || { tail -n 30 "$log"; exit 1; }
cp Tools/tsan/suppressions_free_threading.txt "$dir/tsan.supp"
"$dir/bin/python3.13t" -I -c 'import ctypes, ssl, zlib'
cd /
rm -rf "$sources"
touch "$dir/complete"
