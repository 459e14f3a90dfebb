#!/usr/bin/env bash
# Runs the C++ tests of the engine, those of steps of MuJoCo in lanes, and a stress test from Python,
# with sanitizers: for memory and undefined behavior (asan), and for threads (tsan). Ends with
# `N passed, N failed` over all. planted_test and stress_test check that each sanitizer reports an
# injected bug.
set -euo pipefail
cd "$(dirname "$0")/../.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

passed=0 failed=0
run() {  # run CONFIG ARGUMENTS...
  tools/testing/run_tests.py "--config=$1" --build_tests_only "${@:2}" 2>&1 | tee "$log" || true
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
}
for config in asan tsan; do
  run "$config" --test_lang_filters=cc //parallel_pool/core/... //parallel_pool/envs/classic_control/...
  run "$config" //tools/sanitize:stress_test
done
proof=//parallel_pool/envs/mujoco/lanes/proof
run asan "$proof:lanes_test" "$proof:touch_test"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
