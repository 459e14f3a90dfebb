#!/usr/bin/env bash
# Unpacks a Python of a newer Debian, with its C headers, into DIR, beside this system and without
# root. It runs with the C library that it was built for: DIR/usr/bin/python3.X is an ordinary
# interpreter. apt checks the signature of what it downloads. Does nothing if DIR is complete.
# Usage: tools/wheel/debian_python.sh VERSION DIR      VERSION: 3.13 or 3.14
set -euo pipefail
version=$1 dir=$2
case $version in
  3.13) suite=trixie ;;
  3.14) suite=forky ;;
  *) echo "no Debian has Python $version: there are 3.13 and 3.14" >&2; exit 1 ;;
esac
[[ ! -f $dir/complete ]] || exit 0

# The archive from which this system has its own packages.
archive=$(apt-get indextargets --format '$(SUITE) $(REPO_URI)' 2>/dev/null |
  awk '$1 !~ /-/ {print $2; exit}')
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if [[ -z $archive || ! -f $keys ]]; then
  echo "Python $version comes from Debian's packages, and this system has none" >&2
  exit 1
fi

rm -rf "$dir"
apt=$dir/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
echo "deb [signed-by=$keys] $archive $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
END
export APT_CONFIG=$apt/apt.conf
apt-get -qq update </dev/null
# NumPy's wheels use libstdc++.
apt-get -qq --yes --download-only -o Debug::NoLocking=true install \
  "python$version-venv" "libpython$version-dev" libstdc++6 </dev/null
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$dir"
done
rm -rf "$apt"

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
