"""Estimates the speed of a machine with many cores from costs that were measured on a small one.

Prints two estimates side by side. The computed one is the smallest of three limits: the speed of
the threads that run envs, of the one thread that sends and receives, and of the one counter that
all threads write. The simulated one plays the engine's rules (homes, tickets of at most 20 us, a
thread with an empty queue takes from the others) event by event, with steps of random length.
"""

import argparse
import dataclasses
import heapq
import random

from tabulate import tabulate

CHUNK_NS = 20_000.0
MAX_CHUNK = 256


@dataclasses.dataclass(frozen=True)
class Costs:
    """Costs in nanoseconds.

    Attributes:
        env: a step of the env.
        row: the engine's work for the step, in the thread that runs it.
        send: the work for an env in the thread that sends and receives.
        claim: claiming a chunk and counting it down.
        handover: moving a counter of the pool from one core's cache to another's.
        call: a call from Python, for any number of envs.
    """

    env: float
    row: float = 16.0
    send: float = 6.0
    claim: float = 150.0
    handover: float = 100.0
    call: float = 1_500.0

    @property
    def step(self) -> float:
        """An env step in the thread that runs it."""
        return self.env + self.row


def awake(costs: Costs, envs: int, threads: int) -> int:
    """The number of threads that a call wakes, by the rule of core/engine/scheduler.cc."""
    return int(min(threads, 1 + envs * costs.step / CHUNK_NS))


def chunk_size(costs: Costs, envs: int, threads: int) -> int:
    """The number of envs of a ticket, by the rule of core/engine/scheduler.cc."""
    fair = envs if threads == 1 else envs // (8 * threads)
    return int(max(1, min(fair, CHUNK_NS / costs.step, MAX_CHUNK)))


def computed(costs: Costs, envs: int, threads: int) -> float:
    """Steps per second of a sync pool: first the send, then the run with all threads."""
    threads = awake(costs, envs, threads)
    size = chunk_size(costs, envs, threads)
    chunks = -(-envs // size)
    run = -(-chunks // threads) * (size * costs.step + costs.claim)
    count_down = chunks * costs.handover if threads > 1 else 0.0
    period = costs.call + envs * costs.send + max(run, count_down)
    return envs / period * 1e9


def simulated(costs: Costs, envs: int, threads: int, spread: float, calls: int = 30) -> float:
    """The same by simulation; a step takes `env` on average, with a deviation of `spread` of it."""
    rng = random.Random(0)
    threads = awake(costs, envs, threads)
    size = chunk_size(costs, envs, threads)
    now = 0.0
    for _ in range(calls):
        now += costs.call + envs * costs.send
        homes = [_tickets(envs, size, threads, home) for home in range(threads)]
        counter = now  # when the counter of finished rows is free
        events = [(now, thread, False) for thread in range(threads)]
        while events:
            time, thread, has_run = heapq.heappop(events)
            if has_run and threads > 1:
                time = counter = max(counter, time) + costs.handover
            now = max(now, time)
            order = [*range(thread, threads), *range(thread)]
            home = next((h for h in order if homes[h]), None)
            if home is None:
                continue
            count = homes[home].pop()
            # Only the sum of many steps matters, which is about normally distributed.
            jitter = rng.gauss(0.0, spread * costs.env * count**0.5)
            took = costs.claim + max(count * costs.step + jitter, 0.0)
            heapq.heappush(events, (time + took, thread, True))
    return calls * envs / now * 1e9


def _tickets(envs: int, size: int, threads: int, home: int) -> list[int]:
    """The number of envs of each ticket in the queue of `home`."""
    count = (home + 1) * envs // threads - home * envs // threads
    return [size] * (count // size) + [count % size] * (count % size > 0)


def rows(costs: Costs, envs: int, threads: list[int], spread: float) -> list[list[str]]:
    """A row for each number of threads."""
    alone = simulated(costs, envs, 1, spread)
    found = []
    for count in threads:
        speed = simulated(costs, envs, count, spread)
        per_second = speed / chunk_size(costs, envs, awake(costs, envs, count))
        cells = [f"{envs:,}", f"{costs.env / 1000:g}", f"{count}"]
        cells += [f"{computed(costs, envs, count):,.0f}", f"{speed:,.0f}"]
        cells += [f"x{speed / alone:.1f}", f"{per_second:,.0f}"]
        found.append(cells)
    return found


def main() -> None:
    """Prints the table of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--env-us", type=float, nargs="+", default=[0.05, 1, 20, 200])
    parser.add_argument("--envs", type=int, nargs="+", default=[1024, 16384])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 16, 64, 256])
    parser.add_argument(
        "--spread", type=float, default=0.3, help="deviation of a step's cost, as a part of it"
    )
    for field in dataclasses.fields(Costs):
        if field.name != "env":
            parser.add_argument(
                f"--{field.name}-ns", type=float, default=field.default, help="see Costs"
            )
    args = parser.parse_args()
    table = []
    for env_us in args.env_us:
        costs = Costs(
            env_us * 1000,
            **{f.name: getattr(args, f"{f.name}_ns") for f in dataclasses.fields(Costs)[1:]},
        )
        for envs in args.envs:
            table += rows(costs, envs, args.threads, args.spread)
    headers = [
        "envs",
        "step us",
        "threads",
        "computed steps/s",
        "simulated",
        "speed-up",
        "claims/s",
    ]
    print(tabulate(table, headers, "github", colalign=("right",) * 7, disable_numparse=True))


if __name__ == "__main__":
    main()
