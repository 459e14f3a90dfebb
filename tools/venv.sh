#!/usr/bin/env bash
# Installs the LOCKs into the virtual environment DIR; does nothing if that was done already.
# PYTHON names the interpreter; the default is python3.
# A lock called sdists.lock has source packages, which are built with the packages of the others.
# Usage: tools/venv.sh DIR LOCK...
set -euo pipefail
python=${PYTHON:-python3} dir=$1 locks=("${@:2}")

# The stamp is written last: an unfinished environment is made again, and so is one that was moved.
stamp="$PWD/$dir
$("$python" -I -c 'import sys; print(sys.version, sys.base_prefix)')
$(cat "${locks[@]}")"
[[ ! -f $dir/stamp || $(cat "$dir/stamp") != "$stamp" ]] || exit 0

echo "$dir: installing ${locks[*]}"
rm -rf "$dir"
"$python" -I -m venv "$dir"
echo '*' >"$dir/.gitignore"
install() {  # the pins are for this Python, even if a package claims to need an older one
  "$dir/bin/python" -I -m pip install -qq --disable-pip-version-check --no-input \
    --require-hashes --no-deps --ignore-requires-python "$@"
}
wheels=() sdists=()
for lock in "${locks[@]}"; do
  if [[ $lock == */sdists.lock ]]; then sdists+=(-r "$lock"); else wheels+=(-r "$lock"); fi
done
install --only-binary=:all: "${wheels[@]}"
[[ -z ${sdists[*]} ]] || install --no-binary=:all: --no-build-isolation "${sdists[@]}"
echo "$stamp" >"$dir/stamp"
