#!/usr/bin/env bash
# Unpacks packages of a Debian suite, and all that they need, into DIR, next to this system and without
# root. apt checks the signature of what it downloads. The architecture `source` stands for the
# original sources of one package, which are unpacked alone.
# Usage: tools/wheel/debian_packages.sh [--alone] SUITE ARCHITECTURE DIR PACKAGE...    such as trixie amd64
#   --alone: without what they need
set -euo pipefail
alone=
[[ $1 != --alone ]] || { alone=yes; shift; }
suite=$1 architecture=$2 dir=$(realpath -m "$3") packages=("${@:4}")

# The archive from which this system has its own packages.
archive=$(apt-get indextargets --format '$(SUITE) $(REPO_URI)' 2>/dev/null |
  awk '$1 !~ /-/ {print $2; exit}')
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if [[ -z $archive || ! -f $keys ]]; then
  echo "$0: ${packages[*]} come from Debian's archive, and this system has none" >&2
  exit 1
fi

kind=deb
if [[ $architecture == source ]]; then
  kind=deb-src architecture=$(dpkg --print-architecture)
fi
rm -rf "$dir"
apt=$dir/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
echo "$kind [arch=$architecture signed-by=$keys] $archive $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
APT::Architecture "$architecture";
APT::Architectures "$architecture";
APT::Install-Recommends "false";
END
export APT_CONFIG=$apt/apt.conf
apt-get -qq update </dev/null
if [[ $alone ]]; then
  (cd "$apt/cache/archives" && apt-get -qq download "${packages[@]}" </dev/null)
elif [[ $kind == deb ]]; then
  apt-get -qq --yes --download-only -o Debug::NoLocking=true install "${packages[@]}" </dev/null
fi
if [[ $kind == deb ]]; then
  for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$dir"
  done
else
  (cd "$apt/cache" && apt-get -qq --download-only source "${packages[@]}" </dev/null)
  tar --extract --file "$apt"/cache/*.orig.tar.xz --directory "$dir" --strip-components=1
fi
rm -rf "$apt"
