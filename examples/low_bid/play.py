"""Plays LowBid-v0: every player bids its own number."""

import parallel_pool

parallel_pool.load("low_bid.so")

with parallel_pool.make("LowBid-v0", num_envs=2, max_num_players=3) as env:
    obs, info = env.reset()
    for _ in range(2):
        print("envs", info["players"]["env_id"], "players", info["players"]["agent"])
        obs, reward, terminated, truncated, info = env.step(info["players"]["agent"])
    print("won:", info["players"]["agent"], "with", reward, "done:", terminated)
