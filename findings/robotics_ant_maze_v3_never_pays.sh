#!/usr/bin/env bash
# Guess:    the sparse reward of AntMaze is 1 in a step in which the ant is at its goal.
# Happens:  AntMaze_...-v3 gives 0, even if the ant stands on the goal. Asked whether the episode ends,
#           the env draws the next goal, and it does so before it computes the reward. v4 and v5 do not.
# Who:      a user who runs -v3 to compare with older results. The notes on v4 say it in half a sentence.
# Source:   package gymnasium-robotics, files envs/maze/maze.py, ant_maze_v3.py, ant_maze_v5.py
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    gymnasium-robotics==1.4.2 mujoco==3.3.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import gymnasium
import gymnasium_robotics
import numpy as np

print("gymnasium-robotics", importlib.metadata.version("gymnasium-robotics"))
gymnasium.register_envs(gymnasium_robotics)
gymnasium.logger.min_level = gymnasium.logger.ERROR
paid = {}
for version in ("v3", "v4", "v5"):
    env = gymnasium.make(f"AntMaze_UMaze-{version}", disable_env_checker=True)
    env.reset(seed=0)
    maze = env.unwrapped
    rewards = []
    for _ in range(5):
        place = maze.ant_env.data.qpos.copy()
        place[:2] = goal = maze.goal.copy()
        maze.ant_env.set_state(place, np.zeros_like(maze.ant_env.data.qvel))
        observation, reward, *_ = env.step(np.zeros(8, np.float32))
        distance = np.linalg.norm(observation["achieved_goal"] - goal)
        rewards.append(float(reward))
    paid[version] = sum(rewards)
    print(f"{version}: rewards {rewards}, distance from the goal that was shown: {distance:.3f} m")
if paid["v3"] != 0 or paid["v4"] == 0:
    sys.exit("AntMaze v3 now pays, or v4 does not.")
EOF
