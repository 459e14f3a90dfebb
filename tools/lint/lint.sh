#!/usr/bin/env bash
# Checks the format, style, types and links of all files that git tracks or would add; ends with
# `N passed, N failed` over the checks.
# Usage: tools/lint/lint.sh [--fix]   --fix rewrites the files where a tool can, and checks nothing
set -euo pipefail
cd "$(dirname "$0")/../.."

work=.work/lint node=.work/lint/node
tools/venv.sh $work/venv tools/lint/requirements.lock
if ! cmp -s tools/lint/package-lock.json $node/stamp; then
  rm -rf $node
  mkdir -p $node
  cp tools/lint/package.json tools/lint/package-lock.json $node/
  npm_ci=(npm ci --silent --no-audit --no-fund)
  # A download may hang: the second try has all the time.
  (cd $node && { timeout 120 "${npm_ci[@]}" || "${npm_ci[@]}"; } </dev/null)
  cp tools/lint/package-lock.json $node/stamp
fi
buildifier=$node/node_modules/@bazel/buildifier/buildifier-linux_$(dpkg --print-architecture)
# The configuration imports Prettier, so it must lie next to node_modules.
cp tools/lint/prettier.config.mjs $node/
prettier=($node/node_modules/.bin/prettier --config $node/prettier.config.mjs --log-level warn)
bin=$work/venv/bin
# Bazel's own rules for Python are used; docstrings describe arguments only where needed.
warnings=-native-py,-function-docstring-args,-function-docstring-return

sources() {  # sources PATTERN...: the files that git lists
  local file
  git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" | sort -u |
    while read -r file; do
      [[ ! -f $file ]] || echo "$file"  # skips deleted files that are still in the index
    done
}
mapfile -t cpp < <(sources '*.h' '*.cc')
mapfile -t build < <(sources '*.bzl' '*.BUILD' 'BUILD' '*/BUILD' 'WORKSPACE' '*/WORKSPACE')
mapfile -t pages < <(sources '*.md')

if [[ ${1:-} == --fix ]]; then
  "$bin/clang-format" -i "${cpp[@]}"
  "$buildifier" -lint=fix "-warnings=$warnings" "${build[@]}"
  "${prettier[@]}" --write "${pages[@]}"
  "$bin/ruff" check --quiet --fix --exit-zero .
  "$bin/ruff" format --quiet .
  exit
fi

passed=0 failed=0
check() {  # check NAME COMMAND...
  local name=$1
  shift
  if "$@"; then
    echo "lint: $name: ok"
    passed=$((passed + 1))
  else
    echo "lint: $name: FAILED" >&2
    failed=$((failed + 1))
  fi
}
check clang-format "$bin/clang-format" --dry-run --Werror "${cpp[@]}"
check buildifier "$buildifier" -mode=check -lint=warn "-warnings=$warnings" "${build[@]}"
check prettier "${prettier[@]}" --check "${pages[@]}"
check 'ruff check' "$bin/ruff" check --quiet .
check 'ruff format' "$bin/ruff" format --check --quiet .
check mypy "$bin/mypy"
check pyright $node/node_modules/.bin/pyright --project tools/lint/pyrightconfig.json
check 'public types' python3 tools/lint/public_types.py
check links python3 tools/lint/links.py
check prose python3 tools/lint/prose.py
check sizes python3 tools/lint/sizes.py
check versions python3 tools/lint/versions.py
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
