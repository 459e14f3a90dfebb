"""Goal-conditioned behavioral cloning (GCBC) of a data set in OGBench's format, in one file.

A network learns the actions that led to places which their trajectory has reached later. Without
`--data`, the program first makes a data set of a point that walks through a maze by the shortest
ways, with noise. Prints the share of episodes that succeed in all five tasks; the same seed gives
the same.
"""

import argparse
import collections
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

import parallel_pool

TASK, GOAL = "pointmaze-medium-v0", 0.8
BATCH, RATE, UNITS = 1024, 1e-3, 256
MAP = [
    "########",
    "#..##..#",
    "#..#...#",
    "##...###",
    "#..#...#",
    "#.#..#.#",
    "#...#..#",
    "########",
]
FREE = [(i, j) for i, row in enumerate(MAP) for j, cell in enumerate(row) if cell == "."]
ENVS, STEPS = 16, 300  # of a way from one cell to another; a cell has sides of 4 m


def next_cells(goal: tuple[int, int]) -> Any:
    """For each cell of the map, where the shortest way to `goal` leads: (rows, columns, 2)."""
    cells = np.tile(np.array(goal), (len(MAP), len(MAP[0]), 1))
    known, queue = {goal}, collections.deque([goal])
    while queue:
        i, j = cell = queue.popleft()
        for near in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if near in FREE and near not in known:
                known.add(near)
                queue.append(near)
                cells[near] = cell
    return cells


def make_data(path: str, ways: int, seed: int) -> None:
    """Writes trajectories of a point in OGBench's format: a terminal row has no action."""
    random = np.random.default_rng(seed)
    kept: dict[str, list[Any]] = {"observations": [], "actions": [], "terminals": []}
    pool = parallel_pool.make(
        TASK, num_envs=ENVS, seed=seed, terminate_at_goal=False, autoreset_mode="disabled"
    )
    for _ in tqdm(range(ways), unit=" ways", disable=None):
        start, goal = (FREE[i] for i in random.choice(len(FREE), 2, replace=False))
        obs, _ = pool.reset(options={"init_ij": start, "goal_ij": goal})
        cells, rows = next_cells(goal), []
        for _ in range(STEPS):
            row, column = np.rint((obs[:, ::-1] + 4) / 4).astype(int).T
            way = cells[row, column][:, ::-1] * 4 - 4 - obs
            action = np.clip(way, -1, 1) + random.normal(0, 0.3, way.shape)
            action = np.clip(action, -1, 1).astype(np.float32)
            rows.append((obs, action))
            obs = pool.step(action)[0]
        walked, actions = (np.stack(part, 1) for part in zip(*rows, strict=True))
        terminals = np.zeros((ENVS, STEPS), np.float32)
        terminals[:, -1] = 1
        for name, part in zip(kept, (walked, actions, terminals), strict=True):
            kept[name].append(part.reshape(ENVS * STEPS, *part.shape[2:]).astype(np.float32))
    whole: Any = {name: np.concatenate(parts) for name, parts in kept.items()}
    np.savez_compressed(path, **whole)


class Agent(nn.Module):  # type: ignore[misc]
    """Actions from -1 to 1 for observations and goals."""

    def __init__(self, obs: torch.Tensor, actions: int) -> None:
        super().__init__()
        self.mean, self.spread = obs.mean(0), obs.std(0) + 1e-6
        self.net = nn.Sequential(
            *(nn.Linear(2 * obs.shape[1], UNITS), nn.ReLU(), nn.Linear(UNITS, UNITS), nn.ReLU()),
            *(nn.Linear(UNITS, actions), nn.Tanh()),
        )

    def forward(self, obs: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        """Both of shape (rows, size)."""
        both = [(part - self.mean) / self.spread for part in (obs, goal)]
        return self.net(torch.cat(both, 1))


def train(path: str, updates: int) -> Agent:
    """Learns from the rows of a file."""
    with np.load(path) as file:
        obs, actions = (torch.from_numpy(file[name]) for name in ("observations", "actions"))
        ends = np.flatnonzero(file["terminals"])
    last = torch.from_numpy(ends[np.searchsorted(ends, np.arange(ends[-1] + 1))])
    begins = torch.nonzero(last > torch.arange(len(last)))[:, 0]
    policy = Agent(obs, actions.shape[1])
    optimizer = torch.optim.Adam(policy.parameters(), lr=RATE, fused=True)
    for _ in tqdm(range(updates), unit=" updates", disable=None):
        rows = begins[torch.randint(len(begins), (BATCH,))]
        later = rows + 1 + (torch.rand(BATCH) * (last[rows] - rows)).long()
        loss = (policy(obs[rows], obs[later]) - actions[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return policy


def main() -> None:
    """Trains, evaluates, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", help="a data set (.npz); none: makes one, data.npz")
    parser.add_argument("--task", default=TASK, help=f"of the data, to be evaluated ({TASK})")
    parser.add_argument("--seed", type=int, default=1, help="of data, network and envs (1)")
    parser.add_argument(
        "--ways", type=int, default=150, help="between cells, in data made here (150)"
    )
    parser.add_argument("--max-steps", type=int, default=10_000, help="updates (10,000)")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    begin = time.perf_counter()
    if args.data is None:
        make_data("data.npz", args.ways, args.seed)
    net = train(args.data or "data.npz", args.max_steps)
    seconds = time.perf_counter() - begin

    def policy(obs: Any, goal: Any) -> Any:
        with torch.no_grad():
            return net(torch.from_numpy(obs).float(), torch.from_numpy(goal).float()).numpy()

    tasks = np.repeat([1, 2, 3, 4, 5], 10).tolist()
    scores = parallel_pool.evaluate(
        policy,
        args.task,
        50,
        num_envs=50,
        seed=args.seed + 1_000_000,
        infos=["success"],
        per_env={"reward_task_id": tasks},
    )
    success = scores.infos["success"].reshape(5, -1).mean(1)
    print("success by task:", *(f"{share:.2f}" for share in success))
    mean = success.mean()
    print(f"{args.task}: mean success {mean:.2f} after {args.max_steps:,} steps in {seconds:.1f} s")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
