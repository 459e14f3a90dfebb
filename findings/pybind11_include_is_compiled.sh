#!/usr/bin/env bash
# Guess:    a file that includes <pybind11/pybind11.h> and uses nothing of it compiles to almost
#           nothing: templates and inline functions cost only their reading.
# Happens:  each file that includes it has 85 to 110 KB of machine code for that alone, and takes
#           seconds to compile. So it is from pybind11 2.10 on; one of 2.9 has none. The linker merges
#           the copies of all files, so the library does not show it.
# Who:      a project with its bindings in many files. Ours had 30, which took 190 s; together in two
#           files they take 25 s.
# Source:   package pybind11, seen with g++ 12
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
python_headers=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
echo '#include <pybind11/pybind11.h>' >"$folder/empty.cc"
g++ --version | head -n 1

declare -A code
for version in 2.9.2 2.10.4 3.1.0; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check --target "$folder/$version" \
    "pybind11==$version"
  SECONDS=0
  g++ -std=c++17 -O2 -fPIC -fvisibility=hidden -ffunction-sections \
    -I "$folder/$version/pybind11/include" -I "$python_headers" \
    -c "$folder/empty.cc" -o "$folder/empty.o"
  code[$version]=$(size "$folder/empty.o" | awk 'END { print $1 }')
  echo "pybind11 $version: ${code[$version]} bytes of code from an include alone, $SECONDS s"
done
if ((code[2.9.2] > 20000 || code[2.10.4] < 50000 || code[3.1.0] < 50000)); then
  echo "An include of pybind11 no longer compiles to as much as it did." >&2
  exit 1
fi
