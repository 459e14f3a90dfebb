"""One peer playing one workload in a process of its own; throughput.py starts and asks it.

Reads seconds from stdin, one round a line; answers each with a line of JSON: env steps, wall
seconds, CPU seconds. The first line, before any round, says that the envs are built and warm.
"""

import itertools
import json
import re
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

ACTIONS = 64  # different random batches of actions, drawn before the clock runs
WARM_UP = 3.0  # seconds at the most
WARM_UP_CALLS = 200

Step = Callable[[], object]


def _in_turn(num_actions: int, batch_size: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yields batches of random actions for ever."""
    rng = np.random.default_rng(0)
    return itertools.cycle(rng.integers(num_actions, size=(ACTIONS, batch_size)))


def _sync(env: Any, num_envs: int, num_actions: int) -> Step:
    actions = _in_turn(num_actions, num_envs)
    env.reset()
    return lambda: env.step(next(actions))


def _pool(library: types.ModuleType, task: str, num_envs: int, batch_size: int) -> Step:
    env = library.make(task, env_type="gymnasium", num_envs=num_envs, batch_size=batch_size)
    num_actions = env.action_space.n
    if batch_size == num_envs:
        return _sync(env, num_envs, num_actions)
    actions = _in_turn(num_actions, batch_size)
    env.async_reset()
    return lambda: env.send(next(actions), env.recv()[4]["env_id"])


def parallel_pool(task: str, num_envs: int, batch_size: int) -> Step:
    """This project."""
    import parallel_pool as library

    return _pool(library, task, num_envs, batch_size)


def envpool(task: str, num_envs: int, batch_size: int) -> Step:
    """EnvPool."""
    import envpool as library

    return _pool(library, task, num_envs, batch_size)


def ale_vector(task: str, num_envs: int, batch_size: int) -> Step:
    """AtariVectorEnv of ale-py, told to preprocess as the other two do."""
    from ale_py.vector_env import AtariVectorEnv

    game = re.sub("(?<!^)(?=[A-Z])", "_", task.removesuffix("-v5")).lower()
    env = AtariVectorEnv(game, num_envs=num_envs, batch_size=batch_size, reward_clipping=False)
    num_actions = env.single_action_space.n
    if batch_size == num_envs:
        return _sync(env, num_envs, num_actions)
    actions = _in_turn(num_actions, batch_size)
    env.reset()  # receives the first batch; send() is for the envs that were received last
    return lambda: (env.send(next(actions)), env.recv())


def gymnasium_sync(task: str, num_envs: int, batch_size: int) -> Step:
    """Gymnasium's SyncVectorEnv: a loop in Python."""
    import gymnasium

    env: Any = gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode="sync")
    return _sync(env, num_envs, env.single_action_space.n)


def gymnasium_vector(task: str, num_envs: int, batch_size: int) -> Step:
    """Gymnasium's own vector CartPole: NumPy over all envs."""
    import gymnasium

    mode = gymnasium.VectorizeMode.VECTOR_ENTRY_POINT
    env: Any = gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode=mode)
    return _sync(env, num_envs, env.single_action_space.n)


PEERS = {
    f.__name__: f for f in (parallel_pool, envpool, ale_vector, gymnasium_sync, gymnasium_vector)
}


def play(step: Step, seconds: float, calls: int = sys.maxsize) -> int:
    """Calls step() for that long or that often; returns how often it was."""
    end = time.perf_counter() + seconds
    done = 0
    while done < calls and time.perf_counter() < end:
        step()
        done += 1
    return done


def main() -> None:
    """Serves rounds: worker.py PEER TASK NUM_ENVS BATCH_SIZE."""
    peer, task, num_envs, batch_size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    step = PEERS[peer](task, num_envs, batch_size)
    play(step, WARM_UP, WARM_UP_CALLS)
    print(json.dumps("ready"), file=out, flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        calls = play(step, float(line))
        answer = {
            "steps": calls * batch_size,
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
        }
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
