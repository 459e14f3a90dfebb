#!/usr/bin/env bash
# Pins every requirements file by version and hash: X.in -> X.lock. Needs uv (pip install uv).
# Usage: tools/lock.sh [--upgrade]
set -euo pipefail
cd "$(dirname "$0")/.."

lock() {  # lock NAME [uv options]: NAME.in -> NAME.lock; NAME.overrides, if any, drops packages
  local overrides=()
  [[ ! -f $1.overrides ]] || overrides=(--override "$1.overrides")
  uv pip compile --quiet --no-header --generate-hashes --no-emit-index-url --no-annotate \
    --python-version "${python:-3.11}" "${overrides[@]}" "${@:2}" "$1.in" -o "$1.lock"
}

lock third_party/pip/requirements "$@"
lock third_party/pip/build --constraint third_party/pip/requirements.lock "$@"
# For every Python of `make wheels`.
python=3.10 lock tools/wheel/tests --universal "$@"
lock tools/wheel/checks --constraint third_party/pip/requirements.lock "$@"
lock tools/wheel/windows/requirements --constraint tools/wheel/checks.lock "$@"
lock tools/wheel/windows/sdists --no-deps --universal "$@"
python=3.10 lock tools/wheel/vizdoom --universal --constraint tools/wheel/tests.lock "$@"
lock third_party/pip/sdists --no-deps "$@"
lock third_party/pip/metaworld --no-deps "$@"
lock third_party/pip/mujoco4 --no-deps "$@"
lock benchmark/pufferlib/sdists --no-deps "$@"
lock examples/training/sdists --no-deps "$@"
lock integration_tests/mujoco/models --no-deps "$@"
# The build's environment is a constraint, so that a package has the same version everywhere.
for name in benchmark/pufferlib docs examples{,/training} integration_tests/{gymnasium,mujoco,rerun,torch} tools/lint; do
  lock "$name/requirements" --constraint third_party/pip/requirements.lock "$@"
done
lock examples/training/ppo_cartpole --constraint examples/training/requirements.lock "$@"
# The newest EnvPool has no wheel for an older Python.
for name in benchmark/jax benchmark/requirements benchmark/training; do
  python=3.12 lock "$name" --constraint third_party/pip/requirements.lock "$@"
done
for version in 0.5 0.8 0.10; do
  lock integration_tests/jax/jax$version --constraint third_party/pip/requirements.lock "$@"
done
lock integration_tests/ray/requirements "$@"  # RLlib pins an older Gymnasium
sample_factory=integration_tests/sample_factory/requirements  # it pins Gymnasium 0.29 and NumPy 1
lock $sample_factory "$@"
lock benchmark/sample_factory --constraint $sample_factory.lock "$@"
lock benchmark/sample_factory_1 --no-deps "$@"
lock benchmark/replay --no-deps "$@"
torch=integration_tests/torch
python=3.10 lock $torch/cleanrl --no-deps "$@"
lock $torch/cuda --constraint $torch/requirements.lock "$@"
for folder in agilerl rllib; do
  lock integration_tests/$folder/requirements --constraint $torch/cuda.lock "$@"
done
