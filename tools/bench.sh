#!/usr/bin/env bash
# Makes the virtual environment that a QUESTION of benchmark/ needs, and asks it there.
# Usage: tools/bench.sh QUESTION [OPTION...]
set -euo pipefail
cd "$(dirname "$0")/.."
question=${1:---help}
# Lists the questions, or names the nearest one.
[[ -f benchmark/questions/$question.py ]] || exec python3 -m benchmark "$question"

own() {  # own DIR LOCK...: an environment of the running Python
  make --no-print-directory wheel && tools/venv.sh "$@" && tools/install_wheel.sh "$1"
}
with_torch() {  # with_torch COMMAND DIR LOCK...: the CPU build of torch if pip finds it, else PyPI's
  "$1" "$2" integration_tests/torch/cpu.lock "${@:3}" || "$1" "$2" integration_tests/torch/cuda.lock "${@:3}"
}
python_peers() {  # PufferLib without its own envs, which its set-up would fetch
  export PYTHONPATH=$PWD/benchmark/pufferlib NO_OCEAN=1 NO_TRAIN=1
  with_torch own .work/bench_python integration_tests/torch/requirements.lock \
    examples/training/requirements.lock benchmark/pufferlib/requirements.lock \
    third_party/pip/sdists.lock benchmark/pufferlib/sdists.lock
  unset PYTHONPATH
}
sample_factory() {  # Sample Factory 2, and Sample Factory 1 in the folder one/
  local dir=.work/bench_sample_factory
  with_torch tools/venv.sh $dir integration_tests/sample_factory/requirements.lock \
    benchmark/sample_factory.lock
  [[ -d $dir/one ]] || $dir/bin/python -I -m pip install -qq --no-deps --require-hashes \
    --target $dir/one -r benchmark/sample_factory_1.lock
}

tools/setup.sh
venv=.work/bench options=()
case $question in
  jax | pipeline)
    venv=.work/bench_jax
    tools/bench_venv.sh $venv benchmark/requirements.lock benchmark/jax.lock
    ;;
  python_envs)
    venv=.work/bench_python
    python_peers
    ;;
  ray)
    venv=.work/integrations/ray
    own $venv integration_tests/ray/requirements.lock
    ;;
  off_policy | replay)
    venv=.work/bench_replay
    with_torch own $venv integration_tests/torch/requirements.lock \
      benchmark/replay.lock
    ;;
  live)
    venv=.work/bench_live
    tools/bench_venv.sh $venv benchmark/requirements.lock integration_tests/rerun/requirements.lock
    ;;
  training)
    venv=.work/bench_training
    with_torch tools/bench_venv.sh $venv examples/training/requirements.lock benchmark/training.lock
    ;;
  *) tools/bench_venv.sh $venv benchmark/requirements.lock ;;
esac
case $question in
  mujoco_batch)  # MuJoCo 4 in a folder of its own, next to the 3.17 of the peers
    [[ -d $venv/mujoco4 ]] || $venv/bin/python -I -m pip install -qq --no-deps --require-hashes \
      --target $venv/mujoco4 -r third_party/pip/mujoco4.lock
    options=(--mujoco4 $PWD/$venv/mujoco4)
    ;;
  paper)
    sample_factory
    options=(--sample-factory .work/bench_sample_factory/bin/python
      --sample-factory-1 .work/bench_sample_factory/one)
    ;;
  whole_loop)
    python_peers
    options=(--python .work/bench_python/bin/python)
    ;;
esac
exec $venv/bin/python -E -s -m benchmark "$question" "${options[@]}" "${@:2}"
